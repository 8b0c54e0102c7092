'use strict'

// Other ways to write features: template literals, JSON.stringify, ogr2ogr.

const fs = require('node:fs')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')

const PIECE = 64 * 1024 // characters that are written at once

const escapes = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', '\'': '&apos;' }
const escaped = text => /[<>&"']/.test(text) ? text.replace(/[<>&"']/g, sign => escapes[sign]) : text

const SRS = 'srsName="urn:ogc:def:crs:EPSG::4326" srsDimension="2"'

function gmlGeometry ({ type, coordinates }, id) {
  if (type === 'Point') return `<gml:Point gml:id="${id}.geometry" ${SRS}><gml:pos>${coordinates[1]} ${coordinates[0]}</gml:pos></gml:Point>`
  let list = ''
  for (const [x, y] of coordinates) list += `${list === '' ? '' : ' '}${y} ${x}`
  return `<gml:LineString gml:id="${id}.geometry" ${SRS}><gml:posList>${list}</gml:posList></gml:LineString>`
}

function gmlMember (row) {
  const id = `place.${row.id}`
  return `\n<wfs:member><t:place gml:id="${id}"><t:geometry>${gmlGeometry(row.geometry, id)}</t:geometry><t:id>${row.id}</t:id><t:name>${escaped(row.name)}</t:name>` +
    `<t:pop>${row.pop}</t:pop><t:elev>${row.elev}</t:elev><t:active>${row.active}</t:active></t:place></wfs:member>`
}

function jsonMember ({ geometry, id, name, pop, elev, active }, i) {
  const properties = { id, name, pop, elev, active }
  return `${i > 0 ? ',' : ''}\n${JSON.stringify({ type: 'Feature', id, geometry, properties })}`
}

const around = {
  gml32: ['<?xml version="1.0" encoding="UTF-8"?>\n<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:t="urn:t">', '\n</wfs:FeatureCollection>\n'],
  geojson: ['{"type":"FeatureCollection","features":[', '\n]}\n']
}
const members = { gml32: gmlMember, geojson: jsonMember }

/** Writes rows by templates or JSON.stringify, with backpressure. */
async function byStrings (format, rows, out) {
  const [head, tail] = around[format]
  const member = members[format]
  let text = head
  let i = 0
  for (const row of rows) {
    text += member(row, i++)
    if (text.length < PIECE) continue
    if (!out.write(text)) await once(out, 'drain')
    text = ''
  }
  out.end(text + tail)
}

const hasOgr = () => spawnSync('ogr2ogr', ['--version']).status === 0

/** GDAL's fastest input: a FlatGeobuf of a GeoJSON document. */
function toFlatGeobuf (json, file) {
  fs.writeFileSync(`${file}.json`, json)
  const { status, stderr } = spawnSync('ogr2ogr', ['-f', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO', '-nln', 'place', file, `${file}.json`])
  fs.rmSync(`${file}.json`)
  if (status !== 0) throw new Error(String(stderr))
}

/** Has ogr2ogr write what lies in a file. */
function byOgr (format, file, out) {
  const options = format === 'gml32' ? ['-f', 'GML', '-dsco', 'FORMAT=GML3.2', '-dsco', 'WRITE_FEATURE_BOUNDED_BY=NO'] : ['-f', 'GeoJSON', '-lco', 'RFC7946=YES']
  spawn('ogr2ogr', [...options, '/vsistdout/', file], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout.pipe(out)
}

module.exports = { byStrings, byOgr, hasOgr, toFlatGeobuf }
