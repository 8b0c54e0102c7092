'use strict'

// What a WMS says and hears: parameters in, XML out. Versions 1.3.0 and 1.1.1, one layer, PNG.

const layer = 'map'
const maxSize = 8192 // pixels, width and height alike

// What BBOX's axes mean under each CRS: srs is mapnik's name; latFirst is so in 1.3.0 only.
const systems = {
  'EPSG:3857': { srs: 'epsg:3857', bounds: [-20037508.34, -20037508.34, 20037508.34, 20037508.34] },
  'EPSG:4326': { srs: 'epsg:4326', bounds: [-180, -90, 180, 90], latFirst: true },
  'CRS:84': { srs: 'epsg:4326', bounds: [-180, -90, 180, 90] }
}
const crsNames = (version) => Object.keys(systems).filter((name) => version === '1.3.0' || name !== 'CRS:84')

class ServiceException extends Error {
  constructor (code, message, status = 400) {
    super(message)
    this.code = code
    this.status = status // of the HTTP answer
  }
}

// The parameters of a request, by lower-case name: WMS has them in any case.
function parameters (searchParams) {
  const params = {}
  for (const [name, value] of searchParams) params[name.toLowerCase()] = value
  return params
}

// The version to answer in. Only 1.3.0 and its elder 1.1.1 are spoken.
function version (params) {
  const asked = params.version ?? params.wmtver ?? '1.3.0'
  return asked < '1.3.0' ? '1.1.1' : '1.3.0'
}

function operation (params) {
  if (params.service !== undefined && params.service.toUpperCase() !== 'WMS') {
    throw new ServiceException('InvalidParameterValue', `Expected SERVICE to be WMS, got "${params.service}"`)
  }
  const name = required(params, 'request').toLowerCase()
  if (name === 'getmap' || name === 'getcapabilities') return name
  throw new ServiceException('OperationNotSupported', `Expected REQUEST to be GetMap or GetCapabilities, got "${params.request}"`)
}

// A GetMap request -> {srs, extent: [west, south, east, north], width, height, transparent, background}
function getMap (params) {
  required(params, 'version')
  const format = required(params, 'format')
  if (format.toLowerCase() !== 'image/png') {
    throw new ServiceException('InvalidFormat', `Expected FORMAT to be image/png, got "${format}"`)
  }
  for (const name of required(params, 'layers').split(',')) {
    if (name !== layer) throw new ServiceException('LayerNotDefined', `Expected LAYERS to be ${layer}, got "${name}"`)
  }
  for (const name of (params.styles ?? '').split(',')) {
    if (name !== '' && name !== 'default') throw new ServiceException('StyleNotDefined', `Expected STYLES to be empty, got "${name}"`)
  }
  const transparent = /^true$/i.test(params.transparent ?? '')
  return {
    ...area(params),
    width: size(params, 'width'),
    height: size(params, 'height'),
    transparent,
    background: background(params, transparent)
  }
}

function area (params) {
  const spoken = version(params)
  const key = spoken === '1.3.0' ? 'crs' : 'srs'
  const name = required(params, key).toUpperCase()
  if (!crsNames(spoken).includes(name)) {
    throw new ServiceException(`Invalid${key.toUpperCase()}`, `Expected ${key.toUpperCase()} to be one of ${crsNames(spoken).join(', ')}, got "${name}"`)
  }
  const { srs, latFirst } = systems[name]
  const text = required(params, 'bbox')
  const numbers = text.split(',').map((part) => part.trim() === '' ? NaN : Number(part))
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) {
    throw new ServiceException('InvalidParameterValue', `Expected BBOX to be minx,miny,maxx,maxy, got "${text}"`)
  }
  const [a, b, c, d] = numbers
  const extent = latFirst && spoken === '1.3.0' ? [b, a, d, c] : numbers
  if (!(a < c && b < d)) throw new ServiceException('InvalidParameterValue', `Expected BBOX's minima to be less than its maxima, got "${text}"`)
  return { srs, extent }
}

function size (params, name) {
  const text = required(params, name)
  const value = /^\d+$/.test(text) ? Number(text) : NaN
  if (value >= 1 && value <= maxSize) return value
  throw new ServiceException('InvalidParameterValue', `Expected ${name.toUpperCase()} to be a whole number from 1 to ${maxSize}, got "${text}"`)
}

// A CSS colour. Without BGCOLOR it is undefined: the map's own sea.
function background ({ bgcolor }, transparent) {
  if (transparent) return 'rgba(0,0,0,0)'
  if (bgcolor === undefined || bgcolor === '') return undefined
  if (/^0x[\da-f]{6}$/i.test(bgcolor)) return `#${bgcolor.slice(2)}`
  throw new ServiceException('InvalidParameterValue', `Expected BGCOLOR to be 0xRRGGBB, got "${bgcolor}"`)
}

function required (params, name) {
  if (params[name] !== undefined && params[name] !== '') return params[name]
  throw new ServiceException('MissingParameterValue', `Expected the parameter ${name.toUpperCase()}, got none`)
}

const escape = (text) => String(text).replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)

// An error as the answer that WMS clients understand: {status, type, body}
function exception (err, spoken) {
  const known = err instanceof ServiceException
  const code = known ? ` code="${escape(err.code)}"` : ''
  const namespace = spoken === '1.3.0' ? ' xmlns="http://www.opengis.net/ogc"' : ''
  return {
    status: known ? err.status : 500,
    type: spoken === '1.3.0' ? 'text/xml' : 'application/vnd.ogc.se_xml',
    body: `<?xml version="1.0" encoding="UTF-8"?>
<ServiceExceptionReport version="${spoken}"${namespace}>
  <ServiceException${code}>${escape(err.message)}</ServiceException>
</ServiceExceptionReport>
`
  }
}

module.exports = { parameters, version, operation, getMap, exception, escape, ServiceException, layer, maxSize, systems, crsNames }
