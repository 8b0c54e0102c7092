'use strict'

// The PNG encoders that are compared, each with the input that suits it best, made outside the measured time, and with one
// Buffer in memory as its output.

const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')
const { createCanvas, ImageData } = require('@napi-rs/canvas')
const { encode, encodeChunked } = require('sluice')

const levels = ['stored', 'fastest', 'fast', 'balanced', 'small']

/** What ratios are against: what a Node map server uses today. */
const base = 'node-mapnik png32'

/**
 * {name: {encode, chunked, slow, lossy}} for pixels. encode() resolves with the PNG. chunked(chunkSize) resolves with the milliseconds to
 * the first chunk and to the last. slow: to be measured less often. lossy: what comes out is not exactly what went in.
 */
async function encoders (pixels, cores) {
  sharp.concurrency(cores)
  sharp.cache(false)
  const fastPng = await import('fast-png')
  const straight = straightened(pixels)
  const { width, height, data } = straight
  const image = mapnik.Image.fromBufferSync(width, height, data)
  const raw = { width, height, channels: 4 }
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(data.buffer, data.byteOffset, data.length), width, height), 0, 0)

  const all = {}
  for (const level of levels) {
    all[`sluice ${level}`] = {
      encode: () => encode(pixels, { format: 'png', level }),
      chunked: (chunkSize) => firstAndLast(pixels, { format: 'png', level, chunkSize }),
      slow: level === 'small',
      lossy: pixels.premultiplied // each rounds colours in its own way when it makes them straight
    }
  }
  all[base] = { encode: () => mapnikEncode(image, 'png32') }
  all['node-mapnik png32:z=1'] = { encode: () => mapnikEncode(image, 'png32:z=1') }
  all.sharp = { encode: () => sharp(data, { raw }).png().toBuffer() }
  all['sharp level 1'] = { encode: () => sharp(data, { raw }).png({ compressionLevel: 1 }).toBuffer() }
  all['@napi-rs/canvas'] = { encode: () => canvas.encode('png'), lossy: !isOpaque(data) } // a canvas holds premultiplied colours
  all['fast-png'] = { encode: async () => Buffer.from(fastPng.encode({ width, height, data, channels: 4 })), slow: true }
  return { all, straight }
}

// Only sluice takes premultiplied pixels, and makes them straight within the measured time.
function straightened (pixels) {
  if (!pixels.premultiplied) return pixels
  const { data, width, height } = pixels
  const image = mapnik.Image.fromBufferSync(width, height, data, { premultiplied: true })
  image.demultiplySync()
  return { data: image.data(), width, height, premultiplied: false }
}

function isOpaque (data) {
  for (let i = 3; i < data.length; i += 4) {
    if (data[i] !== 255) return false
  }
  return true
}

function mapnikEncode (image, format) {
  return new Promise((resolve, reject) => image.encode(format, (err, png) => err ? reject(err) : resolve(png)))
}

function firstAndLast (pixels, options) {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let first
    encodeChunked(pixels, options, (err, chunk, last) => {
      if (err) return reject(err)
      first ??= performance.now() - start
      if (last) resolve({ first, total: performance.now() - start })
    })
  })
}

/** Rejects unless png decodes, with libpng, to the straight pixels. */
async function verify (png, { data, width, height }, { lossy }) {
  const image = await new Promise((resolve, reject) => {
    mapnik.Image.fromBytes(png, { max_size: 65535 }, (err, image) => err ? reject(err) : resolve(image))
  })
  if (image.width() !== width || image.height() !== height) throw new Error('the image has another size')
  if (!lossy && !image.data().equals(data)) throw new Error('the image has other pixels')
}

module.exports = { encoders, verify, base, levels }
