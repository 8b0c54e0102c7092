'use strict'

const { SluiceError, argumentError, abortError, show } = require('./errors')
const { Follower } = require('./follow')
const { FULL } = require('./credit')
const { chunkSizeOf, split } = require('./options')
const { toSource } = require('./source')
const { Stream, PAUSED, FOLLOWED } = require('./stream')

/** What a stream delivers to: the user's callback and the promise done. */
class Callback {
  stream = null
  follower = null
  report = null
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
    this.report = report
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

  /** What became of the encode; null before its end. */
  get report () { return this.#consumer.report }

  pause () {
    this.#stream.pace()
    this.#stream.block(PAUSED)
  }

  resume () { this.#stream.unblock(PAUSED) }

  abort (reason) { this.#stream.abort(abortError(reason)) }

  follow (writable) {
    const consumer = this.#consumer
    const follower = new Follower(this.#stream, writable)
    consumer.follower?.stop()
    this.#stream.unblock(FOLLOWED)
    consumer.follower = follower
    follower.start()
    return this
  }
}

function encodeChunked (source, options, callback) {
  const plan = split(toOptions(options))
  if (typeof callback !== 'function') throw argumentError('callback', 'a function', callback)
  const from = toSource(source)
  const size = chunkSizeOf(plan, from)
  const consumer = new Callback(callback)
  const stream = new Stream(from, plan, { size, cut: Math.min(size, FULL), exact: true, gathers: size > FULL }, consumer)
  consumer.stream = stream
  return new Job(stream, consumer)
}

/** The second argument as options. */
function toOptions (value) {
  if (typeof value === 'number') return { chunkSize: value }
  if (typeof value === 'object' && value !== null) return value
  if (value === undefined) return {}
  const got = typeof value === 'function' ? 'a function: the callback is the third' : show(value)
  throw new SluiceError('ERR_SLUICE_ARGUMENT', `Expected the second argument to be options {…} or a chunkSize, got ${got}`)
}

module.exports = { encodeChunked }
