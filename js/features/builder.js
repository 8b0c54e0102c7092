'use strict'

const { isUint8Array } = require('node:util').types

const { SluiceError, show } = require('../errors')
const { baseOf } = require('./column')

const SHORT = 24 // characters; up to here a loop beats the call into Node
const LONGEST = 3 // bytes of UTF-8 for a UTF-16 code unit, at most
const DAY = 86_400_000 // milliseconds
const PER_MS = { ms: 1n, us: 1000n, ns: 1_000_000n }

/** Turns values, one by one, into columns of up to size rows. */
class Builder {
  #size
  #validity = null

  constructor (size) {
    this.#size = size
  }

  null (row) {
    this.#validity ??= new Uint8Array((this.#size + 7) >> 3).fill(255)
    this.#validity[row >> 3] &= ~(1 << (row & 7))
  }

  /** {validity} of the first rows, or nothing, and forgets it. */
  nulls () {
    const validity = this.#validity
    this.#validity = null
    return validity === null ? {} : { validity }
  }
}

class NumberBuilder extends Builder {
  #array
  #make
  #read

  constructor (size, Type, read) {
    super(size)
    this.#make = () => new Type(size)
    this.#array = this.#make()
    this.#read = read
  }

  add (row, value) {
    const read = this.#read(value)
    if (read === undefined) return false
    this.#array[row] = read
    return true
  }

  take (rows) {
    const values = this.#array.subarray(0, rows)
    this.#array = this.#make()
    return { values, ...this.nulls() }
  }
}

class BoolBuilder extends Builder {
  #bits
  #size

  constructor (size) {
    super(size)
    this.#size = size
    this.#bits = new Uint8Array((size + 7) >> 3)
  }

  add (row, value) {
    if (typeof value === 'bigint') value = Number(value)
    if (value !== true && value !== false && value !== 0 && value !== 1) return false
    if (value) this.#bits[row >> 3] |= 1 << (row & 7)
    return true
  }

  take (rows) {
    const values = this.#bits.subarray(0, (rows + 7) >> 3)
    this.#bits = new Uint8Array((this.#size + 7) >> 3)
    return { values, ...this.nulls() }
  }
}

/** Of bytes: text, or WKB. */
class BytesBuilder extends Builder {
  #offsets
  #size
  #data
  #end = 0

  constructor (size) {
    super(size)
    this.#size = size
    this.#offsets = new Int32Array(size + 1)
    this.#data = Buffer.allocUnsafeSlow(size * 16)
  }

  get bytes () { return this.#end }

  null (row) {
    super.null(row)
    this.#offsets[row + 1] = this.#end
  }

  add (row, value) {
    if (typeof value !== 'string') {
      if (isUint8Array(value)) {
        this.addBytes(row, value)
        return true
      }
      value = textOf(value)
      if (value === undefined) return false
    }
    const most = value.length * LONGEST
    this.#reserve(most)
    const end = value.length <= SHORT ? addAscii(this.#data, this.#end, value) : -1
    this.#end = end !== -1 ? end : this.#end + this.#data.write(value, this.#end)
    this.#offsets[row + 1] = this.#end
    return true
  }

  addBytes (row, bytes) {
    this.#reserve(bytes.byteLength)
    this.#data.set(bytes, this.#end)
    this.#end += bytes.byteLength
    this.#offsets[row + 1] = this.#end
  }

  take (rows) {
    const offsets = this.#offsets.subarray(0, rows + 1)
    const data = this.#data.subarray(0, this.#end)
    this.#offsets = new Int32Array(this.#size + 1)
    this.#data = Buffer.allocUnsafeSlow(this.#data.length)
    this.#end = 0
    return { offsets, data, ...this.nulls() }
  }

  #reserve (bytes) {
    if (this.#data.length - this.#end >= bytes) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#data.length * 2, this.#end + bytes))
    this.#data.copy(larger, 0, 0, this.#end)
    this.#data = larger
  }
}

/** Writes text to buffer at a place and returns the place after it; -1 when it is not ASCII. */
function addAscii (buffer, at, text) {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return -1
    buffer[at++] = unit
  }
  return at
}

/** What is no string, as text: dates as ISO 8601 has them, objects as JSON. */
function textOf (value) {
  if (typeof value === 'object') return value instanceof Date ? (Number.isNaN(value.getTime()) ? undefined : value.toISOString()) : JSON.stringify(value)
  return typeof value === 'symbol' || typeof value === 'function' ? undefined : String(value)
}

// ---- what drivers give for numbers and dates; undefined: none

/** Numbers, bigints, and strings of numbers, which drivers give for what JavaScript's numbers may not hold. */
function numberOf (value) {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const number = Number(value)
  return Number.isNaN(number) && value !== 'NaN' ? undefined : number
}

function integerOf (least, most) {
  return value => {
    if (typeof value !== 'number') value = numberOf(value)
    return Number.isInteger(value) && value >= least && value <= most ? value : undefined
  }
}

function bigOf (least, most) {
  return value => {
    if (typeof value === 'number') value = Number.isSafeInteger(value) ? BigInt(value) : undefined
    else if (typeof value === 'string') value = /^\s*[-+]?\d+\s*$/.test(value) ? BigInt(value.trim().replace('+', '')) : undefined
    return typeof value === 'bigint' && value >= least && value <= most ? value : undefined
  }
}

/** Milliseconds of a Date, or of a string as Date reads it. */
function millisecondsOf (value) {
  const ms = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(ms) ? undefined : ms
}

const days = integerOf(-(2 ** 31), 2 ** 31 - 1)
const long = bigOf(-(2n ** 63n), 2n ** 63n - 1n)

/** Numbers count days. */
function daysOf (value) {
  if (typeof value === 'number' || typeof value === 'bigint') return days(value)
  const ms = millisecondsOf(value)
  return ms === undefined ? undefined : Math.floor(ms / DAY)
}

/** Numbers count units. */
function instantOf (unit) {
  return value => {
    if (typeof value === 'number' || typeof value === 'bigint') return long(value)
    const ms = millisecondsOf(value)
    if (ms === undefined) return undefined
    return unit === 's' ? BigInt(Math.floor(ms / 1000)) : BigInt(Math.floor(ms)) * PER_MS[unit]
  }
}

const NUMBERS = {
  int8: [Int8Array, integerOf(-(2 ** 7), 2 ** 7 - 1)],
  int16: [Int16Array, integerOf(-(2 ** 15), 2 ** 15 - 1)],
  int32: [Int32Array, integerOf(-(2 ** 31), 2 ** 31 - 1)],
  uint8: [Uint8Array, integerOf(0, 2 ** 8 - 1)],
  uint16: [Uint16Array, integerOf(0, 2 ** 16 - 1)],
  uint32: [Uint32Array, integerOf(0, 2 ** 32 - 1)],
  int64: [BigInt64Array, long],
  uint64: [BigUint64Array, bigOf(0n, 2n ** 64n - 1n)],
  float32: [Float32Array, numberOf],
  float64: [Float64Array, numberOf],
  date32: [Int32Array, daysOf],
  date64: [BigInt64Array, instantOf('ms')]
}

/** A builder for a type, or undefined if there is no such type. */
function builderFor (type, size) {
  if (type === 'utf8') return new BytesBuilder(size)
  if (type === 'bool') return new BoolBuilder(size)
  if (Object.hasOwn(NUMBERS, type)) return new NumberBuilder(size, ...NUMBERS[type])
  if (baseOf(type) !== 'timestamp') return undefined
  const unit = type === 'timestamp' ? 'ms' : type.slice(10, -1)
  return unit === 's' || Object.hasOwn(PER_MS, unit) ? new NumberBuilder(size, BigInt64Array, instantOf(unit)) : undefined
}

function badValue (name, type, row, value) {
  return new SluiceError('ERR_SLUICE_INPUT', `Expected ${name} of row ${row} to be ${type}, got ${show(value)}`)
}

module.exports = { BytesBuilder, builderFor, badValue }
