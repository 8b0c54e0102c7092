'use strict'

// The nginx of example/nginx.conf in front of two instances: it keeps streaming.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { buffer } = require('node:stream/consumers')
const { test, before, after } = require('node:test')
const { root, temporary } = require('../tools')
const { startServer, address, get, waitFor } = require('./support')

const file = temporary(after)
const servers = []
let nginx
let base

before(async () => {
  servers.push(await startServer(), await startServer())
  const port = 20000 + process.pid % 20000
  const ports = servers.map(({ base }) => new URL(base).port)
  const conf = fs.readFileSync(path.join(root, 'example/nginx.conf'), 'utf8')
    .replace('127.0.0.1:8081', `127.0.0.1:${ports[0]}`).replace('127.0.0.1:8082', `127.0.0.1:${ports[1]}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`).replace('/tmp/sluice-nginx.pid', file('nginx.pid')).replace('/dev/stdout', file('access.log'))
  fs.writeFileSync(file('nginx.conf'), conf)
  nginx = spawn('nginx', ['-p', file('.'), '-c', file('nginx.conf'), '-e', file('error.log')], { stdio: ['ignore', 'inherit', 'inherit'] })
  base = `http://127.0.0.1:${port}`
  await waitFor('nginx answers', () => get(`${base}/health`).then(({ status }) => status === 200, () => false))
})

after(async () => {
  for (const { child } of servers) child.kill('SIGKILL')
  if (nginx?.exitCode === null) {
    nginx.kill('SIGTERM')
    await once(nginx, 'exit')
  }
})

const map = (changes) => ({
  SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: '-6260000,-4152000,-6248000,-4144000', WIDTH: '3000', HEIGHT: '2000', FORMAT: 'image/png', ...changes
})

async function open (url) {
  const request = http.get(url, { agent: false })
  request.on('error', () => {}) // destroyed by tests
  const [response] = await once(request, 'response')
  return { request, response }
}

const streams = async () => (await Promise.all(servers.map(async ({ base }) => JSON.parse((await get(`${base}/stats`)).text).streams))).reduce((a, b) => a + b)

test('the first bytes come through while the map is being drawn', async () => {
  const { response } = await open(address(`${base}/wms`, map()))
  assert.equal(response.headers['transfer-encoding'], 'chunked')
  await once(response, 'readable')
  assert.equal(response.read().toString('latin1', 1, 4), 'PNG')
  assert.equal(await streams(), 1, 'the server is still at it')
  await buffer(response)
  assert.ok(response.complete)
})

test('documents name the address that the client used', async () => {
  const { text } = await get(address(`${base}/wms`, { SERVICE: 'WMS', REQUEST: 'GetCapabilities' }))
  assert.ok(text.includes(`xlink:href="${base}/wms?"`))
})

test('a client that leaves reaches the encoder', async () => {
  const { request, response } = await open(address(`${base}/wms`, map({ WIDTH: '6000', HEIGHT: '4000' })))
  await once(response, 'readable')
  request.destroy()
  await waitFor('no stream', async () => await streams() === 0, 2400)
})

test('a server that dies leaves a cut answer, never a complete one; the other one goes on', async () => {
  const { response } = await open(address(`${base}/wms`, map({ WIDTH: '6000', HEIGHT: '4000' })))
  await once(response, 'readable')
  const counts = await Promise.all(servers.map(async ({ base }) => JSON.parse((await get(`${base}/stats`)).text).streams))
  servers[counts.indexOf(1)].child.kill('SIGKILL')
  await assert.rejects(buffer(response), { code: 'ECONNRESET' })
  assert.ok(!response.complete)
  for (let i = 0; i < 6; i++) assert.equal((await get(`${base}/health`)).status, 200)
})

test('metrics are not for everybody', async () => {
  assert.equal((await get(`${base}/metrics`)).status, 404)
})
