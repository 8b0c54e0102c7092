'use strict'

// Montevideo out of vector tiles of OpenStreetMap's (zoom 12, from @mapbox/mvt-fixtures): addresses, roads, buildings and
// land use, in degrees.

const fs = require('node:fs')
const path = require('node:path')

const fixtures = path.join(path.dirname(require.resolve('@mapbox/mvt-fixtures')), 'real-world')

const montevideo = () => city('osm-qa-montevideo')

// What tiles of a folder hold -> {addresses, roads, buildings, landuse}: lists of [geometry, ...values]
async function city (name) {
  const folder = path.join(fixtures, name)
  const { VectorTile } = await import('@mapbox/vector-tile')
  const { PbfReader } = await import('pbf')
  const found = { addresses: [], roads: [], buildings: [], landuse: [] }
  const seen = new Set() // addresses lie in every tile whose margin they touch
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.mvt')).sort()) {
    const tile = new VectorTile(new PbfReader(fs.readFileSync(path.join(folder, name))))
    const toDegrees = unprojection(...name.slice(0, -4).split('-').map(Number))
    for (const layer of Object.values(tile.layers)) {
      for (let i = 0; i < layer.length; i++) sort(layer.feature(i), toDegrees(layer.extent), found, seen)
    }
  }
  return found
}

// What is at x, y of a tile, in pixels of its extent, as [longitude, latitude].
const unprojection = (z, tileX, tileY) => (extent) => ({ x, y }) => [
  round((tileX + x / extent) / 2 ** z * 360 - 180),
  round(Math.atan(Math.sinh(Math.PI * (1 - 2 * (tileY + y / extent) / 2 ** z))) * 180 / Math.PI)
]

// To 1e-7 degrees, a centimetre: what OpenStreetMap stores.
const round = (degrees) => Math.round(degrees * 1e7) / 1e7

function sort (feature, toDegrees, { addresses, roads, buildings, landuse }, seen) {
  const { properties: tags, type } = feature
  const kind = tags.landuse ?? tags.leisure ?? tags.natural
  const lines = () => feature.loadGeometry().map((line) => line.map(toDegrees))
  if (type === 1 && tags['addr:housenumber'] !== undefined && !seen.has(tags['@id'])) {
    seen.add(tags['@id'])
    addresses.push([{ type: 'Point', coordinates: lines()[0][0] }, text(tags['addr:housenumber']), text(tags['addr:street'])])
  } else if (type === 2 && tags.highway !== undefined) {
    for (const coordinates of lines()) {
      if (coordinates.length > 1) roads.push([{ type: 'LineString', coordinates }, text(tags.highway), text(tags.name), text(tags.surface), text(tags.maxspeed)])
    }
  } else if (type === 3 && (tags.building ?? kind) !== undefined) {
    const coordinates = polygons(lines())
    if (coordinates.length === 0) return
    if (tags.building !== undefined) buildings.push([{ type: 'MultiPolygon', coordinates }, text(tags.building), text(tags.name)])
    else landuse.push([{ type: 'MultiPolygon', coordinates }, text(kind), text(tags.name)])
  }
}

const text = (value) => value === undefined ? null : String(value)

// Rings to polygons: an outer ring runs as the first one does, inner rings the other way (vector tile specification 4.3.3.3).
function polygons (rings) {
  const found = []
  let outer = 0
  for (const ring of rings) {
    const way = Math.sign(area(ring))
    if (way === 0) continue
    if (String(ring[0]) !== String(ring.at(-1))) ring.push(ring[0])
    outer ||= way
    if (way === outer) found.push([ring])
    else found.at(-1).push(ring)
  }
  return found
}

function area (ring) {
  return ring.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = ring[(i + 1) % ring.length]
    return sum + x * nextY - nextX * y
  }, 0)
}

module.exports = { montevideo, city }
