'use strict'

// What GetFeature asks for, out of its parameters.

const { ServiceError } = require('../errors')
const crs = require('../crs')
const { layers, geometryName, prefix, typeOf, parseId } = require('./types')
const { readFilter } = require('./filter')
const { formatOf } = require('./formats')

const mostIds = 1000
const countDefault = 1000000 // features; some clients ask for pages of this size
const standardCrs = 'urn:ogc:def:crs:EPSG::4326'

// What Simple WFS need not have: ignoring them would answer another question.
const unsupported = ['cql_filter', 'sortby', 'filter_language', 'resolve', 'aliases']

// -> {type, filter: {bbox, ids}, columns, geometry: whether it is wanted, system, srsName, offset, count, hits, format}
function featureQuery (params) {
  for (const name of unsupported) {
    if (params.get(name) !== undefined && !(name === 'resolve' && params.get(name) === 'none')) {
      throw new ServiceError('OptionNotSupported', `Expected no ${name.toUpperCase()}: BBOX, RESOURCEID and FILTERs of those are what this server can filter by`, { locator: name })
    }
  }
  const filter = params.get('filter') === undefined ? {} : readFilter(params.get('filter'))
  const { type, ids } = subject(params, filter.ids)
  const srsName = params.get('srsname') ?? standardCrs
  const system = crs.wfs(srsName)
  if (system === undefined) throw params.invalid('srsname', 'EPSG:4326, EPSG:3857 or CRS84')
  return {
    type,
    filter: { ids, bbox: boundingBox(params, filter.bbox, ids) },
    ...projection(params, layers[type].columns),
    system,
    srsName,
    offset: params.integer('startindex', 0, 2 ** 31, 0),
    count: params.integer(params.get('count') === undefined ? 'maxfeatures' : 'count', 0, 2 ** 53, countDefault),
    hits: resultType(params),
    format: formatOf(params)
  }
}

// The type, and the ids of features if RESOURCEID has some.
function subject (params, filtered) {
  const name = params.get('typenames') === undefined && params.get('typename') !== undefined ? 'typename' : 'typenames'
  const idName = params.get('resourceid') === undefined && params.get('featureid') !== undefined ? 'featureid' : 'resourceid'
  const wanted = params.get(name)
  const type = wanted === undefined ? undefined : typeOf(wanted)
  if (wanted !== undefined && type === undefined) throw params.invalid(name, 'the name of one type of the capabilities')
  const text = params.get(idName) ?? filtered
  if (text === undefined) return { type: type ?? params.required('typenames') }
  const list = text.split(',')
  if (list.length > mostIds) throw params.invalid(idName, `a list of at most ${mostIds}`)
  const ids = list.map((id) => parseId(id, type))
  if (ids.includes(undefined)) throw params.invalid(idName, 'ids such as cities.1')
  const types = new Set(ids.map((id) => id.type))
  if (types.size > 1 || (type !== undefined && !types.has(type))) throw params.invalid(idName, 'ids of features of one type')
  return { type: ids[0].type, ids: ids.map(({ fid }) => fid) }
}

// BBOX in degrees: minimum and maximum, and the CRS they are in. An envelope that touches it is in it.
function boundingBox (params, filtered, ids) {
  const text = params.get('bbox') ?? filtered
  if (text === undefined) return undefined
  if (ids !== undefined) throw new ServiceError('InvalidParameterValue', 'Expected BBOX or RESOURCEID, got both', { locator: 'bbox' })
  const { numbers, rest } = params.box('bbox', text)
  const system = crs.wfs(rest.length === 0 ? standardCrs : rest[0])
  if (system === undefined || rest.length > 1) throw params.invalid('bbox', 'four numbers and a CRS: EPSG:4326, EPSG:3857 or CRS84')
  const box = system.latFirst ? crs.swap(numbers) : numbers
  if (box[0] > box[2] || box[1] > box[3]) throw params.invalid('bbox', 'minima that are not above the maxima')
  return crs.toDegrees(box, system)
}

// PROPERTYNAME: the columns that are wanted; fid is there always, like gml:id.
function projection (params, all) {
  const text = params.get('propertyname')
  if (text === undefined || text === '*') return { columns: all, geometry: true }
  const names = text.replace(/^\((.*)\)$/, '$1').split(',').map((name) => name.startsWith(`${prefix}:`) ? name.slice(prefix.length + 1) : name)
  for (const name of names) {
    if (name !== geometryName && name !== 'fid' && !Object.hasOwn(all, name)) throw params.invalid('propertyname', `names among ${[geometryName, 'fid', ...Object.keys(all)].join(', ')}`)
  }
  return { columns: Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))), geometry: names.includes(geometryName) }
}

function resultType (params) {
  const text = (params.get('resulttype') ?? 'results').toLowerCase()
  if (text === 'hits' || text === 'results') return text === 'hits'
  throw params.invalid('resulttype', 'results or hits')
}

module.exports = { featureQuery, countDefault }
