'use strict'

// Content codings of answers, and the public issues about them.

const assert = require('node:assert/strict')
const http = require('node:http')
const http2 = require('node:http2')
const zlib = require('node:zlib')
const { once } = require('node:events')
const { test } = require('node:test')

const fzstd = require('fzstd')

const { bytes, image, respond, send } = require('../..')
const { get1, listen, protocols } = require('./support/http')
const { noise, pixels } = require('./support/images')
const { idle, quiet, until } = require('./support/wait')

const rows = Array.from({ length: 20_000 }, (_, i) => `${i},"name of ${i}",${i * 7919 % 10007}\n`).join('') // 500 KB
const CODINGS = ['zstd', 'br', 'gzip', 'deflate']

function text (content = rows, type = 'text/csv; charset=utf-8') {
  const source = bytes({ type })
  source.write(content)
  source.end()
  return source
}

const decoders = { br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync, deflate: zlib.inflateSync, zstd: fzstd.decompress }
const decode = (coding, body) => Buffer.from(decoders[coding](body)).toString()

/** Calls onText with what can be read of response so far. */
function follow (coding, response, onText) {
  if (coding === 'zstd') {
    const decoder = new fzstd.Decompress(chunk => onText(Buffer.from(chunk).toString()))
    response.on('data', chunk => decoder.push(chunk))
  } else {
    const decoder = { br: zlib.createBrotliDecompress, gzip: zlib.createGunzip, deflate: zlib.createInflate }[coding]()
    response.pipe(decoder).on('data', chunk => onText(chunk.toString()))
  }
}

const accept = coding => ({ headers: { 'accept-encoding': coding } })

for (const [protocol, start] of Object.entries(protocols)) {
  if (protocol === 'fetch') continue // it decodes by itself: see below
  test(`${protocol}: every coding by every strategy`, async t => {
    let outcome
    const get = await start(t, (req, res) => {
      outcome = send(req, res, text(), { strategy: new URL(req.url, 'http://localhost').searchParams.get('strategy'), headers: { etag: '"1"', 'content-length': rows.length } })
    })
    for (const coding of CODINGS) {
      for (const strategy of ['partial', 'speed', 'buffer', 'file']) {
        const { status, headers, body, complete } = await get(`/?strategy=${strategy}`, accept(coding))
        assert.deepEqual([status, complete, headers['content-encoding'], headers.vary, headers.etag], [200, true, coding, 'Accept-Encoding', 'W/"1"'], `${coding} by ${strategy}`)
        assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
        assert.ok(body.length < rows.length / 2)
        assert.ok(decode(coding, body) === rows, `${coding} by ${strategy}`)
        const report = await outcome
        assert.deepEqual([report.coding, report.bytes, report.error], [coding, body.length, undefined])
        const known = strategy === 'buffer' || strategy === 'file' || protocol === 'HTTP/1.0'
        assert.equal(headers['content-length'], known ? String(body.length) : undefined)
      }
    }
    const plain = await get('/?strategy=partial', accept('identity'))
    assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary, plain.headers.etag, plain.body.length], [undefined, 'Accept-Encoding', '"1"', rows.length])
  })

  test(`${protocol}: failures of coded answers, before the commit and after it`, async t => {
    let outcome
    const get = await start(t, (req, res) => {
      const source = bytes({ type: 'text/csv' })
      const push = async () => {
        await source.write(rows)
        for (let i = 0; req.url === '/late' && i < 20; i++) await source.write(noise(50_000, i)) // does not get smaller
        if (req.url === '/late' && req.httpVersion !== '1.0') await until(() => res.headersSent)
        await quiet()
        source.fail(new Error('gone'))
      }
      push().catch(() => {})
      outcome = send(req, res, source, { partialSize: 300_000, onError: error => ({ status: 503, body: error.message }) })
    })
    for (const coding of CODINGS) {
      const early = await get('/early', accept(coding))
      assert.deepEqual([early.status, early.body.toString(), early.headers['content-encoding'], early.headers.etag], [503, 'gone', undefined, undefined])
      assert.equal((await outcome).committed, false)
      const late = await get('/late', accept(coding))
      if (protocol === 'HTTP/1.0') {
        assert.equal(late.status, 503)
        continue
      }
      assert.deepEqual([late.status, late.complete], [200, false], coding)
      const { committed, aborted } = await outcome
      assert.deepEqual([committed, aborted], [true, true])
    }
    await idle()
  })
}

test('fetch decodes what Node knows', async t => {
  const get = await protocols.fetch(t, (req, res) => send(req, res, text()))
  const { headers, body } = await get('/')
  assert.ok(['br', 'gzip', 'zstd'].includes(headers['content-encoding']))
  assert.equal(body.toString(), rows)
})

test('speed: the first part is decodable before the second is written, by every coding', async t => {
  const part = rows.slice(0, 100_000)
  for (const coding of CODINGS) {
    const source = bytes({ type: 'text/csv' })
    const port = await listen(t, http.createServer((req, res) => send(req, res, source, { strategy: 'speed' })))
    const request = http.get({ port, host: '127.0.0.1', agent: false, ...accept(coding) })
    const first = source.write(part)
    const [response] = await once(request, 'response')
    let seen = ''
    follow(coding, response, text => { seen += text })
    await until(() => seen === part)
    await first
    source.write('second')
    source.end()
    await until(() => seen === `${part}second`)
    assert.ok(response.complete)
  }
})

test('a slow client slows the producer down, whatever the coding', async t => {
  for (const coding of CODINGS) {
    const source = bytes({ type: 'text/csv' })
    let written = 0
    const push = async () => {
      for (; written < 1000; written++) await source.write(noise(100_000, written))
      source.end()
    }
    push().catch(() => {})
    let outcome
    const port = await listen(t, http.createServer((req, res) => { outcome = send(req, res, source) }))
    const request = http.get({ port, host: '127.0.0.1', agent: false, ...accept(coding) })
    request.on('error', () => {})
    await once(request, 'response')
    let before = -1
    await until(async () => {
      const stands = written === before
      before = written
      await quiet()
      return stands || written >= 400
    })
    assert.ok(written < 400, `${coding}: ${written} parts of 100 KB for nobody`)
    request.destroy()
    assert.equal((await outcome).aborted, true)
  }
  await idle()
})

test('a coding by name: without Accept-Encoding it is used, refused it is not', async t => {
  const get = await protocols['HTTP/1.1'](t, (req, res) => send(req, res, text(), { coding: req.url.slice(1) }))
  for (const coding of CODINGS) {
    assert.equal((await get(`/${coding}`)).headers['content-encoding'], coding)
    assert.equal((await get(`/${coding.toUpperCase()}`, accept('zstd, br, gzip, deflate'))).headers['content-encoding'], coding)
    assert.equal((await get(`/${coding}`, accept('compress'))).headers['content-encoding'], undefined)
    assert.equal((await get(`/${coding}`, accept(`*, ${coding};q=0`))).headers['content-encoding'], undefined)
  }
  assert.equal((await get('/identity', accept('gzip'))).headers['content-encoding'], undefined)
  assert.equal((await get('/auto')).headers['content-encoding'], undefined)
  assert.equal((await get('/zip', accept('gzip'))).status, 500)
})

test('406, and only when identity is refused and nothing else will do', async t => {
  let outcome
  const get = await protocols['HTTP/1.1'](t, (req, res) => { outcome = send(req, res, req.url === '/png' ? pixels(20, 20) : text(), { headers: { etag: '"1"' } }) })
  const refused = await get('/', accept('*;q=0'))
  assert.deepEqual([refused.status, refused.headers.vary, refused.headers.etag, refused.body.toString()], [406, 'Accept-Encoding', undefined, '406 Not Acceptable\n'])
  const { status, committed, error } = await outcome
  assert.deepEqual([status, committed, error], [406, false, undefined])
  assert.equal((await get('/', accept('identity;q=0'))).headers['content-encoding'], 'zstd')
  assert.equal((await get('/png', accept('gzip, identity;q=0'))).status, 406)
  assert.equal((await get('/png', accept('gzip'))).status, 200)
  await idle()
})

test('what is compressed, coded or not to be transformed passes as it is', async t => {
  const coded = zlib.gzipSync(rows)
  const cases = {
    '/png': [pixels(300, 200), {}],
    '/type': [text(rows, 'image/webp'), {}],
    '/user-type': [text(), { headers: { 'content-type': 'image/jpeg' } }],
    '/transform': [text(), { headers: { 'cache-control': 'public, no-transform' } }],
    '/range': [text(), { status: 206, headers: { 'content-range': 'bytes 0-9/100' } }],
    '/svg': [text(rows, 'image/svg+xml'), {}]
  }
  const get = await protocols['HTTP/1.1'](t, (req, res) => {
    const { pathname } = new URL(req.url, 'http://localhost')
    if (pathname === '/coded') { // geoserver PR 1975: no double coding
      res.setHeader('Content-Encoding', 'gzip')
      const source = bytes({ type: 'text/csv' })
      source.write(coded)
      source.end()
      return send(req, res, source, { coding: req.headers['x-coding'] })
    }
    send(req, res, ...cases[pathname])
  })
  for (const path of Object.keys(cases)) {
    const { headers } = await get(path, accept('gzip, br, zstd'))
    assert.equal(headers['content-encoding'], path === '/svg' ? 'zstd' : undefined, path)
    assert.match(headers.vary, /Accept-Encoding/)
  }
  for (const coding of ['auto', 'gzip', 'zstd', 'br']) {
    const { headers, body } = await get('/coded', { headers: { 'accept-encoding': 'gzip, br, zstd', 'x-coding': coding } })
    assert.equal(headers['content-encoding'], 'gzip')
    assert.equal(zlib.gunzipSync(body).toString(), rows)
  }
})

// ---- public issues

test('deegree/deegree3#1620: an error before the first feature is a report and nothing else', async t => {
  for (const protocol of ['HTTP/1.1', 'HTTP/2', 'HTTP/1.0']) {
    for (const strategy of ['partial', 'speed', 'buffer', 'file']) {
      const get = await protocols[protocol](t, (req, res) => {
        const source = bytes({ type: 'application/gml+xml' })
        send(req, res, source, { strategy, onError: error => ({ status: 400, headers: { 'content-type': 'application/xml' }, body: `<ows:ExceptionReport>${error.message}</ows:ExceptionReport>` }) })
        setImmediate(() => source.fail(new Error('no such column')))
      })
      const { status, headers, body } = await get('/', accept('zstd, gzip'))
      assert.deepEqual([status, headers['content-type'], headers['content-encoding'], body.toString()], [400, 'application/xml', undefined, '<ows:ExceptionReport>no such column</ows:ExceptionReport>'])
    }
  }
})

test('expressjs/compression#23: HEAD is answered without coding, length or body', async t => {
  const get = await protocols['HTTP/1.1'](t, (req, res) => send(req, res, text()))
  const { status, headers, body } = await get('/', { method: 'HEAD', ...accept('gzip, br') })
  assert.deepEqual([status, body.length, headers['content-encoding'], headers['content-length'], headers['content-type'], headers.vary], [200, 0, undefined, undefined, 'text/csv; charset=utf-8', 'Accept-Encoding'])
})

test('expressjs/compression#217: zstd, also where Node has none', async t => {
  const get = await protocols['HTTP/1.1'](t, (req, res) => send(req, res, text()))
  const { headers, body } = await get('/', accept('gzip, deflate, br, zstd')) // as browsers ask
  assert.equal(headers['content-encoding'], 'zstd')
  assert.equal(decode('zstd', body), rows)
})

test('fastify/fastify-compress#61: what sends no Accept-Encoding, or none that is known, gets the plain bytes', async t => {
  const get = await protocols['HTTP/1.1'](t, (req, res) => send(req, res, text()))
  for (const options of [{}, accept(''), accept('compress'), accept('foo;q=x')]) {
    const { status, headers, body } = await get('/', options)
    assert.deepEqual([status, headers['content-encoding'], body.toString() === rows], [200, undefined, true])
  }
})

test('qgis/QGIS#47198: an error in a later layer is not an answer of 200 that looks whole', async t => {
  for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
    for (const strategy of ['partial', 'speed', 'buffer', 'file']) {
      const get = await protocols[protocol](t, (req, res) => {
        const source = image({ width: 400, height: 800 })
        const push = async () => {
          for (let i = 0; i < 4; i++) await source.write(noise(400 * 4 * 100, i)) // the first layer
          await quiet()
          source.fail(new Error('layer 2 is broken'))
        }
        push().catch(() => {})
        send(req, res, source, { strategy })
      })
      const { status, complete } = await get('/')
      assert.ok(status === 500 || !complete, `${protocol}, ${strategy}`)
    }
  }
})

test('respond() codes as send() does', async () => {
  for (const coding of CODINGS) {
    const response = await respond(new Request('http://localhost', accept(coding)), text())
    assert.equal(response.headers.get('content-encoding'), coding)
    assert.ok(decode(coding, Buffer.from(await response.arrayBuffer())) === rows)
  }
})

test('HTTP/2 and keep-alive go on after coded answers', async t => {
  const port = await listen(t, http2.createServer((req, res) => send(req, res, text(), { strategy: 'speed' })))
  const session = http2.connect(`http://127.0.0.1:${port}`)
  for (const coding of [...CODINGS, ...CODINGS]) {
    const stream = session.request({ 'accept-encoding': coding })
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    assert.ok(decode(coding, Buffer.concat(chunks)) === rows)
  }
  session.close()
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const port1 = await listen(t, http.createServer((req, res) => send(req, res, text())))
  for (const coding of CODINGS) assert.ok(decode(coding, (await get1(http, port1, '/', { agent, ...accept(coding) })).body) === rows)
  agent.destroy()
})
