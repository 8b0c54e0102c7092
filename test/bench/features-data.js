'use strict'

// What features.js writes: the same in every run, as columns for sluice and as objects for the others.

const path = require('node:path')
const topojson = require('topojson-client')

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

/** n rows with five attributes; geometryOf(i, next) makes the geometry of each. */
function rowsOf (n, geometryOf) {
  const next = numbers(n)
  return Array.from({ length: n }, (_, i) => ({
    geometry: geometryOf(i, next),
    id: i + 1,
    name: NAMES[Math.floor(next() * NAMES.length)],
    pop: Math.floor(next() * 1e6),
    elev: next() * 3000,
    active: next() < 0.5
  }))
}

/** Points all over the world. */
const points = n => rowsOf(n, (_, next) => ({ type: 'Point', coordinates: [seven(next() * 360 - 180), seven(next() * 180 - 90)] }))

/** Every coast and border of the world at 1:10 million, a network of some thousand lines, so many times. */
function network (times) {
  const { objects, ...rest } = require(path.join(path.dirname(require.resolve('world-atlas/package.json')), 'countries-10m.json'))
  const lines = topojson.feature({ ...rest, objects: { arcs: { type: 'GeometryCollection', geometries: rest.arcs.map((_, i) => ({ type: 'LineString', arcs: [i] })) } } }, 'arcs').features
  return rowsOf(lines.length * times, i => ({ type: 'LineString', coordinates: lines[i % lines.length].geometry.coordinates.map(([x, y]) => [seven(x), seven(y)]) }))
}

/** Batches of columns. */
function batchesOf (rows) {
  const batches = []
  for (let from = 0; from < rows.length; from += BATCH) batches.push(batchOf(rows.slice(from, from + BATCH)))
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

module.exports = { columns, points, network, batchesOf }
