'use strict'

// Koa. PORT: where to listen, default 8080.

const Koa = require('koa')
const { send } = require('sluice')
const { drawing, onError } = require('./drawing')

const app = new Koa()

app.use(async context => {
  context.respond = false // Koa leaves the response alone
  context.set('x-drawn-by', 'sluice') // kept
  const report = await send(context.req, context.res, drawing(context.url), { onError })
  if (report.error && !report.aborted) console.error(report.error)
})

const server = app.listen(process.env.PORT ?? 8080, () => console.log(`http://localhost:${server.address().port}/`))
