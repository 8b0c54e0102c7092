'use strict'

// How features are called on the wire.

const { layers, isType, types } = require('../layers')

const prefix = 'map'
const namespace = 'http://example.org/map'
const geometryName = 'geom'
const storedQuery = 'urn:ogc:def:query:OGC-WFS::GetFeatureById'

// The GML type of a geometry's property, and XML Schema's of a column.
const geometryTypes = { POINT: 'PointPropertyType', LINESTRING: 'CurvePropertyType', MULTIPOLYGON: 'MultiSurfacePropertyType' }
const columnTypes = { utf8: 'string', int32: 'int', float64: 'double' }

// A name with or without our prefix, to that of a layer; undefined if there is none.
function typeOf (name) {
  const local = name.startsWith(`${prefix}:`) ? name.slice(prefix.length + 1) : name
  return isType(local) ? local : undefined
}

// An id such as cities.12, or 12 when the type is known otherwise, to {type, fid}; undefined if it cannot be one.
function parseId (id, type) {
  const [, name, number] = /^(?:([a-z]+)\.)?(\d{1,9})$/.exec(id) ?? []
  const found = name ?? type
  return number !== undefined && found !== undefined && isType(found) ? { type: found, fid: Number(number) } : undefined
}

module.exports = { prefix, namespace, geometryName, storedQuery, geometryTypes, columnTypes, typeOf, parseId, layers, types }
