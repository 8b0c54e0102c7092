'use strict'

// What a large image needs beside its pixels.

const { hazard } = require('./support/hazard')

const most = 64 // MiB

for (const level of ['fast', 'small']) {
  hazard(`12000 × 10000 pixels at level ${level}, in little memory`, { parameters: { level, most }, timeout: 240_000 }, async (h, { level, most }) => {
    const base = await h.baseline()
    const [width, height] = [12000, 10000]
    const tile = h.sample(1000, 1000)
    const data = Buffer.alloc(width * height * 4)
    for (let y = 0; y < height; y++) {
      const row = tile.data.subarray(y % 1000 * 4000, (y % 1000 + 1) * 4000)
      for (let x = 0; x < width; x += 1000) row.copy(data, (y * width + x) * 4)
    }
    const before = process.memoryUsage().rss
    let heap = 0
    let asked = 0
    let bytes = 0
    const job = h.sluice.encodeChunked({ data, width, height }, { level }, (error, chunk) => {
      if (error) throw error
      bytes += chunk.length
    })
    const ended = job.done.then(() => true)
    while (!await Promise.race([ended, h.sleep(5)])) {
      heap = Math.max(heap, (await h.sluice.stats()).heapBytes)
      asked++
    }
    await job.done
    const rss = process.memoryUsage().rss - before
    h.count('MiB of Go\'s heap', Math.ceil(heap / 2 ** 20))
    h.count('MiB of the process beside the pixels', Math.ceil(rss / 2 ** 20))
    h.count('times asked', asked)
    h.count('bytes', bytes)
    h.assert.ok(asked > 20)
    h.assert.ok(heap < most * 2 ** 20, `${heap} bytes of heap`)
    await base.settled()
  })
}
