'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { test } = require('node:test')

const { createEncoder, encode, encodeChunked, encodeStream, image, stats } = require('../..')
const { decode, noise, pixels, strips } = require('./support/images')
const { idle, quiet, turn, until } = require('./support/wait')

const stored = { level: 'stored', reduce: false }
const argument = { code: 'ERR_SLUICE_ARGUMENT' }

const detached = () => {
  const data = Buffer.from(new ArrayBuffer(400))
  structuredClone(data.buffer, { transfer: [data.buffer] })
  return data
}

/** What has become of a promise: 'pending', 'resolved' or its error. */
async function stateOf (promise) {
  let state = 'pending'
  promise.then(() => { state = 'resolved' }, error => { state = error })
  await turn()
  return state
}

for (const pixelFormat of ['rgba', 'bgra', 'rgb', 'graya', 'gray', 'rgba16', 'gray16']) {
  test(`${pixelFormat} in any cutting gives the same bytes, and the pixels of the whole image`, async () => {
    const whole = pixels(50, 37, pixelFormat)
    const outputs = await Promise.all([1, 5, 37].map(async rows => {
      const source = image({ width: 50, height: 37, pixelFormat })
      const done = encode(source)
      for (const strip of strips(whole, rows)) await source.write(strip)
      source.end()
      return done
    }))
    assert.ok(outputs.every(output => output.equals(outputs[0])))
    assert.deepEqual(decode(outputs[0]), decode(await encode(whole)))
  })
}

test('parts may be pixels, with a stride and a format', async () => {
  const whole = pixels(10, 8)
  const padded = Buffer.alloc(48 * 8)
  for (let y = 0; y < 8; y++) whole.data.copy(padded, y * 48, y * 40, y * 40 + 40)
  const source = image({ width: 10, height: 8 })
  const done = encode(source, stored)
  source.write({ data: padded.subarray(0, 48 * 4), width: 10, height: 4, stride: 48 })
  source.write({ data: new Uint8ClampedArray(whole.data.subarray(160, 280)), width: 10, height: 3, pixelFormat: 'rgba', premultiplied: false })
  source.write(new Uint8ClampedArray(whole.data.subarray(280)))
  source.end()
  assert.deepEqual(decode(await done), decode(await encode(whole)))
})

test('opaque and gray are promises that shorten the output', async () => {
  const grey = { data: Buffer.alloc(40000, 200), width: 100, height: 100 }
  const lengths = []
  for (const promise of [{}, { opaque: true }, { opaque: true, gray: true }]) {
    const source = image({ width: 100, height: 100, ...promise })
    const done = encode(source, { level: 'stored' })
    for (let i = 3; i < grey.data.length; i += 4) grey.data[i] = 255
    source.write(grey.data)
    source.end()
    lengths.push((await done).length)
  }
  assert.deepEqual(lengths.map(length => Math.floor(length / 10000)), [4, 3, 1])
})

test('small parts are copied and settle at once', async () => {
  const whole = pixels(100, 100)
  const source = image({ width: 100, height: 100 })
  const job = encodeChunked(source, { ...stored, chunkSize: 256 }, () => {})
  job.pause()
  const output = []
  for (const strip of strips(whole, 10)) {
    const lent = Buffer.from(strip)
    const write = source.write(lent)
    lent.fill(0)
    output.push(await stateOf(write))
  }
  assert.ok(output.every(state => state === 'resolved'))
  job.abort()
  await idle()
})

test('what was copied cannot be changed, what is borrowed can', async () => {
  const whole = pixels(100, 100)
  const source = image({ width: 100, height: 100 })
  const done = encode(source, stored)
  const lent = Buffer.from(whole.data)
  source.write(lent)
  source.end()
  lent.fill(0)
  assert.deepEqual(decode(await done), decode(await encode(whole)))
})

test('more than 256 KiB of copied parts settle when they have been read', async () => {
  const source = image({ width: 1000, height: 1000 })
  const job = encodeChunked(source, { ...stored, chunkSize: 256 }, () => {})
  job.pause()
  const strip = noise(1000 * 4 * 16)
  const writes = []
  for (let i = 0; i < 40; i++) writes.push(source.write(strip))
  await quiet()
  const states = await Promise.all(writes.map(stateOf))
  const settled = states.indexOf('pending')
  assert.ok(settled >= 4 && settled < 40, `${settled} of 40 writes settled`)
  assert.ok(states.slice(settled).every(state => state === 'pending'))
  job.resume()
  await Promise.all(writes)
  job.abort()
  await idle()
})

test('large parts settle when they have been read, in the order of the writes, small ones between them too', async () => {
  const whole = pixels(500, 700)
  const source = image({ width: 500, height: 700 })
  const order = []
  const done = encode(source, stored)
  let y = 0
  const writes = [200, 1, 300, 2, 1, 196].map((rows, i) => {
    const write = source.write(whole.data.subarray(y * 2000, (y + rows) * 2000))
    y += rows
    return write.then(() => order.push(i))
  })
  source.end()
  await Promise.all(writes)
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5])
  assert.deepEqual(decode(await done), decode(await encode(whole)))
})

test('before an encode uses the source, one part is queued and further writes wait', async () => {
  const whole = pixels(20, 30)
  const source = image({ width: 20, height: 30 })
  const writes = [...strips(whole, 10)].map(strip => source.write(strip))
  source.end()
  assert.deepEqual(await Promise.all(writes.map(stateOf)), ['resolved', 'pending', 'pending'])
  const done = encode(source, stored)
  await Promise.all(writes)
  assert.deepEqual(decode(await done), decode(await encode(whole)))
})

test('a large first part waits for its encode', async () => {
  const whole = pixels(200, 200)
  const source = image({ width: 200, height: 200 })
  const write = source.write(whole.data)
  source.end()
  assert.equal(await stateOf(write), 'pending')
  const done = encode(source, stored)
  await write
  assert.deepEqual(decode(await done), decode(await encode(whole)))
})

test('write after end() is refused; end() and fail() never throw', async () => {
  const source = image({ width: 1, height: 1 })
  source.write(Buffer.alloc(4))
  source.end()
  source.end()
  await assert.rejects(source.write(Buffer.alloc(4)), argument)
  await encode(source)
  source.end()
  source.fail(new Error('late'))
  await assert.rejects(source.write(Buffer.alloc(4)), argument)
})

test('what is no part is refused, and does not hurt the encode', async () => {
  const source = image({ width: 1, height: 1 })
  const done = encode(source)
  for (const wrong of [undefined, null, 'row', [1, 2, 3, 4], new Float32Array(1), {}, { data: 'x', width: 1, height: 1 }]) {
    await assert.rejects(source.write(wrong), argument)
  }
  source.write(Buffer.alloc(4))
  source.end()
  await done
})

for (const [what, part] of [
  ['another width', { data: Buffer.alloc(400), width: 99, height: 1 }],
  ['another format', { data: Buffer.alloc(400), width: 100, height: 1, pixelFormat: 'bgra' }],
  ['other alpha', { data: Buffer.alloc(400), width: 100, height: 1, premultiplied: true }],
  ['half a row', Buffer.alloc(600)],
  ['rows that are not there', { data: Buffer.alloc(400), width: 100, height: 2 }],
  ['an absurd height', { data: Buffer.alloc(400), width: 100, height: NaN }],
  ['no height', { data: Buffer.alloc(400), width: 100, height: 0 }],
  ['a negative height', { data: Buffer.alloc(400), width: 100, height: -1 }],
  ['half a row of height', { data: Buffer.alloc(400), width: 100, height: 0.5 }],
  ['an absurd width', { data: Buffer.alloc(400), width: NaN, height: 1 }],
  ['an absurd stride', { data: Buffer.alloc(400), width: 100, height: 1, stride: 2 ** 62 }],
  ['nothing', Buffer.alloc(0)],
  ['detached bytes', detached()],
  ['detached pixels', { data: detached(), width: 100, height: 1 }],
  ['too many rows', Buffer.alloc(400 * 101)]
]) {
  test(`a part of ${what} fails the encode, and the writes after it`, async () => {
    const source = image({ width: 100, height: 100 })
    const done = encode(source)
    const first = source.write(part)
    await assert.rejects(done, { code: 'ERR_SLUICE_INPUT', message: /^Expected / })
    await first.catch(error => assert.equal(error.code, 'ERR_SLUICE_INPUT'))
    await assert.rejects(source.write(Buffer.alloc(400)), { code: 'ERR_SLUICE_INPUT' })
    source.end()
    await idle()
  })
}

test('rows that are missing at end() fail the encode', async () => {
  const source = image({ width: 100, height: 100 })
  const done = encode(source)
  source.write(Buffer.alloc(400 * 99))
  source.end()
  await assert.rejects(done, { code: 'ERR_SLUICE_INPUT', message: /99/ })
})

test('an abort rejects pending and later writes', async () => {
  const source = image({ width: 1000, height: 1000 })
  const job = encodeChunked(source, { ...stored, chunkSize: 256 }, () => false)
  const writes = [...strips(pixels(1000, 1000), 250)].map(strip => source.write(strip))
  await until(async () => (await stats()).parked === 1)
  job.abort('gone')
  const later = source.write(Buffer.alloc(4000))
  const isAbort = { name: 'AbortError', code: 'ABORT_ERR', cause: 'gone' }
  await assert.rejects(writes.at(-1), isAbort)
  await assert.rejects(later, isAbort)
  await assert.rejects(job.done, isAbort)
  await assert.rejects(source.write(Buffer.alloc(4000)), isAbort)
  source.end()
  source.fail(new Error('late'))
  await idle()
})

test('fail() delivers that very object, and rejects pending writes with it', async () => {
  const source = image({ width: 1000, height: 1000 })
  const reason = { not: 'even an Error' }
  const done = encode(source)
  const write = source.write(noise(4000 * 1000 - 4000))
  source.fail(reason)
  source.fail(new Error('again'))
  await assert.rejects(done, error => error === reason)
  await assert.rejects(write, error => error === reason)
  await assert.rejects(source.write(Buffer.alloc(4000)), error => error === reason)
})

for (const nothing of [undefined, null, 0, '', false]) {
  test(`fail(${JSON.stringify(nothing)}) delivers an AbortError`, async () => {
    const isAbort = error => {
      assert.equal(error.code, 'ABORT_ERR')
      assert.equal(error.cause, nothing ?? undefined)
      assert.equal('cause' in error, nothing !== undefined && nothing !== null)
      return true
    }
    const start = { encode, encodeStream: source => once(encodeStream(source), 'end'), encodeChunked: source => encodeChunked(source, 9, () => {}).done }
    for (const before of [true, false]) {
      for (const form of Object.values(start)) {
        const source = image({ width: 1000, height: 1000 })
        if (before) source.fail(nothing)
        const done = form(source)
        if (!before) source.fail(nothing)
        await assert.rejects(done, isAbort)
        await assert.rejects(source.write(Buffer.alloc(4000)), isAbort)
      }
    }
  })
}

test('a write is told what is true: after end(), or after the encode', async () => {
  const after = async (source, message) => assert.rejects(source.write(Buffer.alloc(4)), { ...argument, message })
  const source = image({ width: 1, height: 1 })
  const done = encode(source)
  source.write(Buffer.alloc(4))
  source.end()
  await after(source, 'Expected no write() after end()')
  await done
  await after(source, 'Expected no write() after the encode is over')
  const inner = image({ width: 1, height: 1 })
  const encoder = createEncoder(inner)
  encoder.resume().end(Buffer.alloc(4))
  await once(encoder, 'close')
  await after(inner, 'Expected no write() after the encode is over')
})

test('fail() before an encode uses the source', async () => {
  const source = image({ width: 10, height: 10 })
  const reason = new Error('render failed')
  const writes = [source.write(Buffer.alloc(40)), source.write(Buffer.alloc(40))]
  source.fail(reason)
  await writes[0]
  await assert.rejects(writes[1], error => error === reason)
  const seen = []
  const job = encodeChunked(source, 256, error => { seen.push(error) })
  await assert.rejects(job.done, error => error === reason)
  assert.deepEqual(seen, [reason])
})

test('a failed open rejects the writes', async () => {
  const source = image({ width: 10, height: 10 })
  const done = encode(source, { level: 'hgih' })
  await assert.rejects(done, { code: 'ERR_SLUICE_OPTION' })
  await assert.rejects(source.write(Buffer.alloc(40)), { code: 'ERR_SLUICE_OPTION' })
})

test('a source without a single write learns of wrong options', async () => {
  await assert.rejects(encode(image({ width: 0, height: 10 })), { code: 'ERR_SLUICE_LIMIT' })
  await assert.rejects(encode(image({ width: NaN, height: 10 })), { code: 'ERR_SLUICE_LIMIT' })
})
