'use strict'

// Rows of a store to the columns that features() and Arrow take.

const arrow = require('apache-arrow')
const { transform } = require('../wkb')

// rows: [fid, WKB, ...values]; columns: {name: type} of the values; move: from degrees to other coordinates, if they are.
// geometry: false leaves it out. -> {geometry, columns}, a part for features().write()
function toPart (rows, columns, { geometry = true, move } = {}) {
  const part = { columns: { fid: Int32Array.from(rows, ([fid]) => fid) } }
  if (geometry) part.geometry = { wkb: binary(rows.map(([, wkb]) => move ? transform(wkb, move) : wkb)) }
  Object.entries(columns).forEach(([name, type], i) => {
    part.columns[name] = builders[type](rows, i + 2)
  })
  return part
}

function binary (values) {
  const offsets = new Int32Array(values.length + 1)
  values.forEach((value, i) => { offsets[i + 1] = offsets[i] + value.length })
  return { offsets, data: Buffer.concat(values, offsets[values.length]) }
}

const builders = {
  utf8 (rows, at) {
    const offsets = new Int32Array(rows.length + 1)
    let most = 0
    for (const row of rows) most += (row[at]?.length ?? 0) * 3 // bytes
    const data = Buffer.allocUnsafe(most)
    rows.forEach((row, i) => { offsets[i + 1] = offsets[i] + (row[at] === null ? 0 : data.write(row[at], offsets[i])) })
    return { offsets, data: data.subarray(0, offsets[rows.length]), ...validity(rows, at) }
  },
  int32: (rows, at) => ({ values: Int32Array.from(rows, (row) => row[at]), ...validity(rows, at) }),
  float64: (rows, at) => ({ values: Float64Array.from(rows, (row) => row[at]), ...validity(rows, at) })
}

// Arrow's bitmap of what is not null; nothing if all is there.
function validity (rows, at) {
  if (!rows.some((row) => row[at] === null)) return {}
  const bits = new Uint8Array(Math.ceil(rows.length / 8))
  rows.forEach((row, i) => { if (row[at] !== null) bits[i >> 3] |= 1 << (i & 7) })
  return { validity: bits }
}

const arrowTypes = { utf8: new arrow.Utf8(), int32: new arrow.Int32(), float64: new arrow.Float64() }

// The schema of a type, with WKB as GeoArrow names it.
function arrowSchema (columns, { geometry = true, geometryName }) {
  const fields = [new arrow.Field('fid', new arrow.Int32(), false)]
  if (geometry) fields.push(new arrow.Field(geometryName, new arrow.Binary(), true, new Map([['ARROW:extension:name', 'geoarrow.wkb']])))
  for (const [name, type] of Object.entries(columns)) fields.push(new arrow.Field(name, arrowTypes[type], true))
  return new arrow.Schema(fields)
}

// A part as a batch of that schema: the same memory.
function toArrow (schema, { geometry, columns }) {
  const children = schema.fields.map(({ name, type }) => {
    const column = columns[name] ?? geometry.wkb
    if (ArrayBuffer.isView(column)) return arrow.makeData({ type, data: column })
    const { offsets, data, values, validity } = column
    return arrow.makeData({ type, ...(offsets && { valueOffsets: offsets, length: offsets.length - 1 }), data: data ?? values, ...(validity && { nullBitmap: validity }) })
  })
  const length = columns.fid.length
  return new arrow.RecordBatch(schema, arrow.makeData({ type: new arrow.Struct(schema.fields), length, nullCount: 0, children }))
}

module.exports = { toPart, arrowSchema, toArrow }
