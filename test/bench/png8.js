'use strict'

// PNG of 256 and of 64 colours: how close to the pixels, how many bytes, and the processor time as a share of node-mapnik's
// png8:m=h. Exits with 1 where sluice is not as close as node-mapnik and pngquant, or takes more time than it may.
//
//   node test/bench/png8.js [--rounds N] [--json FILE]
//
// CORPUS names a folder of images (images.js says of which shape), IMAGE chooses among the names in it. --rounds 0 measures no
// time. pngquant (speed 4) takes part when it is installed; it reads and writes a PNG, so its time would say little.

const os = require('node:os')
const { spawnSync } = require('node:child_process')
const { geometricMean, median } = require('simple-statistics')
const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')
const { encode } = require('sluice')
const { entries, read } = require('./images')
const { makeImages } = require('./default-images')
const { options, interleave, table, save } = require('./measure')
const { classOf } = require('./png-summary')

const ours = 'sluice'
const base = 'node-mapnik m=h'
const pngquant = 'pngquant speed 4'
/** What processor time sluice may take, as a share of the base's: a geometric mean of each class. */
const most = { cartography: 0.5, overlay: 0.5, relief: 1, photo: 1, tiles: 1 }
/** Uniform noise has no palette to be found. */
const exempt = 'noise'

async function main () {
  const { rounds, json: file = process.env.BENCH_JSON } = options(7)
  const folder = process.env.CORPUS === undefined ? await makeImages() : process.env.CORPUS
  const quant = spawnSync('pngquant', ['--version']).status === 0
  if (!quant) console.error(`${pngquant} is not measured: it is not installed`)
  sharp.concurrency(1)
  sharp.cache(false)
  const images = []
  for (const entry of entries(folder)) {
    const group = entry.class ?? classOf(entry.name)
    if (group === undefined) continue
    for (const colors of [256, 64]) {
      const image = await measure(read(folder, entry), colors, rounds, quant)
      images.push({ name: entry.name, class: group, colors, ...image })
      print(images.at(-1))
    }
  }
  if (images.length === 0) throw new Error('no image was measured')
  const failed = judge(images)
  save(file, { bench: 'png8', cpu: os.cpus()[0].model, base, rounds, images })
  process.exitCode = failed ? 1 : 0
}

async function measure (pixels, colors, rounds, quant) {
  const { width, height } = pixels
  const image = mapnik.Image.fromBufferSync(width, height, Buffer.from(pixels.data), { premultiplied: Boolean(pixels.premultiplied) })
  if (pixels.premultiplied) image.demultiplySync()
  const data = Buffer.from(image.data())
  const byMapnik = (format) => () => new Promise((resolve, reject) => image.encode(format, (error, png) => error ? reject(error) : resolve(png)))
  const cases = {
    [ours]: () => encode(pixels, { format: 'png8', colors }),
    [base]: byMapnik(`png8:m=h:c=${colors}`),
    'node-mapnik m=o': byMapnik(`png8:m=o:c=${colors}`)
  }
  // sharp's numbers of colours are those of a depth.
  if (colors === 256) cases['sharp palette'] = () => sharp(data, { raw: { width, height, channels: 4 } }).png({ palette: true, dither: 0 }).toBuffer()
  const outputs = {}
  for (const [name, run] of Object.entries(cases)) outputs[name] = await run()
  outputs['sluice dither 0.75'] = await encode(pixels, { format: 'png8', colors, dither: 0.75 })
  if (quant) outputs[pngquant] = byPngquant(await image.encodeSync('png32'), colors)
  const reference = pixels.premultiplied ? pixels.data : premultiplied(data)
  const figures = {}
  for (const [name, png] of Object.entries(outputs)) {
    figures[name] = { decibels: psnr(reference, premultiplied(await sharp(png).ensureAlpha().raw().toBuffer())), bytes: png.length }
  }
  const times = rounds > 0 ? await interleave(Object.fromEntries(Object.entries(cases).map(([name, run]) => [name, timed(run, width * height)])), rounds) : {}
  for (const [name, samples] of Object.entries(times)) figures[name].cpuMs = median(samples)
  for (const name of Object.keys(times)) figures[name].share = figures[name].cpuMs / figures[base].cpuMs
  return { encoders: figures }
}

/** Processor time of all threads; small images several times over, or the clock's steps would show. */
function timed (run, pixels) {
  const times = Math.max(1, Math.min(20, Math.round(500000 / pixels)))
  return async () => {
    const before = process.cpuUsage()
    for (let i = 0; i < times; i++) await run()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / times
  }
}

function byPngquant (png, colors) {
  const { stdout, status, stderr } = spawnSync('pngquant', ['--speed', '4', '--nofs', String(colors), '-'], { input: png, maxBuffer: 1 << 30 })
  if (status !== 0) throw new Error(`pngquant: ${stderr}`)
  return stdout
}

function premultiplied (data) {
  const out = Buffer.alloc(data.length)
  for (let i = 0; i < data.length; i += 4) {
    const a = data[i + 3]
    for (let j = i; j < i + 3; j++) out[j] = Math.round(data[j] * a / 255)
    out[i + 3] = a
  }
  return out
}

/** In dB, of premultiplied samples and alpha; 99.99 for equal ones. */
function psnr (a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2
  return sum === 0 ? 99.99 : 10 * Math.log10(255 ** 2 * a.length / sum)
}

function print ({ name, colors, encoders }) {
  table(`${name}, ${colors} colours`, ['', 'PSNR dB', 'bytes', 'cpu ms', `of ${base}`],
    Object.entries(encoders).map(([encoder, { decibels, bytes, cpuMs, share }]) => [encoder, decibels, bytes, cpuMs ?? '', share ?? '']))
}

// dB from which nobody sees a difference: the search for a palette ends there, so a peer that goes on is not held against it.
const invisible = 68

/** Prints what is to be reached; whether some of it is not. */
function judge (images) {
  const rows = []
  for (const { name, class: group, colors, encoders } of images) {
    if (group === exempt) continue
    const own = encoders[ours].decibels
    const peers = Math.min(Math.max(encoders[base].decibels, encoders[pngquant]?.decibels ?? 0), invisible)
    rows.push([`${name}, ${colors}: PSNR`, `>= ${peers.toFixed(2)}`, own, own >= peers - 0.005 ? 'yes' : 'NO'])
  }
  for (const [group, limit] of Object.entries(most)) {
    const shares = images.filter((image) => image.class === group && image.encoders[ours].share !== undefined).map(({ encoders }) => encoders[ours].share)
    if (shares.length === 0) continue
    const mean = geometricMean(shares)
    rows.push([`${group}, ${shares.length} cases: share of ${base}'s processor time`, `<= ${limit}`, mean, mean <= limit ? 'yes' : 'NO'])
  }
  table('To reach', ['', 'target', 'measured', ''], rows)
  return rows.some((row) => row.at(-1) === 'NO')
}

main()
