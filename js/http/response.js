'use strict'

const { NGHTTP2_INTERNAL_ERROR } = require('node:http2').constants

const { argumentError } = require('../errors')
const { Fields, OF_THE_CONTENT } = require('./fields')

const METHODS = ['writeHead', 'write', 'end', 'on', 'off', 'getHeaders', 'hasHeader', 'removeHeader']

// Fields of a connection, which HTTP/2 has none of (RFC 9113, section 8.2.2).
const OF_THE_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'http2-settings']

/**
 * A response of HTTP/1.1. Tells listener of drained, sent (everything was handed to the system) and left(error): the
 * connection closed before. It listens to the response alone, from attach() until detach(), and not to what outlives it.
 */
class Http1Response {
  #res
  #listeners

  constructor (res) {
    this.#res = res
  }

  get res () { return this.#res }

  attach (listener) {
    this.#listeners = {
      drain: () => listener.drained(),
      finish: () => { if (this.isSent()) listener.sent() },
      close: () => this.isSent() ? listener.sent() : listener.left(this.#res.errored ?? undefined),
      error: error => listener.left(error)
    }
    for (const [event, on] of Object.entries(this.#listeners)) this.#res.on(event, on)
  }

  detach () {
    for (const [event, on] of Object.entries(this.#listeners)) this.#res.off(event, on)
  }

  /** Whether a client can tell an answer that was cut from a whole one. */
  get isFramed () { return this.#res.useChunkedEncodingByDefault !== false }

  /** Whether somebody sent something already. */
  get isStarted () { return this.#res.headersSent || this.#res.writableEnded }

  /** Whether what was not sent never will be. */
  get isLost () { return (this.#res.destroyed || this.#res.closed === true) && !this.isSent() }

  isSent () { return this.#res.writableFinished }

  /** What was set on the response before. */
  inherited () { return Fields.of(this.#res.getHeaders()) }

  /** Sends the head of a body that follows. */
  start (status, fields) {
    // Said outright: Node leaves chunks out once anybody has removed this field, and then a cut body looks whole.
    if (!fields.has('content-length')) fields.set('transfer-encoding', 'chunked')
    this.#writeHead(status, fields)
  }

  /** All of an answer, in as few packets as it takes. */
  whole (status, fields, chunks) {
    this.#writeHead(status, fields)
    this.cork()
    for (const chunk of chunks) this.#res.write(chunk)
    this.#res.end()
    this.uncork()
  }

  #writeHead (status, fields) {
    for (const name of OF_THE_CONTENT) if (!fields.has(name) && this.#res.hasHeader(name)) this.#res.removeHeader(name)
    this.#res.writeHead(status, Object.fromEntries(this._allowed(fields)))
  }

  /** Those of fields that the protocol knows. */
  _allowed (fields) { return fields }

  cork () { this.#res.cork() }
  uncork () { this.#res.uncork() }

  /** False: wait for drained. */
  write (chunk) { return this.#res.write(chunk) }

  end () { this.#res.end() }

  /** Ends without the end that a whole answer has: no last chunk, or fewer bytes than announced. */
  cut () { this.#res.destroy() }
}

/** HTTP/1.0 ends a body of unknown length by closing, so that a cut one looks whole: nothing is sent before all is known. */
class Http10Response extends Http1Response {
  get isFramed () { return false }
}

/** A response of HTTP/2, through Node's compatibility API; it says 'finish' of streams that were reset, too. */
class Http2Response extends Http1Response {
  #stream

  constructor (res) {
    super(res)
    this.#stream = res.stream
  }

  get isFramed () { return true }
  get isLost () { return (this.#stream.destroyed || this.#stream.closed) && !this.isSent() }
  isSent () { return this.#stream.writableFinished && this.#stream.rstCode === 0 && !this.#stream.aborted }

  _allowed (fields) { return fields.without(OF_THE_CONNECTION) }

  // One frame of headers and frames of data are put together by Node.
  cork () {}
  uncork () {}

  /** Not res.destroy(): that ends the stream as if all were well. */
  cut () { this.#stream.close(NGHTTP2_INTERNAL_ERROR) }
}

/** The class for res, by protocol. */
function responseOf (req, res) {
  if (typeof req?.headers !== 'object' || req.headers === null || typeof req.method !== 'string') throw argumentError('req', 'a request of node:http or node:http2', req)
  if (!METHODS.every(name => typeof res?.[name] === 'function')) {
    const { raw, res: inner } = res ?? {}
    const hint = typeof raw?.writeHead === 'function' ? ': pass its raw, after hijack()' : typeof inner?.writeHead === 'function' ? ': pass its res, with respond = false' : ''
    const error = argumentError('res', 'a response of node:http or node:http2', res)
    error.message += hint
    throw error
  }
  if (typeof res.stream?.respond === 'function') return new Http2Response(res)
  return req.httpVersion === '1.0' ? new Http10Response(res) : new Http1Response(res)
}

module.exports = { responseOf }
