'use strict'

// GML, GeoJSON and CSV as xmllint and GDAL read them, GeoJSON as linters want it.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { after, test } = require('node:test')
const { check } = require('@placemarkio/check-geojson')
const rewind = require('@mapbox/geojson-rewind')
const { batches, encode, features } = require('../..')
const { execFile, temporary } = require('./tools')

const file = temporary(after)
const columns = { n: 'int32', big: 'int64', real: 'float64', text: 'utf8', yes: 'bool', day: 'date32', at: 'timestamp' }

/** Numbers that are the same in every run. */
function * numbers (seed = 1) {
  for (let x = seed; ;) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    yield x / 2 ** 32
  }
}

const texts = ['plain', 'Grüße & <Söhne>', '"quoted", with comma', 'two\nlines', "it's", '漢字 🌍', null]
const random = numbers()
const next = () => random.next().value
const coordinate = (least, most) => Math.round((least + next() * (most - least)) * 1e7) / 1e7
const place = z => [coordinate(-180, 180), coordinate(-85, 85), ...z ? [coordinate(0, 100)] : []]

// ---- geometries as GeoJSON has them, and as WKB

function ring (x, y, size, z, hole = false) {
  const corners = [[x, y, 1], [x + size, y, 2.5], [x + size, y + size, 3], [x, y + size, -4], [x, y, 1]].map(position => position.slice(0, z ? 3 : 2).map(value => Math.round(value * 1e7) / 1e7))
  return hole ? corners.reverse() : corners
}
const polygon = z => { const [x, y] = place(); return [ring(x / 2, y / 2, 2, z), ring(x / 2 + 0.5, y / 2 + 0.5, 0.25, z, true)] }
const several = make => Array.from({ length: 1 + Math.floor(next() * 3) }, make)
const run = z => Array.from({ length: 2 + Math.floor(next() * 4) }, () => place(z))

const kinds = {
  Point: z => place(z),
  LineString: z => run(z),
  Polygon: z => polygon(z),
  MultiPoint: z => several(() => place(z)),
  MultiLineString: z => several(() => run(z)),
  MultiPolygon: z => several(() => polygon(z))
}
const names = ['', ...Object.keys(kinds), 'GeometryCollection']

function uint32 (...values) { return Buffer.from(Uint32Array.from(values).buffer) }

function wkbOf ({ type, coordinates, geometries }) {
  const depth = { Point: 0, LineString: 1, Polygon: 2 }[type]
  const z = is3d({ coordinates, geometries })
  const head = Buffer.concat([Buffer.of(1), uint32(names.indexOf(type) + (z ? 1000 : 0))])
  const floats = position => Buffer.from(Float64Array.from(position).buffer)
  const positions = list => Buffer.concat([uint32(list.length), ...list.map(floats)])
  if (depth === 0) return Buffer.concat([head, floats(coordinates)])
  if (depth === 1) return Buffer.concat([head, positions(coordinates)])
  if (depth === 2) return Buffer.concat([head, uint32(coordinates.length), ...coordinates.map(positions)])
  const parts = geometries ?? coordinates.map(part => ({ type: type.slice(5), coordinates: part }))
  return Buffer.concat([head, uint32(parts.length), ...parts.map(wkbOf)])
}

function is3d ({ coordinates, geometries }) { return geometries === undefined ? dimensionsOf(coordinates) === 3 : is3d(geometries[0]) }

function dimensionsOf (coordinates) { return typeof coordinates[0] === 'number' ? coordinates.length : dimensionsOf(coordinates[0]) }

function geometry (type, z) {
  return type === 'GeometryCollection'
    ? { type, geometries: Object.keys(kinds).map(kind => geometry(kind, z)) } // none in another, which RFC 7946 advises against
    : { type, coordinates: kinds[type](z) }
}

/** Rows of one kind of geometry, every ninth without. */
function rowsOf (type, z, count = 40) {
  return Array.from({ length: count }, (_, n) => ({
    n,
    big: BigInt(n) * 12345678901n,
    real: n % 5 === 1 ? null : next() * 1000 - 500,
    text: texts[n % texts.length],
    yes: n % 3 === 0,
    day: new Date(Date.UTC(1970, 0, 1 + n * 500)),
    at: new Date(Date.UTC(2020, 1, 29, 12, 30, n)),
    shape: n % 9 === 8 ? null : geometry(type, z)
  }))
}

async function write (name, rows, description) {
  const source = features({ typeName: 't:place', columns, ...description })
  const done = encode(source)
  for await (const part of batches(rows.map(row => ({ ...row, geometry: row.shape && wkbOf(row.shape) })), columns, { size: 16 })) await source.write(part)
  source.end()
  fs.writeFileSync(file(name), await done)
  return file(name)
}

/** What GDAL makes of a file, as GeoJSON. */
async function read (path, ...options) {
  const { stdout, stderr } = await execFile('ogr2ogr', ['-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=15', '-lco', 'SIGNIFICANT_FIGURES=17', '/vsistdout/', path, ...options], { maxBuffer: 2 ** 26 })
  assert.doesNotMatch(stderr, /ERROR/)
  return JSON.parse(stdout).features
}

/** Positions rounded to seven decimals, which is what rows have. */
function rounded (value) {
  if (typeof value === 'number') return Math.round(value * 1e7) / 1e7
  if (Array.isArray(value)) return value.map(rounded)
  return value && (value.geometries ? { type: value.type, geometries: value.geometries.map(rounded) } : { type: value.type, coordinates: rounded(value.coordinates) })
}

function compare (list, rows, what) {
  assert.equal(list.length, rows.length, `${what}: count`)
  for (const [i, row] of rows.entries()) {
    const { geometry, properties } = list[i]
    assert.deepEqual(rounded(geometry), rounded(row.shape), `${what}: geometry ${i}`)
    assert.equal(Number(properties.n), row.n)
    assert.equal(Number(properties.big), Number(row.big))
    assert.equal([undefined, null, ''].includes(properties.real) ? null : Number(properties.real), row.real, `${what}: number ${i}`)
    assert.equal(properties.text || null, row.text, `${what}: text ${i}`)
    assert.ok([row.yes, String(row.yes), Number(row.yes)].includes(properties.yes), `${what}: boolean ${i}: ${properties.yes}`)
    assert.equal(String(properties.day).replaceAll('/', '-'), row.day.toISOString().slice(0, 10), `${what}: date ${i}`)
    assert.equal(Date.parse(String(properties.at).replaceAll('/', '-').replace(/\+00$/, 'Z')), row.at.getTime(), `${what}: time ${i}`)
  }
}

/** RFC 7946, and its right-hand rule. */
function lint (path) {
  const text = fs.readFileSync(path, 'utf8')
  check(text)
  assert.deepEqual(rewind(JSON.parse(text), false), JSON.parse(text), path)
}

for (const type of names.slice(1)) {
  for (const z of [false, true]) {
    test(`${type}${z ? ' with heights' : ''}: GML, GeoJSON and CSV are what GDAL reads`, async () => {
      const rows = rowsOf(type, z)
      const name = `${type}${z}`
      // urn:ogc:def:crs:EPSG::4326 is latitude first: GDAL turns it round
      for (const [suffix, more] of [['wfs', { srsName: 'urn:ogc:def:crs:EPSG::4326', axisOrder: 'yx' }], ['gml', { collection: 'gml', srsName: 'EPSG:25832' }]]) {
        const gml = await write(`${name}.${suffix}.gml`, rows, { format: 'gml32', decimals: 7, featureBbox: true, bbox: [-180, -90, 180, 90], numberReturned: rows.length, ...more })
        await execFile('xmllint', ['--noout', gml])
        compare(await read(gml), rows, gml)
      }
      const json = await write(`${name}.json`, rows, { format: 'geojson', numberMatched: 100, id: 'n', featureBbox: true })
      lint(json)
      compare(await read(json), rows, json)
      const csv = await write(`${name}.csv`, rows, { format: 'csv' })
      compare(await read(csv, '-oo', 'GEOM_POSSIBLE_NAMES=geometry', '-oo', 'KEEP_GEOM_COLUMNS=NO', '-oo', 'AUTODETECT_TYPE=YES', '-oo', 'EMPTY_STRING_AS_NULL=YES'), rows, csv)
    })
  }
}

test('coordinates have the decimals that are asked for', async () => {
  const rows = rowsOf('LineString', true)
  for (const decimals of [0, 1, 3, 6]) {
    for (const format of ['gml32', 'geojson', 'csv']) {
      const path = await write(`${decimals}.${format === 'gml32' ? 'gml' : format}`, rows, { format, decimals })
      const list = await read(path, ...format === 'csv' ? ['-oo', 'GEOM_POSSIBLE_NAMES=geometry'] : [])
      assert.equal(list.length, rows.length)
      const wanted = rows.map(({ shape }) => shape && shape.coordinates.map(position => position.map(value => Number(value.toFixed(decimals)))))
      assert.deepEqual(list.map(({ geometry }) => geometry && geometry.coordinates.map(position => position.map(value => Number(value.toFixed(15))))), wanted.map(line => line && line.map(position => position.map(value => value + 0))), path)
    }
  }
})

test('empty geometries, and parts that are, are features to GDAL too', async () => {
  const wkb = (...numbers) => Buffer.concat([Buffer.of(1), uint32(...numbers)])
  const rows = [wkb(2, 0), wkb(3, 0), wkb(4, 0), wkb(5, 0), wkb(6, 0), wkb(7, 0), wkbOf({ type: 'Point', coordinates: [1, 2] })].map((geometry, n) => ({ n, geometry }))
  for (const format of ['gml32', 'geojson', 'csv']) {
    const source = features({ typeName: 't:place', format, columns: { n: 'int32' } })
    const done = encode(source)
    for await (const part of batches(rows, { n: 'int32' })) await source.write(part)
    source.end()
    const path = file(`empty.${format === 'gml32' ? 'gml' : format}`)
    fs.writeFileSync(path, await done)
    if (format === 'gml32') await execFile('xmllint', ['--noout', path])
    if (format === 'geojson') lint(path)
    const list = await read(path, ...format === 'csv' ? ['-oo', 'GEOM_POSSIBLE_NAMES=geometry', '-oo', 'KEEP_GEOM_COLUMNS=NO'] : [])
    assert.equal(list.length, rows.length, format)
    assert.deepEqual(list.at(-1).geometry, { type: 'Point', coordinates: [1, 2] })
    for (const { geometry } of list.slice(0, -1)) assert.ok(geometry === null || (geometry.coordinates ?? geometry.geometries).length === 0, format)
  }
})

test('a document that ends early is well-formed and holds what came before', async () => {
  const { Stream } = require('../../js/stream')
  const { split } = require('../../js/options')
  const source = features({ format: 'gml32', typeName: 't:place' })
  source.write({ geometry: { x: new Float64Array([1, 2]), y: new Float64Array([3, 4]) } })
  const chunks = []
  const done = new Promise(resolve => {
    const consumer = { begin () {}, chunk (chunk) { chunks.push(chunk) }, truncates: () => true, end: resolve }
    consumer.stream = new Stream(source, split({}), { size: 4096, cut: 4096, exact: false, gathers: false }, consumer)
  })
  source.fail(new Error('no more <features>'))
  assert.equal(await done, null)
  fs.writeFileSync(file('early.gml'), Buffer.concat(chunks))
  await execFile('xmllint', ['--noout', file('early.gml')])
  assert.equal((await read(file('early.gml'))).length, 2)
})
