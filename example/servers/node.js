'use strict'

// node:http. PORT: where to listen, default 8080.

const http = require('node:http')
const { send } = require('sluice')
const { drawing, onError } = require('./drawing')

const server = http.createServer(async (request, response) => {
  const report = await send(request, response, drawing(request.url), { strategy: 'speed', onError })
  if (report.error && !report.aborted) console.error(report.error)
})

server.listen(process.env.PORT ?? 8080, () => console.log(`http://localhost:${server.address().port}/`))
