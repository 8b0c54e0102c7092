'use strict'

// What answers cost: the access log, the page's panel and the metrics all hear of it here.

const { EventEmitter } = require('node:events')

class Reports extends EventEmitter {
  #next = 1

  // An entry for a request that begins. end() makes it known.
  begin (request) {
    return { id: this.#next++, time: new Date().toISOString(), method: request.method, url: request.url, client: clientOf(request) }
  }

  // report: sluice's, or as much of one as there is.
  end (entry, { error, ...report }) {
    if (entry.ended) return
    Object.defineProperty(entry, 'ended', { value: true })
    Object.assign(entry, report, error && { error: error.message })
    this.emit('report', entry)
  }
}

// nginx says who asked; nobody else is believed, because nobody else is at this socket when it is set up as documented.
function clientOf ({ headers, socket }) {
  return headers['x-real-ip'] ?? socket.remoteAddress
}

module.exports = { Reports }
