'use strict'

// BMP, read by Skia (@napi-rs/canvas), which has nothing of the encoder's.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { test } = require('node:test')
const { createCanvas, loadImage } = require('@napi-rs/canvas')

const { encode, encodeStream, image } = require('../..')
const { pixels, strips } = require('./support/images')

/** Straight RGBA of what Skia draws. It keeps pixels premultiplied, so translucent ones come back rounded. */
async function read (bmp) {
  const picture = await loadImage(bmp)
  const canvas = createCanvas(picture.width, picture.height)
  const context = canvas.getContext('2d')
  context.drawImage(picture, 0, 0)
  return { width: picture.width, height: picture.height, data: Buffer.from(context.getImageData(0, 0, picture.width, picture.height).data) }
}

/** Bits a pixel, height as it is written, and pixels per metre. */
const head = bmp => ({ bits: bmp.readUInt16LE(28), height: bmp.readInt32LE(22), header: bmp.readUInt32LE(14), perMetre: bmp.readInt32LE(38) })

function opaque (source) {
  for (let i = 3; i < source.data.length; i += 4) source.data[i] = 255
  return source
}

test('opaque pixels have 24 bits, whatever the padding of rows', async () => {
  for (const [width, height] of [[1, 1], [2, 3], [3, 2], [5, 4], [203, 117]]) {
    const source = opaque(pixels(width, height))
    const bmp = await encode(source, { format: 'bmp' })
    assert.deepEqual(head(bmp), { bits: 24, height: -height, header: 40, perMetre: 0 })
    assert.equal(bmp.readUInt32LE(2), bmp.length)
    assert.deepEqual(await read(bmp), { width, height, data: source.data })
  }
})

test('grey ones have 8', async () => {
  const source = pixels(37, 20, 'gray')
  const bmp = await encode(source, { format: 'bmp', dpi: 254 })
  assert.deepEqual(head(bmp), { bits: 8, height: -20, header: 40, perMetre: 10000 })
  const { data } = await read(bmp)
  for (const [i, v] of source.data.entries()) assert.deepEqual([...data.subarray(4 * i, 4 * i + 4)], [v, v, v, 255])
})

test('translucent ones keep alpha, by a header of version 4', async () => {
  const source = pixels(64, 64)
  const bmp = await encode(source, { format: 'image/bmp' })
  assert.deepEqual(head(bmp), { bits: 32, height: -64, header: 108, perMetre: 0 })
  const { data } = await read(bmp)
  for (let i = 0; i < data.length; i += 4) {
    const alpha = source.data[i + 3]
    assert.equal(data[i + 3], alpha)
    for (let k = i; k < i + 3; k++) assert.ok(Math.abs(data[k] - source.data[k]) * alpha <= 255, `sample ${k}: ${data[k]}, not ${source.data[k]}, alpha ${alpha}`)
  }
})

test('without alpha they are blended', async () => {
  const source = { data: Buffer.alloc(4 * 4 * 4, 0), width: 4, height: 4 }
  for (const [background, want] of [[undefined, [255, 255, 255, 255]], ['#204060', [32, 64, 96, 255]]]) {
    const { data } = await read(await encode(source, { format: 'bmp', alpha: false, background }))
    assert.deepEqual([...data.subarray(0, 4)], want)
  }
})

test('every pixel format; a pushed image has the bytes of the whole one', async () => {
  for (const pixelFormat of ['rgba', 'bgra', 'rgb', 'graya', 'gray', 'rgba16', 'gray16']) {
    const whole = pixels(61, 40, pixelFormat)
    const want = await encode(whole, { format: 'bmp' })
    assert.equal((await read(want)).height, 40)
    for (const rows of [1, 13]) {
      const source = image({ width: 61, height: 40, pixelFormat })
      const bmp = encode(source, { format: 'bmp' })
      for (const strip of strips(whole, rows)) await source.write(strip)
      source.end()
      assert.ok((await bmp).equals(want), `${pixelFormat}, ${rows} rows at a time`)
    }
  }
})

test('the first bytes leave before the last rows come', async () => {
  const source = image({ width: 500, height: 400, opaque: true })
  const chunks = []
  const stream = encodeStream(source, { format: 'bmp', chunkSize: 4096 }).on('data', chunk => chunks.push(chunk))
  const whole = opaque(pixels(500, 400))
  const half = whole.data.length / 2
  source.write(whole.data.subarray(0, half))
  await once(stream, 'data')
  source.write(whole.data.subarray(half))
  source.end()
  await once(stream, 'end')
  assert.ok(Buffer.concat(chunks).equals(await encode(whole, { format: 'bmp' })))
})

test('what BMP cannot be', async () => {
  for (const [source, options, code, text] of [
    [{ width: 65536, height: 32768 }, {}, 'ERR_SLUICE_LIMIT', 'a bitmap of less than 4 GB'],
    [{ width: 4, height: 4 }, { alpha: 1 }, 'ERR_SLUICE_OPTION', '"alpha" to be a boolean, got 1'],
    [{ width: 4, height: 4 }, { dpi: -1 }, 'ERR_SLUICE_OPTION', 'got -1'],
    [{ width: 4, height: 4 }, { level: 'fast' }, 'ERR_SLUICE_OPTION', 'got "level"']
  ]) {
    const pushed = image(source)
    const bmp = encode(pushed, { format: 'bmp', ...options })
    pushed.end()
    await assert.rejects(bmp, (error) => {
      assert.equal(error.code, code)
      assert.ok(error.message.includes(text), error.message)
      return true
    })
  }
})
