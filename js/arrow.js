'use strict'

const { BytesSource } = require('./bytes')
const { argumentError } = require('./errors')
const { checkOptional } = require('./options')
const { Part, isBytes } = require('./part')

const STREAM = 'application/vnd.apache.arrow.stream'
const TYPES = { codec: 'string', level: 'number' }
const CODECS = ['zstd', 'lz4'] // the server's preference

/** The bytes of an Arrow IPC stream, cut anywhere: its writers make many small ones. */
class ArrowSource extends BytesSource {
  #header

  constructor ({ codec, level }) {
    super()
    this.#header = { codec, level }
  }

  get _kind () { return 'arrow' }

  get _format () { return 'arrow' }

  _header () { return this.#header }

  _isSmall (part) { return typeof part !== 'string' && super._isSmall(part) }

  _cut (part) {
    if (!(part instanceof Part) && !isBytes(part)) throw argumentError('a part', 'a Uint8Array of an Arrow stream', part)
    return super._cut(part)
  }
}

/** A source of an Arrow IPC stream whose buffers are to be compressed or decompressed. */
function arrow (description = {}) {
  if (typeof description !== 'object' || description === null) {
    throw argumentError('a description of an Arrow stream', 'an object such as {codec, level}', description)
  }
  for (const [name, type] of Object.entries(TYPES)) checkOptional(name, type, description[name])
  return new ArrowSource(description)
}

/**
 * The codec for an answer in Arrow, with its header fields; null when the answer must be 406. The request asks for codecs by a
 * parameter of the media type that it accepts: application/vnd.apache.arrow.stream; codecs="zstd, lz4". Without it, it gets
 * 'none'. req is anything with headers.
 */
function negotiateArrow (req, options = {}) {
  if (typeof req?.headers !== 'object' || req.headers === null) throw argumentError('req', 'an object with headers', req)
  if (typeof options !== 'object' || options === null) throw argumentError('options', 'an object', options)
  const { codecs = CODECS } = options
  if (!Array.isArray(codecs) || !codecs.every(name => CODECS.includes(name))) throw argumentError('codecs', "an array of 'zstd' and 'lz4'", codecs)
  const range = bestRange(acceptOf(req.headers))
  if (range === null) return null
  const asked = (range.parameters.get('codecs') ?? '').toLowerCase().split(/[\s,]+/)
  return { codec: codecs.find(name => asked.includes(name)) ?? 'none', headers: { vary: 'Accept' } }
}

function acceptOf (headers) {
  const value = typeof headers.get === 'function' ? headers.get('accept') : headers.accept
  return Array.isArray(value) ? value.join(',') : value ?? '*/*'
}

/**
 * Of the media ranges of an Accept field that an Arrow stream is in, the one with the greatest weight, and the most specific of
 * those, as long as that is not 0; else null (RFC 9110, section 12.5.1). A weight of 0 of a range refuses what is in no other as
 * specific.
 */
function bestRange (field) {
  const ranges = split(field, ',').map(parseRange).filter(({ type }) => ['*/*', 'application/*', STREAM].includes(type))
  const specific = Math.max(...ranges.map(({ type }) => type.length)) // these three types, by length
  const [best] = ranges.filter(({ type }) => type.length === specific).sort((a, b) => b.weight - a.weight)
  return best !== undefined && best.weight > 0 ? best : null
}

function parseRange (text) {
  const [type, ...rest] = split(text, ';')
  const parameters = new Map(rest.map(parameter => {
    const [name, ...value] = parameter.split('=')
    return [name.trim().toLowerCase(), unquote(value.join('=').trim())]
  }))
  const weight = Number(parameters.get('q') ?? 1)
  return { type: type.toLowerCase(), parameters, weight: weight >= 0 && weight <= 1 ? weight : 1 }
}

/** Splits at separators outside of quoted strings, and trims. */
function split (text, separator) {
  const items = []
  let start = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') quoted = !quoted
    else if (text[i] === '\\' && quoted) i++
    else if (text[i] === separator && !quoted) {
      items.push(text.slice(start, i).trim())
      start = i + 1
    }
  }
  return [...items, text.slice(start).trim()]
}

function unquote (value) {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value
}

module.exports = { arrow, negotiateArrow }
