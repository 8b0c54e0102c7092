'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { test } = require('node:test')

const { createEncoder, encode, encodeChunked, image } = require('../..')
const { decode, pixels } = require('./support/images')
const { idle } = require('./support/wait')

const stored = { level: 'stored', reduce: false }
const sample = pixels(300, 200)
const expected = encode(sample, stored)

test('pixels are read in place, and stay the user\'s', async () => {
  const data = Uint8Array.from(sample.data)
  await encode({ ...sample, data }, stored)
  assert.deepEqual(Buffer.from(data), sample.data)
  assert.equal(structuredClone(data, { transfer: [data.buffer] }).length, sample.data.length)
  assert.equal(data.length, 0)
})

test('whatever holds the bytes gives the same image', async () => {
  const shared = new Uint8Array(new SharedArrayBuffer(sample.data.length))
  shared.set(sample.data)
  const resizable = new Uint8Array(new ArrayBuffer(sample.data.length, { maxByteLength: 2 ** 20 }))
  resizable.set(sample.data)
  const growable = new Uint8Array(new SharedArrayBuffer(sample.data.length, { maxByteLength: 2 ** 20 }))
  growable.set(sample.data)
  const offset = Buffer.alloc(sample.data.length + 13).subarray(5, 5 + sample.data.length)
  sample.data.copy(offset)
  for (const data of [new Uint8ClampedArray(sample.data), shared, resizable, growable, offset]) {
    assert.ok((await encode({ ...sample, data }, stored)).equals(await expected))
  }
})

test('a stride skips padding, and the last row needs none', async () => {
  const stride = 1300
  const data = Buffer.alloc(stride * 199 + 1200)
  for (let y = 0; y < 200; y++) sample.data.copy(data, y * stride, y * 1200, (y + 1) * 1200)
  assert.ok((await encode({ ...sample, data, stride }, stored)).equals(await expected))
})

test('premultiplied pixels are made straight', async () => {
  const data = Buffer.from([100, 50, 0, 128, 255, 255, 255, 255, 0, 0, 0, 0])
  const output = decode(await encode({ data, width: 3, height: 1, premultiplied: true }))
  assert.deepEqual([...output.data], [199, 100, 0, 128, 255, 255, 255, 255, 0, 0, 0, 0])
})

test('a whole image may be encoded any number of times, also at once', async () => {
  const source = image(sample)
  const outputs = await Promise.all([encode(source, stored), encode(source, stored), encode(sample, stored)])
  for (const output of outputs) assert.ok(output.equals(await expected))
})

test('copy: true takes a snapshot', async () => {
  const data = Buffer.from(sample.data)
  const whole = encode({ ...sample, data }, { ...stored, copy: true })
  const source = image({ width: 300, height: 200 })
  const pushed = encode(source, { ...stored, copy: true })
  await source.write(data)
  source.end()
  data.fill(0)
  assert.ok((await whole).equals(await expected))
  assert.deepEqual(decode(await pushed), decode(await expected))
})

test('data that shrinks was copied', async () => {
  const data = new Uint8Array(new ArrayBuffer(sample.data.length, { maxByteLength: sample.data.length }))
  data.set(sample.data)
  const done = encode({ ...sample, data }, stored)
  data.buffer.resize(0)
  assert.ok((await done).equals(await expected))
})

test('changing borrowed pixels gives wrong pixels, no error', async () => {
  for (const options of [stored, {}]) {
    const data = Buffer.from(sample.data)
    const done = encode({ ...sample, data }, options)
    data.fill(7)
    assert.equal((await done).toString('latin1', 1, 4), 'PNG')
  }
})

for (const [form, start] of [
  ['encode', (source) => encode(source, stored)],
  ['encodeChunked', (source) => encodeChunked(source, { ...stored, chunkSize: 256 }, () => {}).done]
]) {
  test(`transferring pixels while ${form} reads them is an error`, async () => {
    const { data } = pixels(1000, 1000)
    const done = start({ data, width: 1000, height: 1000 })
    structuredClone(data.buffer, { transfer: [data.buffer] })
    await assert.rejects(done, { code: 'ERR_SLUICE_INPUT', message: /^Expected data to stay in place/ })
    await idle()
  })
}

test('transferring a part that is borrowed is an error', async () => {
  const source = image({ width: 1000, height: 1000 })
  const encoder = createEncoder(source, stored)
  encoder.resume()
  const { data } = pixels(1000, 500)
  const write = source.write(data)
  structuredClone(data.buffer, { transfer: [data.buffer] })
  const failed = { code: 'ERR_SLUICE_INPUT', message: /^Expected data to stay in place/ }
  await Promise.all([assert.rejects(write, failed), assert.rejects(once(encoder, 'end'), failed)])
  await idle()
})
