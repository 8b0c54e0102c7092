'use strict'

// The server of features.js, a process of its own for each writer, so that what one holds does not burden another's collector.
// node features-server.js WRITER SET FILE answers /FORMAT; the parent gets {port}, and {format, delay} after each answer.

const http = require('node:http')
const { batches: batchesOfRows, send } = require('sluice')
const { batchesOf, columns, sets, sourceOf } = require('./features-data')
const { byOgr, byStrings } = require('./features-peers')

const identity = { coding: 'identity' }
const writers = {
  sluice: rows => {
    const batches = batchesOf(rows())
    return (format, request, response) => send(request, response, sourceOf(format, batches), identity)
  },
  'sluice from rows': rows => (format, request, response) => send(request, response, sourceOf(format, batchesOfRows(rows(), columns, { geometry: 'shape' })), identity),
  strings: rows => (format, request, response) => byStrings(format, rows(), response),
  ogr2ogr: (rows, file) => (format, request, response) => byOgr(format, file, response)
}

/** How late timers of 1 ms are: the event loop's delay. Unlike monitorEventLoopDelay it sees a loop that is blocked from its start on. */
class Delays {
  #late = []
  #last = performance.now()
  #timer = setInterval(() => this.#tick(), 1)

  #tick () {
    const now = performance.now()
    this.#late.push(Math.max(0, now - this.#last - 1))
    this.#last = now
  }

  /** {p99, most} in milliseconds. */
  stop () {
    this.#tick()
    clearInterval(this.#timer)
    const sorted = this.#late.sort((a, b) => a - b)
    return { p99: sorted[Math.ceil(sorted.length * 0.99) - 1], most: sorted.at(-1) }
  }
}

async function main () {
  const [writer, set, file] = process.argv.slice(2)
  const write = writers[writer](await sets[set](), file)
  const server = http.createServer((request, response) => {
    const format = request.url.slice(1)
    const delays = new Delays()
    response.on('close', () => process.send({ format, delay: delays.stop() }))
    write(format, request, response)
  })
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
}

main()
