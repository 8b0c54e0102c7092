'use strict'

const { SluiceError, argumentError } = require('../errors')
const { Part } = require('../part')
const { PushSource } = require('../push-source')
const { Packer } = require('./column')
const { columnsOf } = require('./columns')
const { packGeometry } = require('./geometry')

/** What a description may have, and of which type; the rest has rules of its own. */
const SIMPLE = {
  typeName: 'string',
  namespace: 'string',
  srsName: 'string',
  axisOrder: 'string',
  decimals: 'number',
  id: 'string',
  featureBbox: 'boolean',
  next: 'string',
  previous: 'string',
  schemaLocation: 'string',
  collection: 'string',
  crs: 'boolean'
}
const OWN = ['format', 'columns', 'geometryName', 'bbox', 'numberMatched', 'numberReturned', 'timeStamp']

/** Features whose batches are pushed: columns in Arrow's layout. */
class FeaturesSource extends PushSource {
  #format
  #header
  #columns // [name, type]

  constructor (description) {
    super()
    if (typeof description !== 'object' || description === null) throw argumentError('a description of features', 'an object {format, typeName, columns}', description)
    const { format, columns = {} } = description
    if (format !== undefined && typeof format !== 'string') throw argumentError('format', 'a string', format)
    this.#format = format
    this.#columns = columnsOf(columns)
    this.#header = { ...headerOf(description), columns: this.#columns.map(([name, type]) => `${type} ${name}`) }
  }

  get _kind () { return 'features' }

  get _format () { return this.#format }

  _header () { return this.#header }

  _failure () { return super._failure() ?? (this.#format === '' ? new SluiceError('ERR_SLUICE_FORMAT', 'Expected a known format of features, got ""') : null) }

  _cut (batch) {
    if (typeof batch !== 'object' || batch === null || ArrayBuffer.isView(batch)) throw argumentError('a part', 'a batch of features {geometry, columns}', batch)
    const { geometry, columns = {}, length } = batch
    if (typeof columns !== 'object' || columns === null) throw argumentError('columns', 'an object of typed arrays', columns)
    const packer = new Packer()
    packer.say(length)
    const meta = { geometry: packGeometry(packer, geometry), columns: [] }
    for (const [name, type] of this.#columns) {
      if (!Object.hasOwn(columns, name) || columns[name] === undefined) throw argumentError(`a part's column ${JSON.stringify(name)}`, `of ${type}`, undefined)
      meta.columns.push(packer.column(columns[name], type, `column ${JSON.stringify(name)}`))
    }
    if (packer.rows === undefined) throw argumentError('length', 'the number of rows, which bitmaps do not tell', length)
    return new Part(packer.buffers, { rows: packer.rows, ...meta })
  }

  /** The last part of a document that is to say why it ends early. */
  _truncation (error) {
    return new Part([], { failed: String(error?.message || error) || 'the features could not be read' }, true)
  }
}

/** Types are checked here, values in Go. */
function headerOf (description) {
  const header = {}
  for (const [name, type] of Object.entries(SIMPLE)) {
    const value = description[name]
    // eslint-disable-next-line valid-typeof -- a literal of the table
    if (value !== undefined && (typeof value !== type || Number.isNaN(value))) throw argumentError(name, `a ${type}`, value)
    header[name] = value
  }
  for (const name in description) {
    if (!Object.hasOwn(SIMPLE, name) && !OWN.includes(name) && description[name] !== undefined) header[name] = null // Go refuses it
  }
  const { geometryName, bbox, timeStamp } = description
  if (geometryName !== undefined && geometryName !== null && typeof geometryName !== 'string') throw argumentError('geometryName', 'a string or null', geometryName)
  header.geometryName = geometryName === null ? '' : geometryName
  if (bbox === true) header.featureBbox = true
  else if (bbox !== undefined && bbox !== false) header.bbox = numbers(bbox)
  for (const name of ['numberMatched', 'numberReturned']) header[name] = count(name, description[name])
  header.timeStamp = timeStamp === undefined || typeof timeStamp === 'string' ? timeStamp : instant(timeStamp)
  return header
}

function numbers (bbox) {
  const list = Array.isArray(bbox) || ArrayBuffer.isView(bbox) ? Array.from(bbox) : null
  if (list === null || !list.every(value => typeof value === 'number')) throw argumentError('bbox', 'a list of 4 or 6 numbers, or true for those of features', bbox)
  return list.map(String)
}

function count (name, value) {
  if (value === undefined || typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  throw argumentError(name, 'a number', value)
}

function instant (value) {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw argumentError('timeStamp', 'a Date or a string', value)
  return value.toISOString()
}

/** A source of features that are pushed in batches. */
function features (description) {
  return new FeaturesSource(description)
}

module.exports = { features }
