'use strict'

const { abortError } = require('../errors')
const { listen, unlisten } = require('../signal')
const { FOLLOWED } = require('../stream')
const { Answer, Misuse } = require('./answer')
const { Brotli } = require('./coder')
const { documentFor, notAcceptable } = require('./document')
const { Memory, File } = require('./hold')

// What became of an answer; it only ever goes on to a later state.
const HELD = 0 // nothing was sent: an error gets a document of its own
const STREAMING = 1 // the head was sent, so an error can only cut the answer
const ENDED = 2 // everything was written, and may be under way
const SETTLED = 3

/**
 * What lies between an encode and a response: a Stream's consumer that decides when to commit, and how to fail.
 *
 * Output goes from the stream, through a coder if there is one, into what the strategy holds, until it is committed: that is
 * when it exceeds the limit, or is complete. Backpressure goes the other way. The response's listeners hold the exchange, and
 * the exchange holds the stream.
 */
class Exchange {
  #state = HELD
  #stream = null
  #response
  #answer
  #wishes // what splitHttp returns
  #accepted // codings; none: nothing is acceptable
  #strategy
  #limit // bytes that may be held
  #hold
  #coder = null
  #info = null // what the stream says of its output
  #over = false // the stream is
  #report = null // the stream's
  #broken = null // why this side gave up
  #bug = null // of the caller's: what the promise is rejected with
  #explaining = false
  #explained = null // the error that a document tells of
  #sent = false // all was handed to the system
  #wake = null // goes on when the response is drained
  #subscription = null // to the user's signal
  #started = performance.now()
  #settle

  constructor (response, wishes, accepted, head) {
    const { strategy, partialSize } = wishes
    this.#response = response
    this.#answer = new Answer(response, wishes, head)
    this.#wishes = wishes
    this.#accepted = accepted
    this.#strategy = response.isFramed || strategy === 'buffer' ? strategy : 'file'
    this.#limit = { speed: 0, partial: partialSize }[this.#strategy] ?? Infinity
    this.#hold = this.#strategy === 'file' ? new File(() => this.drained(), error => this.#break(error)) : new Memory()
    this.promise = new Promise((resolve, reject) => { this.#settle = { resolve, reject } })
    this.promise.catch(() => {}) // ignoring it must not end the process
  }

  /** The one that is used: not every protocol allows every one. */
  get strategy () { return this.#strategy }

  /** Takes the stream that this is the consumer of. */
  attach (stream) {
    this.#stream = stream
    this.#response.attach(this)
    const { signal } = this.#wishes
    if (signal !== undefined && !signal.aborted) this.#subscription = listen(signal, this)
    if (this.#answer.isLost) this.left()
  }

  /** The signal aborted. */
  abort (error) { this.#break(error) }

  // ---- for the stream

  begin (info) {
    this.#info = info
    if (!this.#accepted.includes(info.coding)) {
      this.#accepted = []
      this.#stream.abort(abortError('no content coding is acceptable'))
    } else if (this.#answer.isBodiless) {
      this.#attempt(() => {
        this.#state = ENDED
        this.#answer.head(info)
        this.#stream.abort(abortError('the answer has no body'))
      })
    } else if (info.coding === 'br') {
      this.#coder = new Brotli(this)
    }
  }

  chunk (bytes, last) {
    if (this.#coder === null) this.output(bytes, last)
    else if (!this.#coder.write(bytes)) this.#stream.block(FOLLOWED)
  }

  /** The first part was delivered whole. */
  part () {
    if (this.#strategy === 'speed') this.#coder?.flush()
  }

  /** The beginning was sent: an output that has words for it may end by saying why. */
  truncates () { return this.#state === STREAMING }

  end (error, report) {
    this.#over = true
    this.#report = report
    const told = report.error ?? null // by the output itself
    if (this.#state === STREAMING) this.#explained = told
    else error ??= told
    error ??= this.#broken
    if (error !== null) this.#fail(error)
    else if (this.#coder === null) this.#complete()
    else this.#coder.end()
  }

  // ---- for the coder

  /** Bytes as the client gets them. last: there are no more, if that is known already. */
  output (bytes, last = false) {
    if (this.#state === STREAMING) {
      this.#attempt(() => { if (!this.#answer.write(bytes)) this.#pause() })
    } else if (this.#state === HELD) {
      if (!this.#hold.push(bytes)) this.#pause()
      if (this.#hold.bytes > this.#limit && !last) this.#commit()
    }
  }

  /** It takes more. */
  accepts () { this.#stream.unblock(FOLLOWED) }

  coded () { this.#complete() }

  broken (error) { this.#break(error) }

  // ---- for the response

  /** It takes more. */
  drained () {
    const wake = this.#wake
    this.#wake = null
    if (wake !== null) wake()
    else if (this.#coder !== null) this.#coder.resume()
    else this.#stream.unblock(FOLLOWED)
  }

  sent () {
    this.#sent = true
    if (this.#state === ENDED && this.#over) this.#finish(null)
  }

  left (reason) { this.#break(abortError(reason)) }

  // ---- the way out

  #pause () {
    if (this.#coder !== null) this.#coder.pause()
    else this.#stream.block(FOLLOWED)
  }

  #commit () {
    this.#attempt(() => {
      this.#answer.start(this.#info, null)
      this.#state = STREAMING
      this.#stream.pace()
      if (!this.#answer.burst(this.#hold.take())) this.#pause()
    })
  }

  /** All output came. */
  #complete () {
    if (this.#answer.isLost) return this.left()
    if (this.#state === HELD && this.#hold.stored > 0) return this.#sendStored().catch(error => this.#break(error))
    const state = this.#state
    this.#state = ENDED
    this.#attempt(() => {
      if (state === HELD) this.#answer.whole(this.#info, this.#hold.take(), this.#hold.bytes)
      else this.#answer.end()
    })
  }

  /** Sends an output of which the first bytes lie on the disk. */
  async #sendStored () {
    this.#answer.start(this.#info, this.#hold.bytes)
    this.#state = STREAMING
    for await (const block of this.#hold.read()) {
      if (!await this.#writeOn(block)) return
    }
    for (const chunk of this.#hold.take()) {
      if (!await this.#writeOn(chunk)) return
    }
    this.#state = ENDED
    this.#answer.end()
  }

  /** False: the answer was cut. */
  async #writeOn (chunk) {
    if (this.#state === STREAMING && !this.#answer.write(chunk)) await new Promise(resolve => { this.#wake = resolve })
    return this.#state === STREAMING
  }

  // ---- failures

  #attempt (action) {
    try {
      action()
    } catch (error) {
      this.#break(error)
    }
  }

  /** Something is wrong on this side. The stream ends first, if it has not. */
  #break (error) {
    if (this.#state === SETTLED) return
    if (error instanceof Misuse) this.#bug = error
    if (this.#over) return this.#fail(error)
    this.#broken ??= error // a stream that has delivered everything cannot fail
    if (error.code === 'ABORT_ERR') this.#stream.abort(error)
    else this.#stream.fail(error)
  }

  /** The stream is over. */
  #fail (error) {
    if (this.#state === SETTLED) return
    this.#coder?.destroy()
    this.#coder = null
    const { isBodiless, isLost, committed } = this.#answer
    if (this.#bug !== null || isLost) return this.#finish(error)
    if (!committed) return this.#explain(error)
    if (isBodiless) { // which is why the stream was aborted
      if (this.#sent) this.#finish(null)
      return
    }
    this.#answer.cut(error)
    this.#finish(error, true)
  }

  /** Nothing was sent, so the client can be told. */
  async #explain (error) {
    if (this.#explaining) return
    this.#explaining = true
    this.#hold.discard().catch(() => {})
    const refused = this.#accepted.length === 0
    const document = refused ? notAcceptable() : await documentFor(error, this.#wishes.onError)
    if (this.#answer.isLost || this.#state === SETTLED) return this.#finish(error)
    this.#bug = document.bug
    this.#state = ENDED
    this.#explained = refused ? null : error
    try {
      this.#answer.explain(document)
    } catch (bug) {
      this.#bug = bug
      this.#finish(error)
    }
  }

  #finish (error, cut = false) {
    if (this.#state === SETTLED) return
    this.#state = SETTLED
    this.#response.detach()
    if (this.#subscription !== null) unlisten(this.#subscription, this)
    this.#wake?.()
    this.#hold.discard().catch(() => {})
    if (this.#bug !== null) return this.#settle.reject(this.#bug)
    const cause = error ?? this.#explained
    const { bytes, chunks, committed, status, firstAt } = this.#answer
    this.#settle.resolve({
      ...this.#report,
      bytes,
      chunks,
      firstByteMs: firstAt === null ? null : firstAt - this.#started,
      totalMs: performance.now() - this.#started,
      committed,
      aborted: cut || cause?.code === 'ABORT_ERR',
      ...(status === undefined ? {} : { status }),
      ...(cause === null ? {} : { error: cause }),
      strategy: this.#strategy
    })
  }
}

module.exports = { Exchange }
