'use strict'

// What operators and the page see: health, metrics, the access log, live reports; and PORT.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { sharedServer, address, get, waitFor } = require('./support')

const server = sharedServer()
const map = {
  SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: '-1400000,4200000,4600000,8200000', WIDTH: '150', HEIGHT: '100', FORMAT: 'image/png'
}

test('health', async () => {
  const { status, headers, text } = await get(`${server.base}/health`)
  assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
  assert.deepEqual(JSON.parse(text), { status: 'ok', store: 'geopackage', pid: server.child.pid })
})

test('the access log has the report of each answer', async () => {
  const url = address(`${server.base}/wms`, map)
  const { body } = await get(url)
  await waitFor('its line', () => server.log.some((entry) => server.base + entry.url === url))
  const entry = server.log.find((entry) => server.base + entry.url === url)
  assert.deepEqual([entry.method, entry.status, entry.bytes, entry.format, entry.coding, entry.committed, entry.aborted, entry.client], ['GET', 200, body.length, 'png', 'identity', true, false, '127.0.0.1'])
  for (const name of ['renderMs', 'firstByteMs', 'encodeMs', 'totalMs', 'queuedMs', 'waitMs', 'chunks']) assert.equal(typeof entry[name], 'number', name)
  assert.ok(entry.level && Math.abs(Date.parse(entry.time) - Date.now()) < 60000)
  await get(address(`${server.base}/wms`, { ...map, LAYERS: 'moon' }))
  await waitFor('the line of an error', () => server.log.some(({ status, url }) => status === 400 && url.includes('moon')))
})

test('metrics are text that Prometheus reads', async () => {
  await get(address(`${server.base}/wms`, map))
  const { type, text } = await get(`${server.base}/metrics`)
  assert.match(type, /^text\/plain; version=0\.0\.4/)
  for (const line of text.split('\n').filter(Boolean)) assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [-+.\deE]+(NaN)?)$/)
  const value = (name) => Number(text.match(new RegExp(`^${name} (\\S+)`, 'm'))?.[1])
  assert.ok(value('map_requests_total\\{service="wms",status="200"\\}') >= 1)
  assert.ok(value('map_response_bytes_total\\{service="wms",format="png"\\}') > 1000)
  assert.ok(value('map_first_byte_seconds_count\\{service="wms",format="png"\\}') >= 1)
  assert.equal(value('sluice_parked'), 0)
})

test('reports come live, and the latest are there for those who come later', async () => {
  const gone = new AbortController()
  const events = await fetch(`${server.base}/events`, { signal: gone.signal })
  assert.equal(events.headers.get('content-type'), 'text/event-stream')
  const reader = events.body.pipeThrough(new TextDecoderStream()).getReader()
  const url = '/tiles/map/2/1/1.png?live'
  await get(server.base + url)
  let text = ''
  while (!/^data: .*live.*\n\n/m.test(text)) text += (await reader.read()).value
  const entry = JSON.parse(text.match(/^data: (.*live.*)\n\n/m)[1])
  assert.deepEqual([entry.url, entry.status, entry.client], [url, 200, undefined])
  gone.abort()
  const latest = JSON.parse((await get(`${server.base}/reports.json`)).text)
  assert.equal(latest[0].url, url)
})

test('what is not there is not found, and what cannot be parsed is a bad request', async () => {
  for (const path of ['/nothing', '/constructor', '/..%2f..%2fetc/passwd', '/page/index.html', '/data']) assert.equal((await get(server.base + path)).status, 404, path)
  const { status } = await get(`${server.base}/wms?${'a'.repeat(20000)}`)
  assert.equal(status, 431)
  assert.equal((await get(`${server.base}/wms?service=WMS&request=GetCapabilities&x=%`)).status, 200)
})
