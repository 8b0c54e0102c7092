'use strict'

// More than one of everything: the module, contexts, Go.

const { hazard } = require('./support/hazard')

hazard('the module loaded again and again', {}, async h => {
  const base = await h.baseline()
  const expected = await h.hashed(h.sample())
  for (let i = 0; i < 50; i++) {
    for (const key of Object.keys(require.cache)) {
      if (key.startsWith(h.root) && !key.includes('/test/')) delete require.cache[key]
    }
    h.assert.equal(await h.hashed(h.sample()), expected)
    h.count('loads')
  }
  await base.settled()
})

hazard('pixels, callbacks and promises of other contexts', {}, async h => {
  const vm = require('node:vm')
  const base = await h.baseline()
  const expected = await h.hashed(h.sample())
  for (let i = 0; i < 50; i++) {
    const context = vm.createContext({ sluice: h.sluice, pixels: h.sample(), report: null })
    const chunks = vm.runInContext(`
      const data = Uint8Array.from(pixels.data)
      new Promise((resolve, reject) => {
        const chunks = []
        sluice.encodeChunked({ ...pixels, data }, { chunkSize: 4096 }, (error, chunk, last) => {
          if (error) return reject(error)
          chunks.push(chunk)
          if (last) resolve(chunks)
        })
      })`, context)
    h.assert.equal(h.digest(Buffer.concat(await chunks)), expected)
    h.count('contexts')
  }
  await base.settled()
})

for (const first of ['sluice', 'other']) {
  hazard(`a second Go library in the process, ${first} loaded first`, { parameters: { first } }, async (h, { first }) => {
    if (first === 'sluice') await h.hashed(h.sample(10, 10))
    const other = { exports: {} }
    process.dlopen(other, h.program('second.node'))
    const warm = h.work(1)
    for (let i = 0; i < 20; i++) {
      h.assert.equal(other.exports.sum(1000), 499500)
      await h.sleep(10)
    }
    await warm.stop()
    const base = await h.baseline()
    const work = h.work(4)
    const end = Date.now() + 1500
    while (Date.now() < end) {
      h.assert.equal(other.exports.sum(100_000), 4999950000)
      h.count('calls of the other')
      await h.turn()
    }
    await work.stop()
    await base.settled()
  })
}
