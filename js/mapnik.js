'use strict'

const { argumentError } = require('./errors')
const { encodeChunked } = require('./job')
const { noteView } = require('./pixels')

const patched = new WeakSet()

/**
 * Adds encodeChunked to mapnik.Image and mapnik.ImageView, and returns mapnik. Views must be made after that: mapnik does not
 * tell whose they are.
 */
function mapnik (mapnik) {
  if (typeof mapnik?.Image?.prototype?.view !== 'function' || typeof mapnik.ImageView !== 'function') {
    throw argumentError('mapnik', 'what require("@mapnik/mapnik") returns', mapnik)
  }
  const { prototype } = mapnik.Image
  if (patched.has(prototype)) return mapnik
  patched.add(prototype)

  const { view } = prototype
  prototype.view = function (x, y, ...size) { // writable, but not configurable
    const made = view.call(this, x, y, ...size)
    noteView(made, this, Math.min(x, this.width() - 1), Math.min(y, this.height() - 1)) // as mapnik clips them
    return made
  }
  for (const { prototype } of [mapnik.Image, mapnik.ImageView]) {
    const value = function encodeChunked (...args) { return encode(mapnik, this, args) }
    Object.defineProperty(prototype, 'encodeChunked', { value, writable: true, configurable: true })
  }
  return mapnik
}

/** (chunkSize, callback), (format, callback), (format, options, callback), (format, options, chunkSize, callback). */
function encode (mapnik, image, args) {
  const callback = args.pop()
  if (typeof args[0] === 'number' && args.length === 1) return encodeChunked(image, args[0], callback)
  const [format, options = {}, chunkSize] = args
  if (typeof format !== 'string' || args.length > 3) {
    throw argumentError('the arguments', '(chunkSize, callback) or (format[, options[, chunkSize]], callback)', args[0])
  }
  if (typeof options !== 'object' || options === null) throw argumentError('options', 'an object', options)
  const all = { ...options, format }
  if (chunkSize !== undefined) all.chunkSize = chunkSize
  if (mapnik.Palette !== undefined && options.palette instanceof mapnik.Palette) all.palette = options.palette.toBuffer() // RGBA
  return encodeChunked(image, all, callback)
}

module.exports = mapnik
