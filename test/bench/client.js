'use strict'

// The client of response-time.js and features.js, a process of its own. Takes {urls: {name: url}, rounds, warmup?} as JSON on standard input, gives
// {name: [{firstByteMs, totalMs, bytes}]} on standard output; milliseconds from the request.

const http = require('node:http')
const { json } = require('node:stream/consumers')
const { interleave } = require('./measure')

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })

function get (url) {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let firstByteMs
    let bytes = 0
    http.get(url, { agent }, (response) => {
      response.on('data', (data) => {
        firstByteMs ??= performance.now() - start
        bytes += data.length
      })
      response.on('end', () => resolve({ firstByteMs, totalMs: performance.now() - start, bytes }))
      response.on('error', reject)
    }).on('error', reject)
  })
}

async function main () {
  const { urls, rounds, warmup } = await json(process.stdin)
  const cases = Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, () => get(url)]))
  process.stdout.write(JSON.stringify(await interleave(cases, rounds, warmup)))
  agent.destroy()
}

main()
