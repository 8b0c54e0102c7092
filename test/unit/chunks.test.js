'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')

const { encode, encodeChunked, image, stats } = require('../..')
const { Gathered, Views } = require('../../js/outbox')
const { collect } = require('./support/collect')
const { decode, pixels, strips } = require('./support/images')
const { idle } = require('./support/wait')

const stored = { level: 'stored', reduce: false }

function assertSizes ({ chunks, lasts, report }, chunkSize) {
  assert.deepEqual(lasts, [chunks.length - 1], 'last comes once, with the last chunk')
  assert.ok(chunks.slice(0, -1).every(chunk => chunk.length === chunkSize), 'all chunks but the last are of chunkSize')
  assert.ok(chunks.at(-1).length > 0 && chunks.at(-1).length <= chunkSize)
  assert.ok(chunks.every(chunk => Buffer.isBuffer(chunk) && Object.getPrototypeOf(chunk) === Buffer.prototype))
  assert.equal(report.chunks, chunks.length)
  assert.equal(report.bytes, Buffer.concat(chunks).length)
}

const sample = pixels(120, 90)

for (const chunkSize of [1, 7, 256, 4096, 16384, 16385, 40000, 65535, 65536, 65537, 100000, 2 ** 30]) {
  test(`chunks of ${chunkSize} bytes are exact, and the same bytes`, async () => {
    const whole = await encode(sample, stored)
    const got = await collect(sample, { ...stored, chunkSize })
    assertSizes(got, chunkSize)
    assert.ok(Buffer.concat(got.chunks).equals(whole))
  })
}

/** A grey image of about total pixels whose stored PNG is a multiple of size bytes long. */
async function evenly (size, total) {
  for (let height = 1; ; height++) { // the bytes around rows and blocks leave out some lengths
    let width = Math.floor(total / height)
    for (let i = 0; i < 4 && width > 0; i++) {
      const sample = pixels(width, height, 'gray')
      const over = (await encode(sample, stored)).length % size
      if (over === 0) return sample
      width -= Math.round((over > size / 2 ? over - size : over) / height)
    }
  }
}

for (const size of [1, 3, 256, 4096, 65536, 65537, 131072]) {
  test(`an output of a multiple of ${size} bytes ends with a whole chunk`, async () => {
    const got = await collect(await evenly(size, Math.max(3 * size, 1000)), { ...stored, chunkSize: size })
    assertSizes(got, size)
    assert.equal(got.chunks.at(-1).length, size)
  })
}

test('an output that is as long as a chunk, or two or three, ends with a whole chunk', async () => {
  for (const width of [600, 200000]) {
    const row = await evenly(6, width)
    const { length } = await encode(row, stored)
    for (const parts of [1, 2, 3]) {
      const got = await collect(row, { ...stored, chunkSize: length / parts })
      assertSizes(got, length / parts)
      assert.equal(got.chunks.length, parts)
    }
  }
})

test('the short form makes a PNG that libpng reads', async () => {
  const opaque = pixels(61, 47)
  for (let i = 3; i < opaque.data.length; i += 4) opaque.data[i] = 255
  const got = await collect(opaque, 100)
  assertSizes(got, 100)
  assert.deepEqual(decode(Buffer.concat(got.chunks)), { width: 61, height: 47, data: opaque.data })
  assert.equal(got.report.format, 'png')
  assert.equal(got.report.mediaType, 'image/png')
  assert.equal(got.report.coding, 'identity')
  assert.equal(got.report.level, 'fast')
})

test('the callback is never called from inside encodeChunked', async () => {
  let inside = true
  const jobs = [sample, { ...sample, width: 0 }, { ...sample, width: NaN }].map(source =>
    encodeChunked(source, 256, () => assert.equal(inside, false)))
  inside = false
  await Promise.allSettled(jobs.map(job => job.done))
})

test('several chunks come in one turn of the event loop', async () => {
  let turns = 0
  const seen = new Set()
  const job = encodeChunked(sample, { ...stored, chunkSize: 256 }, () => { seen.add(turns) })
  let running = true
  const count = () => { if (running) setImmediate(() => { turns++; count() }) }
  count()
  const { chunks } = await job.done
  running = false
  assert.ok(seen.size < chunks / 4, `${chunks} chunks in ${seen.size} turns`)
})

test('chunks arrive before the last strip is written', async () => {
  const events = []
  const whole = pixels(256, 512)
  const [top, bottom] = strips(whole, 256)
  const source = image({ width: 256, height: 512 })
  let first
  const arrived = new Promise(resolve => { first = resolve })
  const job = encodeChunked(source, { ...stored, chunkSize: 4096 }, (error, chunk, last) => {
    events.push(error ? 'error' : last ? 'last' : 'chunk')
    first()
  })
  await source.write(top)
  await arrived
  events.push('second strip')
  source.write(bottom)
  source.end()
  await job.done
  assert.equal(events[0], 'chunk')
  assert.ok(events.indexOf('second strip') > 0)
  assert.equal(events.at(-1), 'last')
})

test('chunks of a whole image arrive before encoding ends', async () => {
  let ask
  const asked = new Promise(resolve => { ask = resolve })
  const job = encodeChunked(pixels(1000, 1000), { ...stored, chunkSize: 4096 }, () => { ask(stats()); return false })
  assert.equal((await asked).streams, 1, 'the encode goes on after its first chunk')
  job.abort()
  await assert.rejects(job.done)
  await idle()
})

test('a chunk may be transferred when it has its memory for itself', async () => {
  const whole = await encode(sample, stored)
  let at = 0
  await encodeChunked(sample, { ...stored, chunkSize: 65536 }, (error, chunk) => {
    assert.ifError(error)
    const copy = Buffer.from(structuredClone(chunk.buffer, { transfer: [chunk.buffer] }))
    assert.ok(whole.subarray(at, at + 65536).equals(copy.subarray(0, Math.min(65536, whole.length - at))))
    at += 65536
  }).done
})

test('transferring memory that later chunks share is an error that says so', async () => {
  const job = encodeChunked(sample, { ...stored, chunkSize: 256 }, (error, chunk) => {
    if (!error) structuredClone(chunk.buffer, { transfer: [chunk.buffer] })
  })
  await assert.rejects(job.done, { code: 'ERR_SLUICE_ARGUMENT', message: /copy/ })
})

test('an empty output is one empty chunk', () => {
  for (const outbox of [new Views(256), new Gathered(256)]) {
    const got = []
    const stream = { blocked: 0, failure: null }
    outbox.push(null, 0, true)
    outbox.deliver(stream, { chunk (chunk, last) { got.push([chunk.length, last]) } })
    outbox.deliver(stream, { chunk () { assert.fail('a second chunk') } })
    assert.deepEqual(got, [[0, true]])
  }
})

test('a slab that is less than half full is not kept', async () => {
  const small = await collect(pixels(4, 4), 4096)
  assert.equal(small.chunks.length, 1)
  assert.equal(small.chunks[0].buffer.byteLength, small.chunks[0].length)
})
