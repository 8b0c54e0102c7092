'use strict'

// WMS 1.3.0 and 1.1.1 (OGC 06-042, 01-068r3).

const { image } = require('sluice')
const { ServiceError } = require('../errors')
const { negotiate } = require('../params')
const { push } = require('../push')
const { capabilities } = require('./capabilities')
const { exceptionDocument, exceptionImage, wantedExceptions } = require('./exceptions')
const { featureInfo } = require('./feature-info')
const { legend } = require('./legend')
const { mapQuery } = require('./request')

const versions = ['1.3.0', '1.1.1']
const updateSequence = '1' // of the capabilities; to be raised with every change of them

async function serveWms (exchange, services) {
  let version = versions[0]
  let params
  let operation
  try {
    exchange.onlyRead()
    params = exchange.params
    operation = operationOf(params)
    version = negotiate(params.get('version') ?? params.get('wmtver'), versions)
    await operations[operation](exchange, version, services)
  } catch (err) {
    await answerError(exchange, err, version, operation === 'getmap' ? params : undefined)
  }
}

const operations = { getcapabilities: getCapabilities, getmap: getMap, getfeatureinfo: getFeatureInfo, getlegendgraphic: getLegendGraphic }

function operationOf (params) {
  const service = params.get('service')
  if (service !== undefined && service.toUpperCase() !== 'WMS') throw params.invalid('service', 'WMS')
  const name = params.required('request').toLowerCase()
  if (!Object.hasOwn(operations, name)) throw params.invalid('request', 'GetCapabilities, GetMap, GetFeatureInfo or GetLegendGraphic', 'OperationNotSupported')
  return name
}

async function getCapabilities (exchange, version) {
  const { params } = exchange
  params.required('service')
  const known = params.get('updatesequence')
  if (known === updateSequence) throw new ServiceError('CurrentUpdateSequence', `Expected an UPDATESEQUENCE other than the current one, "${updateSequence}"`)
  if (known !== undefined && known > updateSequence) throw params.invalid('updatesequence', `at most "${updateSequence}"`, 'InvalidUpdateSequence')
  await exchange.cacheable({
    type: version === '1.3.0' ? 'text/xml' : 'application/vnd.ogc.wms_xml',
    body: capabilities(version, `${exchange.base}${exchange.url.pathname}?`, updateSequence)
  })
}

async function getMap (exchange, version, { renderer, store }) {
  const { params } = exchange
  needVersion(params)
  const query = mapQuery(params, version)
  if (await exchange.answeredFromCache(store.version && `${store.version} ${params.key()}`)) return
  await sendMap(exchange, query, renderer, (err) => {
    exchange.forgetCache()
    exchange.failed(err)
    return exceptionDocument(err, version)
  })
}

// The first strip is drawn before anything is sent, so that an error can still be told.
async function sendMap (exchange, query, renderer, onError) {
  const { width, height, format, transparent, dpi, extent, system } = query
  const opaque = !transparent || Boolean(format.opaque)
  const options = {
    format: format.title,
    ...(dpi !== undefined && takesDpi(format) && { dpi }),
    ...(format.georeferenced && { geo: { bbox: extent, epsg: system.code }, headers: { 'content-type': format.title } }),
    strategy: 'speed',
    onError
  }
  if (exchange.isHead) return exchange.send(image({ width, height, opaque }), options)
  const started = performance.now()
  const strips = renderer.strips(opaque && transparent ? { ...query, background: '#ffffff' } : query, exchange)
  const { value: first } = await strips.next()
  exchange.entry.renderMs = performance.now() - started // to the end of the first strip
  exchange.entry.about = `${width}×${height}`
  const source = image({ width, height, premultiplied: first.premultiplied, opaque })
  push(source, first, strips)
  await exchange.send(source, options)
}

const takesDpi = ({ name }) => /^image\/(png|jpeg)/.test(name)

function needVersion (params) {
  if (params.get('wmtver') === undefined) params.required('version')
}

async function getFeatureInfo (exchange, version, { store }) {
  needVersion(exchange.params)
  const document = await featureInfo(exchange.params, version, store)
  if (!await exchange.answeredFromCache(store.version && document.body)) await exchange.document(document)
}

async function getLegendGraphic (exchange) {
  const { pixels, format } = await legend(exchange.params)
  if (await exchange.answeredFromCache(exchange.params.key())) return
  await exchange.send(image(pixels), { format: format.title })
}

// params: of a GetMap, which may want its errors as an image.
async function answerError (exchange, err, version, params) {
  exchange.forgetCache()
  exchange.failed(err)
  const kind = wantedExceptions(params)
  if (kind === 'xml') return exchange.document(exceptionDocument(err, version))
  const { source, format } = await exceptionImage(err, kind, params)
  await exchange.send(source, { format: format.title, headers: { 'cache-control': 'no-store' } })
}

module.exports = { serveWms, sendMap }
