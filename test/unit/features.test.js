'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { check } = require('@placemarkio/check-geojson')
const rewind = require('@mapbox/geojson-rewind')

const { encode, encodeStream, createEncoder, features, batches } = require('../..')
const { Stream } = require('../../js/stream')
const { split } = require('../../js/options')
const { idle } = require('./support/wait')

/** The text that parts become. */
async function textOf (description, ...parts) {
  const source = features({ typeName: 't:place', ...description })
  const done = encode(source)
  for (const part of parts) source.write(part)
  source.end()
  return String(await done)
}

async function jsonOf (description, ...parts) {
  const text = await textOf({ format: 'geojson', ...description }, ...parts)
  check(text)
  assert.deepEqual(rewind(JSON.parse(text), false), JSON.parse(text), 'outer rings counterclockwise, holes clockwise')
  return JSON.parse(text)
}

/** Strings as a column. */
function strings (...values) {
  const data = Buffer.from(values.join(''))
  let end = 0
  return { offsets: Int32Array.from([0, ...values.map(value => (end += Buffer.byteLength(value)))]), data }
}

const point = { x: new Float64Array([1.5, 2.5]), y: new Float64Array([-3, 4]) }

test('every type of column', async () => {
  const columns = {
    i8: 'int8',
    i16: 'int16',
    i32: 'int32',
    i64: 'int64',
    u8: 'uint8',
    u16: 'uint16',
    u32: 'uint32',
    u64: 'uint64',
    f32: 'float32',
    f64: 'float64',
    s: 'utf8',
    b: 'bool',
    d: 'date32',
    d64: 'date64',
    t: 'timestamp',
    us: 'timestamp[us]',
    ns: { type: 'timestamp', unit: 'ns' },
    ts: { type: 'timestamp', unit: 's' },
    none: 'int32'
  }
  const part = {
    geometry: point,
    columns: {
      i8: new Int8Array([-128, 127]),
      i16: new Int16Array([-32768, 32767]),
      i32: new Int32Array([-(2 ** 31), 2 ** 31 - 1]),
      i64: new BigInt64Array([-(2n ** 63n), 2n ** 63n - 1n]),
      u8: new Uint8Array([0, 255]),
      u16: new Uint16Array([0, 65535]),
      u32: new Uint32Array([0, 2 ** 32 - 1]),
      u64: new BigUint64Array([0n, 2n ** 64n - 1n]),
      f32: new Float32Array([0.1, NaN]),
      f64: new Float64Array([1e-7, Infinity]),
      s: strings('"Ü"\n', '😀\u0001'),
      b: new Uint8Array([0b10]),
      d: new Int32Array([19782, -1]),
      d64: new BigInt64Array([1709208000000n, -1n]),
      t: new BigInt64Array([1709210096789n, -1n]),
      us: new BigInt64Array([1n, 0n]),
      ns: new BigInt64Array([1n, -1n]),
      ts: new BigInt64Array([86399n, 86400n]),
      none: null
    }
  }
  const text = await textOf({ format: 'geojson', columns }, part)
  const [first, second] = JSON.parse(text).features.map(({ properties }) => properties)
  assert.deepEqual(first, {
    i8: -128,
    i16: -32768,
    i32: -(2 ** 31),
    i64: -(2 ** 63),
    u8: 0,
    u16: 0,
    u32: 0,
    u64: 0,
    f32: 0.1,
    f64: 1e-7,
    s: '"Ü"\n',
    b: false,
    d: '2024-02-29',
    d64: '2024-02-29',
    t: '2024-02-29T12:34:56.789Z',
    us: '1970-01-01T00:00:00.000001Z',
    ns: '1970-01-01T00:00:00.000000001Z',
    ts: '1970-01-01T23:59:59Z',
    none: null
  })
  assert.deepEqual({ ...second, i64: 0, u64: 0 }, {
    i8: 127,
    i16: 32767,
    i32: 2 ** 31 - 1,
    i64: 0,
    u8: 255,
    u16: 65535,
    u32: 2 ** 32 - 1,
    u64: 0,
    f32: null,
    f64: null,
    s: '😀\u0001',
    b: true,
    d: '1969-12-31',
    d64: '1969-12-31',
    t: '1969-12-31T23:59:59.999Z',
    us: '1970-01-01T00:00:00Z',
    ns: '1969-12-31T23:59:59.999999999Z',
    ts: '1970-01-02T00:00:00Z',
    none: null
  })
  assert.match(text, /"i64":9223372036854775807.*"u64":18446744073709551615/)
  const gml = await textOf({ format: 'gml32', columns }, part)
  assert.match(gml, /<t:f64>0\.0000001<\/t:f64><t:s>&quot;Ü&quot;&#10;<\/t:s><t:b>false<\/t:b>/)
  assert.match(gml, /<t:f32 xsi:nil="true"\/><t:f64 xsi:nil="true"\/><t:s>😀\uFFFD<\/t:s>/)
  assert.match(await textOf({ format: 'csv', columns }, part), /,"""Ü""\n",false,2024-02-29,/)
})

test('nulls: bitmaps that begin anywhere, dictionaries, whole columns', async () => {
  const validity = new Uint8Array([0b00000000, 0b00100000]) // bit 13
  const { features: [first, second] } = await jsonOf({ columns: { n: 'int32', b: 'bool', s: 'utf8', d: 'float64' } }, {
    geometry: { ...point, validity, bitOffset: 13 },
    columns: {
      n: { values: new Int32Array([7, 8]), validity, bitOffset: 12 },
      b: { values: new Uint8Array([0, 0b01100000]), validity, bitOffset: 13 },
      s: { indices: new Uint8Array([1, 0]), dictionary: strings('a', 'bc') },
      d: { indices: new BigInt64Array([0n, 1n]), dictionary: { values: new Float64Array([0.5, 1.5]), validity: new Uint8Array([0b10]) } }
    }
  })
  assert.deepEqual([first.geometry, second.geometry], [{ type: 'Point', coordinates: [1.5, -3] }, null])
  assert.deepEqual([first.properties, second.properties], [{ n: null, b: true, s: 'bc', d: null }, { n: 8, b: null, s: 'a', d: 1.5 }])
})

test('ids: of a column, running numbers across parts, names for GML', async () => {
  const part = (...values) => ({ geometry: null, columns: { k: strings(...values) } })
  const columns = { k: 'utf8' }
  const ids = text => [...text.matchAll(/(?:gml:id=|"id":)"(.*?)"/g)].map(match => match[1])
  assert.deepEqual(ids(await textOf({ format: 'gml32', columns, id: 'k' }, part('a', 'place.b'), part('1 <é>', ''))), ['place.a', 'place.b', 'place.1__é_', 'place.4'])
  assert.deepEqual(ids(await textOf({ format: 'gml32', columns }, part('a', 'b'), part('c'))), ['place.1', 'place.2', 'place.3'])
  assert.deepEqual(ids(await textOf({ format: 'geojson', columns }, part('a', 'b'), part('c'))), ['place.1', 'place.2', 'place.3'])
  assert.deepEqual((await jsonOf({ columns: { n: 'int64' }, id: 'n' }, { columns: { n: new BigInt64Array([5n]) } })).features[0].id, 5)
})

test('what stands around features, in each format', async () => {
  const about = {
    namespace: 'http://a?b&c',
    srsName: 'urn:ogc:def:crs:EPSG::4326',
    axisOrder: 'yx',
    decimals: 2,
    bbox: [0.001, 1, 2, 3.129],
    featureBbox: true,
    numberMatched: 10,
    numberReturned: 2n,
    timeStamp: new Date(0),
    next: 'http://x/?a=1&b=2',
    previous: 'http://y',
    schemaLocation: 'http://a http://a.xsd',
    geometryName: 'geom',
    crs: true
  }
  const wfs = await textOf({ ...about, format: 'text/xml; subtype=gml/3.2' }, { geometry: point })
  assert.equal(wfs, `<?xml version="1.0" encoding="UTF-8"?>
<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="http://a?b&amp;c" xsi:schemaLocation="http://a http://a.xsd" timeStamp="1970-01-01T00:00:00.000Z" numberMatched="10" numberReturned="2" next="http://x/?a=1&amp;b=2" previous="http://y">
<wfs:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326" srsDimension="2"><gml:lowerCorner>1 0</gml:lowerCorner><gml:upperCorner>3.13 2</gml:upperCorner></gml:Envelope></wfs:boundedBy>
${[['1', '-3 1.5'], ['2', '4 2.5']].map(([n, pos]) => `<wfs:member><t:place gml:id="place.${n}"><gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326" srsDimension="2"><gml:lowerCorner>${pos}</gml:lowerCorner><gml:upperCorner>${pos}</gml:upperCorner></gml:Envelope></gml:boundedBy><t:geom><gml:Point gml:id="place.${n}.geometry" srsName="urn:ogc:def:crs:EPSG::4326" srsDimension="2"><gml:pos>${pos}</gml:pos></gml:Point></t:geom></t:place></wfs:member>`).join('\n')}
</wfs:FeatureCollection>
`)
  const gml = await textOf({ ...about, format: 'gml32', collection: 'gml', bbox: [0, 1, -5, 2, 3, 5], featureBbox: false }, { geometry: { ...point, z: new Float64Array([1, 2]) } })
  assert.match(gml, /<gml:FeatureCollection xmlns:gml=".*" xmlns:t=".*" xsi:schemaLocation=".*" gml:id="FeatureCollection">\n<gml:boundedBy>/)
  assert.match(gml, /<gml:lowerCorner>1 0 -5<\/gml:lowerCorner>.*\n<gml:featureMember>.*srsDimension="3"><gml:pos>-3 1.5 1<\/gml:pos>.*\n.*<\/gml:featureMember>\n<\/gml:FeatureCollection>\n$/)
  const { features: list, ...collection } = await jsonOf({ ...about, crs: false }, { geometry: point })
  assert.deepEqual(collection, {
    type: 'FeatureCollection',
    bbox: [0, 1, 2, 3.13],
    numberMatched: 10,
    numberReturned: 2,
    timeStamp: '1970-01-01T00:00:00.000Z',
    links: [{ rel: 'next', type: 'application/geo+json', href: 'http://x/?a=1&b=2' }, { rel: 'prev', type: 'application/geo+json', href: 'http://y' }]
  })
  assert.deepEqual(list[0], { type: 'Feature', id: 'place.1', bbox: [1.5, -3, 1.5, -3], geometry: { type: 'Point', coordinates: [1.5, -3] }, properties: {} })
  assert.deepEqual(JSON.parse(await textOf({ ...about, format: 'geojson' })).crs, { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::4326' } })
  assert.equal(await textOf({ ...about, format: 'csv' }, { geometry: point }), 'geom\r\n"POINT (-3 1.5)"\r\n"POINT (4 2.5)"\r\n')
  assert.equal(await textOf({ format: 'csv', geometryName: null, columns: { a: 'utf8' } }, { columns: { a: strings('x', '') } }), 'a\r\nx\r\n""\r\n')
  assert.equal(await textOf({ format: 'geojson' }), '{"type":"FeatureCollection","features":[\n]}\n')
})

test('GeoJSON of every kind of geometry passes the linter', async () => {
  const coords = new Float64Array([0, 0, 4, 0, 4, 4, 0, 0, 1, 1, 2, 1, 2, 2, 1, 1])
  const ends = new Int32Array([0, 4, 8])
  const of = async geometry => (await jsonOf({}, { geometry })).features[0].geometry
  const outer = [[0, 0], [4, 0], [4, 4], [0, 0]]
  const inner = [[1, 1], [2, 2], [2, 1], [1, 1]]
  const inOrder = [[1, 1], [2, 1], [2, 2], [1, 1]]
  const first = new Int32Array([0, 2])
  assert.deepEqual(await of({ type: 'Polygon', coords, offsets: [first, ends] }), { type: 'Polygon', coordinates: [outer, inner] })
  assert.deepEqual(await of({ type: 'multilinestring', coords, offsets: [first, ends] }), { type: 'MultiLineString', coordinates: [outer, inOrder] })
  assert.deepEqual(await of({ type: 'multipolygon', coords, offsets: [first, new Int32Array([0, 1, 2]), ends] }), { type: 'MultiPolygon', coordinates: [[outer], [inOrder]] })
  assert.deepEqual(await of({ type: 'linestring', coords, dimensions: 'xyzm', offsets: [first] }), { type: 'LineString', coordinates: [[0, 0, 4], [4, 4, 0]] })
  assert.deepEqual(await of({ type: 'multipoint', coords, dimensions: 'xym', offsets: [new BigInt64Array([0n, 2n])] }), { type: 'MultiPoint', coordinates: [[0, 0], [0, 4]] })
  assert.deepEqual(await of({ type: 'point', coords: { x: new Float64Array([1]), y: new Float64Array([2]), z: new Float64Array([3]) } }), { type: 'Point', coordinates: [1, 2, 3] })
  const wkb = Buffer.from('0107000000020000000101000000000000000000f03f00000000000000400102000000020000000000000000000000000000000000000000000000000008400000000000001040', 'hex')
  assert.deepEqual(await of({ wkb: { offsets: new Int32Array([0, wkb.length]), data: wkb } }),
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }, { type: 'LineString', coordinates: [[0, 0], [3, 4]] }] })
})

test('the cut into parts changes nothing, and large parts are borrowed', async () => {
  const n = 30_000
  const x = Float64Array.from({ length: n }, (_, i) => i / 7)
  const id = Int32Array.from({ length: n }, (_, i) => i)
  const cut = size => Array.from({ length: Math.ceil(n / size) }, (_, i) => {
    const [from, to] = [i * size, Math.min(n, (i + 1) * size)]
    return { geometry: { x: x.subarray(from, to), y: x.subarray(from, to) }, columns: { id: id.subarray(from, to) } }
  })
  const description = { format: 'geojson', columns: { id: 'int32' } }
  const whole = await textOf(description, ...cut(n))
  for (const size of [1000, 7777]) assert.ok(await textOf(description, ...cut(size)) === whole, `parts of ${size}`)
  const source = features({ typeName: 'a', ...description })
  const stream = encodeStream(source)
  const [part] = cut(n)
  let settled = false
  const written = source.write(part).then(() => { settled = true })
  await new Promise(resolve => setTimeout(resolve, 50))
  assert.equal(settled, false, 'a part that is not read is lent')
  stream.resume()
  await written
  source.end()
  await idle()
})

test('parts through a Duplex, rows through batches', async () => {
  const rows = Array.from({ length: 2500 }, (_, i) => ({ n: i, geometry: { x: i, y: -i } }))
  const columns = { n: 'int32' }
  const encoder = createEncoder(features({ format: 'geojson', columns }))
  const { pipeline } = require('node:stream/promises')
  const chunks = []
  await pipeline(batches(rows, columns), encoder, async out => { for await (const chunk of out) chunks.push(chunk) })
  assert.equal(JSON.parse(Buffer.concat(chunks)).features.length, 2500)
  assert.equal(encoder.report.format, 'geojson')
  assert.equal(encoder.report.mediaType, 'application/geo+json')
})

test('wrong types are ERR_SLUICE_ARGUMENT at once', async () => {
  for (const [description, message] of [
    [undefined, 'a description of features to be an object {format, typeName, columns}, got undefined'],
    [{ format: 1 }, 'format to be a string, got 1'],
    [{ decimals: '2' }, 'decimals to be a number, got "2"'],
    [{ decimals: NaN }, 'decimals to be a number, got NaN'],
    [{ columns: ['a'] }, 'columns to be an object of types by name, got an array'],
    [{ columns: { a: 1 } }, 'the type of column "a" to be a string, got 1'],
    [{ bbox: 'all' }, 'bbox to be a list of 4 or 6 numbers, or true for those of features, got "all"'],
    [{ bbox: [1, 2, 3, '4'] }, 'bbox to be'],
    [{ numberMatched: {} }, 'numberMatched to be a number, got an object'],
    [{ timeStamp: 12 }, 'timeStamp to be a Date or a string, got 12'],
    [{ geometryName: false }, 'geometryName to be a string or null, got false']
  ]) {
    assert.throws(() => features(description), error => error.code === 'ERR_SLUICE_ARGUMENT' && error.message.includes(`Expected ${message}`), message)
  }
  const columns = { n: 'int32', s: 'utf8', b: 'bool' }
  const good = { n: new Int32Array(1), s: strings('a'), b: new Uint8Array(1) }
  for (const [part, message] of [
    [null, 'a part to be a batch of features {geometry, columns}, got null'],
    [{ columns: {} }, 'a part\'s column "n" to be of int32, got undefined'],
    [{ columns: { ...good, n: [1] } }, 'column "n" to be a typed array or an object with values, got an array'],
    [{ columns: { ...good, n: new Float64Array(1) } }, 'column "n" to be an Int32Array, got an instance of Float64Array'],
    [{ columns: { ...good, s: { offsets: [0, 1], data: new Uint8Array(1) } } }, 'offsets of column "s" to be an Int32Array or BigInt64Array, got an array'],
    [{ columns: { ...good, n: { values: new Int32Array(1), validity: 1 } } }, 'validity of column "n" to be a Uint8Array'],
    [{ columns: good, geometry: { x: [1] } }, 'x to be a Float64Array, got an array'],
    [{ columns: good, geometry: { type: 'point', coords: new Float64Array(2), dimensions: 'yx' } }, 'dimensions to be'],
    [{ columns: good, length: '1' }, 'length to be a number, got "1"']
  ]) {
    const source = features({ format: 'geojson', columns })
    await assert.rejects(source.write(part), error => error.code === 'ERR_SLUICE_ARGUMENT' && error.message.includes(message), message)
    source.fail()
  }
})

test('wrong values come from the encode, sizes that do not fit from write() as well', async () => {
  for (const [description, code, message] of [
    [{ format: 'shp' }, 'ERR_SLUICE_FORMAT', 'Expected a known features format (gml32, '],
    [{ format: '' }, 'ERR_SLUICE_FORMAT', 'got ""'],
    [{ format: 'csv', decimals: 21 }, 'ERR_SLUICE_OPTION', '"decimals"'],
    [{ format: 'csv', colour: 'red' }, 'ERR_SLUICE_OPTION', 'got "colour"'],
    [{ format: 'csv', columns: { a: 'int33' } }, 'ERR_SLUICE_OPTION', 'Expected the type of column "a" to be int8|'],
    [{ format: 'csv', columns: { a: { type: 'timestamp', unit: 'min' } } }, 'ERR_SLUICE_OPTION', 'got "timestamp[min]"'],
    [{ format: 'gml32', typeName: '1st' }, 'ERR_SLUICE_OPTION', '"typeName"']
  ]) {
    await assert.rejects(encode(features({ typeName: 'a', ...description })), error => error.code === code && error.message.includes(message), message)
  }
  const source = features({ format: 'csv', columns: { a: 'int32' } })
  await assert.rejects(encode(source, { level: 'fast' }), { code: 'ERR_SLUICE_OPTION', message: 'Expected no csv options, got "level"' })
  await assert.rejects(encode(features({ format: 'csv' }), { format: 'geojson' }), { code: 'ERR_SLUICE_FORMAT' })
  const either = features({})
  either.end()
  assert.equal(String(await encode(either, { format: 'text/csv' })), 'geometry\r\n')
  for (const [part, message] of [
    [{ geometry: point, columns: { a: new Int32Array(3) } }, 'Expected column "a" to have 2 rows like geometry, got 3'],
    [{ columns: { a: new Int32Array(3) }, length: 2 }, 'Expected column "a" to have 2 rows like length, got 3'],
    [{ geometry: { x: new Float64Array(2), y: new Float64Array(1) } }, 'Expected y to have as many values as x, 2, got 1'],
    [{ columns: { a: { values: new Int32Array(9), validity: new Uint8Array(1) } } }, 'to have 2 bytes, got 1'],
    [{ geometry: { wkb: { offsets: new Int32Array([0, 1]), data: new Uint8Array(1) } }, columns: { a: new Int32Array(1) } }, 'Expected WKB of 5 more bytes, got 1'],
    [{ geometry: { type: 'curve', coords: new Float64Array(2) }, columns: { a: new Int32Array(1) } }, 'Expected the type of a geometry to be wkb|point|']
  ]) {
    const source = features({ format: 'csv', columns: { a: 'int32' } })
    const done = encode(source)
    source.write(part)
    source.end()
    await assert.rejects(done, error => error.code === 'ERR_SLUICE_INPUT' && error.message.includes(message), message)
  }
})

// ---- documents that tell why they end early

/** Runs a source with a consumer that has sent what it got. Resolves to {text, error, report}. */
function truncated (source, truncates = () => true) {
  return new Promise(resolve => {
    const chunks = []
    const consumer = { begin () {}, chunk (chunk) { chunks.push(chunk) }, truncates, end: (error, report) => resolve({ text: String(Buffer.concat(chunks)), error, report }) }
    consumer.stream = new Stream(source, split({}), { size: 4096, cut: 4096, exact: false, gathers: false }, consumer)
  })
}

test('GML tells why it ends early, when its consumer cannot take back what it sent', async () => {
  const failure = new Error('the database <left>')
  const make = (format, more) => {
    const source = features({ format, typeName: 'place', ...more })
    source.write({ geometry: point })
    return source
  }
  const source = make('gml32')
  const done = truncated(source)
  source.fail(failure)
  await assert.rejects(source.write({ geometry: point }), failure)
  const { text, error, report } = await done
  assert.equal(error, null)
  assert.equal(report.error, failure)
  assert.match(text, /<\/wfs:member>\n<wfs:truncatedResponse><ows:ExceptionReport .*<ows:ExceptionText>the database &lt;left&gt;<\/ows:ExceptionText>.*<\/wfs:truncatedResponse>\n<\/wfs:FeatureCollection>\n$/)
  assert.equal(text.match(/<wfs:member>/g).length, 2)

  for (const [format, more, truncates] of [['gml32', {}, () => false], ['gml32', { collection: 'gml' }], ['geojson'], ['csv']]) {
    const source = make(format, more)
    const done = truncated(source, truncates)
    source.fail(failure)
    assert.equal((await done).error, failure, format)
  }

  const broken = make('gml32')
  const late = truncated(broken)
  broken.write({ geometry: { wkb: { offsets: new Int32Array([0, 1]), data: new Uint8Array([9]) } } })
  const { text: other, error: none, report: { error: why } } = await late
  assert.equal(none, null)
  assert.equal(why.code, 'ERR_SLUICE_INPUT')
  assert.match(other, /<ows:ExceptionText>Expected WKB of 5 more bytes, got 1</)
  await assert.rejects(broken.write({ geometry: point }), { code: 'ERR_SLUICE_INPUT' })

  const plain = make('gml32')
  const whole = encode(plain)
  plain.fail(failure)
  await assert.rejects(whole, failure)
  await idle()
})
