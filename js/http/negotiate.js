'use strict'

const { argumentError } = require('../errors')
const { fieldOf } = require('./fields')

const CODINGS = ['zstd', 'br', 'gzip', 'deflate'] // the server's preference
const FALLBACK = 0.0001 // the weight of identity when nothing is said of it: acceptable, and less than any that can be said

const COMPRESSED = new RegExp([
  '(?:audio|video)/.*',
  'image/(?:a?png|avif|gif|hei[cf]|jp2|jpe?g|jxl|webp)',
  'font/woff2?',
  'application/(?:font-woff2?|g?zip|x-gzip|zstd|java-archive|pdf|x-(?:7z-compressed|bzip2?|rar-compressed|xz)|vnd\\.google-earth\\.kmz|vnd\\.rar)',
  'application/vnd\\.(?:openxmlformats-officedocument|oasis\\.opendocument)\\..*',
  '.*\\+(?:g?zip|zstd)'
].map(type => `^${type}$`).join('|'))

/** Whether a content coding may make bytes of a media type fewer. */
function isCompressible (type) {
  return type === undefined || !COMPRESSED.test(type.split(';', 1)[0].trim().toLowerCase())
}

/**
 * The codings that an Accept-Encoding accepts, the best first, 'identity' among them; [] when none will do. Among equals the
 * order of codings counts, and identity comes last. RFC 9110, section 12.5.3, but for three things: an absent field is taken
 * for an empty one, as browsers send neither; a weight that is none removes its item; and codings that were not mentioned are
 * used when identity is refused and nothing else is left.
 */
function rank (field, codings) {
  const weights = parse(field ?? '')
  const others = weights.get('*')
  const candidates = [...codings.filter(name => name !== 'identity').map(name => [name, weights.get(name) ?? others]),
    ['identity', weights.get('identity') ?? others ?? FALLBACK]]
  const accepted = candidates.filter(([, weight]) => weight > 0)
  if (accepted.length > 0) return accepted.sort(([, a], [, b]) => b - a).map(([name]) => name)
  return candidates.filter(([, weight]) => weight === undefined).map(([name]) => name)
}

/** Weights by coding in lower case; an item whose weight is malformed is left out. */
function parse (field) {
  const weights = new Map()
  for (const item of field.split(',')) {
    const [name, ...parameters] = item.split(';').map(text => text.trim().toLowerCase())
    const weight = weightOf(parameters)
    if (name === '' || weight === null) continue
    const coding = name === 'x-gzip' ? 'gzip' : name // RFC 9110, section 8.4.1.3
    weights.set(coding, Math.max(weight, weights.get(coding) ?? 0))
  }
  return weights
}

function weightOf (parameters) {
  const parameter = parameters.find(text => /^q\s*(?:=|$)/.test(text))
  if (parameter === undefined) return 1
  const [, digits] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter) ?? []
  return digits === undefined ? null : Number(digits)
}

/** Why the answer to this request is not to be coded whatever it accepts: no body is sent, or a part of one. */
function isBare (req) {
  return req.method === 'HEAD' || fieldOf(req, 'range') !== undefined
}

/** What may be sent in answer to req, best first. named: the only coding that is wanted; a request that says nothing gets it. */
function acceptable (req, { type, codings, named }) {
  const field = fieldOf(req, 'accept-encoding')
  const offered = isBare(req) || !isCompressible(type) ? [] : named === undefined ? codings : [named]
  return field === undefined && named !== undefined ? [...offered, 'identity'] : rank(field, offered)
}

/** The header fields that tell of a coding. */
function codingHeaders (coding) {
  return coding === 'identity' ? { vary: 'Accept-Encoding' } : { vary: 'Accept-Encoding', 'content-encoding': coding }
}

/**
 * The content coding for an answer of a media type, with its header fields; null when the answer must be 406. req is anything
 * with headers: a request of Node's or the Web's, or {headers}.
 */
function negotiate (req, options = {}) {
  if (typeof req?.headers !== 'object' || req.headers === null) throw argumentError('req', 'an object with headers', req)
  if (typeof options !== 'object' || options === null) throw argumentError('options', 'an object', options)
  const { type, codings = CODINGS } = options
  if (type !== undefined && typeof type !== 'string') throw argumentError('type', 'a media type', type)
  if (!Array.isArray(codings) || !codings.every(name => typeof name === 'string')) throw argumentError('codings', 'an array of names', codings)
  const [coding] = acceptable(req, { type, codings: codings.map(name => name.toLowerCase()) })
  return coding === undefined ? null : { coding, headers: codingHeaders(coding) }
}

module.exports = { CODINGS, acceptable, isCompressible, negotiate }
