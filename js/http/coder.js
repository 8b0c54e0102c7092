'use strict'

const zlib = require('node:zlib')

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_OPERATION_FLUSH } = zlib.constants

// Quality 4 is the last that is quick; a window of 1 MiB keeps what an open response costs small.
const params = { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 20 }

/** Codes output as br, on Node's thread pool. Tells listener of output, that it accepts more, coded (the end) and broken(error). */
class Brotli {
  #coder = zlib.createBrotliCompress({ params })

  constructor (listener) {
    this.#coder.on('data', bytes => listener.output(bytes))
    this.#coder.on('drain', () => listener.accepts())
    this.#coder.on('end', () => listener.coded())
    this.#coder.on('error', error => listener.broken(error))
  }

  /** False: wait for accepts. */
  write (chunk) { return this.#coder.write(chunk) }

  /** Makes all that was written readable for the client. */
  flush () { this.#coder.flush(BROTLI_OPERATION_FLUSH) }

  end () { this.#coder.end() }
  pause () { this.#coder.pause() }
  resume () { this.#coder.resume() }
  destroy () { this.#coder.destroy() }
}

module.exports = { Brotli }
