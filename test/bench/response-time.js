'use strict'

// Response time over loopback: the whole PNG at once against chunks as they come, the client a process of its own.

const http = require('node:http')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { json } = require('node:stream/consumers')
const { encode, encodeChunked } = require('sluice')
const { images } = require('./images')
const { options, table, save, median } = require('./measure')

const sizes = [256, 512, 1024, 4096, 16384, 65536]

// /unchunked or /CHUNKSIZE
function answer (pixels, request, response) {
  response.setHeader('content-type', 'image/png')
  if (request.url === '/unchunked') {
    return encode(pixels, { format: 'png' }).then((png) => response.end(png), (err) => response.destroy(err))
  }
  encodeChunked(pixels, { format: 'png', chunkSize: Number(request.url.slice(1)) }, (err, chunk, last) => {
    if (err) return response.destroy(err)
    response.write(chunk)
    if (last) response.end()
  }).follow(response)
}

async function measure (pixels, rounds) {
  const server = http.createServer((request, response) => answer(pixels, request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${server.address().port}/`
  const urls = { unchunked: `${base}unchunked` }
  for (const size of sizes) urls[`${size} bytes`] = base + size
  const client = spawn(process.execPath, [path.join(__dirname, 'client.js')], { stdio: ['pipe', 'pipe', 'inherit'] })
  client.stdin.end(JSON.stringify({ urls, rounds }))
  const samples = await json(client.stdout)
  server.close()
  return samples
}

async function main () {
  const { rounds, json: file } = options(30)
  const results = []
  for (const { name, pixels } of await images()) {
    const samples = await measure(pixels, rounds)
    const of = (key, what) => median(samples[key].map((sample) => sample[what]))
    const whole = of('unchunked', 'totalMs')
    table(`Response time over loopback, ${name}, ${pixels.width}x${pixels.height}, medians of ${rounds} interleaved runs`,
      ['chunk size', 'first byte ms', 'total ms', 'to unchunked', 'KB'],
      Object.keys(samples).map((key) => [key, of(key, 'firstByteMs'), of(key, 'totalMs'), of(key, 'totalMs') / whole, of(key, 'bytes') / 1000]))
    results.push({ name, width: pixels.width, height: pixels.height, samples })
  }
  if (results.length === 0) throw new Error('no image was measured')
  save(file, { bench: 'response-time', results })
}

main()
