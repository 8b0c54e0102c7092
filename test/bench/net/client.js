'use strict'

// The client of many links, a process of its own. Takes JSON on standard input, {groups: [{key, urls: {name: path}, lanes: [base URL], rounds, restMs}],
// seconds}, and gives {key: {name: [sample]}} on standard output. All lanes run at once, and each asks for every path once a round, in random order,
// over one connection. When the seconds are over, rounds that began are ended.

const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const { json } = require('node:stream/consumers')
const { shuffled } = require('../measure')

/** Resolves with {firstByteMs, totalMs, bytes, encodeMs: what the server says}; milliseconds from the request. */
function get (url, agent) {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let firstByteMs
    let bytes = 0
    http.get(url, { agent }, response => {
      response.on('data', data => {
        firstByteMs ??= performance.now() - start
        bytes += data.length
      })
      response.on('end', () => {
        if (response.statusCode !== 200 || !response.complete) return reject(new Error(`${url}: ${response.statusCode}, ${response.complete ? 'whole' : 'cut'}`))
        const encodeMs = Number(/dur=([\d.]+)/.exec(response.headers['server-timing'])?.[1])
        resolve({ firstByteMs, totalMs: performance.now() - start, bytes, ...(Number.isNaN(encodeMs) ? {} : { encodeMs }) })
      })
      response.on('error', reject)
    }).on('error', reject)
  })
}

async function lane (base, { urls, rounds, restMs }, samples, until) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const names = Object.keys(urls)
  await get(base + urls[names[0]], agent) // the connection learns its rate
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round++) {
    for (const name of shuffled(names)) {
      await sleep(restMs)
      samples[name].push(await get(base + urls[name], agent))
    }
  }
  agent.destroy()
}

async function main () {
  const { groups, seconds } = await json(process.stdin)
  const until = performance.now() + seconds * 1000
  const results = {}
  await Promise.all(groups.flatMap(group => {
    const samples = results[group.key] = Object.fromEntries(Object.keys(group.urls).map(name => [name, []]))
    return group.lanes.map(base => lane(base, group, samples, until))
  }))
  process.stdout.write(JSON.stringify(results))
}

if (require.main === module) main()

module.exports = { get }
