'use strict'

// Bugs in encoders, and sizes that cannot be.

const { hazard } = require('./support/hazard')

const panics = async h => {
  const settled = () => h.idle()
  const seen = { right: 0, internal: 0 }
  const hashes = new Set()
  for (let i = 0; i < 200; i++) {
    await h.hashed(h.sample(300, 300)).then(hash => { hashes.add(hash); seen.right++ }, error => {
      h.assert.equal(error.code, 'ERR_SLUICE_INTERNAL')
      h.assert.match(error.message, /panic: injected/)
      seen.internal++
    })
  }
  h.assert.equal(hashes.size, 1)
  h.count('encodes that were right', seen.right)
  h.count('panics reported', seen.internal)
  await settled()
  const { streams, slabs, goroutines } = await h.sluice.stats()
  h.assert.deepEqual([streams, slabs], [0, 0])
  h.assert.ok(goroutines < 20, `${goroutines} goroutines`)
}

hazard('a panic in an encoder', { build: 'panic', control: 'norecover' }, panics)

hazard('sizes that no memory holds', {}, async h => {
  const base = await h.baseline()
  const { sluice } = h
  const data = Buffer.alloc(100)
  for (const size of [0, -1, 0.5, 1e5, 1e6, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, Infinity, NaN]) {
    for (const [width, height] of [[size, size], [size, 1], [1, size]]) {
      for (const format of h.formats()) {
        const codes = /^ERR_SLUICE_(LIMIT|INPUT|OPTION)$/
        await h.assert.rejects(sluice.encode({ data, width, height }, { format }), error => codes.test(error.code))
        const source = sluice.image({ width, height })
        const job = sluice.encode(source, { format })
        source.write(data).catch(() => {})
        source.end()
        await h.assert.rejects(job, error => codes.test(error.code))
        h.count('refused', 2)
      }
    }
  }
  for (const stride of [-1, 1, 2 ** 40, 2 ** 62, 1e300]) {
    await h.assert.rejects(sluice.encode({ data, width: 5, height: 5, stride }), { name: 'SluiceError' })
    h.count('refused')
  }
  for (const chunkSize of [2 ** 30]) {
    h.assert.ok((await sluice.encodeChunked({ data, width: 5, height: 5 }, chunkSize, () => {}).done).bytes > 0)
    h.count('huge chunks')
  }
  await base.settled()
})

hazard('an image of 12000 × 10000 that is aborted', {}, async h => {
  const base = await h.baseline()
  const source = h.sluice.image({ width: 12000, height: 10000 })
  const job = h.sluice.encodeChunked(source, 65536, () => {})
  const rows = Buffer.alloc(12000 * 4 * 50, 77)
  for (let i = 0; i < 10; i++) await source.write(rows)
  job.abort()
  await h.assert.rejects(job.done, { code: 'ABORT_ERR' })
  h.count('streams aborted')
  await base.settled()
})
