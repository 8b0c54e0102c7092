'use strict'

// Express. PORT: where to listen, default 8080.

const express = require('express')
const { send } = require('sluice')
const { drawing, onError } = require('./drawing')

const app = express()

app.get('/', async (request, response) => {
  response.set('x-drawn-by', 'sluice') // kept
  const report = await send(request, response, drawing(request.url), { onError })
  if (report.error && !report.aborted) console.error(report.error)
})

const server = app.listen(process.env.PORT ?? 8080, () => console.log(`http://localhost:${server.address().port}/`))
