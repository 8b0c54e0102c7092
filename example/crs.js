'use strict'

// Coordinate reference systems: their names, the order of their axes, and the way from degrees and back. Data and bounds
// are in degrees, [west, south, east, north]. Web Mercator is a sphere, so its formulas are short.

const radius = 6378137 // metres
const edge = Math.PI * radius
const lastLatitude = Math.atan(Math.sinh(Math.PI)) * 180 / Math.PI // where Mercator's square ends

const degrees = { name: 'EPSG:4326', srs: 'epsg:4326', code: 4326, metres: 111319.49079327358, forward: (x, y) => [x, y], backward: (x, y) => [x, y] }
const mercator = {
  name: 'EPSG:3857',
  srs: 'epsg:3857',
  code: 3857,
  metres: 1,
  forward: (x, y) => {
    const latitude = Math.max(-lastLatitude, Math.min(lastLatitude, y)) * Math.PI / 180
    return [x * edge / 180, Math.asinh(Math.tan(latitude)) * radius]
  },
  backward: (x, y) => [x * 180 / edge, Math.atan(Math.sinh(y / radius)) * 180 / Math.PI]
}

// A box of degrees in a system's coordinates, x east and y north; and back.
const toSystem = ([west, south, east, north], { forward }) => [...forward(west, south), ...forward(east, north)]
const toDegrees = ([minx, miny, maxx, maxy], { backward }) => [...backward(minx, miny), ...backward(maxx, maxy)]

// WMS: latFirst says that the axes of BBOX are swapped, which is so in version 1.3.0 only.
const wms = {
  '1.3.0': { 'EPSG:3857': mercator, 'EPSG:4326': { ...degrees, latFirst: true }, 'CRS:84': degrees },
  '1.1.1': { 'EPSG:3857': mercator, 'EPSG:4326': degrees, 'EPSG:900913': mercator }
}

// WFS 2.0: URNs and URIs name EPSG's own order of axes, latitude first; the old short names mean x, y by custom.
function wfs (name) {
  const [, urn, code] = /^(urn:ogc:def:crs:EPSG:[^:]*:|https?:\/\/www\.opengis\.net\/def\/crs\/EPSG\/[^/]+\/|EPSG:|https?:\/\/www\.opengis\.net\/gml\/srs\/epsg\.xml#)(4326|3857)$/i.exec(name) ?? []
  if (code === '3857') return mercator
  if (code === '4326') return { ...degrees, latFirst: /^urn|\/def\//i.test(urn) }
  if (/^(urn:ogc:def:crs:OGC:[^:]*:CRS84|https?:\/\/www\.opengis\.net\/def\/crs\/OGC\/[^/]+\/CRS84|CRS:84)$/i.test(name)) return { ...degrees, name: 'CRS:84' }
  return undefined
}

const swap = ([a, b, c, d]) => [b, a, d, c]

module.exports = { wms, wfs, swap, toSystem, toDegrees, edge }
