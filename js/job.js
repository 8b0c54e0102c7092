'use strict'

const { argumentError, abortError } = require('./errors')
const { Follower } = require('./follow')
const { FULL } = require('./credit')
const { split, checkChunkSize } = require('./options')
const { toSource } = require('./source')
const { Stream, PAUSED, FOLLOWED } = require('./stream')

/** What a stream delivers to: the user's callback and the promise done. */
class Callback {
  stream = null
  follower = null
  #callback
  #settle

  constructor (callback) {
    this.#callback = callback
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.done.catch(() => {}) // the callback gets the error as well
  }

  begin () {}

  chunk (buffer, last) {
    const callback = this.#callback
    const more = callback(null, buffer, last)
    if (last) return
    if (this.follower !== null) this.follower.check()
    else if (more === false) this.stream.block(PAUSED)
  }

  end (error, report, thrown) {
    const callback = this.#callback
    this.follower?.stop()
    try {
      if (error !== null && !thrown) callback(error, null, false)
    } finally {
      if (error === null) this.#settle.resolve(report)
      else this.#settle.reject(error)
    }
  }
}

/** The handle of an encodeChunked. Nothing else holds a job that is paused: see Stream. */
class Job {
  #stream
  #consumer

  constructor (stream, consumer) {
    this.#stream = stream
    this.#consumer = consumer
  }

  get done () { return this.#consumer.done }

  pause () { this.#stream.block(PAUSED) }

  resume () { this.#stream.unblock(PAUSED) }

  abort (reason) { this.#stream.fail(abortError(reason)) }

  follow (writable) {
    const consumer = this.#consumer
    consumer.follower?.stop()
    consumer.follower = null
    this.#stream.unblock(FOLLOWED)
    consumer.follower = new Follower(this.#stream, writable)
    return this
  }
}

function encodeChunked (source, options, callback) {
  if (typeof options !== 'object' || options === null) options = { chunkSize: checkChunkSize(options) }
  const plan = split(options)
  if (typeof callback !== 'function') throw argumentError('callback', 'a function', callback)
  const size = plan.chunkSize
  const consumer = new Callback(callback)
  const stream = new Stream(toSource(source), plan, { size, cut: Math.min(size, FULL), exact: true, gathers: size > FULL }, consumer)
  consumer.stream = stream
  return new Job(stream, consumer)
}

module.exports = { encodeChunked }
