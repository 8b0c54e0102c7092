'use strict'

const NO_BODY = [204, 205, 304]

/** The Web's answer: a Response that comes when it starts, with a ReadableStream that fails if it is cut. See response.js. */
class WebResponse {
  isFramed = true
  isStarted = false
  isLost = false
  #listener
  #settle
  #controller = null
  #bodiless

  constructor (request) {
    this.#bodiless = request.method === 'HEAD'
    this.promise = new Promise((resolve, reject) => { this.#settle = { resolve, reject } })
    this.promise.catch(() => {})
  }

  attach (listener) { this.#listener = listener }
  detach () {}
  inherited () { return [] }

  /** The exchange is over. Nobody is left to read an answer that did not start, so it holds nothing. */
  finish () { this.#settle.resolve(new Response(null, { status: 499 })) }

  refuse (error) { this.#settle.reject(error) }

  /** The request was aborted. */
  abort (error) {
    this.isLost = true
    this.#controller?.error(error)
    this.#listener.left(error.cause)
  }

  start (status, fields) {
    // Chunks share memory, so the stream is not one of bytes: those transfer what they are given.
    const body = new ReadableStream({
      start: controller => { this.#controller = controller },
      pull: () => this.#listener.drained(),
      cancel: reason => {
        this.isLost = true
        this.#listener.left(reason)
      }
    }, new ByteLengthQueuingStrategy({ highWaterMark: 16384 }))
    this.#answer(status, fields, body)
  }

  whole (status, fields, chunks) {
    const empty = this.#bodiless || NO_BODY.includes(status)
    this.#answer(status, fields, empty ? null : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    this.#listener.sent()
  }

  #answer (status, fields, body) {
    this.isStarted = true
    const headers = new Headers()
    for (const [name, value] of fields) for (const item of [value].flat()) headers.append(name, item)
    this.#settle.resolve(new Response(body, { status, headers }))
  }

  cork () {}
  uncork () {}

  write (chunk) {
    this.#controller.enqueue(chunk)
    return this.#controller.desiredSize > 0
  }

  end () {
    this.#controller.close()
    this.#listener.sent()
  }

  cut (error) { this.#controller.error(error) }
}

module.exports = { WebResponse }
