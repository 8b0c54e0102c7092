'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const arrow = require('apache-arrow')

const { batches, encode, features, fromArrow } = require('../..')

/** The features that batches become. */
async function written (parts, columns, more) {
  const source = features({ format: 'geojson', columns, ...more })
  const done = encode(source)
  for await (const part of parts) await source.write(part)
  source.end()
  return JSON.parse(await done).features
}

const geometries = list => list.map(({ geometry }) => geometry)
const properties = list => list.map(({ properties }) => properties)
const hex = '0102000000020000000000000000000000000000000000000000000000000008400000000000001040'
const line = { type: 'LineString', coordinates: [[0, 0], [3, 4]] }

test('rows of sync and async iterables, in batches of a size', async () => {
  const columns = { n: 'int32' }
  const rows = Array.from({ length: 10 }, (_, n) => ({ n, other: 'ignored', geometry: n === 3 ? null : { x: n, y: -n } }))
  async function * slowly () { yield * rows }
  for (const source of [rows, new Set(rows), slowly()]) {
    const parts = []
    for await (const part of batches(source, columns, { size: 4 })) parts.push(part)
    assert.deepEqual(parts.map(({ length }) => length), [4, 4, 2])
    const list = await written(parts, columns)
    assert.deepEqual(properties(list), rows.map(({ n }) => ({ n })))
    assert.deepEqual(geometries(list), rows.map(({ geometry }) => geometry && { type: 'Point', coordinates: [geometry.x, geometry.y + 0] }))
  }
  assert.deepEqual(await written(batches([], columns), columns), [])
})

test('what drivers give for each type', async () => {
  const columns = { i: 'int16', big: 'int64', u: 'uint64', f: 'float32', s: 'utf8', b: 'bool', d: 'date32', t: 'timestamp[us]', ts: 'timestamp[s]', d64: 'date64', u8: 'uint8' }
  const rows = [
    { i: '-5', big: '9007199254740993', u: 2n ** 64n - 1n, f: '0.25', s: 'Hauptstraße', b: 1, d: new Date('2024-02-29T23:59:59Z'), t: new Date(1), ts: new Date(1999), d64: '2024-02-29', u8: 255 },
    { i: 7n, big: 12, u: '3', f: 1e3, s: { a: 1 }, b: false, d: -1, t: 5n, ts: '1970-01-01T00:00:07Z', d64: 0n, u8: '0' },
    { i: null, s: 'x'.repeat(30) + '🌍'.repeat(40), b: 0n, f: NaN },
    { s: new Date(0) }, { s: Buffer.from('bytes') }, { s: 12 }, { s: '' }
  ]
  const list = properties(await written(batches(rows, columns, { geometry: null }), columns))
  const none = { i: null, big: null, u: null, f: null, s: null, b: null, d: null, t: null, ts: null, d64: null, u8: null }
  assert.deepEqual(list, [
    { i: -5, big: 9007199254740992, u: 2 ** 64, f: 0.25, s: 'Hauptstraße', b: true, d: '2024-02-29', t: '1970-01-01T00:00:00.001Z', ts: '1970-01-01T00:00:01Z', d64: '2024-02-29', u8: 255 },
    { i: 7, big: 12, u: 3, f: 1000, s: '{"a":1}', b: false, d: '1969-12-31', t: '1970-01-01T00:00:00.000005Z', ts: '1970-01-01T00:00:07Z', d64: '1970-01-01', u8: 0 },
    { ...none, s: 'x'.repeat(30) + '🌍'.repeat(40), b: false },
    { ...none, s: '1970-01-01T00:00:00.000Z' }, { ...none, s: 'bytes' }, { ...none, s: '12' }, { ...none, s: '' }
  ])
})

test('geometries: points, WKB as bytes, digits and GeoPackage blobs, mixed', async () => {
  const wkb = Buffer.from(hex, 'hex')
  const blob = Buffer.concat([Buffer.from('47500003e6100000', 'hex'), Buffer.alloc(32), wkb]) // an envelope of four numbers
  const rows = [{ g: { x: 1, y: 2 } }, { g: null }, { g: wkb }, {}, { g: hex.toUpperCase() }, { g: { x: 3, y: 4 } }, { g: blob }, { g: new Uint8Array(wkb).buffer }, { g: new Uint8Array(0) }]
  const want = [{ type: 'Point', coordinates: [1, 2] }, null, line, null, line, { type: 'Point', coordinates: [3, 4] }, line, line, null]
  for (const size of [1, 2, 3, 100]) assert.deepEqual(geometries(await written(batches(rows, {}, { size, geometry: 'g' }), {})), want, `size ${size}`)
  const heights = [{ geometry: { x: 1, y: 2, z: 3 } }, { geometry: { x: 4, y: 5 } }, { geometry: null }]
  assert.deepEqual(geometries(await written(batches(heights, {}), {})), [{ type: 'Point', coordinates: [1, 2, 3] }, { type: 'Point', coordinates: [4, 5] }, null])
  assert.deepEqual(geometries(await written(batches(heights.slice(0, 1), {}), {})), [{ type: 'Point', coordinates: [1, 2, 3] }])
  const large = Array.from({ length: 20 }, () => ({ geometry: Buffer.concat([Buffer.from('0102000000', 'hex'), Buffer.from(Uint32Array.of(65536).buffer), Buffer.alloc(1024 * 1024)]) }))
  let parts = 0
  for await (const part of batches(large, {})) parts += part.length > 0
  assert.ok(parts >= 4, `large geometries make small batches, got ${parts}`)
})

test('rows that do not fit', async () => {
  for (const [row, type, message] of [
    [{ v: 40000 }, 'int16', 'Expected column "v" of row 1 to be int16, got 40000'],
    [{ v: 1.5 }, 'int32', 'to be int32, got 1.5'], [{ v: 'abc' }, 'int32', 'got "abc"'], [{ v: '' }, 'float64', 'got ""'], [{ v: 2 ** 53 }, 'int64', 'got 9007199254740992'],
    [{ v: -1n }, 'uint64', 'got -1n'], [{ v: 'yes' }, 'bool', 'got "yes"'], [{ v: new Date(NaN) }, 'date32', 'got an instance of Date'], [{ v: {} }, 'timestamp', 'got an object'],
    [{ v: Symbol('s') }, 'utf8', 'got Symbol(s)'], [{ geometry: 'POINT (1 2)' }, 'utf8', 'Expected the geometry of row 1 to be WKB or {x, y}, got "POINT (1 2)"'], [7, 'utf8', 'Expected a record of row 1 to be an object, got 7']
  ]) {
    const consume = async () => { for await (const part of batches([{}, row], { v: type })) assert.ok(part) }
    await assert.rejects(consume, error => error.code === 'ERR_SLUICE_INPUT' && error.message.includes(message), message)
  }
  for (const [args, message] of [
    [[null, {}], 'rows to be an iterable of objects'], [['text', {}], 'rows to be'], [[[], { a: 'int33' }], 'the type of column "a"'], [[[], {}, { size: 0 }], 'size to be'],
    [[[], {}, { geometry: 1 }], 'geometry to be'], [[[], null], 'columns to be'], [[[], { a: 'timestamp[min]' }], 'timestamp[min]']
  ]) assert.throws(() => batches(...args), error => error.code === 'ERR_SLUICE_ARGUMENT' && error.message.includes(message), message)
})

test('rows of a database driver, as it gives them and page by page', async () => {
  const Database = require('libsql')
  const db = new Database(':memory:')
  db.exec('CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT, size REAL, born TEXT, open INTEGER, geom BLOB)')
  const insert = db.prepare('INSERT INTO place VALUES (?, ?, ?, ?, ?, ?)')
  const wkb = Buffer.from(hex, 'hex')
  for (let i = 1; i <= 2500; i++) insert.run(i, i % 7 === 0 ? null : `name ${i} é`, i % 5 === 0 ? null : i / 8, '2024-02-29', i % 2, i % 3 === 0 ? null : wkb)
  const columns = { id: 'int64', name: 'utf8', size: 'float64', born: 'date32', open: 'bool' }
  const want = Array.from({ length: 2500 }, (_, i) => i + 1).map(i => [i % 3 === 0 ? null : line, { id: i, name: i % 7 === 0 ? null : `name ${i} é`, size: i % 5 === 0 ? null : i / 8, born: '2024-02-29', open: i % 2 === 1 }])
  let pages = 0
  async function * paged () {
    const statement = db.prepare('SELECT * FROM place WHERE id > ? ORDER BY id LIMIT 400')
    for (let last = 0; ;) {
      const rows = statement.all(last)
      if (rows.length === 0) return
      pages++
      yield * rows
      last = rows.at(-1).id
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  for (const rows of [db.prepare('SELECT * FROM place ORDER BY id').iterate(), paged()]) {
    const list = await written(batches(rows, columns, { geometry: 'geom', size: 1000 }), columns)
    assert.deepEqual(list.map(({ geometry, properties }) => [geometry, properties]), want)
  }
  assert.equal(pages, 7)
  // The first batch is there before the rest is asked for.
  pages = 0
  const parts = batches(paged(), columns, { geometry: 'geom', size: 400 })
  assert.equal((await parts.next()).value.length, 400)
  assert.equal(pages, 1)
  await parts.return()
  db.close()
})

test('rows that are all there do not hold the event loop up', async () => {
  const row = { n: 1, name: 'name', geometry: { x: 1, y: 2 } }
  function * rows () { for (let i = 0; i < 200_000; i++) yield row }
  async function * slowly () { yield * rows() }
  for (const source of [rows(), slowly()]) {
    let turns = 0
    const count = () => { turns++; timer = setImmediate(count) }
    let timer = setImmediate(count)
    const start = performance.now()
    for await (const batch of batches(source, { n: 'int32', name: 'utf8' })) assert.ok(batch.length > 0)
    clearImmediate(timer)
    assert.ok(turns >= (performance.now() - start) / 100, `${turns} turns in ${performance.now() - start} ms`)
    assert.ok(turns > 3)
  }
})

// ---- Arrow

const { Field, Table, RecordBatch, Schema, Struct, List, FixedSizeList, Float64, makeData, vectorFromArray } = arrow

/** A table of vectors by name, with GeoArrow's metadata for its geometry. */
function tableOf (vectors, kind) {
  const plain = new Table(vectors)
  if (kind === undefined) return plain
  const fields = plain.schema.fields.map(field => field.name === 'shape' ? new Field(field.name, field.type, true, new Map([['ARROW:extension:name', kind]])) : field)
  const schema = new Schema(fields)
  return new Table(schema, plain.batches.map(batch => new RecordBatch(schema, batch.data)))
}

async function fromTable (table, options) {
  const parts = fromArrow(table, options)
  return written(parts, parts.columns)
}

test('a table of every type, whole, cut and through a stream of Arrow', async () => {
  const n = 40
  const every = (make, nulls = 5) => Array.from({ length: n }, (_, i) => i % nulls === 2 ? null : make(i))
  const table = tableOf({
    i8: vectorFromArray(every(i => i - 20), new arrow.Int8()),
    u32: vectorFromArray(every(i => i * 1e8), new arrow.Uint32()),
    i64: vectorFromArray(every(i => BigInt(i) << 33n), new arrow.Int64()),
    f32: vectorFromArray(every(i => i / 4), new arrow.Float32()),
    f64: vectorFromArray(Array.from({ length: n }, (_, i) => i / 8), new Float64()),
    s: vectorFromArray(every(i => `é${i}`), new arrow.Utf8()),
    ls: vectorFromArray(every(i => `large ${i}`), new arrow.LargeUtf8()),
    b: vectorFromArray(every(i => i % 3 === 0, 7), new arrow.Bool()),
    d: vectorFromArray(every(i => new Date(i * 86_400_000)), new arrow.DateDay()),
    d64: vectorFromArray(every(i => new Date(i * 86_400_000)), new arrow.DateMillisecond()),
    t: vectorFromArray(every(i => new Date(i * 1000)), new arrow.TimestampMillisecond()),
    dict: vectorFromArray(every(i => `value ${i % 3}`), new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()))
  })
  const parts = fromArrow(table)
  assert.deepEqual(parts.columns, {
    i8: 'int8', u32: 'uint32', i64: 'int64', f32: 'float32', f64: 'float64', s: 'utf8', ls: 'utf8', b: 'bool', d: 'date32', d64: 'date64', t: 'timestamp[ms]', dict: 'utf8'
  })
  const want = Array.from({ length: n }, (_, i) => {
    const or = value => i % 5 === 2 ? null : value
    const day = new Date(i * 86_400_000).toISOString().slice(0, 10)
    return {
      i8: or(i - 20),
      u32: or(i * 1e8),
      i64: or(Number(BigInt(i) << 33n)),
      f32: or(i / 4),
      f64: i / 8,
      s: or(`é${i}`),
      ls: or(`large ${i}`),
      b: i % 7 === 2 ? null : i % 3 === 0,
      d: or(day),
      d64: or(day),
      t: or(new Date(i * 1000).toISOString().replace('.000', '')),
      dict: or(`value ${i % 3}`)
    }
  })
  assert.deepEqual(properties(await fromTable(table)), want)
  for (const [from, to] of [[0, 11], [3, 40], [9, 30], [17, 18], [5, 5]]) {
    assert.deepEqual(properties(await fromTable(table.slice(from, to))), want.slice(from, to), `rows ${from} to ${to}`)
  }
  assert.deepEqual(properties(await fromTable(table.slice(3).slice(4, 20))), want.slice(7, 23), 'a slice of a slice')
  const read = arrow.tableFromIPC(arrow.tableToIPC(table))
  assert.deepEqual(properties(await fromTable(read)), want)
  assert.deepEqual(properties(await fromTable(read.batches[0].slice(6, 31))), want.slice(6, 31), 'a sliced batch')
  assert.deepEqual(properties(await fromTable(table, { columns: ['s', 'f64'] })), want.map(({ s, f64 }) => ({ s, f64 })))
  const buffer = [...fromArrow(table)][0].columns.f64.values.buffer
  assert.equal(buffer, table.batches[0].data.children[4].values.buffer, 'values are not copied')
})

// Positions 0 to 11: (0, 0), (1, -1), … as GeoArrow has them: together, or apart.
const together = dimensions => makeData({
  type: new FixedSizeList(dimensions.length, new Field(dimensions, new Float64())),
  child: makeData({ type: new Float64(), data: Float64Array.from({ length: 12 * dimensions.length }, (_, i) => [1, -1, 10, 100][i % dimensions.length] * Math.floor(i / dimensions.length)) }),
  length: 12
})
const apart = () => makeData({
  type: new Struct([new Field('x', new Float64()), new Field('y', new Float64())]),
  children: [1, -1].map(sign => makeData({ type: new Float64(), data: Float64Array.from({ length: 12 }, (_, i) => sign * i) })),
  length: 12
})
const listOf = (child, ends, nullBitmap) => makeData({ type: new List(new Field('part', child.type)), child, valueOffsets: Int32Array.from(ends), length: ends.length - 1, nullBitmap })

test('GeoArrow: every kind, positions together and apart, nulls, slices', async () => {
  const at = (...places) => places.map(i => [i, 0 - i])
  const range = (from, to) => at(...Array.from({ length: to - from }, (_, i) => from + i))
  for (const points of [together('xy'), apart()]) {
    const lines = listOf(points, [0, 4, 8, 12])
    for (const [kind, data, want] of [
      ['point', points, range(0, 12).map(coordinates => ({ type: 'Point', coordinates }))],
      ['linestring', listOf(points, [0, 2, 5, 12], new Uint8Array([0b101])), [{ type: 'LineString', coordinates: range(0, 2) }, null, { type: 'LineString', coordinates: range(5, 12) }]],
      ['multipoint', listOf(points, [0, 2, 5, 12]), [[0, 2], [2, 5], [5, 12]].map(run => ({ type: 'MultiPoint', coordinates: range(...run) }))],
      ['multilinestring', listOf(lines, [0, 1, 3]), [{ type: 'MultiLineString', coordinates: [range(0, 4)] }, { type: 'MultiLineString', coordinates: [range(4, 8), range(8, 12)] }]]
    ]) {
      const table = tableOf({ shape: new arrow.Vector([data]) }, `geoarrow.${kind}`)
      assert.deepEqual(geometries(await fromTable(table)), want, kind)
      assert.deepEqual(geometries(await fromTable(table.slice(1))), want.slice(1), `${kind}, sliced`)
      assert.deepEqual(geometries(await fromTable(arrow.tableFromIPC(arrow.tableToIPC(table)))), want, `${kind}, through a stream`)
    }
    // rings of points on a line have no area: they keep their order, and are closed
    const closed = run => [...run, run[0]]
    const polygons = listOf(lines, [0, 1, 3])
    const table = tableOf({ shape: new arrow.Vector([polygons]) }, 'geoarrow.polygon')
    const want = [[closed(range(0, 4))], [closed(range(4, 8)), closed(range(8, 12)).reverse()]]
    const got = geometries(await fromTable(table))
    assert.deepEqual(got.map(({ type, coordinates }) => [type, coordinates.map(ring => ring.length)]), want.map(rings => ['Polygon', rings.map(ring => ring.length)]))
    const many = geometries(await fromTable(tableOf({ shape: new arrow.Vector([listOf(polygons, [0, 2])]) }, 'geoarrow.multipolygon')))
    assert.deepEqual(many.map(({ type, coordinates }) => [type, coordinates.map(rings => rings.length)]), [['MultiPolygon', [1, 2]]])
  }
  const heights = geometries(await fromTable(tableOf({ shape: new arrow.Vector([together('xyz')]) }, 'geoarrow.point').slice(2, 3)))
  assert.deepEqual(heights, [{ type: 'Point', coordinates: [2, -2, 20] }])
  const measures = geometries(await fromTable(tableOf({ shape: new arrow.Vector([together('xym')]) }, 'geoarrow.point').slice(2, 3)))
  assert.deepEqual(measures, [{ type: 'Point', coordinates: [2, -2] }])
})

test('WKB columns, and how the geometry is found', async () => {
  const wkb = [Buffer.from(hex, 'hex'), null, Buffer.from(hex, 'hex')]
  for (const type of [new arrow.Binary(), new arrow.LargeBinary()]) {
    for (const [name, metadata, options] of [['shape', 'geoarrow.wkb'], ['shape', 'ogc.wkb'], ['geom'], ['other', undefined, { geometry: 'other' }], ['other', undefined, { geometry: 'other', type: 'wkb' }]]) {
      const table = tableOf({ id: vectorFromArray([1, 2, 3], new arrow.Int32()), [name]: vectorFromArray(wkb, type) }, metadata)
      assert.deepEqual(geometries(await fromTable(table, options)), [line, null, line], name)
      assert.deepEqual(properties(await fromTable(table.slice(1), options)), [{ id: 2 }, { id: 3 }])
    }
  }
  const none = await fromTable(tableOf({ id: vectorFromArray([1], new arrow.Int32()) }))
  assert.deepEqual(geometries(none), [null])
  const argument = message => error => error.code === 'ERR_SLUICE_ARGUMENT' && error.message.includes(message)
  const binary = tableOf({ other: vectorFromArray(wkb, new arrow.Binary()) })
  assert.throws(() => fromArrow({}), argument('Expected data to be a Table or a RecordBatch of apache-arrow, got an object'))
  assert.throws(() => fromArrow(null), argument('got null'))
  assert.throws(() => fromArrow(binary), argument('Expected column "other" to be of integers'))
  assert.throws(() => fromArrow(binary, { geometry: 'geom' }), argument('Expected a column of the table (other), got "geom"'))
  assert.throws(() => fromArrow(binary, { geometry: 'other', type: 'curve' }), argument('the type of geometry "other"'))
  assert.throws(() => fromArrow(tableOf({ a: vectorFromArray([1], new arrow.Int32()) }), { geometry: 'a' }), argument('the type of geometry "a"'))
  assert.throws(() => [...fromArrow(binary, { geometry: 'other', type: 'point' })], argument('Expected a geometry of type point as GeoArrow has it'))
  assert.throws(() => [...fromArrow(binary, { geometry: 'other', type: 'linestring' })], argument('Expected a geometry of type linestring'))
})

// ---- nothing is copied

/** The buffers of all typed arrays in a value, wherever. */
function buffersIn (value, found = new Set(), seen = new Set()) {
  if (typeof value !== 'object' || value === null || seen.has(value)) return found
  seen.add(value)
  if (ArrayBuffer.isView(value)) return value.byteLength > 0 ? found.add(value.buffer) : found
  for (const key of Reflect.ownKeys(value)) buffersIn(value[key], found, seen)
  return found
}

function assertBorrowed (table, options, what) {
  const owned = buffersIn(table.batches.map(({ data }) => data))
  let borrowed = 0
  for (const part of fromArrow(table, options)) {
    for (const buffer of buffersIn(part)) {
      assert.ok(owned.has(buffer), `${what}: a buffer of ${buffer.byteLength} bytes is the table's`)
      borrowed++
    }
  }
  assert.ok(borrowed > 0, what)
}

test('what comes of a table are its own buffers: every type of column, GeoArrow and WKB, whole, sliced and read from a stream', () => {
  const some = make => Array.from({ length: 12 }, (_, i) => i % 5 === 2 ? null : make(i))
  const { vectorFromArray } = arrow
  const points = together('xyz')
  const lines = listOf(together('xy'), [0, 4, 8, 12])
  const polygons = listOf(lines, [0, 1, 3], new Uint8Array([0b10]))
  const tables = {
    columns: tableOf({
      i8: vectorFromArray(some(i => i), new arrow.Int8()),
      u64: vectorFromArray(some(i => BigInt(i)), new arrow.Uint64()),
      f32: vectorFromArray(some(i => i / 4), new arrow.Float32()),
      f64: vectorFromArray(some(i => i / 8), new Float64()),
      s: vectorFromArray(some(i => `é${i}`), new arrow.Utf8()),
      ls: vectorFromArray(some(i => `large ${i}`), new arrow.LargeUtf8()),
      b: vectorFromArray(some(i => i % 3 === 0), new arrow.Bool()),
      d: vectorFromArray(some(i => new Date(i * 86_400_000)), new arrow.DateDay()),
      d64: vectorFromArray(some(i => new Date(i * 86_400_000)), new arrow.DateMillisecond()),
      t: vectorFromArray(some(i => new Date(i * 1000)), new arrow.TimestampMicrosecond()),
      dict: vectorFromArray(some(i => `value ${i % 3}`), new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()))
    }),
    point: tableOf({ shape: new arrow.Vector([points]) }, 'geoarrow.point'),
    'point apart': tableOf({ shape: new arrow.Vector([apart()]) }, 'geoarrow.point'),
    linestring: tableOf({ shape: new arrow.Vector([lines]) }, 'geoarrow.linestring'),
    polygon: tableOf({ shape: new arrow.Vector([polygons]) }, 'geoarrow.polygon'),
    multipoint: tableOf({ shape: new arrow.Vector([listOf(apart(), [0, 2, 12])]) }, 'geoarrow.multipoint'),
    multilinestring: tableOf({ shape: new arrow.Vector([listOf(lines, [0, 1, 3])]) }, 'geoarrow.multilinestring'),
    multipolygon: tableOf({ shape: new arrow.Vector([listOf(polygons, [0, 1, 2])]) }, 'geoarrow.multipolygon'),
    wkb: tableOf({ shape: vectorFromArray(some(() => Buffer.from(hex, 'hex')), new arrow.Binary()) }, 'geoarrow.wkb'),
    'large wkb': tableOf({ shape: vectorFromArray(some(() => Buffer.from(hex, 'hex')), new arrow.LargeBinary()) }, 'geoarrow.wkb')
  }
  for (const [name, table] of Object.entries(tables)) {
    assertBorrowed(table, {}, name)
    assertBorrowed(table.slice(1), {}, `${name}, sliced`)
    assertBorrowed(arrow.tableFromIPC(arrow.tableToIPC(table)), {}, `${name}, from a stream`)
  }
})
