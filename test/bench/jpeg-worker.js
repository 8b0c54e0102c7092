'use strict'

// Measures all JPEG encoders on one image: the child of jpeg.js that runs on the processors it may use. Takes
// {folder, entry, rounds, cores, chunkSize, program: jpeg.c's, or null} as JSON on standard input, gives
// {case: {encoder: {bytes, encodes: [{ms, cpuMs}], chunked: [{first, total}]}}} on standard output.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const { spawn } = require('node:child_process')
const { json } = require('node:stream/consumers')
const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')
const { encode, encodeChunked } = require('sluice')
const { read } = require('./images')
const { shuffled } = require('./measure')

const cases = {
  'q75 4:2:0': { quality: 75, subsampling: '4:2:0' },
  'q85 4:2:0': { quality: 85, subsampling: '4:2:0' },
  'q85 4:4:4': { quality: 85, subsampling: '4:4:4' }
}

/** {encoder: {encode: async () => {bytes, ms, cpuMs}, first}} for pixels and one case. Each gets the input that suits it best. */
function encoders ({ data, width, height }, { quality, subsampling }, chunkSize, native) {
  const image = mapnik.Image.fromBufferSync(width, height, data)
  const rgb = Buffer.alloc(width * height * 3)
  for (let i = 0, j = 0; i < data.length; i += 4) {
    rgb[j++] = data[i]
    rgb[j++] = data[i + 1]
    rgb[j++] = data[i + 2]
  }
  const raw = { width, height, channels: 3 }
  const options = { format: 'jpeg', quality, subsampling }
  const all = { sluice: { encode: timed(() => encode({ data, width, height }, options)), first: () => firstAndLast({ data, width, height }, { ...options, chunkSize }) } }
  if (subsampling === '4:2:0') {
    all['node-mapnik'] = { encode: timed(() => new Promise((resolve, reject) => image.encode(`jpeg${quality}`, (err, jpeg) => err ? reject(err) : resolve(jpeg)))) }
  }
  const jpeg = (more) => timed(() => sharp(rgb, { raw }).jpeg({ quality, chromaSubsampling: subsampling, ...more }).toBuffer())
  all.sharp = { encode: jpeg({}) }
  all['sharp, optimiseCoding off'] = { encode: jpeg({ optimiseCoding: false }) }
  if (native) {
    const line = `${quality} ${subsampling.replaceAll(':', '')}`
    all['sluice in C'] = { encode: () => native(`sluice ${line}`) }
    all['libjpeg-turbo in C'] = { encode: () => native(`turbo ${line}`) }
  }
  return all
}

function timed (encode) {
  return async () => {
    const cpu = process.cpuUsage()
    const start = performance.now()
    const { length } = await encode()
    const ms = performance.now() - start
    const { user, system } = process.cpuUsage(cpu)
    return { bytes: length, ms, cpuMs: (user + system) / 1000 }
  }
}

function firstAndLast (pixels, options) {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let first
    encodeChunked(pixels, options, (err, chunk, last) => {
      if (err) return reject(err)
      first ??= performance.now() - start
      if (last) resolve({ first, total: performance.now() - start })
    })
  })
}

/** A function that has the C program encode once. */
function nativeOf (program, { data, width, height }) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-')), 'rgba')
  fs.writeFileSync(file, data)
  const child = spawn(program, [file, String(width), String(height)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const run = async (line) => {
    child.stdin.write(`${line}\n`)
    const [ms, cpuMs, bytes] = (await answers.next()).value.split(' ').map(Number)
    return { bytes, ms, cpuMs }
  }
  run.close = () => {
    child.stdin.end()
    fs.rmSync(path.dirname(file), { recursive: true })
  }
  return run
}

async function main () {
  const { folder, entry, rounds, cores, chunkSize, program } = await json(process.stdin)
  sharp.concurrency(cores)
  sharp.cache(false)
  const pixels = read(folder, entry)
  const native = program && nativeOf(program, pixels)
  const results = {}
  const runs = {}
  for (const [title, options] of Object.entries(cases)) {
    results[title] = {}
    for (const [name, { encode, first }] of Object.entries(encoders(pixels, options, chunkSize, native))) {
      const result = results[title][name] = { bytes: (await encode()).bytes, encodes: [] }
      for (const end = performance.now() + 50; performance.now() < end;) await encode() // a server's encoder has run before
      runs[`${title} ${name}`] = async () => result.encodes.push(await encode())
      if (first === undefined) continue
      result.chunked = []
      runs[`${title} ${name}, chunked`] = async () => result.chunked.push(await first())
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffled(Object.keys(runs))) await runs[name]()
  }
  if (native) native.close()
  process.stdout.write(JSON.stringify(results))
}

main()
