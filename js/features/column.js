'use strict'

const { types } = require('node:util')

const { SluiceError, argumentError, show } = require('../errors')
const { bytesOf, detached } = require('../part')

/** How the values of each type lie in memory. Those of text and booleans have their own ways. */
const ARRAYS = {
  int8: 'Int8Array',
  int16: 'Int16Array',
  int32: 'Int32Array',
  int64: 'BigInt64Array',
  uint8: 'Uint8Array',
  uint16: 'Uint16Array',
  uint32: 'Uint32Array',
  uint64: 'BigUint64Array',
  float32: 'Float32Array',
  float64: 'Float64Array',
  date32: 'Int32Array',
  date64: 'BigInt64Array',
  timestamp: 'BigInt64Array'
}

const INDICES = { Int8Array: 'int8', Int16Array: 'int16', Int32Array: 'int32', BigInt64Array: 'int64', Uint8Array: 'uint8', Uint16Array: 'uint16', Uint32Array: 'uint32', BigUint64Array: 'uint64' }

/** A type's name without its unit. */
const baseOf = type => type.startsWith('timestamp') ? 'timestamp' : type

/** Puts the arrays of a batch into the list of buffers that a part has, and says where they lie. */
class Packer {
  buffers = []
  rows = undefined // as many as the first array that tells has
  #from = '' // which that is

  /** The length of a batch as its user says it. */
  say (length) {
    if (length === undefined) return
    if (typeof length !== 'number') throw argumentError('length', 'a number', length)
    if (!Number.isSafeInteger(length) || length < 0) throw new SluiceError('ERR_SLUICE_INPUT', `Expected length to be a number of rows, got ${length}`)
    this.rows = length
    this.#from = 'length'
  }

  /** Every array of a batch must have as many rows. */
  count (rows, what) {
    if (this.rows === undefined) {
      this.rows = rows
      this.#from = what
    } else if (this.rows !== rows) {
      throw new SluiceError('ERR_SLUICE_INPUT', `Expected ${what} to have ${this.rows} rows like ${this.#from}, got ${rows}`)
    }
  }

  add (array) {
    const bad = detached(array)
    if (bad !== null) throw bad
    return this.buffers.push(bytesOf(array)) - 1
  }

  /** {validity, bit} of what may have nulls, bitOffset bits from the start of its bitmap. */
  nulls ({ validity, bitOffset }, what) {
    return validity === undefined || validity === null ? {} : this.bitmap('validity', 'bit', validity, bitOffset, `validity of ${what}`)
  }

  bitmap (name, bitName, bits, bitOffset = 0, what) {
    check(bits, ['Uint8Array'], what)
    if (typeof bitOffset !== 'number') throw argumentError(`bitOffset of ${what}`, 'a number', bitOffset)
    if (!Number.isSafeInteger(bitOffset) || bitOffset < 0) throw new SluiceError('ERR_SLUICE_INPUT', `Expected bitOffset of ${what} to be a number of bits, got ${bitOffset}`)
    return { [name]: this.add(bits.subarray(bitOffset >>> 3)), [bitName]: bitOffset & 7 }
  }

  offsets (array, what) {
    check(array, ['Int32Array', 'BigInt64Array'], what)
    if (array.length === 0) throw new SluiceError('ERR_SLUICE_INPUT', `Expected ${what} to have one more than there are rows, got none`)
    return { offsets: this.add(array), ...types.isBigInt64Array(array) ? { wide: true } : {} }
  }

  column (column, type, what) {
    if (column === null) return { null: true }
    if (ArrayBuffer.isView(column)) column = { values: column }
    if (typeof column !== 'object' || Array.isArray(column)) throw argumentError(what, 'a typed array or an object with values', column)
    if (column.indices === undefined) return this.#vector(column, type, what, rows => this.count(rows, what))
    const { indices, dictionary } = column
    check(indices, Object.keys(INDICES), `indices of ${what}`)
    this.count(indices.length, what)
    let length = dictionary?.length
    const values = this.#vector(ArrayBuffer.isView(dictionary) ? { values: dictionary } : Object(dictionary), type, `dictionary of ${what}`, rows => { length = rows })
    return { values: this.add(indices), type: INDICES[indices[Symbol.toStringTag]], ...this.nulls(column, what), dictionary: { ...values, length } }
  }

  #vector (vector, type, what, count) {
    if (type === 'utf8') {
      const { offsets, data } = vector
      const where = this.offsets(offsets, `offsets of ${what}`)
      check(data, ['Uint8Array'], `data of ${what}`)
      count(offsets.length - 1)
      return { values: this.add(data), ...where, ...this.nulls(vector, what) }
    }
    const { values } = vector
    if (type === 'bool') return { ...this.bitmap('values', 'valueBit', values, vector.bitOffset, what), ...this.nulls(vector, what) }
    check(values, ARRAYS[baseOf(type)] === undefined ? undefined : [ARRAYS[baseOf(type)]], what)
    count(values.length)
    return { values: this.add(values), ...this.nulls(vector, what) }
  }
}

/** Throws unless value is a typed array of one of the kinds. */
function check (value, kinds, what) {
  if (ArrayBuffer.isView(value) && !types.isDataView(value) && (kinds === undefined || kinds.includes(value[Symbol.toStringTag]))) return
  const expected = (kinds ?? ['typed array']).map((kind, i) => i === 0 ? `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}` : kind).join(' or ')
  throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected ${what} to be ${expected}, got ${show(value)}`)
}

module.exports = { Packer, check, baseOf }
