'use strict'

// Events that wait for another one, which does not come.

const { hazard } = require('./support/hazard')

hazard('a part that was read when no slab is left', { build: 'starving', control: 'no-lent' }, async h => {
  const { once, EventEmitter } = require('node:events')
  const binding = require(h.root + '/js/binding')
  for (let i = 0; i < 100; i++) {
    const owner = new EventEmitter()
    owner.onEvents = ([kind]) => owner.emit(kind)
    const begins = once(owner, binding.BEGIN)
    const handle = binding.open(owner, '{}', [])
    binding.write(handle, [Buffer.alloc(10)], '')
    binding.grant(handle, Buffer.allocUnsafeSlow(1000), 0) // the chunk comes with what waited for it
    await h.within(2000, begins)
    const drains = once(owner, binding.DRAIN)
    binding.finish(handle) // this stream's way to be told that its part was read
    await h.within(2000, drains)
    h.count('parts read')
    const ends = once(owner, binding.CHUNK)
    binding.grant(handle, Buffer.allocUnsafeSlow(1000), 1000)
    await h.within(2000, ends)
  }
})
