'use strict'

const binding = require('../binding')
const { FULL } = require('../credit')
const { SluiceError, abortError, argumentError, show } = require('../errors')
const { chunkSizeOf } = require('../options')
const { isSignal, listen, unlisten } = require('../signal')
const { toSource } = require('../source')
const { Stream } = require('../stream')
const { Exchange } = require('./exchange')
const { CODINGS, acceptable } = require('./negotiate')
const { splitHttp } = require('./options')
const { responseOf } = require('./response')
const { WebResponse } = require('./web')

const KNOWN = new Set(['identity', ...binding.info.codings])

/** Answers a request of node:http or node:http2 with what a source becomes. Rejects only for a bug of the caller's. */
function send (req, res, source, options) {
  return caught(() => {
    const response = responseOf(req, res)
    const wishes = splitHttp(options)
    if (response.isStarted && !response.isLost) throw new SluiceError('ERR_SLUICE_ARGUMENT', 'Expected a response of which nothing was sent')
    return exchange(req, response, toSource(source), wishes).promise
  })
}

/** Answers a request of the Web's. The promise settles at the commit. */
function respond (request, source, options) {
  return caught(() => {
    if (typeof request?.headers?.get !== 'function' || typeof request.method !== 'string') throw argumentError('request', 'a Request', request)
    const response = new WebResponse(request)
    const wishes = splitHttp(options)
    const running = exchange(request, response, toSource(source), wishes)
    const { signal } = request
    const subscription = isSignal(signal) ? listen(signal, response) : null
    if (signal?.aborted) response.abort(abortError(signal.reason))
    running.promise.then(() => response.finish(), error => response.refuse(error)).then(() => { if (subscription !== null) unlisten(subscription, response) })
    return response.promise
  })
}

/** What fails at once is a rejection, and ignoring it ends no process. */
function caught (action) {
  const promise = new Promise(resolve => resolve(action()))
  promise.catch(() => {})
  return promise
}

function exchange (req, response, source, wishes) {
  const { plan, fields, status } = wishes
  fields.inherit(response.inherited())
  const accepted = codingsFor(req, status, fields, wishes.coding, source._mediaType)
  plan.coding = accepted.includes('identity') ? accepted : [...accepted, 'identity'] // which suits what is compressed already, and is refused then
  if (accepted.length === 0) plan.failure ??= abortError('no content coding is acceptable')
  if (wishes.coding !== 'auto' && !KNOWN.has(wishes.coding)) plan.failure ??= uncodable(wishes.coding)
  const exchange = new Exchange(response, wishes, accepted, req.method === 'HEAD')
  plan.flush = exchange.strategy === 'speed' // the first part leaves at once, whatever the coding
  const size = chunkSizeOf(plan, source)
  exchange.attach(new Stream(source, plan, { size, cut: Math.min(size, FULL), exact: false, gathers: false }, exchange))
  if (wishes.onReport !== undefined) exchange.promise.then(wishes.onReport)
  return exchange
}

function uncodable (coding) {
  return new SluiceError('ERR_SLUICE_OPTION', `Expected coding to be auto|${[...KNOWN].join('|')}, got ${show(coding)}`)
}

/** The codings that will do, the best first. */
function codingsFor (req, status, fields, coding, mediaType) {
  if ([204, 205, 206, 304].includes(status)) return ['identity']
  if (fields.has('content-encoding') || fields.has('content-range')) return ['identity']
  if (/(?:^|,)\s*no-transform\s*(?:,|$)/i.test(fields.text('cache-control') ?? '')) return ['identity']
  const named = KNOWN.has(coding) ? coding : undefined
  return acceptable(req, { type: fields.text('content-type') ?? mediaType, codings: CODINGS.filter(name => KNOWN.has(name)), named })
}

module.exports = { send, respond }
