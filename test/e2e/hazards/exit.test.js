'use strict'

// The end of a process, in the middle of everything.

const { hazard } = require('./support/hazard')

const flow = (h, how) => {
  const pixels = h.sample()
  for (const format of h.formats()) {
    for (let i = 0; i < 5; i++) {
      h.sluice.encodeChunked(pixels, { format, chunkSize: 256 }, () => {})
      h.sluice.encodeChunked(h.sample(), { format, chunkSize: 256 }, () => false)
      h.sluice.encode(pixels, { format })
      h.sluice.encodeStream(pixels, { format }).resume()
      const source = h.sluice.image({ width: 500, height: 400 })
      h.sluice.createEncoder(source, { format }).on('error', () => {}).resume()
      source.write(pixels.data.subarray(0, 200_000))
      h.count('encodes', 5)
    }
  }
  setTimeout(() => {
    if (how === 'process.exit') process.exit(7)
    if (how === 'process.reallyExit') { h.report(); process.reallyExit(7) }
    if (how === 'exitCode') { process.exitCode = 7; process.exit() }
    if (how === 'throw') throw new Error('expected')
    if (how === 'rejection') Promise.reject(new Error('expected'))
    if (how === 'process.abort') { h.report(); process.abort() }
    if (how === 'SIGTERM' || how === 'SIGKILL') { h.report(); process.kill(process.pid, how) }
  }, Math.random() * 40)
}

for (const [how, end] of [
  ['process.exit', 7], ['process.reallyExit', 7], ['exitCode', 7], ['throw', 1], ['rejection', 1],
  ['process.abort', 'SIGABRT'], ['SIGTERM', 'SIGTERM'], ['SIGKILL', 'SIGKILL']
]) {
  hazard(`${how} in the middle of encodes`, { end, repeat: 3, parameters: { how }, flow },
    // eslint-disable-next-line no-new-func -- the function above, in the other process
    new Function('h', 'parameters', `(${flow})(h, parameters.how)`))
}

hazard('process.exit with workers in the middle of encodes', { end: 7, repeat: 3 }, async h => {
  const { once } = require('node:events')
  h.work(2)
  const workers = [1, 2, 3, 4].map(() => h.worker(h => {
    h.work(2)
    require('node:worker_threads').parentPort.postMessage('running')
  }))
  await Promise.all(workers.map(worker => once(worker, 'message')))
  h.count('workers', workers.length)
  setTimeout(() => process.exit(7), Math.random() * 20)
})

hazard('a throw inside the callback', {}, async h => {
  let thrown = 0
  process.on('uncaughtException', error => {
    h.assert.equal(error.message, 'expected')
    thrown++
  })
  const base = await h.baseline()
  const expected = await h.hashed(h.sample())
  for (let i = 0; i < 70; i++) {
    let chunks = 0
    const job = h.sluice.encodeChunked(h.sample(), 256, () => { if (chunks++ === i % 7) throw new Error('expected') })
    const beside = h.hashed(h.sample())
    await h.assert.rejects(job.done, { message: 'expected' })
    h.assert.equal(await beside, expected)
    h.count('encodes beside')
  }
  h.assert.equal(thrown, 70)
  h.count('throws', thrown)
  await base.settled()
})

hazard('a throw inside the callback that nobody catches', { end: 1, repeat: 3 }, h => {
  for (let i = 0; i < 10; i++) {
    h.count('encodes')
    h.sluice.encodeChunked(h.sample(), 256, () => { throw new Error('expected') })
  }
})

hazard('a natural end while streams are parked', { repeat: 3 }, async h => {
  globalThis.jobs = []
  for (let i = 0; i < 50; i++) {
    globalThis.jobs.push(h.sluice.encodeChunked(h.sample(), { ...h.stored, chunkSize: 4096 }, () => { h.count('parked'); return false }))
  }
})
