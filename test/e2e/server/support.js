'use strict'

// The example server as tests start it, and what they ask of it.

const assert = require('node:assert/strict')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { createInterface } = require('node:readline')
const { before, after } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { XMLParser, XMLValidator } = require('fast-xml-parser')
const { root } = require('../tools')

// Starts a program of example/ -> {child, base, log: entries of the access log, stop}. base has no slash at its end.
async function startServer ({ program = 'server.js', env = {} } = {}) {
  const child = spawn(process.execPath, [path.join(root, 'example', program)], { env: { ...process.env, PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const log = []
  const lines = createInterface(child.stdout)
  const address = new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('{')) return log.push(JSON.parse(line))
      const [, base] = /^Map server at (http:\S+)\/$/.exec(line) ?? []
      if (base) resolve(base)
    })
    child.once('exit', () => reject(new Error('the server ended before it listened')))
  })
  const base = await address
  const exited = once(child, 'exit')
  return {
    child,
    base,
    log,
    exited,
    async stop (signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    }
  }
}

// The same for all tests of a file: an object that has it once they run.
function sharedServer (options) {
  const server = {}
  before(async () => Object.assign(server, await startServer(options)))
  after(() => server.child?.kill('SIGKILL'))
  return server
}

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', removeNSPrefix: true, parseTagValue: false, parseAttributeValue: false })

// A document as an object; '@name' are attributes, '#text' text. Fails unless it is well-formed.
function parseXml (text) {
  const result = XMLValidator.validate(text)
  assert.ok(result === true, `${JSON.stringify(result)}\n${text.slice(0, 2000)}`)
  return parser.parse(text)
}

const list = (value) => value === undefined ? [] : Array.isArray(value) ? value : [value]

// The address of a service with parameters; undefined leaves one out.
function address (base, params) {
  return `${base}?${new URLSearchParams(Object.entries(params).filter(([, value]) => value !== undefined))}`
}

async function get (url, options) {
  const answer = await fetch(url, options)
  const body = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, type: answer.headers.get('content-type'), body, text: body.toString() }
}

async function waitFor (what, condition, tries = 400) {
  for (let i = 0; i < tries; i++) {
    if (await condition()) return
    await sleep(25)
  }
  assert.fail(`${what}: not within ${tries / 40} s`)
}

// The content codings of this build.
const codings = (require(path.join(root, 'js/binding')).info.codings ?? []).filter((name) => name !== 'identity')

module.exports = { codings, startServer, sharedServer, parseXml, list, address, get, waitFor }
