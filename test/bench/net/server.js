'use strict'

// The server: node server.js PORT FOLDER IMAGE. Each path is one way to answer with that image as PNG; of the libraries only those are loaded
// that are asked for. Server-Timing says how long the encode took where the whole is encoded before anything is sent.
//   /mapnik  /sharp  /ideal  /sluice?chunkSize=&level=  /whole (sluice's encode)  /ping  /stats

const fs = require('node:fs')
const http = require('node:http')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { entries, read } = require('../images')

const [port, folder, name] = process.argv.slice(2)
const pixels = read(folder, entries(folder).find(entry => entry.name === name))
const { data, width, height, premultiplied } = pixels

const lazy = make => {
  let value
  return () => (value ??= make())
}
const mapnik = lazy(() => require('@mapnik/mapnik'))
const sharp = lazy(() => require('sharp'))
const sluice = lazy(() => require('sluice'))
const image = lazy(() => mapnik().Image.fromBufferSync(width, height, data, { premultiplied }))
const encoded = lazy(() => image().encodeSync('png32'))

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

const answers = {
  ping: (query, request, response) => response.end('pong'),
  stats (query, request, response) {
    const status = fs.readFileSync('/proc/self/status', 'utf8')
    const kilobytes = key => Number(status.match(new RegExp(`${key}:\\s+(\\d+)`))[1])
    response.end(JSON.stringify({
      residentMB: kilobytes('VmRSS') / 1024,
      peakMB: kilobytes('VmHWM') / 1024,
      cpuMs: Object.values(process.cpuUsage()).reduce((sum, us) => sum + us / 1000, 0),
      delayMs: { median: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }
    }))
    if (query.has('reset')) {
      delay.reset()
      fs.writeFileSync('/proc/self/clear_refs', '5') // the peak begins anew
    }
  },
  ideal: (query, request, response) => whole(response, encoded()),
  async mapnik (query, request, response) {
    const start = performance.now()
    whole(response, await new Promise((resolve, reject) => image().encode('png32', (error, png) => error ? reject(error) : resolve(png))), start)
  },
  async sharp (query, request, response) {
    const start = performance.now()
    whole(response, await sharp()(data, { raw: { width, height, channels: 4, premultiplied } }).png().toBuffer(), start)
  },
  async whole (query, request, response) {
    const start = performance.now()
    whole(response, await sluice().encode(pixels, { format: 'png' }), start)
  },
  async sluice (query, request, response) {
    const report = await sluice().send(request, response, pixels, {
      format: 'png', strategy: 'speed', chunkSize: Number(query.get('chunkSize') ?? 16384), level: query.get('level') ?? 'fast'
    })
    if (report.error) throw report.error
  }
}

function whole (response, png, start) {
  response.setHeader('content-type', 'image/png')
  response.setHeader('content-length', png.length)
  if (start !== undefined) response.setHeader('server-timing', `encode;dur=${(performance.now() - start).toFixed(3)}`)
  response.end(png)
}

http.createServer(async (request, response) => {
  const url = new URL(request.url, 'http://server')
  try {
    await answers[url.pathname.slice(1)](url.searchParams, request, response)
  } catch (error) {
    console.error(error)
    response.destroy()
  }
}).listen(Number(port), '0.0.0.0', 1024, () => console.log('listening'))
