'use strict'

// Servers of every protocol, and clients that say what they saw: {status, headers, body, complete, failure}.

const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const net = require('node:net')
const { once } = require('node:events')

const { certificate } = require('./certificate')

const tls = { ...certificate(), rejectUnauthorized: false }

/** Starts a server and returns its port; it is closed, with all its connections, after the test t. */
async function listen (t, server) {
  const sockets = new Set()
  server.on('connection', socket => sockets.add(socket.on('close', () => sockets.delete(socket))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return server.address().port
}

/** What an IncomingMessage brings. */
async function read (response) {
  const chunks = []
  let failure = null
  response.on('data', chunk => chunks.push(chunk))
  response.on('error', error => { failure = error.code })
  await new Promise(resolve => response.on('close', resolve))
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks), complete: response.complete && failure === null, failure }
}

function get1 (module, port, path, options = {}) {
  return new Promise((resolve, reject) => {
    const request = module.request({ host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false, ...options })
    request.on('response', response => resolve(read(response)))
    request.on('error', reject)
    request.end()
  })
}

async function get2 (scheme, port, path, { method = 'GET', headers = {} } = {}) {
  const session = http2.connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false })
  const stream = session.request({ ':path': path, ':method': method, ...headers })
  const chunks = []
  let answer = {}
  let failure = null
  stream.on('response', fields => { answer = fields })
  stream.on('data', chunk => chunks.push(chunk))
  stream.on('error', error => { failure = error.code })
  await new Promise(resolve => stream.on('close', resolve))
  session.close()
  const { ':status': status, ...fields } = answer
  return { status, headers: fields, body: Buffer.concat(chunks), complete: stream.rstCode === 0 && failure === null, failure }
}

async function getFetch (port, path, options = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, options)
  const chunks = []
  let failure = null
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch (error) {
    failure = error.message
  }
  return { status: response.status, headers: Object.fromEntries(response.headers), body: Buffer.concat(chunks), complete: failure === null, failure }
}

/** All bytes of one exchange. */
async function raw (port, text) {
  const socket = net.connect(port, '127.0.0.1')
  const chunks = []
  socket.on('data', chunk => chunks.push(chunk))
  socket.on('error', () => {})
  socket.write(text)
  await new Promise(resolve => socket.on('close', resolve))
  return Buffer.concat(chunks)
}

/** HTTP/1.0 says when a body ends by Content-Length or not at all. */
async function get10 (port, path, { method = 'GET', headers = {} } = {}) {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const bytes = await raw(port, `${method} ${path} HTTP/1.0\r\n${fields}\r\n`)
  const end = bytes.indexOf('\r\n\r\n')
  const [first, ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const answer = Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
  const body = bytes.subarray(end + 4)
  return { status: Number(first.split(' ')[1]), headers: answer, body, complete: answer['content-length'] === String(body.length), failure: null }
}

/** Each starts a server for handler and resolves to get(path, options). */
const protocols = {
  'HTTP/1.1': async (t, handler) => get1.bind(null, http, await listen(t, http.createServer(handler))),
  'HTTP/1.1 over TLS': async (t, handler) => get1.bind(null, https, await listen(t, https.createServer(tls, handler))),
  'HTTP/2': async (t, handler) => get2.bind(null, 'http', await listen(t, http2.createServer(handler))),
  'HTTP/2 over TLS': async (t, handler) => get2.bind(null, 'https', await listen(t, http2.createSecureServer(tls, handler))),
  fetch: async (t, handler) => getFetch.bind(null, await listen(t, http.createServer(handler))),
  'HTTP/1.0': async (t, handler) => get10.bind(null, await listen(t, http.createServer(handler)))
}

module.exports = { get1, get2, getFetch, listen, protocols, raw, tls }
