'use strict'

const { isUint8Array } = require('node:util').types

const { SluiceError, argumentError, show } = require('./errors')

const MAX_CHUNK = 2 ** 30
const DEFAULT_CHUNK = 16384

/**
 * Splits what a user passes into the keys that every format has and the format's own, which go to Go unseen:
 * {format, chunkSize, coding, signal, copy, own, buffers: its values that are bytes, failure: what cannot
 * be said in JSON}. Throws ERR_SLUICE_ARGUMENT for wrong types.
 */
function split (options) {
  if (options === undefined) options = {}
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw argumentError('options', 'an object', options)
  const { format, chunkSize, coding, signal, copy, ...rest } = options
  checkOptional('format', 'string', format)
  checkOptional('coding', 'string', coding)
  checkOptional('copy', 'boolean', copy)
  if (signal !== undefined && !(typeof signal?.addEventListener === 'function' && typeof signal.aborted === 'boolean')) {
    throw argumentError('signal', 'an AbortSignal', signal)
  }
  const plan = {
    format,
    chunkSize: chunkSize === undefined ? DEFAULT_CHUNK : checkChunkSize(chunkSize),
    coding: [coding ?? 'identity'],
    signal,
    copy: copy === true,
    own: {},
    buffers: [],
    failure: null
  }
  try {
    plan.own = encodable(rest, '', plan.buffers, [])
  } catch (error) {
    plan.failure = error
  }
  return plan
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

/** A copy of value that JSON can hold; bytes become references into buffers. parents guard against cycles. */
function encodable (value, name, buffers, parents) {
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
      if (parents.includes(value)) break
      if (Array.isArray(value)) return value.map((item, i) => encodable(item, `${name}[${i}]`, buffers, [...parents, value]))
      if (isPlain(value)) {
        return Object.fromEntries(Object.entries(value).map(([key, item]) =>
          [key, encodable(item, name === '' ? key : `${name}.${key}`, buffers, [...parents, value])]))
      }
  }
  const got = parents.includes(value) ? 'an object that contains itself' : show(value)
  throw new SluiceError('ERR_SLUICE_OPTION', `Expected option ${JSON.stringify(name)} to be a string, finite number, boolean, Uint8Array, array or plain object, got ${got}`)
}

function isPlain (value) {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

module.exports = { split, checkChunkSize, checkOptional }
