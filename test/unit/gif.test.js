'use strict'

// GIF, read by sharp's decoder (libnsgif), which has nothing of the encoder's.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const sharp = require('sharp')

const { encode, encodeStream, image } = require('../..')
const { pixels, strips } = require('./support/images')

const width = 90
const height = 60

async function read (gif) {
  const { data, info } = await sharp(gif).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** An image of some colours: f gives R, G, B and A of the pixel at x and y. */
function picture (f) {
  const data = Buffer.alloc(width * height * 4)
  for (let i = 0; i < width * height; i++) data.set(f(i % width, Math.floor(i / width)), 4 * i)
  return { data, width, height }
}

const smooth = picture((x, y) => [2 * x, 4 * y, 60 + (x + y) % 40, 255])

test('images of few colours are exact, transparent pixels and all', async () => {
  for (const colors of [1, 2, 3, 5, 16, 17, 200, 255]) {
    const source = picture((x, y) => y === 7 ? [0, 0, 0, 0] : [(x + y) % colors, 40, 250 - (x + y) % colors, 255])
    const gif = await encode(source, { format: 'gif' })
    assert.deepEqual(await read(gif), source, `${colors} colours`)
  }
})

test('names, and what the file says of itself', async () => {
  const gif = await encode(smooth, { format: 'image/gif' })
  assert.deepEqual(await encode(smooth, { format: 'GIF' }), gif)
  assert.equal(gif.toString('latin1', 0, 6), 'GIF89a')
  const { format, width: w, height: h, pages } = await sharp(gif).metadata()
  assert.deepEqual([format, w, h, pages ?? 1], ['gif', width, height, 1])
  const stream = encodeStream(smooth, { format: 'gif' })
  const info = await new Promise(resolve => stream.once('format', resolve))
  assert.equal(info.mediaType, 'image/gif')
  await stream.resume().toArray()
})

test('photographs: near, and nearer with more colours; dithering keeps the average', async () => {
  const off = async options => {
    const { data } = await read(await encode(smooth, { format: 'gif', ...options }))
    let sum = 0
    let bias = 0
    for (let i = 0; i < data.length; i++) {
      sum += (data[i] - smooth.data[i]) ** 2
      bias += data[i] - smooth.data[i]
    }
    return { mse: sum / data.length, bias: Math.abs(bias / data.length) }
  }
  const few = await off({ colors: 16 })
  const many = await off({})
  const dithered = await off({ colors: 16, dither: 1 })
  assert.ok(many.mse < 25 && 2 * many.mse < few.mse, `${many.mse}, ${few.mse}`)
  assert.ok(dithered.mse > few.mse && dithered.bias < 1)
})

test('alpha: binary from 128 on, or blended on the background', async () => {
  const source = picture((x, y) => [200, 100, 0, [0, 100, 127, 128, 200, 255][x % 6]])
  const binary = (await read(await encode(source, { format: 'gif' }))).data
  for (let i = 0; i < binary.length; i += 4) {
    const opaque = source.data[i + 3] >= 128
    assert.equal(binary[i + 3], opaque ? 255 : 0)
    if (opaque) assert.deepEqual([...binary.subarray(i, i + 3)], [200, 100, 0])
  }
  const blended = (await read(await encode(source, { format: 'gif', transparency: 'none', background: '#0000ff' }))).data
  for (let i = 0; i < blended.length; i += 4) {
    const a = source.data[i + 3] / 255
    for (const [k, want] of [200 * a, 100 * a, 255 * (1 - a), 255].entries()) assert.ok(Math.abs(blended[i + k] - want) <= 1)
  }
})

test('every pixel format, and strides; a pushed image has the bytes of the whole one', async () => {
  for (const pixelFormat of ['rgba', 'bgra', 'rgb', 'graya', 'gray', 'rgba16', 'gray16']) {
    const whole = pixels(61, 40, pixelFormat)
    const want = await encode(whole, { format: 'gif' })
    assert.equal((await read(want)).width, 61)
    for (const rows of [1, 13]) {
      const source = image({ width: 61, height: 40, pixelFormat })
      const gif = encode(source, { format: 'gif' })
      for (const strip of strips(whole, rows)) await source.write(strip)
      source.end()
      assert.ok((await gif).equals(want), `${pixelFormat}, ${rows} rows at a time`)
    }
  }
  const padded = { data: Buffer.alloc(height * 400, 9), width, height, stride: 400 }
  for (let y = 0; y < height; y++) smooth.data.copy(padded.data, y * 400, y * width * 4, (y + 1) * width * 4)
  assert.deepEqual(await encode(padded, { format: 'gif' }), await encode(smooth, { format: 'gif' }))
})

test('what GIF cannot be', async () => {
  for (const [source, options, code, text] of [
    [{ width: 65536, height: 1 }, {}, 'ERR_SLUICE_LIMIT', 'at most 65535 pixels each way, got 65536 x 1'],
    [{ width: 4, height: 4 }, { colors: 1 }, 'ERR_SLUICE_OPTION', '"colors" to be an integer from 2 to 256, got 1'],
    [{ width: 4, height: 4 }, { transparency: 'full' }, 'ERR_SLUICE_OPTION', '"transparency" to be binary|none, got "full"'],
    [{ width: 4, height: 4 }, { dither: 2 }, 'ERR_SLUICE_OPTION', 'got 2'],
    [{ width: 4, height: 4 }, { quality: 5 }, 'ERR_SLUICE_OPTION', 'got "quality"']
  ]) {
    await assert.rejects(encode({ ...source, data: new Uint8Array(source.width * source.height * 4) }, { format: 'gif', ...options }), (error) => {
      assert.equal(error.code, code)
      assert.ok(error.message.includes(text), error.message)
      return true
    })
  }
})
