'use strict'

// Everything at once, for some time: signals, children, workers that are terminated, aborts, slow readers. In the end every
// output must have been right, and nothing may be left.

const h = require('../e2e/hazards/support/child')
const { once } = require('node:events')
const { Writable } = require('node:stream')

const seconds = Number(process.argv[2] || 90)
const signals = ['SIGUSR2', 'SIGHUP', 'SIGWINCH', 'SIGTERM', 'SIGURG']

async function main () {
  for (const name of signals) process.on(name, () => h.count('signals handled'))
  const pixels = h.sample()
  const expected = await h.hashed(pixels)
  let end
  const going = () => Date.now() < end

  const aborts = async () => {
    while (going()) {
      const job = h.sluice.encodeChunked(pixels, 256, () => {})
      await h.sleep(Math.random() * 10)
      job.abort()
      await job.done.then(() => h.count('encodes'), () => h.count('streams aborted'))
    }
  }
  const dropped = async () => {
    while (going()) {
      h.sluice.encodeChunked(pixels, 1024, () => false)
      h.sluice.encodeStream(pixels)
      h.count('streams dropped', 2)
      await h.sleep(50)
    }
  }
  const slow = async () => {
    while (going()) {
      const { createHash } = require('node:crypto')
      const hash = createHash('sha1')
      const writable = new Writable({
        highWaterMark: 8192,
        write (chunk, _, done) {
          hash.update(chunk)
          setTimeout(done, Math.random() * 4)
        }
      })
      const job = h.sluice.encodeChunked(pixels, 4096, (error, chunk) => { if (!error) writable.write(chunk) }).follow(writable)
      await job.done
      writable.end()
      await once(writable, 'finish')
      h.assert.equal(hash.digest('hex'), expected)
      h.count('slow readers')
    }
  }
  const workers = async () => {
    while (going()) {
      const worker = h.worker(h => {
        const { parentPort } = require('node:worker_threads')
        h.work(3)
        h.sluice.encodeChunked(h.sample(), 256, () => false)
        parentPort.postMessage('running')
      })
      await once(worker, 'message')
      await h.sleep(Math.random() * 30)
      await worker.terminate()
      h.count('workers terminated')
    }
  }
  const collector = async () => {
    while (going()) {
      globalThis.gc()
      h.count('collections')
      await h.sleep(100)
    }
  }

  const everything = async seconds => {
    end = Date.now() + seconds * 1000
    const work = h.work(3)
    const storm = h.storm()
    const floods = [h.flood('process', signals), h.flood('threads', signals)]
    await Promise.all([aborts(), aborts(), dropped(), slow(), slow(), workers(), collector()])
    for (const flood of floods) await flood.stop()
    await storm.stop()
    await work.stop()
  }
  await everything(2) // what is made once is made: Go's poller, Node's files
  const base = await h.baseline()
  const before = process.memoryUsage().rss
  await everything(seconds)
  await base.settled()
  h.assert.equal(await h.hashed(pixels), expected)
  globalThis.gc()
  const grown = process.memoryUsage().rss - before
  h.assert.ok(grown < 200e6, `${grown} bytes more than before`)
  h.count('seconds', seconds)
  h.count('MB more than before', Math.max(1, Math.round(grown / 1e6)))
  for (const [what, n] of Object.entries(h.counts)) h.assert.ok(n > 0, what)
  for (const what of ['signals sent', 'signals handled', 'children', 'workers terminated', 'streams aborted', 'streams dropped', 'slow readers', 'encodes']) {
    h.assert.ok(h.counts[what] > 0, `${what}: none`)
  }
  console.log(Object.entries(h.counts).map(([what, n]) => `${what}: ${n}`).join('\n'))
}

main()
