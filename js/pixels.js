'use strict'

const { argumentError } = require('./errors')

// The pixels of what other libraries call an image, as {data, width, height, …}.

// Memory that belongs to something else stays valid while that lives. A view of it may outlive what it was taken from in
// JavaScript's eyes, so the ArrayBuffer, which every view holds, holds the owner.
const owners = new WeakMap()

// ---- node-mapnik

// By mapnik.imageType.
const MAPNIK_TYPES = new Map([[0, { pixelFormat: 'rgba', bytes: 4 }], [1, { pixelFormat: 'gray', bytes: 1 }], [3, { pixelFormat: 'gray16', bytes: 2 }]])

// mapnik.ImageView says neither whose window it is nor where: {image, x, y}, noted when the view was made.
const windows = new WeakMap()

function noteView (view, image, x, y) {
  windows.set(view, { image, x, y })
}

function isMapnikImage (value) {
  return ['width', 'height', 'buffer', 'premultiplied', 'getType'].every(name => typeof value[name] === 'function')
}

function isMapnikView (value) {
  return value.constructor?.name === 'ImageView' && ['width', 'height', 'getPixel', 'isSolid'].every(name => typeof value[name] === 'function')
}

function ofMapnikImage (image) {
  const type = MAPNIK_TYPES.get(image.getType())
  if (type === undefined) throw argumentError('a mapnik.Image', 'of type rgba8 (0), gray8 (1) or gray16 (3)', image.getType())
  const data = image.buffer() // the image's own memory
  owners.set(data.buffer, image)
  return { data, width: image.width(), height: image.height(), pixelFormat: type.pixelFormat, premultiplied: image.premultiplied() }
}

function ofMapnikView (view) {
  const window = windows.get(view)
  if (window === undefined) throw argumentError('a mapnik.ImageView', "one that view() made after require('sluice/mapnik')(mapnik)", view)
  const whole = ofMapnikImage(window.image)
  const bytes = MAPNIK_TYPES.get(window.image.getType()).bytes
  const stride = whole.width * bytes
  const width = view.width()
  const height = view.height()
  const start = window.y * stride + window.x * bytes
  const end = start + (height - 1) * stride + width * bytes
  return { ...whole, data: whole.data.subarray(start, end), width, height, stride }
}

// ---- canvas

/** Standard ImageData: its pixelFormat is not ours. */
function isImageData (value) {
  return value.constructor?.name === 'ImageData' || /^rgba-/.test(value.pixelFormat)
}

function ofImageData ({ data, width, height, pixelFormat = 'rgba-unorm8' }) {
  if (pixelFormat !== 'rgba-unorm8') throw argumentError("an ImageData's pixelFormat", 'rgba-unorm8', pixelFormat)
  return { data, width, height }
}

function isCanvas (value) {
  return typeof value.getContext === 'function' && typeof value.width === 'number' && typeof value.height === 'number'
}

function ofCanvas (canvas) {
  const { width, height } = canvas
  if (typeof canvas.data === 'function') return { data: canvas.data(), width, height, premultiplied: true } // @napi-rs/canvas: a copy
  if (typeof canvas.stride === 'number' && typeof canvas.toBuffer === 'function') { // node-canvas: Cairo's ARGB32, native endian
    return { data: canvas.toBuffer('raw'), width, height, stride: canvas.stride, pixelFormat: 'bgra', premultiplied: true }
  }
  return ofImageData(canvas.getContext('2d').getImageData(0, 0, width, height))
}

const KINDS = [[isMapnikImage, ofMapnikImage], [isMapnikView, ofMapnikView], [isCanvas, ofCanvas], [isImageData, ofImageData]]

/** The pixels of value, if it is an object of another library's; else value itself. */
function toPixels (value) {
  if (typeof value !== 'object' || value === null) return value
  for (const [is, of] of KINDS) {
    if (is(value)) return of(value)
  }
  return value
}

module.exports = { toPixels, noteView }
