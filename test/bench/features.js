'use strict'

// Features as GML and GeoJSON: out of the encoder and over HTTP (loopback, the client a process of its own), next to template
// literals or JSON.stringify and, where it is installed, ogr2ogr; and how late the event loop of the server is meanwhile.

const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { json } = require('node:stream/consumers')
const { encode, encodeChunked, encodeStream, features } = require('sluice')
const { batchesOf, columns, network, points } = require('./features-data')
const { byOgr, byStrings, hasOgr, toFlatGeobuf } = require('./features-peers')
const { interleave, median, options, save, table } = require('./measure')

const WARMUP = 2 // of interleave, here and in the client
const target = { encoder: 500, ogr: 5, delay: 10 } // MB/s, times, ms

function sourceOf (format, batches) {
  const source = features({ format, typeName: 't:place', srsName: 'urn:ogc:def:crs:EPSG::4326', axisOrder: 'yx', decimals: 7, id: 'id', columns })
  pushAll(source, batches)
  return source
}

async function pushAll (source, batches) {
  for (const batch of batches) await source.write(batch)
  source.end()
}

/** {bytes, ms, encodeMs} of one encode whose chunks are dropped. */
async function direct (format, batches) {
  const { bytes, totalMs, encodeMs } = await encodeChunked(sourceOf(format, batches), { chunkSize: 65536 }, () => {}).done
  return { bytes, ms: totalMs, encodeMs }
}

/** A server that answers /FORMAT/WRITER, and how late its event loop was during each answer: {server, delays: {url: [ms]}}. */
function serve (rows, batches, file) {
  const writers = {
    sluice: (format, response) => { encodeStream(sourceOf(format, batches), { chunkSize: 65536 }).pipe(response) },
    strings: (format, response) => byStrings(format, rows, response),
    ogr2ogr: (format, response) => byOgr(format, file, response)
  }
  const delays = {}
  const server = http.createServer((request, response) => {
    const [, format, writer] = request.url.split('/')
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    // A writer that never yields is seen by the timers of the turn after it.
    response.on('close', () => setImmediate(() => setImmediate(() => {
      delay.disable()
      ;(delays[request.url] ??= []).push(delay.percentile(99) / 1e6)
    })))
    writers[writer](format, response)
  })
  return { server, delays }
}

async function overHttp (rows, batches, formats, writers, file, rounds) {
  const { server, delays } = serve(rows, batches, file)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${server.address().port}`
  const urls = Object.fromEntries(formats.flatMap(format => writers.map(writer => [`/${format}/${writer}`, `${base}/${format}/${writer}`])))
  const client = spawn(process.execPath, [path.join(__dirname, 'client.js')], { stdio: ['pipe', 'pipe', 'inherit'] })
  client.stdin.end(JSON.stringify({ urls, rounds }))
  const samples = await json(client.stdout)
  server.close()
  return Object.fromEntries(Object.entries(samples).map(([url, list]) => [url, list.map((sample, i) => ({ ...sample, delayMs: delays[url][WARMUP + i] }))]))
}

async function measure (title, rows, rounds, folder) {
  const batches = batchesOf(rows)
  const formats = ['gml32', 'geojson']
  const writers = ['sluice', 'strings', ...hasOgr() ? ['ogr2ogr'] : []]
  const file = path.join(folder, 'input.fgb')
  if (writers.includes('ogr2ogr')) toFlatGeobuf(await encode(sourceOf('geojson', batches)), file)
  const encoder = await interleave(Object.fromEntries(formats.map(format => [format, () => direct(format, batches)])), rounds, WARMUP)
  const answers = await overHttp(rows, batches, formats, writers, file, rounds)
  fs.rmSync(file, { force: true })
  const of = (list, value) => median(list.map(value))
  const rate = url => of(answers[url], ({ bytes, totalMs }) => bytes / totalMs / 1000)
  table(`${title}: out of the encoder, medians of ${rounds} interleaved runs`, ['format', 'MB', 'MB/s', 'MB/s of computing'], formats.map(format => [format,
    of(encoder[format], ({ bytes }) => bytes / 1e6), of(encoder[format], ({ bytes, ms }) => bytes / ms / 1000), of(encoder[format], ({ bytes, encodeMs }) => bytes / encodeMs / 1000)]))
  table(`${title}: over HTTP, medians of ${rounds} interleaved runs`, ['format, writer', 'MB', 'MB/s', 'first byte ms', 'total ms', 'features/s', 'loop delay p99 ms'],
    Object.keys(answers).map(url => [url.slice(1).replace('/', ', '), of(answers[url], ({ bytes }) => bytes / 1e6), rate(url), of(answers[url], ({ firstByteMs }) => firstByteMs),
      of(answers[url], ({ totalMs }) => totalMs), Math.round(rows.length / of(answers[url], ({ totalMs }) => totalMs) * 1000), of(answers[url], ({ delayMs }) => delayMs)]))
  for (const format of formats) {
    const time = writer => of(answers[`/${format}/${writer}`], ({ totalMs }) => totalMs)
    const computing = of(encoder[format], ({ bytes, encodeMs }) => bytes / encodeMs / 1000)
    const late = of(answers[`/${format}/sluice`], ({ delayMs }) => delayMs)
    const verdicts = [`encoder ${Math.round(computing)} MB/s: ${computing >= target.encoder ? 'met' : 'MISSED'}`, `event loop ${late.toFixed(1)} ms: ${late < target.delay ? 'met' : 'MISSED'}`]
    if (writers.includes('ogr2ogr')) verdicts.push(`${(time('ogr2ogr') / time('sluice')).toFixed(1)} times as fast as ogr2ogr: ${time('ogr2ogr') >= target.ogr * time('sluice') ? 'met' : 'MISSED'}`)
    console.log(`  ${format}: ${verdicts.join(', ')}`)
  }
  return { title, features: rows.length, encoder, answers }
}

async function main () {
  const { rounds, json: output } = options(5)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-'))
  const results = []
  try {
    results.push(await measure('100,000 points', points(100_000), rounds, folder))
    results.push(await measure('coasts and borders at 1:10 million, 10 times', network(10), rounds, folder))
    results.push(await measure('1,000,000 points', points(1_000_000), rounds, folder))
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
  console.log(`  targets: ${target.encoder} MB/s of computing on one core, p99 of the event loop's delay under ${target.delay} ms, ${target.ogr} times as fast as ogr2ogr`)
  save(output, { bench: 'features', results })
}

main()
