'use strict'

// The example server on PostGIS: a database of this test's own, started and loaded here.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { test, before, after } = require('node:test')
const { Client } = require('pg')
const sharp = require('sharp')
const { execFile, root } = require('../tools')
const { startServer, address, get, waitFor } = require('./support')

const programs = '/usr/lib/postgresql/15/bin'
// PostgreSQL refuses to run as root: then it gets a user of its own.
const asPostgres = (program, args) => process.getuid() === 0 ? ['runuser', ['-u', 'postgres', '--', path.join(programs, program), ...args]] : [path.join(programs, program), args]

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-pg-'))
const port = 20000 + process.pid % 20000
const url = `postgres://postgres@127.0.0.1:${port}/postgres`
let postgres
let onPostgis
let embedded

before(async () => {
  if (process.getuid() === 0) await execFile('chown', ['postgres', folder])
  const data = path.join(folder, 'data')
  await execFile(...asPostgres('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']), { cwd: folder })
  const options = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`]
  postgres = spawn(...asPostgres('postgres', ['-D', data, ...options.flatMap((option) => ['-c', option])]), { stdio: 'ignore', cwd: folder })
  await waitFor('PostgreSQL', async () => {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    return client.connect().then(() => client.end()).then(() => true, () => false)
  }, 1200)
  await execFile(process.execPath, [path.join(root, 'example/load.js')], { env: { ...process.env, DATABASE_URL: url } })
  onPostgis = await startServer({ env: { DATABASE_URL: url } })
  embedded = await startServer({ env: { DATABASE_URL: '' } })
})

after(async () => {
  onPostgis?.child.kill('SIGKILL')
  embedded?.child.kill('SIGKILL')
  if (postgres?.exitCode === null) {
    const [pid] = fs.readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGQUIT')
    await once(postgres, 'exit')
  }
  fs.rmSync(folder, { recursive: true, force: true })
})

const wfs = (server, params) => get(address(`${server.base}/wfs`, { SERVICE: 'WFS', VERSION: '2.0.0', REQUEST: 'GetFeature', OUTPUTFORMAT: 'application/geo+json', ...params }))

test('health says where the data are', async () => {
  assert.equal(JSON.parse((await get(`${onPostgis.base}/health`)).text).store, 'postgis')
  assert.equal(JSON.parse((await get(`${embedded.base}/health`)).text).store, 'geopackage')
})

test('features are those of the GeoPackage: all, by page, box and id', async () => {
  const requests = [
    { TYPENAMES: 'countries' },
    { TYPENAMES: 'addresses', STARTINDEX: '100000', COUNT: '3000' },
    { TYPENAMES: 'roads', BBOX: '-34.9112,-56.1923,-34.9012,-56.1814' },
    { TYPENAMES: 'cities', RESOURCEID: 'cities.3,cities.100,cities.135000' },
    { TYPENAMES: 'roads', PROPERTYNAME: 'name', COUNT: '100' },
    { TYPENAMES: 'buildings', SRSNAME: 'EPSG:3857', COUNT: '50' }
  ]
  for (const params of requests) {
    const [ours, theirs] = (await Promise.all([onPostgis, embedded].map((server) => wfs(server, params)))).map(({ text }) => JSON.parse(text))
    assert.ok(ours.features.length >= 3, JSON.stringify(params))
    assert.equal(ours.numberMatched, theirs.numberMatched)
    assert.deepEqual(ours.features, theirs.features, JSON.stringify(params))
  }
})

test('answers may change at any time, so caches keep none', async () => {
  const { headers } = await wfs(onPostgis, { TYPENAMES: 'countries', COUNT: '1' })
  assert.deepEqual([headers.get('etag'), headers.get('cache-control')], [null, 'no-cache'])
})

test('maps are drawn from PostGIS too', async () => {
  const map = {
    SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'countries', STYLES: '', CRS: 'EPSG:3857', BBOX: '-1400000,4200000,4600000,8200000', WIDTH: '600', HEIGHT: '400', FORMAT: 'image/png'
  }
  const [ours, theirs] = await Promise.all([onPostgis, embedded].map(async ({ base }) => {
    const { body, type, text } = await get(address(`${base}/wms`, map))
    assert.equal(type, 'image/png', text.slice(0, 500))
    return sharp(body).removeAlpha().raw().toBuffer()
  }))
  let different = 0
  for (let at = 0; at < ours.length; at += 3) if ([0, 1, 2].some((i) => Math.abs(ours[at + i] - theirs[at + i]) > 8)) different++
  assert.ok(new Set(ours).size > 50)
  assert.ok(different / (ours.length / 3) < 0.02, `${different} pixels`) // overlapping lines come in another order
})

test('a client that leaves gives its connection back', async () => {
  for (let i = 0; i < 20; i++) {
    const gone = new AbortController()
    const answer = await fetch(address(`${onPostgis.base}/wfs`, { SERVICE: 'WFS', VERSION: '2.0.0', REQUEST: 'GetFeature', TYPENAMES: 'addresses' }), { signal: gone.signal })
    await answer.body.getReader().read()
    gone.abort()
  }
  // There are 16 connections.
  assert.equal(JSON.parse((await wfs(onPostgis, { TYPENAMES: 'countries', COUNT: '5' })).text).features.length, 5)
})

test('without the database, errors tell nothing of it', async () => {
  const [pid] = fs.readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n')
  process.kill(Number(pid), 'SIGINT')
  await once(postgres, 'exit')
  const { status, text } = await wfs(onPostgis, { TYPENAMES: 'countries' })
  assert.equal(status, 500)
  assert.match(text, /Internal error/)
  assert.ok(!text.includes(String(port)) && !/postgres|select/i.test(text))
  assert.equal((await get(`${onPostgis.base}/health`)).status, 503)
})
