'use strict'

// Clients that leave or do not read, signals, and what must not grow.

const assert = require('node:assert/strict')
const http = require('node:http')
const http2 = require('node:http2')
const { once, getEventListeners } = require('node:events')
const fs = require('node:fs')
const { test } = require('node:test')

const { bytes, image, send, stats } = require('../..')
const { get1, listen, protocols } = require('./support/http')
const { noise, pixels } = require('./support/images')
const { idle, quiet, turn, until } = require('./support/wait')

const stored = { level: 'stored', reduce: false }
const huge = pixels(2000, 1500) // 12 MB: more than the sockets on the way hold
const small = pixels(20, 20)

/** How many temporary files are open. */
function spilled () {
  const targets = fs.readdirSync('/proc/self/fd').map(fd => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return '' // closed meanwhile
    }
  })
  return targets.filter(target => target.includes('/sluice-')).length
}

/** Clients that read the first bytes, and then nothing; leave() ends them. */
const stalled = {
  async 'HTTP/1.1' (t, handler) {
    const port = await listen(t, http.createServer(handler))
    const request = http.get({ port, host: '127.0.0.1', agent: false })
    request.on('error', () => {})
    const [response] = await once(request, 'response')
    response.on('error', () => {})
    await once(response, 'readable')
    response.read(1)
    return { response, leave: () => request.destroy() }
  },
  async 'HTTP/2' (t, handler) {
    const port = await listen(t, http2.createServer(handler))
    const session = http2.connect(`http://127.0.0.1:${port}`)
    const stream = session.request({ ':path': '/' })
    stream.on('error', () => {})
    t.after(() => session.close())
    await once(stream, 'readable')
    stream.read(1)
    return { response: stream, leave: () => stream.close(http2.constants.NGHTTP2_CANCEL) }
  }
}

for (const [protocol, connect] of Object.entries(stalled)) {
  test(`${protocol}: a client that leaves while it is waited for ends the encode (nodejs/node#8775, angular/angular-cli#33721)`, async t => {
    let outcome
    const { leave } = await connect(t, (req, res) => { outcome = send(req, res, huge, { ...stored, strategy: 'speed' }) })
    await until(async () => (await stats()).parked === 1)
    leave()
    const { committed, aborted, status, error, bytes } = await outcome
    assert.deepEqual([committed, aborted, status, error.name], [true, true, 200, 'AbortError'])
    assert.ok(bytes < 12e6)
    await idle()
  })

  test(`${protocol}: a client that does not read holds little, and gets all when it does`, async t => {
    let outcome
    const { response } = await connect(t, (req, res) => { outcome = send(req, res, huge, stored) })
    await until(async () => (await stats()).parked === 1)
    await quiet()
    assert.ok((await stats()).slabs <= 8)
    let length = 1
    response.on('data', chunk => { length += chunk.length })
    const { bytes, aborted } = await outcome
    await until(() => length === bytes)
    assert.equal(aborted, false)
  })

  test(`${protocol}: a client that leaves ends what is pushed`, async t => {
    const source = bytes()
    let outcome
    const block = noise(100_000)
    const writes = [source.write(block)]
    const { leave } = await connect(t, (req, res) => { outcome = send(req, res, source, { strategy: 'speed' }) })
    for (let i = 0; i < 200; i++) writes.push(source.write(block))
    await quiet()
    leave()
    assert.equal((await outcome).aborted, true)
    const results = await Promise.allSettled(writes)
    assert.equal(results.at(-1).reason.name, 'AbortError')
    await assert.rejects(source.write(block), { code: 'ABORT_ERR' })
    source.end()
    source.fail()
    await idle()
  })

  test(`${protocol}: a client that leaves while a stored file is sent`, async t => {
    let outcome
    const { leave } = await connect(t, (req, res) => { outcome = send(req, res, huge, { ...stored, strategy: 'file' }) })
    assert.equal(spilled(), 1)
    leave()
    const { aborted, committed } = await outcome
    assert.deepEqual([aborted, committed], [true, true])
    await until(() => spilled() === 0)
  })
}

for (const [protocol, create] of [['HTTP/1.1', http.createServer], ['HTTP/2', http2.createServer]]) {
  test(`${protocol}: a client that leaves before the commit, or before the call`, async t => {
    for (const late of [false, true]) {
      const source = image({ width: 100, height: 100 })
      const server = create()
      const port = await listen(t, server)
      const request = protocol === 'HTTP/1.1' ? http.get({ port, host: '127.0.0.1', agent: false }) : http2.connect(`http://127.0.0.1:${port}`).on('error', () => {}).request({ ':path': '/' })
      request.on('error', () => {})
      const [req, res] = await once(server, 'request')
      let outcome = late ? null : send(req, res, source)
      if (!late) await quiet()
      request.destroy()
      await once(res, 'close')
      outcome ??= send(req, res, source)
      const { committed, aborted, status, error } = await outcome
      assert.deepEqual([committed, aborted, status, error.name], [false, true, undefined, 'AbortError'])
      await assert.rejects(source.write(Buffer.alloc(400)), { name: 'AbortError' })
      assert.deepEqual(['drain', 'finish', 'close', 'error'].map(event => res.listenerCount(event)).filter(n => n > 1), [])
    }
    await idle()
  })
}

// ---- signals

test('a signal before the commit: a document; after it: a cut; it is let go', async t => {
  for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
    let controller
    let source
    let outcome
    const get = await protocols[protocol](t, (req, res) => {
      controller = new AbortController()
      source = bytes()
      if (req.url === '/aborted') controller.abort('early')
      outcome = send(req, res, source, { signal: controller.signal, strategy: 'speed', onError: error => ({ status: 504, body: String(error.cause) }) })
    })
    const early = get('/early')
    await until(() => controller)
    await quiet()
    controller.abort('slow')
    assert.deepEqual([(await early).status, (await early).body.toString()], [504, 'slow'])
    assert.deepEqual([(await outcome).aborted, (await outcome).committed], [true, false])

    assert.equal((await get('/aborted')).body.toString(), 'early')

    controller = null
    const late = get('/late')
    await until(() => controller)
    await source.write('first')
    await quiet()
    controller.abort()
    assert.equal((await late).complete, false)
    assert.deepEqual([(await outcome).aborted, (await outcome).committed], [true, true])

    controller = null
    const whole = get('/whole')
    await until(() => controller)
    source.end('')
    assert.equal((await whole).complete, true)
    await outcome
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  }
  await idle()
})

test('a signal cuts an answer whose encode is over, but which the client has not got', async t => {
  const controller = new AbortController()
  let outcome
  const { response } = await stalled['HTTP/1.1'](t, (req, res) => { outcome = send(req, res, huge, { ...stored, strategy: 'buffer', signal: controller.signal }) })
  await idle()
  controller.abort()
  const { aborted, committed } = await outcome
  assert.deepEqual([aborted, committed], [true, true])
  response.resume()
  await new Promise(resolve => response.on('close', resolve))
  assert.equal(response.complete, false)
})

// ---- the disk

test('a file that cannot be written is an early failure', async t => {
  t.after(() => { delete process.env.TMPDIR })
  let outcome
  const port = await listen(t, http.createServer((req, res) => { outcome = send(req, res, huge, { ...stored, strategy: 'file' }) }))
  process.env.TMPDIR = '/nowhere'
  const { status } = await get1(http, port, '/')
  assert.equal(status, 500)
  assert.equal((await outcome).error.code, 'ENOENT')
  await idle()
})

// ---- what must not grow

test('thousands of requests on one connection leave no listener behind', async t => {
  const warnings = []
  const onWarning = warning => warnings.push(warning)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  const { signal } = new AbortController()
  let reports = 0
  const counts = new Set()
  const handler = (req, res) => {
    const options = [{}, { strategy: 'speed' }, { strategy: 'buffer' }, { strategy: 'file' }, { format: 'nope' }][Number(req.url.slice(1))]
    const { socket } = req
    if (reports > 100) counts.add(['close', 'drain', 'error', 'end', 'timeout'].map(event => socket.listenerCount(event)).join())
    send(req, res, small, { ...options, signal }).then(() => { reports++ })
  }
  const port = await listen(t, http.createServer(handler))
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  for (let i = 0; i < 2000; i++) await get1(http, port, `/${i % 5}`, { agent })
  await until(() => reports === 2000)
  assert.equal(counts.size, 1, [...counts].join(' and '))
  assert.equal(getEventListeners(signal, 'abort').length, 0)

  reports = 0
  const session = http2.connect(`http://127.0.0.1:${await listen(t, http2.createServer(handler))}`)
  for (let i = 0; i < 1000; i++) await once(session.request({ ':path': `/${i % 5}` }).resume(), 'close')
  session.close()
  await until(() => reports === 1000)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  await turn()
  assert.deepEqual(warnings, [])
  await idle()
})
