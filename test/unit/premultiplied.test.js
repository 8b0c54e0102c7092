'use strict'

// Overlays whose colours are multiplied by alpha show no fringe: a white line stays white however faint it is, on the map's tiles
// that a client lays over others, and on the background of formats without alpha.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { createCanvas, loadImage } = require('@napi-rs/canvas')
const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')

const { encode, image } = require('../..')
const { strips } = require('./support/images')

const width = 96
const height = 64
const color = [255, 200, 40]

/** A line with soft edges in one colour, and nothing around. */
function overlay () {
  const data = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const alpha = Math.max(0, 255 - Math.abs(x - 20 - y / 2) * 24)
      data.set([...color.map(sample => Math.round(sample * alpha / 255)), alpha], (y * width + x) * 4)
    }
  }
  return { data, width, height, premultiplied: true }
}

async function bySkia (file) {
  const picture = await loadImage(file)
  const context = createCanvas(width, height).getContext('2d')
  context.drawImage(picture, 0, 0)
  return Buffer.from(context.getImageData(0, 0, width, height).data)
}
const bySharp = (file) => sharp(file).ensureAlpha().raw().toBuffer()

const formats = {
  png: [{}, bySharp],
  png32: [{}, bySharp],
  png8: [{}, bySharp],
  'png8:t=1': [{}, bySharp],
  'image/png; mode=16bit': [{}, bySharp],
  webp: [{ lossless: true }, bySharp],
  tiff: [{}, bySharp],
  gif: [{}, bySharp],
  bmp: [{}, bySkia]
}

// Divided by alpha, a sample of 8 bits is off by up to 255 / 2 alpha; ARGB4444 by half of its step, 17, beside.
const allowed = (format, alpha) => 1 + 128 / alpha + (format.includes('16bit') ? 24 : 0)

for (const [format, [options, read]] of Object.entries(formats)) {
  test(`${format}: no fringe, whole or pushed`, async () => {
    const source = overlay()
    const pushed = image({ width, height, premultiplied: true })
    const files = [encode(source, { format, ...options }), encode(pushed, { format, ...options })]
    for (const strip of strips({ ...source, pixelFormat: 'rgba' }, 10)) await pushed.write(strip)
    pushed.end()
    for (const file of await Promise.all(files)) {
      const data = await read(file)
      let shown = 0
      for (let i = 0; i < data.length; i += 4) {
        const alpha = data[i + 3]
        if (alpha < 16) continue
        shown++
        // What was made opaque was translucent before.
        const was = Math.min(alpha, Math.max(source.data[i + 3], 16))
        for (let k = 0; k < 3; k++) assert.ok(Math.abs(data[i + k] - color[k]) <= allowed(format, was), `pixel ${i / 4}: ${[...data.subarray(i, i + 4)]}`)
      }
      assert.ok(shown > 300)
    }
  })
}

test('formats without alpha: the background shines through as far as the line lets it', async () => {
  const source = overlay()
  for (const [format, options] of [['jpeg', { quality: 100, subsampling: '4:4:4' }], ['png24', {}], ['tiff', { alpha: false }], ['webp', { lossless: true, alpha: false }]]) {
    for (const [background, behind] of [[undefined, [255, 255, 255]], ['#102030', [16, 32, 48]]]) {
      const data = await bySharp(await encode(source, { format, ...options, background }))
      for (let i = 0; i < data.length; i += 4) {
        const rest = 1 - source.data[i + 3] / 255
        for (let k = 0; k < 3; k++) {
          const want = source.data[i + k] + behind[k] * rest
          assert.ok(Math.abs(data[i + k] - want) <= (format === 'jpeg' ? 5 : 1), `${format} on ${background}, pixel ${i / 4}: ${data[i + k]}, not ${want}`)
        }
      }
    }
  }
})

test('a premultiplied image of node-mapnik', async () => {
  const native = mapnik.Image.fromBufferSync(width, height, Buffer.from(overlay().data), { premultiplied: true })
  const data = await bySharp(await encode(native, { format: 'png32' }))
  const straight = await bySharp(await encode(overlay(), { format: 'png32' }))
  assert.deepEqual(data, straight)
})
