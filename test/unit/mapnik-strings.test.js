'use strict'

// node-mapnik itself is asked what each of its strings means; sharp decodes what both make of one image.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { buffer } = require('node:stream/consumers')
const { test } = require('node:test')

const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')

const { encode, encodeStream, image } = require('../..')

const width = 61
const height = 47
const picture = new mapnik.Image(width, height)
picture.fill(new mapnik.Color(240, 235, 220, 255))
for (let y = 0; y < height; y++) {
  for (let x = 0; x < width; x++) {
    if ((x - 30) ** 2 + (y - 20) ** 2 < 150) picture.setPixel(x, y, new mapnik.Color(90 + x, 130, 200 - y, 255))
    if (x + y < 25) picture.setPixel(x, y, new mapnik.Color(200, 40, 40, 128))
    if (x > 50 && y > 40) picture.setPixel(x, y, new mapnik.Color(0, 0, 0, 0))
  }
}
const pixels = { data: Buffer.from(picture.data()), width, height }

/** What kind of file it is, and its pixels as RGBA. */
async function describe (file) {
  const image = sharp(file)
  const { format, width, height, hasAlpha, isPalette } = await image.metadata()
  const data = await sharp(file).ensureAlpha().raw().toBuffer()
  return { kind: { format, width, height, hasAlpha, palette: isPalette === true }, data }
}

/** The greatest difference of a sample, among pixels that show. */
function farthest (a, b) {
  let most = 0
  for (let i = 0; i < a.length; i += 4) {
    for (let k = 0; k < 4; k++) if (a[i + 3] > 0 || b[i + 3] > 0) most = Math.max(most, Math.abs(a[i + k] - b[i + k]))
  }
  return most
}

// Each with how far a sample may be from mapnik's.
const alike = {
  png32: 0,
  'png32:z=1': 0,
  'PNG32:Z=9:S=huff:F=no': 0,
  'png32:s=rle:f=sub|up': 0,
  'png32:t=1:s=filtered': 0,
  'png32:t=2:s=fixed:f=all': 0,
  png8: 60,
  png256: 60,
  'png8:m=h:c=64': 60,
  'png8:m=o:c=64:t=2': 90,
  'png8:c=200:g=1.5:z=9': 60,
  tiff: 0,
  tif: 0,
  'tiff:compression=lzw': 0,
  'tiff:compression=none': 0,
  'tiff:compression=adobedeflate:zlevel=9': 0,
  'tiff:method=scanline': 0,
  'tiff:method=strip:rows_per_strip=8': 0,
  'tiff:method=tiled:tile_width=32:tile_height=16': 0,
  'webp:lossless=1': 0,
  'webp:lossless=1:quality=20:method=2': 0,
  webp: 1,
  'webp:quality=50': 1,
  'webp:quality=90:method=6:segments=2': 1,
  'webp:alpha_quality=50:sns_strength=10:filter_strength=20:filter_type=0': 1
}

for (const [format, most] of Object.entries(alike)) {
  test(`${format} is what it is to node-mapnik`, async () => {
    const theirs = await describe(picture.encodeSync(format))
    const ours = await describe(await encode(pixels, { format }))
    assert.deepEqual(ours.kind, theirs.kind)
    const off = farthest(ours.data, theirs.data)
    assert.ok(off <= most, `a sample differs by ${off}`)
  })
}

test('png, png24 and t=0: lossless, RGB where mapnik writes RGBA', async () => {
  const theirs = await describe(picture.encodeSync('png'))
  const ours = await describe(await encode(pixels, { format: 'png' }))
  assert.equal(farthest(ours.data, theirs.data), 0)
  for (const format of ['png24', 'png:t=0', 'image/png; mode=24bit']) {
    const { kind } = await describe(await encode(pixels, { format }))
    assert.deepEqual([kind.format, kind.hasAlpha, kind.palette], ['png', false, false])
  }
})

test('what mapnik refuses is refused, with what was expected', async () => {
  for (const format of ['png8:c=0', 'png8:c=257', 'png8:c=abc', 'png:z=10', 'png:s=foo', 'png:f=foo', 'png:t=3', 'png:x=1', 'png8:m', 'webp:quality=101',
    'webp:method=7', 'webp:lossless=2', 'tiff:compression=x', 'tiff:method=x', 'tiff:zlevel=10', 'tiff:x=1']) {
    assert.throws(() => picture.encodeSync(format), format)
    await assert.rejects(encode(pixels, { format }), { code: 'ERR_SLUICE_OPTION', message: /^Expected .* got "/ }, format)
  }
  for (const format of ['png9', 'pngfoo', 'svg', ':c=1', 'image/pgn']) {
    assert.throws(() => picture.encodeSync(format), format)
    await assert.rejects(encode(pixels, { format }), { code: 'ERR_SLUICE_FORMAT', message: /^Expected a known image format \(png, / }, format)
  }
})

test('a palette makes png a png8, and fits no other format', async () => {
  const palette = Buffer.from([255, 0, 0, 255, 0, 0, 255, 255])
  const { kind } = await describe(await encode(pixels, { format: 'png', palette }))
  assert.equal(kind.palette, true)
  for (const format of ['tiff', 'webp', 'bmp']) {
    await assert.rejects(encode(pixels, { format, palette }), { code: 'ERR_SLUICE_OPTION', message: /got "palette"$/ })
  }
})

test('given options win over those of the string', async () => {
  const small = await encode(pixels, { format: 'png:z=9' })
  const stored = await encode(pixels, { format: 'png:z=9', level: 'stored' })
  assert.ok(stored.length > 2 * small.length)
})

test('jpeg strings give the bytes that mapnik gives for an opaque image', async () => {
  const opaque = new mapnik.Image(width, height)
  opaque.fill(new mapnik.Color(240, 235, 220, 255))
  for (let i = 0; i < 40; i++) opaque.setPixel(i, i, new mapnik.Color(9 * i % 256, 130, 200 - i, 255))
  const source = { data: Buffer.from(opaque.data()), width, height }
  for (const name of ['jpeg', 'jpeg80', 'jpeg:quality=75', 'JPEG95', 'jpeg1']) {
    assert.ok((await encode(source, { format: name })).equals(opaque.encodeSync(name.toLowerCase())), name)
  }
})

test('image/vnd.jpeg-png is a JPEG when opaque', async () => {
  const opaque = Buffer.from(pixels.data)
  for (let i = 3; i < opaque.length; i += 4) opaque[i] = 255
  const kind = async (data, more) => (await sharp(await encode({ data, width, height, ...more }, { format: 'image/vnd.jpeg-png' })).metadata()).format
  assert.equal(await kind(opaque), 'jpeg')
  assert.equal(await kind(pixels.data), 'png')
  for (const promise of [true, false]) {
    const source = image({ width, height, opaque: promise })
    const stream = encodeStream(source, { format: 'image/vnd.jpeg-png' })
    const info = once(stream, 'format')
    source.write(opaque)
    source.end()
    const file = await buffer(stream)
    assert.equal((await info)[0].mediaType, promise ? 'image/jpeg' : 'image/png')
    assert.equal((await sharp(file).metadata()).format, promise ? 'jpeg' : 'png')
  }
})
