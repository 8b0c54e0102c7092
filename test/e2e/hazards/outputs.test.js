'use strict'

// Chunks that go elsewhere, and streams that stop.

const { hazard, sanitized } = require('./support/hazard')

hazard('every chunk\'s memory transferred as it comes', {}, async h => {
  const base = await h.baseline()
  const pixels = h.sample(800, 600)
  const whole = h.digest(await h.sluice.encode(pixels, h.stored))
  for (let i = 0; i < 10; i++) {
    const output = []
    for await (const chunk of h.sluice.encodeStream(pixels, { ...h.stored, chunkSize: 65536 })) {
      const { byteOffset, length } = chunk
      output.push(new Uint8Array(structuredClone(chunk.buffer, { transfer: [chunk.buffer] }), byteOffset, length))
      h.assert.equal(chunk.length, 0)
      h.count('transfers')
    }
    h.assert.equal(h.digest(Buffer.concat(output)), whole)
  }
  await base.settled()
})

hazard('transferred chunks are never written to afterwards', {}, async h => {
  const base = await h.baseline()
  const pixels = h.sample(800, 600)
  const whole = await h.sluice.encode(pixels, h.stored)
  for (let i = 0; i < 10; i++) {
    const taken = []
    let offset = 0
    const job = h.sluice.encodeChunked(pixels, { ...h.stored, chunkSize: 65536 }, (error, chunk) => {
      if (error) return
      const at = chunk.byteOffset
      const { length } = chunk
      const mine = new Uint8Array(structuredClone(chunk.buffer, { transfer: [chunk.buffer] }), at, length)
      h.assert.ok(whole.subarray(offset, offset + length).equals(mine), `chunk at ${offset}`)
      taken.push(mine.fill(0xa5))
      offset += length
      h.count('transfers')
    })
    await job.done
    h.assert.equal(offset, whole.length)
    await h.turn()
    h.assert.ok(taken.every(chunk => chunk.every(byte => byte === 0xa5)), 'a chunk was written to after it was given away')
  }
  await base.settled()
})

hazard('chunks that share memory with a transferred neighbour', {}, async h => {
  const base = await h.baseline()
  for (let i = 0; i < 50; i++) {
    const job = h.sluice.encodeChunked(h.sample(), { ...h.stored, chunkSize: 256 }, (error, chunk) => {
      if (!error && chunk.length > 0) structuredClone(chunk.buffer, { transfer: [chunk.buffer] })
    })
    await h.assert.rejects(job.done, { code: 'ERR_SLUICE_ARGUMENT' })
    h.count('refused')
  }
  await base.settled()
})

hazard('an abort at every point of a stream', {}, async h => {
  const base = await h.baseline()
  const pixels = h.sample(160, 120)
  for (const format of h.formats()) {
    for (const options of [{ format, chunkSize: 64 }, { format, chunkSize: 512, ...(format === 'png' ? h.stored : {}) }]) {
      const total = (await h.sluice.encodeChunked(pixels, options, () => {}).done).chunks
      for (let at = 0; at < total; at++) {
        let chunks = 0
        const job = h.sluice.encodeChunked(pixels, options, (error, chunk) => {
          if (!error && ++chunks === at) job.abort()
        })
        if (at === 0) job.abort()
        await h.assert.rejects(job.done, { code: 'ABORT_ERR' })
        h.assert.equal(chunks, at)
        h.count('streams aborted')
      }
    }
  }
  await base.settled()
})

hazard('an abort at any time', { parameters: { times: 500 } }, async (h, { times }) => {
  const base = await h.baseline()
  const pixels = h.sample(700, 600)
  const formats = h.formats()
  for (let i = 0; i < times; i++) {
    const controller = new AbortController()
    const job = h.sluice.encode(pixels, { format: formats[i % formats.length], signal: controller.signal })
    const end = performance.now() + Math.random() * 8
    while (performance.now() < end) await h.turn()
    controller.abort()
    await job.then(() => h.count('done before'), () => h.count('streams aborted'))
  }
  await base.settled()
})

// AddressSanitizer keeps 256 MB of what was freed.
hazard('10,000 aborted encodes in a row', { parameters: { most: sanitized ? 600e6 : 150e6 }, timeout: 120_000 }, async (h, { most }) => {
  const base = await h.baseline()
  const pixels = h.sample(200, 200)
  const before = process.memoryUsage().rss
  for (let i = 0; i < 10_000; i++) {
    const job = h.sluice.encodeChunked(pixels, 1024, () => {})
    if (i % 3 === 0) await h.turn()
    job.abort()
    if (i % 16 === 0) await job.done.catch(() => {})
    h.count('streams aborted')
  }
  await h.idle()
  await base.settled()
  const grown = process.memoryUsage().rss - before
  h.assert.ok(grown < most, `${grown} bytes more`)
})
