'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { test } = require('node:test')
const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')

const { encode, encodeChunked, encodeStream, image } = require('../..')
const { decode, pixels, strips } = require('./support/images')

/** An opaque gradient of many colours, but for a corner. */
function picture (width = 320, height = 240) {
  const data = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const alpha = y < 20 && x < 20 ? 6 * x : 255
      const color = [x * 255 / width, y * 255 / height, (x + y) % 64 + 60]
      data.set([...color, alpha], (y * width + x) * 4)
    }
  }
  return { data, width, height }
}

/** What sharp reads: straight RGBA. */
async function sharpDecode (png) {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** PSNR in dB of premultiplied samples and alpha. */
function psnr (a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i += 4) {
    for (let j = 0; j < 3; j++) sum += ((a[i + j] * a[i + 3] - b[i + j] * b[i + 3]) / 255) ** 2
    sum += (a[i + 3] - b[i + 3]) ** 2
  }
  return 10 * Math.log10(255 ** 2 * a.length / sum)
}

/** Depth, colour type and the number of colours. */
function head (png) {
  const at = png.indexOf('PLTE')
  return { depth: png[24], colorType: png[25], colors: at < 0 ? 0 : png.readUInt32BE(at - 4) / 3 }
}

for (const [colors, depth] of [[256, 8], [64, 8], [16, 4], [4, 2], [3, 2]]) {
  test(`${colors} colours: libpng and sharp read the same, as close to what went in as node-mapnik's or closer`, async () => {
    const source = picture()
    const peer = mapnik.Image.fromBufferSync(source.width, source.height, source.data).encodeSync(`png8:m=h:c=${colors}`)
    const least = psnr(source.data, decode(peer).data)
    for (const format of ['png8', 'PNG256', 'image/png8']) {
      const png = await encode(source, { format, colors })
      assert.deepEqual(head(png), { depth, colorType: 3, colors })
      const read = await sharpDecode(png)
      assert.deepEqual(decode(png), read)
      const got = psnr(source.data, read.data)
      assert.ok(got >= least, `${got} dB, ${least}`)
    }
  })
}

test('on shaded relief, a line of a colour of its own keeps it; what is transparent stays so', async () => {
  const source = picture()
  for (let i = 0; i < source.data.length; i += 4) {
    const light = 90 + (source.data[i] + source.data[i + 1]) / 4 + source.data[i + 2] / 8
    source.data.set([light, light - 8, light - i % 28], i)
  }
  for (let x = 0; x < 320; x++) source.data.set([255, 0, 255, 255], (200 * 320 + x) * 4)
  const { data } = decode(await encode(source, { format: 'png8', colors: 32 }))
  const [r, g, b, a] = data.subarray((200 * 320 + 100) * 4)
  assert.ok(r > 245 && g < 10 && b > 245 && a === 255, `${[r, g, b, a]}`)
  assert.equal(data[3], 0)
})

test('the media type is PNG\'s, and the report says png8', async () => {
  const job = encodeChunked(picture(), { format: 'png8', colors: 16, level: 'small' }, () => {})
  const { format, mediaType, level } = await job.done
  assert.deepEqual({ format, mediaType, level }, { format: 'png8', mediaType: 'image/png', level: 'small' })
})

test('a pushed image gives the bytes of the whole one', async () => {
  const whole = picture()
  for (const options of [{}, { dither: 0.75 }, { interlace: true, colors: 16 }]) {
    const source = image({ width: whole.width, height: whole.height })
    const done = encode(source, { format: 'png8', ...options })
    for (const strip of strips({ ...whole, pixelFormat: 'rgba' }, 7)) await source.write(strip)
    source.end()
    assert.ok((await done).equals(await encode(whole, { format: 'png8', ...options })))
  }
})

test('a pushed image with a palette streams: chunks come before its last row', async () => {
  const palette = Uint8Array.from([0, 0, 0, 0, 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255])
  const whole = pixels(512, 1024)
  const source = image({ width: 512, height: 1024 })
  const stream = encodeStream(source, { format: 'png8', palette, chunkSize: 1024 })
  const rows = [...strips(whole, 64)]
  const chunks = []
  stream.on('data', (chunk) => { chunks.push(chunk) })
  const first = once(stream, 'data')
  for (const strip of rows.slice(0, 12)) await source.write(strip)
  await first
  for (const strip of rows.slice(12)) await source.write(strip)
  source.end()
  await once(stream, 'end')
  const png = Buffer.concat(chunks)
  assert.deepEqual(head(png), { depth: 2, colorType: 3, colors: 4 })
  const { data } = await sharpDecode(png)
  const known = new Set(Array.from({ length: 4 }, (_, i) => palette.subarray(4 * i, 4 * i + 4).join()))
  for (let i = 0; i < data.length; i += 4) assert.ok(known.has(data.subarray(i, i + 4).join()))
})

test('transparency: binary has two alphas, none has one and shows the background', async () => {
  const source = picture()
  const alphas = data => new Set(data.filter((_, i) => i % 4 === 3))
  const binary = decode(await encode(source, { format: 'png8', transparency: 'binary' }))
  assert.deepEqual([...alphas(binary.data)].sort(), [0, 255])
  const none = decode(await encode(source, { format: 'png8', transparency: 'none', background: '#0f0' }))
  assert.deepEqual([...alphas(none.data)], [255])
  const [r, g, b] = none.data
  assert.ok(r < 30 && g > 225 && b < 30, `${[r, g, b]}`)
})

test('what is wrong with options', async () => {
  const source = picture(4, 4)
  for (const [options, message] of [
    [{ colors: 0 }, 'Expected png8 option "colors" to be an integer from 1 to 256, got 0'],
    [{ palette: new Uint8Array(5) }, 'Expected png8 option "palette" to be 1 to 256 colours of 4 bytes (rgba), got 5 bytes'],
    [{ palette: 'web' }, 'Expected png8 option "palette" to be a Uint8Array, got "web"'],
    [{ transparency: 2 }, 'Expected png8 option "transparency" to be full|binary|none, got 2'],
    [{ dither: 2 }, 'Expected png8 option "dither" to be a number from 0 to 1, got 2']
  ]) {
    await assert.rejects(encode(source, { format: 'png8', ...options }), { code: 'ERR_SLUICE_OPTION', message })
  }
  await assert.rejects(encode(image({ width: 1 << 16, height: 1 << 16 }), { format: 'png8' }), { code: 'ERR_SLUICE_LIMIT', message: /so give one as an option/ })
})
