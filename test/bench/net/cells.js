'use strict'

// Response times of one image in every way at every bandwidth: the blocks "response" and "levels".

const { once } = require('node:events')
const { json } = require('node:stream/consumers')
const { quantile } = require('simple-statistics')
const { restMs } = require('./links')

const chunkSizes = [256, 512, 1024, 2048, 4096, 16384, 65536]
const levels = ['fastest', 'fast', 'balanced', 'small', 'auto']

// ways: {name: path}. The first opens each connection.
const blocks = {
  response: {
    ways: {
      'pre-encoded ideal': '/ideal',
      'node-mapnik, unchunked': '/mapnik',
      'sharp, unchunked': '/sharp',
      'sluice, unchunked': '/whole',
      ...Object.fromEntries(chunkSizes.map(size => [`sluice, ${size}`, `/sluice?chunkSize=${size}`]))
    }
  },
  levels: { ways: Object.fromEntries(levels.map(level => [level, `/sluice?level=${level}`])) }
}

// Mbit/s, with lanes: links of that bandwidth at once, each with its own client; the slowest two leave the processor idle for most of the time, and are
// measured together. seconds: how long it goes on; rounds that began are ended, and each lane makes one.
const phases = [
  { links: [{ mbit: 2, lanes: 6 }, { mbit: 6, lanes: 2 }], seconds: 25 },
  { links: [{ mbit: 10, lanes: 2 }], seconds: 15 },
  { links: [{ mbit: 50, lanes: 1 }], seconds: 12 },
  { links: [{ mbit: 100, lanes: 1 }], seconds: 10 },
  { links: [{ mbit: 1000, lanes: 1 }], seconds: 8 }
]
const quick = [10, 100, 1000].map(mbit => ({ links: [{ mbit, lanes: 1 }], seconds: 2 }))
const mostRounds = 40

/** Resolves with {ways, rates: {mbit: {way: {n, bytes, totalMs, firstByteMs, encodeMs}}}}, times being {q1, median, q3}. */
async function measure (links, block, { folder, name }, isQuick) {
  const { ways } = blocks[block]
  const server = links.start('server', [require.resolve('./server'), '8080', folder, name])
  await once(server.stdout, 'data')
  const base = host => `http://${host}:8080`
  const run = async (groups, seconds) => {
    const client = links.start('client', [require.resolve('./client')])
    client.stdin.end(JSON.stringify({ seconds, groups: groups.map(group => ({ urls: ways, rounds: mostRounds, ...group })) }))
    return json(client.stdout)
  }
  await run([{ key: 'warm', lanes: links.add(0).map(base), rounds: 4, restMs: 0 }], 60)
  const results = {}
  for (const { links: shaped, seconds } of isQuick ? quick : phases) {
    const groups = shaped.map(({ mbit, lanes }) => ({ key: String(mbit), lanes: links.add(mbit, lanes).map(base), restMs: restMs(mbit) }))
    Object.assign(results, await run(groups, seconds))
  }
  server.kill()
  return {
    ways: Object.keys(ways),
    rates: Object.fromEntries(Object.keys(results).map(mbit => [mbit, Object.fromEntries(Object.keys(ways).map(way => [way, summary(results[mbit][way])]))]))
  }
}

function summary (samples) {
  return {
    n: samples.length,
    bytes: quantile(samples.map(({ bytes }) => bytes), 0.5),
    ...Object.fromEntries(['totalMs', 'firstByteMs', 'encodeMs'].filter(key => samples[0][key] !== undefined).map(key => [key, quartiles(samples.map(sample => sample[key]))]))
  }
}

/** {q1, median, q3}, to a thousandth. */
function quartiles (numbers) {
  const [q1, median, q3] = quantile(numbers, [0.25, 0.5, 0.75]).map(number => Math.round(number * 1000) / 1000)
  return { q1, median, q3 }
}

module.exports = { measure, quartiles, blocks: Object.keys(blocks), chunkSizes, levels }
