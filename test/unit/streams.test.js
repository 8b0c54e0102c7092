'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { Readable, Writable } = require('node:stream')
const { pipeline } = require('node:stream/promises')
const { test } = require('node:test')

const { createEncoder, encode, encodeStream, image, stats } = require('../..')
const { decode, pixels, strips } = require('./support/images')
const { idle, quiet, turn, until } = require('./support/wait')

const stored = { level: 'stored', reduce: false }
const sample = pixels(300, 200)

const readers = {
  async iteration (stream) {
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    return chunks
  },
  async data (stream) {
    const chunks = []
    stream.on('data', chunk => chunks.push(chunk))
    await once(stream, 'end')
    return chunks
  },
  async readable (stream) {
    const chunks = []
    stream.on('readable', () => {
      for (let chunk; (chunk = stream.read()) !== null;) chunks.push(chunk)
    })
    await once(stream, 'end')
    return chunks
  },
  async 'a slow pipe' (stream) {
    const chunks = []
    await pipeline(stream, new Writable({ highWaterMark: 1, write (chunk, _, done) { chunks.push(chunk); setImmediate(done) } }))
    return chunks
  }
}

for (const [name, read] of Object.entries(readers)) {
  for (const chunkSize of [1000, 16384, 65536, 200000]) {
    test(`encodeStream by ${name}: chunks of at most ${chunkSize} bytes`, async () => {
      const chunks = await read(encodeStream(sample, { ...stored, chunkSize }))
      assert.ok(chunks.length > 1)
      assert.ok(chunks.every(chunk => chunk.length > 0 && chunk.length <= chunkSize))
      assert.ok(Buffer.concat(chunks).equals(await encode(sample, stored)))
    })
  }
}

test('the default chunk size is 16384 bytes', async () => {
  const chunks = await readers.data(encodeStream(sample, stored))
  assert.equal(Math.max(...chunks.map(chunk => chunk.length)), 16384)
})

test('format comes before the first data, the report after the end', async () => {
  const stream = encodeStream(sample, { level: 'fastest' })
  const order = []
  stream.on('format', info => order.push(info))
  stream.on('data', () => { if (order.at(-1) !== 'data') order.push('data') })
  assert.equal(stream.report, null)
  await once(stream, 'end')
  assert.deepEqual(order, [{ format: 'png', mediaType: 'image/png', level: 'fastest', coding: 'identity' }, 'data'])
  assert.equal(stream.report.committed, true)
  assert.equal(stream.report.level, 'fastest')
  assert.ok(stream.report.bytes > 0)
})

test('a stream that is not read waits, and goes on when it is', async () => {
  const stream = encodeStream(pixels(2000, 1000), stored)
  await until(async () => (await stats()).parked === 1)
  assert.ok((await stats()).slabs <= 1)
  assert.ok(stream.readableLength <= 16384)
  const chunks = await readers.iteration(stream)
  assert.ok(Buffer.concat(chunks).equals(await encode(pixels(2000, 1000), stored)))
})

test('destroy() aborts, and calls back after the last event of the encode', async () => {
  const stream = encodeStream(pixels(2000, 1000), stored)
  await once(stream, 'readable')
  stream.destroy()
  await once(stream, 'close')
  assert.equal((await stats()).streams, 0)
  assert.equal(stream.report.aborted, true)
})

test('destroy(error) before and after the end', async () => {
  const stream = encodeStream(sample)
  stream.destroy(new Error('mine'))
  await assert.rejects(once(stream, 'close'), { message: 'mine' })
  assert.equal(stream.report.aborted, true)
  const ended = encodeStream(sample)
  await readers.data(ended)
  ended.destroy()
  await idle()
})

test('leaving an iteration aborts', async () => {
  const iterator = encodeStream(pixels(2000, 1000), stored)[Symbol.asyncIterator]()
  assert.ok((await iterator.next()).value.length > 0)
  await iterator.return()
  await idle()
})

test('the report comes after an iteration was left, when the encode has ended', async () => {
  const stream = encodeStream(pixels(2000, 1000), stored)
  for await (const chunk of stream) if (chunk.length > 0) break
  await until(() => stream.report !== null)
  assert.equal(stream.report.aborted, true)
  assert.equal(stream.report.committed, true)
})

test('a signal destroys with an AbortError', async () => {
  const controller = new AbortController()
  const stream = encodeStream(pixels(2000, 1000), { ...stored, signal: controller.signal })
  await once(stream, 'readable')
  controller.abort('late')
  await assert.rejects(once(stream, 'close'), { name: 'AbortError', code: 'ABORT_ERR', cause: 'late' })
})

test('an error is emitted without reading', async () => {
  const stream = encodeStream(sample, { format: 'nope' })
  const [error] = await once(stream, 'error')
  assert.equal(error.code, 'ERR_SLUICE_FORMAT')
  assert.equal(stream.destroyed, true)
  assert.equal(stream.report.committed, false)
})

test('chunks leave early while the reader waits for them', async () => {
  const source = image({ width: 256, height: 256 })
  const stream = encodeStream(source, { ...stored, chunkSize: 2 ** 20 })
  const iterator = stream[Symbol.asyncIterator]()
  const [top, bottom] = strips(pixels(256, 256), 128)
  source.write(top)
  const first = await iterator.next() // comes although the chunk is not full and no more parts come
  source.write(bottom)
  source.end()
  const rest = [first.value]
  for await (const chunk of stream) rest.push(chunk)
  assert.deepEqual(decode(Buffer.concat(rest)).width, 256)
})

// ---- createEncoder

test('createEncoder in a pipeline: parts in, chunks out', async () => {
  const encoder = createEncoder(image({ width: 300, height: 200 }), { ...stored, chunkSize: 4096 })
  const chunks = []
  await pipeline(Readable.from(strips(sample, 7)), encoder, async function (output) {
    for await (const chunk of output) chunks.push(chunk)
  })
  assert.ok(chunks.every(chunk => chunk.length <= 4096))
  assert.deepEqual(decode(Buffer.concat(chunks)), decode(await encode(sample)))
  assert.equal(encoder.report.bytes, Buffer.concat(chunks).length)
})

test('parts that wait are encoded side by side, and their callbacks come in order', async () => {
  const whole = pixels(1000, 400)
  const encoder = createEncoder(image({ width: 1000, height: 400 }), stored)
  encoder.resume()
  const order = []
  let i = 0
  for (const strip of strips(whole, 50)) {
    const n = i++
    encoder.write(strip, () => order.push(n))
  }
  encoder.end()
  await once(encoder, 'close')
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7])
})

test('backpressure reaches the writer', async () => {
  const whole = pixels(1000, 2000)
  const encoder = createEncoder(image({ width: 1000, height: 2000 }), stored)
  let written = 0
  const feeding = pipeline(async function * () {
    for (const strip of strips(whole, 50)) { written++; yield strip }
  }, encoder)
  feeding.catch(() => {})
  await until(async () => (await stats()).parked === 1)
  await quiet()
  assert.ok(written < 40, `${written} of 40 strips were written with nobody reading`)
  encoder.destroy()
  await assert.rejects(feeding)
  await idle()
})

test('a wrong part destroys the encoder', async () => {
  for (const [part, code] of [['row', 'ERR_SLUICE_ARGUMENT'], [Buffer.alloc(3), 'ERR_SLUICE_INPUT']]) {
    const encoder = createEncoder(image({ width: 10, height: 10 }))
    encoder.write(part)
    const [error] = await once(encoder, 'error')
    assert.equal(error.code, code)
    await idle()
    assert.equal(encoder.report.aborted, false)
  }
  const short = createEncoder(image({ width: 10, height: 10 }))
  short.resume()
  short.end(Buffer.alloc(40))
  const [error] = await once(short, 'error')
  assert.equal(error.code, 'ERR_SLUICE_INPUT')
  await idle()
})

test('destroying an encoder rejects writes to its source', async () => {
  const source = image({ width: 10, height: 10 })
  const encoder = createEncoder(source)
  encoder.destroy()
  await once(encoder, 'close')
  await assert.rejects(source.write(Buffer.alloc(40)), { code: 'ABORT_ERR' })
})

test('fail() of the source is the error of the stream', async () => {
  const source = image({ width: 10, height: 10 })
  const encoder = createEncoder(source)
  const reason = new Error('render failed')
  source.fail(reason)
  const [error] = await once(encoder, 'error')
  assert.equal(error, reason)
})

// ---- encode

test('encode() has at most 1.25 times the memory', async () => {
  for (const [width, height] of [[1, 1], [30, 30], [60, 60], [62, 62], [64, 64], [127, 127], [128, 128], [300, 300]]) {
    const output = await encode(pixels(width, height), stored)
    assert.ok(output.buffer.byteLength <= 1.25 * output.length, `${output.buffer.byteLength} for ${output.length}`)
    assert.deepEqual(decode(output).width, width)
  }
})

test('encode() of a source that is pushed settles after end(), and not before', async () => {
  const source = image({ width: 300, height: 200 })
  let settled = false
  const done = encode(source, stored).then(output => { settled = true; return output })
  for (const strip of strips(sample, 50)) await source.write(strip)
  await quiet()
  await turn()
  assert.equal(settled, false)
  source.end()
  assert.deepEqual(decode(await done), decode(await encode(sample)))
})

test('encode() by signal', async () => {
  const controller = new AbortController()
  const done = encode(pixels(2000, 2000), { signal: controller.signal })
  controller.abort()
  await assert.rejects(done, { code: 'ABORT_ERR' })
  await idle()
})
