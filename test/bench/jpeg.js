'use strict'

// JPEG encoders against each other, on one processor and on two: time, bytes, and how early the first chunk is ready. Every image is
// measured in a process of its own per number of processors and, where the processor has AVX-512, with it and without; encoders
// take turns in random order. libjpeg-turbo itself takes part where its headers are installed (libturbojpeg0-dev): in C, and beside
// it this library in C, so that the encoders are compared without what Node adds.
//
//   node test/bench/jpeg.js [--rounds N] [--json FILE]
//
// CORPUS names a folder of images (images.js says of which shape), IMAGE chooses among the names in it; BENCH_JSON is as --json.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { json } = require('node:stream/consumers')
const { entries, read } = require('./images')
const { makeImages } = require('./default-images')
const { options, table, save, median } = require('./measure')
const { processors } = require('./processors')

const chunkSize = 4096 // bytes, for the time to the first chunk
const reference = 'libjpeg-turbo in C'
const native = 'sluice in C'

/** Compiles the C program; null where that is not possible. */
function compile () {
  const root = path.join(__dirname, '../..')
  const program = path.join(root, 'build/bench/jpeg')
  const library = path.join(root, 'prebuilds', `${process.platform}-${process.arch}`)
  fs.mkdirSync(path.dirname(program), { recursive: true })
  const { status } = spawnSync('cc', ['-std=c11', '-O2', `-I${root}/include`, '-o', program, path.join(__dirname, 'jpeg.c'),
    `-L${library}`, `-Wl,-rpath,${library}`, '-lsluice', '-lturbojpeg'])
  if (status !== 0) console.error('libjpeg-turbo is not measured: apt-get install libturbojpeg0-dev')
  return status === 0 ? program : null
}

/** What Go is told for each kind of vectors. */
function vectors () {
  const flags = fs.readFileSync('/proc/cpuinfo', 'utf8')
  return /\bavx512_vbmi2\b/.test(flags) ? { 'AVX-512': {}, AVX2: { GODEBUG: 'cpu.avx512f=off' } } : { AVX2: {} }
}

async function measure (request, cpus, environment) {
  const one = cpus.length === 1 && { GOMAXPROCS: '1', UV_THREADPOOL_SIZE: '1' }
  const worker = spawn('taskset', ['-c', cpus.join(','), process.execPath, path.join(__dirname, 'jpeg-worker.js')],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...one, ...environment } })
  worker.stdin.end(JSON.stringify({ ...request, cores: cpus.length }))
  const [results, [code]] = await Promise.all([json(worker.stdout).catch(() => undefined), once(worker, 'close')])
  if (code !== 0 || results === undefined) throw new Error(`measuring ${request.entry.name} failed`)
  return results
}

/** {case: {encoder: {bytes, ms, leastMs, cpuMs, ratio, firstChunk}}}: ratio is of medians, to libjpeg-turbo or else to node-mapnik. */
function figures (results) {
  return Object.fromEntries(Object.entries(results).map(([title, all]) => {
    const figure = Object.fromEntries(Object.entries(all).map(([name, { bytes, encodes, chunked }]) => [name, {
      bytes,
      ms: median(encodes.map(({ ms }) => ms)),
      leastMs: Math.min(...encodes.map(({ ms }) => ms)),
      cpuMs: median(encodes.map(({ cpuMs }) => cpuMs)),
      firstChunk: chunked && median(chunked.map(({ first, total }) => first / total))
    }]))
    const base = figure[reference] ?? figure['node-mapnik']
    for (const each of Object.values(figure)) {
      each.ratio = base ? each.ms / base.ms : NaN
      each.leastRatio = base ? each.leastMs / base.leastMs : NaN
    }
    return [title, figure]
  }))
}

/** Times of libjpeg-turbo's on one core that are to be reached, by vectors: megapixels and tiles, on one core and on two. */
const limits = { AVX2: { large: { 1: 0.85, 2: 0.48 }, tile: { 1: 0.95 } }, 'AVX-512': { large: { 1: 0.65, 2: 0.38 }, tile: { 1: 0.78 } } }
const againstMapnik = { 1: 1.6, 2: 2.8 } // times as fast, at least
const firstChunk = 0.04 // of the encode, at most, from a megapixel on

function targets (runs) {
  const rows = []
  const row = ({ image, vectors, cores, title }, what, target, value, ok) => rows.push([image, vectors, String(cores), title, what, target, value.toFixed(3), ok ? 'met' : 'MISSED'])
  for (const run of runs) {
    const { sluice, ...others } = run.figures
    const large = run.pixels >= 9e5
    // libjpeg-turbo uses one core: its median on one is what both numbers of cores are held against
    const one = runs.find(({ image, vectors, cores, title }) => image === run.image && vectors === run.vectors && cores === 1 && title === run.title).figures
    const limit = limits[run.vectors][large ? 'large' : 'tile'][run.cores]
    if (one[reference] && limit) {
      const share = others[native].ms / one[reference].ms
      row(run, 'time of libjpeg-turbo, in C', `<= ${limit}`, share, share <= limit)
    }
    if (others['node-mapnik'] && large) {
      const speed = one['node-mapnik'].ms / sluice.ms
      row(run, 'speed of node-mapnik', `>= ${againstMapnik[run.cores]}`, speed, speed >= againstMapnik[run.cores])
    }
    if (large) row(run, 'first chunk', `<= ${firstChunk}`, sluice.firstChunk, sluice.firstChunk <= firstChunk)
  }
  return rows
}

function isOpaque ({ data }) {
  for (let i = 3; i < data.length; i += 4) {
    if (data[i] !== 255) return false
  }
  return true
}

async function main () {
  const { rounds, json: file = process.env.BENCH_JSON } = options(15)
  const folder = process.env.CORPUS === undefined ? await makeImages() : process.env.CORPUS
  const program = compile()
  const runs = []
  for (const entry of entries(folder)) {
    const { name, width, height } = entry
    const pixels = width * height
    if (pixels < 2 ** 16 || !isOpaque(read(folder, entry))) continue
    for (const [kind, environment] of Object.entries(vectors())) {
      for (const cpus of processors()) {
        const enough = pixels > 4e6 ? Math.max(3, Math.round(rounds / 3)) : pixels < 3e5 ? 5 * rounds : rounds
        const all = figures(await measure({ folder, entry, chunkSize, program, rounds: enough }, cpus, environment))
        for (const [title, each] of Object.entries(all)) runs.push({ image: name, pixels, vectors: kind, cores: cpus.length, title, figures: each })
        table(`${name}, ${width}x${height}, ${kind}, ${cpus.length} core${cpus.length > 1 ? 's' : ''}: ratios of time to ${program ? reference : 'node-mapnik'}`,
          ['', '', 'ms', 'least', 'cpu', 'ratio', 'of least', 'first chunk', 'KB'],
          Object.entries(all).flatMap(([title, each]) => Object.entries(each).map(([encoder, { ms, leastMs, cpuMs, ratio, leastRatio, firstChunk, bytes }]) =>
            [title, encoder, ms, leastMs, cpuMs, ratio, leastRatio, firstChunk === undefined ? '' : `${(100 * firstChunk).toFixed(1)} %`, (bytes / 1000).toFixed(1)])))
      }
    }
  }
  if (runs.length === 0) throw new Error('no image was measured')
  table('To reach', ['image', 'vectors', 'cores', 'case', 'what', 'target', 'measured', ''], targets(runs))
  save(file, { bench: 'jpeg', cpu: os.cpus()[0].model, rounds, runs })
}

main()
