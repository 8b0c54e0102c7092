'use strict'

// How long others wait: a new tile on an idle machine, beside streams that are paused, beside an image of 12000 x 10000 and with
// every slot busy; and how late the event loop is while both sluice and node-mapnik, in turn, keep all processors busy.

const { monitorEventLoopDelay } = require('node:perf_hooks')
const { quantile } = require('simple-statistics')
const mapnik = require('@mapnik/mapnik')
const { encode, encodeChunked } = require('sluice')
const { options, table, save } = require('./measure')

const waits = 5 // times what an idle machine takes, p95: the most that a tile may wait
const delays = 1.2 // times node-mapnik's, p99: the most that the event loop may be late
const parkedStreams = 5000
const busy = 'every slot busy'

/** Areas of flat colour with thin lines, as maps have. */
function map (width, height) {
  const data = Buffer.alloc(width * height * 4, 255)
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height)
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const area = (Math.sin(x / 91) + Math.sin(y / 67) + Math.sin((x + y) / 53)) * 3
      pixels[i] = (area - Math.floor(area) < 0.04 ? 0xff506070 : 0xff000000 | ((Math.floor(area) + 9) * 0x0d0b07 + 0xa0a0a0)) >>> 0
    }
  }
  return { data, width, height }
}

const tile = map(256, 256)

/** The time of one tile after the other, in ms, until enough were measured. */
async function tiles (n) {
  const times = []
  for (let i = 0; i < n; i++) {
    const start = performance.now()
    await encode(tile, {})
    times.push(performance.now() - start)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  return times
}

/** Runs work over and over, n at a time, while measure() runs. */
async function beside (n, work, measure) {
  const state = { running: true }
  const loops = Array.from({ length: n }, async () => { while (state.running) await work() })
  const result = await measure()
  state.running = false
  await Promise.all(loops)
  return result
}

async function besideParked (measure) {
  const pixels = map(600, 400)
  const jobs = []
  await new Promise(resolve => {
    let parked = 0
    for (let i = 0; i < parkedStreams; i++) {
      jobs.push(encodeChunked(pixels, 4096, () => {
        if (++parked === parkedStreams) resolve()
        return false
      }))
    }
  })
  const result = await measure()
  for (const job of jobs) job.abort()
  await Promise.allSettled(jobs.map(job => job.done))
  return result
}

/** How late the event loop is: percentiles in ms. */
async function loopDelay (ms) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await new Promise(resolve => setTimeout(resolve, ms))
  delay.disable()
  return { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6 }
}

async function main () {
  const { rounds, json } = options(200)
  await tiles(20)
  const huge = map(12000, 10000)
  const large = map(1500, 1000)
  const cases = {
    idle: await tiles(rounds),
    [`${parkedStreams} paused streams`]: await besideParked(() => tiles(rounds)),
    'a 12000 x 10000 image': await beside(1, () => encode(huge, { level: 'fastest' }), () => tiles(rounds)),
    [busy]: await beside(4, () => encode(large, {}), () => tiles(rounds))
  }
  const idle = quantile(cases.idle, 0.95)
  table(`A new tile of 256 x 256, from the call to its bytes, ms, ${rounds} each`, ['beside', 'p50', 'p95', 'p95 to idle'],
    Object.entries(cases).map(([name, times]) => [name, quantile(times, 0.5), quantile(times, 0.95), quantile(times, 0.95) / idle]))
  const worst = Math.max(...Object.entries(cases).filter(([name]) => name !== busy).map(([, times]) => quantile(times, 0.95) / idle))
  console.log(`  target: at most ${waits} times idle, but for ${busy}: ${worst <= waits ? 'met' : 'MISSED'}`)

  const image = mapnik.Image.fromBufferSync(large.width, large.height, large.data)
  const theirs = () => new Promise((resolve, reject) => image.encode('png32', (error, bytes) => error ? reject(error) : resolve(bytes)))
  const late = { 'node-mapnik': [], sluice: [] }
  for (let i = 0; i < 5; i++) {
    late['node-mapnik'].push(await beside(4, theirs, () => loopDelay(1000)))
    late.sluice.push(await beside(4, () => encode(large, {}), () => loopDelay(1000)))
  }
  const middle = (name, p) => quantile(late[name].map(delay => delay[p]), 0.5)
  table('How late the event loop is with all processors encoding, ms, medians of 5 interleaved runs of 1 s', ['encoder', 'p50', 'p99'],
    Object.keys(late).map(name => [name, middle(name, 'p50'), middle(name, 'p99')]))
  const ratio = middle('sluice', 'p99') / middle('node-mapnik', 'p99')
  console.log(`  target: p99 at most ${delays} times node-mapnik's: ${ratio.toFixed(2)}, ${ratio <= delays ? 'met' : 'MISSED'}`)
  save(json, { bench: 'latency', cases, late })
}

main()
