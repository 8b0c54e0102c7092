'use strict'

// Every image format but PNG of full colour and JPEG, which have benches of their own, against the libraries that can write it:
// time, processor time, bytes, and how much of an encode passes before the first chunk. Libraries take turns in random order.
//
//   node test/bench/formats.js [--rounds N] [--json FILE]
//
// CORPUS names a folder of images (images.js says of which shape), IMAGE chooses among the names in it, FORMAT among the formats, by
// their titles with commas between; BENCH_JSON is as --json. node-canvas takes part where it is installed.

const os = require('node:os')
const { geometricMean, median } = require('simple-statistics')
const mapnik = require('@mapnik/mapnik')
const napi = require('@napi-rs/canvas')
const sharp = require('sharp')
const { encode, encodeChunked } = require('sluice')
const { entries, read } = require('./images')
const { makeImages } = require('./default-images')
const { options, interleave, table, save } = require('./measure')
const { classOf } = require('./png-summary')

const ours = 'sluice'
const chunkSize = 4096 // bytes, for the time to the first chunk
const most = 4e6 // pixels: larger images say the same, and take an hour

/** The first that can write a format is what others are compared with. */
const peers = ['node-mapnik', 'sharp', '@napi-rs/canvas', 'node-canvas']

/**
 * Formats by title: the options of ours, and how each library writes the same. s is a sharp of the pixels, c a canvas; strings are
 * node-mapnik's.
 */
const formats = {
  'tiff deflate': { options: { format: 'tiff' }, 'node-mapnik': 'tiff:compression=adobedeflate', sharp: s => s.tiff({ compression: 'deflate', predictor: 'none' }) },
  'tiff lzw': { options: { format: 'tiff', compression: 'lzw' }, 'node-mapnik': 'tiff:compression=lzw', sharp: s => s.tiff({ compression: 'lzw', predictor: 'none' }) },
  'tiff none': { options: { format: 'tiff', compression: 'none' }, 'node-mapnik': 'tiff:compression=none', sharp: s => s.tiff({ compression: 'none' }) },
  'webp lossy': { options: { format: 'webp', quality: 80 }, 'node-mapnik': 'webp:quality=80', sharp: s => s.webp({ quality: 80 }), canvas: c => c.encode('webp', 80) },
  'webp lossless': { options: { format: 'webp', lossless: true }, 'node-mapnik': 'webp:lossless=1', sharp: s => s.webp({ lossless: true }), canvas: c => c.encode('webp', 100) },
  gif: { options: { format: 'gif' }, sharp: s => s.gif({ dither: 0 }), canvas: c => c.encode('gif') },
  bmp: { options: { format: 'bmp' } },
  png8: { options: { format: 'png8' }, 'node-mapnik': 'png8:m=h', sharp: s => s.png({ palette: true, dither: 0 }) },
  'jpeg-png': { options: { format: 'image/vnd.jpeg-png', quality: 85 }, either: true }
}

/** {library: async () => file} for pixels in a format. */
function writers (format, pixels, inputs) {
  const { native, data, raw, drawn, cairo, opaque } = inputs
  const byMapnik = (string) => () => new Promise((resolve, reject) => native.encode(string, (err, file) => err ? reject(err) : resolve(file)))
  const bySharp = (make) => () => make(sharp(data, { raw })).toBuffer()
  const all = { [ours]: () => encode(pixels, format.options) }
  if (format.either) { // what a server with that library would do, told that the image is opaque or not
    all['node-mapnik'] = byMapnik(opaque ? 'jpeg85' : 'png')
    all.sharp = bySharp(s => opaque ? s.jpeg({ quality: 85 }) : s.png())
    all['@napi-rs/canvas'] = () => opaque ? drawn.encode('jpeg', 85) : drawn.encode('png')
    if (cairo) {
      all['node-canvas'] = () => new Promise((resolve, reject) => cairo.toBuffer((err, file) => err ? reject(err) : resolve(file),
        opaque ? 'image/jpeg' : 'image/png', { quality: 0.85 }))
    }
    return all
  }
  if (format['node-mapnik']) all['node-mapnik'] = byMapnik(format['node-mapnik'])
  if (format.sharp) all.sharp = bySharp(format.sharp)
  if (format.canvas) all['@napi-rs/canvas'] = () => format.canvas(drawn)
  return all
}

/** The pixels as each library likes them. */
function inputsOf ({ data, width, height, premultiplied }) {
  const native = mapnik.Image.fromBufferSync(width, height, Buffer.from(data), { premultiplied: Boolean(premultiplied) })
  if (premultiplied) native.demultiplySync()
  const straight = Buffer.from(native.data())
  const draw = ({ createCanvas, createImageData, ImageData }) => {
    const canvas = createCanvas(width, height)
    const samples = new Uint8ClampedArray(straight)
    canvas.getContext('2d').putImageData(createImageData ? createImageData(samples, width, height) : new ImageData(samples, width, height), 0, 0)
    return canvas
  }
  const nodeCanvas = installed('canvas')
  let opaque = true
  for (let i = 3; i < straight.length && opaque; i += 4) opaque = straight[i] === 255
  return { native, data: straight, raw: { width, height, channels: 4 }, drawn: draw(napi), cairo: nodeCanvas && draw(nodeCanvas), opaque }
}

function installed (name) {
  try {
    return require(name)
  } catch {
    return null
  }
}

/** Time and processor time of all threads; small images several times over, or the clock's steps would show. */
function timed (run, pixels) {
  const times = Math.max(1, Math.min(10, Math.round(300000 / pixels)))
  return async () => {
    const cpu = process.cpuUsage()
    const start = performance.now()
    for (let i = 0; i < times; i++) await run()
    const ms = (performance.now() - start) / times
    const { user, system } = process.cpuUsage(cpu)
    return { ms, cpuMs: (user + system) / 1000 / times }
  }
}

/** The part of an encode's time that passes before its first chunk. */
function firstChunk (pixels, options) {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let first
    encodeChunked(pixels, { ...options, chunkSize }, (err, chunk, last) => {
      if (err) return reject(err)
      first ??= performance.now() - start
      if (last) resolve(first / (performance.now() - start))
    })
  })
}

async function measure (format, pixels, inputs, rounds) {
  const size = pixels.width * pixels.height
  const all = writers(format, pixels, inputs)
  const figures = {}
  const cases = {}
  for (const [name, run] of Object.entries(all)) {
    const start = performance.now()
    figures[name] = { bytes: (await run()).length }
    if (performance.now() - start > 2000) rounds = Math.min(rounds, 3)
    cases[name] = timed(run, size)
  }
  cases.first = () => firstChunk(pixels, format.options)
  const samples = await interleave(cases, rounds, 1)
  const base = peers.find(name => figures[name])
  for (const name of Object.keys(figures)) {
    figures[name].ms = median(samples[name].map(({ ms }) => ms))
    figures[name].cpuMs = median(samples[name].map(({ cpuMs }) => cpuMs))
  }
  for (const figure of Object.values(figures)) {
    if (!base) break
    figure.ratio = figure.ms / figures[base].ms
    figure.cpuRatio = figure.cpuMs / figures[base].cpuMs
    figure.bytesRatio = figure.bytes / figures[base].bytes
  }
  figures[ours].firstChunk = median(samples.first)
  return { base, figures }
}

function print (title, { base, figures }) {
  table(title, ['', 'ms', 'cpu ms', 'KB', ...(base ? [`time of ${base}`, 'cpu', 'bytes'] : []), 'first chunk'],
    Object.entries(figures).map(([name, { ms, cpuMs, bytes, ratio, cpuRatio, bytesRatio, firstChunk }]) =>
      [name, ms, cpuMs, (bytes / 1000).toFixed(1), ...(base ? [ratio, cpuRatio, bytesRatio] : []), firstChunk === undefined ? '' : `${(100 * firstChunk).toFixed(0)} %`]))
}

/** Ours against each library, by format: geometric means of all images. */
function summary (runs) {
  const rows = []
  for (const title of Object.keys(formats)) {
    for (const peer of peers) {
      const both = runs.filter(({ format, figures }) => format === title && figures[peer]).map(({ figures }) => [figures[ours], figures[peer]])
      if (both.length === 0) continue
      rows.push([title, peer, both.length, ...['ms', 'cpuMs', 'bytes'].map(key => geometricMean(both.map(([own, other]) => own[key] / other[key])))])
    }
  }
  table(`${ours}, as a share of each library's`, ['', '', 'images', 'time', 'cpu', 'bytes'], rows)
}

async function main () {
  const { rounds, json: file = process.env.BENCH_JSON } = options(7)
  const folder = process.env.CORPUS === undefined ? await makeImages() : process.env.CORPUS
  const wanted = process.env.FORMAT?.split(',')
  sharp.concurrency(os.availableParallelism())
  sharp.cache(false)
  if (!installed('canvas')) console.error('node-canvas is not measured: it is not installed')
  const runs = []
  for (const entry of entries(folder)) {
    const { name, width, height } = entry
    if ((entry.class ?? classOf(name)) === undefined || width * height > most) continue
    const pixels = read(folder, entry)
    const inputs = inputsOf(pixels)
    for (const [title, format] of Object.entries(formats)) {
      if (wanted && !wanted.includes(title)) continue
      const result = await measure(format, pixels, inputs, rounds)
      print(`${name}, ${width}x${height}: ${title}`, result)
      runs.push({ image: name, format: title, ...result })
    }
  }
  if (runs.length === 0) throw new Error('no image was measured')
  summary(runs)
  save(file, { bench: 'formats', cpu: os.cpus()[0].model, rounds, runs })
}

main()
