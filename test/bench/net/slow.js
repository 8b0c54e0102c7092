'use strict'

// The block "slow": many clients at once, each on a slow link of its own, against a server of sluice and one of node-mapnik, each a fresh process.

const { once } = require('node:events')
const { json } = require('node:stream/consumers')
const { setTimeout: sleep } = require('node:timers/promises')
const { median, quantile, sampleRankCorrelation } = require('simple-statistics')
const { quartiles } = require('./cells')

const mbit = 2
const rampMs = 1000 // in which the clients come, one after the other
const ways = { 'node-mapnik': '/mapnik', sluice: '/sluice' }

/** Resolves with {clients, mbit, rampMs, ways: {way: [result of each run]}}. */
async function measure (links, { folder, name }, isQuick) {
  const clients = isQuick ? 50 : 200
  const runs = isQuick ? 1 : 2
  const hosts = links.add(mbit, clients)
  const [probe] = links.add(0)
  const results = Object.fromEntries(Object.keys(ways).map(way => [way, []]))
  for (let run = 0; run < runs; run++) {
    for (const [way, path] of Object.entries(ways)) results[way].push(await serve(links, { folder, name, hosts, probe, path }))
  }
  return { clients, mbit, rampMs, ways: results }
}

async function serve (links, { folder, name, hosts, probe, path }) {
  const server = links.start('server', [require.resolve('./server'), '8080', folder, name])
  await once(server.stdout, 'data')
  const client = links.start('client', [require.resolve('./crowd')])
  client.stdin.end(JSON.stringify({ urls: hosts.map(host => `http://${host}:8080${path}`), server: `http://${probe}:8080`, path, rampMs }))
  const { idle, busy, samples, seconds } = await json(client.stdout)
  server.kill()
  await once(server, 'close')
  await sleep(200)
  const of = key => samples.map(sample => sample[key])
  return {
    memoryMB: { idle: round(idle.residentMB), above: round(busy.peakMB - idle.residentMB) },
    cpuMsPerRequest: round((busy.cpuMs - idle.cpuMs) / samples.length),
    loopDelayMs: { median: round(busy.delayMs.median), p99: round(busy.delayMs.p99), max: round(busy.delayMs.max) },
    firstByteMs: { ...quartiles(of('firstByteMs')), p95: round(quantile(of('firstByteMs'), 0.95)) },
    totalMs: { ...quartiles(of('totalMs')), p95: round(quantile(of('totalMs'), 0.95)) },
    // 1: who came first was served first; 0: no order at all.
    order: { firstByte: round(sampleRankCorrelation(of('startMs'), samples.map(({ startMs, firstByteMs }) => startMs + firstByteMs))), end: round(sampleRankCorrelation(of('startMs'), samples.map(({ startMs, totalMs }) => startMs + totalMs))) },
    bytes: median(of('bytes')),
    seconds: round(seconds)
  }
}

const round = number => Math.round(number * 1000) / 1000

module.exports = { measure }
