'use strict'

// /metrics in Prometheus's text format.

const prometheus = require('prom-client')
const sluice = require('sluice')

const labels = ['service', 'format']
const seconds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]

const requests = new prometheus.Counter({ name: 'map_requests_total', help: 'Answers, by service and status', labelNames: ['service', 'status'] })
const bytes = new prometheus.Counter({ name: 'map_response_bytes_total', help: 'Bytes of answers as sent', labelNames: labels })
const broken = new prometheus.Counter({ name: 'map_aborted_total', help: 'Answers that ended early: the client left, or an error came late', labelNames: ['service'] })
const firstByte = new prometheus.Histogram({ name: 'map_first_byte_seconds', help: 'From send() to the first byte', labelNames: labels, buckets: seconds })
const encode = new prometheus.Histogram({ name: 'map_encode_seconds', help: 'Time that encoding took', labelNames: labels, buckets: seconds })
const total = new prometheus.Histogram({ name: 'map_total_seconds', help: 'From send() to the end of the answer', labelNames: labels, buckets: seconds })
const render = new prometheus.Histogram({ name: 'map_render_seconds', help: 'Drawing of the first strip', labelNames: ['service'], buckets: seconds })

for (const name of ['streams', 'parked', 'goroutines', 'slabs', 'heapBytes']) {
  const gauge = new prometheus.Gauge({
    name: `sluice_${name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)}`,
    help: `sluice.stats().${name}`,
    async collect () { gauge.set((await sluice.stats())[name]) }
  })
}
prometheus.collectDefaultMetrics()

function count ({ url, status, format, aborted, renderMs, ...report }) {
  const service = serviceOf(url)
  const kind = { service, format: format ?? 'none' }
  requests.inc({ service, status: String(status ?? 'none') })
  if (aborted) broken.inc({ service })
  if (report.bytes > 0) bytes.inc(kind, report.bytes)
  for (const [histogram, name] of [[firstByte, 'firstByteMs'], [encode, 'encodeMs'], [total, 'totalMs']]) {
    if (typeof report[name] === 'number') histogram.observe(kind, report[name] / 1000)
  }
  if (renderMs !== undefined) render.observe({ service }, renderMs / 1000)
}

// A few names, whatever clients ask for: every value of a label costs memory.
const services = new Set(['wms', 'wfs', 'tiles'])

function serviceOf (url) {
  const [, name] = /^\/(\w+)/.exec(url) ?? []
  return services.has(name) ? name : 'other'
}

const metrics = () => prometheus.register.metrics()

module.exports = { count, metrics, contentType: prometheus.register.contentType }
