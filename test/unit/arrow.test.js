'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { pipeline } = require('node:stream/promises')
const { test } = require('node:test')
const { createServer } = require('node:http')
const arrowJs = require('apache-arrow')

const { arrow, createEncoder, encode, encodeStream, negotiateArrow, stats } = require('../..')
const { collect } = require('./support/collect')

const input = { code: 'ERR_SLUICE_INPUT' }
const codecs = ['none', 'zstd', 'lz4']

/** Columns of all kinds that apache-arrow builds from JavaScript values. */
function table (rows) {
  const list = make => Array.from({ length: rows }, (_, i) => i % 11 === 3 ? null : make(i))
  const { vectorFromArray } = arrowJs
  return new arrowJs.Table({
    int: vectorFromArray(list(i => i % 100), new arrowJs.Int32()),
    long: vectorFromArray(list(i => BigInt(i) * 3n), new arrowJs.Int64()),
    double: vectorFromArray(list(i => i / 8), new arrowJs.Float64()),
    bool: vectorFromArray(list(i => i % 2 === 0), new arrowJs.Bool()),
    text: vectorFromArray(list(i => 'text '.repeat(i % 5)), new arrowJs.Utf8()),
    bytes: vectorFromArray(list(i => Uint8Array.of(i, i + 1)), new arrowJs.Binary()),
    ticker: vectorFromArray(list(i => `TICK${i % 7}`), new arrowJs.Dictionary(new arrowJs.Utf8(), new arrowJs.Int16())),
    time: vectorFromArray(list(i => i * 1000), new arrowJs.TimestampMillisecond()),
    day: vectorFromArray(list(i => new Date(i * 864e5)), new arrowJs.DateDay()),
    list: vectorFromArray(list(i => [i, i + 1]), new arrowJs.List(new arrowJs.Field('item', new arrowJs.Int32()))),
    struct: vectorFromArray(list(i => ({ a: i, b: `${i}` })), new arrowJs.Struct([new arrowJs.Field('a', new arrowJs.Int32()), new arrowJs.Field('b', new arrowJs.Utf8())])),
    nothing: vectorFromArray(Array.from({ length: rows }, () => null), new arrowJs.Null())
  })
}

const write = batches => Buffer.from(arrowJs.RecordBatchStreamWriter.writeAll(batches).toUint8Array(true))

// Slices of one table, for a writer takes batches of one schema.
const whole = table(1501)
const batches = [[0, 1], [1, 301], [301, 1501]].flatMap(([from, to]) => whole.slice(from, to).batches)
const stream = write(batches)
const shown = bytes => JSON.stringify(arrowJs.tableFromIPC(bytes).toArray(), (_, value) => typeof value === 'bigint' ? `${value}` : value)

function convert (pieces, description) {
  const source = arrow(description)
  const done = encode(source)
  for (const piece of pieces) source.write(piece)
  source.end()
  return done
}

test('what apache-arrow writes comes back from each codec, and apache-arrow reads it', async () => {
  const want = shown(stream)
  assert.ok(want.length > 100_000)
  for (const codec of codecs) {
    const packed = await convert([stream], { codec })
    if (codec === 'none') assert.ok(packed.equals(stream))
    else assert.ok(packed.length < stream.length * 0.6, `${codec}: ${packed.length} of ${stream.length} bytes`)
    for (let cut = 1; cut < 100_000; cut *= 9) {
      const pieces = Array.from({ length: Math.ceil(stream.length / cut) }, (_, i) => stream.subarray(i * cut, (i + 1) * cut))
      if (pieces.length < 50_000) assert.ok((await convert(pieces, { codec })).equals(packed), `${codec}, cut to ${cut}`)
    }
    assert.equal(shown(await convert([packed], {})), want)
    assert.equal(shown(await convert([await convert([packed], { codec: 'zstd', level: 9 })], { codec: 'none' })), want)
  }
})

test('what it is, in reports and errors', async () => {
  const source = arrow({ codec: 'lz4', level: 3 })
  const promise = collect(source, { chunkSize: 1000 })
  source.write(stream)
  source.end()
  const { chunks, report } = await promise
  assert.deepEqual([report.format, report.mediaType, report.level, report.coding], ['arrow', 'application/vnd.apache.arrow.stream', '3', 'identity'])
  assert.ok(chunks.slice(0, -1).every(chunk => chunk.length === 1000))
  assert.equal((await collect(ended(arrow(), stream), { format: 'arrow' })).report.level, null)
  assert.equal((await collect(ended(arrow(), stream), { format: 'application/vnd.apache.arrow.stream' })).chunks[0].length, 65536)

  await assert.rejects(encode(ended(arrow(), stream), { format: 'png' }), { code: 'ERR_SLUICE_FORMAT', message: 'Expected the format of the source, arrow, got "png"' })
  await assert.rejects(encode(ended(arrow(), stream), { level: 3 }), { code: 'ERR_SLUICE_OPTION', message: 'Expected no arrow options, got "level"' })
  await assert.rejects(encode(ended(arrow({ codec: 'gzip' }), stream)), { code: 'ERR_SLUICE_OPTION', message: 'Expected arrow option "codec" to be zstd|lz4|none, got "gzip"' })
  await assert.rejects(encode(ended(arrow({ codec: 'zstd', level: 99 }), stream)), { code: 'ERR_SLUICE_OPTION', message: 'Expected arrow option "level" to be an integer from 1 to 22, got 99' })
  await assert.rejects(encode(ended(arrow(), stream.subarray(0, -8))), { ...input, message: 'Expected an Arrow stream up to its end-of-stream marker, got its end between messages, after 4 batches' })
  await assert.rejects(encode(ended(arrow(), arrowJs.tableToIPC(table(1), 'file'))), { ...input, message: 'Expected an Arrow IPC stream, got an Arrow file' })
  await assert.rejects(encode(ended(arrow(), Buffer.concat([stream, stream]))), input)
  await assert.rejects(encode(ended(arrow(), Buffer.from([255, 255, 255, 255, 255, 255, 255, 127]))), { code: 'ERR_SLUICE_LIMIT' })
  for (const wrong of [null, 5, 'zstd', { codec: 5 }, { level: '3' }]) assert.throws(() => arrow(wrong), { code: 'ERR_SLUICE_ARGUMENT' })
  for (const wrong of ['text', null, 5, {}, new Float64Array(2)]) {
    await assert.rejects(arrow().write(wrong), { code: 'ERR_SLUICE_ARGUMENT' })
  }
  assert.equal((await stats()).streams, 0)
})

function ended (source, ...parts) {
  for (const part of parts) source.write(part)
  source.end()
  return source
}

test('each batch leaves before the next is written, the schema with the first', async () => {
  const ends = batches.map((_, i) => write(batches.slice(0, i + 1)).length - 8) // without the end-of-stream marker
  for (const codec of codecs) {
    const source = arrow({ codec })
    const chunks = encodeStream(source)
    const reader = chunks[Symbol.asyncIterator]()
    const got = []
    let from = 0
    for (const end of ends) {
      source.write(stream.subarray(from, end))
      from = end
      for (const wanted = ends.indexOf(end) + 1; await countOf(got) < wanted;) { // or the test takes too long
        const { value, done } = await reader.next()
        assert.equal(done, false)
        got.push(value)
      }
    }
    chunks.destroy()
    await once(chunks, 'close')
  }
})

/** How many batches apache-arrow finds in the beginning of a stream. */
async function countOf (chunks) {
  const whole = await convert([...chunks, stream.subarray(-8)]).catch(() => null)
  return whole === null ? 0 : [...arrowJs.RecordBatchReader.from(whole)].length
}

test('a stream of pieces through createEncoder into a response, which apache-arrow reads as it comes', async () => {
  const server = createServer(async (request, response) => {
    const { codec, headers } = negotiateArrow(request)
    response.setHeaders(new Map(Object.entries({ 'content-type': 'application/vnd.apache.arrow.stream', codec, ...headers })))
    await pipeline(arrowJs.RecordBatchStreamWriter.writeAll(batches), createEncoder(arrow({ codec })), response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/`
  try {
    const plain = await fetch(url)
    assert.deepEqual([plain.headers.get('codec'), plain.headers.get('vary')], ['none', 'Accept'])
    let rows = 0
    for await (const batch of await arrowJs.RecordBatchReader.from(plain)) rows += batch.numRows
    assert.equal(rows, 1501)
    const packed = await fetch(url, { headers: { accept: 'application/vnd.apache.arrow.stream; codecs="lz4"' } })
    assert.equal(packed.headers.get('codec'), 'lz4')
    assert.equal(shown(await convert([new Uint8Array(await packed.arrayBuffer())])), shown(stream))
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('the example client reads batches as they come, and notices a server that gives up', async () => {
  const { batchesOf } = await import('../../example/arrow-client.mjs')
  const cut = write(batches.slice(0, 1)).length - 8
  const server = createServer((request, response) => {
    const source = arrow(negotiateArrow(request))
    const encoded = encodeStream(source)
    encoded.on('error', () => response.destroy())
    encoded.pipe(response)
    source.write(stream.subarray(0, cut))
    server.once('more', error => {
      if (error) return source.fail(error)
      source.write(stream.subarray(cut))
      source.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/`
  try {
    const rows = []
    for await (const batch of batchesOf(url)) {
      if (rows.push(batch.numRows) === 1) server.emit('more') // the first was read before the rest was written
    }
    assert.deepEqual(rows, [1, 300, 1200])
    await assert.rejects(async () => {
      for await (const batch of batchesOf(url)) {
        assert.equal(batch.numRows, 1)
        server.emit('more', new Error('the database is gone'))
      }
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('apache-arrow reads compressed batches where it is given a codec', async () => {
  const { compressionRegistry, CompressionType } = arrowJs
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: unframe })
  for (const level of [1, 9]) assert.equal(shown(await convert([stream], { codec: 'lz4', level })), shown(stream))
})

/** What an LZ4 frame of blocks without checksums holds (LZ4 Frame Format 1.6, LZ4 Block Format). */
function unframe (frame) {
  const view = Buffer.from(frame.buffer, frame.byteOffset, frame.length)
  assert.equal(view.readUInt32LE(0), 0x184D2204)
  const out = []
  for (let at = 7; ;) {
    const head = view.readUInt32LE(at)
    if (head === 0) return Uint8Array.from(out)
    const size = head & 0x7fffffff
    const block = view.subarray(at + 4, at += 4 + size)
    if (head > 0x7fffffff) for (const byte of block) out.push(byte)
    else unpack(block, out)
  }
}

function unpack (block, out) {
  let at = 0
  const longer = nibble => {
    let length = nibble
    if (nibble === 15) do length += block[at]; while (block[at++] === 255)
    return length
  }
  for (;;) {
    const token = block[at++]
    for (let left = longer(token >> 4); left > 0; left--) out.push(block[at++])
    if (at === block.length) return
    const offset = block.readUInt16LE(at)
    at += 2
    for (let left = longer(token & 15) + 4; left > 0; left--) out.push(out[out.length - offset])
  }
}

test('negotiateArrow', () => {
  const stream = 'application/vnd.apache.arrow.stream'
  for (const [accept, want] of [
    [undefined, 'none'], ['*/*', 'none'], ['', null], [stream, 'none'], ['application/*', 'none'], ['text/html', null], ['text/html, */*;q=0.1', 'none'],
    [`${stream}; codecs="zstd, lz4"`, 'zstd'], [`${stream}; codecs="lz4, zstd"`, 'zstd'], [`${stream};codecs=lz4`, 'lz4'], [`${stream}; codecs="snappy"`, 'none'],
    [`${stream.toUpperCase()}; CODECS="ZSTD"`, 'zstd'], [`${stream};q=0`, null], [`${stream};q=0, */*`, null], [`*/*;q=0, ${stream};q=0.1`, 'none'],
    [`${stream};codecs=lz4;q=0.5, ${stream};codecs=zstd;q=0.2`, 'lz4'], [`${stream};codecs=zstd, ${stream};q=0.5`, 'zstd'], [`${stream};codecs="zst\\d"`, 'zstd'],
    [`text/html;a="${stream};codecs=zstd, b"`, null], [`${stream};codecs="zstd`, 'none'], [`${stream};q=x`, 'none'], [`${stream};codecs`, 'none']
  ]) {
    for (const headers of [{ accept }, new Headers(accept === undefined ? {} : { accept })]) {
      assert.equal(negotiateArrow({ headers })?.codec ?? null, want, `${accept}`)
    }
  }
  assert.equal(negotiateArrow({ headers: { accept: `${stream};codecs="zstd, lz4"` } }, { codecs: ['lz4'] }).codec, 'lz4')
  assert.deepEqual(negotiateArrow({ headers: {} }).headers, { vary: 'Accept' })
  const start = performance.now()
  negotiateArrow({ headers: { accept: '"\\'.repeat(200_000) } })
  assert.ok(performance.now() - start < 2000)
  for (const args of [[], [{}], [{ headers: {} }, null], [{ headers: {} }, { codecs: ['gzip'] }], [{ headers: {} }, { codecs: 'zstd' }]]) {
    assert.throws(() => negotiateArrow(...args), { code: 'ERR_SLUICE_ARGUMENT' })
  }
})
