'use strict'

// From a request to who answers it.

const { stats } = require('sluice')
const { Exchange } = require('./exchange')
const { Events } = require('./events')
const { Renderer } = require('./render/renderer')
const { findFormats } = require('./wms/formats')
const { serveWms } = require('./wms')
const { serveWfs } = require('./wfs')
const { serveTile } = require('./tiles')
const { servePage } = require('./page')
const metrics = require('./metrics')

// The server of a store: {listener, events}, a listener for 'request' of node:http or node:http2.
// log: called with an entry for each answer; publicUrl: what clients call this server, if the Host header is not to tell;
// metricsText: all workers' metrics, if there are several.
async function createApp ({ store, reports, log, publicUrl, metricsText = metrics.metrics, isDraining = () => false }) {
  await findFormats()
  const events = new Events(reports)
  const services = { store, renderer: new Renderer((table) => store.source(table)), events, metricsText, isDraining }
  reports.on('report', log)
  reports.on('report', metrics.count)

  const listener = (request, response) => {
    let exchange
    try {
      exchange = new Exchange(request, response, { reports, base: publicUrl ?? baseOf(request) })
    } catch {
      return response.writeHead(400, { 'content-type': 'text/plain' }).end('Bad request\n')
    }
    response.setHeader('access-control-allow-origin', '*')
    route(exchange, services).catch((err) => {
      console.error(err)
      response.destroy(err)
    })
  }
  return { listener, events }
}

async function route (exchange, services) {
  const { request, response, url } = exchange
  const { pathname } = url
  if (request.method === 'OPTIONS') return preflight(response)
  response.setHeader('access-control-expose-headers', 'ETag, Content-Encoding, Retry-After')
  if (pathname === '/wms') return serveWms(exchange, services)
  if (pathname === '/wfs') return serveWfs(exchange, services)
  try {
    exchange.onlyRead()
  } catch (err) {
    return exchange.document(exchange.plainError(err))
  }
  if (pathname.startsWith('/tiles/')) return serveTile(exchange, services)
  if (pathname === '/health') return health(exchange, services)
  if (pathname === '/metrics') return fresh(exchange, metrics.contentType, await services.metricsText())
  if (pathname === '/stats') return fresh(exchange, 'application/json', JSON.stringify({ ...await stats(), rss: process.memoryUsage().rss, pid: process.pid }))
  if (pathname === '/reports.json') return fresh(exchange, 'application/json', JSON.stringify(services.events.latest()))
  if (pathname === '/events') return services.events.serve(exchange)
  if (await servePage(exchange)) return
  return exchange.document({ status: 404, type: 'text/plain', body: 'Not found\n' })
}

const fresh = (exchange, type, body) => exchange.document({ type, body, headers: { 'cache-control': 'no-store' } })

// For browsers of other origins: every request here is a simple one, but for headers that they add.
function preflight (response) {
  response.writeHead(204, { 'access-control-allow-methods': 'GET, HEAD', 'access-control-allow-headers': '*', 'access-control-max-age': '86400' }).end()
}

// For load balancers: 503 while this process drains, or without its data.
async function health (exchange, { store, isDraining }) {
  let problem = isDraining() ? 'draining' : undefined
  try {
    await store.check()
  } catch (err) {
    console.error(err)
    problem = 'no data'
  }
  return exchange.document({
    status: problem ? 503 : 200,
    type: 'application/json',
    body: JSON.stringify({ status: problem ?? 'ok', store: store.kind, pid: process.pid }),
    headers: { 'cache-control': 'no-store' }
  })
}

// The address that the client used. nginx passes Host and X-Forwarded-Proto on; only what can stand in a URL is believed.
function baseOf ({ headers, socket }) {
  const host = headers[':authority'] ?? headers.host ?? ''
  const name = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(host) ? host : 'localhost'
  const scheme = /^https?$/.test(headers['x-forwarded-proto'] ?? '') ? headers['x-forwarded-proto'] : socket.encrypted ? 'https' : 'http'
  return `${scheme}://${name}`
}

module.exports = { createApp }
