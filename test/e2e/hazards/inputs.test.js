'use strict'

// Pixels that change, move or go while Go reads them.

const { hazard } = require('./support/hazard')

hazard('pixels transferred and freed in the middle of encodes', {
  control: 'nofault', unsanitized: 'it reads what was freed, and survives', parameters: { times: 60 }
}, async (h, { times }) => {
  const base = await h.baseline()
  // Mapped by itself, so that the memory goes when it is freed; noise, so that every pixel is read and takes its time.
  const noise = require('node:crypto').randomBytes(2000 * 2000 * 4)
  for (let i = 0; i < times; i++) {
    let data = new Uint8Array(noise)
    const jobs = [h.sluice.encode({ data, width: 2000, height: 2000 }), h.sluice.encode({ data, width: 2000, height: 2000 }, h.stored)]
    for (const job of jobs) job.catch(() => {})
    await h.sleep(i % 6)
    structuredClone(data.buffer, { transfer: [data.buffer] })
    data = null
    globalThis.gc()
    for (const job of await Promise.allSettled(jobs)) {
      if (job.status === 'fulfilled') continue // it was done
      h.assert.equal(job.reason.code, 'ERR_SLUICE_INPUT')
      h.count('encodes that lost their pixels')
    }
    h.count('transfers')
  }
  await base.settled()
})

hazard('pixels transferred to a worker', {}, async h => {
  const { once } = require('node:events')
  const base = await h.baseline()
  const worker = h.worker(() => {
    require('node:worker_threads').parentPort.on('message', data => { new Uint8Array(data).fill(1) })
  })
  await once(worker, 'online')
  for (let i = 0; i < 60; i++) {
    const { data, ...rest } = h.sample(600, 500)
    const pixels = new Uint8Array(data) // with a buffer of its own
    const job = h.sluice.encode({ ...rest, data: pixels })
    await h.sleep(i % 4)
    worker.postMessage(pixels.buffer, [pixels.buffer])
    await job.then(() => {}, error => h.assert.equal(error.code, 'ERR_SLUICE_INPUT'))
    h.count('transfers')
  }
  await worker.terminate()
  await base.settled()
})

hazard('buffers that are resized', {}, async h => {
  const base = await h.baseline()
  const { data, width, height } = h.sample()
  const expected = await h.hashed({ data, width, height })
  for (let i = 0; i < 50; i++) {
    const pixels = new Uint8Array(new ArrayBuffer(data.length, { maxByteLength: data.length * 2 }))
    pixels.set(data)
    const job = h.hashed({ data: pixels, width, height })
    pixels.buffer.resize(i % 2 === 0 ? 0 : data.length * 2)
    h.assert.equal(await job, expected)
    h.count('resizes')
  }
  await base.settled()
})

hazard('pixels that a worker changes all the time', {}, async h => {
  const { once } = require('node:events')
  const base = await h.baseline()
  const shared = new SharedArrayBuffer(1000 * 800 * 4)
  const worker = h.worker((h, shared) => {
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', buffer => {
      const words = new Uint32Array(buffer)
      parentPort.postMessage('changing')
      for (;;) { // few colours, then many: what was a palette is none any more
        for (let i = 0, x = 1; i < words.length; i += 3) words[i] = (x = Math.imul(x, 1664525) + 1013904223 | 0)
        words.fill(0xff00ff00)
      }
    })
  })
  worker.postMessage(shared)
  await once(worker, 'message')
  for (let i = 0; i < 12; i++) {
    for (const format of h.formats()) {
      await h.sluice.encode({ data: new Uint8Array(shared), width: 1000, height: 800 }, { format })
      h.count('encodes of changing pixels')
    }
  }
  await worker.terminate()
  await base.settled()
})

hazard('pixels and slabs that nobody else holds, under a busy collector', { control: 'no-loan', parameters: { times: 50 } }, async (h, { times }) => {
  const base = await h.baseline()
  const { data, width, height } = h.sample(300, 300)
  const expected = await h.hashed({ data, width, height }, h.stored)
  for (let i = 0; i < times; i++) {
    const jobs = [1, 2, 3].map(() => h.hashed({ data: Uint8Array.from(data), width, height }, h.stored))
    for (let j = 0; j < 4; j++) {
      globalThis.gc()
      h.count('collections')
      await h.turn()
    }
    for (const job of jobs) {
      h.assert.equal(await h.within(1500, job), expected)
      h.count('encodes')
    }
  }
  await base.settled()
})

hazard('paused jobs that are dropped while strips are read', {}, async h => {
  const base = await h.baseline()
  const { data, width, height } = h.sample(400, 600)
  for (let i = 0; i < 200; i++) {
    h.sluice.encodeChunked({ data: Uint8Array.from(data), width, height }, 256, () => { h.count('paused'); return false })
    if (i % 10 === 9) {
      globalThis.gc()
      await h.turn()
      globalThis.gc()
    }
  }
  await base.settled()
})
