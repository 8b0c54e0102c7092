'use strict'

const binding = require('./binding')
const { bytes } = require('./bytes')
const { encode, encodeStream, createEncoder } = require('./encoder')
const { SluiceError } = require('./errors')
const { negotiate } = require('./http/negotiate')
const { send, respond } = require('./http/send')
const { encodeChunked } = require('./job')
const { image } = require('./source')

/** Live figures of this process: {streams, parked, goroutines, slabs, heapBytes}. */
function stats () {
  return new Promise(resolve => binding.stats(resolve))
}

module.exports = { encodeChunked, encode, encodeStream, createEncoder, image, bytes, send, respond, negotiate, stats, SluiceError }
