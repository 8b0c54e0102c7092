'use strict'

// send() as the clients see it that people use: curl, Python's urllib and Chromium.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const https = require('node:https')
const { execFileSync } = require('node:child_process')
const { once } = require('node:events')
const { test, before, after } = require('node:test')
const { chromium } = require('playwright-core')
const { bytes, encode, image, send, stats } = require('sluice')
const { certificate } = require('../unit/support/certificate')
const { pixels, strips } = require('../unit/support/images')
const { idle, quiet } = require('../unit/support/wait')
const { execFile, temporary } = require('./tools')

const file = temporary(after)
const stored = { level: 'stored', reduce: false }
const large = pixels(600, 400)
const rows = Array.from({ length: 5000 }, (_, i) => `${i},"name of ${i}",${i * 7}\n`).join('')
const reports = []
const servers = {}
let whole
let browser

// /whole; /early and /late fail before and after the commit; /csv is text.
function source (path) {
  if (path === '/whole') return large
  if (path === '/csv') {
    const text = bytes({ type: 'text/csv; charset=utf-8' })
    text.write(rows)
    text.end()
    return text
  }
  if (path === '/endless') {
    const text = bytes()
    text.write('one').then(() => reports.push('started'))
    return text
  }
  const pushed = image({ width: 600, height: 400 })
  const push = async () => {
    for (const strip of [...strips(large, 40)].slice(0, path === '/early' ? 0 : 9)) await pushed.write(strip)
    await quiet()
    pushed.fail(new Error('the database is gone'))
  }
  push().catch(() => {})
  return pushed
}

async function handle (req, res) {
  const { pathname: path, searchParams } = new URL(req.url, 'http://localhost')
  if (path === '/') {
    res.setHeader('content-type', 'text/html')
    return res.end('<!doctype html><title>sluice</title><link rel=icon href=data:,>')
  }
  const own = path === '/csv' ? {} : stored
  reports.push(await send(req, res, source(path), {
    ...own,
    strategy: searchParams.get('strategy') ?? 'partial',
    onError: error => ({ status: 503, headers: { 'content-type': 'text/xml' }, body: `<ows:ExceptionReport>${error.message}</ows:ExceptionReport>` })
  }))
}

before(async () => {
  whole = await encode(large, stored)
  const tls = certificate()
  for (const [name, server] of Object.entries({ http: http.createServer(handle), https: https.createServer(tls, handle), http2: http2.createSecureServer({ ...tls, allowHTTP1: true }, handle) })) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    servers[name] = { server, base: `${name === 'http' ? 'http' : 'https'}://127.0.0.1:${server.address().port}` }
  }
  browser = await chromium.launch({ executablePath: execFileSync('sh', ['-c', 'command -v chromium']).toString().trim(), args: ['--no-sandbox', '--ignore-certificate-errors'] })
})

after(async () => {
  await browser?.close()
  for (const { server } of Object.values(servers)) {
    server.close()
    server.closeAllConnections?.()
  }
})

// Each resolves to {status, type, body, failure: how the client says that the answer is not whole, or null}.
const clients = {
  async curl (url, flags = []) {
    const body = file('body')
    fs.rmSync(body, { force: true })
    const { stdout, code } = await execFile('curl', ['-sSk', ...flags, '-o', body, '-w', '%{http_code} %{content_type}', url]).catch(error => error)
    const [status, ...type] = stdout.split(' ')
    return { status: Number(status), type: type.join(' '), body: fs.existsSync(body) ? fs.readFileSync(body) : Buffer.alloc(0), failure: code ?? null }
  },

  async urllib (url) {
    const script = `
import json, ssl, sys, urllib.request, urllib.error, http.client
context = ssl._create_unverified_context()
failure = None
try:
    answer = urllib.request.urlopen(sys.argv[1], context=context)
except urllib.error.HTTPError as error:
    answer = error
try:
    body = answer.read()
except http.client.IncompleteRead as error:
    body, failure = error.partial, 'IncompleteRead'
open(sys.argv[2], 'wb').write(body)
print(json.dumps({'status': answer.status, 'type': answer.headers['content-type'], 'failure': failure}))`
    const body = file('body')
    const { stdout } = await execFile('python3', ['-c', script, url, body])
    return { ...JSON.parse(stdout), body: fs.readFileSync(body) }
  },

  async Chromium (url) {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(new URL('/', url).href)
    const seen = await page.evaluate(async url => {
      const answer = await fetch(url, { cache: 'no-store' })
      const result = { status: answer.status, type: answer.headers.get('content-type'), coding: answer.headers.get('content-encoding'), body: '', failure: null }
      try {
        const bytes = new Uint8Array(await answer.arrayBuffer())
        for (let i = 0; i < bytes.length; i += 4096) result.body += String.fromCharCode(...bytes.subarray(i, i + 4096))
      } catch (error) {
        result.failure = error.name
      }
      return result
    }, url)
    await page.close()
    return { ...seen, body: Buffer.from(seen.body, 'latin1') }
  }
}

const ways = [
  ['curl, HTTP/1.0', 'http', url => clients.curl(url, ['--http1.0'])],
  ['curl, HTTP/1.1', 'http', url => clients.curl(url)],
  ['curl, HTTP/1.1 over TLS', 'https', url => clients.curl(url, ['--http1.1'])],
  ['curl, HTTP/2', 'http2', url => clients.curl(url, ['--http2'])],
  ['urllib', 'http', clients.urllib],
  ['urllib over TLS', 'https', clients.urllib],
  ['Chromium', 'http', clients.Chromium],
  ['Chromium, HTTP/1.1 over TLS', 'https', clients.Chromium],
  ['Chromium, HTTP/2', 'http2', clients.Chromium]
]

// curl: 18 is a partial file, 92 a stream that was not closed cleanly.
const failures = { curl: [18, 92, 56], urllib: ['IncompleteRead'], Chromium: ['TypeError'] }

for (const [name, server, get] of ways) {
  test(`${name}: a whole answer by every strategy`, async () => {
    for (const strategy of ['partial', 'speed', 'buffer', 'file']) {
      const { status, type, body, failure } = await get(`${servers[server].base}/whole?strategy=${strategy}`)
      assert.deepEqual([status, type, failure], [200, 'image/png', null])
      assert.ok(body.equals(whole), strategy)
    }
  })

  test(`${name}: an early failure is a document`, async () => {
    for (const strategy of ['partial', 'speed', 'buffer', 'file']) {
      const { status, type, body, failure } = await get(`${servers[server].base}/early?strategy=${strategy}`)
      assert.deepEqual([status, type, body.toString(), failure], [503, 'text/xml', '<ows:ExceptionReport>the database is gone</ows:ExceptionReport>', null])
    }
  })

  test(`${name}: a late failure is one for the client`, async () => {
    for (const strategy of ['partial', 'speed']) {
      const { status, body, failure } = await get(`${servers[server].base}/late?strategy=${strategy}`)
      if (name.endsWith('1.0')) {
        assert.deepEqual([status, failure], [503, null])
        continue
      }
      assert.equal(status, 200)
      assert.ok(failures[name.split(/[ ,]/)[0]].includes(failure), `failed with ${failure}`)
      assert.ok(body.length < whole.length)
    }
    await idle()
  })
}

test('curl -I has the fields and no body', async () => {
  for (const server of ['http', 'http2']) {
    const { stdout } = await execFile('curl', ['-sSkI', `${servers[server].base}/whole`])
    assert.match(stdout, /^HTTP\/\S+ 200/)
    assert.match(stdout, /^content-type: image\/png/im)
    assert.match(stdout, /^vary: Accept-Encoding/im)
  }
})

test('a page shows the image of each protocol', async () => {
  for (const { base } of Object.values(servers)) {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(`${base}/`)
    const size = await page.evaluate(async url => {
      const element = new Image()
      element.src = url
      await element.decode()
      return [element.naturalWidth, element.naturalHeight]
    }, `${base}/whole?strategy=speed`)
    assert.deepEqual(size, [600, 400])
    await page.close()
  }
})

test('a page that goes away ends the encode', async () => {
  const page = await browser.newPage()
  await page.goto(`${servers.http.base}/`)
  page.evaluate(url => fetch(url), `${servers.http.base}/endless?strategy=speed`).catch(() => {})
  while (reports.at(-1) !== 'started') await new Promise(resolve => setTimeout(resolve, 10))
  await page.close()
  await idle()
  assert.deepEqual([reports.at(-1).aborted, reports.at(-1).error.name], [true, 'AbortError'])
  assert.equal((await stats()).streams, 0)
})
