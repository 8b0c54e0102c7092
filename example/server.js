'use strict'

// A small map server: renders with node-mapnik, answers while sluice is still encoding.
//   PORT   where to listen, default 8080; 0: any free port
//   HOST   default 127.0.0.1

const http = require('node:http')
const { encodeChunked, stats } = require('sluice')
const map = require('./map')
const wms = require('./wms')
const { capabilities } = require('./capabilities')
const { Reports } = require('./reports')
const { servePage } = require('./page')

const chunkSize = 16384 // bytes
const reports = new Reports(50)

async function serveWms (request, response, url, pool) {
  const params = wms.parameters(url.searchParams)
  const version = wms.version(params)
  try {
    if (wms.operation(params) === 'getmap') {
      await serveMap(request, response, wms.getMap(params), version, pool)
    } else {
      const type = version === '1.3.0' ? 'text/xml' : 'application/vnd.ogc.wms_xml'
      const base = `http://${request.headers.host ?? 'localhost'}${url.pathname}?`
      respond(response, 200, type, capabilities(base, version))
    }
  } catch (err) {
    fail(response, err, version)
  }
}

async function serveMap (request, response, query, version, pool) {
  if (request.method === 'HEAD') return respond(response, 200, 'image/png')

  const start = performance.now()
  const pixels = await map.render(pool, query)
  if (hasLeft(response)) return // while the map was drawn

  // The callback gets the PNG piece by piece, the first pieces while the last rows are still to be encoded.
  const job = encodeChunked(pixels, { format: 'png', chunkSize }, (err, chunk, last) => {
    if (err) return fail(response, err, version)
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'image/png' })
    response.write(chunk)
    if (last) response.end()
  })
  // A client that reads slowly slows the encoder down; one that leaves ends it.
  job.follow(response)

  const { width, height } = query
  reports.add({ width, height, renderMs: performance.now() - start }, job.done)
}

// Before the first chunk an error can still be told; after it, a broken answer must not look like a whole one.
function fail (response, err, version) {
  if (response.headersSent || hasLeft(response)) return response.destroy(err)
  const { status, type, body } = wms.exception(err, version)
  if (status >= 500) console.error(err)
  respond(response, status, type, body)
}

// Whether the client is gone. Responses of HTTP/2 do not say so, their streams do.
const hasLeft = (response) => response.destroyed ?? response.stream.destroyed

function respond (response, status, type, body) {
  response.writeHead(status, { 'content-type': type })
  response.end(body)
}

const json = (response, value) => respond(response, 200, 'application/json', JSON.stringify(value))

async function handle (request, response, pool) {
  const url = new URL(request.url, 'http://localhost')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return respond(response, 405, 'text/plain', 'Only GET and HEAD\n')
  }
  if (url.pathname === '/wms') return serveWms(request, response, url, pool)
  if (url.pathname === '/reports.json') return json(response, reports.list())
  if (url.pathname === '/stats') return json(response, { ...await stats(), rss: process.memoryUsage().rss })
  return servePage(response, url.pathname)
}

// The number in PORT.
function portOf (text = '8080') {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  console.error(`Expected PORT to be a number from 0 to 65535, got "${text}"`)
  process.exit(1)
}

async function main () {
  const port = portOf(process.env.PORT)
  const pool = await map.load()
  const server = http.createServer((request, response) => {
    handle(request, response, pool).catch((err) => response.destroy(err))
  })
  server.on('error', (err) => {
    console.error(err.code === 'EADDRINUSE' ? `Port ${err.port} is taken: choose another with PORT=...` : err.message)
    process.exit(1)
  })
  server.listen(port, process.env.HOST ?? '127.0.0.1', () => {
    const { address, port } = server.address()
    console.log(`Map server at http://${address.includes(':') ? `[${address}]` : address}:${port}/`)
  })

  // Answers that are under way are finished; connections that wait for a next request are closed.
  const stop = () => {
    server.close()
    setInterval(() => server.closeIdleConnections(), 100).unref()
    setTimeout(() => server.closeAllConnections(), 10000).unref()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop)
}

main()
