'use strict'

const { setImmediate } = require('node:timers')

const { argumentError } = require('./errors')
const { checkOptional } = require('./options')
const { Part, bytesOf, detached, isBytes } = require('./part')
const { PushSource } = require('./push-source')

const FIRST = 4 * 1024 // bytes of the first buffer: many answers are small
const FULL = 64 * 1024 // bytes of those after it
const LARGE = 16 * 1024 // bytes; writes from here on become parts of their own
const SHORT = 24 // characters; up to here a loop beats the call into Node
const LONGEST = 3 // bytes of UTF-8 for a UTF-16 code unit, at most

const SETTLED = Promise.resolve()

/**
 * Bytes that are pushed and pass as they are. Small writes are copied into a buffer, which becomes a part when it is full, at
 * the end, and once per turn of the event loop: the first time when the code that runs now is done, then with its
 * immediates, so that whoever awaits each write, or gets rows by callbacks, fills parts all the same.
 */
class BytesSource extends PushSource {
  #type
  #buffer = null
  #start = 0 // of what was not sent, in buffer
  #end = 0
  #scheduled = false
  #attached = false
  #sent = false // a part, ever
  #settling = null // {promise, resolve, reject} of the writes in buffer, when they must wait

  constructor (type) {
    super()
    this.#type = type
  }

  get _kind () { return 'bytes' }

  get _format () { return 'bytes' }

  _header () { return { type: this.#type } }

  write (part) {
    if (!this._isSmall(part)) {
      this.#flush()
      return super.write(part)
    }
    if (this._refusal() !== null) return super.write(part) // which rejects
    this.#end = typeof part === 'string' ? this.#addText(part) : this.#addBytes(part)
    this.#schedule()
    return this._isFull() ? this.#wait() : SETTLED
  }

  end () {
    this.#flush()
    super.end()
  }

  /** Whether part is gathered. Without bytes it may be one whose memory is gone. */
  _isSmall (part) {
    if (typeof part === 'string') return part.length < LARGE
    return isBytes(part) && part.byteLength < LARGE && detached(part) === null
  }

  _cut (part) {
    if (part instanceof Part) return part
    if (typeof part === 'string') return new Part([Buffer.from(part)], null, true)
    if (!isBytes(part)) throw argumentError('a part', 'a Uint8Array or a string', part)
    const bad = detached(part)
    if (bad !== null) throw bad
    return new Part([bytesOf(part)], null)
  }

  _attach (stream, copyAll) {
    super._attach(stream, copyAll)
    this.#attached = true
    this.#schedule()
  }

  _refuse (error) {
    super._refuse(error)
    this.#discard()
  }

  _closed (error) {
    super._closed(error)
    this.#discard()
    if (this.#settling !== null) this.#settling.reject(this._refusal())
    this.#settling = null
  }

  /** Makes room for so many bytes and returns where they go. */
  #reserve (bytes) {
    if (this.#buffer !== null && this.#buffer.length - this.#end >= bytes) return this.#end
    this.#flush()
    this.#buffer = Buffer.allocUnsafeSlow(this.#sent || bytes > FIRST ? FULL : FIRST)
    this.#start = this.#end = 0
    return 0
  }

  #addBytes (part) {
    const at = this.#reserve(part.byteLength)
    this.#buffer.set(part, at)
    return at + part.byteLength
  }

  #addText (text) {
    const most = text.length * LONGEST
    const at = this.#reserve(most > FIRST ? Buffer.byteLength(text) : most)
    if (text.length <= SHORT) {
      const end = addAscii(this.#buffer, at, text)
      if (end !== -1) return end
    }
    return at + this.#buffer.write(text, at)
  }

  /** Makes a part of what was gathered. */
  #flush () {
    if (this.#start === this.#end) return
    const part = new Part([this.#buffer.subarray(this.#start, this.#end)], null, true)
    const settling = this.#settling
    this.#start = this.#end
    this.#settling = null
    this.#sent = true
    const promise = super.write(part)
    if (settling !== null) promise.then(settling.resolve, settling.reject)
  }

  #schedule () {
    if (this.#scheduled || !this.#attached || this.#start === this.#end) return
    this.#scheduled = true
    if (this.#sent) setImmediate(BytesSource.#onTurn, this)
    else process.nextTick(BytesSource.#onTurn, this)
  }

  static #onTurn (source) {
    source.#scheduled = false
    source.#flush()
  }

  #wait () {
    if (this.#settling === null) {
      const settling = this.#settling = { promise: null, resolve: null, reject: null }
      settling.promise = new Promise((resolve, reject) => Object.assign(settling, { resolve, reject }))
      settling.promise.catch(() => {}) // who ignores it learns of the error from the stream
    }
    return this.#settling.promise
  }

  #discard () {
    this.#buffer = null
    this.#start = this.#end = 0
  }
}

/** Writes text to buffer at a place and returns the place after it; -1 when it is not ASCII. */
function addAscii (buffer, at, text) {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return -1
    buffer[at++] = unit
  }
  return at
}

/** A source of text or bytes that are pushed. */
function bytes (description = {}) {
  if (typeof description !== 'object' || description === null) throw argumentError('a description of bytes', 'an object such as {type}', description)
  checkOptional('type', 'string', description.type)
  return new BytesSource(description.type)
}

module.exports = { BytesSource, bytes }
