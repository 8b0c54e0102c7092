'use strict'

const { Duplex, Readable } = require('node:stream')

const { SluiceError, abortError, argumentError } = require('./errors')
const { FULL } = require('./credit')
const { chunkSizeOf, split } = require('./options')
const { PushSource } = require('./push-source')
const { toSource } = require('./source')
const { Stream, UNREAD } = require('./stream')

// At most one chunk lies in the Readable: two would be read as one, larger than chunkSize. What comes next waits in its slab.
const highWaterMark = 1

/** The readable side of an encode, on top of Readable or Duplex. 'format' says what the bytes will be, before they come. */
const encoding = Base => class extends Base {
  /** What became of the encode, after its end. */
  report = null
  #stream
  #onDestroyed = null // the callback of the _destroy in progress

  constructor (source, options, settings) {
    const plan = split(options)
    super({ ...settings, highWaterMark })
    const size = chunkSizeOf(plan, source)
    this.#stream = new Stream(source, plan, { size, cut: Math.min(size, FULL), exact: false, gathers: false }, this.#consumer())
    this.#stream.pace()
  }

  #consumer () {
    return {
      begin: info => { this.emit('format', info) },
      chunk: buffer => { if (!this.push(buffer)) this.#stream.block(UNREAD) },
      end: (error, report, thrown) => {
        this.report = report
        this.#stream = null
        if (this.#onDestroyed !== null) this.#onDestroyed()
        else if (error === null) this.push(null)
        else this.destroy(thrown ? null : error) // what was thrown is reported by Node
      }
    }
  }

  _read () {
    // read() calls this before it takes what lies there: what came now would be joined to it.
    if (this.readableLength > 0) this.#stream?.unblock(UNREAD)
    else this.#stream?.pull()
  }

  _destroy (error, callback) {
    if (this.#stream === null || this.#stream.isOver()) return callback(error)
    this.#onDestroyed = () => callback(error)
    if (error instanceof SluiceError) this.#stream.fail(error) // of a part that is none
    else this.#stream.abort(error ?? abortError())
  }
}

class EncodeStream extends encoding(Readable) {
  constructor (source, options) {
    super(source, options, {})
  }
}

class Encoder extends encoding(Duplex) {
  #source

  constructor (source, options) {
    super(source, options, { writableObjectMode: true })
    this.#source = source
  }

  _write (part, _encoding, callback) {
    this.#source.write(part).then(() => callback(), callback)
  }

  /** All parts that wait go at once, so that they are encoded side by side. Writes settle in order: the last comes last. */
  _writev (entries, callback) {
    Promise.all(entries.map(({ chunk }) => this.#source.write(chunk))).then(() => callback(), callback)
  }

  _final (callback) {
    this.#source.end()
    callback()
  }
}

function encodeStream (source, options) {
  return new EncodeStream(toSource(source), options)
}

function createEncoder (source, options) {
  if (!(source instanceof PushSource)) throw argumentError('source', 'one that parts are pushed into, such as image({width, height}) makes', source)
  return new Encoder(source, options)
}

/** Bytes in a slab when the output is collected: most outputs fit in one, so that nobody is woken before the end. */
function slabOf ({ width, height }) {
  const guess = width > 0 && height > 0 ? width * height / 4 : 4 * FULL // a sixteenth of an image's pixels
  return Math.min(Math.max(Math.ceil(guess / FULL), 1), 16) * FULL
}

async function encode (source, options) {
  const plan = split(options)
  const from = toSource(source)
  let settle
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject, output: null }
  })
  // eslint-disable-next-line no-new -- the addon holds it while it runs, and after that the source that parts come from
  new Stream(from, plan, { size: Infinity, cut: slabOf(from._header()), exact: true, gathers: true }, {
    begin () {},
    chunk (output) { settle.output = output },
    end (error) {
      if (error === null) settle.resolve(settle.output)
      else settle.reject(error)
    }
  })
  return promise
}

module.exports = { encodeStream, createEncoder, encode }
