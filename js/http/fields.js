'use strict'

const { validateHeaderName, validateHeaderValue } = require('node:http')

const { SluiceError, argumentError } = require('../errors')

// What describes one representation, and says nothing of the document that is sent in its place.
const OF_THE_CONTENT = [
  'accept-ranges', 'cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-length', 'content-location',
  'content-range', 'content-type', 'digest', 'etag', 'expires', 'last-modified', 'repr-digest', 'content-digest',
  'x-accel-buffering'
]

/** The header fields of one response, by name in lower case. */
class Fields extends Map {
  /** A copy of what a user passes as headers: a plain object, a Headers, or pairs. */
  static of (headers, what = 'headers') {
    const fields = new Fields()
    if (headers === undefined || headers === null) return fields
    if (typeof headers !== 'object') throw argumentError(what, 'an object', headers)
    for (const entry of typeof headers[Symbol.iterator] === 'function' ? headers : Object.entries(headers)) {
      if (!Array.isArray(entry) || entry.length !== 2) throw argumentError(what, 'an object, Headers or pairs', headers)
      fields.#add(...entry)
    }
    return fields
  }

  #add (name, value) {
    if (value === undefined) return
    const lower = String(name).toLowerCase()
    try {
      validateHeaderName(lower)
      for (const item of [value].flat()) validateHeaderValue(lower, item)
    } catch (cause) {
      throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected headers that HTTP allows: ${cause.message}`, { cause })
    }
    const text = Array.isArray(value) ? value.map(String) : String(value)
    const before = this.get(lower)
    this.set(lower, lower === 'set-cookie' && before !== undefined ? [before, text].flat() : text)
  }

  /** The value as one string, undefined if there is none. */
  text (name) {
    const value = this.get(name)
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Adds what those of other lack here. */
  inherit (other) {
    for (const [name, value] of other) {
      if (name === 'vary') for (const item of split(String(value))) this.vary(item)
      else if (!this.has(name)) this.set(name, value)
    }
  }

  vary (name) {
    const names = split(this.text('vary') ?? '')
    if (!names.includes('*') && !names.some(other => other.toLowerCase() === name.toLowerCase())) names.push(name)
    this.set('vary', names.join(', '))
  }

  /** Says that the content is coded: its length is not known, and its strong ETag is another representation's (RFC 9110, 8.8.3.3). */
  code (coding) {
    this.set('content-encoding', coding)
    this.delete('content-length')
    const etag = this.text('etag')
    if (etag?.startsWith('"')) this.set('etag', `W/${etag}`)
  }

  without (names) {
    const rest = new Fields(this)
    for (const name of names) rest.delete(name)
    return rest
  }
}

function split (list) {
  return list.split(',').map(item => item.trim()).filter(item => item !== '')
}

/** A field of a request: of a Node request, a Web one, or whatever has headers. Undefined if there is none. */
function fieldOf ({ headers }, name) {
  let value
  if (typeof headers.get === 'function') value = headers.get(name) ?? undefined
  else value = headers[name] ?? headers[Object.keys(headers).find(key => key.toLowerCase() === name)]
  return value === undefined || value === null ? undefined : Array.isArray(value) ? value.join(', ') : String(value)
}

module.exports = { Fields, OF_THE_CONTENT, fieldOf }
