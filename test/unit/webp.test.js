'use strict'

// WebP: three libwebps in one process, this library's, sharp's and node-mapnik's, encode at the same time and read each other's
// files. One that took another's functions, of another version, might not. What the options do is in Go's tests.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const path = require('node:path')
const { test } = require('node:test')
const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')

const { encode, encodeStream, image } = require('../..')
const { photo } = require('../bench/terrain')
const { decode, pixels, strips } = require('./support/images')

const bySharp = async (file) => (await sharp(file).ensureAlpha().raw().toBuffer())
const readers = { sharp: bySharp, 'node-mapnik': (file) => decode(file).data }

/** Mean squared difference. */
function off (a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2
  return sum / a.length
}

test('three libwebps in one process', async () => {
  const [width, height] = [180, 120]
  const data = Buffer.from(photo(width, height).data)
  for (let i = 3; i < data.length; i += 4) data[i] = 255 - i % 100
  const picture = { data, width, height }
  const raw = { raw: { width, height, channels: 4 } }
  const native = mapnik.Image.fromBufferSync(width, height, data)
  const byMapnik = (format) => new Promise((resolve, reject) => native.encode(format, (err, file) => err ? reject(err) : resolve(file)))
  const writers = {
    sluice: [() => encode(picture, { format: 'webp', lossless: true }), () => encode(picture, { format: 'webp', quality: 90 })],
    sharp: [() => sharp(data, raw).webp({ lossless: true }).toBuffer(), () => sharp(data, raw).webp({ quality: 90 }).toBuffer()],
    'node-mapnik': [() => byMapnik('webp:lossless=1'), () => byMapnik('webp:quality=90')]
  }
  for (let round = 0; round < 3; round++) {
    const files = await Promise.all(Object.entries(writers).map(async ([writer, both]) => [writer, ...await Promise.all(both.map(run => run()))]))
    for (const [writer, lossless, lossy] of files) {
      for (const [reader, read] of Object.entries(readers)) {
        assert.ok((await read(lossless)).equals(data), `${writer} to ${reader}`)
        assert.ok(off(await read(lossy), data) < 40, `${writer} to ${reader}, lossy: ${off(await read(lossy), data)}`)
      }
    }
  }
})

test('the library shows its own functions and no others', () => {
  const library = path.join(__dirname, '../../prebuilds', `${process.platform}-${process.arch}`, 'libsluice.so')
  const symbols = execFileSync('nm', ['-D', '--defined-only', library], { encoding: 'utf8' }).trim().split('\n').map(line => line.split(' ').at(-1))
  const names = ['abort', 'batch', 'close', 'encode', 'finish', 'grant', 'info', 'open', 'pace', 'stats', 'write']
  assert.deepEqual(symbols.sort(), names.map(name => `sluice_${name}`))
})

test('every pixel format; a pushed image has the bytes of the whole one', async () => {
  for (const pixelFormat of ['rgba', 'bgra', 'rgb', 'graya', 'gray', 'rgba16', 'gray16']) {
    const whole = pixels(61, 40, pixelFormat)
    const want = await encode(whole, { format: 'webp', lossless: true })
    const { format, width, height } = await sharp(want).metadata()
    assert.deepEqual([format, width, height], ['webp', 61, 40])
    for (const rows of [1, 13]) {
      const source = image({ width: 61, height: 40, pixelFormat })
      const webp = encode(source, { format: 'webp', lossless: true })
      for (const strip of strips(whole, rows)) await source.write(strip)
      source.end()
      assert.ok((await webp).equals(want), `${pixelFormat}, ${rows} rows at a time`)
    }
  }
})

test('names, qualities and sizes', async () => {
  const picture = pixels(80, 60)
  assert.deepEqual(await encode(picture, { format: 'webp30' }), await encode(picture, { format: 'image/webp', quality: 30 }))
  const small = await encode(picture, { format: 'webp', targetSize: 1500, passes: 6, alpha: false })
  assert.ok(small.length < 2000 && small.length < (await encode(picture, { format: 'webp', alpha: false })).length / 2, `${small.length} bytes`)
  const stream = encodeStream(picture, { format: 'webp' })
  const info = await new Promise(resolve => stream.once('format', resolve))
  assert.equal(info.mediaType, 'image/webp')
  await stream.resume().toArray()
})

test('what WebP cannot be', async () => {
  for (const [source, options, code, text] of [
    [{ width: 16384, height: 1 }, {}, 'ERR_SLUICE_LIMIT', 'at most 16383 pixels each way, got 16384 x 1'],
    [{ width: 4, height: 4 }, { method: 7 }, 'ERR_SLUICE_OPTION', '"method" to be an integer from 0 to 6, got 7'],
    [{ width: 4, height: 4 }, { hint: 'map' }, 'ERR_SLUICE_OPTION', '"hint" to be default|picture|photo|graph, got "map"'],
    [{ width: 4, height: 4 }, { lossless: 'yes' }, 'ERR_SLUICE_OPTION', '"lossless" to be a boolean, got "yes"']
  ]) {
    await assert.rejects(encode({ ...source, data: new Uint8Array(source.width * source.height * 4) }, { format: 'webp', ...options }), (error) => {
      assert.equal(error.code, code)
      assert.ok(error.message.includes(text), error.message)
      return true
    })
  }
})
