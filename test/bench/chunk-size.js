'use strict'

// What small chunks cost: 16 MB of PNG at memory speed (level stored), wall time from encodeChunked to the last callback.

const { encodeChunked } = require('sluice')
const { options, interleave, table, save, median } = require('./measure')

const sizes = [256, 512, 1024, 4096, 16384, 65536]
const target = 1.3 // times the wall time of 64 KB chunks, for 256-byte chunks

const side = 2048
const data = Buffer.alloc(side * side * 4)
for (let i = 0, noise = 1; i < data.length; i += 4) {
  noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
  data.writeUInt32LE((noise ^ noise >>> 15) >>> 0, i)
}

function run (chunkSize) {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let bytes = 0
    let chunks = 0
    encodeChunked({ data, width: side, height: side }, { format: 'png', level: 'stored', chunkSize }, (err, chunk, last) => {
      if (err) return reject(err)
      bytes += chunk.length
      chunks++
      if (last) resolve({ ms: performance.now() - start, bytes, chunks })
    })
  })
}

async function main () {
  const { rounds, json } = options(21)
  const samples = await interleave(Object.fromEntries(sizes.map((size) => [size, () => run(size)])), rounds)
  const times = Object.fromEntries(sizes.map((size) => [size, median(samples[size].map(({ ms }) => ms))]))
  const { bytes } = samples[sizes[0]][0]
  table(`Chunk size against wall time: ${(bytes / 1e6).toFixed(1)} MB of stored PNG, medians of ${rounds} interleaved runs`,
    ['chunk size', 'chunks', 'ms', 'to 64 KB'],
    sizes.map((size) => [String(size), samples[size][0].chunks, times[size], times[size] / times[65536]]))
  const ratio = times[256] / times[65536]
  console.log(`  target: at 256 bytes at most ${target} times: ${ratio <= target ? 'met' : 'MISSED'}`)
  if (!(ratio <= target)) process.exitCode = 1
  save(json, { bench: 'chunk-size', bytes, samples })
}

main()
