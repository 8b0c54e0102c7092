'use strict'

// How long the event loop stands still while Go encodes: measured, with the mailbox and without it. What must hold is held
// against other encoders by the benchmarks; here only that it was measured.

const { test } = require('node:test')
const assert = require('node:assert/strict')

const { run } = require('./support/hazard')

const measure = async (h, { ms }) => {
  const { monitorEventLoopDelay } = require('node:perf_hooks')
  await h.baseline()
  const work = [h.work(2, { source: h.sample(1500, 1000), chunkSize: 65536 }), h.work(2, { source: h.sample(64, 64) })]
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let longest = 0
  delay.enable()
  const end = Date.now() + ms
  while (Date.now() < end) {
    const started = performance.now()
    h.sluice.encodeChunked(h.sample(8, 8), 1024, () => {})
    longest = Math.max(longest, performance.now() - started)
    h.count('calls')
    await h.turn()
  }
  delay.disable()
  h.count('delay p99, µs', Math.round(delay.percentile(99) / 1000))
  h.count('longest call, µs', Math.round(longest * 1000))
  await Promise.all(work.map(work => work.stop()))
}

test('the event loop while Go encodes', { timeout: 120_000 }, async t => {
  for (const build of [undefined, 'direct']) {
    const { end, counts, stderr } = await run(measure, { build, parameters: { ms: 2000 } })
    assert.equal(end, 0, stderr)
    t.diagnostic(`${build === undefined ? 'calls by the mailbox' : 'calls by the JavaScript thread'}: ${JSON.stringify(counts)}`)
    assert.ok(counts.calls > 0)
  }
})
