'use strict'

// Fastify. PORT: where to listen, default 8080.

const fastify = require('fastify')
const { send } = require('sluice')
const { drawing, onError } = require('./drawing')

const app = fastify()

app.get('/', async (request, reply) => {
  reply.hijack() // from here on the response is ours; what was set on reply before must be passed as headers
  const report = await send(request.raw, reply.raw, drawing(request.url), { headers: { ...reply.getHeaders(), 'x-drawn-by': 'sluice' }, onError })
  if (report.error && !report.aborted) request.log.error(report.error)
})

app.listen({ port: Number(process.env.PORT ?? 8080) }).then(address => console.log(`${address}/`))
