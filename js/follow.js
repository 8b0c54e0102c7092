'use strict'

const { argumentError, abortError } = require('./errors')
const { FOLLOWED } = require('./stream')

/** Backpressure from a writable: full blocks the stream, 'drain' unblocks it, 'close' aborts it. */
class Follower {
  #stream
  #writable
  #onDrain = () => this.#stream.unblock(FOLLOWED)
  #onClose = () => this.#stream.fail(abortError())

  constructor (stream, writable) {
    if (typeof writable?.on !== 'function' || typeof writable.write !== 'function') {
      throw argumentError('writable', 'a writable stream', writable)
    }
    this.#stream = stream
    this.#writable = writable
    if (writable.destroyed === true || writable.closed === true) this.#onClose()
    if (stream.isOver()) return
    writable.on('drain', this.#onDrain)
    writable.on('close', this.#onClose)
    this.check()
  }

  /** Called after every chunk, so that at most one is written to a writable that is full. */
  check () {
    if (isFull(this.#writable)) this.#stream.block(FOLLOWED)
  }

  stop () {
    this.#writable.off('drain', this.#onDrain)
    this.#writable.off('close', this.#onClose)
  }
}

/** HTTP/2 responses do not say whether 'drain' will come; it does when a write reached the high water mark. */
function isFull (writable) {
  const { writableNeedDrain } = writable
  if (writableNeedDrain !== undefined) return writableNeedDrain
  const { writableLength } = writable
  return writableLength > 0 && writableLength >= writable.writableHighWaterMark
}

module.exports = { Follower }
