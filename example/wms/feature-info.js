'use strict'

// GetFeatureInfo: what lies under a pixel. Found by index, then by exact distance: mapnik's own query has no tolerance.

const { ServiceError } = require('../errors')
const { layers } = require('../layers')
const crs = require('../crs')
const { toGeometry } = require('../wkb')
const { mapQuery, layersOf } = require('./request')

const tolerance = 4 // pixels
const mostFeatures = 100
const mostLooked = 20000 // features of a layer whose box is hit
const infoFormats = ['text/plain', 'application/json']

// -> {type, body}
async function featureInfo (params, version, store) {
  const query = mapQuery(params, version)
  const [i, j] = version === '1.3.0' ? ['i', 'j'] : ['x', 'y']
  const column = point(params, i, query.width)
  const row = point(params, j, query.height)
  const names = queryLayers(params, query)
  const type = params.get('info_format') ?? infoFormats[0]
  if (!infoFormats.includes(type.toLowerCase())) throw params.invalid('info_format', infoFormats.join(' or '), 'InvalidFormat')
  const count = params.integer('feature_count', 1, Infinity, 1)

  const found = []
  for (const name of names) found.push(...await under(query, column, row, name, Math.min(count, mostFeatures), store))
  return type.toLowerCase() === 'text/plain' ? { type: 'text/plain; charset=utf-8', body: toText(found) } : { type: 'application/json', body: toJson(found) }
}

function point (params, name, size) {
  const text = params.required(name)
  if (/^\d{1,5}$/.test(text) && Number(text) < size) return Number(text)
  throw params.invalid(name, `a column or row of the map, from 0 to ${size - 1}`, 'InvalidPoint')
}

function queryLayers (params, { layers: drawn }) {
  const names = params.required('query_layers').split(',')
  layersOf(params, 'query_layers', names)
  for (const name of names) {
    if (!layers[name]?.columns) throw new ServiceError('LayerNotQueryable', `Expected QUERY_LAYERS to name queryable layers, got "${name}"`, { locator: 'query_layers' })
    if (!drawn.includes(name)) throw new ServiceError('LayerNotDefined', `Expected QUERY_LAYERS to be among LAYERS, got "${name}"`, { locator: 'query_layers' })
  }
  return [...new Set(names)]
}

async function under ({ system, extent, width, height }, column, row, name, count, store) {
  const [minx, miny, maxx, maxy] = extent
  const pixelWidth = (maxx - minx) / width
  const pixelHeight = (maxy - miny) / height
  const x = minx + (column + 0.5) * pixelWidth
  const y = maxy - (row + 0.5) * pixelHeight
  const box = [x - tolerance * pixelWidth, y - tolerance * pixelHeight, x + tolerance * pixelWidth, y + tolerance * pixelHeight]
  const bbox = crs.toDegrees(box, system)
  // Distances in pixels, as seen on the map.
  const toPixels = ([longitude, latitude]) => {
    const [east, north] = system.forward(longitude, latitude)
    return [(east - x) / pixelWidth, (north - y) / pixelHeight]
  }
  const columns = Object.keys(layers[name].columns)
  const found = []
  let looked = 0
  for await (const rows of store.batches(name, columns, { bbox })) {
    for (const [fid, wkb, ...values] of rows) {
      if (!isHit(toGeometry(wkb), toPixels)) continue
      found.push({ id: `${name}.${fid}`, properties: Object.fromEntries(columns.map((column, i) => [column, values[i]])) })
      if (found.length === count) return found
    }
    if ((looked += rows.length) > mostLooked) break
  }
  return found
}

// Whether the origin of pixels is in or near the geometry.
function isHit ({ type, coordinates }, toPixels) {
  switch (type) {
    case 'Point': return Math.hypot(...toPixels(coordinates)) <= tolerance
    case 'LineString': return isNear(coordinates.map(toPixels))
    case 'Polygon': return isInside(coordinates.map((ring) => ring.map(toPixels)))
    default: return coordinates.some((part) => isHit({ type: type.slice('Multi'.length), coordinates: part }, toPixels))
  }
}

function isNear (line) {
  return line.some(([x, y], i) => {
    const [fromX, fromY] = line[Math.max(0, i - 1)]
    const [dx, dy] = [x - fromX, y - fromY]
    const along = dx === 0 && dy === 0 ? 0 : Math.max(0, Math.min(1, -(fromX * dx + fromY * dy) / (dx * dx + dy * dy)))
    return Math.hypot(fromX + along * dx, fromY + along * dy) <= tolerance
  })
}

// By even and odd crossings of a ray, holes included.
function isInside (rings) {
  let inside = false
  for (const ring of rings) {
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
      const [[x, y], [lastX, lastY]] = [ring[i], ring[j]]
      if ((y > 0) !== (lastY > 0) && x - y * (lastX - x) / (lastY - y) > 0) inside = !inside
    }
  }
  return inside
}

function toText (found) {
  if (found.length === 0) return 'No features\n'
  return found.map(({ id, properties }) =>
    `${id}\n${Object.entries(properties).map(([name, value]) => `  ${name} = ${value ?? ''}\n`).join('')}`).join('')
}

function toJson (found) {
  return JSON.stringify({ type: 'FeatureCollection', features: found.map((feature) => ({ type: 'Feature', geometry: null, ...feature })) })
}

module.exports = { featureInfo, infoFormats }
