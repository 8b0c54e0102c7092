'use strict'

const sluice = require('../../..')

const turn = () => new Promise(resolve => setImmediate(resolve))

/** Resolves when probe, which may be async, returns something true. The test's own timeout is the limit. */
async function until (probe) {
  for (;;) {
    const found = await probe()
    if (found) return found
    await turn()
  }
}

/** Resolves when no encode lives. */
const idle = () => until(async () => (await sluice.stats()).streams === 0)

const STILL = 150 // ms: an encode that computes does not go so long without taking or giving a slab, even on a loaded machine

/** Resolves when Go has nothing to do but to wait for consumers and parts. */
async function quiet () {
  let before
  let since
  await until(async () => {
    for (let i = 0; i < 20; i++) await turn()
    const { streams, parked, slabs } = await sluice.stats()
    const now = JSON.stringify([streams, parked, slabs])
    if (now !== before) since = performance.now()
    before = now
    return performance.now() - since > STILL
  })
}

module.exports = { turn, until, idle, quiet }
