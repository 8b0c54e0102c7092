'use strict'

// Arrow over HTTP, three ways: as it is, under a content coding, with compressed buffers. 4.2 million rows of ticker, price and
// volume, with the tickers plain and dictionary-encoded, of rows that repeat (random slices of a small batch) and that do not. Give
// words of a table's name, such as repeated or plain, to measure only tables that have them all.

const zlib = require('node:zlib')
const { Readable, Transform } = require('node:stream')
const arrowJs = require('apache-arrow')
const fzstd = require('fzstd')
const { arrow, encode, respond } = require('sluice')
const { options, interleave, table, save, median } = require('./measure')

const ROWS = 4_200_000
const BATCH = 6144 // rows
const SLICED = 8 * BATCH // rows of the batch that others are slices of
const TICKERS = 60
const PIECE = 65536 // bytes of a write

let state = 1
function random (below) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}

const letters = () => Array.from({ length: 4 }, () => String.fromCharCode(65 + random(26))).join('')
const names = Array.from({ length: TICKERS }, letters)
const dictionary = arrowJs.vectorFromArray(names, new arrowJs.Utf8())
const bytesOfNames = Buffer.from(names.join(''))

function randomRows (length) {
  return {
    ticker: Int8Array.from({ length }, () => random(TICKERS)),
    price: BigInt64Array.from({ length }, () => BigInt(100 + random(100_000))),
    volume: BigInt64Array.from({ length }, () => BigInt(1 + random(10_000)))
  }
}

function tickers (indices, encoded) {
  if (encoded) return arrowJs.makeData({ type: new arrowJs.Dictionary(dictionary.type, new arrowJs.Int8(), 0), data: indices, dictionary })
  const data = Buffer.alloc(4 * indices.length)
  indices.forEach((index, i) => bytesOfNames.copy(data, 4 * i, 4 * index, 4 * index + 4))
  return arrowJs.makeData({ type: new arrowJs.Utf8(), valueOffsets: Int32Array.from({ length: indices.length + 1 }, (_, i) => 4 * i), data })
}

/** An Arrow stream, and where its schema and its first batch end. */
function stream (repeated, encoded) {
  const base = randomRows(SLICED)
  const batches = []
  let schema
  for (let left = ROWS; left > 0; left -= BATCH) {
    const length = Math.min(BATCH, left)
    const at = random(SLICED - length)
    const rows = repeated ? Object.fromEntries(Object.entries(base).map(([name, values]) => [name, values.slice(at, at + length)])) : randomRows(length)
    const children = [tickers(rows.ticker, encoded),
      arrowJs.makeData({ type: new arrowJs.Int64(), data: rows.price }), arrowJs.makeData({ type: new arrowJs.Int64(), data: rows.volume })]
    schema ??= new arrowJs.Schema(Object.keys(rows).map((name, i) => new arrowJs.Field(name, children[i].type)))
    batches.push(new arrowJs.RecordBatch(schema, arrowJs.makeData({ type: new arrowJs.Struct(schema.fields), children, length, nullCount: 0 })))
  }
  const write = some => Buffer.from(arrowJs.RecordBatchStreamWriter.writeAll(some).toUint8Array(true))
  const bytes = write(batches)
  const schemaEnd = 8 + bytes.readInt32LE(4)
  return { bytes, schemaEnd, first: write(batches.slice(0, 1)) }
}

/**
 * The stream through arrow(), as respond() answers with strategy 'speed': a Readable. It is given the first batch with the schema,
 * then pieces.
 */
function through ({ bytes, first }, description, coding = 'identity') {
  const source = arrow(description)
  const push = async () => {
    const head = first.length - 8 // without its end-of-stream marker
    await source.write(bytes.subarray(0, head))
    for (let at = head; at < bytes.length; at += PIECE) await source.write(bytes.subarray(at, at + PIECE))
    source.end()
  }
  push().catch(() => {}) // the reader has left
  const request = new Request('http://localhost/', { headers: { 'accept-encoding': coding } })
  return Readable.from(parts(respond(request, source, { strategy: 'speed' })))
}

async function * parts (promise) {
  const { body } = await promise
  yield * body
}

const plain = input => through(input, {})
const pieces = ({ bytes }) => Readable.from((function * () { for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE) })())
const brotli = () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })

/** Decodes zstd, which not every Node does. */
function unzstd () {
  const decoder = new fzstd.Decompress(chunk => transform.push(Buffer.from(chunk)))
  const transform = new Transform({
    transform (chunk, _, done) {
      decoder.push(chunk)
      done()
    }
  })
  return transform
}

// codec: what the output's batches are compressed by; decoder: of what they are in.
const ways = {
  identity: { open: plain },
  'coding zstd': { open: input => through(input, {}, 'zstd'), decoder: unzstd },
  'coding br': { open: input => through(input, {}, 'br'), decoder: zlib.createBrotliDecompress },
  'coding gzip': { open: input => through(input, {}, 'gzip'), decoder: zlib.createGunzip },
  'codec zstd': { open: input => through(input, { codec: 'zstd' }), codec: 'zstd' },
  'codec lz4': { open: input => through(input, { codec: 'lz4' }), codec: 'lz4' },
  'Node gzip, 1': { open: input => pieces(input).pipe(zlib.createGzip({ level: 1 })), decoder: zlib.createGunzip },
  'Node gzip, 6': { open: input => pieces(input).pipe(zlib.createGzip()), decoder: zlib.createGunzip },
  'Node br, 4': { open: input => pieces(input).pipe(brotli()), decoder: zlib.createBrotliDecompress }
}

async function endsOf (way, { schemaEnd, first }) {
  if (way.codec === undefined) return [schemaEnd, first.length - 8]
  const source = arrow({ codec: way.codec })
  source.write(first)
  source.end()
  return [schemaEnd, (await encode(source)).length - 8]
}

/** Milliseconds until so many bytes are decoded; then the reader leaves. */
async function timesTo (way, input, ends) {
  const start = performance.now()
  const raw = way.open(input)
  const decoded = way.decoder === undefined ? raw : raw.pipe(way.decoder())
  raw.on('error', () => {})
  const times = []
  let seen = 0
  for await (const chunk of decoded) {
    seen += chunk.length
    while (times.length < ends.length && seen >= ends[times.length]) times.push(performance.now() - start)
    if (times.length === ends.length) break
  }
  raw.destroy()
  if (times.length < ends.length) throw new Error(`only ${seen} of ${ends.at(-1)} bytes came`)
  return times
}

async function run (way, input, ends) {
  const [toSchema, toBatch] = await timesTo(way, input, ends)
  const start = performance.now()
  let size = 0
  for await (const chunk of way.open(input)) size += chunk.length
  return { size, toSchema, toBatch, total: performance.now() - start }
}

async function main () {
  const { rounds, json, only } = options(3)
  const results = {}
  for (const [repeated, encoded] of [[true, false], [true, true], [false, false], [false, true]]) {
    const name = `${repeated ? 'repeated slices' : 'random rows'}, tickers ${encoded ? 'dictionary-encoded' : 'plain'}`
    if (!only.every(word => name.includes(word))) continue
    const input = stream(repeated, encoded)
    const cases = {}
    for (const [label, way] of Object.entries(ways)) {
      const ends = await endsOf(way, input)
      cases[label] = () => run(way, input, ends)
    }
    const samples = await interleave(cases, rounds, 1)
    results[name] = { bytes: input.bytes.length, samples }
    const middle = (label, key) => median(samples[label].map(sample => sample[key]))
    table(`${name}: ${(input.bytes.length / 1e6).toFixed(1)} MB, medians of ${rounds} interleaved runs`,
      ['way', 'MB', 'of it', 'ms to schema', 'ms to first batch', 'ms in all', 'MB/s'],
      Object.keys(samples).map(label => [label, samples[label][0].size / 1e6, samples[label][0].size / input.bytes.length,
        middle(label, 'toSchema'), middle(label, 'toBatch'), middle(label, 'total'), input.bytes.length / 1e3 / middle(label, 'total')]))
  }
  save(json, { bench: 'arrow', results })
}

main()
