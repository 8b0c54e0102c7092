'use strict'

// Children. Go unblocks SIGCHLD on its threads whatever their mask says.

const { hazard } = require('./support/hazard')

// The same signal many times a round: what counts is how often one meets a goroutine that runs.
const SIGCHLD = Array(9).fill('SIGCHLD')

for (const where of ['process', 'threads']) {
  hazard(`children that end, and SIGCHLD to the ${where}`, {
    parameters: { where, ms: 2500, SIGCHLD },
    // Linux gives a signal to the process to the main thread if it can, so that this form hardly ever meets Go.
    control: where === 'threads' ? 'no-pin' : undefined
  }, async (h, { where, ms, SIGCHLD }) => {
    const base = await h.baseline()
    const work = h.work(32, { source: h.sample(64, 64) })
    const storm = h.storm()
    const flood = h.flood(where, SIGCHLD)
    await h.sleep(ms)
    await storm.stop()
    await flood.stop()
    await work.stop()
    await base.settled()
  })
}

hazard('the addon loaded first inside a worker, which ends, under a storm of children', {
  parameters: { ms: 2500, SIGCHLD }, control: 'no-pin'
}, async (h, { ms, SIGCHLD }) => {
  const storm = h.storm()
  const worker = h.worker(async h => {
    const work = h.work(8, { source: h.sample(64, 64) })
    await h.sleep(300)
    await work.stop()
  })
  h.assert.equal(await new Promise(resolve => worker.on('exit', resolve)), 0)
  const base = await h.baseline()
  const work = h.work(32, { source: h.sample(64, 64) })
  const flood = h.flood('threads', SIGCHLD)
  await h.sleep(ms)
  await flood.stop()
  await storm.stop()
  await work.stop()
  await h.idle()
  h.count('goroutines at rest', base.goroutines)
})

// The pin must not go with the worker, whose loop is closed. No child lives meanwhile, so that nothing else keeps libuv's handler.
hazard('children after the worker ended in which the addon was loaded first', {
  parameters: { ms: 2500, SIGCHLD }, control: 'worker-loop'
}, async (h, { ms, SIGCHLD }) => {
  const worker = h.worker(async h => { await h.hashed(h.sample(64, 64)) })
  h.assert.equal(await new Promise(resolve => worker.on('exit', resolve)), 0)
  h.count('workers')
  const base = await h.baseline()
  const work = h.work(32, { source: h.sample(64, 64) })
  const storm = h.storm()
  const flood = h.flood('threads', SIGCHLD)
  await h.sleep(ms)
  await storm.stop()
  await flood.stop()
  await work.stop()
  await base.settled()
})

hazard('spawn, execFile, exec and their synchronous forms', {}, async h => {
  const { exec, execFile, execSync, spawn, spawnSync } = require('node:child_process')
  const base = await h.baseline()
  const work = h.work(8)
  for (let i = 0; i < 25; i++) {
    await Promise.all([
      new Promise(resolve => spawn('/bin/true', { stdio: 'ignore' }).on('exit', code => resolve(h.assert.equal(code, 0)))),
      new Promise(resolve => execFile('/bin/echo', ['a'], (error, out) => resolve(h.assert.deepEqual([error, out], [null, 'a\n'])))),
      new Promise(resolve => exec('echo b; exit 3', (error, out) => resolve(h.assert.deepEqual([error.code, out], [3, 'b\n']))))
    ])
    h.assert.equal(execSync('echo c', { encoding: 'utf8' }), 'c\n')
    h.assert.equal(spawnSync('/bin/true').status, 0)
    h.count('children', 5)
  }
  await work.stop()
  await base.settled()
})

hazard('forks that encode', {}, async h => {
  const { once } = require('node:events')
  const base = await h.baseline()
  const work = h.work(2)
  const expected = await h.hashed(h.sample())
  for (let i = 0; i < 4; i++) {
    await Promise.all([1, 2, 3].map(async () => {
      const child = h.fork(async h => {
        const base = await h.baseline()
        const hash = await h.hashed(h.sample())
        await base.settled()
        process.send(hash, () => process.disconnect())
      })
      let hash
      child.on('message', message => { hash = message })
      h.assert.deepEqual(await once(child, 'exit'), [0, null])
      h.assert.equal(hash, expected)
      h.count('forks')
    }))
  }
  await work.stop()
  await base.settled()
})

hazard('a cluster that serves while its primary encodes', {}, async h => {
  const cluster = require('node:cluster')
  const http = require('node:http')
  const { once } = require('node:events')
  const serve = async h => {
    const http = require('node:http')
    const pixels = h.sample()
    http.createServer((req, res) => {
      h.sluice.encodeChunked(pixels, { chunkSize: 1024 }, (error, chunk, last) => {
        if (error) return res.destroy()
        res.write(chunk)
        if (last) res.end()
      }).follow(res)
    }).listen(0)
  }
  cluster.setupPrimary({ exec: h.main, args: [String(serve)] })
  const base = await h.baseline()
  const work = h.work(2)
  const expected = await h.hashed(h.sample())
  const workers = [1, 2].map(() => cluster.fork())
  const ports = await Promise.all(workers.map(async worker => (await once(worker, 'listening'))[0].port))
  await Promise.all([0, 1, 2, 3].map(async client => {
    for (let i = 0; i < 10; i++) {
      const hash = await new Promise((resolve, reject) => {
        http.get({ port: ports[client % 2], agent: false }, async res => resolve(h.digest(Buffer.concat(await res.toArray())))).on('error', reject)
      })
      h.assert.equal(hash, expected)
      h.count('responses')
    }
  }))
  for (const worker of workers) {
    worker.process.kill('SIGTERM')
    await once(worker, 'exit')
    h.count('cluster workers')
  }
  await work.stop()
  await h.until(() => h.fds() <= base.files + 2, 'sockets closed') // the primary keeps what cluster itself opened
})
