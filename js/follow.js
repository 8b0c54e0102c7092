'use strict'

const { errorMonitor } = require('node:events')

const { argumentError, abortError } = require('./errors')
const { FOLLOWED } = require('./stream')

const METHODS = ['on', 'off', 'write']

/** Backpressure from a writable: full blocks the stream, 'drain' unblocks it, and one that takes no more aborts it. */
class Follower {
  #stream
  #writable
  #onDrain = () => { if (!this.#abortIfOver()) this.#stream.unblock(FOLLOWED) }
  #onError = error => this.#stream.abort(abortError(error))
  #onClose = () => this.#stream.abort(abortError(this.#writable.errored ?? undefined))

  constructor (stream, writable) {
    if (!METHODS.every(name => typeof writable?.[name] === 'function')) throw argumentError('writable', 'a writable stream', writable)
    this.#stream = stream
    this.#writable = writable
  }

  start () {
    if (this.#stream.isOver() || this.#abortIfOver()) return
    this.#writable.on('drain', this.#onDrain)
    this.#writable.on('close', this.#onClose)
    this.#writable.on(errorMonitor, this.#onError) // sees errors, and leaves them unhandled if they are
    this.#stream.pace()
    this.check()
  }

  /** Called after every chunk, so that at most one is written to a writable that is full. */
  check () {
    if (!this.#abortIfOver() && isFull(this.#writable)) this.#stream.block(FOLLOWED)
  }

  stop () {
    this.#writable.off('drain', this.#onDrain)
    this.#writable.off('close', this.#onClose)
    this.#writable.off(errorMonitor, this.#onError)
  }

  /** Not every writable emits 'close', and it may have done so before it was followed. */
  #abortIfOver () {
    if (!isOver(this.#writable)) return false
    this.#onClose()
    return true
  }
}

/** Whether nothing can be written any longer. HTTP/2 responses do not say it, their streams do. */
function isOver ({ destroyed, closed, writableEnded, errored, stream }) {
  return (destroyed ?? stream?.destroyed) === true || closed === true || writableEnded === true || errored != null
}

/** HTTP/2 responses do not say whether 'drain' will come; it does when a write reached the high water mark. */
function isFull (writable) {
  const { writableNeedDrain } = writable
  if (writableNeedDrain !== undefined) return writableNeedDrain
  const { writableLength } = writable
  return writableLength > 0 && writableLength >= writable.writableHighWaterMark
}

module.exports = { Follower }
