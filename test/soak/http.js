'use strict'

// send() for very many requests: by every strategy, whole, failing and left, over HTTP/1.1 and HTTP/2. Memory and listeners
// must not grow. Arguments: number of requests (100000).

const assert = require('node:assert/strict')
const http = require('node:http')
const http2 = require('node:http2')
const { getEventListeners, once } = require('node:events')
const { bytes, send, stats } = require('sluice')

const REQUESTS = Number(process.argv[2] ?? 100_000)
const AT_ONCE = 8
const row = Buffer.from('0123456789'.repeat(100))
const { signal } = new AbortController()
const strategies = ['partial', 'speed', 'buffer', 'file']
const listeners = new Set()
let settled = 0

function handler (request, response) {
  const i = Number(request.url.slice(1))
  const source = bytes({ type: 'text/plain' })
  for (let n = 0; n < (i % 7 === 0 ? 100 : 3); n++) source.write(row)
  if (i % 5 === 0) source.fail(new Error('gone'))
  else source.end()
  const { socket } = request
  if (settled > 1000 && request.httpVersion === '1.1') listeners.add(['close', 'drain', 'error', 'end', 'timeout'].map(event => socket.listenerCount(event)).join())
  send(request, response, source, { strategy: strategies[i % 4], signal }).then(() => { settled++ })
}

async function get1 (port, agent, i) {
  await new Promise(resolve => {
    const request = http.get({ port, agent, path: `/${i}`, host: '127.0.0.1' }, response => {
      if (i % 11 === 0) request.destroy()
      response.on('error', () => {}).on('close', resolve).resume()
    })
    request.on('error', resolve)
  })
}

/** Sessions to a server, one after the other: Node ends one whose client has reset streams too often (a rapid reset, to it). */
class Sessions {
  count = 0
  #session
  #port

  constructor (port) { this.#port = port }

  get open () {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = http2.connect(`http://127.0.0.1:${this.#port}`).on('error', () => {})
      this.count++
    }
    return this.#session
  }
}

async function get2 (sessions, i) {
  const stream = sessions.open.request({ ':path': `/${i}` }).on('error', () => {}).resume()
  if (i % 11 === 0) stream.close(http2.constants.NGHTTP2_CANCEL)
  await new Promise(resolve => stream.on('close', resolve))
}

/** Bytes, of which there is no more to collect. */
async function memory () {
  for (let i = 0; i < 4; i++) {
    global.gc()
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return process.memoryUsage()
}

async function main () {
  process.on('warning', warning => { throw warning })
  const server1 = http.createServer(handler).listen(0, '127.0.0.1')
  const server2 = http2.createServer(handler).listen(0, '127.0.0.1')
  await Promise.all([once(server1, 'listening'), once(server2, 'listening')])
  const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const sessions = new Sessions(server2.address().port)
  let next = 0
  const run = async (until) => {
    const client = async () => {
      while (next < until) {
        const i = next++
        await (i % 2 === 0 ? get1(server1.address().port, agent, i) : get2(sessions, i))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
  }
  await run(REQUESTS / 5)
  const before = await memory()
  await run(REQUESTS)
  while ((await stats()).streams > 0) await new Promise(resolve => setTimeout(resolve, 10))
  const after = await memory()
  const grown = name => (after[name] - before[name]) / 1e6
  console.log(`${REQUESTS} requests, ${settled} reports, ${sessions.count} HTTP/2 sessions; grown since the first fifth: heap ${grown('heapUsed').toFixed(1)} MB, external ${grown('external').toFixed(1)} MB, all ${grown('rss').toFixed(1)} MB`)
  assert.ok(settled >= REQUESTS * 0.95 && settled <= REQUESTS, 'every request that arrived was reported')
  assert.ok(grown('heapUsed') < 8, 'the heap does not grow')
  assert.ok(grown('external') < 8, 'nor do Buffers')
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  assert.ok(listeners.size < 5, `listeners of sockets: ${[...listeners].join(' ')}`)
  sessions.open.close()
  agent.destroy()
  server1.close()
  server2.close()
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
