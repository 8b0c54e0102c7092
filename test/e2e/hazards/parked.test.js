'use strict'

// Many streams that wait for their consumers.

const { hazard, strict } = require('./support/hazard')

const most = strict ? 64 : 96 // KiB of a paused stream; the allocators of a machine that is busy keep more

hazard('5,000 encodes paused at their first chunk, then resumed', { parameters: { streams: 5000, most }, timeout: 240_000 }, async (h, { streams, most }) => {
  const { createHash } = require('node:crypto')
  const base = await h.baseline()
  const pixels = h.sample(1000, 1000) // shared: what is measured is what a stream needs beside them
  const expected = await h.hashed(pixels)
  const rss = () => {
    for (let i = 0; i < 3; i++) globalThis.gc()
    return process.memoryUsage().rss
  }
  await h.idle()
  const before = rss()
  const idleThreads = h.threads()
  const jobs = []
  let started = 0
  for (let i = 0; i < streams; i++) {
    const entry = { hash: createHash('sha1'), chunks: 0, job: null }
    entry.job = h.sluice.encodeChunked(pixels, 4096, (error, chunk) => {
      if (error) throw error
      entry.hash.update(chunk)
      if (entry.chunks++ === 0) {
        started++
        return false
      }
    })
    jobs.push(entry)
    if (i % 50 === 49) await h.until(() => started === i + 1, 'first chunks', 60_000)
  }
  await h.until(async () => (await h.sluice.stats()).parked === streams, 'all are parked', 60_000)
  const threads = h.threads()
  const perStream = (rss() - before) / streams / 1024
  const { heapBytes, goroutines } = await h.sluice.stats()
  h.count('paused', streams)
  h.count('threads', threads)
  h.count('KiB of a paused stream', Math.ceil(perStream))
  h.count('of these, Go\'s heap', Math.ceil(heapBytes / streams / 1024))
  h.count('goroutines', goroutines)
  h.assert.ok(threads - idleThreads < 20, `${threads} threads, ${idleThreads} before`)
  for (let i = 0; i < streams; i += 50) {
    const some = jobs.slice(i, i + 50)
    for (const { job } of some) job.resume()
    await Promise.all(some.map(async ({ job, hash }) => {
      await job.done
      h.assert.equal(hash.digest('hex'), expected)
      h.count('outputs that were right')
    }))
  }
  h.assert.ok(perStream <= most, `${perStream} KiB a stream`)
  await base.settled()
})
