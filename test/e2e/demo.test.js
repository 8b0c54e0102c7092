'use strict'

// The example server as its users meet it: over HTTP.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { createInterface } = require('node:readline')
const { buffer } = require('node:stream/consumers')
const { test, before, after } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { execFile, root, temporary, pngcheck, decode } = require('./tools')

const file = temporary(after)
let server
let base

before(async () => {
  server = spawn(process.execPath, [path.join(root, 'example/server.js')], { env: { ...process.env, PORT: '0', GRACE: '200' }, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), once(server, 'exit')])
  base = String(line).match(/http:\S+\/$/)?.[0]
  assert.ok(base, 'the server prints its address')
})

after(() => server.kill('SIGKILL'))

const europe = {
  SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: '-1400000,4200000,4600000,8200000', WIDTH: 1201, HEIGHT: 801, FORMAT: 'image/png'
}

// The address of europe with some parameters changed; undefined leaves one out.
function address (changes = {}) {
  const params = Object.entries({ ...europe, ...changes }).filter(([, value]) => value !== undefined)
  return `${base}wms?${new URLSearchParams(params)}`
}

const getJson = async (name) => (await fetch(base + name)).json()

async function getPng (changes) {
  const answer = await fetch(address(changes))
  const body = Buffer.from(await answer.arrayBuffer())
  assert.equal(answer.headers.get('content-type'), 'image/png', body.toString())
  return body
}

async function waitFor (what, condition) {
  for (let tries = 0; tries < 400; tries++) {
    if (await condition()) return
    await sleep(50)
  }
  assert.fail(`${what}: not within 20 s; ${JSON.stringify(await getJson('stats'))}`)
}

// A client that sends a request and reads nothing but the first bytes.
async function stalledClient (changes) {
  const request = http.get(address(changes), { agent: false })
  request.on('error', () => {}) // destroyed by the test
  const [response] = await once(request, 'response')
  await once(response, 'readable')
  return { request, response, first: response.read() }
}

// More than the sockets on the way can hold.
const huge = { WIDTH: 8000, HEIGHT: 6000, BBOX: '-1400000,4200000,3933333,8200000' }

test('GetMap by curl is a PNG of the right size', async () => {
  const png = file('map.png')
  const { stdout } = await execFile('curl', ['-sS', '-o', png, '-w', '%{http_code} %{content_type}', '-D', file('headers'), address()])
  assert.equal(stdout, '200 image/png')
  assert.match(fs.readFileSync(file('headers'), 'latin1'), /^transfer-encoding: chunked/im)
  await pngcheck(png)
  const { width, height, rgba } = await decode(png)
  assert.deepEqual([width, height], [1201, 801])
  assert.ok(new Set(rgba).size > 50, 'there is a map on it')
})

test('parameter names come in any case, unknown ones are ignored', async () => {
  const url = address({ FOO: 'bar' }).replaceAll(/[A-Z]+=/g, (name) => name.toLowerCase())
  assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(await getPng()))
})

test('BBOX has its axes in the order of the CRS and the version', async () => {
  const geographic = { WIDTH: 400, HEIGHT: 300 }
  const lonLat = await getPng({ ...geographic, CRS: 'CRS:84', BBOX: '-10,35,30,65' })
  assert.ok(lonLat.equals(await getPng({ ...geographic, CRS: 'EPSG:4326', BBOX: '35,-10,65,30' })))
  assert.ok(lonLat.equals(await getPng({ ...geographic, VERSION: '1.1.1', CRS: undefined, SRS: 'EPSG:4326', BBOX: '-10,35,30,65' })))
})

test('GetCapabilities is well-formed and says where to ask, in both versions', async () => {
  for (const VERSION of [undefined, '1.3.0', '1.1.1']) {
    const url = `${base}wms?${new URLSearchParams({ SERVICE: 'WMS', REQUEST: 'GetCapabilities', ...(VERSION && { VERSION }) })}`
    const body = await (await fetch(url)).text()
    fs.writeFileSync(file('capabilities.xml'), body)
    await execFile('xmllint', ['--noout', '--nonet', file('capabilities.xml')])
    assert.ok(body.includes(`version="${VERSION ?? '1.3.0'}"`))
    assert.ok(body.includes(`xlink:href="${base}wms?"`))
    assert.ok(body.includes('<Name>map</Name>'))
  }
})

test('HEAD has the headers and no body; other methods are refused', async () => {
  const head = await fetch(address(), { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-type'), await head.text()], [200, 'image/png', ''])
  assert.equal((await fetch(address({ BBOX: undefined }), { method: 'HEAD' })).status, 400)
  assert.equal((await fetch(address(), { method: 'POST' })).status, 405)
})

test('the page is there with everything it needs, and the reports it shows', async () => {
  const page = await (await fetch(base)).text()
  const names = [...page.matchAll(/(?:src|href)="([\w.]+)"/g)].map(([, name]) => name)
  assert.ok(names.length >= 4)
  for (const name of names) assert.equal((await fetch(base + name)).status, 200, name)
  assert.equal((await fetch(`${base}nothing`)).status, 404)
  const { length } = await getPng()
  const [latest] = await getJson('reports.json')
  assert.equal(latest.bytes, length)
  assert.ok(latest.chunks >= 1 && latest.firstByteMs <= latest.totalMs && latest.renderMs > 0)
})

test('bytes arrive before encoding has ended, and a client that stops reading holds bounded memory', async () => {
  const { request, response, first } = await stalledClient(huge)
  assert.equal(first.toString('latin1', 1, 4), 'PNG')
  assert.equal((await getJson('stats')).streams, 1, 'the first bytes are here, and the stream still lives')
  await waitFor('the stream waits for its client', async () => (await getJson('stats')).parked === 1)

  const parked = await getJson('stats')
  assert.ok(parked.slabs <= 8, `${parked.slabs} slabs, 512 KB at most`)
  await sleep(5000)
  const later = await getJson('stats')
  assert.ok(later.slabs <= 8)
  // Strips that were begun are finished and wait, a few times 20 MB; the whole map is 192 MB.
  assert.ok(later.rss < parked.rss + 150e6, `memory does not grow while nobody reads: ${parked.rss} ${later.rss}`)

  // It reads on, and gets all of it.
  fs.writeFileSync(file('huge.png'), Buffer.concat([first, await buffer(response)]))
  await pngcheck(file('huge.png'))
  await waitFor('the stream is gone', async () => (await getJson('stats')).streams === 0)
  request.destroy()
})

test('a client that leaves mid-response leaves no live stream', async () => {
  const { request } = await stalledClient(huge)
  assert.equal((await getJson('stats')).streams, 1)
  request.destroy()
  await waitFor('the stream is gone', async () => {
    const { streams, slabs } = await getJson('stats')
    return streams === 0 && slabs === 0
  })
  assert.equal((await getJson('reports.json'))[0].aborted, true, 'its report says that it did not complete')
})

test('twenty requests at a time are all answered', async () => {
  const maps = await Promise.all(Array.from({ length: 20 }, () => getPng({ WIDTH: 300, HEIGHT: 200 })))
  for (const map of maps) assert.ok(map.equals(maps[0]))
})

test('SIGTERM ends the server when its answers are finished', async () => {
  const { response, first } = await stalledClient(huge)
  server.kill('SIGTERM')
  await waitFor('no new connections', () => fetch(base, { headers: { connection: 'close' } }).then(() => false, () => true))
  const exit = once(server, 'exit')
  fs.writeFileSync(file('last.png'), Buffer.concat([first, await buffer(response)]))
  await pngcheck(file('last.png'))
  assert.deepEqual(await exit, [0, null])
})
