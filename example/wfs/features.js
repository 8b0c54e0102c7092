'use strict'

// GetFeature: rows of the store, column by column, into sluice.

const arrowJs = require('apache-arrow')
const { arrow, encode, features, negotiateArrow } = require('sluice')
const { push } = require('../push')
const { ServiceError } = require('../errors')
const { exceptionDocument, gmlType } = require('./documents')
const { toPart, arrowSchema, toArrow } = require('./columns')
const { featureQuery } = require('./query')
const { prefix, namespace, geometryName, layers, parseId } = require('./types')

async function getFeature (exchange, { store }) {
  const query = featureQuery(exchange.params)
  const isArrow = query.format.format === 'arrow'
  const { codec = 'none', headers } = isArrow ? { headers: { vary: 'Accept' }, ...negotiateArrow(exchange.request) } : {}
  const vary = headers && `${headers.vary}, Accept-Encoding`
  if (await exchange.answeredFromCache(store.version && `${store.version} ${exchange.base} ${codec} ${exchange.params.key()}`, vary)) return
  const matched = exchange.isHead ? 0 : await store.count(query.type, query.filter)
  const returned = query.hits ? 0 : Math.max(0, Math.min(query.count, matched - query.offset))
  exchange.entry.about = `${query.type}: ${returned} of ${matched}`
  const parts = readParts(store, query, returned)
  const first = returned > 0 && !exchange.isHead ? (await parts.next()).value : undefined // what fails before is told properly
  const onError = (err) => {
    exchange.forgetCache()
    exchange.failed(err)
    return exceptionDocument(err)
  }
  if (isArrow) {
    await exchange.send(arrowSource(query, codec, first, parts), { headers, strategy: 'speed', onError })
  } else {
    await exchange.send(featureSource(exchange, query, { matched, returned }, first, parts), { strategy: 'speed', onError })
  }
}

async function * readParts (store, { type, filter, columns, geometry, system, offset }, limit) {
  const move = system.code === 4326 ? undefined : system.forward
  for await (const rows of store.batches(type, Object.keys(columns), { ...filter, offset, limit })) yield toPart(rows, columns, { geometry, move })
}

function featureSource (exchange, query, { matched, returned }, first, parts) {
  const source = features({ ...description(exchange, query), numberMatched: matched, numberReturned: returned, ...pages(exchange, query, matched) })
  if (first === undefined) source.end()
  else push(source, first, parts)
  return source
}

function description ({ base, url }, { format: { format }, type, columns, geometry, system, srsName }) {
  return {
    format,
    typeName: `${prefix}:${type}`,
    namespace,
    geometryName: geometry ? geometryName : null,
    srsName,
    axisOrder: system.latFirst ? 'yx' : 'xy',
    decimals: system.code === 4326 ? 7 : 2, // a centimetre
    id: 'fid',
    crs: system.code !== 4326, // GeoJSON is in degrees unless it says otherwise
    schemaLocation: `http://www.opengis.net/wfs/2.0 http://schemas.opengis.net/wfs/2.0/wfs.xsd ${namespace} ${base}${url.pathname}?SERVICE=WFS&VERSION=2.0.0&REQUEST=DescribeFeatureType&TYPENAMES=${prefix}:${type}`,
    timeStamp: new Date().toISOString(),
    columns: { fid: 'int32', ...columns }
  }
}

// Addresses of the pages before and after, if there are some.
function pages ({ base, url }, { offset, count, hits }, matched) {
  const page = (start, size) => {
    const params = new URLSearchParams(url.searchParams)
    for (const name of [...params.keys()]) if (/^(startindex|count|maxfeatures|resulttype)$/i.test(name)) params.delete(name)
    params.set('STARTINDEX', start)
    if (size !== Infinity) params.set('COUNT', size)
    return `${base}${url.pathname}?${params}`
  }
  if (hits) return matched > offset ? { next: page(offset, count) } : {}
  if (count === 0) return {}
  return {
    ...(offset + count < matched && { next: page(offset + count, count) }),
    ...(offset > 0 && { previous: page(Math.max(0, offset - count), Math.min(count, offset)) })
  }
}

// The same batches as an Arrow stream, with buffers compressed as the client's Accept asks.
function arrowSource ({ columns, geometry }, codec, first, parts) {
  const schema = arrowSchema(columns, { geometry, geometryName })
  const { head, batch, end } = arrowPieces(schema)
  const source = arrow({ codec })
  async function * pieces () {
    if (first !== undefined) yield batch(first)
    for await (const part of parts) yield batch(part)
    yield end
  }
  push(source, head, pieces())
  return source
}

// What an Arrow stream is made of: apache-arrow writes whole streams only, of which all begin and end alike.
function arrowPieces (schema) {
  const stream = (batches) => arrowJs.tableToIPC(new arrowJs.Table(schema, batches), 'stream')
  const empty = stream([])
  const endBytes = 8
  const headBytes = empty.length - endBytes
  return {
    head: empty.subarray(0, headBytes),
    batch: (part) => stream([toArrow(schema, part)]).subarray(headBytes, -endBytes),
    end: empty.subarray(headBytes)
  }
}

// The stored query GetFeatureById: the feature itself, without a collection around it.
async function getFeatureById (exchange, { store }) {
  const { params } = exchange
  const id = params.required('id')
  const { type, fid } = parseId(id) ?? {}
  const query = { ...featureQueryOf(type), format: { format: 'gml32' } }
  let part
  if (type !== undefined) for await (const rows of store.batches(type, Object.keys(query.columns), { ids: [fid] })) part = toPart(rows, query.columns)
  if (part === undefined) throw new ServiceError('NotFound', `Expected ID to be a feature's, got "${id.slice(0, 100)}"`, { locator: 'ID', status: 404 })
  const source = features(description(exchange, query))
  source.write(part)
  source.end()
  const document = (await encode(source, {})).toString()
  const [, member] = document.match(/<wfs:member>(.*)<\/wfs:member>/s)
  const [root] = document.match(/ xmlns:gml=[^>]*?(?= timeStamp=)/s) // the namespaces of the collection
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${member.replace(' gml:id=', `${root} gml:id=`)}\n`
  if (!await exchange.answeredFromCache(store.version && body)) await exchange.document({ type: gmlType, body })
}

function featureQueryOf (type) {
  return { type, columns: layers[type]?.columns ?? {}, geometry: true, system: { code: 4326, latFirst: true }, srsName: 'urn:ogc:def:crs:EPSG::4326' }
}

module.exports = { getFeature, getFeatureById }
