'use strict'

// JPEG: the bytes of node-mapnik, which has libjpeg-turbo inside, and what Node's side of the options does. Kernels, edge sizes
// and other subsamplings are held against libjpeg-turbo in Go's tests.

const assert = require('node:assert/strict')
const { test } = require('node:test')

const mapnik = require('@mapnik/mapnik')
const { createCanvas } = require('@napi-rs/canvas')
const sharp = require('sharp')
const { encode, encodeStream, image } = require('../..')
const { entries, read } = require('../bench/images')
const { relief, photo, noise } = require('../bench/terrain')
const { pixels, strips } = require('./support/images')

const qualities = [50, 75, 85, 95]

function isOpaque ({ data }) {
  for (let i = 3; i < data.length; i += 4) {
    if (data[i] !== 255) return false
  }
  return true
}

async function assertLikeMapnik (source, name) {
  const reference = mapnik.Image.fromBufferSync(source.width, source.height, source.data)
  for (const quality of qualities) {
    const want = reference.encodeSync(`jpeg${quality}`)
    const got = await encode(source, { format: 'jpeg', quality })
    assert.ok(got.equals(want), `${name}, quality ${quality}: ${got.length} bytes, node-mapnik makes ${want.length}`)
  }
}

// Areas, antialiased roads with casings, and dots: what maps consist of.
function drawMap (width, height) {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = '#f2efe9'
  context.fillRect(0, 0, width, height)
  for (let i = 0; i < 40; i++) {
    context.fillStyle = ['#aad3df', '#c8e0b4', '#d9d0c9'][i % 3]
    context.beginPath()
    context.ellipse(i * 97 % width, i * 61 % height, 12 + i, 8 + i * 7 % 30, i, 0, 7)
    context.fill()
  }
  for (const [style, thick] of [['#be9f6e', 7], ['#ffffff', 5]]) {
    context.strokeStyle = style
    context.lineWidth = thick
    for (let i = 0; i < 20; i++) {
      context.beginPath()
      context.moveTo(i * 83 % width, 0)
      context.bezierCurveTo(width, i * 37 % height, 0, i * 53 % height, i * 41 % width, height)
      context.stroke()
    }
  }
  return { data: Buffer.from(context.getImageData(0, 0, width, height).data), width, height }
}

test('a map has the bytes of node-mapnik', async () => {
  for (const map of [drawMap(701, 467), drawMap(256, 256)]) {
    assert.ok(isOpaque(map))
    await assertLikeMapnik(map, 'map')
  }
})

test('relief, a photograph and noise have the bytes of node-mapnik', async () => {
  for (const [name, picture] of Object.entries({ colour: relief(401, 267, { colour: true }), grey: relief(300, 200, { colour: false }), photo: photo(401, 267), noise: noise(257, 130) })) {
    assert.ok(isOpaque(picture), name)
    await assertLikeMapnik(picture, name)
  }
})

if (process.env.CORPUS !== undefined) {
  test('every opaque image of CORPUS has the bytes of node-mapnik', async () => {
    const images = entries(process.env.CORPUS).map(entry => [entry.name, read(process.env.CORPUS, entry)]).filter(([, source]) => isOpaque(source))
    assert.ok(images.length > 0)
    for (const [name, source] of images) await assertLikeMapnik(source, name)
  })
}

test('libjpeg in sharp decodes every pixel format', async () => {
  for (const pixelFormat of ['rgba', 'bgra', 'rgb', 'graya', 'gray', 'rgba16', 'gray16']) {
    for (const options of [{}, { subsampling: '4:4:4', optimize: true, restart: 2, dpi: 300 }]) {
      const jpeg = await encode(pixels(123, 77, pixelFormat), { format: 'jpeg', ...options })
      const { width, height, space, density } = await sharp(jpeg, { failOn: 'warning' }).metadata()
      const gray = pixelFormat.startsWith('gray')
      assert.deepEqual([width, height, space, density], [123, 77, gray ? 'b-w' : 'srgb', options.dpi ?? 72], pixelFormat)
      await sharp(jpeg, { failOn: 'warning' }).raw().toBuffer()
    }
  }
})

test('a background, transparent pixels on it', async () => {
  const source = { data: new Uint8Array(64 * 64 * 4), width: 64, height: 64 }
  for (const [background, colour] of [[undefined, [255, 255, 255]], ['#204060', [32, 64, 96]], [null, [255, 255, 255]]]) {
    const jpeg = await encode(source, { format: 'image/jpeg', background, quality: 100, subsampling: '4:4:4' })
    const raw = await sharp(jpeg).raw().toBuffer()
    for (const [i, sample] of [...raw].entries()) assert.ok(Math.abs(sample - colour[i % 3]) <= 1, `${background}: ${sample}`)
  }
})

test('an ICC profile reaches the decoder', async () => {
  const { icc } = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#123456' } }).jpeg().withIccProfile('p3').toBuffer().then(jpeg => sharp(jpeg).metadata())
  const jpeg = await encode(pixels(40, 30), { format: 'jpeg', icc })
  assert.deepEqual((await sharp(jpeg).metadata()).icc, icc)
})

test('a pushed image has the bytes of the whole one, and its first bytes leave before its last rows come', async () => {
  const whole = pixels(900, 500)
  for (let i = 3; i < whole.data.length; i += 4) whole.data[i] = 255
  const want = await encode(whole, { format: 'jpeg', quality: 70 })
  for (const rows of [1, 16, 37]) {
    const source = image({ width: 900, height: 500, opaque: true })
    const chunks = []
    let early = false
    const stream = encodeStream(source, { format: 'jpg', quality: 70, chunkSize: 4096 }).on('data', chunk => chunks.push(chunk))
    let row = 0
    for (const strip of strips(whole, rows)) {
      if (row > 250 && !early) {
        if (chunks.length === 0) await new Promise(resolve => stream.once('data', resolve))
        early = true
      }
      await source.write(strip)
      row += rows
    }
    source.end()
    await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject))
    assert.ok(early)
    assert.ok(Buffer.concat(chunks).equals(want), `${rows} rows at a time`)
  }
})

test('what JPEG cannot be', async () => {
  for (const [source, options, code, text] of [
    [{ width: 65536, height: 1 }, {}, 'ERR_SLUICE_LIMIT', 'Expected width to be at most 65535 for jpeg, got 65536'],
    [{ width: 4, height: 4 }, { progressive: true }, 'ERR_SLUICE_OPTION', 'only baseline JPEG'],
    [{ width: 4, height: 4 }, { quality: 85.5 }, 'ERR_SLUICE_OPTION', '"quality" to be an integer from 0 to 100, got 85.5'],
    [{ width: 4, height: 4 }, { level: 'fast' }, 'ERR_SLUICE_OPTION', 'got "level"'],
    [{ width: 4, height: 4 }, { background: 'white' }, 'ERR_SLUICE_OPTION', 'got "white"']
  ]) {
    await assert.rejects(encode({ ...source, data: new Uint8Array(source.width * source.height * 4) }, { format: 'jpeg', ...options }), (error) => {
      assert.equal(error.code, code)
      assert.ok(error.message.includes(text), error.message)
      return true
    })
  }
})
