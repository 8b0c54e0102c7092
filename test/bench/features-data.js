'use strict'

// What features.js writes: the same in every run, as columns for sluice and as objects for the others.

const { features } = require('sluice')
const { roads } = require('./roads')

const BATCH = 8192 // rows
const NAMES = ['Oak Street', 'Main & First', 'River <North>', 'Plaza Mayor', 'Station Road', 'Hauptstraße', 'Calle Ocho', '"Quoted" Way']
const columns = { id: 'int32', name: 'utf8', pop: 'int64', elev: 'float64', active: 'bool' }

/** Numbers below 1, the same in every run. */
function numbers (seed) {
  let x = seed
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    return x / 2 ** 32
  }
}

const seven = value => Math.round(value * 1e7) / 1e7

/** n rows with five attributes, made as they are asked for; placeOf(i, next) makes the geometry of each as GeoJSON has it, and its shape as database drivers give it. */
function * rowsOf (n, placeOf) {
  const next = numbers(n)
  for (let i = 0; i < n; i++) {
    const { geometry, shape, name } = placeOf(i, next)
    yield {
      geometry,
      shape,
      id: i + 1,
      name: name ?? NAMES[Math.floor(next() * NAMES.length)],
      pop: Math.floor(next() * 1e6),
      elev: next() * 3000,
      active: next() < 0.5
    }
  }
}

/** A line as WKB. */
function wkbOf ({ coordinates }) {
  const wkb = Buffer.alloc(9 + 16 * coordinates.length)
  wkb[0] = 1 // little-endian
  wkb.writeUInt32LE(2, 1)
  wkb.writeUInt32LE(coordinates.length, 5)
  coordinates.flat().forEach((value, i) => wkb.writeDoubleLE(value, 9 + 8 * i))
  return wkb
}

/** Points all over the world. */
const points = n => () => rowsOf(n, (_, next) => {
  const [x, y] = [seven(next() * 360 - 180), seven(next() * 180 - 90)]
  return { geometry: { type: 'Point', coordinates: [x, y] }, shape: { x, y } }
})

/** The real roads, so many times, their names with them. */
async function network (times) {
  const places = (await roads()).map(({ name, line }) => {
    const geometry = { type: 'LineString', coordinates: line }
    return { geometry, shape: wkbOf(geometry), name: name ?? '' }
  })
  return () => rowsOf(places.length * times, i => places[i % places.length])
}

/** By name, what makes an iterable of rows. */
const sets = { points: () => points(100_000), roads: () => network(4), million: () => points(1_000_000) }

/** Batches of columns. */
function batchesOf (rows) {
  const batches = []
  let some = []
  for (const row of rows) {
    if (some.push(row) < BATCH) continue
    batches.push(batchOf(some))
    some = []
  }
  if (some.length > 0) batches.push(batchOf(some))
  return batches
}

function batchOf (rows) {
  const data = Buffer.from(rows.map(({ name }) => name).join(''))
  let end = 0
  const offsets = Int32Array.from([0, ...rows.map(({ name }) => (end += Buffer.byteLength(name)))])
  const active = new Uint8Array((rows.length + 7) >> 3)
  rows.forEach((row, i) => { if (row.active) active[i >> 3] |= 1 << (i & 7) })
  return {
    geometry: rows[0].geometry.type === 'Point' ? pointsOf(rows) : linesOf(rows),
    columns: {
      id: Int32Array.from(rows, ({ id }) => id),
      name: { offsets, data },
      pop: BigInt64Array.from(rows, ({ pop }) => BigInt(pop)),
      elev: Float64Array.from(rows, ({ elev }) => elev),
      active
    },
    length: rows.length
  }
}

function pointsOf (rows) {
  return { x: Float64Array.from(rows, ({ geometry }) => geometry.coordinates[0]), y: Float64Array.from(rows, ({ geometry }) => geometry.coordinates[1]) }
}

function linesOf (rows) {
  let end = 0
  const offsets = Int32Array.from([0, ...rows.map(({ geometry }) => (end += geometry.coordinates.length))])
  return { type: 'linestring', coords: Float64Array.from(rows.flatMap(({ geometry }) => geometry.coordinates.flat())), offsets: [offsets] }
}

/** A source that is given batches. */
function sourceOf (format, batches) {
  const source = features({ format, typeName: 't:place', srsName: 'urn:ogc:def:crs:EPSG::4326', axisOrder: 'yx', decimals: 7, id: 'id', columns })
  pushAll(source, batches).catch(() => {}) // the encode tells
  return source
}

async function pushAll (source, batches) {
  for await (const batch of batches) await source.write(batch)
  source.end()
}

module.exports = { columns, sets, batchesOf, sourceOf }
