'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { Readable } = require('node:stream')
const { pipeline } = require('node:stream/promises')
const { test } = require('node:test')

const { bytes, createEncoder, encode, encodeChunked, encodeStream, stats } = require('../..')
const binding = require('../../js/binding')
const { collect } = require('./support/collect')
const { noise } = require('./support/images')
const { idle, turn, until } = require('./support/wait')

const argument = { code: 'ERR_SLUICE_ARGUMENT' }

/** Sees the parts that go to Go while a test runs: their lengths. */
function watchParts (t) {
  const lengths = []
  const { write } = binding
  t.mock.method(binding, 'write', (handle, buffers, meta) => {
    lengths.push(buffers[0].length)
    return write(handle, buffers, meta)
  })
  return lengths
}

test('text and bytes of all lengths come out as they went in', async () => {
  const parts = ['', 'a', 'x'.repeat(24), 'x'.repeat(25), 'Grüße, 世界 🌍', '🌍'.repeat(6), 'é'.repeat(5000), 'ü'.repeat(16383), '世'.repeat(40000), 'plain '.repeat(20000),
    new Uint8Array(0), Buffer.from([255]), noise(16383), noise(16384), noise(65536), noise(300000), new Uint8ClampedArray(noise(10)), 'the end']
  const want = Buffer.concat(parts.map(part => Buffer.from(part)))
  const reversed = [...parts].reverse()
  for (const [order, expected] of [[parts, want], [reversed, Buffer.concat(reversed.map(part => Buffer.from(part)))]]) {
    for (const awaited of [true, false]) {
      const source = bytes()
      const done = encode(source)
      for (const part of order) {
        const written = source.write(part)
        if (awaited) await written
      }
      source.end()
      assert.ok((await done).equals(expected))
    }
  }
  assert.equal((await encode(ended(bytes()))).length, 0)
})

function ended (source) {
  source.end()
  return source
}

test('what a caller does with small parts after write() returned does not show', async () => {
  const source = bytes()
  const done = encode(source)
  const part = Buffer.from('0')
  for (let i = 0; i < 10; i++) {
    part[0] = 48 + i
    source.write(part)
  }
  source.end()
  assert.equal(String(await done), '0123456789')
})

test('half a character at the end of a string is replaced, as everywhere in Node', async () => {
  const source = bytes()
  source.write('\ud83c')
  source.write('\udf0d')
  source.end()
  assert.equal(String(await encode(source)), '\ufffd\ufffd')
})

for (const awaited of [false, true]) {
  test(`100,000 small writes, ${awaited ? 'each awaited' : 'at once'}, become a few large parts`, async (t) => {
    const lengths = watchParts(t)
    const source = bytes({ type: 'text/csv' })
    const done = collect(source, {})
    let length = 0
    for (let i = 0; i < 100_000; i++) {
      const row = `${i},abc,1.25\n`
      length += row.length
      const written = source.write(row)
      if (awaited) await written
    }
    source.end()
    const { report, chunks } = await done
    assert.equal(report.bytes, length)
    assert.ok(chunks.slice(0, -1).every(chunk => chunk.length === 65536), 'the default chunk size is 64 KiB')
    assert.deepEqual([report.format, report.mediaType, report.coding, report.level], ['bytes', 'text/csv', 'identity', null])
    assert.ok(lengths.length <= 2 * length / 65536 + 2, `${lengths.length} parts`)
  })
}

test('the first bytes go when the code that wrote them is done; later ones gather for a turn', async (t) => {
  const lengths = watchParts(t)
  const source = bytes()
  const stream = encodeStream(source)
  source.write('one')
  source.write(' two')
  assert.deepEqual(lengths, [])
  await new Promise(process.nextTick)
  assert.deepEqual(lengths, [7])
  assert.equal(String((await once(stream, 'data'))[0]), 'one two')
  source.write('three')
  await new Promise(process.nextTick)
  source.write(' four')
  await turn()
  assert.deepEqual(lengths, [7, 10])
  assert.equal(String((await once(stream, 'data'))[0]), 'three four')
  source.end()
  await once(stream, 'end')
  assert.deepEqual(lengths, [7, 10])
})

test('write() waits while the consumer does', async () => {
  const source = bytes()
  const stream = encodeStream(source)
  let written = 0
  const writing = (async () => {
    while (written < 4e6) {
      await source.write('0123456789'.repeat(10))
      written += 100
    }
    source.end()
  })()
  await until(async () => {
    const before = written
    for (let i = 0; i < 50; i++) await turn()
    return written === before
  })
  assert.ok(written > 0 && written < 1e6, `${written} bytes were taken though nobody reads`)
  let read = 0
  for await (const chunk of stream) read += chunk.length
  await writing
  assert.equal(read, 4e6)
})

test('before it is attached a source takes what fits a buffer, and one part', async () => {
  const source = bytes()
  for (let i = 0; i < 100; i++) await source.write('0123456789')
  for (let i = 0; i < 3; i++) await turn()
  for (let i = 0; i < 100; i++) await source.write('0123456789')
  source.write(Buffer.alloc(70000, 'x'))
  let late = false
  source.write('late').then(() => { late = true })
  await turn()
  assert.equal(late, false)
  source.end()
  const text = String(await encode(source))
  assert.equal(text, '0123456789'.repeat(200) + 'x'.repeat(70000) + 'late')
  assert.equal(late, true)
})

test('large parts are lent until their write settles', async () => {
  const source = bytes()
  const part = noise(100000)
  const done = encode(source)
  await source.write(part)
  const want = Buffer.from(part)
  part.fill(0)
  source.end()
  assert.ok((await done).equals(want))
})

test('bad arguments', async () => {
  for (const description of [null, 'text/csv', 5]) assert.throws(() => bytes(description), argument)
  assert.throws(() => bytes({ type: 5 }), argument)
  const source = bytes()
  for (const part of [undefined, null, 5, {}, [1], new Float32Array(2), new ArrayBuffer(3)]) await assert.rejects(source.write(part), argument)
  source.write('good')
  source.end()
  source.end()
  await assert.rejects(source.write('late'), argument)
  await assert.rejects(source.write(Buffer.alloc(1e5)), argument)
  assert.equal(String(await encode(source)), 'good')
  await assert.rejects(source.write('late'), argument)
  await assert.rejects(encode(source), argument)
  for (const type of ['', 'text', 'text/', '/csv', 'te xt/csv', 'text/csv\r\nx: y', 'text/csv; a=\u00fc', 'text /csv']) {
    await assert.rejects(encode(ended(bytes({ type }))), { code: 'ERR_SLUICE_OPTION' }, type)
  }
  for (const type of ['text/csv', 'application/vnd.apache.arrow.stream', 'application/gml+xml; version=3.2', 'text/html ;charset="utf-8"']) {
    assert.equal((await collect(ended(bytes({ type })), {})).report.mediaType, type)
  }
  await assert.rejects(encode(ended(bytes()), { format: 'png' }), { code: 'ERR_SLUICE_FORMAT', message: 'Expected the format of the source, bytes, got "png"' })
  assert.equal((await encode(ended(bytes()), { format: 'bytes' })).length, 0)
  await assert.rejects(encode(ended(bytes()), { level: 'fast' }), { code: 'ERR_SLUICE_OPTION', message: 'Expected no bytes options, got "level"' })
})

test('a detached part fails the encode', async () => {
  const part = new Uint8Array(10)
  structuredClone(part.buffer, { transfer: [part.buffer] })
  const source = bytes()
  const done = encode(source)
  source.write('before')
  await assert.rejects(source.write(part), { code: 'ERR_SLUICE_INPUT' })
  await assert.rejects(done, { code: 'ERR_SLUICE_INPUT' })
  await assert.rejects(source.write('after'), { code: 'ERR_SLUICE_INPUT' })
})

test('fail() and abort() reject what waits, in order, and what comes after', async () => {
  for (const give of ['fail', 'destroy']) {
    const source = bytes()
    const stream = encodeStream(source)
    stream.on('error', () => {})
    const settled = []
    const error = new Error('no more')
    for (let i = 0; i < 100; i++) source.write(Buffer.alloc(50_000)).then(() => settled.push(i), e => { settled.push(i); assert.ok(e === error || e.code === 'ABORT_ERR') })
    const last = source.write('small').then(() => assert.fail('it was taken'), e => { settled.push(100); return e })
    await turn()
    if (give === 'fail') source.fail(error)
    else stream.destroy()
    const got = await last
    assert.ok(give === 'fail' ? got === error : got.code === 'ABORT_ERR')
    assert.deepEqual(settled, Array.from({ length: 101 }, (_, i) => i))
    await assert.rejects(source.write('after'), e => e === got)
    source.end()
    await idle()
  }
})

test('a Duplex takes text and bytes', async () => {
  const chunks = []
  await pipeline(Readable.from(['one', Buffer.from(' two'), ' three']), createEncoder(bytes()), async (stream) => {
    for await (const chunk of stream) chunks.push(chunk)
  })
  assert.equal(String(Buffer.concat(chunks)), 'one two three')
})

test('chunks are exact, and one is last', async () => {
  for (const length of [0, 1, 999, 1000, 1001, 150_000]) {
    const source = bytes()
    const done = collect(source, { chunkSize: 1000 })
    const data = noise(length)
    for (let at = 0; at < length; at += 333) await source.write(data.subarray(at, at + 333))
    source.end()
    const { chunks, lasts } = await done
    assert.ok(Buffer.concat(chunks).equals(data))
    assert.deepEqual(lasts, [chunks.length - 1])
    assert.ok(chunks.slice(0, -1).every(chunk => chunk.length === 1000))
    assert.ok(length === 0 ? chunks[0].length === 0 : chunks.at(-1).length > 0)
  }
})

test('nothing is left', async () => {
  encodeChunked(bytes(), {}, () => {}).abort()
  await idle()
  assert.equal((await stats()).slabs, 0)
})
