'use strict'

const { SluiceError, argumentError } = require('../errors')

// What apache-arrow calls its types (type.typeId).
const NULL = 1
const INT = 2
const FLOAT = 3
const BINARY = 4
const UTF8 = 5
const BOOL = 6
const DATE = 8
const TIMESTAMP = 10
const LIST = 12
const STRUCT = 13
const FIXED_SIZE_LIST = 16
const LARGE_BINARY = 19
const LARGE_UTF8 = 20
const LARGE_LIST = 21
const DICTIONARY = -1

const UNITS = ['s', 'ms', 'us', 'ns']
const EXTENSION = 'ARROW:extension:name'
const NESTED = { point: 0, linestring: 1, polygon: 2, multipoint: 1, multilinestring: 2, multipolygon: 3 }
const WKB = ['geoarrow.wkb', 'ogc.wkb']
const USUAL = ['geometry', 'geom', 'wkb_geometry', 'the_geom', 'shape']

/** The batches of a table, whose buffers are not copied. columns is what features() has to know of them. */
class ArrowBatches {
  #batches
  #fields // [name, type, index]
  #geometry // {index, kind} or null

  constructor (batches, fields, geometry) {
    this.#batches = batches
    this.#fields = fields
    this.#geometry = geometry
    this.columns = Object.fromEntries(fields.map(([name, type]) => [name, type]))
  }

  * [Symbol.iterator] () {
    for (const { data } of this.#batches) {
      if (data.length === 0) continue
      const columns = {}
      for (const [name, , index] of this.#fields) columns[name] = columnOf(data.children[index], name)
      const { index, kind } = this.#geometry ?? {}
      yield { geometry: kind === undefined ? null : geometryOf(data.children[index], kind), columns, length: data.length }
    }
  }
}

/** Batches of features whose columns are those of an apache-arrow Table or RecordBatch: parts for write(). */
function fromArrow (data, options = {}) {
  const batches = Array.isArray(data?.batches) ? data.batches : [data]
  const fields = data?.schema?.fields
  if (!Array.isArray(fields) || !batches.every(batch => Array.isArray(batch?.data?.children))) throw argumentError('data', 'a Table or a RecordBatch of apache-arrow', data)
  if (typeof options !== 'object' || options === null) throw argumentError('options', 'an object {geometry, type, columns}', options)
  const geometry = findGeometry(fields, options)
  const { columns } = options
  if (columns !== undefined && !Array.isArray(columns)) throw argumentError('columns', 'a list of names', columns)
  const wanted = columns ?? fields.filter((_, index) => index !== geometry?.index).map(({ name }) => name)
  return new ArrowBatches(batches, wanted.map(name => {
    const index = indexOf(fields, name)
    return [name, typeOf(fields[index].type, name), index]
  }), geometry)
}

function indexOf (fields, name) {
  const index = fields.findIndex(field => field.name === name)
  if (index === -1) throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected a column of the table (${fields.map(field => field.name).join(', ')}), got ${JSON.stringify(name)}`)
  return index
}

/** The column of geometries: the one that is asked for, says so itself (GeoArrow), or is called as it usually is. */
function findGeometry (fields, { geometry, type }) {
  if (geometry === null) return null
  if (geometry !== undefined && typeof geometry !== 'string') throw argumentError('geometry', 'the name of a column, or null', geometry)
  const says = field => extensionOf(field) !== undefined
  const usual = ({ name, type }) => USUAL.includes(name.toLowerCase()) && [BINARY, LARGE_BINARY, STRUCT, FIXED_SIZE_LIST].includes(type.typeId)
  let index = fields.findIndex(says)
  if (geometry !== undefined) index = indexOf(fields, geometry)
  else if (index === -1) index = fields.findIndex(usual)
  if (index === -1) return null
  return { index, kind: kindOf(fields[index], type) }
}

/** What GeoArrow's metadata say: 'wkb', 'point', …; undefined: nothing. */
function extensionOf (field) {
  const name = field.metadata?.get(EXTENSION)
  if (name === undefined) return undefined
  if (WKB.includes(name)) return 'wkb'
  const kind = name.replace(/^geoarrow\./, '')
  return kind !== name && Object.hasOwn(NESTED, kind) ? kind : undefined
}

function kindOf (field, type) {
  const { typeId } = field.type
  const known = type?.toLowerCase?.() ?? extensionOf(field) ?? (typeId === BINARY || typeId === LARGE_BINARY ? 'wkb' : typeId === STRUCT || typeId === FIXED_SIZE_LIST ? 'point' : undefined)
  if (known !== 'wkb' && !Object.hasOwn(NESTED, known)) throw argumentError(`the type of geometry ${JSON.stringify(field.name)}`, `wkb or one of ${Object.keys(NESTED).join(', ')}`, type ?? String(field.type))
  return known
}

/** The type of a column, as features() calls it. */
function typeOf (type, name) {
  switch (type.typeId) {
    case NULL: case UTF8: case LARGE_UTF8: return 'utf8'
    case INT: return `${type.isSigned ? '' : 'u'}int${type.bitWidth}`
    case FLOAT: if (type.precision > 0) return type.precision === 1 ? 'float32' : 'float64'; break
    case BOOL: return 'bool'
    case DATE: return type.unit === 0 ? 'date32' : 'date64'
    case TIMESTAMP: return `timestamp[${UNITS[type.unit]}]`
    case DICTIONARY: return typeOf(type.dictionary, name)
  }
  throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected column ${JSON.stringify(name)} to be of integers, floats, utf8, bool, dates or timestamps, or a dictionary of these, got ${type}: leave it out by columns`)
}

/** The bitmap of nulls, which is the one thing that is not cut when data is sliced. */
function nullsOf (data) {
  return data.nullCount > 0 ? { validity: data.nullBitmap, bitOffset: data.offset } : {}
}

function columnOf (data, name) {
  const { type, length } = data
  switch (type.typeId) {
    case NULL: return null
    case UTF8: case LARGE_UTF8: return { offsets: data.valueOffsets.subarray(0, length + 1), data: data.values, ...nullsOf(data) }
    case BOOL: return { values: data.values, bitOffset: data.offset, ...data.nullCount > 0 ? { validity: data.nullBitmap } : {} }
    case DICTIONARY: return { indices: data.values.subarray(0, length), dictionary: dictionaryOf(data.dictionary, name), ...nullsOf(data) }
  }
  const values = type.typeId === DATE || type.typeId === TIMESTAMP ? wide(data.values, type.typeId === DATE && type.unit === 0) : data.values
  return { values: values.subarray(0, length), ...nullsOf(data) }
}

/** Dates and timestamps of 64 bits, which older versions of apache-arrow have as pairs of 32. */
function wide (values, isShort) {
  if (isShort || values instanceof BigInt64Array) return values
  if (values.byteOffset % 8 !== 0) values = values.slice()
  return new BigInt64Array(values.buffer, values.byteOffset, values.byteLength / 8)
}

function dictionaryOf (vector, name) {
  const chunks = vector.data.filter(({ length }) => length > 0)
  if (chunks.length > 1) throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected the dictionary of column ${JSON.stringify(name)} to be in one piece, got ${chunks.length}`)
  const data = chunks[0] ?? vector.data[0]
  return { ...columnOf(data, name), length: data.length }
}

function geometryOf (data, kind) {
  if (kind === 'wkb') {
    const { typeId } = data.type
    if (typeId !== BINARY && typeId !== LARGE_BINARY) throw notAs(kind, data.type)
    return { wkb: { offsets: data.valueOffsets.subarray(0, data.length + 1), data: data.values }, ...nullsOf(data) }
  }
  const offsets = []
  let inner = data
  for (let depth = NESTED[kind]; depth > 0; depth--) {
    if (inner.type.typeId !== LIST && inner.type.typeId !== LARGE_LIST) throw notAs(kind, data.type)
    offsets.push(inner.valueOffsets.subarray(0, inner.length + 1))
    inner = inner.children[0]
  }
  return { type: kind, ...coordsOf(inner, kind, data.type), offsets, ...nullsOf(data) }
}

function coordsOf (data, kind, whole) {
  const { type, children, length } = data
  if (type.typeId === STRUCT) {
    const named = Object.fromEntries(type.children.map(({ name }, i) => [name, children[i]?.values?.subarray(0, length)]))
    if (!(named.x instanceof Float64Array && named.y instanceof Float64Array)) throw notAs(kind, whole)
    return { coords: { x: named.x, y: named.y, z: named.z } }
  }
  if (type.typeId !== FIXED_SIZE_LIST) throw notAs(kind, whole)
  const { listSize } = type
  const { name } = type.children[0]
  const dimensions = /^xy(?:z|m|zm)?$/.test(name) && name.length === listSize ? name : listSize
  return { coords: children[0].values.subarray(0, length * listSize), dimensions }
}

function notAs (kind, type) {
  return new SluiceError('ERR_SLUICE_ARGUMENT', `Expected a geometry of type ${kind} as GeoArrow has it, got ${type}`)
}

module.exports = { fromArrow }
