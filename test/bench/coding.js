'use strict'

// Content codings against Node's zlib on the same bytes: real roads as GML, GeoJSON and Arrow through bytes(), wall time from the
// first write to the last chunk. Node's coders get the same parts through their streams, as a server would use them.

const { once } = require('node:events')
const zlib = require('node:zlib')
const { bytes, encodeChunked } = require('sluice')
const { roadBytes } = require('./roads')
const { options, interleave, table, save, median } = require('./measure')

const part = 65536 // bytes
const targets = { speed: 2, bytes: 1.03 } // gzip against zlib's 6
const brotli = quality => () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: quality } })
const nodes = { 'zlib 1': () => zlib.createGzip({ level: 1 }), 'zlib 6': () => zlib.createGzip({ level: 6 }), 'br 1': brotli(1), 'br 4': brotli(4) }
const ours = ['identity', 'zstd', 'gzip', 'deflate']
const base = 'zlib 6'

async function code (data, coding) {
  const start = performance.now()
  const source = bytes()
  let length = 0
  const job = encodeChunked(source, { coding }, (err, chunk) => { if (!err) length += chunk.length })
  for (let at = 0; at < data.length; at += part) await source.write(data.subarray(at, at + part))
  source.end()
  await job.done
  return { ms: performance.now() - start, bytes: length }
}

async function codeByNode (data, make) {
  const start = performance.now()
  const coder = make()
  let length = 0
  coder.on('data', chunk => { length += chunk.length })
  const end = once(coder, 'end')
  for (let at = 0; at < data.length; at += part) {
    if (!coder.write(data.subarray(at, at + part))) await once(coder, 'drain')
  }
  coder.end()
  await end
  return { ms: performance.now() - start, bytes: length }
}

async function main () {
  const { rounds, json } = options(7)
  const results = {}
  let missed = false
  for (const [kind, data] of Object.entries(await roadBytes())) {
    const cases = Object.fromEntries([
      ...ours.map(name => [name, () => code(data, name)]),
      ...Object.entries(nodes).map(([name, make]) => [name, () => codeByNode(data, make)])
    ])
    const samples = await interleave(cases, rounds, 1)
    const rows = Object.fromEntries(Object.entries(samples).map(([name, all]) => {
      const ms = median(all.map(one => one.ms))
      return [name, { ms, bytes: all[0].bytes, speed: data.length / 1e3 / ms }]
    }))
    table(`${kind}: ${(data.length / 1e6).toFixed(1)} MB, medians of ${rounds} interleaved runs`,
      ['', 'MB/s', `speed to ${base}`, 'bytes', 'of the input', `bytes to ${base}`],
      Object.entries(rows).map(([name, row]) => [name, row.speed, rows[base].ms / row.ms, row.bytes, row.bytes / data.length, row.bytes / rows[base].bytes]))
    const { gzip, zstd } = rows
    for (const [what, met] of [
      [`gzip at least ${targets.speed} times as fast as ${base}`, gzip.speed >= targets.speed * rows[base].speed],
      [`gzip at most ${targets.bytes} times its bytes`, gzip.bytes <= targets.bytes * rows[base].bytes],
      ['zstd faster than gzip', zstd.speed > gzip.speed],
      ['zstd smaller than gzip', zstd.bytes < gzip.bytes]
    ]) {
      console.log(`  target: ${what}: ${met ? 'met' : 'MISSED'}`)
      missed ||= !met
    }
    results[kind] = { length: data.length, samples }
  }
  if (missed) process.exitCode = 1
  save(json, { bench: 'coding', results })
}

main()
