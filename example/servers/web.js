'use strict'

// Runs a handler of Web Requests on node:http, in as few lines as it takes; @hono/node-server does the same.

const http = require('node:http')
const { Readable } = require('node:stream')
const { pipeline } = require('node:stream/promises')

function serve (handle) {
  return http.createServer(async (request, response) => {
    const controller = new AbortController()
    response.on('close', () => controller.abort()) // the client left, or has everything
    const { method, url, headers } = request
    const answer = await handle(new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers, signal: controller.signal }))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) response.end()
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => {}) // a body that fails cuts the response
  })
}

module.exports = { serve }
