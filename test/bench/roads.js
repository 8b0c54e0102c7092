'use strict'

// Real roads: those of Montevideo and Astana by OpenStreetMap (ODbL; the npm package @mapbox/mvt-fixtures), as WFS servers and
// databases give them, and as bytes in three encodings.

const arrow = require('apache-arrow')
const { city } = require('../../example/build/montevideo')

/** Every road: {id, kind, name, surface, maxspeed, line}, to 7 decimals of a degree. */
async function roads () {
  const networks = await Promise.all(['osm-qa-montevideo', 'osm-qa-astana'].map(async name => (await city(name)).roads))
  return networks.flat().map(([{ coordinates }, kind, name, surface, maxspeed], i) => ({ id: i + 1, kind, name, surface, maxspeed, line: coordinates }))
}

const escapes = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }
const element = (name, value) => value === null ? '' : `      <osm:${name}>${value.replace(/[<>&]/g, sign => escapes[sign])}</osm:${name}>\n`

function gml ({ id, kind, name, surface, maxspeed, line }) {
  return `  <wfs:member>\n    <osm:road gml:id="road.${id}">\n` + element('kind', kind) + element('name', name) + element('surface', surface) + element('maxspeed', maxspeed) +
    `      <osm:geometry>\n        <gml:LineString gml:id="road.${id}.geometry" srsName="http://www.opengis.net/def/crs/EPSG/0/4326" srsDimension="2">\n          <gml:posList>` +
    line.map(([x, y]) => `${y} ${x}`).join(' ') + '</gml:posList>\n        </gml:LineString>\n      </osm:geometry>\n    </osm:road>\n  </wfs:member>\n'
}

function geojson ({ id, line, ...properties }) {
  return JSON.stringify({ type: 'Feature', id, properties, geometry: { type: 'LineString', coordinates: line } }) + ',\n'
}

const text = (format, list) => Buffer.from(list.map(format).join(''))

/** An IPC stream of record batches of 1024 roads; vertices as GeoArrow has them, in two columns. */
function ipc (list) {
  const { Field, Float64, Int32, List, RecordBatchStreamWriter, Struct, Table, Utf8, makeData, makeVector, vectorFromArray } = arrow
  const x = new Field('x', new Float64(), false)
  const y = new Field('y', new Float64(), false)
  const vertices = new Field('vertices', new Struct([x, y]), false)
  const types = { id: new Int32(), kind: new Utf8(), name: new Utf8(), surface: new Utf8(), maxspeed: new Utf8() }
  const writer = new RecordBatchStreamWriter()
  for (let from = 0; from < list.length; from += 1024) {
    const rows = list.slice(from, from + 1024)
    const columns = Object.entries(types).map(([name, type]) => [name, vectorFromArray(rows.map(row => row[name]), type)])
    const line = rows.flatMap(row => row.line)
    const valueOffsets = new Int32Array(rows.length + 1)
    rows.forEach((row, i) => { valueOffsets[i + 1] = valueOffsets[i] + row.line.length })
    const children = [0, 1].map(i => makeData({ type: new Float64(), data: Float64Array.from(line, vertex => vertex[i]) }))
    const child = makeData({ type: vertices.type, length: line.length, children })
    columns.push(['line', makeVector(makeData({ type: new List(vertices), length: rows.length, valueOffsets, child }))])
    for (const batch of new Table(Object.fromEntries(columns)).batches) writer.write(batch)
  }
  writer.finish()
  return Buffer.from(writer.toUint8Array(true))
}

/** The bytes of all roads: {GML, GeoJSON, Arrow}. */
async function roadBytes () {
  const list = await roads()
  return { GML: text(gml, list), GeoJSON: text(geojson, list), Arrow: ipc(list) }
}

module.exports = { roads, roadBytes }
