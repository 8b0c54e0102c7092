'use strict'

const { isUint8Array } = require('node:util').types

const { SluiceError, argumentError } = require('../errors')
const { BytesBuilder, builderFor, badValue } = require('./builder')
const { columnsOf } = require('./columns')

const MOST = 4 * 1024 * 1024 // bytes of geometries in a batch
const LONGEST = 4 // ms between turns of the event loop, about
const POINT = 21 // bytes of a point's WKB
const POINT_Z = 29

/** Turns row objects into batches. */
class Batcher {
  #size
  #key // of geometries
  #columns // [name, type, builder]
  #geometry
  #rows = 0 // in the current batch
  #before = 0 // rows of earlier ones

  constructor (columns, size, key) {
    this.#size = size
    this.#key = key
    this.#columns = columnsOf(columns).map(([name, type]) => {
      const builder = builderFor(type, size)
      if (builder === undefined) throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected the type of column ${JSON.stringify(name)} to be a known one, got ${JSON.stringify(type)}`)
      return [name, type, builder]
    })
    this.#geometry = new GeometryBuilder(size)
  }

  get isEmpty () { return this.#rows === 0 }

  /** True: the batch is full. */
  add (record) {
    const row = this.#rows
    if (typeof record !== 'object' || record === null) throw badValue('a record', 'an object', this.#before + row, record)
    if (this.#key !== null && !this.#geometry.add(row, record[this.#key])) throw badValue('the geometry', 'WKB or {x, y}', this.#before + row, record[this.#key])
    for (const [name, type, builder] of this.#columns) {
      const value = record[name]
      if (value === null || value === undefined) builder.null(row)
      else if (!builder.add(row, value)) throw badValue(`column ${JSON.stringify(name)}`, type, this.#before + row, value)
    }
    return ++this.#rows === this.#size || this.#geometry.bytes > MOST
  }

  take () {
    const rows = this.#rows
    const columns = {}
    for (const [name, , builder] of this.#columns) columns[name] = builder.take(rows)
    this.#rows = 0
    this.#before += rows
    return { geometry: this.#key === null ? null : this.#geometry.take(rows), columns, length: rows }
  }
}

/** Of points by x and y as long as there is nothing else in the batch, then of WKB. */
class GeometryBuilder {
  #size
  #points
  #wkb

  constructor (size) {
    this.#size = size
    this.#points = new Points(size)
    this.#wkb = null
  }

  get bytes () { return this.#wkb === null ? 0 : this.#wkb.bytes }

  add (row, value) {
    if (value === null || value === undefined) {
      (this.#wkb ?? this.#points).null(row)
      return true
    }
    if (typeof value === 'object' && typeof value.x === 'number' && typeof value.y === 'number') {
      if (this.#wkb === null && this.#points.add(row, value)) return true
      this.#toWkb(row)
      this.#wkb.addBytes(row, pointOf(value.x, value.y, value.z))
      return true
    }
    const bytes = wkbOf(value)
    if (bytes === null) return false
    this.#toWkb(row)
    if (bytes.byteLength === 0) this.#wkb.null(row)
    else this.#wkb.addBytes(row, bytes)
    return true
  }

  take (rows) {
    if (this.#wkb === null) return this.#points.take(rows)
    const { offsets, data, ...nulls } = this.#wkb.take(rows)
    this.#wkb = null
    return { wkb: { offsets, data }, ...nulls }
  }

  /** Makes WKB of the rows before row. */
  #toWkb (row) {
    if (this.#wkb !== null) return
    this.#wkb = new BytesBuilder(this.#size)
    const { x, y, z, validity } = this.#points.take(row)
    for (let i = 0; i < row; i++) {
      if (validity === undefined || validity[i >> 3] >> (i & 7) & 1) this.#wkb.addBytes(i, pointOf(x[i], y[i], z?.[i]))
      else this.#wkb.null(i)
    }
  }
}

/** Points that have all three coordinates or all have two. */
class Points {
  #size
  #x
  #y
  #z
  #validity = null
  #dimensions = 0 // of the points so far

  constructor (size) {
    this.#size = size
    this.#clear()
  }

  #clear () {
    this.#x = new Float64Array(this.#size)
    this.#y = new Float64Array(this.#size)
    this.#z = null
    this.#validity = null
    this.#dimensions = 0
  }

  /** False: it has other dimensions than those before. */
  add (row, { x, y, z }) {
    const dimensions = typeof z === 'number' ? 3 : 2
    if (this.#dimensions === 0) {
      this.#dimensions = dimensions
      if (dimensions === 3) this.#z = new Float64Array(this.#size)
    } else if (this.#dimensions !== dimensions) {
      return false
    }
    this.#x[row] = x
    this.#y[row] = y
    if (dimensions === 3) this.#z[row] = z
    return true
  }

  null (row) {
    this.#validity ??= new Uint8Array((this.#size + 7) >> 3).fill(255)
    this.#validity[row >> 3] &= ~(1 << (row & 7))
  }

  take (rows) {
    const taken = { x: this.#x.subarray(0, rows), y: this.#y.subarray(0, rows) }
    if (this.#z !== null) taken.z = this.#z.subarray(0, rows)
    if (this.#validity !== null) taken.validity = this.#validity
    this.#clear()
    return taken
  }
}

/** A point's WKB. */
function pointOf (x, y, z) {
  const is3d = typeof z === 'number'
  const bytes = Buffer.allocUnsafe(is3d ? POINT_Z : POINT)
  bytes[0] = 1
  bytes.writeUInt32LE(is3d ? 1001 : 1, 1)
  bytes.writeDoubleLE(x, 5)
  bytes.writeDoubleLE(y, 13)
  if (is3d) bytes.writeDoubleLE(z, 21)
  return bytes
}

/** WKB, or EWKB, of what drivers give: bytes, hexadecimal digits (PostGIS), a GeoPackage's blob; null for what is neither. */
function wkbOf (value) {
  if (typeof value === 'string') return /^(?:[0-9a-f]{2})+$/i.test(value) ? Buffer.from(value, 'hex') : null
  if (value instanceof ArrayBuffer) value = new Uint8Array(value)
  if (!isUint8Array(value)) return null
  if (value[0] !== 0x47 || value[1] !== 0x50) return value
  return value.subarray(8 + [0, 32, 48, 48, 64, 0, 0, 0][value[3] >> 1 & 7]) // GeoPackage 1.3, 2.1.3: "GP", flags, an envelope
}

/** Batches of features, made of rows as they come: parts for write(). */
function batches (rows, columns, options = {}) {
  if (typeof options !== 'object' || options === null) throw argumentError('options', 'an object {size, geometry}', options)
  const { size = 1024, geometry = 'geometry' } = options
  if (!Number.isInteger(size) || size < 1 || size > 2 ** 20) throw argumentError('size', 'an integer from 1 to 1048576', size)
  if (geometry !== null && typeof geometry !== 'string') throw argumentError('geometry', 'the name of a property, or null', geometry)
  const isIterable = rows !== null && rows !== undefined && (typeof rows[Symbol.asyncIterator] === 'function' || typeof rows[Symbol.iterator] === 'function')
  if (!isIterable || typeof rows === 'string') throw argumentError('rows', 'an iterable of objects', rows)
  return generate(rows, new Batcher(columns, size, geometry))
}

async function * generate (rows, batcher) {
  const breath = new Breath()
  if (typeof rows[Symbol.asyncIterator] === 'function') {
    for await (const record of rows) {
      if (!batcher.add(record)) continue
      yield batcher.take()
      if (breath.isDue()) await breath.take()
    }
  } else {
    for (const record of rows) {
      if (!batcher.add(record)) continue
      yield batcher.take()
      if (breath.isDue()) await breath.take()
    }
  }
  if (!batcher.isEmpty) yield batcher.take()
}

/** Lets the event loop turn now and then: rows that are there and batches that are taken at once need no turn of it. */
class Breath {
  #last = performance.now()

  isDue () { return performance.now() - this.#last > LONGEST }

  async take () {
    await new Promise(resolve => setImmediate(resolve))
    this.#last = performance.now()
  }
}

module.exports = { batches }
