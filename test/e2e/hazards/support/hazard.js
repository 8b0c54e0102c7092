'use strict'

// Runs hazards: each in a process of its own, and again on builds without the guard that it is about.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')

const root = path.join(__dirname, '../../../..')
const preload = path.join(__dirname, 'preload.js')
const main = path.join(__dirname, 'main.js')
const MAX_KEPT = 200_000 // characters of output

// How often a control fails depends on the machine and on what else it does. `make hazards` asks for what a test is sized for;
// elsewhere one failure shows that the test can fail, and the count is printed.
const strict = process.env.HAZARDS === 'strict'

// Under a sanitizer the build is the given one, everything takes longer, and controls, which break what it watches, are not run.
const sanitized = process.env.HAZARDS === 'sanitized'
const SLOWER = sanitized ? 5 : 1

/** Runs body, a function of (child, parameters) that closes over nothing, and resolves to how the process ended. */
function run (body, { parameters = null, flags = [], build, env = {}, timeout = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', ...flags, '--require', preload, main, String(body), JSON.stringify(parameters)], {
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, SLUICE_TEST_BUILD: build === undefined ? (sanitized ? process.env.SLUICE_TEST_BUILD : '') : folder(build), ...env },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', text => { output[name] = (output[name] + text).slice(-MAX_KEPT) })
    }
    let late = false
    const timer = setTimeout(() => { late = true; child.kill('SIGKILL') }, timeout * SLOWER)
    child.on('error', reject)
    child.on('exit', (code, signal) => { // not 'close': what a crashed process started may keep its pipes open
      setTimeout(() => {
        clearTimeout(timer)
        child.stdout.destroy()
        child.stderr.destroy()
        const line = /^COUNTS (.*)$/m.exec(output.stdout)
        resolve({ end: late ? 'timeout' : signal ?? code, counts: line === null ? {} : JSON.parse(line[1]), ...output })
      }, 20)
    })
  })
}

/** A control build made by `make controls`. */
function folder (name) {
  const path_ = path.join(root, 'build/controls', name)
  if (!fs.existsSync(path.join(path_, 'addon.node'))) throw new Error(`${path_} is missing: make controls`)
  return path_
}

/**
 * Declares a hazard: the process must end with `end` (an exit code or a signal's name), having counted something of each
 * kind that it counts, and nothing else.
 *
 * repeat: how often. control: the name of a build without the guard, on which at least `least` of `runs` runs must not end so,
 * or one where nobody asks for strictness. unsanitized: why it cannot be run under a sanitizer.
 */
function hazard (name, options, body) {
  const { end = 0, repeat = 1, control, runs = 10, least = 8, unsanitized, ...how } = options
  if (sanitized && unsanitized !== undefined) return
  test(name, { timeout: 600_000 }, async t => {
    const counts = {}
    const started = Date.now()
    for (let i = 0; i < repeat; i++) {
      const result = await run(body, how)
      assert.equal(result.end, end, `ended with ${result.end}, not ${end}:\n${result.stdout}${result.stderr}`)
      assert.ok(Object.keys(result.counts).length > 0, 'it counted nothing')
      for (const [what, n] of Object.entries(result.counts)) counts[what] = (counts[what] ?? 0) + n
    }
    for (const [what, n] of Object.entries(counts)) assert.ok(n > 0, `${what}: ${n}`)
    t.diagnostic(`${name}: ${list(counts)}`)
    if (control === undefined || sanitized) return

    // A run that only takes longer is no failure: what counts as hanging takes several times what a good run took.
    const timeout = Math.max(3000, (Date.now() - started) / repeat * 5)
    const ends = {}
    let failures = 0
    for (let i = 0; i < runs; i++) {
      const { end: got, stderr } = await run(body, { ...how, build: control, timeout })
      ends[got] = (ends[got] ?? 0) + 1
      if (got !== end) failures++
      if (process.env.HAZARD_DEBUG) t.diagnostic(stderr.slice(0, 400))
    }
    t.diagnostic(`${name}: without the guard (${control}) ${failures} of ${runs} runs failed: ${list(ends)}`)
    assert.ok(failures >= (strict ? least : Math.min(least, 1)), `only ${failures} of ${runs} runs failed on ${control}: ${list(ends)}`)
  })
}

const list = (counts) => Object.entries(counts).map(([what, n]) => `${what} ${n}`).join(', ')

module.exports = { hazard, run, root, sanitized, strict }
