'use strict'

const assert = require('node:assert/strict')
const http = require('node:http')
const http2 = require('node:http2')
const { errorMonitor, once } = require('node:events')
const { PassThrough, Writable } = require('node:stream')
const { test } = require('node:test')

const { encode, encodeChunked, image, stats } = require('../..')
const { pixels } = require('./support/images')
const { idle, quiet, turn, until } = require('./support/wait')

const stored = { level: 'stored', reduce: false, chunkSize: 4096 }
const sample = pixels(300, 200)

/** A writable that takes nothing before flush() is called. */
class Slow extends Writable {
  taken = []
  waiting = null

  constructor (options) {
    super({ highWaterMark: 10000, ...options })
  }

  _write (chunk, encoding, callback) {
    this.taken.push(chunk)
    this.waiting = callback
  }

  flush () {
    const callback = this.waiting
    this.waiting = null
    callback?.()
  }
}

/** Encodes into writable the way every example does. */
function feed (writable, source = sample, options = stored) {
  const log = { chunks: 0, errors: [] }
  const job = encodeChunked(source, options, (error, chunk, last) => {
    if (error) return log.errors.push(error)
    log.chunks++
    return last ? writable.end(chunk) : writable.write(chunk) // false is not a pause of its own here
  })
  return { job, log }
}

test('a full writable pauses in the same turn, drain resumes, and the output is whole', async () => {
  const slow = new Slow()
  const { job, log } = feed(slow)
  assert.equal(job.follow(slow), job)
  await until(() => log.chunks > 0)
  await quiet()
  assert.equal(log.chunks, 3, 'the third chunk of 4096 reaches the high water mark of 10000')
  while (!slow.writableFinished) {
    slow.flush()
    await turn()
    assert.ok(slow.writableLength < 10000 + 4096)
  }
  const report = await job.done
  assert.ok(Buffer.concat(slow.taken).equals(await encode(sample, stored)))
  assert.equal(report.chunks, log.chunks)
  assert.equal(slow.listenerCount('drain') + slow.listenerCount('close'), 0)
})

test('follow() of a writable that is full already', async () => {
  const slow = new Slow()
  slow.write(Buffer.alloc(20000))
  const { job, log } = feed(slow)
  job.follow(slow)
  await quiet()
  assert.equal(log.chunks, 0)
  slow.flush()
  await until(() => log.chunks > 0)
  job.abort()
  await assert.rejects(job.done)
})

test('a pause of the user and one of the writable must both be lifted', async () => {
  const slow = new Slow()
  const { job, log } = feed(slow)
  job.follow(slow)
  await until(() => log.chunks === 3)
  job.pause()
  for (let i = 0; i < 10; i++) { slow.flush(); await turn() }
  assert.equal(log.chunks, 3)
  job.resume()
  await until(() => log.chunks === 6)
  job.resume()
  await quiet()
  assert.equal(log.chunks, 6)
  job.abort()
  await assert.rejects(job.done)
})

test('close aborts, and listeners are removed', async () => {
  const slow = new Slow()
  const { job, log } = feed(slow)
  job.follow(slow)
  await until(() => log.chunks === 3)
  slow.destroy()
  await assert.rejects(job.done, { code: 'ABORT_ERR' })
  assert.equal(log.errors.length, 1)
  assert.equal(log.chunks, 3)
  assert.equal(slow.listenerCount('drain') + slow.listenerCount('close'), 0)
  await idle()
})

test('follow() of a writable that is closed already aborts', async () => {
  const slow = new Slow()
  slow.destroy()
  await once(slow, 'close')
  const { job, log } = feed(slow)
  job.follow(slow)
  assert.equal(log.errors.length, 0)
  await assert.rejects(job.done, { code: 'ABORT_ERR' })
  assert.equal(log.chunks, 0)
  assert.equal(slow.listenerCount('drain') + slow.listenerCount('close'), 0)
})

test('follow() of a writable that was ended already aborts', async () => {
  for (const closes of [true, false]) {
    const passed = new PassThrough({ autoDestroy: closes })
    passed.end()
    if (closes) await once(passed.resume(), 'close')
    const { job, log } = feed(passed)
    job.follow(passed)
    await assert.rejects(job.done, { code: 'ABORT_ERR' })
    assert.equal(log.chunks, 0)
  }
})

test('a writable that closes without an event is noticed at the next chunk, or drain', async () => {
  for (const meanwhile of [slow => slow.destroy(), slow => { slow.destroy(); slow.emit('drain') }]) {
    const slow = new Slow({ emitClose: false })
    let chunks = 0
    const job = encodeChunked(sample, stored, (error, chunk) => {
      if (error) return
      chunks++
      if (chunks === 2) meanwhile(slow)
    })
    job.follow(slow)
    await assert.rejects(job.done, { code: 'ABORT_ERR' })
    assert.equal(chunks, 2)
    assert.equal(job.report.aborted, true)
  }
  const slow = new Slow({ emitClose: false })
  const { job, log } = feed(slow)
  job.follow(slow)
  await until(() => log.chunks === 3)
  slow.destroy()
  slow.emit('drain')
  await assert.rejects(job.done, { code: 'ABORT_ERR' })
  assert.equal(log.chunks, 3)
})

test('a write that fails aborts, with its error as the cause, and the error stays the user\'s to handle', async () => {
  const reason = new Error('disk full')
  for (const options of [{}, { emitClose: false }, { autoDestroy: false }]) {
    const broken = new Writable({ ...options, write (chunk, _, done) { done(reason) } })
    const { job, log } = feed(broken)
    job.follow(broken)
    assert.equal(broken.listenerCount('error'), 0)
    const errors = []; console.error(options)
    broken.on('error', error => errors.push(error))
    await assert.rejects(job.done, { code: 'ABORT_ERR', cause: reason })
    assert.deepEqual(errors, [reason])
    assert.deepEqual([log.chunks, log.errors.length], [1, 1])
    assert.equal(broken.listenerCount(errorMonitor), 0)
  }
})

test('a follow() that throws changes nothing', async () => {
  const slow = new Slow()
  const { job, log } = feed(slow)
  job.follow(slow)
  await until(() => log.chunks === 3)
  for (const wrong of [null, {}, { write () {} }]) assert.throws(() => job.follow(wrong), { code: 'ERR_SLUICE_ARGUMENT' })
  await quiet()
  assert.equal(log.chunks, 3)
  await until(() => { slow.flush(); return log.chunks > 3 })
  slow.destroy()
  await assert.rejects(job.done, { code: 'ABORT_ERR' })
})

test('an error comes while the writable is full', async () => {
  const source = image({ width: 300, height: 200 })
  const slow = new Slow()
  slow.write(Buffer.alloc(20000))
  const { job, log } = feed(slow, source)
  job.follow(slow)
  source.write(Buffer.alloc(3))
  await assert.rejects(job.done, { code: 'ERR_SLUICE_INPUT' })
  assert.equal(log.errors.length, 1)
})

test('following another writable lets the first go', async () => {
  const [first, second] = [new Slow(), new PassThrough()]
  second.resume()
  const { job } = feed(second)
  job.follow(first)
  first.write(Buffer.alloc(20000))
  job.follow(second)
  assert.equal(first.listenerCount('drain') + first.listenerCount('close'), 0)
  first.destroy()
  await job.done
})

test('what is no writable is refused', () => {
  const { job } = feed(new Slow())
  for (const wrong of [undefined, null, {}, 'res', { on () {} }, { on () {}, write () {} }]) {
    assert.throws(() => job.follow(wrong), { code: 'ERR_SLUICE_ARGUMENT', message: /^Expected writable to be a writable stream, got / })
  }
  job.abort()
})

// ---- real responses: more than all the buffers between here and the client hold

const large = pixels(4096, 4096)

async function serve (t, create, handle) {
  const server = create(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return server.address().port
}

function request (port) {
  return new Promise((resolve, reject) => {
    http.get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject)
  })
}

test('a client that stops reading holds bounded memory; one that disconnects leaves no stream', async (t) => {
  let jobs
  const port = await serve(t, http.createServer, (req, res) => {
    jobs = feed(res, large)
    jobs.job.follow(res)
  })
  const response = await request(port)
  response.pause()
  await until(async () => (await stats()).parked === 1)
  await quiet()
  const { chunks } = jobs.log
  const { slabs } = await stats()
  assert.ok(slabs <= 8)
  assert.ok(chunks * 4096 < large.data.length / 2, `${chunks} chunks were written`)
  response.destroy()
  await assert.rejects(jobs.job.done, { code: 'ABORT_ERR' })
  await idle()
  const after = await stats()
  assert.equal(after.slabs, 0)
})

test('a slow client gets the whole image over HTTP/1.1', async (t) => {
  const source = pixels(1024, 1024)
  let jobs
  const port = await serve(t, http.createServer, (req, res) => {
    jobs = feed(res, source)
    jobs.job.follow(res)
  })
  const response = await request(port)
  const body = []
  for await (const chunk of response) {
    body.push(chunk)
    await turn()
  }
  const report = await jobs.job.done
  assert.ok(Buffer.concat(body).equals(await encode(source, stored)))
  assert.equal(report.aborted, false)
  assert.equal(jobs.log.errors.length, 0)
})

test('HTTP/2 responses pause and abort the same way', async (t) => {
  const started = []
  const port = await serve(t, http2.createServer, (req, res) => {
    const jobs = feed(res, large)
    jobs.job.follow(res)
    started.push(jobs)
  })
  const client = http2.connect(`http://127.0.0.1:${port}`)
  t.after(() => client.close())
  const stalled = client.request({ ':path': '/' })
  await until(async () => (await stats()).parked === 1)
  await quiet()
  assert.ok(started[0].log.chunks * 4096 < large.data.length / 2)
  stalled.close(http2.constants.NGHTTP2_CANCEL)
  await assert.rejects(started[0].job.done, { code: 'ABORT_ERR' })

  const body = []
  for await (const chunk of client.request({ ':path': '/' })) body.push(chunk)
  await started[1].job.done
  assert.ok(Buffer.concat(body).equals(await encode(large, stored)))
})

for (const [name, create, get] of [
  ['HTTP/1.1', http.createServer, async port => { (await request(port)).destroy() }],
  ['HTTP/2', http2.createServer, async port => {
    const client = http2.connect(`http://127.0.0.1:${port}`)
    const stream = client.request({ ':path': '/' })
    await once(stream, 'response')
    stream.close(http2.constants.NGHTTP2_CANCEL)
    client.close()
  }]
]) {
  for (const [state, answer] of [['the client left', res => res.write('first')], ['was ended', res => res.end('whole')]]) {
    test(`follow() of an ${name} response that ${state}, after it closed`, async (t) => {
      let response
      let closed
      const port = await serve(t, create, (req, res) => {
        response = res
        closed = once(res, 'close')
        res.writeHead(200)
        answer(res)
      })
      await get(port)
      await closed
      const { job, log } = feed(response)
      job.follow(response)
      await assert.rejects(job.done, { code: 'ABORT_ERR' })
      assert.equal(log.chunks, 0)
    })
  }
}
