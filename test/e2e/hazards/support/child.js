'use strict'

// What bodies of hazards use, inside the process under test. It does not load sluice until that is asked for.

const assert = require('node:assert/strict')
const childProcess = require('node:child_process')
const { createHash } = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Worker, getEnvironmentData, isMainThread, setEnvironmentData } = require('node:worker_threads')

const root = path.join(__dirname, '../../../..')
const main = path.join(__dirname, 'main.js')
const program = (name) => path.join(root, 'build/hazards', name)

const turn = () => new Promise(resolve => setImmediate(resolve))
const sleep = (ms) => new Promise(resolve => setTimeout(resolve, ms))

/** Polls until probe is true, for a time after which something hangs or leaks. */
async function until (probe, what, ms = 20_000) {
  const end = Date.now() + ms
  for (;;) {
    const found = await probe()
    if (found) return found
    if (Date.now() > end) throw new Error(`Not within ${ms} ms: ${typeof what === 'function' ? what() : what}`)
    await sleep(2)
  }
}

/** What promise becomes, if that is soon. */
async function within (ms, promise) {
  let timer
  const late = new Promise((resolve, reject) => { timer = setTimeout(() => reject(new Error(`Not within ${ms} ms`)), ms) })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

// ---- counts

const counts = {}
let reported = false

/** What the process did. A hazard that did nothing fails, so every count must be positive in the end. */
function count (name, n = 1) { counts[name] = (counts[name] ?? 0) + n }

/** Tells the parent. Called when the process ends, or before it is killed. */
function report () {
  if (reported || !isMainThread || process.send !== undefined) return // workers and forks are the parent's to count
  reported = true
  fs.writeSync(1, `COUNTS ${JSON.stringify(counts)}\n`)
}
process.on('exit', report)

// ---- images

/** A picture like a map: areas of flat colour, lines on them, transparent outside. The same in every run. */
function sample (width = 500, height = 400) {
  const data = Buffer.allocUnsafeSlow(width * height * 4)
  const palette = Array.from({ length: 12 }, (_, i) => [180 + i * 6, 210 - i * 9, 160 + (i * 53) % 90])
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const ground = Math.sin(x / 37) + Math.sin(y / 29) + Math.sin((x + y) / 61) + Math.sin((x - 2 * y) / 83)
      const area = Math.floor((ground + 4) * 1.5)
      const line = Math.abs((ground * 3) % 1) < 0.06 || (x * 7 + y * 3) % 211 < 2
      const [r, g, b] = line ? [90, 70, 60] : palette[area % 12]
      data[at] = r
      data[at + 1] = g
      data[at + 2] = b
      data[at + 3] = x < 3 || y < 3 ? 0 : 255
    }
  }
  return { data, width, height }
}

const stored = { level: 'stored', reduce: false }
const digest = (bytes) => createHash('sha1').update(bytes).digest('hex')

/** Encodes by chunks; resolves to the output's hash. */
async function hashed (source, options = {}) {
  const hash = createHash('sha1')
  await hazard.sluice.encodeChunked(source, { chunkSize: 4096, ...options }, (error, chunk) => { if (!error) hash.update(chunk) }).done
  return hash.digest('hex')
}

const table = () => require(path.join(root, 'js/binding')).info.formats

/** The names of all formats that encode images. */
const formats = () => table().filter(f => f.source === 'image').map(f => f.name)

/** The names of all other formats. */
const pushed = () => table().filter(f => f.source !== 'image').map(f => f.name)

/** A new source that the named format encodes, and parts for it. A kind of source that is not known here fails. */
function source (format) {
  const { source: kind } = table().find(f => f.name === format)
  return sources[kind](format)
}

const sources = {
  bytes: () => ({ source: hazard.sluice.bytes(), parts: Array.from({ length: 40 }, (_, i) => Buffer.alloc(20_000, i)) }),
  arrow: () => {
    let bytes = getEnvironmentData('an Arrow stream') // made once: workers that are started later have it too
    if (bytes === undefined) {
      const arrow = require('apache-arrow')
      const numbers = arrow.vectorFromArray(Array.from({ length: 20_000 }, (_, i) => Math.imul(i, 0x9e3779b1) ^ i * i), new arrow.Int32())
      bytes = arrow.tableToIPC(new arrow.Table({ numbers }), 'stream')
      setEnvironmentData('an Arrow stream', bytes)
    }
    return { source: hazard.sluice.arrow({ codec: 'zstd' }), parts: [bytes.subarray(0, 30_000), bytes.subarray(30_000)] }
  },
  features: format => {
    const n = 2000
    const batch = {
      rows: n,
      columns: { id: Int32Array.from({ length: n }, (_, i) => i) },
      geometry: { x: Float64Array.from({ length: n }, (_, i) => i / 7), y: Float64Array.from({ length: n }, (_, i) => i / 11) }
    }
    return { source: hazard.sluice.features({ format, typeName: 't:place', columns: { id: 'int32' } }), parts: [batch, batch, batch] }
  }
}

/**
 * Encodes without a pause, n at a time, in all formats, or the one that is named; stop() resolves when the last is done. All
 * outputs must be right.
 */
function work (n, { source = sample(), format: only, ...options } = {}) {
  const state = { running: true }
  const known = new Map()
  const loop = async (i) => {
    const names = only === undefined ? formats() : [only]
    for (; state.running; i++) {
      const format = names[i % names.length]
      const hash = await hashed(source, { format, ...options })
      if (!known.has(format)) known.set(format, hash)
      assert.equal(hash, known.get(format), `output of ${format}`)
      count('encodes')
    }
  }
  const loops = Array.from({ length: n }, (_, i) => loop(i))
  return {
    stop () {
      state.running = false
      return Promise.all(loops)
    }
  }
}

// ---- what is left

const fds = () => fs.readdirSync('/proc/self/fd').length
const open = () => fs.readdirSync('/proc/self/fd').map(fd => {
  try {
    return `${fd} ${fs.readlinkSync(`/proc/self/fd/${fd}`)}`
  } catch {
    return `${fd} closed`
  }
})
const threads = () => fs.readdirSync('/proc/self/task').length

/** Encodes once, so that all that is made once exists; settled() then resolves when nothing else is left. */
async function baseline () {
  await hashed(sample(64, 64))
  await idle()
  const goroutines = (await hazard.sluice.stats()).goroutines
  const files = fds()
  const known = open()
  return {
    goroutines,
    files,
    async settled () {
      let now
      await until(async () => {
        globalThis.gc?.()
        now = { ...await hazard.sluice.stats(), files: fds() }
        return now.streams === 0 && now.slabs === 0 && now.goroutines <= goroutines && now.files <= files
      }, () => `nothing left but ${goroutines} goroutines and ${files} files: ${JSON.stringify(now)} ${open().filter(file => !known.includes(file))}`)
    }
  }
}

/** Resolves when no stream lives. */
const idle = () => until(async () => {
  globalThis.gc?.() // streams that were dropped end when they are collected
  return (await hazard.sluice.stats()).streams === 0
}, 'no live stream')

// ---- trouble

/** Signals for this process until stop(), which resolves to how many were sent. */
function flood (how, names) {
  const numbers = names.map(name => String(os.constants.signals[name]))
  const child = childProcess.spawn(program('flood'), [String(process.pid), how, ...numbers], { stdio: ['pipe', 'pipe', 'inherit'] })
  let sent = ''
  child.stdout.on('data', data => { sent += data })
  return {
    async stop () {
      child.stdin.end()
      await once(child, 'close')
      count('signals sent', Number(sent))
      return Number(sent)
    }
  }
}

/**
 * Children until stop(), up to four at a time. They are started by a timer: started when another ends, they keep libuv
 * from its other work, in plain Node as well.
 */
function storm () {
  let alive = 0
  const timer = setInterval(() => {
    if (alive >= 4) return
    alive++
    childProcess.spawn('/bin/true', { stdio: 'ignore' }).on('exit', code => {
      assert.equal(code, 0)
      alive--
      count('children')
    })
  }, 5)
  return {
    stop () {
      clearInterval(timer)
      return until(() => alive === 0, 'no child')
    }
  }
}

/** Runs a function of the tests in a worker, which ends by itself or is terminated. */
function worker (body, parameters, options) {
  return new Worker(main, { argv: [String(body), JSON.stringify(parameters ?? null)], ...options })
}

/** Runs a function of the tests in a forked process. */
function fork (body, parameters, options) {
  return childProcess.fork(main, [String(body), JSON.stringify(parameters ?? null)], options)
}

const hazard = {
  assert,
  counts,
  turn,
  sleep,
  until,
  within,
  count,
  report,
  sample,
  stored,
  digest,
  hashed,
  formats,
  pushed,
  source,
  work,
  fds,
  threads,
  baseline,
  idle,
  flood,
  storm,
  worker,
  fork,
  root,
  main,
  program,
  get sluice () { return require(root) }
}

module.exports = hazard
