'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')

const { encode, encodeChunked, image, stats } = require('../..')
const { formats, pixels } = require('./support/images')
const { idle, quiet, turn, until } = require('./support/wait')
const { run } = require('./support/child')

const stored = { level: 'stored', reduce: false, chunkSize: 4096 }
const sample = pixels(300, 200)

/** An encode that records its callbacks; take(n) says what the callback returns for the n-th. */
function record (source, options, take = () => {}) {
  const log = { chunks: [], lasts: 0, errors: [] }
  const job = encodeChunked(source, options, (error, chunk, last) => {
    if (error) {
      assert.equal(chunk, null)
      assert.equal(last, false)
      log.errors.push(error)
      return
    }
    log.chunks.push(chunk)
    if (last) log.lasts++
    return take(log.chunks.length, job, last)
  })
  return { job, log }
}

const isAbort = reason => error => {
  assert.equal(error.name, 'AbortError')
  assert.equal(error.code, 'ABORT_ERR')
  assert.equal(error.cause, reason)
  assert.ok(error instanceof Error)
  return true
}

test('false pauses at that chunk until resume(), in the same turn too', async () => {
  const whole = await encode(sample, stored)
  const { job, log } = record(sample, stored, n => n !== 3)
  await until(() => log.chunks.length === 3)
  await until(async () => (await stats()).parked === 1)
  await quiet()
  assert.equal(log.chunks.length, 3)
  job.resume()
  const report = await job.done
  assert.ok(Buffer.concat(log.chunks).equals(whole))
  assert.equal(log.lasts, 1)
  assert.equal(report.chunks, log.chunks.length)
})

test('a job that is paused at every chunk delivers the same', async () => {
  for (const chunkSize of [1000, 4096, 65536, 70000]) {
    const { job, log } = record(sample, { ...stored, chunkSize }, (n, job) => { setImmediate(() => job.resume()); return false })
    await job.done
    assert.ok(Buffer.concat(log.chunks).equals(await encode(sample, stored)))
    assert.equal(log.lasts, 1)
  }
})

test('only false pauses, and not on the last chunk', async () => {
  for (const value of [undefined, null, 0, '', true, NaN]) await record(sample, stored, () => value).job.done
  await record(sample, stored, (n, job, last) => !last).job.done
})

test('pause() right after the call holds every chunk back', async () => {
  const { job, log } = record(sample, stored)
  job.pause()
  await quiet()
  assert.equal(log.chunks.length, 0)
  job.resume()
  await job.done
  assert.equal(log.lasts, 1)
})

test('resume() never calls back from inside', async () => {
  const { job, log } = record(sample, stored, n => n !== 1)
  await until(() => log.chunks.length === 1)
  await quiet()
  job.resume()
  assert.equal(log.chunks.length, 1)
  await job.done
})

test('pause() and resume() inside the callback', async () => {
  const { job, log } = record(sample, stored, (n, job) => { job.pause(); job.pause(); job.resume() })
  await job.done
  assert.equal(log.lasts, 1)
})

test('a paused job reports its fault at once', async () => {
  const { job, log } = record(sample, { level: 'hgih' })
  job.pause()
  await assert.rejects(job.done, { code: 'ERR_SLUICE_OPTION' })
  assert.equal(log.errors.length, 1)
  job.resume()
  await turn()
  assert.equal(log.errors.length, 1)
})

test('a fault comes before chunks that a pause held back', async () => {
  const source = image({ width: 300, height: 20 })
  const { job, log } = record(source, { ...stored, chunkSize: 16 }, () => false)
  source.write(sample.data.subarray(0, 1200 * 10))
  await until(() => log.chunks.length === 1)
  await quiet()
  source.end()
  await until(() => log.errors.length === 1) // what waits for a paused job does not keep the process
  await assert.rejects(job.done, { code: 'ERR_SLUICE_INPUT', message: /20 rows, got 10/ })
  assert.equal(log.chunks.length, 1)
  assert.equal(log.errors.length, 1)
})

for (const [when, act] of [
  ['at once', (job) => job.abort('why')],
  ['after a turn', async (job) => { await turn(); job.abort('why') }],
  ['while paused', async (job) => { job.pause(); await quiet(); job.abort('why') }],
  ['twice', (job) => { job.abort('why'); job.abort('again') }]
]) {
  test(`abort ${when}: one AbortError, not from inside abort(), and done rejects with it`, async () => {
    const { job, log } = record(pixels(1000, 1000), stored)
    await act(job)
    const before = log.errors.length
    assert.equal(before, 0)
    await assert.rejects(job.done, error => isAbort('why')(error) && error === log.errors[0])
    const { length } = log.chunks
    await idle()
    assert.equal(log.errors.length, 1)
    assert.equal(log.chunks.length, length)
    assert.equal(log.lasts, 0)
  })
}

test('abort inside the callback: no further chunk', async () => {
  const { job, log } = record(sample, { ...stored, chunkSize: 16 }, (n, job) => { if (n === 5) job.abort() })
  await assert.rejects(job.done, isAbort(undefined))
  assert.equal(log.chunks.length, 5)
  assert.equal(log.errors.length, 1)
  assert.equal('cause' in log.errors[0], false)
})

test('abort of a job whose whole output waits while it is paused', async () => {
  const { job, log } = record(pixels(20, 20), { ...stored, chunkSize: 16 }, () => false)
  await until(async () => (await stats()).streams === 0 && log.chunks.length === 1)
  job.abort()
  assert.equal(log.errors.length, 0)
  await assert.rejects(job.done, isAbort(undefined))
  assert.equal(log.errors.length, 1)
  assert.equal(log.chunks.length, 1)
})

test('everything is legal on and after the last chunk, and does nothing', async () => {
  const { job, log } = record(sample, stored, (n, job, last) => { if (last) { job.abort(); job.pause() } })
  const report = await job.done
  job.abort()
  job.pause()
  job.resume()
  assert.equal(job.follow(process.stdout), job)
  await turn()
  assert.equal(process.stdout.listenerCount('drain'), 0)
  assert.equal(log.errors.length, 0)
  assert.equal(log.lasts, 1)
  assert.equal(report.aborted, false)
})

test('a signal aborts, with its reason as the cause', async () => {
  const controller = new AbortController()
  const { job, log } = record(pixels(1000, 1000), { ...stored, signal: controller.signal })
  await until(() => log.chunks.length > 0)
  controller.abort('enough')
  await assert.rejects(job.done, isAbort('enough'))
  assert.equal(log.errors.length, 1)
  await idle()
})

test('a signal that is aborted already starts nothing', async () => {
  const { job, log } = record(sample, { ...stored, signal: AbortSignal.abort('before') })
  assert.equal(log.errors.length, 0)
  assert.equal((await stats()).streams, 0)
  await assert.rejects(job.done, isAbort('before'))
  assert.equal(log.errors.length, 1)
  assert.equal(log.chunks.length, 0)
})

test('listeners on a signal are removed at the end', async () => {
  const { getEventListeners } = require('node:events')
  const { signal } = new AbortController()
  await Promise.all([record(sample, { ...stored, signal }).job.done, encode(sample, { signal })])
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('the report of a complete encode', async () => {
  const { job } = record(sample, stored)
  const report = await job.done
  const { bytes, chunks, firstByteMs, encodeMs, pausedMs, queuedMs, waitMs, totalMs, ...rest } = report
  assert.deepEqual(rest, { committed: true, aborted: false, coding: 'identity', format: 'png', mediaType: 'image/png', level: 'stored' })
  assert.ok(bytes > 240000 && chunks === Math.ceil(bytes / 4096))
  assert.ok(firstByteMs > 0 && firstByteMs <= totalMs)
  for (const ms of [encodeMs, pausedMs, queuedMs, waitMs]) assert.ok(ms >= 0 && ms <= totalMs)
})

test('the report is there before done settles, of a failure too', async () => {
  const complete = record(sample, stored)
  assert.equal(complete.job.report, null)
  assert.equal(await complete.job.done, complete.job.report)
  let seen
  const failing = encodeChunked(sample, { format: 'nope' }, () => { seen = failing.report })
  await assert.rejects(failing.done)
  assert.equal(failing.report, seen)
  assert.deepEqual([seen.committed, seen.aborted, seen.format], [false, false, null])
})

test('a report says aborted when the consumer gave up, and when the error is an AbortError', async () => {
  for (const [aborted, act] of [
    [true, job => job.abort()],
    [true, (job, source, controller) => controller.abort()],
    [true, (job, source) => source.fail()],
    [false, (job, source) => source.fail(new Error('render failed'))],
    [false, (job, source) => source.end()]
  ]) {
    const source = image({ width: 10, height: 10 })
    const controller = new AbortController()
    const { job } = record(source, { signal: controller.signal })
    act(job, source, controller)
    await assert.rejects(job.done)
    assert.equal(job.report.aborted, aborted, String(act))
  }
})

test('done settles after the last callback', async () => {
  const order = []
  const job = encodeChunked(sample, stored, (error, chunk, last) => { if (error || last) order.push('callback') })
  job.done.then(() => order.push('done'))
  await job.done
  const failing = encodeChunked(sample, { format: 'nope' }, () => { order.push('error') })
  failing.done.catch(() => order.push('rejected'))
  await assert.rejects(failing.done)
  assert.deepEqual(order, ['callback', 'done', 'error', 'rejected'])
})

test('fail() reaches the callback as that very object, also while paused', async () => {
  const source = image({ width: 300, height: 200 })
  const { job, log } = record(source, stored)
  job.pause()
  const reason = new Error('render failed')
  source.write(sample.data.subarray(0, 120000))
  await turn()
  source.fail(reason)
  assert.equal(log.errors.length, 0)
  await assert.rejects(job.done, error => error === reason)
  assert.deepEqual(log.errors, [reason])
})

test('a throw in the callback is an uncaught exception, aborts this job and leaves the others', async () => {
  const { code, stdout, stderr } = await run(`
    const seen = []
    process.on('uncaughtException', error => { seen.push(error.message) })
    const sample = pixels(300, 300)
    let calls = 0
    const bad = sluice.encodeChunked(sample, { level: 'stored', chunkSize: 256 }, () => {
      if (++calls === 3) throw new Error('thrown')
    })
    const late = sluice.encodeChunked(sample, { level: 'stored', chunkSize: 65536 }, (error, chunk, last) => {
      if (last) throw new Error('on the last')
    })
    const resumed = sluice.encodeChunked(sample, { level: 'stored', chunkSize: 65536 }, () => { throw new Error('resumed') })
    resumed.pause()
    setTimeout(() => resumed.resume(), 50)
    const inError = sluice.encodeChunked(sample, { format: 'nope' }, error => { throw new Error('in ' + error.code) })
    const good = sluice.encodeChunked(sample, 256, () => {})
    Promise.allSettled([bad, late, resumed, inError, good].map(job => job.done)).then(async results => {
      while ((await sluice.stats()).streams > 0) await turn()
      console.log(JSON.stringify([calls, seen.sort(), results.map(r => r.reason?.message ?? r.status)]))
    })`)
  assert.equal(stderr, '')
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout), [
    3,
    ['in ERR_SLUICE_FORMAT', 'on the last', 'resumed', 'thrown'],
    ['thrown', 'on the last', 'resumed', `Expected a known image format (${formats}), got "nope"`, 'fulfilled']
  ])
})

test('a throw of nothing in the callback is a throw', async () => {
  const { code, stdout, stderr } = await run(`
    const seen = []
    process.on('uncaughtException', error => { seen.push(error) })
    const results = []
    const check = async nothing => {
      let calls = 0
      const source = sluice.image({ width: 300, height: 300 })
      const job = sluice.encodeChunked(source, { level: 'stored', chunkSize: 256 }, () => { calls++; throw nothing })
      const write = source.write(pixels(300, 300).data)
      source.end()
      const error = await job.done.catch(error => error)
      results.push([calls, error.code, error.cause ?? 'none', job.report.aborted, await write.then(() => 'settled', () => 'settled'), await source.write(Buffer.alloc(1200)).catch(error => error.code)])
      const stream = sluice.encodeStream(pixels(300, 300)).on('format', () => { throw nothing })
      await new Promise(resolve => stream.on('close', resolve))
      while ((await sluice.stats()).streams > 0) await turn()
    }
    ;(async () => {
      for (const nothing of [null, undefined, 0, '', false]) await check(nothing)
      console.log(JSON.stringify([results, seen.map(String)]))
    })()`)
  assert.equal(stderr, '')
  assert.equal(code, 0)
  const [results, seen] = JSON.parse(stdout)
  assert.deepEqual(results, ['none', 'none', 0, '', false].map(cause => [1, 'ABORT_ERR', cause, true, 'settled', 'ABORT_ERR']))
  assert.deepEqual(seen, [null, null, undefined, undefined, 0, 0, '', '', false, false].map(String))
})

test('a throw in the callback that nobody catches ends the process as Node does', async () => {
  const { code, stderr } = await run("sluice.encodeChunked(pixels(9, 9), 256, () => { throw new Error('not caught') })")
  assert.equal(code, 1)
  assert.match(stderr, /Error: not caught/)
})

test('errors that nobody looks at do not end the process', async () => {
  const { code, stdout } = await run(`
    sluice.encodeChunked(pixels(9, 9), { format: 'nope' }, () => {})
    const source = sluice.image({ width: 9, height: 9 })
    sluice.encodeChunked(source, { format: 'nope' }, () => {})
    source.write(Buffer.alloc(36))
    source.write('no part')
    source.end()
    source.write(Buffer.alloc(36))
    process.on('exit', () => console.log('fine'))`)
  assert.equal(code, 0)
  assert.equal(stdout, 'fine\n')
})
