'use strict'

const { SluiceError, failureOf } = require('./errors')

const SMALL = 64 * 1024 // bytes; parts below are copied
const MAX_COPIED = 256 * 1024 // bytes of copied parts that may be undrained while writes still settle at once

/**
 * A source whose parts come one by one. Subclasses say what Go is told (see source.js) and have _cut(part), which makes a
 * Part of what the user wrote or throws. One that gathers small writes has a write() of its own, too.
 *
 * Writes settle in the order in which they were made, each when its bytes have been read or copied. The user holds the
 * source, the source holds the stream that takes its parts, so a stream that waits for parts lives as long as they can come.
 */
class PushSource {
  #stream = null
  #claimed = false
  #copyAll = false
  #ended = false
  #over = null // the error with which writes are rejected
  #waiting = [] // writes before a stream is attached
  #sent = [] // writes that Go has not drained
  #settled = 0 // how many of #sent, from its start, have settled
  #copied = 0 // bytes of copied parts in #sent

  /** Resolves when the part's bytes have been read or copied; until then they are borrowed. */
  write (part) {
    const write = { part: null, settled: false, resolve: null, reject: null }
    const promise = new Promise((resolve, reject) => {
      write.resolve = resolve
      write.reject = reject
    })
    promise.catch(() => {}) // who ignores it learns of the error from the stream
    try {
      const refusal = this._refusal()
      if (refusal !== null) throw refusal
      write.part = this._cut(part)
    } catch (error) {
      write.reject(error)
      if (error?.code === 'ERR_SLUICE_INPUT') this.fail(error) // a part that does not fit leaves a hole in the output
      return promise
    }
    if (this.#stream !== null) {
      this.#send(write)
    } else if (this.#waiting.push(write) === 1) {
      this.#own(write)
      if (write.part.copied) this.#settle(write)
    }
    return promise
  }

  /** No more parts come. */
  end () {
    if (this.#ended || this.#over !== null) return
    this.#ended = true
    if (this.#stream !== null) this.#stream.finish()
  }

  /** Gives up: the consumer gets error, and so do writes that are pending. */
  fail (error) {
    if (this.#over !== null) return
    if (this.#stream === null) this._closed(failureOf(error))
    else this.#stream.giveUp(failureOf(error))
  }

  /** Why nothing more may be written, or null. */
  _refusal () {
    if (this.#over !== null) return this.#over
    return this.#ended ? new SluiceError('ERR_SLUICE_ARGUMENT', 'Expected no write() after end()') : null
  }

  /** Whether a write would have to wait. */
  _isFull () {
    return this.#stream === null ? this.#waiting.length > 0 : this.#settled < this.#sent.length
  }

  _failure () { return this.#over }

  _claim () {
    if (this.#claimed) throw new SluiceError('ERR_SLUICE_ARGUMENT', 'Expected a source that was not used before: what was pushed into it is gone')
    this.#claimed = true
  }

  _attach (stream, copyAll) {
    this.#stream = stream
    this.#copyAll = copyAll
    for (const write of this.#waiting.splice(0)) this.#send(write)
    if (this.#ended) stream.finish()
  }

  /** Go is done with the oldest part. */
  _drained () {
    const write = this.#sent.shift()
    if (write.part.copied) this.#copied -= write.part.bytes
    if (write.settled) this.#settled--
    else this.#settle(write)
    this.#advance()
  }

  /** The stream is being aborted: no more parts are taken, but Go may still read those it has. */
  _refuse (error) {
    this.#over = error
  }

  /** The stream is over, with an error or null. Nothing is borrowed any longer. */
  _closed (error) {
    this.#over = error ?? new SluiceError('ERR_SLUICE_ARGUMENT', 'Expected no write() after the encode is over')
    this.#stream = null
    for (const write of [...this.#sent.splice(0), ...this.#waiting.splice(0)]) {
      if (!write.settled) write.reject(this.#over)
    }
  }

  #send (write) {
    this.#own(write)
    if (write.part.copied) this.#copied += write.part.bytes
    this.#sent.push(write)
    this.#stream.write(write.part)
    this.#advance()
  }

  #own (write) {
    write.part.own(this.#copyAll || write.part.bytes < SMALL)
  }

  /** Settles what need not wait for Go, up to the first that must. */
  #advance () {
    while (this.#settled < this.#sent.length) {
      const write = this.#sent[this.#settled]
      if (!write.settled) {
        if (!write.part.copied || this.#copied > MAX_COPIED) return
        this.#settle(write)
      }
      this.#settled++
    }
  }

  #settle (write) {
    write.settled = true
    write.resolve()
  }
}

module.exports = { PushSource }
