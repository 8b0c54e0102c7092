'use strict'

// /events: what answers cost, as they end, by server-sent events; and the latest of them, for those who ask later.

const { EventEmitter } = require('node:events')

const kept = 50
const mostListeners = 100
const mostUnread = 1 << 18 // bytes that a listener may leave unread; EventSource comes back by itself
const ours = /^\/(wms|wfs|tiles)\b/ // of the answers, those worth showing

// Emits 'own' with what this process answered.
class Events extends EventEmitter {
  #latest = []
  #listeners = new Set()

  constructor (reports) {
    super()
    reports.on('report', ({ client, ...shown }) => { // who asked is nobody else's business
      if (!ours.test(shown.url)) return
      this.show(shown)
      this.emit('own', shown)
    })
  }

  // Shows what was answered here or by another worker.
  show (shown) {
    this.#latest.push(shown)
    if (this.#latest.length > kept) this.#latest.shift()
    for (const response of this.#listeners) {
      if (response.writableLength > mostUnread) response.destroy()
      else response.write(`data: ${JSON.stringify(shown)}\n\n`)
    }
  }

  // Latest first.
  latest () {
    return this.#latest.toReversed()
  }

  serve ({ response, isHead }) {
    if (this.#listeners.size >= mostListeners) {
      response.writeHead(503, { 'retry-after': '10' }).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    if (isHead) return response.end()
    response.write('retry: 2000\n\n')
    this.#listeners.add(response)
    response.once('close', () => this.#listeners.delete(response))
  }

  // Listeners would hold a server open that wants to end.
  close () {
    for (const response of this.#listeners) response.end()
  }
}

module.exports = { Events }
