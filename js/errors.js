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

/** What somebody gave up with, as an error that is not mistaken for none: value itself unless it is falsy. */
function failureOf (value) {
  return value || abortError(value ?? undefined)
}

/** The error for a FAIL event. */
function faultOf (number, message) {
  const code = binding.info.codes[number] ?? 'ERR_SLUICE_INTERNAL'
  return code === 'ABORT_ERR' ? abortError() : new SluiceError(code, reworded(message))
}

/** Go's message in terms of what the user passed: values that JSON cannot hold. */
function reworded (message) {
  return message.replace(/\[\["\$got",("(?:[^"\\]|\\.)*")\]\]/g, (_, text) => JSON.parse(text))
}

/** Stands for a value that JSON cannot hold; shown: as messages show it. Go refuses it as every type of option: see reworded. */
function unsayable (shown) {
  return [['$got', shown.replace(/[^ -~]/g, '?').slice(0, 50)]] // short enough for Go to quote it whole
}

const argumentError = (what, expected, got) =>
  new SluiceError('ERR_SLUICE_ARGUMENT', `Expected ${what} to be ${expected}, got ${show(got)}`)

/** A value as error messages show it. */
function show (value) {
  switch (typeof value) {
    case 'string': return JSON.stringify(clip(value))
    case 'function': return 'a function'
    case 'bigint': return clip(`${value}n`)
    case 'symbol': return clip(String(value))
    case 'object': {
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'an array'
      const name = value.constructor?.name
      return typeof name === 'string' && name !== '' && name !== 'Object' ? `an instance of ${clip(name)}` : 'an object'
    }
    default: return String(value)
  }
}

function clip (text) {
  return text.length > 60 ? text.slice(0, 60) + '…' : text
}

module.exports = { SluiceError, abortError, failureOf, faultOf, argumentError, unsayable, show }
