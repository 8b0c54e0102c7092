'use strict'

// Workers, which go at any moment, with their memory.

const { hazard, sanitized } = require('./support/hazard')

const busy = h => {
  const { parentPort } = require('node:worker_threads')
  const pixels = h.sample(400, 300)
  for (const format of h.formats()) {
    const again = () => h.sluice.encodeChunked(pixels, { format, chunkSize: 256 }, (error, chunk, last) => { if (error || last) again() })
    again()
    const stored = () => h.sluice.encodeChunked(h.sample(100, 300), { format, chunkSize: 256, ...h.stored }, (error, chunk, last) => { if (error || last) stored() })
    if (format === 'png') stored()
    h.sluice.encodeStream(pixels, { format })
    h.sluice.encode(pixels, { format })
    globalThis.paused = h.sluice.encodeChunked(pixels, { format, chunkSize: 256 }, () => false)
    const source = h.sluice.image({ width: 400, height: 300 })
    h.sluice.createEncoder(source, { format }).resume()
    source.write(pixels.data.subarray(0, 160_000))
  }
  for (const format of h.pushed()) { // those of other sources
    const again = () => {
      const { source, parts } = h.source(format)
      h.sluice.encodeChunked(source, { chunkSize: 256 }, (error, chunk, last) => { if (error || last) again() })
      for (const part of parts) source.write(part)
      source.end()
    }
    again()
    const paused = h.source(format)
    h.sluice.encodeStream(paused.source)
    for (const part of paused.parts) paused.source.write(part)
    const open = h.source(format)
    h.sluice.createEncoder(open.source).resume()
    open.source.write(open.parts[0])
  }
  h.sluice.stats()
  parentPort.postMessage('running')
}

hazard('worker.terminate in the middle of encodes, 300 times', { parameters: { times: 300, busy: String(busy) }, timeout: 280_000 }, async (h, { times, busy }) => {
  const { once } = require('node:events')
  const base = await h.baseline()
  // Every row of the table gives out bytes where nobody disturbs it: else its part in the workers would prove nothing.
  for (const format of h.pushed()) {
    const { source, parts } = h.source(format)
    const output = h.sluice.encode(source)
    for (const part of parts) source.write(part)
    source.end()
    h.assert.ok((await output).length > 10_000, format)
  }
  h.count('formats', h.formats().length + h.pushed().length)
  h.assert.equal(h.counts.formats, require(h.root + '/js/binding').info.formats.length)
  const one = async () => {
    const worker = h.worker(busy)
    await once(worker, 'message')
    await h.sleep(Math.random() * 8)
    await worker.terminate()
    h.count('workers terminated')
  }
  await one()
  const files = h.fds()
  for (let i = 1; i < times; i += 2) await Promise.all([one(), i + 1 < times ? one() : null])
  await base.settled()
  h.assert.ok(h.fds() <= files)
})

// Without the wait alone nothing is seen: rows are read from memory that is gone, and the guard against faults catches it. So
// the control goes without both.
hazard('pixels of a terminated worker', { parameters: { times: 12 }, control: 'no-wait' }, async (h, { times }) => {
  const { once } = require('node:events')
  const base = await h.baseline()
  const expected = await h.hashed(h.sample(200, 200))
  for (let i = 0; i < times; i++) {
    const workers = [1, 2].map(() => h.worker(h => {
      for (let i = 0; i < 2; i++) { // each is memory of its own, which goes with the worker
        const pixels = { data: new Uint8Array(3000 * 2000 * 4).fill(i), width: 3000, height: 2000 }
        h.sluice.encode(pixels)
        h.sluice.encode(pixels, h.stored)
      }
      // Aborts go from the newest stream to the oldest: these keep Go busy while the pixels go.
      globalThis.waiting = Array.from({ length: 5000 }, () => {
        const source = h.sluice.image({ width: 100, height: 100 })
        return [source, h.sluice.encodeStream(source)]
      })
      require('node:worker_threads').parentPort.postMessage('running')
    }))
    await Promise.all(workers.map(worker => once(worker, 'message')))
    await h.sleep(i % 5)
    await Promise.all(workers.map(worker => worker.terminate()))
    h.count('workers terminated', 2)
    h.assert.equal(await h.hashed(h.sample(200, 200)), expected)
  }
  await base.settled()
})

hazard('workers that exit, throw or run out of work in the middle of encodes', { parameters: { busy: String(busy) } }, async (h, { busy }) => {
  const base = await h.baseline()
  for (let i = 0; i < 10; i++) {
    await Promise.all(['process.exit(5)', 'throw new Error("expected")', 'Promise.reject(new Error("expected"))'].map(async end => {
      const worker = h.worker(`h => { (${busy})(h); setTimeout(() => { ${end} }, ${Math.random() * 10}) }`)
      worker.on('error', error => { h.assert.equal(error.message, 'expected') })
      const code = await new Promise(resolve => worker.on('exit', resolve))
      h.assert.equal(code, end.startsWith('process') ? 5 : 1)
      h.count('workers ended')
    }))
  }
  await base.settled()
})

hazard('the main thread and four workers at once', {}, async h => {
  const { once } = require('node:events')
  const base = await h.baseline()
  const workers = [1, 2, 3, 4].map(() => h.worker(async h => {
    const hashes = []
    for (let i = 0; i < 10; i++) hashes.push(await h.hashed(h.sample(), { chunkSize: 300 }))
    require('node:worker_threads').parentPort.postMessage(hashes)
  }))
  const expected = await h.hashed(h.sample())
  const work = h.work(2)
  for (const hashes of await Promise.all(workers.map(async worker => (await once(worker, 'message'))[0]))) {
    for (const hash of hashes) {
      h.assert.equal(hash, expected)
      h.count('encodes in workers')
    }
  }
  await Promise.all(workers.map(worker => worker.terminate()))
  await work.stop()
  await base.settled()
})

hazard('a worker with the addon ends, and another comes', { parameters: { ms: sanitized ? 20_000 : 2000 }, control: 'no-nodelete' }, async (h, { ms }) => {
  const { once } = require('node:events')
  for (let i = 0; i < 10; i++) { // the addon is never loaded by the main thread: it would stay for that
    const worker = h.worker(async h => {
      await h.hashed(h.sample(100, 100))
      for (let i = 0; i < 200; i++) h.sluice.encodeStream(h.sample(100, 100)) // aborting them takes the mailbox a while
    })
    h.assert.deepEqual(await h.within(ms, once(worker, 'exit')), [0])
    h.count('workers')
  }
})
