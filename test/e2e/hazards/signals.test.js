'use strict'

// Signals. Node's handlers run without an alternate stack, so they must never run on a goroutine's. Small images make many
// young goroutines, whose stacks are small: that is what makes the control fail.

const { hazard } = require('./support/hazard')

const names = ['SIGUSR2', 'SIGHUP', 'SIGWINCH', 'SIGTERM', 'SIGINT', 'SIGALRM', 'SIGVTALRM', 'SIGIO', 'SIGPWR']

for (const how of ['process', 'threads']) {
  for (const when of ['before', 'after']) {
    hazard(`signals to the ${how}, handlers registered ${when} loading`, {
      parameters: { how, when, names, ms: 2500 },
      // Handlers that exist when Go starts get SA_ONSTACK from Go itself, so that case needs no guard of ours. And Linux gives
      // a signal for the process to the main thread if it can: few meet a goroutine, so that only the count is printed.
      control: when === 'after' ? 'no-mask' : undefined,
      ...(how === 'process' ? { runs: 4, least: 0 } : {})
    }, async (h, { how, when, names, ms }) => {
      const listen = () => { for (const name of names) process.on(name, () => h.count('signals handled')) }
      if (when === 'before') listen()
      const base = await h.baseline()
      if (when === 'after') listen()
      const work = h.work(32, { source: h.sample(64, 64) })
      const flood = h.flood(how, names)
      await h.sleep(ms)
      await flood.stop()
      await work.stop()
      await base.settled()
    })
  }
}

// Go leaves these unblocked on its threads, whatever the mask says. Handlers that exist when Go starts get SA_ONSTACK from Go.
for (const when of ['before', 'after']) {
  hazard(`SIGPROF, SIGTRAP and SIGSTKFLT, handlers registered ${when} loading`, {
    parameters: { when, names: ['SIGPROF', 'SIGTRAP', 'SIGSTKFLT'], ms: 2500 },
    control: when === 'after' ? 'no-check' : undefined
  }, async (h, { when, names, ms }) => {
    const listen = () => { for (const name of names) process.on(name, () => h.count(`${name} handled`)) }
    if (when === 'before') listen()
    const base = await h.baseline()
    if (when === 'after') listen()
    const work = h.work(32, { source: h.sample(64, 64) })
    const floods = [h.flood('threads', [...names, ...names, ...names]), h.flood('process', names)]
    await h.sleep(ms)
    for (const flood of floods) await flood.stop()
    await work.stop()
    await base.settled()
    h.assert.equal(Object.keys(h.counts).filter(name => name.endsWith(' handled')).length, names.length)
  })
}

hazard('a handler removed and registered again under a flood', { parameters: { names: ['SIGWINCH'] } }, async (h, { names }) => {
  const base = await h.baseline() // SIGWINCH, because without a handler it does nothing
  const work = h.work(16, { source: h.sample(64, 64) })
  const flood = h.flood('threads', names)
  for (let i = 0; i < 300; i++) {
    process.on('SIGWINCH', () => h.count('signals handled'))
    h.count('handlers registered')
    await h.sleep(2)
    process.removeAllListeners('SIGWINCH')
    await h.turn()
  }
  await flood.stop()
  await work.stop()
  await base.settled()
})
