'use strict'

// Features as GML and GeoJSON: out of the encoder and over HTTP (loopback, the client a process of its own), next to template
// literals or JSON.stringify and, where it is installed, ogr2ogr; and how late the event loop of the server is meanwhile. Give
// points, roads or million to measure only these.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { fork, spawn } = require('node:child_process')
const { once } = require('node:events')
const { json } = require('node:stream/consumers')
const { encode, encodeChunked } = require('sluice')
const { batchesOf, sets, sourceOf } = require('./features-data')
const { hasOgr, toFlatGeobuf } = require('./features-peers')
const { interleave, median, options, save, table } = require('./measure')

const formats = ['gml32', 'geojson']
const writers = ['sluice', 'sluice from rows', 'strings', ...hasOgr() ? ['ogr2ogr'] : []]
const target = { encoder: 500, ogr: 5, delay: 10 } // MB/s of a processor, times, ms

/** {bytes, ms, encodeMs} of one encode whose chunks are dropped. */
async function direct (format, batches) {
  const { bytes, totalMs, encodeMs } = await encodeChunked(sourceOf(format, batches), { chunkSize: 65536 }, () => {}).done
  return { bytes, ms: totalMs, encodeMs }
}

/** {FORMAT: {WRITER: [{bytes, firstByteMs, totalMs, delay: {p99, most}}]}} */
async function overHttp (set, file, rounds, warmup) {
  const urls = {}
  const delays = {}
  const servers = []
  for (const writer of writers) { // one after the other, so that they do not make their rows at once
    const server = fork(path.join(__dirname, 'features-server.js'), [writer, set, file])
    servers.push(server)
    const [{ port }] = await once(server, 'message')
    for (const format of formats) urls[`${format}, ${writer}`] = `http://127.0.0.1:${port}/${format}`
    server.on('message', ({ format, delay }) => (delays[`${format}, ${writer}`] ??= []).push(delay))
  }
  const client = spawn(process.execPath, [path.join(__dirname, 'client.js')], { stdio: ['pipe', 'pipe', 'inherit'] })
  client.stdin.end(JSON.stringify({ urls, rounds, warmup }))
  const samples = await json(client.stdout)
  for (const server of servers) server.kill()
  return Object.fromEntries(formats.map(format => [format, Object.fromEntries(writers.map(writer => {
    const name = `${format}, ${writer}`
    return [writer, samples[name].map((sample, i) => ({ ...sample, delay: delays[name][warmup + i] }))]
  }))]))
}

async function measure (title, set, rounds, warmup, folder) {
  const batches = batchesOf((await sets[set]())())
  const count = batches.reduce((sum, { length }) => sum + length, 0)
  const file = path.join(folder, 'input.fgb')
  if (hasOgr()) toFlatGeobuf(await encode(sourceOf('geojson', batches)), file)
  const encoder = await interleave(Object.fromEntries(formats.map(format => [format, () => direct(format, batches)])), Math.max(3, rounds), 1)
  const answers = await overHttp(set, file, rounds, warmup)
  fs.rmSync(file, { force: true })
  print(title, count, rounds, encoder, answers)
  return { title, features: count, encoder, answers }
}

const middle = (list, value) => median(list.map(value))

function print (title, count, rounds, encoder, answers) {
  const runs = rounds === 1 ? 'one run' : `medians of ${rounds} interleaved runs`
  table(`${title}: out of the encoder, medians of ${encoder.gml32.length} interleaved runs`, ['format', 'MB', 'MB/s', 'MB/s of computing'], formats.map(format => [format,
    middle(encoder[format], ({ bytes }) => bytes / 1e6), middle(encoder[format], ({ bytes, ms }) => bytes / ms / 1000), computing(encoder[format])]))
  const rows = formats.flatMap(format => Object.entries(answers[format]).map(([writer, list]) => {
    const ms = middle(list, ({ totalMs }) => totalMs)
    return [`${format}, ${writer}`, middle(list, ({ bytes }) => bytes / 1e6), middle(list, ({ bytes, totalMs }) => bytes / totalMs / 1000), middle(list, ({ firstByteMs }) => firstByteMs), ms,
      Math.round(count / ms * 1000), timesOgr(answers[format], writer) ?? '–', middle(list, ({ delay }) => delay.p99), middle(list, ({ delay }) => delay.most)]
  }))
  table(`${title}: over HTTP, ${runs}`, ['format, writer', 'MB', 'MB/s', 'first byte ms', 'total ms', 'features/s', 'to ogr2ogr', 'loop delay p99 ms', 'at most ms'], rows)
  for (const format of formats) {
    const late = middle(answers[format].sluice, ({ delay }) => delay.p99)
    const speed = computing(encoder[format])
    const times = timesOgr(answers[format], 'sluice')
    const verdicts = [`encoder ${Math.round(speed)} MB/s: ${verdict(speed >= target.encoder)}`, `event loop ${late.toFixed(1)} ms: ${verdict(late < target.delay)}`]
    if (times !== undefined) verdicts.push(`${times.toFixed(1)} times as fast as ogr2ogr: ${verdict(times >= target.ogr)}`)
    console.log(`  ${format}: ${verdicts.join(', ')}`)
  }
}

const computing = list => middle(list, ({ bytes, encodeMs }) => bytes / encodeMs / 1000)
const verdict = isMet => isMet ? 'met' : 'MISSED'

/** How many times the features that ogr2ogr sends in a time. */
function timesOgr ({ ogr2ogr, ...others }, writer) {
  if (ogr2ogr === undefined) return undefined
  return median(ogr2ogr.map(({ totalMs }) => totalMs)) / median((others[writer] ?? ogr2ogr).map(({ totalMs }) => totalMs))
}

async function main () {
  const { rounds, json: output, only } = options(5)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-'))
  const results = []
  const tables = {
    points: () => measure('100,000 points', 'points', rounds, 1, folder),
    roads: () => measure('97,180 roads: Montevideo and Astana, 4 times', 'roads', rounds, 1, folder),
    million: () => measure('1,000,000 points', 'million', Math.ceil(rounds / 5), 0, folder) // long runs warm themselves
  }
  try {
    for (const [name, run] of Object.entries(tables)) if (only.length === 0 || only.includes(name)) results.push(await run())
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
  console.log(`  targets: ${target.encoder} MB/s of computing on one core, p99 of the event loop's delay under ${target.delay} ms, ${target.ogr} times as fast as ogr2ogr`)
  save(output, { bench: 'features', results })
}

main()
