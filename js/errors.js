'use strict'

const binding = require('./binding')

/** Everything that goes wrong but aborts. `code` is stable, the message says what was expected and what came. */
class SluiceError extends Error {
  constructor (code, message, options) {
    super(message, options)
    this.code = code
  }
}
Object.defineProperty(SluiceError.prototype, 'name', { value: 'SluiceError', configurable: true, writable: true })

/** Node's AbortError, which Node does not export. */
class AbortError extends Error {
  constructor (message, options) {
    super(message, options)
    this.code = 'ABORT_ERR'
  }
}
Object.defineProperty(AbortError.prototype, 'name', { value: 'AbortError', configurable: true, writable: true })

function abortError (reason) {
  return new AbortError('The operation was aborted', reason === undefined ? undefined : { cause: reason })
}

/** The error for a FAIL event. */
function faultOf (number, message) {
  const code = binding.info.codes[number] ?? 'ERR_SLUICE_INTERNAL'
  return code === 'ABORT_ERR' ? abortError() : new SluiceError(code, message)
}

const argumentError = (what, expected, got) =>
  new SluiceError('ERR_SLUICE_ARGUMENT', `Expected ${what} to be ${expected}, got ${show(got)}`)

/** A value as error messages show it. */
function show (value) {
  switch (typeof value) {
    case 'string': return JSON.stringify(value.length > 60 ? value.slice(0, 60) + '…' : value)
    case 'function': return 'a function'
    case 'bigint': return `${value}n`
    case 'symbol': return String(value)
    case 'object': {
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'an array'
      const name = value.constructor?.name
      return typeof name === 'string' && name !== '' && name !== 'Object' ? `an instance of ${name}` : 'an object'
    }
    default: return String(value)
  }
}

module.exports = { SluiceError, abortError, faultOf, argumentError, show }
