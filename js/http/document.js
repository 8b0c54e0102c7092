'use strict'

const { STATUS_CODES } = require('node:http')
const { isUint8Array } = require('node:util').types

const { SluiceError, show } = require('../errors')
const { Fields } = require('./fields')

/**
 * What is sent in place of an output that failed: {status, fields, body, bug: what is wrong with onError, or null}. The
 * standard one does not say why: messages may hold what is nobody's business.
 */
async function documentFor (error, onError) {
  if (onError === undefined) return standard(statusOf(error), null)
  try {
    return check(await onError(error), error)
  } catch (cause) {
    const message = cause instanceof SluiceError ? cause.message : `Expected onError to return {status, headers, body}, but it threw ${show(cause)}`
    return standard(500, new SluiceError('ERR_SLUICE_ARGUMENT', message, { cause }))
  }
}

function check (document, error) {
  const { status = statusOf(error), headers, body = '' } = Object(document)
  const isError = Number.isInteger(status) && status >= 200 && status <= 599
  if (typeof document !== 'object' || document === null || !isError || !(typeof body === 'string' || isUint8Array(body))) {
    throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected onError to return {status, headers, body: a string or Uint8Array}, got ${document === Object(document) && isError ? `a body of ${show(body)}` : isError ? show(document) : `a status of ${show(status)}`}`)
  }
  return make(status, Fields.of(headers, 'headers of onError'), body, null)
}

function standard (status, bug) {
  return make(status, new Fields(), `${status} ${STATUS_CODES[status] ?? 'Error'}\n`, bug)
}

/** For a client that refuses all there is. */
function notAcceptable () {
  return standard(406, null)
}

function make (status, fields, body, bug) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (bytes.length > 0 && !fields.has('content-type')) fields.set('content-type', 'text/plain; charset=utf-8')
  return { status, fields, body: bytes, bug }
}

/** The status that an error asks for, as errors of Express, Koa and Fastify do. */
function statusOf (error) {
  const status = error?.statusCode ?? error?.status
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500
}

module.exports = { documentFor, notAcceptable }
