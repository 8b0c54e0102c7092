'use strict'

const { arrow, negotiateArrow } = require('./arrow')
const binding = require('./binding')
const { bytes } = require('./bytes')
const { encode, encodeStream, createEncoder } = require('./encoder')
const { SluiceError } = require('./errors')
const { fromArrow } = require('./features/arrow')
const { batches } = require('./features/batches')
const { features } = require('./features/source')
const { negotiate } = require('./http/negotiate')
const { send, respond } = require('./http/send')
const { encodeChunked } = require('./job')
const { image } = require('./source')

/** Live figures of this process: {streams, parked, goroutines, slabs, heapBytes}. */
function stats () {
  return new Promise(resolve => binding.stats(resolve))
}

module.exports = {
  encodeChunked,
  encode,
  encodeStream,
  createEncoder,
  image,
  bytes,
  features,
  batches,
  fromArrow,
  arrow,
  send,
  respond,
  negotiate,
  negotiateArrow,
  stats,
  SluiceError
}
