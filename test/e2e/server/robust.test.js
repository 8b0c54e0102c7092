'use strict'

// Clients that are careless, odd, slow, many or hostile: each gets the answer it has to get, and the server goes on.

const assert = require('node:assert/strict')
const http = require('node:http')
const net = require('node:net')
const { execFile } = require('node:child_process')
const { once } = require('node:events')
const { test } = require('node:test')
const { promisify } = require('node:util')
const sharp = require('sharp')
const { codings, sharedServer, parseXml, address, get, waitFor } = require('./support')

const run = promisify(execFile)
const server = sharedServer()

const map = {
  SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: '-1400000,4200000,4600000,8200000', WIDTH: '300', HEIGHT: '200', FORMAT: 'image/png'
}
const features = { SERVICE: 'WFS', VERSION: '2.0.0', REQUEST: 'GetFeature', TYPENAMES: 'roads' }
const wms = (params, options) => get(address(`${server.base}/wms`, { ...map, ...params }), options)
const wfs = (params, options) => get(address(`${server.base}/wfs`, { ...features, ...params }), options)
const memory = async () => JSON.parse((await get(`${server.base}/stats`)).text).rss

test('curl reads every coding of documents and of features, and the tag is one for all of them', async () => {
  assert.ok(codings.includes('gzip'))
  const urls = [
    address(`${server.base}/wms`, { SERVICE: 'WMS', REQUEST: 'GetCapabilities' }),
    address(`${server.base}/wfs`, { ...features, COUNT: '3000', OUTPUTFORMAT: 'geojson' }),
    address(`${server.base}/wfs`, { ...features, COUNT: '3000', OUTPUTFORMAT: 'csv' }),
    `${server.base}/ol.js`
  ]
  for (const url of urls) {
    const plain = await get(url, { headers: { 'accept-encoding': 'identity' } })
    assert.deepEqual([plain.status, plain.headers.get('content-encoding')], [200, null])
    for (const coding of codings) {
      const { stdout } = await run('curl', ['-sS', '-i', '--compressed', '-H', `Accept-Encoding: ${coding}`, url], { encoding: 'buffer', maxBuffer: 1 << 28 })
      const end = stdout.indexOf('\r\n\r\n')
      const head = stdout.toString('latin1', 0, end).toLowerCase()
      assert.match(head, new RegExp(`\r\ncontent-encoding: ${coding}(\r\n|$)`), url)
      assert.match(head, /\r\nvary: [^\r]*accept-encoding/)
      assert.ok(head.includes(`\r\netag: ${plain.headers.get('etag')}`.toLowerCase()), `${coding} ${url}`)
      const body = stdout.subarray(end + 4)
      const shown = (data) => data.toString().replace(/"timeStamp":"[^"]*"/, '')
      assert.ok(shown(body) === shown(plain.body), `${coding} ${url}`)
    }
  }
})

test('an Arrow stream has a tag for each codec, as Accept asks for one', async () => {
  const ask = (accept, tag) => wfs({ COUNT: '10', OUTPUTFORMAT: 'arrow' }, { headers: { accept, ...(tag && { 'if-none-match': tag }) } })
  const type = 'application/vnd.apache.arrow.stream'
  const packed = await ask(`${type}; codecs="zstd"`)
  const tag = packed.headers.get('etag')
  for (const accept of [type, `${type}; codecs=lz4`, 'text/html']) {
    const other = await ask(accept, tag)
    assert.equal(other.status, 200, `${accept} is not what the client has`)
    assert.match(other.headers.get('vary'), /\bAccept,/)
  }
  const same = await ask(`${type}; codecs="zstd"`, tag)
  assert.deepEqual([same.status, same.headers.get('vary')], [304, packed.headers.get('vary')])
})

test('methods that do not read are refused in the words of the service', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const body = '<wfs:GetFeature xmlns:wfs="http://www.opengis.net/wfs/2.0"/>'
    const [ofWms, ofWfs, ofTiles] = await Promise.all(['/wms', '/wfs', '/tiles/map/0/0/0.png'].map((path) => get(server.base + path, { method, body })))
    for (const { status, headers } of [ofWms, ofWfs, ofTiles]) assert.deepEqual([status, headers.get('allow'), headers.get('cache-control')], [405, 'GET, HEAD, OPTIONS', 'no-store'])
    assert.equal(parseXml(ofWms.text).ServiceExceptionReport.ServiceException['@code'], 'OperationNotSupported')
    assert.equal(parseXml(ofWfs.text).ExceptionReport.Exception['@exceptionCode'], 'OperationNotSupported')
    assert.match(ofTiles.text, new RegExp(`got ${method}`))
  }
  for (const REQUEST of ['GetPropertyValue', 'Transaction', 'LockFeature']) assert.equal(parseXml((await wfs({ REQUEST })).text).ExceptionReport.Exception['@exceptionCode'], 'OperationNotSupported')
})

test('errors are images also where parameters are missing, in the size of the map if that is known', async () => {
  for (const [changes, size] of [[{ BBOX: '' }, [300, 200]], [{ LAYERS: undefined }, [300, 200]], [{ VERSION: undefined }, [300, 200]], [{ FORMAT: undefined }, [300, 200]], [{ WIDTH: undefined }, [400, 200]], [{ HEIGHT: '9999' }, [300, 300]], [{ WIDTH: '0' }, [400, 200]]]) {
    for (const EXCEPTIONS of ['INIMAGE', 'BLANK']) {
      const answer = await wms({ ...changes, EXCEPTIONS })
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      const { data, info } = await sharp(answer.body).raw().toBuffer({ resolveWithObject: true })
      assert.deepEqual([info.width, info.height], size, JSON.stringify(changes))
      assert.equal(data.some((sample) => sample < 128), EXCEPTIONS === 'INIMAGE', 'a message, or none')
      assert.ok(data.subarray(-info.width * info.channels * 60).every((sample) => sample === 255), 'and nothing below it')
    }
  }
  const head = await wms({ LAYERS: 'moon', EXCEPTIONS: 'INIMAGE' }, { method: 'HEAD' })
  assert.deepEqual([head.status, head.type, head.body.length], [200, 'image/png', 0])
})

test('the image of an error costs little, whatever its size', async () => {
  const before = await memory()
  let most = before
  const answers = Promise.all(Array.from({ length: 8 }, () => wms({ LAYERS: 'moon', WIDTH: '8192', HEIGHT: '8192', EXCEPTIONS: 'INIMAGE' })))
  const watch = setInterval(async () => { most = Math.max(most, await memory()) }, 20)
  for (const { body } of await answers) {
    const { width, height } = await sharp(body).metadata()
    assert.deepEqual([width, height], [8192, 8192])
  }
  clearInterval(watch)
  most = Math.max(most, await memory())
  assert.ok(most - before < 250e6, `${Math.round((most - before) / 1e6)} MB more for eight, which have 268 MB of pixels each`)
})

test('a page that reads none of the live reports does not make the server keep them', async () => {
  const { hostname, port } = new URL(server.base)
  const socket = net.connect(port, hostname)
  socket.on('error', () => {}) // reset, perhaps
  await once(socket, 'connect')
  socket.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  const url = `${server.base}/tiles/none?${'x'.repeat(14000)}`
  await Promise.all(Array.from({ length: 1500 }, () => new Promise((resolve, reject) => {
    http.get(url, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject)
  })))
  agent.destroy()
  let closed = false
  socket.on('close', () => { closed = true })
  socket.resume()
  await waitFor('the server to close the connection', () => closed)
})

test('a hundred clients at once, half of which leave, get whole maps', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, async (_, i) => {
    const gone = i % 2 === 1 ? AbortSignal.timeout(20 + i) : undefined
    try {
      return await wms({ LAYERS: 'countries', WIDTH: String(200 + i), HEIGHT: '100' }, { signal: gone })
    } catch (err) {
      if (gone?.aborted) return undefined
      throw err
    }
  }))
  for (const [i, answer] of answers.entries()) {
    if (answer === undefined) continue
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    assert.equal((await sharp(answer.body).metadata()).width, 200 + i)
  }
  assert.ok(answers.filter(Boolean).length >= 50)
  await waitFor('all streams to end', async () => {
    const { text } = await get(`${server.base}/metrics`)
    return /^sluice_parked 0$/m.test(text)
  })
  assert.equal((await wms({})).status, 200)
})

test('headers that make no sense, ranges and extreme boxes do no harm', async () => {
  for (const headers of [{ 'accept-encoding': ';;;q=x,,gzip;q=2' }, { accept: 'text/html' }, { range: 'bytes=0-10' }, { 'if-none-match': 'W/"' }, { 'if-modified-since': 'yesterday' }]) {
    const answer = await wms({}, { headers })
    assert.deepEqual([answer.status, answer.type], [200, 'image/png'], JSON.stringify(headers))
    await sharp(answer.body).stats()
  }
  for (const CRS of ['EPSG:3857', 'CRS:84']) {
    for (const BBOX of ['-1e308,-1e308,1e308,1e308', '0,0,1e-300,1e-300', '0,0,1e-12,1e-12', '1e15,1e15,1.00001e15,1.00001e15', '0,0,1e9,1e-3']) {
      assert.equal((await wms({ CRS, BBOX })).type, 'image/png', BBOX)
      const info = await wms({ REQUEST: 'GetFeatureInfo', CRS, BBOX, LAYERS: 'countries', QUERY_LAYERS: 'countries', I: '1', J: '1' })
      assert.deepEqual([info.status, info.type], [200, 'text/plain; charset=utf-8'], BBOX)
    }
  }
  for (const path of ['//', '/%2e%2e/%2e%2e/etc/passwd', '/%E0%A4%A', '/tiles/map/0/0/0.png%00']) assert.ok([400, 404].includes((await get(server.base + path)).status), path)
})
