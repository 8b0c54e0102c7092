'use strict'

// SIGURG, by which Go would interrupt goroutines that run for long, if the library were not linked to leave that.

const { hazard } = require('./support/hazard')

for (const when of ['before', 'after']) {
  hazard(`a handler for SIGURG, registered ${when} loading`, { parameters: { when }, control: 'preempt' }, async (h, { when }) => {
    let handled = 0
    const listen = () => process.on('SIGURG', () => handled++)
    if (when === 'before') listen()
    const base = await h.baseline()
    if (when === 'after') listen()
    const work = [h.work(16, { source: h.sample(64, 64) }), h.work(3, { source: h.sample(1000, 1000), level: 'small' })]
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
