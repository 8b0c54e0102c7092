'use strict'

// Batches over HTTP: which coding an answer has, and that the first is on the wire before the second is written.

const assert = require('node:assert/strict')
const http = require('node:http')
const zlib = require('node:zlib')
const { once } = require('node:events')
const { test } = require('node:test')

const arrowJs = require('apache-arrow')
const fzstd = require('fzstd')

const { arrow, encode, features, negotiateArrow, respond, send } = require('../..')
const { listen, protocols } = require('./support/http')
const { idle, until } = require('./support/wait')

const CODINGS = ['identity', 'zstd', 'br', 'gzip', 'deflate']
const CODECS = ['none', 'zstd', 'lz4']
const TYPE = 'application/vnd.apache.arrow.stream'

/** A transform of what is received, chunk by chunk, to what it means: calls onBytes. */
function follow (coding, response, onBytes) {
  if (coding === 'identity') return response.on('data', onBytes)
  if (coding === 'zstd') {
    const decoder = new fzstd.Decompress(onBytes)
    return response.on('data', chunk => decoder.push(chunk))
  }
  const decoder = { br: zlib.createBrotliDecompress, gzip: zlib.createGunzip, deflate: zlib.createInflate }[coding]()
  return response.pipe(decoder).on('data', onBytes)
}

const decoders = { identity: body => body, zstd: fzstd.decompress, br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync, deflate: zlib.inflateSync }

/** Sends a source that is given [first, second]; isFirst(bytes) tells that all of the first was received. Resolves to all bytes. */
async function inTurn (t, source, coding, [first, second], isFirst) {
  const port = await listen(t, http.createServer((req, res) => send(req, res, source, { strategy: 'speed', coding: req.headers['accept-encoding'] === undefined ? 'identity' : 'auto' })))
  const request = http.get({ port, host: '127.0.0.1', agent: false, headers: coding === 'identity' ? {} : { 'accept-encoding': coding } })
  const written = source.write(first)
  const [response] = await once(request, 'response')
  assert.equal(response.headers['content-encoding'] ?? 'identity', coding)
  const received = []
  follow(coding, response, bytes => received.push(Buffer.from(bytes)))
  await until(() => isFirst(Buffer.concat(received)))
  await written
  const before = Buffer.concat(received).length
  source.write(second)
  source.end()
  await until(() => response.complete)
  await idle()
  await until(() => Buffer.concat(received).length > before)
  return () => Buffer.concat(received)
}

const place = n => ({ geometry: { x: Float64Array.from({ length: n }, (_, i) => i / 7), y: new Float64Array(n).fill(2) }, columns: { n: Int32Array.from({ length: n }, (_, i) => i) } })

for (const coding of CODINGS) {
  test(`speed: the first batch of features is there before the second is written, ${coding}`, async t => {
    for (const [format, mark, end] of [['gml32', '</wfs:member>', '</wfs:FeatureCollection>\n'], ['geojson', '"properties"', ']}\n'], ['csv', 'POINT', '\r\n']]) {
      for (const size of [1, 3000]) { // less and more than a chunk
        const source = features({ format, typeName: 'place', columns: { n: 'int32' } })
        const count = bytes => String(bytes).split(mark).length - 1
        const whole = await inTurn(t, source, coding, [place(size), place(5)], bytes => {
          assert.ok(count(bytes) <= size)
          return count(bytes) === size
        })
        await until(() => String(whole()).endsWith(end) && count(whole()) === size + 5)
      }
    }
  })
}

const { vectorFromArray } = arrowJs
const table = new arrowJs.Table({
  ticker: vectorFromArray(Array.from({ length: 3000 }, (_, i) => `TICK${i % 7}`), new arrowJs.Dictionary(new arrowJs.Utf8(), new arrowJs.Int16())),
  price: vectorFromArray(Array.from({ length: 3000 }, (_, i) => i % 100), new arrowJs.Float64())
})
const batches = [table.slice(0, 2000), table.slice(2000)].flatMap(part => part.batches)
const write = list => Buffer.from(arrowJs.RecordBatchStreamWriter.writeAll(list).toUint8Array(true))
const stream = write(batches)
const cut = write(batches.slice(0, 1)).length - 8 // without the end-of-stream marker

function converted (bytes, codec = 'none') {
  const source = arrow({ codec })
  source.write(bytes)
  source.end()
  return encode(source)
}

const values = async bytes => JSON.stringify(arrowJs.tableFromIPC(await converted(bytes)).toArray())

for (const codec of CODECS) {
  test(`speed: the first batch of Arrow is there before the second is written, codec ${codec}`, async t => {
    for (const coding of codec === 'none' ? CODINGS : ['identity']) {
      const wanted = (await converted(Buffer.concat([stream.subarray(0, cut), stream.subarray(-8)]), codec)).length - 8
      const whole = await inTurn(t, arrow({ codec }), coding, [stream.subarray(0, cut), stream.subarray(cut)], bytes => {
        assert.ok(bytes.length <= wanted)
        return bytes.length === wanted
      })
      await until(() => whole().subarray(-8).equals(stream.subarray(-8)))
      assert.equal(await values(whole()), await values(stream))
    }
  })
}

for (const protocol of ['HTTP/1.1', 'HTTP/2', 'HTTP/1.0']) {
  test(`${protocol}: Arrow has a codec or a coding, never both, and Vary tells what was asked`, async t => {
    let outcome
    const get = await protocols[protocol](t, (req, res) => {
      const { codec, headers } = negotiateArrow(req)
      const source = arrow({ codec })
      source.write(stream)
      source.end()
      const { searchParams } = new URL(req.url, 'http://localhost')
      outcome = send(req, res, source, { strategy: searchParams.get('strategy'), coding: searchParams.get('coding'), headers })
    })
    for (const strategy of ['partial', 'speed', 'buffer', 'file']) {
      for (const [codecs, accepted] of [['', 'gzip'], ['', 'zstd, br'], ['', 'br'], ['', 'identity'], ['zstd', 'zstd, br, gzip'], ['lz4', 'gzip'], ['lz4, zstd', 'br;q=1, *;q=0.5']]) {
        const wanted = codecs === '' ? accepted.split(', ')[0] : 'identity'
        const accept = codecs === '' ? TYPE : `${TYPE}; codecs="${codecs}"`
        for (const coding of ['auto', ...wanted === 'identity' ? ['gzip'] : []]) { // also when one is asked for by name
          if (codecs === '' && coding !== 'auto') continue
          const { status, headers, body, complete } = await get(`/?strategy=${strategy}&coding=${coding}`, { headers: { accept, 'accept-encoding': accepted } })
          const what = `${strategy}, codecs ${codecs}, ${accepted}, coding ${coding}`
          assert.deepEqual([status, complete, headers['content-encoding'] ?? 'identity', headers['content-type']], [200, true, wanted, TYPE], what)
          assert.deepEqual(headers.vary.split(/, */).sort(), ['Accept', 'Accept-Encoding'], what)
          const codec = codecs === '' ? 'none' : codecs.includes('zstd') ? 'zstd' : 'lz4'
          assert.ok((await converted(stream, codec)).equals(decoders[wanted](body)), what)
          assert.equal((await outcome).coding, wanted)
        }
      }
    }
  })
}

test('respond() has a codec or a coding as well', async () => {
  for (const [codec, wanted] of [['none', 'gzip'], ['zstd', null], ['lz4', null]]) {
    const source = arrow({ codec })
    source.write(stream)
    source.end()
    const response = await respond(new Request('http://localhost/', { headers: { 'accept-encoding': 'gzip' } }), source)
    assert.equal(response.headers.get('content-encoding'), wanted)
    assert.equal(response.headers.get('vary'), 'Accept-Encoding')
    const body = Buffer.from(await response.arrayBuffer())
    assert.equal(await values(wanted === null ? body : zlib.gunzipSync(body)), await values(stream))
  }
})
