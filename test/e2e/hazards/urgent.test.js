'use strict'

// SIGURG, by which Go would interrupt goroutines that run for long, if the library were not linked to leave that. Its handler
// is there all the same until the addon takes it away.

const { hazard } = require('./support/hazard')

for (const when of ['before', 'after']) {
  hazard(`a handler for SIGURG, registered ${when} loading`, { parameters: { when }, control: 'preempt' }, async (h, { when }) => {
    let handled = 0
    const listen = () => process.on('SIGURG', () => handled++)
    if (when === 'before') listen()
    const base = await h.baseline()
    if (when === 'after') listen()
    const work = [h.work(16, { source: h.sample(64, 64) }), h.work(3, { source: h.sample(1000, 1000), format: 'png', level: 'small' })]
    let sent = 0
    const end = Date.now() + 1500
    while (Date.now() < end) {
      process.kill(process.pid, 'SIGURG')
      sent++
      await h.within(1000, h.until(() => handled >= sent, 'SIGURG handled'))
      globalThis.gc()
    }
    await Promise.all(work.map(work => work.stop()))
    h.assert.equal(handled, sent) // neither lost to Go, nor Go's
    h.count('SIGURG', handled)
    await base.settled()
  })
}

hazard('errno of an interrupted thread', { parameters: { ms: 1000 }, control: 'no-restore' }, async (h, { ms }) => {
  process.on('SIGURG', () => h.count('signals handled'))
  const base = await h.baseline()
  const errno = require(h.program('errno.node'))
  const flood = h.flood('threads', ['SIGURG'])
  errno.start()
  await h.sleep(ms)
  h.assert.equal(errno.stop(), 0) // libuv aborts when epoll_pwait, interrupted, leaves anything but EINTR there
  await flood.stop()
  await base.settled()
})

hazard('SIGURG is left as it was', { parameters: {}, control: 'no-restore', runs: 2, least: 2 }, async h => {
  const fs = require('node:fs')
  const caught = () => /^SigCgt:\s*([0-9a-f]+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]
  const isCaught = () => (BigInt('0x' + caught()) >> 22n) % 2n === 1n // bit n - 1 stands for signal n
  h.assert.equal(isCaught(), false)
  const base = await h.baseline()
  h.assert.equal(isCaught(), false)
  h.count('handlers looked up')
  await base.settled()
})
