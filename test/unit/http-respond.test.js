'use strict'

const assert = require('node:assert/strict')
const { getEventListeners } = require('node:events')
const { test } = require('node:test')

const { bytes, encode, image, respond, stats } = require('../..')
const { pixels } = require('./support/images')
const { idle, quiet, until } = require('./support/wait')

const stored = { level: 'stored', reduce: false }
const small = pixels(20, 20)
const large = pixels(600, 400)
const request = (options) => new Request('http://localhost/map', options)
const body = async response => Buffer.from(await response.arrayBuffer())

test('every strategy sends all of an output', async () => {
  for (const pixels of [small, large]) {
    const whole = await encode(pixels, stored)
    for (const strategy of ['partial', 'speed', 'buffer', 'file']) {
      let report
      const response = await respond(request(), pixels, { ...stored, strategy, onReport: value => { report = value } })
      assert.ok(response instanceof Response)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'image/png')
      assert.equal(response.headers.get('vary'), 'Accept-Encoding')
      const known = pixels === small || strategy === 'buffer' || strategy === 'file'
      assert.equal(response.headers.get('content-length'), known ? String(whole.length) : null)
      assert.ok((await body(response)).equals(whole))
      await until(() => report)
      assert.deepEqual([report.bytes, report.committed, report.aborted, report.status, report.strategy, report.error], [whole.length, true, false, 200, strategy, undefined])
    }
  }
})

test('it settles at the commit, not before', async () => {
  const source = bytes()
  let settled = false
  const promise = respond(request(), source, { partialSize: 1000 }).then(response => { settled = true; return response })
  await source.write(Buffer.alloc(900))
  await quiet()
  assert.equal(settled, false)
  await source.write(Buffer.alloc(900))
  const response = await promise
  source.end()
  assert.equal((await body(response)).length, 1800)
})

test('an early failure is a document', async () => {
  const source = image({ width: 10, height: 10 })
  const promise = respond(request(), source, { onError: async error => ({ status: 503, headers: { 'content-type': 'text/xml' }, body: `<e>${error.message}</e>` }) })
  source.fail(new Error('gone'))
  const response = await promise
  assert.deepEqual([response.status, response.headers.get('content-type'), await response.text()], [503, 'text/xml', '<e>gone</e>'])
})

test('a late failure is one of the body, and never looks complete (oven-sh/bun#36477)', async () => {
  const source = bytes()
  const promise = respond(request(), source, { strategy: 'speed' })
  await source.write('chunk-a')
  const response = await promise
  const reader = response.body.getReader()
  assert.equal(Buffer.from((await reader.read()).value).toString(), 'chunk-a')
  const error = new Error('producer failed')
  source.fail(error)
  await assert.rejects(reader.read(), error)
  await idle()
})

test('a late failure beside chunks that nobody read', async () => {
  const source = bytes()
  const promise = respond(request(), source, { strategy: 'speed' })
  await source.write('chunk-a')
  const response = await promise
  source.fail(new Error('producer failed'))
  await quiet()
  await assert.rejects(response.arrayBuffer(), { message: 'producer failed' })
})

test('cancelling the body ends the encode', async () => {
  let report
  const response = await respond(request(), pixels(2000, 1500), { ...stored, onReport: value => { report = value } })
  await until(async () => (await stats()).parked === 1)
  assert.ok((await stats()).slabs <= 8)
  await response.body.cancel('enough')
  await until(() => report)
  assert.deepEqual([report.aborted, report.committed, report.error.cause], [true, true, 'enough'])
  await idle()
})

test('the request\'s signal ends the encode, before the commit and after it', async () => {
  for (const late of [false, true]) {
    const controller = new AbortController()
    const source = bytes()
    let report
    const asked = request({ signal: controller.signal })
    const promise = respond(asked, source, { strategy: 'speed', onReport: value => { report = value } })
    if (late) await source.write('first')
    const response = late ? await promise : null
    await quiet()
    controller.abort(new Error('left'))
    if (late) await assert.rejects(response.text())
    else assert.equal((await promise).status, 499)
    await until(() => report)
    assert.deepEqual([report.aborted, report.committed], [true, late])
    await assert.rejects(source.write('more'), { code: 'ABORT_ERR' })
    await until(() => getEventListeners(asked.signal, 'abort').length === 0)
  }
  const gone = request({ signal: AbortSignal.abort() })
  assert.equal((await respond(gone, large, stored)).status, 499)
  await idle()
})

test('the option signal is an early failure or a late one', async () => {
  const controller = new AbortController()
  const source = bytes()
  const promise = respond(request(), source, { signal: controller.signal, onError: error => ({ status: 504, body: error.name }) })
  await quiet()
  controller.abort()
  const response = await promise
  assert.deepEqual([response.status, await response.text()], [504, 'AbortError'])
})

test('HEAD and statuses without content', async () => {
  for (const [options, status] of [[{ method: 'HEAD' }, 200], [{}, 204], [{}, 304]]) {
    const source = bytes({ type: 'text/csv' })
    const response = await respond(request(options), source, { status, headers: { etag: '"1"' } })
    assert.deepEqual([response.status, response.body, response.headers.get('etag'), response.headers.get('content-type')], [status, null, '"1"', status === 200 ? 'text/csv' : null])
    await assert.rejects(source.write('x'), { name: 'AbortError' })
  }
  const bad = await respond(request({ method: 'HEAD' }), small, { format: 'nope' })
  assert.deepEqual([bad.status, bad.body], [500, null])
})

test('406 when nothing is acceptable', async () => {
  const source = bytes({ type: 'text/csv' })
  let report
  const response = await respond(request({ headers: { 'accept-encoding': '*;q=0' } }), source, { onReport: value => { report = value } })
  assert.deepEqual([response.status, response.headers.get('vary')], [406, 'Accept-Encoding'])
  await until(() => report)
  assert.deepEqual([report.status, report.committed, report.error], [406, false, undefined])
  await assert.rejects(source.write('x'), { name: 'AbortError' })
})

test('several Set-Cookie', async () => {
  const response = await respond(request(), small, { headers: { 'set-cookie': ['a=1', 'b=2'] } })
  assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
})

test('chunks are not detached by who reads them', async () => {
  const response = await respond(request(), large, { ...stored, chunkSize: 1000 })
  const other = new Response(response.body.pipeThrough(new TransformStream()))
  assert.ok((await body(other)).equals(await encode(large, stored)))
})

test('bugs of the caller\'s are rejections', async () => {
  await assert.rejects(respond({}, small), { code: 'ERR_SLUICE_ARGUMENT' })
  await assert.rejects(respond(request(), 'source'), { code: 'ERR_SLUICE_ARGUMENT' })
  await assert.rejects(respond(request(), small, { strategy: 'fast' }), { code: 'ERR_SLUICE_ARGUMENT' })
  respond(request(), 'ignored')
})
