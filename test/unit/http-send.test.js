'use strict'

// Strategies, failures and header fields, over every protocol and by real clients.

const assert = require('node:assert/strict')
const { test } = require('node:test')

const { bytes, encode, image, send } = require('../..')
const { get1, get2, getFetch, listen, protocols, raw } = require('./support/http')
const { noise, pixels, strips } = require('./support/images')
const { idle, quiet, until } = require('./support/wait')

const http = require('node:http')
const http2 = require('node:http2')

const stored = { level: 'stored', reduce: false }
const small = pixels(20, 20) // 1.7 KB
const large = pixels(600, 400) // 960 KB
const STRATEGIES = ['partial', 'speed', 'buffer', 'file']

/** A source that is pushed n strips of large, each of 20 rows (48 KB), and then fails with error. */
function failing (n, error) {
  const source = image({ width: 600, height: 400 })
  const push = async () => {
    for (const strip of [...strips(large, 20)].slice(0, n)) await source.write(strip)
    await quiet() // what can leave has left
    source.fail(error)
  }
  push().catch(() => {})
  return source
}

const onError = error => ({ status: 503, headers: { 'content-type': 'application/xml' }, body: `<report>${error.message}</report>` })

/** Serves what make(url) returns, [source, options], and keeps the last report in result. */
function serving (make) {
  const result = { report: null }
  const handler = async (req, res) => {
    const [source, options] = make(new URL(req.url, 'http://localhost'))
    result.report = null
    result.report = await send(req, res, source, options)
  }
  return { handler, result }
}

for (const [protocol, start] of Object.entries(protocols)) {
  test(`${protocol}: every strategy sends all of an output, and says how long it is when it knows`, async t => {
    const whole = { small: await encode(small, stored), large: await encode(large, stored) }
    const { handler, result } = serving(url => [url.searchParams.get('size') === 'small' ? small : large, { ...stored, strategy: url.searchParams.get('strategy') }])
    const get = await start(t, handler)
    for (const size of ['small', 'large']) {
      for (const strategy of STRATEGIES) {
        const { status, headers, body, complete } = await get(`/?size=${size}&strategy=${strategy}`)
        assert.equal(status, 200)
        assert.ok(complete)
        assert.ok(body.equals(whole[size]), `${size} by ${strategy}`)
        assert.equal(headers['content-type'], 'image/png')
        assert.equal(headers.vary, 'Accept-Encoding')
        assert.equal(headers['content-encoding'], undefined)
        const known = size === 'small' || strategy === 'buffer' || strategy === 'file' || protocol === 'HTTP/1.0'
        assert.equal(headers['content-length'], known ? String(body.length) : undefined, `${size} by ${strategy}`)
        assert.equal(headers['x-accel-buffering'], known ? undefined : 'no')
        const report = await until(() => result.report)
        assert.equal(report.strategy, protocol === 'HTTP/1.0' && strategy !== 'buffer' ? 'file' : strategy)
        assert.deepEqual([report.bytes, report.committed, report.aborted, report.status, report.error], [body.length, true, false, 200, undefined])
        assert.deepEqual([report.format, report.mediaType, report.level, report.coding], ['png', 'image/png', 'stored', 'identity'])
        assert.ok(report.chunks > 0 && report.firstByteMs > 0 && report.firstByteMs <= report.totalMs)
      }
    }
  })

  test(`${protocol}: an early failure is a document of its own`, async t => {
    const { handler, result } = serving(url => [failing(Number(url.searchParams.get('n')), new Error('gone')), {
      ...stored, strategy: url.searchParams.get('strategy'), headers: { etag: '"1"', 'cache-control': 'max-age=60' }, onError
    }])
    const get = await start(t, handler)
    for (const [strategy, n] of [['partial', 0], ['partial', 1], ['speed', 0], ['buffer', 19], ['file', 19]]) {
      const { status, headers, body, complete } = await get(`/?strategy=${strategy}&n=${n}`)
      assert.deepEqual([status, headers['content-type'], body.toString(), complete], [503, 'application/xml', '<report>gone</report>', true], `${strategy} after ${n} parts`)
      assert.deepEqual([headers['content-length'], headers.etag, headers['cache-control']], ['21', undefined, undefined])
      const report = await until(() => result.report)
      assert.deepEqual([report.committed, report.aborted, report.status, report.error.message, report.bytes, report.firstByteMs], [false, false, 503, 'gone', 0, null])
    }
  })

  test(`${protocol}: a late failure is one for the client`, async t => {
    const { handler, result } = serving(url => [failing(19, new Error('gone')), { ...stored, strategy: url.searchParams.get('strategy'), onError }])
    const get = await start(t, handler)
    for (const strategy of ['partial', 'speed']) {
      const { status, body, complete, failure } = await get(`/?strategy=${strategy}`)
      const report = await until(() => result.report)
      if (protocol === 'HTTP/1.0') { // it cannot be told of one, so nothing was sent
        assert.deepEqual([status, body.toString(), complete], [503, '<report>gone</report>', true])
        continue
      }
      assert.equal(status, 200)
      assert.equal(complete, false)
      assert.equal(failure, { fetch: 'terminated', 'HTTP/2': 'ERR_HTTP2_STREAM_ERROR', 'HTTP/2 over TLS': 'ERR_HTTP2_STREAM_ERROR' }[protocol] ?? 'ECONNRESET')
      assert.ok(body.length < 960000)
      assert.deepEqual([report.committed, report.aborted, report.status, report.error.message], [true, true, 200, 'gone'])
      assert.ok(report.bytes > 0)
    }
    await idle()
  })

  test(`${protocol}: HEAD has the fields, no body, and ends what is pushed`, async t => {
    const source = image({ width: 600, height: 400 })
    const { handler, result } = serving(() => [source, { headers: { 'x-map': 'yes' } }])
    const get = await start(t, handler)
    const { status, headers, body } = await get('/', { method: 'HEAD' })
    assert.deepEqual([status, headers['content-type'], headers['x-map'], headers.vary, body.length], [200, 'image/png', 'yes', 'Accept-Encoding', 0])
    assert.equal(headers['content-encoding'], undefined)
    const report = await until(() => result.report)
    assert.deepEqual([report.committed, report.aborted, report.status, report.error, report.bytes], [true, false, 200, undefined, 0])
    await assert.rejects(source.write(Buffer.alloc(2400)), { name: 'AbortError' })
    source.end()
    source.fail(new Error('late'))
    await idle()
  })

  test(`${protocol}: what is wrong with the request is a document`, async t => {
    const { handler, result } = serving(url => [small, { format: url.searchParams.get('format'), onError }])
    const get = await start(t, handler)
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await get('/?format=nope', { method })
      assert.equal(status, 503)
      assert.equal(headers['content-type'], 'application/xml')
      assert.match(body.toString(), method === 'GET' ? /Expected a known image format/ : /^$/)
      assert.equal((await until(() => result.report)).error.code, 'ERR_SLUICE_FORMAT')
    }
  })
}

// ---- strategies

test('partial commits when more than partialSize bytes came, not before', async t => {
  const { handler, result } = serving(url => [failing(Number(url.searchParams.get('n')), new Error('gone')), { ...stored, partialSize: 200_000, onError }])
  const get = await protocols['HTTP/1.1'](t, handler)
  assert.equal((await get('/?n=4')).status, 503)
  assert.equal((await get('/?n=8')).status, 200)
  await until(() => result.report)
})

test('partial: exactly as much as it holds is sent whole, one byte more is not', async t => {
  const { handler } = serving(url => {
    const source = bytes()
    source.write(noise(Number(url.searchParams.get('n'))))
    source.end()
    return [source, { chunkSize: 1000 }]
  })
  const get = await protocols['HTTP/1.1'](t, handler)
  assert.equal((await get('/?n=51200')).headers['content-length'], '51200')
  assert.equal((await get('/?n=52201')).headers['transfer-encoding'], 'chunked')
  const empty = await get('/?n=0')
  assert.deepEqual([empty.headers['content-length'], empty.complete, empty.status], ['0', true, 200])
})

test('speed: the first part arrives before the second is written', async t => {
  for (const start of [protocols['HTTP/1.1'], protocols['HTTP/2']]) {
    const source = bytes({ type: 'text/plain' })
    let arrived
    const first = new Promise(resolve => { arrived = resolve })
    const server = start === protocols['HTTP/2'] ? http2.createServer() : http.createServer()
    server.on('request', (req, res) => send(req, res, source, { strategy: 'speed' }))
    const port = await listen(t, server)
    let text = ''
    const onData = chunk => { text += chunk; arrived() }
    if (start === protocols['HTTP/2']) {
      const session = http2.connect(`http://127.0.0.1:${port}`)
      session.request({ ':path': '/' }).on('data', onData).on('close', () => session.close())
    } else {
      http.get({ port, agent: false }, response => response.on('data', onData))
    }
    await source.write('one')
    await first
    assert.equal(text, 'one')
    source.write('two')
    source.end()
    await until(() => text === 'onetwo')
  }
})

test('buffer and file hold any amount, whatever the credit', async t => {
  const many = 30 * 1024 * 1024
  const block = noise(64 * 1024)
  const { handler, result } = serving(url => {
    const source = bytes()
    const push = async () => {
      for (let i = 0; i < many / block.length; i++) await source.write(block)
      if (url.searchParams.get('fail') === null) source.end()
      else source.fail(new Error('gone'))
    }
    push()
    return [source, { strategy: url.searchParams.get('strategy'), onError }]
  })
  for (const protocol of ['HTTP/1.1', 'HTTP/2', 'HTTP/1.0']) {
    const get = await protocols[protocol](t, handler)
    for (const strategy of ['buffer', 'file']) {
      const { headers, body, complete } = await get(`/?strategy=${strategy}`)
      assert.ok(complete)
      assert.equal(headers['content-length'], String(many))
      assert.equal(body.length, many)
      for (let at = 0; at < many; at += block.length) assert.ok(body.subarray(at, at + block.length).equals(block), `${strategy} at ${at}`)
      await until(() => result.report)
      assert.equal(result.report.bytes, many)
      const { status } = await get(`/?strategy=${strategy}&fail=1`)
      assert.equal(status, 503)
    }
  }
})

// ---- header fields

test('fields that were set before are kept, and those of the content do not outlive a failure', async t => {
  const handler = (req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*')
    res.setHeader('Vary', 'Origin')
    res.setHeader('Content-Disposition', 'attachment')
    res.setHeader('Cache-Control', 'max-age=60')
    send(req, res, small, { format: req.url === '/bad' ? 'nope' : undefined, headers: { 'X-Map': ['a', 'b'], Vary: 'Accept', etag: '"1"', 'x-none': undefined } })
  }
  for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
    const get = await protocols[protocol](t, handler)
    const { headers } = await get('/')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers.vary, 'Accept, Origin, Accept-Encoding')
    assert.equal(headers['x-map'], 'a, b')
    assert.deepEqual([headers.etag, headers['cache-control'], headers['content-disposition'], headers['x-none']], ['"1"', 'max-age=60', 'attachment', undefined])
    const bad = await get('/bad')
    assert.equal(bad.status, 500)
    assert.equal(bad.headers['access-control-allow-origin'], '*')
    assert.equal(bad.headers.vary, 'Origin, Accept-Encoding')
    assert.deepEqual([bad.headers.etag, bad.headers['cache-control'], bad.headers['content-disposition'], bad.headers['x-map']], [undefined, undefined, undefined, undefined])
    assert.equal(bad.body.toString(), '500 Internal Server Error\n')
  }
})

test('headers may be a Headers or pairs, and a content-type wins', async t => {
  const forms = [new Headers({ 'Content-Type': 'image/x-map' }), [['content-type', 'image/x-map']], { 'CONTENT-TYPE': 'image/x-map' }]
  const { handler } = serving(url => [small, { status: 203, headers: forms[Number(url.pathname.slice(1))] }])
  const get = await protocols['HTTP/1.1'](t, handler)
  for (const i of forms.keys()) {
    const { status, headers } = await get(`/${i}`)
    assert.deepEqual([status, headers['content-type']], [203, 'image/x-map'])
  }
})

test('204, 205 and 304 have no body, 206 is left alone', async t => {
  const { handler, result } = serving(url => [small, { status: Number(url.pathname.slice(1)), headers: { etag: '"1"', 'content-range': 'bytes 0-9/100' } }])
  for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
    const get = await protocols[protocol](t, handler)
    for (const code of [204, 205, 304]) {
      const { status, headers, body, complete } = await get(`/${code}`, { headers: { 'accept-encoding': 'gzip' } })
      assert.deepEqual([status, body.length, complete, headers.etag, headers['content-type'], headers['content-encoding']], [code, 0, true, '"1"', undefined, undefined])
      assert.equal((await until(() => result.report)).error, undefined)
    }
    const part = await get('/206', { headers: { 'accept-encoding': 'gzip', range: 'bytes=0-9' } })
    assert.deepEqual([part.status, part.headers['content-range'], part.headers['content-encoding'], part.headers.etag], [206, 'bytes 0-9/100', undefined, '"1"'])
  }
  await idle()
})

test('keep-alive works after each kind of answer but a cut one', async t => {
  const { handler } = serving(url => url.pathname === '/bad' ? [small, { format: 'nope' }] : [small, {}])
  const port = await listen(t, http.createServer(handler))
  const get = path => `GET ${path} HTTP/1.1\r\nHost: a\r\n${path === '/last' ? 'Connection: close\r\n' : ''}\r\n`
  const text = (await raw(port, get('/a') + get('/bad') + get('/last'))).toString('latin1')
  assert.deepEqual(text.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 500', 'HTTP/1.1 200'])
})

test('a content-length that is wrong is a failure, one that is right is kept', async t => {
  const { handler, result } = serving(url => {
    const source = bytes()
    for (let i = 0; i < 10; i++) source.write(noise(10_000))
    source.end()
    return [source, { strategy: 'speed', chunkSize: 10_000, headers: { 'content-length': Number(url.pathname.slice(1)) } }]
  })
  for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
    const get = await protocols[protocol](t, handler)
    const right = await get('/100000')
    assert.deepEqual([right.complete, right.headers['content-length'], right.body.length], [true, '100000', 100000])
    for (const length of [99_999, 100_001]) {
      const { complete } = await get(`/${length}`).catch(() => ({ complete: false }))
      assert.equal(complete, false)
      const { error, aborted } = await until(() => result.report)
      assert.deepEqual([error.code, aborted], ['ERR_SLUICE_ARGUMENT', true])
    }
  }
})

// ---- onError

test('what onError returns may be bytes, empty, late; what it leaves out follows from the error', async t => {
  const cases = {
    '/bytes': [() => ({ body: new Uint8Array([65, 66]) }), 500, 'AB'],
    '/late': [async error => ({ status: 404, body: error.code }), 404, 'ERR_SLUICE_FORMAT'],
    '/empty': [() => ({ status: 204 }), 204, ''],
    '/status': [() => ({ body: 'x' }), 418, 'x', Object.assign(new Error('no'), { statusCode: 418 })],
    '/default': [undefined, 404, '404 Not Found\n', Object.assign(new Error('secret'), { status: 404 })]
  }
  const { handler } = serving(url => {
    const [onError,,, error] = cases[url.pathname]
    return [error ? failing(0, error) : small, { format: error ? 'png' : 'nope', onError }]
  })
  for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
    const get = await protocols[protocol](t, handler)
    for (const [path, [, status, body]] of Object.entries(cases)) {
      const answer = await get(path)
      assert.deepEqual([answer.status, answer.body.toString(), answer.complete], [status, body, true], path)
    }
  }
})

test('a broken onError is the caller\'s bug, and the client gets an answer', async t => {
  const broken = [() => { throw new Error('mine') }, () => 'text', () => null, () => ({ body: 5 }), () => ({ status: 42 }), () => ({ headers: { 'a b': 'c' } })]
  let outcome
  const port = await listen(t, http.createServer((req, res) => {
    outcome = send(req, res, small, { format: 'nope', onError: broken[Number(req.url.slice(1))] }).catch(error => error)
  }))
  for (const i of broken.keys()) {
    const { status, body } = await get1(http, port, `/${i}`)
    assert.deepEqual([status, body.toString()], [500, '500 Internal Server Error\n'])
    const error = await outcome
    assert.equal(error.code, 'ERR_SLUICE_ARGUMENT')
    assert.match(error.message, /^Expected (onError|headers)/)
  }
})

// ---- bugs of the caller's

test('what is wrong with the call rejects with ERR_SLUICE_ARGUMENT and sends nothing', async t => {
  const used = bytes()
  const calls = [
    (req, res) => send(null, res, small),
    (req, res) => send(req, {}, small),
    (req, res) => send(req, { raw: res }, small),
    (req, res) => send(req, { res }, small),
    (req, res) => send(req, res, 'source'),
    (req, res) => send(req, res, small, 'options'),
    (req, res) => send(req, res, small, []),
    (req, res) => send(req, res, small, null),
    (req, res) => send(req, res, small, { strategy: 'fast' }),
    (req, res) => send(req, res, small, { partialSize: '5' }),
    (req, res) => send(req, res, small, { partialSize: -1 }),
    (req, res) => send(req, res, small, { status: 99 }),
    (req, res) => send(req, res, small, { status: '200' }),
    (req, res) => send(req, res, small, { headers: 5 }),
    (req, res) => send(req, res, small, { headers: { a: 'b\r\nc: d' } }),
    (req, res) => send(req, res, small, { headers: ['a'] }),
    (req, res) => send(req, res, small, { coding: 5 }),
    (req, res) => send(req, res, small, { onError: {} }),
    (req, res) => send(req, res, small, { onReport: {} }),
    (req, res) => send(req, res, small, { chunkSize: 0 }),
    (req, res) => send(req, res, small, { signal: {} }),
    (req, res) => { encode(used).catch(() => {}); return send(req, res, used) }
  ]
  let outcome
  const port = await listen(t, http.createServer(async (req, res) => {
    outcome = await calls[Number(req.url.slice(1))](req, res).catch(error => error)
    res.end(`sent: ${res.headersSent}`)
  }))
  for (const i of calls.keys()) {
    const { body } = await getFetch(port, `/${i}`)
    assert.equal(outcome.code, 'ERR_SLUICE_ARGUMENT', String(calls[i]))
    assert.match(outcome.message, /^Expected /)
    assert.equal(body.toString(), 'sent: false')
  }
  used.end()
})

test('a response that others use is the caller\'s bug, and the encode ends', async t => {
  let outcome
  const port = await listen(t, http.createServer((req, res) => {
    if (req.url === '/before') res.end('mine')
    outcome = send(req, res, large, stored).catch(error => error)
    if (req.url === '/after') res.end('mine')
  }))
  for (const path of ['/before', '/after']) {
    assert.equal((await get1(http, port, path)).body.toString(), 'mine')
    assert.equal((await outcome).code, 'ERR_SLUICE_ARGUMENT')
  }
  await idle()
})

test('ignored rejections end no process', async t => {
  const port = await listen(t, http.createServer((req, res) => {
    send(req, res, 'nothing')
    setImmediate(() => res.end('alive'))
  }))
  assert.equal((await getFetch(port, '/')).body.toString(), 'alive')
})

test('request bodies that nobody reads do not matter', async t => {
  const { handler } = serving(() => [large, stored])
  const port = await listen(t, http2.createServer(handler))
  const { body, complete } = await get2('http', port, '/', { method: 'POST' })
  assert.ok(complete)
  assert.ok(body.length > 900_000)
})
