'use strict'

const { SluiceError } = require('../errors')
const { Fields, OF_THE_CONTENT } = require('./fields')

/** The response was used by others: a bug of the caller's. */
class Misuse extends SluiceError {}

const EMPTY = [204, 205, 304] // statuses of answers without content (RFC 9110, section 6.4.1)

/** What a client gets: head, body and how much of it, or a document in its place. */
class Answer {
  bytes = 0 // of the body
  chunks = 0
  committed = false // the head of the output was sent
  status // that was sent
  firstAt = null // when the first bytes of the output left, by performance.now()

  #response
  #wishes
  #head // to a HEAD request
  #declared = null // bytes that the user's Content-Length announced

  constructor (response, wishes, head) {
    this.#response = response
    this.#wishes = wishes
    this.#head = head
  }

  /** Whether there is no body, whatever the output. */
  get isBodiless () { return this.#head || this.#isEmpty }

  get #isEmpty () { return EMPTY.includes(this.#wishes.status) }

  get isLost () { return this.#response.isLost }

  /** Sends the head of an output. length: of all of it, in bytes, or null: then only a cut tells of an error from here on. */
  start (info, length) {
    const fields = this.#fields(info)
    if (length !== null) fields.set('content-length', String(length))
    else if (!fields.has('x-accel-buffering')) fields.set('x-accel-buffering', 'no') // nginx would keep it until it has all
    if (fields.has('content-length')) this.#declared = Number(fields.text('content-length'))
    this.#commit(() => this.#response.start(this.#wishes.status, fields))
  }

  /** Sends chunks, the first of a body; false: wait for drained. */
  burst (chunks) {
    let more = true
    this.#response.cork()
    for (const chunk of chunks) more = this.write(chunk)
    this.#response.uncork()
    return more
  }

  /** False: wait for drained. */
  write (chunk) {
    this.bytes += chunk.length
    this.chunks++
    this.firstAt ??= performance.now()
    if (this.#declared !== null && this.bytes > this.#declared) throw this.#misdeclared()
    return this.#response.write(chunk)
  }

  end () {
    if (this.#declared !== null && this.bytes !== this.#declared) throw this.#misdeclared()
    this.#response.end()
  }

  /** Sends all of an output. */
  whole (info, chunks, length) {
    const fields = this.#fields(info).set('content-length', String(length))
    this.bytes = length
    this.chunks = chunks.length
    this.firstAt = performance.now()
    this.#commit(() => this.#response.whole(this.#wishes.status, fields, chunks))
  }

  /** Sends the head alone. */
  head (info) {
    const fields = this.#fields(info)
    if (this.#isEmpty && info.mediaType === fields.text('content-type')) fields.delete('content-type')
    if (this.#wishes.status === 204) fields.delete('content-length') // RFC 9110, section 8.6
    this.#commit(() => this.#response.whole(this.#wishes.status, fields, []))
  }

  /** Sends a document in place of an output. */
  explain ({ status, fields, body }) {
    fields.inherit(Fields.of(this.#response.inherited()).without(OF_THE_CONTENT))
    fields.vary('Accept-Encoding')
    if (!EMPTY.includes(status)) fields.set('content-length', String(body.length))
    this.status = status
    this.#guard(() => this.#response.whole(status, fields, this.#head || body.length === 0 ? [] : [body]))
  }

  cut (error) { this.#response.cut(error) }

  #commit (send) {
    this.committed = true
    this.status = this.#wishes.status
    this.#guard(send)
  }

  /** The response may have been used behind our back. */
  #guard (send) {
    try {
      if (this.#response.isStarted) throw new Error('somebody else sent something')
      send()
    } catch (cause) {
      this.committed = false
      this.status = undefined
      throw new Misuse('ERR_SLUICE_ARGUMENT', `Expected a response that is left alone until it is sent: ${cause.message}`, { cause })
    }
  }

  #fields ({ coding, mediaType }) {
    const { fields } = this.#wishes
    if (!fields.has('content-type') && mediaType !== null) fields.set('content-type', mediaType)
    fields.delete('transfer-encoding')
    fields.vary('Accept-Encoding')
    if (coding !== 'identity') fields.code(coding)
    return fields
  }

  #misdeclared () {
    return new SluiceError('ERR_SLUICE_ARGUMENT', `Expected as many bytes as content-length announced, ${this.#declared}, got ${this.bytes}`)
  }
}

module.exports = { Answer, Misuse }
