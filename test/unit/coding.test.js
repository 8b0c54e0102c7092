'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { PassThrough, Transform } = require('node:stream')
const { test } = require('node:test')
const zlib = require('node:zlib')
const fzstd = require('fzstd')

const { bytes, encode, encodeChunked, encodeStream, send } = require('../..')
const binding = require('../../js/binding')
const { split } = require('../../js/options')
const { Stream } = require('../../js/stream')
const { collect } = require('./support/collect')
const { decode, noise, pixels } = require('./support/images')
const { idle, turn } = require('./support/wait')

// None of these decoders has anything in common with what codes.
const decoders = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, zstd: data => Buffer.from(fzstd.decompress(data)) }
const codings = Object.keys(decoders)
const row = i => `<wfs:member><osm:road gml:id="road.${i}"><osm:lanes>${i % 5}</osm:lanes></osm:road></wfs:member>\n`
const text = Buffer.from(Array.from({ length: 30_000 }, (_, i) => row(i)).join(''))

function sourceOf (data, part = 50_000) {
  const source = bytes({ type: 'text/xml' })
  for (let at = 0; at < data.length; at += part) source.write(data.subarray(at, at + part))
  source.end()
  return source
}

/** Runs a stream as send() does: with a list of what is acceptable, and a flush. Resolves to {info, flushed, all}. */
function run (source, change) {
  return new Promise((resolve, reject) => {
    const chunks = []
    const result = { info: null, flushed: null }
    const plan = { ...split({}), ...change }
    // eslint-disable-next-line no-new -- the source holds it
    new Stream(source, plan, { size: 65536, cut: 65536, exact: false, gathers: false }, {
      begin (info) { result.info = info },
      chunk (chunk) { chunks.push(chunk) },
      part () { result.flushed = Buffer.concat(chunks) },
      end (error) { error === null ? resolve({ ...result, all: Buffer.concat(chunks) }) : reject(error) }
    })
  })
}

test('every coding has a decoder here', () => {
  assert.deepEqual([...codings, 'br'].sort(), [...binding.info.codings].sort())
})

for (const coding of codings) {
  const decoded = decoders[coding]

  test(`${coding}: what it decodes to is what went in, in chunks of every size`, async () => {
    for (const data of [Buffer.alloc(0), Buffer.from('x'), text, noise(300_000)]) {
      for (const chunkSize of [1000, 16384, 200_000]) {
        const { chunks, lasts, report } = await collect(sourceOf(data), { coding, chunkSize })
        const all = Buffer.concat(chunks)
        assert.ok(decoded(all).equals(data))
        assert.ok(chunks.slice(0, -1).every(chunk => chunk.length === chunkSize))
        assert.deepEqual(lasts, [chunks.length - 1])
        assert.deepEqual([report.coding, report.mediaType, report.bytes], [coding, 'text/xml', all.length])
      }
    }
    assert.ok((await encode(sourceOf(text), { coding })).length < text.length / 8)
  })

  test(`${coding}: the bytes depend neither on parts nor on what was coded before`, async () => {
    const first = await encode(sourceOf(text), { coding })
    await Promise.all([encode(sourceOf(noise(200_000)), { coding }), encode(sourceOf(text.subarray(77)), { coding })])
    for (const part of [777, 65536, text.length]) assert.ok((await encode(sourceOf(text, part), { coding: coding.toUpperCase() })).equals(first))
  })

  test(`${coding}: encodeStream says so before the first byte; aborts are quick and leave nothing`, async () => {
    const stream = encodeStream(sourceOf(text), { coding })
    const [info] = await once(stream, 'format')
    assert.equal(info.coding, coding)
    await once(stream, 'readable')
    stream.destroy()
    await idle()
    encodeChunked(sourceOf(noise(1e6)), { coding }, () => false)
    encodeChunked(sourceOf(noise(1e6)), { coding }, () => {}).abort()
    const failing = bytes()
    const done = encode(failing, { coding })
    failing.write('x'.repeat(200_000))
    const error = new Error('no more')
    failing.fail(error)
    await assert.rejects(done, e => e === error)
  })

  test(`${coding}: an explicit one is applied to images, too`, async () => {
    const image = pixels(40, 30)
    assert.deepEqual(decode(decoded(await encode(image, { coding }))), decode(await encode(image)))
  })

  test(`${coding}: with a flush the first part can be decoded before the second is written`, async () => {
    const source = bytes()
    const first = text.subarray(0, 40_000)
    let seen
    const flushed = new Promise(resolve => { seen = resolve })
    const chunks = []
    const plan = { ...split({}), coding: [coding], flush: true }
    const done = new Promise((resolve, reject) => {
      // eslint-disable-next-line no-new -- the source holds it
      new Stream(source, plan, { size: 65536, cut: 65536, exact: false, gathers: false }, {
        begin () {},
        chunk (chunk) { chunks.push(chunk) },
        part () { seen(Buffer.concat(chunks)) },
        end (error) { error === null ? resolve() : reject(error) }
      })
    })
    source.write(first)
    assert.ok(partly(coding, await flushed).equals(first))
    const before = chunks.length
    source.write(text.subarray(40_000, 50_000)) // small enough to stay inside the compressor
    for (let i = 0; i < 20; i++) await turn()
    assert.equal(chunks.length, before, 'it flushes once')
    source.end()
    await done
    assert.ok(decoded(Buffer.concat(chunks)).equals(text.subarray(0, 50_000)))
  })
}

/** What can be decoded of the beginning of a stream. */
function partly (coding, data) {
  if (coding !== 'zstd') return decoders[coding](data, { finishFlush: zlib.constants.Z_SYNC_FLUSH })
  const out = []
  const decoder = new fzstd.Decompress(chunk => out.push(chunk))
  decoder.push(data)
  return Buffer.concat(out)
}

test('of a ranked list the first that suits is taken; br is named, and left to whoever asked', async () => {
  for (const [ranked, want] of [[['zstd', 'br', 'gzip', 'identity'], 'zstd'], [['br', 'identity'], 'br'], [['identity', 'gzip'], 'identity']]) {
    const { info, all } = await run(sourceOf(text), { coding: ranked })
    assert.equal(info.coding, want)
    assert.ok((decoders[want]?.(all) ?? all).equals(text))
  }
})

test('part() comes once, without a coding as well', async () => {
  const { flushed, all } = await run(sourceOf(text), { coding: ['br'], flush: true })
  assert.ok(flushed.length >= 50_000 && all.subarray(0, flushed.length).equals(flushed))
  assert.equal((await run(sourceOf(text), {})).flushed, null)
})

for (const coding of ['identity', 'br', ...codings]) {
  test(`send() with strategy speed, ${coding}: the client decodes the first part before the second is written`, async (t) => {
    const source = bytes({ type: 'text/xml' })
    const sent = new Promise((resolve, reject) => {
      const server = http.createServer((request, response) => {
        send(request, response, source, { strategy: 'speed' }).then(resolve, reject)
        source.write('the first')
      }).listen(0, () => {
        http.get({ port: server.address().port, headers: { 'accept-encoding': coding } }, response => {
          const decoder = decoding(coding)
          let text = ''
          decoder.on('data', data => {
            text += data
            if (text !== 'the first') return
            source.write(' and the second')
            source.end()
          })
          decoder.on('end', () => assert.equal(text, 'the first and the second'))
          response.pipe(decoder)
        })
      })
      t.after(() => server.close())
    })
    const report = await sent
    assert.deepEqual([report.coding, report.status, report.error], [coding, 200, undefined])
  })
}

/** A stream that decodes. */
function decoding (coding) {
  switch (coding) {
    case 'identity': return new PassThrough()
    case 'br': return zlib.createBrotliDecompress()
    case 'gzip': return zlib.createGunzip()
    case 'deflate': return zlib.createInflate()
  }
  const stream = new Transform({ transform (data, _, done) { decoder.push(data); done() } })
  const decoder = new fzstd.Decompress(chunk => { if (chunk.length > 0) stream.push(Buffer.from(chunk)) })
  return stream
}
