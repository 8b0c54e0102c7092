'use strict'

// The clients of slow.js, all in one process. Takes {urls, one a client, server, path, rampMs} as JSON on standard input; gives {idle, busy: the server's
// statistics before and after, samples: [{startMs, firstByteMs, totalMs, bytes}], seconds} on standard output.

const { setTimeout: sleep } = require('node:timers/promises')
const { json } = require('node:stream/consumers')
const { get } = require('./client')

const stats = async url => (await fetch(url)).json()

async function main () {
  const { urls, server, path, rampMs } = await json(process.stdin)
  for (let i = 0; i < 3; i++) await get(server + path) // loads what the server needs
  await sleep(1000)
  await stats(`${server}/stats?reset`)
  const idle = await stats(`${server}/stats`)
  const start = performance.now()
  const samples = await Promise.all(urls.map(async (url, i) => {
    await sleep(i * rampMs / urls.length)
    const startMs = performance.now() - start
    return { startMs, ...await get(url, false) }
  }))
  const seconds = (performance.now() - start) / 1000
  process.stdout.write(JSON.stringify({ idle, busy: await stats(`${server}/stats`), samples, seconds }))
}

main()
