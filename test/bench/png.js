'use strict'

// PNG encoders against each other, on one processor and on two: speed, bytes, and how early the first chunk is ready. Every image is
// measured in a process of its own per number of processors, in which encoders take turns in random order.
//
//   node test/bench/png.js [--rounds N] [--json FILE]
//
// CORPUS names a folder of images (images.js says of which shape), IMAGE chooses among the names in it; BENCH_JSON is as --json.

const os = require('node:os')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { json } = require('node:stream/consumers')
const { entries } = require('./images')
const { makeImages } = require('./default-images')
const { options, table, save } = require('./measure')
const { processors } = require('./processors')
const { base } = require('./png-encoders')
const { classOf, figures, summarize, classes } = require('./png-summary')
const { targets, markdown } = require('./png-targets')

const chunkSize = 4096 // bytes, for the time to the first chunk

async function measure (request, cpus) {
  const one = cpus.length === 1 && { GOMAXPROCS: '1', UV_THREADPOOL_SIZE: '1' }
  const worker = spawn('taskset', ['-c', cpus.join(','), process.execPath, path.join(__dirname, 'png-worker.js')],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...one } })
  worker.stdin.end(JSON.stringify({ ...request, cores: cpus.length }))
  const [results, [code]] = await Promise.all([json(worker.stdout).catch(() => undefined), once(worker, 'close')])
  if (code !== 0 || results === undefined) throw new Error(`measuring ${request.entry.name} failed`)
  return results
}

// Small images are quick to encode but their times vary more; large ones the other way round.
function roundsFor ({ width, height }, rounds) {
  const pixels = width * height
  if (pixels <= 2 ** 18) return { rounds: 5 * rounds, slowRounds: rounds }
  if (pixels > 4e6) return { rounds: Math.max(2, Math.round(rounds / 3)), slowRounds: Math.min(2, rounds) }
  return { rounds, slowRounds: Math.max(Math.min(2, rounds), Math.round(rounds / 3)) }
}

function printImage ({ name, class: group, width, height, encoders }) {
  table(`${name}, ${width}x${height}, ${group}: ratios are to ${base}`,
    ['', '1 core ms', 'least', 'cpu', 'speed', 'first chunk', '2 cores ms', 'least', 'cpu', 'speed', 'first chunk', 'KB', 'bytes'],
    Object.entries(encoders).map(([encoder, { cores, bytes, bytesRatio }]) => [
      encoder,
      ...[1, 2].flatMap((n) => cores[n] ? [cores[n].ms, cores[n].leastMs, cores[n].cpuMs, cores[n].speed, percent(cores[n].firstChunk)] : Array(5).fill('-')),
      (bytes / 1000).toFixed(1), bytesRatio.toFixed(3)]))
}

function printClass (group, { images, encoders }) {
  table(`${group}, geometric means of ${images.length} images: speed by medians of wall time (by the least, by processor time)`,
    ['', '1 core', '', 'first chunk', '2 cores', '', 'first chunk', 'bytes'],
    Object.entries(encoders).map(([encoder, { cores, bytesRatio }]) => [
      encoder,
      ...[1, 2].flatMap((n) => cores[n] ? [cores[n].speed, others(cores[n]), percent(cores[n].firstChunk)] : Array(3).fill('-')),
      bytesRatio.toFixed(3)]))
}

const others = ({ leastSpeed, cpuSpeed }) => `(${leastSpeed.toFixed(2)}, ${cpuSpeed.toFixed(2)})`

const percent = (share) => share === undefined ? '' : `${(100 * share).toFixed(1)} %`

async function main () {
  const { rounds, json: file = process.env.BENCH_JSON } = options(7)
  const folder = process.env.CORPUS === undefined ? await makeImages() : process.env.CORPUS
  const sets = processors()
  const images = []
  for (const entry of entries(folder)) {
    const group = entry.class ?? classOf(entry.name)
    if (group === undefined) continue
    const request = { folder, entry, chunkSize, ...roundsFor(entry, rounds) }
    const samples = {}
    for (const cpus of sets) samples[cpus.length] = await measure(request, cpus)
    const { name, width, height } = entry
    images.push({ name, class: group, width, height, encoders: figures(samples) })
    printImage(images.at(-1))
  }
  if (images.length === 0) throw new Error('no image was measured')
  const summary = summarize(images)
  for (const group of classes) {
    if (summary[group]) printClass(group, summary[group])
  }
  console.log(`\n${markdown(summary)}`)
  table('To reach', ['level', 'against', 'images', 'what', 'target', 'measured', ''], targets(images, summary))
  save(file, { bench: 'png', cpu: os.cpus()[0].model, base, rounds, images, classes: summary })
}

main()
