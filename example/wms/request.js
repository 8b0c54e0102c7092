'use strict'

// What GetMap and GetFeatureInfo ask for, out of their parameters.

const { ServiceError } = require('../errors')
const { expand } = require('../layers')
const crs = require('../crs')
const { formats } = require('./formats')

const maxSize = 8192 // pixels, width and height alike
const maxLayers = 32
const pixelMillimetres = 0.28 // OGC's standard pixel
const inch = 25.4 // mm

// -> {layers, names, srs, system, extent: [minx, miny, maxx, maxy], width, height, transparent, background, format, dpi, scale}
function mapQuery (params, version) {
  const names = params.required('layers').split(',')
  const { system, extent } = area(params, version)
  const format = mediaType(params)
  const transparent = boolean(params, 'transparent')
  const dpi = resolution(params)
  return {
    names,
    layers: layersOf(params, 'layers', names),
    styles: styles(params, names),
    system,
    srs: system.srs,
    extent,
    width: params.integer('width', 1, maxSize),
    height: params.integer('height', 1, maxSize),
    format,
    transparent,
    background: transparent ? 'rgba(255,255,255,0)' : background(params),
    dpi,
    scale: dpi === undefined ? 1 : dpi / (inch / pixelMillimetres)
  }
}

function layersOf (params, parameter, names) {
  if (names.length > maxLayers) throw params.invalid(parameter, `a list of at most ${maxLayers} layers`)
  return names.flatMap((name) => expand(name) ?? unknownLayer(name, parameter))
}

function unknownLayer (name, locator) {
  throw new ServiceError('LayerNotDefined', `Expected ${locator.toUpperCase()} to name layers of the capabilities, got "${name.slice(0, 100)}"`, { locator })
}

// STYLES is a list as long as LAYERS, or empty: all default. Names may be left out.
function styles (params, names) {
  const text = params.get('styles')
  if (text === undefined) return []
  const list = text.split(',')
  const unknown = list.find((name) => name !== '' && name !== 'default')
  if (unknown !== undefined) throw new ServiceError('StyleNotDefined', `Expected STYLES to be empty or "default", got "${unknown.slice(0, 100)}"`, { locator: 'styles' })
  if (list.length !== names.length) throw params.invalid('styles', `a list of ${names.length}, as LAYERS is`)
  return list
}

function area (params, version) {
  const key = version === '1.3.0' ? 'crs' : 'srs'
  const systems = crs.wms[version]
  const name = params.required(key).toUpperCase()
  if (!Object.hasOwn(systems, name)) throw params.invalid(key, `one of ${Object.keys(systems).join(', ')}`, `Invalid${key.toUpperCase()}`)
  const system = systems[name]
  const { numbers, rest } = params.box('bbox')
  if (rest.length > 0) throw params.invalid('bbox', 'minx,miny,maxx,maxy')
  const [a, b, c, d] = numbers
  if (!(a < c && b < d)) throw params.invalid('bbox', 'minima that are less than the maxima')
  return { system, extent: system.latFirst ? crs.swap(numbers) : numbers }
}

function mediaType (params) {
  const format = params.required('format')
  const found = formats.find(({ name }) => name === format.toLowerCase().replaceAll(' ', ''))
  if (found === undefined) throw params.invalid('format', `one of ${formats.map(({ title }) => title).join(', ')}`, 'InvalidFormat')
  return found
}

function boolean (params, name) {
  const text = params.get(name) ?? 'FALSE'
  if (/^(true|false)$/i.test(text)) return /^true$/i.test(text)
  throw params.invalid(name, 'TRUE or FALSE')
}

// A CSS colour.
function background (params) {
  const text = params.get('bgcolor') ?? '0xFFFFFF'
  if (/^0x[\da-f]{6}$/i.test(text)) return `#${text.slice(2)}`
  throw params.invalid('bgcolor', '0xRRGGBB')
}

// Dots an inch as QGIS, MapServer and GeoServer spell it; undefined: OGC's standard pixels.
function resolution (params) {
  const spelled = ['dpi', 'map_resolution'].find((name) => params.get(name) !== undefined)
  const text = spelled ? params.get(spelled) : params.get('format_options')?.match(/(?:^|;)dpi:([^;]*)/i)?.[1]
  if (text === undefined) return undefined
  const dpi = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  if (dpi >= 24 && dpi <= 600) return dpi
  throw params.invalid(spelled ?? 'format_options', 'a resolution from 24 to 600 dots an inch')
}

module.exports = { mapQuery, layersOf, maxSize, maxLayers }
