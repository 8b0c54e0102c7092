'use strict'

// WFS 2.0, conformance class Simple (OGC 09-025r2).

const { ServiceError } = require('../errors')
const { capabilities } = require('./capabilities')
const { schema, listStoredQueries, describeStoredQueries, exceptionDocument, gmlType } = require('./documents')
const { getFeature, getFeatureById } = require('./features')
const { storedQuery, typeOf, types } = require('./types')

async function serveWfs (exchange, services) {
  try {
    exchange.onlyRead()
    await operationOf(exchange.params)(exchange, services)
  } catch (err) {
    exchange.forgetCache()
    exchange.failed(err)
    await exchange.document(exceptionDocument(err))
  }
}

const operations = {
  getcapabilities: getCapabilities,
  describefeaturetype: describeFeatureType,
  liststoredqueries: (exchange) => exchange.cacheable({ type: 'text/xml', body: listStoredQueries() }),
  describestoredqueries: describeQueries,
  getfeature: getFeatures
}

function operationOf (params) {
  if (params.required('service').toUpperCase() !== 'WFS') throw params.invalid('service', 'WFS')
  const name = params.required('request').toLowerCase()
  if (!Object.hasOwn(operations, name)) throw params.invalid('request', 'an operation of the capabilities', 'OperationNotSupported')
  if (name !== 'getcapabilities' && !isOurs(params.get('version') ?? '2.0.0')) throw params.invalid('version', '2.0.0')
  return operations[name]
}

// 2.0.2 is 2.0.0 with its errors corrected.
const isOurs = (version) => /^2\.0\.[0-2]$/.test(version)

async function getCapabilities (exchange) {
  const { params } = exchange
  const accepted = (params.get('acceptversions') ?? params.get('version') ?? '2.0.0').split(',')
  if (!accepted.some(isOurs)) throw new ServiceError('VersionNegotiationFailed', 'Expected ACCEPTVERSIONS to have 2.0.0, the only version here', { locator: 'acceptversions' })
  await exchange.cacheable({ type: 'text/xml', body: capabilities(`${exchange.base}${exchange.url.pathname}?`) })
}

async function describeFeatureType (exchange) {
  const { params } = exchange
  const name = params.get('typenames') === undefined && params.get('typename') !== undefined ? 'typename' : 'typenames'
  const names = params.get(name)?.split(',').map((text) => typeOf(text)) ?? types
  if (names.includes(undefined)) throw params.invalid(name, 'names of types of the capabilities')
  await exchange.cacheable({ type: gmlType, body: schema([...new Set(names)]) })
}

async function describeQueries (exchange) {
  const { params } = exchange
  const asked = params.get('storedquery_id')?.split(',') ?? []
  if (asked.some((id) => id !== storedQuery)) throw params.invalid('storedquery_id', storedQuery)
  await exchange.cacheable({ type: 'text/xml', body: describeStoredQueries() })
}

function getFeatures (exchange, services) {
  const { params } = exchange
  const query = params.get('storedquery_id')
  if (query === undefined) return getFeature(exchange, services)
  if (query !== storedQuery) throw params.invalid('storedquery_id', storedQuery)
  return getFeatureById(exchange, services)
}

module.exports = { serveWfs }
