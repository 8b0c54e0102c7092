'use strict'

// One request and its answer: what is the same for maps, features and documents.

const crypto = require('node:crypto')
const { bytes, send } = require('sluice')
const { ServiceError, publicError } = require('./errors')
const { Params } = require('./params')

const maxAge = 300 // seconds that caches may answer without asking

class Exchange {
  #gone = new AbortController()
  #headers = {}

  constructor (request, response, { reports, base }) {
    this.request = request
    this.response = response
    this.url = new URL(request.url, 'http://localhost')
    this.base = base // of this server as its clients know it, without a slash at its end
    this.entry = reports.begin(request) // what the log and the page will know of it
    this.reports = reports
    response.once('close', () => this.#gone.abort())
  }

  get params () {
    return (this.parsed ??= new Params(this.url.searchParams))
  }

  // Aborts when the client leaves.
  get signal () { return this.#gone.signal }

  get isHead () { return this.request.method === 'HEAD' }

  // Refuses methods that do not read.
  onlyRead () {
    const { method } = this.request
    if (method === 'GET' || method === 'HEAD') return
    this.response.setHeader('allow', 'GET, HEAD, OPTIONS')
    throw new ServiceError('OperationNotSupported', `Expected the method GET or HEAD, got ${method}`, { status: 405 })
  }

  // Sends what sluice makes of source, and writes down what it cost.
  async send (source, { headers, ...options }) {
    const report = await send(this.request, this.response, source, { ...options, headers: { ...this.#headers, ...headers } })
    this.reports.end(this.entry, { status: this.response.statusCode, ...report })
    return report
  }

  // Sends text that is there already.
  document ({ status = 200, type, body, headers }) {
    const source = bytes({ type })
    source.write(Buffer.from(body)).catch(() => {})
    source.end()
    return this.send(source, { status, headers: { 'content-type': type, ...headers }, strategy: 'buffer' })
  }

  // The same for text that changes seldom: it is known by its hash.
  async cacheable (document) {
    if (!await this.answeredFromCache(document.body)) await this.document(document)
  }

  // key: all that the answer depends on, or null when that is not known. Answers 304 if the client has it already; else
  // caches are told how long they may keep what follows. vary: the headers of the request that the answer depends on.
  async answeredFromCache (key, vary = 'Accept-Encoding') {
    if (key === null) {
      this.#headers['cache-control'] = 'no-cache'
      return false
    }
    const tag = `W/"${crypto.createHash('sha256').update(key).digest('base64url').slice(0, 22)}"` // weak: one for all codings
    Object.assign(this.#headers, { etag: tag, 'cache-control': `public, max-age=${maxAge}` })
    if (!hasTag(this.request.headers['if-none-match'], tag)) return false
    this.response.writeHead(304, { ...this.#headers, vary }).end()
    this.reports.end(this.entry, { status: 304, bytes: 0, chunks: 0 })
    return true
  }

  // The document of an error for those who speak no OGC.
  plainError (err) {
    this.forgetCache()
    this.failed(err)
    const { status, message, retryAfter } = publicError(err)
    const type = 'text/plain; charset=utf-8'
    return { status, type, headers: { 'content-type': type, 'cache-control': 'no-store', ...(retryAfter && { 'retry-after': String(retryAfter) }) }, body: `${message}\n` }
  }

  // Writes down what went wrong on our side; what is wrong with the request is the client's to know.
  failed (err) {
    if (err instanceof ServiceError || this.signal.aborted) return
    console.error(`${this.request.method} ${this.request.url}:`, err)
  }

  // An error's document must not be cached, nor take the map's tag.
  forgetCache () {
    this.#headers = {}
  }
}

// If-None-Match compares weakly (RFC 9110, 13.1.2).
function hasTag (header, tag) {
  if (header === undefined) return false
  return header.trim() === '*' || (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((other) => other.replace(/^W\//, '') === tag.slice(2))
}

module.exports = { Exchange }
