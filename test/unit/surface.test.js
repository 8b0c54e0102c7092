'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')

const sluice = require('../..')
const binding = require('../../js/binding')
const { Credit } = require('../../js/credit')

const folder = path.join(__dirname, '../../js')
const types = fs.readdirSync(folder).filter(file => file.endsWith('.d.ts')).map(file => fs.readFileSync(path.join(folder, file), 'utf8')).join('\n')

/** What types of options, as the table names them, are in TypeScript; others are called the same. */
const inTypeScript = { bytes: 'Uint8Array', color: 'string', integer: 'number', numbers: 'number[]', record: 'Record<string, string>' }
/** Objects whose keys have a type of their own. */
const objects = { geo: 'Georeference' }

/** The text of an exported type. */
const typeOf = name => types.match(new RegExp(`export (?:interface|type) ${name} [^]*?\\n(?:}|(?=\\n))`))[0]

test('CommonJS, ESM and the types export the same', async () => {
  const names = Object.keys(sluice).sort()
  const esm = await import('../../js/index.mjs')
  assert.deepEqual(Object.keys(esm).sort(), names)
  assert.equal(esm.encode, sluice.encode)
  const declared = new Set([...types.matchAll(/^export (?:function|class) (\w+)/gm)].map(match => match[1]))
  assert.deepEqual([...declared].sort(), names)
})

test('the types know what the table of formats knows', () => {
  assert.ok(binding.info.formats.length > 0)
  for (const { name, names, options } of binding.info.formats) {
    for (const known of names) assert.ok((typeOf('Format') + typeOf('FeatureFormat')).includes(`'${known}'`), `Format has '${known}'`)
    if (Object.keys(options).length === 0) continue
    const text = typeOf(`${name[0].toUpperCase()}${name.slice(1)}Options`)
    const declared = [...text.matchAll(/^ {2}(\w+)\?: (.*?) \| undefined$/gm)].map(([, key, type]) => [key, type])
    const expected = Object.entries(options).map(([key, { type, choices }]) => [key, choices ? choices.map(c => `'${c}'`).join(' | ') : type === 'object' ? objects[key] : inTypeScript[type] ?? type])
    assert.ok(expected.length > 0)
    assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(expected), name)
  }
})

test('the types know the pixel formats and the codes of errors', () => {
  const pixelFormats = Object.keys(binding.info.pixelFormats)
  const codes = Object.values(binding.info.codes).filter(code => code !== 'ABORT_ERR')
  assert.ok(pixelFormats.length > 0 && codes.length > 0)
  assert.deepEqual(typeOf('PixelFormat').match(/'\w+'/g).sort(), pixelFormats.map(name => `'${name}'`).sort())
  assert.deepEqual(typeOf('ErrorCode').match(/'\w+'/g).sort(), codes.map(code => `'${code}'`).sort())
})

test('no format and no option of one is named in js/', () => {
  // A kind of source that has one format names it.
  const names = binding.info.formats.flatMap(({ name, source, options }) => [name, ...Object.keys(options)].filter(word => word !== source))
  assert.ok(names.length > 0)
  // mapnik.js takes what node-mapnik's own options are called.
  const files = fs.readdirSync(folder).filter(file => /\.m?js$/.test(file) && file !== 'mapnik.js')
  assert.ok(files.length > 5)
  for (const file of files) {
    const text = fs.readFileSync(path.join(folder, file), 'utf8')
    for (const name of names) assert.doesNotMatch(text, new RegExp(`['".]${name}\\b`), `${file} names ${name}`)
  }
})

test('stats', async () => {
  const { streams, parked, goroutines, slabs, heapBytes } = await sluice.stats()
  assert.deepEqual([streams, parked, slabs], [0, 0, 0])
  assert.ok(goroutines >= 0 && heapBytes > 0)
})

test('credit: whole chunks, 16 KiB at first, 512 KiB at most, one slab after a pause', () => {
  for (const [cut, first, full] of [[1, 16384, 65536], [256, 16384, 65536], [1000, 16000, 65000], [16384, 16384, 65536], [20000, 20000, 60000], [65536, 65536, 65536]]) {
    const credit = new Credit(cut)
    assert.equal(credit.size, first)
    for (let i = 0; i < 20; i++) credit.grow()
    assert.equal(credit.size, full)
    assert.equal(credit.target, 8)
    credit.shrink()
    assert.equal(credit.target, 1)
  }
})
