'use strict'

// V8's own signals: SIGPROF of the profiler, SIGSEGV of WebAssembly.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after } = require('node:test')

const { hazard } = require('./support/hazard')

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-'))
after(() => fs.rmSync(folder, { recursive: true }))

const busy = async h => {
  const base = await h.baseline()
  const work = h.work(4)
  await h.sleep(1500)
  await work.stop()
  await base.settled()
}

hazard('--cpu-prof', { flags: ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${folder}`] }, busy)
hazard('--inspect', { flags: ['--inspect=0'] }, busy)

hazard('the profiler of the inspector', {}, async h => {
  const { Session } = require('node:inspector/promises')
  const base = await h.baseline()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  const work = h.work(4)
  for (let i = 0; i < 5; i++) {
    await session.post('Profiler.start')
    await h.sleep(200)
    const { profile } = await session.post('Profiler.stop')
    h.count('samples', profile.samples.length)
  }
  session.disconnect()
  await work.stop()
  await base.settled()
})

hazard('WebAssembly that traps', { control: undefined }, async h => {
  // (module (memory 1) (func (export "load") (param i32) (result i32) local.get 0 i32.load))
  const code = Buffer.from('0061736d0100000001060160017f017f0302010005030100010708010' + '46c6f61640000' + '0a0901070020002802000b', 'hex')
  const { load } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports
  const base = await h.baseline()
  const work = h.work(4)
  const end = Date.now() + 1500
  while (Date.now() < end) {
    for (let i = 0; i < 200; i++) {
      h.assert.throws(() => load(0x7fffffff), WebAssembly.RuntimeError)
      h.count('traps')
    }
    await h.turn()
  }
  await work.stop()
  await base.settled()
})
