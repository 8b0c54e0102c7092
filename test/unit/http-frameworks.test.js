'use strict'

// send() and respond() inside the real frameworks, and the examples as their users run them.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { createInterface } = require('node:readline')
const { test } = require('node:test')

const express = require('express')
const fastify = require('fastify')
const { Hono } = require('hono')
const Koa = require('koa')

const { encode, image, respond, send } = require('../..')
const { serve } = require('../../example/servers/web')
const { get1, listen } = require('./support/http')
const { decode, pixels, strips } = require('./support/images')
const { idle, quiet } = require('./support/wait')

const stored = { level: 'stored', reduce: false }
const large = pixels(600, 400)
const onError = error => ({ status: 503, headers: { 'content-type': 'text/xml' }, body: `<e>${error.message}</e>` })

/** /whole, /early and /late: an output, and two that fail. */
function source (url) {
  if (url.endsWith('/whole')) return large
  const pushed = image({ width: 600, height: 400 })
  const push = async () => {
    for (const strip of [...strips(large, 40)].slice(0, url.endsWith('/early') ? 0 : 9)) await pushed.write(strip)
    await quiet()
    pushed.fail(new Error('gone'))
  }
  push().catch(() => {})
  return pushed
}

const options = { ...stored, headers: { 'x-map': 'yes' }, onError }

const frameworks = {
  async Express () {
    const app = express()
    app.use((req, res) => { res.vary('Origin'); return send(req, res, source(req.path), options) })
    return http.createServer(app)
  },
  async Fastify () {
    const app = fastify()
    app.get('/*', async (request, reply) => {
      reply.hijack()
      reply.raw.setHeader('vary', 'Origin')
      await send(request.raw, reply.raw, source(request.url), options)
    })
    await app.ready()
    return app.server
  },
  async Koa () {
    const app = new Koa()
    app.use(async context => {
      context.respond = false
      context.vary('Origin')
      await send(context.req, context.res, source(context.path), options)
    })
    return http.createServer(app.callback())
  },
  async Hono () {
    const app = new Hono()
    app.get('/*', context => respond(context.req.raw, source(context.req.path), { ...options, headers: { ...options.headers, vary: 'Origin' } }))
    return serve(app.fetch)
  }
}

for (const [name, create] of Object.entries(frameworks)) {
  test(`${name}: whole, early and late failure, HEAD, a client that leaves (koajs/koa#1889)`, { timeout: 60_000 }, async t => {
    const port = await listen(t, await create())
    const whole = await get1(http, port, '/whole')
    assert.deepEqual([whole.status, whole.complete, whole.headers['x-map'], whole.headers['content-type']], [200, true, 'yes', 'image/png'])
    assert.equal(whole.headers.vary, 'Origin, Accept-Encoding')
    assert.ok(whole.body.equals(await encode(large, stored)))

    const early = await get1(http, port, '/early')
    assert.deepEqual([early.status, early.headers['content-type'], early.body.toString(), early.complete], [503, 'text/xml', '<e>gone</e>', true])

    const late = await get1(http, port, '/late')
    assert.deepEqual([late.status, late.complete, late.failure], [200, false, 'ECONNRESET'])

    const head = await get1(http, port, '/whole', { method: 'HEAD' })
    assert.deepEqual([head.status, head.body.length, head.headers['x-map'], head.headers['content-type']], [200, 0, 'yes', 'image/png'])

    const request = http.get({ port, host: '127.0.0.1', path: '/whole', agent: false })
    request.on('error', () => {})
    await once(request, 'response')
    request.destroy()
    await idle()
  })
}

test('Express: a bug of the caller\'s reaches its error handler', async t => {
  const app = express()
  app.get('/', (req, res) => send(req, res, 'nothing'))
  app.use((error, req, res, _next) => res.status(500).send(error.code))
  const answer = await get1(http, await listen(t, http.createServer(app)), '/')
  assert.deepEqual([answer.status, answer.body.toString()], [500, 'ERR_SLUICE_ARGUMENT'])
})

// ---- the examples

const folder = path.join(__dirname, '../../example/servers')
const examples = ['node.js', 'express.js', 'fastify.js', 'koa.js', 'hono.js']

test('every example is tried', () => {
  assert.deepEqual(fs.readdirSync(folder).sort(), [...examples, 'drawing.js', 'web.js'].sort())
})

for (const example of examples) {
  test(`example/servers/${example}`, async t => {
    const server = spawn(process.execPath, [path.join(folder, example)], { env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => server.kill('SIGKILL'))
    const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), once(server, 'exit')])
    const base = String(line).replace('127.0.0.1', 'localhost')
    const answer = await fetch(`${base}?width=300&height=200`)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/png'])
    assert.equal(answer.headers.get('x-drawn-by'), example === 'node.js' ? null : 'sluice')
    const { width, height } = decode(Buffer.from(await answer.arrayBuffer()))
    assert.deepEqual([width, height], [300, 200])
    const bad = await fetch(`${base}?width=0`)
    assert.deepEqual([bad.status, await bad.json()], [400, { code: 'ERR_SLUICE_LIMIT' }])
  })
}
