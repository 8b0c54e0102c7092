'use strict'

// Features as WFS servers and databases give them, as bytes in three encodings. The same every time.

const arrow = require('apache-arrow')

const KINDS = ['primary', 'secondary', 'tertiary', 'residential', 'service', 'footway', 'cycleway', 'track']
const NAMES = ['Hauptstraße', 'Rue de la Gare', 'Station Road', 'Via Roma', 'Storgata', 'Kirchweg', 'Long Lane', 'Am Bahnhof', 'Rue du Moulin', 'Mill Road']

/** Numbers from 0 to 1 (mulberry32). */
function randoms (seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0
    let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 4294967296
  }
}

/** Roads: an id, a few attributes, and a line that wanders by some metres a vertex, to 7 decimals of a degree. */
function * roads () {
  const random = randoms(7)
  for (let id = 1; ; id++) {
    let x = 5.9 + 9 * random()
    let y = 47.3 + 7.5 * random()
    let course = 6.28 * random()
    const line = []
    for (let n = 2 + Math.floor(25 * random() * random()); n > 0; n--) {
      line.push([Number(x.toFixed(7)), Number(y.toFixed(7))])
      course += random() - 0.5
      x += 0.0004 * random() * Math.cos(course)
      y += 0.0003 * random() * Math.sin(course)
    }
    yield {
      id: 23_000_000 + 3 * id,
      name: random() < 0.6 ? `${NAMES[Math.floor(NAMES.length * random())]} ${Math.floor(120 * random())}` : null,
      kind: KINDS[Math.floor(KINDS.length * random() * random())],
      lanes: 1 + Math.floor(4 * random() * random()),
      oneway: random() < 0.2,
      changed: 1_500_000_000 + Math.floor(2e8 * random()),
      line
    }
  }
}

function gml ({ id, name, kind, lanes, oneway, changed, line }) {
  return `  <wfs:member>\n    <osm:road gml:id="road.${id}">\n` + (name === null ? '' : `      <osm:name>${name}</osm:name>\n`) +
    `      <osm:kind>${kind}</osm:kind>\n      <osm:lanes>${lanes}</osm:lanes>\n      <osm:oneway>${oneway}</osm:oneway>\n      <osm:changed>${new Date(1000 * changed).toISOString()}</osm:changed>\n` +
    `      <osm:geometry>\n        <gml:LineString gml:id="road.${id}.geometry" srsName="http://www.opengis.net/def/crs/EPSG/0/4326" srsDimension="2">\n          <gml:posList>` +
    line.map(([x, y]) => `${y} ${x}`).join(' ') + '</gml:posList>\n        </gml:LineString>\n      </osm:geometry>\n    </osm:road>\n  </wfs:member>\n'
}

function geojson ({ id, line, ...properties }) {
  return JSON.stringify({ type: 'Feature', id, properties, geometry: { type: 'LineString', coordinates: line } }) + ',\n'
}

function text (format, bytes) {
  const parts = []
  let length = 0
  for (const road of roads()) {
    const part = Buffer.from(format(road))
    parts.push(part)
    length += part.length
    if (length >= bytes) return Buffer.concat(parts)
  }
}

/** An IPC stream of record batches of 1024 roads; vertices as GeoArrow has them, in two columns. */
function ipc (bytes) {
  const { Bool, Field, Float64, Int32, List, RecordBatchStreamWriter, Struct, Table, TimestampSecond, Utf8, makeData, makeVector, vectorFromArray } = arrow
  const x = new Field('x', new Float64(), false)
  const y = new Field('y', new Float64(), false)
  const vertices = new Field('vertices', new Struct([x, y]), false)
  const types = { id: new Int32(), name: new Utf8(), kind: new Utf8(), lanes: new Int32(), oneway: new Bool(), changed: new TimestampSecond() }
  const writer = new RecordBatchStreamWriter()
  const all = roads()
  for (let length = 0; length < bytes;) {
    const rows = Array.from({ length: 1024 }, () => all.next().value)
    const columns = Object.entries(types).map(([name, type]) => [name, vectorFromArray(rows.map(row => name === 'changed' ? 1000 * row[name] : row[name]), type)])
    const line = rows.flatMap(row => row.line)
    const valueOffsets = new Int32Array(rows.length + 1)
    rows.forEach((row, i) => { valueOffsets[i + 1] = valueOffsets[i] + row.line.length })
    const children = [0, 1].map(i => makeData({ type: new Float64(), data: Float64Array.from(line, vertex => vertex[i]) }))
    const child = makeData({ type: vertices.type, length: line.length, children })
    columns.push(['line', makeVector(makeData({ type: new List(vertices), length: rows.length, valueOffsets, child }))])
    for (const batch of new Table(Object.fromEntries(columns)).batches) writer.write(batch)
    length += 16 * line.length + 45 * rows.length // about
  }
  writer.finish()
  return Buffer.from(writer.toUint8Array(true))
}

/** About so many bytes of each: {GML, GeoJSON, Arrow}. */
function featureBytes (bytes) {
  return { GML: text(gml, bytes), GeoJSON: text(geojson, bytes), Arrow: ipc(bytes) }
}

module.exports = { featureBytes }
