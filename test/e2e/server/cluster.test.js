'use strict'

// Several processes: restarts and deaths under load, and an end that finishes answers.

const assert = require('node:assert/strict')
const http = require('node:http')
const { once } = require('node:events')
const { buffer } = require('node:stream/consumers')
const { test, after } = require('node:test')
const { startServer, address, get, waitFor } = require('./support')

const servers = []
after(() => servers.forEach(({ child }) => child.kill('SIGKILL')))

async function startCluster () {
  const server = await startServer({ program: 'cluster.js', env: { WORKERS: '2', GRACE: '20' } })
  servers.push(server)
  await waitFor('two workers', async () => (await pids(server)).size === 2)
  return server
}

// The processes that answer.
async function pids ({ base }) {
  const answers = await Promise.all(Array.from({ length: 8 }, () => getOnce(`${base}/health`).catch(() => undefined)))
  return new Set(answers.filter(Boolean).map(({ body }) => JSON.parse(body).pid))
}

// On a connection of its own, so that workers take turns. complete: Node saw the end of the answer.
async function getOnce (url) {
  const request = http.get(url, { agent: false })
  const [response] = await once(request, 'response')
  const body = await buffer(response)
  return { status: response.statusCode, complete: response.complete, body }
}

const map = (size, extent = '-1400000,4200000,4600000,8200000') => ({
  SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: extent, WIDTH: String(size), HEIGHT: String(Math.round(size * 2 / 3)), FORMAT: 'image/png'
})

const isPng = (body) => body.toString('latin1', 1, 4) === 'PNG' && body.toString('latin1', body.length - 8, body.length - 4) === 'IEND'

// Requests one after the other until stop is set, several at a time. -> what became of them
function load (lanes, url, isWhole) {
  const results = []
  const state = { stop: false, results }
  state.done = Promise.all(Array.from({ length: lanes }, async (_, lane) => {
    for (let i = 0; !state.stop; i++) {
      const result = await getOnce(url(lane * 100 + i)).catch((err) => ({ failed: err.code ?? err.message }))
      const { body, ...kept } = result
      results.push({ ...kept, whole: body !== undefined && isWhole(body) })
    }
  }))
  return state
}

// No two are the same.
const maps = ({ base }) => (i) => address(`${base}/wms`, map(300, [-1400000 + i * 1000, 4200000, 4600000 + i * 1000, 8200000].join()))
// Some 25 MB, which is a second's work.
const features = ({ base }) => () => address(`${base}/wfs`, { SERVICE: 'WFS', VERSION: '2.0.0', REQUEST: 'GetFeature', TYPENAMES: 'addresses', OUTPUTFORMAT: 'application/geo+json' })
const isCollection = (body) => body.toString('latin1', body.length - 4) === '\n]}\n'

test('metrics are those of all workers, and so are reports', async () => {
  const server = await startCluster()
  for (let i = 0; i < 8; i++) await getOnce(address(`${server.base}/wms`, map(60)))
  await waitFor('all eight', async () => {
    const { body } = await getOnce(`${server.base}/metrics`)
    const [, count] = /^map_requests_total\{service="wms",status="200"\} (\d+)/m.exec(body) ?? []
    return count === '8'
  })
  for (const body of await Promise.all(Array.from({ length: 4 }, async () => (await getOnce(`${server.base}/reports.json`)).body))) {
    assert.equal(JSON.parse(body).filter(({ url }) => url.startsWith('/wms')).length, 8)
  }
  assert.deepEqual(await server.stop(), [0, null])
})

test('a rolling restart refuses and breaks nothing', async () => {
  const server = await startCluster()
  const before = await pids(server)
  const work = load(3, maps(server), isPng)
  server.child.kill('SIGHUP')
  await waitFor('new workers alone', async () => {
    const now = await pids(server)
    return now.size === 2 && ![...now].some((pid) => before.has(pid))
  }, 2400)
  work.stop = true
  await work.done
  assert.ok(work.results.length > 3)
  for (const { status, complete, whole, failed } of work.results) assert.ok(status === 200 && complete && whole, failed ?? status)
  assert.deepEqual(await server.stop(), [0, null])
})

test('workers that are killed under load are replaced, and no answer that they cut looks complete', async () => {
  const server = await startCluster()
  const work = load(4, features(server), isCollection)
  for (let kills = 0; kills < 2; kills++) {
    const seen = work.results.length
    await waitFor('some answers', () => work.results.length > seen + 4, 2400)
    const [pid] = await pids(server)
    process.kill(pid, 'SIGKILL')
    await waitFor('another worker', async () => {
      const now = await pids(server)
      return now.size === 2 && !now.has(pid)
    }, 2400)
  }
  work.stop = true
  await work.done
  assert.ok(work.results.some(({ failed }) => failed !== undefined), 'some were cut')
  for (const { status, complete, whole, failed } of work.results) {
    if (failed !== undefined) continue // cut, and the client knows
    assert.equal(status, 200)
    assert.equal(complete, whole, 'complete answers are whole, and the others are known to be cut')
  }
  assert.ok(work.results.some(({ complete }) => complete))
  assert.deepEqual(await server.stop(), [0, null])
})

test('SIGTERM finishes answers that are under way, and then ends all', async () => {
  const server = await startCluster()
  const request = http.get(address(`${server.base}/wms`, map(1800)), { agent: false })
  const [response] = await once(request, 'response')
  server.child.kill('SIGTERM')
  assert.ok(isPng(await buffer(response)) && response.complete)
  assert.deepEqual(await server.exited, [0, null])
  await assert.rejects(get(`${server.base}/health`))
})
