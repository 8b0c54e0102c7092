'use strict'

const { info } = require('../../../js/binding')

const BYTES = { rgba: 4, bgra: 4, rgb: 3, graya: 2, gray: 1, rgba16: 8, gray16: 2 }

/** The names of image formats, as errors list them. */
const formats = info.formats.filter(({ source }) => source === 'image').flatMap(({ names }) => names).join(', ')

/** Bytes that do not compress, the same in every run. */
function noise (length, seed = 1) {
  const bytes = Buffer.alloc(length)
  for (let i = 0, x = seed; i < length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    bytes[i] = x >>> 24
  }
  return bytes
}

/** An image of noise. */
function pixels (width, height, pixelFormat = 'rgba') {
  return { data: noise(width * height * BYTES[pixelFormat]), width, height, pixelFormat }
}

/** The strips of an image, each of some rows; width and format go with them. */
function * strips ({ data, width, height, pixelFormat }, rows) {
  const row = width * BYTES[pixelFormat]
  for (let y = 0; y < height; y += rows) yield data.subarray(y * row, Math.min(height, y + rows) * row)
}

/** What libpng reads: {width, height, data: straight RGBA}. */
function decode (png) {
  const mapnik = require('@mapnik/mapnik') // not there on every platform that tests run on
  const image = mapnik.Image.fromBytesSync(png)
  return { width: image.width(), height: image.height(), data: Buffer.from(image.data()) }
}

module.exports = { formats, noise, pixels, strips, decode }
