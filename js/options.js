'use strict'

const { isUint8Array } = require('node:util').types

const binding = require('./binding')
const { SluiceError, argumentError, unsayable, show } = require('./errors')
const { isSignal } = require('./signal')

const MAX_CHUNK = 2 ** 30
const IMAGE_CHUNK = 16384 // bytes
const MAX_DEPTH = 8 // of lists and objects in each other; no option of any format has more than two

/**
 * Splits what a user passes into the keys that every format has and the format's own, which go to Go unseen:
 * {format, chunkSize, coding, signal, copy, own, buffers: its values that are bytes, failure: an error that Go would not
 * find, or null}. Keys may be inherited. Throws ERR_SLUICE_ARGUMENT for wrong types.
 */
function split (options) {
  if (options === undefined) options = {}
  if (!isRecord(options)) throw argumentError('options', 'an object', options)
  const all = Object.create(null)
  for (const key in options) all[key] = options[key]
  const { format, chunkSize, coding, signal, copy, ...rest } = all
  checkOptional('format', 'string', format)
  checkOptional('coding', 'string', coding)
  checkOptional('copy', 'boolean', copy)
  if (signal !== undefined && !isSignal(signal)) throw argumentError('signal', 'an AbortSignal', signal)
  const buffers = []
  return {
    format,
    chunkSize: chunkSize === undefined ? undefined : checkChunkSize(chunkSize),
    coding: [(coding ?? 'identity').toLowerCase()],
    signal,
    copy: copy === true,
    own: encodable(rest, buffers, []),
    buffers,
    failure: format === '' ? unnamed() : null // Go takes '' for the default
  }
}

/** Bytes in a chunk: what plan says, or the default of the source's format. Those of images have one in common. */
function chunkSizeOf (plan, source) {
  return plan.chunkSize ?? binding.info.formats.find(({ name }) => name === source._format)?.chunkSize ?? IMAGE_CHUNK
}

/** Whether value can be meant as options: no array, Map, Date, Promise and the like, whose keys are not their content. */
function isRecord (value) {
  return typeof value === 'object' && /^\[object (Object|Module)\]$/.test(Object.prototype.toString.call(value))
}

function unnamed () {
  const known = binding.info.formats.filter(({ source }) => source === 'image').flatMap(({ names }) => names) // others are fixed
  return new SluiceError('ERR_SLUICE_FORMAT', `Expected a known format (${known.join(', ')}), got ""`)
}

function checkChunkSize (chunkSize) {
  if (!Number.isInteger(chunkSize) || chunkSize < 1 || chunkSize > MAX_CHUNK) {
    throw argumentError('chunkSize', `an integer from 1 to ${MAX_CHUNK}`, chunkSize)
  }
  return chunkSize
}

function checkOptional (name, type, value) {
  // eslint-disable-next-line valid-typeof -- callers pass literals
  if (value !== undefined && typeof value !== type) throw argumentError(name, `a ${type}`, value)
}

/** A copy of value that JSON can hold; bytes become references into buffers. parents are the objects that value lies in. */
function encodable (value, buffers, parents) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      break
    case 'object':
      if (value === null) return value
      if (isUint8Array(value)) return { $buffer: buffers.push(value) - 1 }
      if (parents.includes(value) || parents.length === MAX_DEPTH) break
      if (Array.isArray(value)) return value.map(item => encodable(item, buffers, [...parents, value]))
      if (isPlain(value)) {
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encodable(item, buffers, [...parents, value])]))
      }
  }
  if (parents.includes(value)) return unsayable('an object that contains itself')
  return unsayable(parents.length === MAX_DEPTH ? 'too many objects in each other' : show(value))
}

function isPlain (value) {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

module.exports = { split, isRecord, checkChunkSize, checkOptional, chunkSizeOf }
