'use strict'

// Hono, as for every server whose handlers return a Response: Bun, Deno, workers. PORT: where to listen, default 8080.

const { Hono } = require('hono')
const { respond } = require('sluice')
const { drawing, onError } = require('./drawing')
const { serve } = require('./web')

const app = new Hono()

app.get('/', context => respond(context.req.raw, drawing(context.req.url), {
  headers: { 'x-drawn-by': 'sluice' },
  onError,
  onReport: report => { if (report.error && !report.aborted) console.error(report.error) }
}))

const server = serve(app.fetch).listen(process.env.PORT ?? 8080, () => console.log(`http://localhost:${server.address().port}/`))
