'use strict'

const { SluiceError, argumentError, show } = require('./errors')
const { checkOptional } = require('./options')
const { Part, bytesOf, detached, isBytes } = require('./part')
const { toPixels } = require('./pixels')
const { PushSource } = require('./push-source')

// What js/stream.js asks of a source: _kind, _format (undefined when the user chooses it) and _header(), which go to Go as
// they are; _failure(), an error that is known already (impossible sizes, detached data), or null; _claim(), which throws if
// the source was used up; _attach(stream, copy), from which on it writes and finishes; _drained(), once for every part that
// Go is done with; _refuse(error) when the stream is being aborted; _closed(error or null) when it is over.

/** A whole image. Its pixels are borrowed while a stream reads them; it may be used any number of times. */
class ImageSource {
  #data
  #stride
  #header

  constructor (pixels) {
    this.#header = { ...imageHeader(pixels), whole: true }
    checkOptional('stride', 'number', pixels.stride)
    this.#stride = pixels.stride
    this.#data = checkData(pixels.data)
  }

  get _kind () { return 'image' }

  _header () { return this.#header }

  _failure () { return unsizable({ ...this.#header, stride: this.#stride }) ?? detached(this.#data) }

  _claim () {}

  _attach (stream, copyAll) {
    const part = new Part([bytesOf(this.#data)], { stride: this.#stride, height: this.#header.height })
    part.own(copyAll)
    stream.write(part)
    stream.finish()
  }

  _drained () {}
  _refuse () {}
  _closed () {}
}

/** An image whose rows are pushed from top to bottom while they render. */
class ImagePushSource extends PushSource {
  #header

  constructor (description) {
    super()
    this.#header = imageHeader(description)
    for (const name of ['opaque', 'gray']) {
      checkOptional(name, 'boolean', description[name])
      this.#header[name] = description[name]
    }
  }

  get _kind () { return 'image' }

  _header () { return this.#header }

  _failure () { return super._failure() ?? unsizable(this.#header) }

  _cut (part) {
    if (isBytes(part)) return partOf(part, null)
    const strip = toPixels(part)
    if (typeof strip !== 'object' || strip === null || !('data' in strip)) {
      throw argumentError('a part', 'a Uint8Array of whole rows or pixels {data, width, height}', strip)
    }
    const header = imageHeader(strip)
    const data = checkData(strip.data)
    checkOptional('stride', 'number', strip.stride)
    for (const [name, standard] of [['width'], ['pixelFormat', 'rgba'], ['premultiplied', false]]) {
      const whole = this.#header[name] ?? standard
      if (header[name] !== undefined && header[name] !== whole) {
        throw new SluiceError('ERR_SLUICE_INPUT', `Expected strips whose ${name} is the image's, ${show(whole)}, got ${show(header[name])}`)
      }
    }
    const bad = unsizable(strip)
    if (bad !== null) throw new SluiceError('ERR_SLUICE_INPUT', bad.message)
    if (strip.height < 1) throw new SluiceError('ERR_SLUICE_INPUT', `Expected strips of at least one row, got a height of ${strip.height}`)
    return partOf(data, { stride: strip.stride, height: strip.height })
  }
}

function partOf (data, meta) {
  const bad = detached(data)
  if (bad !== null) throw bad
  return new Part([bytesOf(data)], meta)
}

/** The source that image() makes: a whole one when there is data, else one that rows are pushed into. */
function image (value) {
  const description = toPixels(value)
  if (typeof description !== 'object' || description === null) {
    throw argumentError('an image', 'pixels {data, width, height} or a description {width, height}', description)
  }
  return 'data' in description ? new ImageSource(description) : new ImagePushSource(description)
}

/** Whatever a user passes for a source, as one. */
function toSource (value) {
  if (value instanceof PushSource || value instanceof ImageSource) return value
  const pixels = toPixels(value)
  if (typeof pixels !== 'object' || pixels === null || !('data' in pixels)) {
    throw argumentError('source', 'pixels {data, width, height} or a source such as image() makes', value)
  }
  return new ImageSource(pixels)
}

/** Types are checked here, values in Go. */
function imageHeader ({ width, height, pixelFormat, premultiplied }) {
  if (typeof width !== 'number') throw argumentError('width', 'a number', width)
  if (typeof height !== 'number') throw argumentError('height', 'a number', height)
  checkOptional('pixelFormat', 'string', pixelFormat)
  checkOptional('premultiplied', 'boolean', premultiplied)
  return { width, height, pixelFormat, premultiplied }
}

function checkData (data) {
  if (!isBytes(data)) throw argumentError('data', 'a Uint8Array or Uint8ClampedArray', data)
  return data
}

// What Go would say of the sizes that it does not get to see: those that are no integers, or none that JSON holds exactly.
const SIZES = {
  width: { code: 'ERR_SLUICE_LIMIT', most: 2 ** 20 },
  height: { code: 'ERR_SLUICE_LIMIT', most: 2 ** 20 },
  stride: { code: 'ERR_SLUICE_INPUT', most: 2 ** 40 }
}

function unsizable (sizes) {
  for (const [name, { code, most }] of Object.entries(SIZES)) {
    const value = sizes[name]
    if (value !== undefined && !Number.isSafeInteger(value)) {
      return new SluiceError(code, `Expected ${name} to be an integer from 1 to ${most}, got ${value}`)
    }
  }
  return null
}

module.exports = { image, toSource }
