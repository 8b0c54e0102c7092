'use strict'

const { argumentError, abortError } = require('../errors')
const { isRecord, split } = require('../options')
const { Fields } = require('./fields')

const STRATEGIES = ['partial', 'speed', 'buffer', 'file']
const PARTIAL = 51200 // bytes

/**
 * Splits the options of send() and respond() into what concerns HTTP, and a plan for the encode: {plan, status, fields,
 * strategy, partialSize, coding, onError, onReport, signal}. Throws ERR_SLUICE_ARGUMENT.
 */
function splitHttp (options) {
  if (options !== undefined && !isRecord(options)) throw argumentError('options', 'an object', options)
  const all = Object.create(null)
  for (const key in options) all[key] = options[key]
  const { status = 200, headers, strategy = 'partial', partialSize = PARTIAL, coding = 'auto', onError, onReport, ...rest } = all
  const plan = split(rest)
  if (!isStatus(status)) throw argumentError('status', 'an integer from 200 to 599', status)
  if (!STRATEGIES.includes(strategy)) throw argumentError('strategy', STRATEGIES.join('|'), strategy)
  if (!Number.isSafeInteger(partialSize) || partialSize < 0) throw argumentError('partialSize', 'a number of bytes', partialSize)
  if (typeof coding !== 'string') throw argumentError('coding', 'a string', coding)
  for (const [name, value] of Object.entries({ onError, onReport })) {
    if (value !== undefined && typeof value !== 'function') throw argumentError(name, 'a function', value)
  }
  const { signal } = plan
  plan.signal = undefined // it concerns the response as well, which may outlive the encode
  if (signal?.aborted) plan.failure = abortError(signal.reason)
  return { plan, status, fields: Fields.of(headers), strategy, partialSize, coding: coding.toLowerCase(), onError, onReport, signal }
}

function isStatus (value) {
  return Number.isInteger(value) && value >= 200 && value <= 599
}

module.exports = { splitHttp, isStatus }
