'use strict'

// 100,000 small writes to an HTTP response: through bytes() and its chunks, against one response.write each. The client is a
// process of its own (client.js); wall time is from its request to the end of the answer.

const { spawn } = require('node:child_process')
const http = require('node:http')
const path = require('node:path')
const { json: readJson } = require('node:stream/consumers')
const { once } = require('node:events')
const { bytes, encodeChunked } = require('sluice')
const { options, table, save, median } = require('./measure')

const writes = 100_000
const target = 4 // times the throughput of one response.write each
const rows = Array.from({ length: writes }, (_, i) => `${i},road ${i % 977},${(i * 7919) % 100_003}\n`)
const length = rows.reduce((sum, row) => sum + Buffer.byteLength(row), 0)

const answers = {
  async '/write' (response) {
    for (const row of rows) if (!response.write(row)) await once(response, 'drain')
    response.end()
  },
  async '/bytes' (response) {
    const source = bytes({ type: 'text/csv' })
    encodeChunked(source, {}, (err, chunk, last) => {
      if (err) return response.destroy(err)
      response.write(chunk)
      if (last) response.end()
    }).follow(response)
    for (const row of rows) await source.write(row)
    source.end()
  }
}

async function main () {
  const { rounds, json } = options(15)
  const server = http.createServer((request, response) => { answers[request.url](response) }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${server.address().port}`
  const client = spawn(process.execPath, [path.join(__dirname, 'client.js')], { stdio: ['pipe', 'pipe', 'inherit'] })
  client.stdin.end(JSON.stringify({ urls: Object.fromEntries(Object.keys(answers).map(name => [name, origin + name])), rounds }))
  const samples = await readJson(client.stdout)
  server.close()
  const times = Object.fromEntries(Object.entries(samples).map(([name, all]) => {
    if (all.some(sample => sample.bytes !== length)) throw new Error(`Expected ${length} bytes from ${name}`)
    return [name, median(all.map(sample => sample.totalMs))]
  }))
  table(`${writes} writes of ${(length / writes).toFixed(0)} bytes to a response, medians of ${rounds} interleaved runs`,
    ['', 'ms', 'writes/ms', 'throughput to one write each'],
    Object.entries(times).map(([name, ms]) => [name, ms, writes / ms, times['/write'] / ms]))
  const ratio = times['/write'] / times['/bytes']
  console.log(`  target: at least ${target} times: ${ratio >= target ? 'met' : 'MISSED'}`)
  if (!(ratio >= target)) process.exitCode = 1
  save(json, { bench: 'small-writes', samples })
}

main()
