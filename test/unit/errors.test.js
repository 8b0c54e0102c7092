'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { inspect } = require('node:util')

const { createEncoder, encode, encodeChunked, encodeStream, image, SluiceError } = require('../..')
const { formats, pixels } = require('./support/images')
const { idle, turn } = require('./support/wait')

const sample = pixels(10, 10)
const none = () => {}

/** What every form makes of a source and options: thrown, or {error} when it comes later. */
const forms = {
  encodeChunked (source, options) {
    let error
    const job = encodeChunked(source, options ?? {}, (err, chunk) => { if (err) { error = err; assert.equal(chunk, null) } })
    return job.done.then(none, (reason) => {
      assert.equal(reason, error, 'done rejects with what the callback got')
      return { error }
    })
  },
  encodeStream (source, options) {
    const stream = encodeStream(source, options)
    return new Promise(resolve => stream.on('error', error => resolve({ error })).on('end', resolve).resume())
  },
  encode: (source, options) => encode(source, options).then(none, error => ({ error }))
}

// ---- wrong types: thrown at once, a rejection from encode

const wrongTypes = [
  ['source', undefined, {}, 'Expected source to be pixels {data, width, height} or a source such as image() makes, got undefined'],
  ['source', null, {}, 'Expected source to be pixels {data, width, height} or a source such as image() makes, got null'],
  ['source', 'map.png', {}, 'Expected source to be pixels {data, width, height} or a source such as image() makes, got "map.png"'],
  ['source', { width: 1, height: 1 }, {}, 'Expected source to be pixels {data, width, height} or a source such as image() makes, got an object'],
  ['data', { ...sample, data: [1, 2] }, {}, 'Expected data to be a Uint8Array or Uint8ClampedArray, got an array'],
  ['data', { ...sample, data: new Float32Array(400) }, {}, 'Expected data to be a Uint8Array or Uint8ClampedArray, got an instance of Float32Array'],
  ['data', { ...sample, data: undefined }, {}, 'Expected data to be a Uint8Array or Uint8ClampedArray, got undefined'],
  ['width', { ...sample, width: '10' }, {}, 'Expected width to be a number, got "10"'],
  ['width', { ...sample, width: 10n }, {}, 'Expected width to be a number, got 10n'],
  ['height', { ...sample, height: undefined }, {}, 'Expected height to be a number, got undefined'],
  ['stride', { ...sample, stride: null }, {}, 'Expected stride to be a number, got null'],
  ['pixelFormat', { ...sample, pixelFormat: 4 }, {}, 'Expected pixelFormat to be a string, got 4'],
  ['premultiplied', { ...sample, premultiplied: 'yes' }, {}, 'Expected premultiplied to be a boolean, got "yes"'],
  ['options', sample, [], 'Expected options to be an object, got an array'],
  ['format', sample, { format: 5 }, 'Expected format to be a string, got 5'],
  ['coding', sample, { coding: ['gzip'] }, 'Expected coding to be a string, got an array'],
  ['copy', sample, { copy: 1 }, 'Expected copy to be a boolean, got 1'],
  ...['a', 7n, Symbol('x'), null, [], new Map([['level', 'small']]), new Set(), new Date(), Promise.resolve({}), /x/, Buffer.alloc(1), new Error('x')]
    .map(options => ['options', sample, options, null]),
  ['signal', sample, { signal: new AbortController() }, 'Expected signal to be an AbortSignal, got an instance of AbortController'],
  ['signal', sample, { signal: null }, 'Expected signal to be an AbortSignal, got null'],
  ['signal', sample, { signal: 'abort' }, 'Expected signal to be an AbortSignal, got "abort"'],
  ['signal', sample, { signal: new EventTarget() }, 'Expected signal to be an AbortSignal, got an instance of EventTarget'],
  ['signal', sample, { signal: { aborted: false, addEventListener () {} } }, 'Expected signal to be an AbortSignal, got an object'],
  ['signal', sample, { signal: { aborted: true, addEventListener () {} } }, 'Expected signal to be an AbortSignal, got an object'],
  ['signal', sample, { signal: { aborted: 0, addEventListener () {}, removeEventListener () {} } }, 'Expected signal to be an AbortSignal, got an object'],
  ['signal', sample, { signal: Object.create(AbortSignal.prototype) }, 'Expected signal to be an AbortSignal, got an instance of AbortSignal'],
  ['coding', sample, { coding: null }, 'Expected coding to be a string, got null'],
  ...['abc', 0, -1, 1.5, NaN, Infinity, 2 ** 30 + 1, null, 10n, {}, none].map(chunkSize => ['chunkSize', sample, { chunkSize }, null])
]

for (const [what, source, options, message] of wrongTypes) {
  test(`ERR_SLUICE_ARGUMENT for a wrong ${what}: ${message ?? inspect(options)}`, async () => {
    const expected = error => {
      assert.ok(error instanceof SluiceError)
      assert.equal(error.name, 'SluiceError')
      assert.equal(error.code, 'ERR_SLUICE_ARGUMENT')
      if (message !== null) assert.equal(error.message, message)
      else if (what === 'options') assert.match(error.message, /^Expected (options to be an object|the second argument to be options {…} or a chunkSize), got /)
      else assert.match(error.message, /^Expected chunkSize to be an integer from 1 to 1073741824, got /)
      return true
    }
    assert.throws(() => encodeChunked(source, options, assert.fail), expected)
    assert.throws(() => encodeStream(source, options), expected)
    await assert.rejects(encode(source, options), expected)
    await turn()
  })
}

test('encodeChunked refuses a second argument that is neither options nor a chunk size', async () => {
  for (const wrong of [0, -1, 2 ** 31, 0.5, NaN]) {
    const message = `Expected chunkSize to be an integer from 1 to 1073741824, got ${wrong}`
    assert.throws(() => encodeChunked(sample, wrong, none), { code: 'ERR_SLUICE_ARGUMENT', message })
  }
  const expected = 'Expected the second argument to be options {…} or a chunkSize, got '
  for (const [wrong, got] of [['abc', '"abc"'], [null, 'null'], [true, 'true'], [10n, '10n'], [none, 'a function: the callback is the third']]) {
    assert.throws(() => encodeChunked(sample, wrong, none), { code: 'ERR_SLUICE_ARGUMENT', message: expected + got })
    assert.throws(() => encodeChunked(sample, wrong), { code: 'ERR_SLUICE_ARGUMENT', message: expected + got })
  }
  assert.throws(() => encodeChunked(sample), { code: 'ERR_SLUICE_ARGUMENT', message: 'Expected callback to be a function, got undefined' })
  await encodeChunked(sample, undefined, none).done
})

test('a callback is needed', () => {
  for (const wrong of [undefined, null, {}, 'x']) {
    assert.throws(() => encodeChunked(sample, 1, wrong), { code: 'ERR_SLUICE_ARGUMENT', message: /^Expected callback to be a function, got / })
  }
})

test('image() refuses wrong types at once, and leaves values to the encode', () => {
  for (const wrong of [undefined, null, 5, 'x', {}, { width: 1 }, { width: '1', height: 1 }, { width: 1, height: 1, opaque: 1 }, { width: 1, height: 1, gray: 'no' }, { ...sample, data: 'x' }]) {
    assert.throws(() => image(wrong), { code: 'ERR_SLUICE_ARGUMENT' })
  }
  image({ width: 0, height: -1, pixelFormat: 'argb' })
  image({ ...sample, width: NaN })
})

test('createEncoder takes sources that parts are pushed into alone', () => {
  for (const wrong of [sample, image(sample), null, undefined, {}]) {
    assert.throws(() => createEncoder(wrong), { code: 'ERR_SLUICE_ARGUMENT' })
  }
})

test('a source that is used twice', async () => {
  const source = image({ width: 1, height: 1 })
  const first = encode(source)
  const expected = { code: 'ERR_SLUICE_ARGUMENT', message: /used before/ }
  assert.throws(() => encodeChunked(source, 1, none), expected)
  assert.throws(() => encodeStream(source), expected)
  assert.throws(() => createEncoder(source), expected)
  await assert.rejects(encode(source), expected)
  source.write(Buffer.alloc(4))
  source.end()
  await first
})

test('a call that throws does not use its source up', async () => {
  const source = image({ width: 1, height: 1 })
  assert.throws(() => encodeChunked(source, 0, none))
  assert.throws(() => encodeChunked(source, {}, 'no function'))
  const done = encode(source)
  source.write(Buffer.alloc(4))
  source.end()
  await done
})

// ---- wrong values: through the callback, stream or promise

const detached = () => {
  const data = new Uint8Array(400)
  structuredClone(data.buffer, { transfer: [data.buffer] })
  return data
}

const cycle = {}
cycle.cycle = cycle

const nested = depth => depth === 0 ? 'deep' : [nested(depth - 1)]
const abyss = []
for (let i = 0, inner = abyss; i < 100_000; i++) inner.push(inner = [])

const levels = 'Expected png option "level" to be stored|fastest|fast|balanced|small|auto, got '
const sides = name => `Expected ${name} to be an integer from 1 to 1048576, got `
const strides = 'Expected stride to be an integer from 1 to 1099511627776, got '

const wrongValues = [
  ['FORMAT', () => sample, { format: 'nope' }, `Expected a known image format (${formats}), got "nope"`],
  ['OPTION', () => sample, { level: 'hgih' }, 'Expected png option "level" to be stored|fastest|fast|balanced|small|auto, got "hgih"'],
  ['OPTION', () => sample, { level: 9 }, 'Expected png option "level" to be stored|fastest|fast|balanced|small|auto, got 9'],
  ['OPTION', () => sample, { reduce: 'no' }, 'Expected png option "reduce" to be a boolean, got "no"'],
  ['OPTION', () => sample, { levl: 'fast' }, /known png option .*got "levl"/],
  ['FORMAT', () => sample, { format: '' }, `Expected a known format (${formats}), got ""`],
  ['OPTION', () => sample, { coding: 'rot13' }, 'Expected coding to be identity|zstd|gzip|deflate, got "rot13"'],
  ['OPTION', () => sample, { coding: '' }, 'Expected coding to be identity|zstd|gzip|deflate, got ""'],
  ['OPTION', () => sample, { coding: 'br' }, 'Expected coding to be identity|zstd|gzip|deflate, got "br"'],
  ['OPTION', () => sample, { coding: ']"'.repeat(100) }, /^Expected coding to be identity\|zstd\|gzip\|deflate, got .{50,100}…"$/],
  ['OPTION', () => sample, { level: none }, `${levels}a function`],
  ['OPTION', () => sample, { level: Symbol('x') }, `${levels}Symbol(x)`],
  ['OPTION', () => sample, { level: Symbol('"\\"]]é') }, `${levels}Symbol("\\"]]?)`],
  ['OPTION', () => sample, { level: 5n }, `${levels}5n`],
  ['OPTION', () => sample, { level: 10n ** 1000n }, /got 10{49}$/],
  ['OPTION', () => sample, { level: NaN }, `${levels}NaN`],
  ['OPTION', () => sample, { level: new Map() }, `${levels}an instance of Map`],
  ['OPTION', () => sample, { level: new Date() }, `${levels}an instance of Date`],
  ['OPTION', () => sample, { level: { a: [1, -Infinity] } }, `${levels}{"a":[1,-Infinity]}`],
  ['OPTION', () => sample, { level: cycle }, `${levels}{"cycle":an object that contains itself}`],
  ['OPTION', () => sample, { level: nested(3) }, `${levels}[[["deep"]]]`],
  ['OPTION', () => sample, { level: abyss }, /got \[\[.*too many objects in each other/],
  ['OPTION', () => sample, { bogus: abyss }, /known png option .*got "bogus"/],
  ['OPTION', () => sample, JSON.parse('{"__proto__": {"level": "fast"}}'), /known png option .*got "__proto__"/],
  ['OPTION', () => sample, { level: Buffer.from('fast') }, /level/],
  ['OPTION', () => ({ ...sample, pixelFormat: 'argb' }), {}, /rgba\|bgra\|rgb\|graya\|gray\|rgba16\|gray16, got "argb"/],
  ['LIMIT', () => ({ ...sample, width: 0 }), {}, /got 0$/],
  ['LIMIT', () => ({ ...sample, height: -1 }), {}, /got -1$/],
  ['LIMIT', () => ({ ...sample, width: 1e9 }), {}, /got 1000000000$/],
  ['LIMIT', () => ({ ...sample, width: 1e6, height: 1e6 }), {}, /1000000 x 1000000$/],
  ...['width', 'height'].flatMap(name => [
    ...[0, -1, -0, 2 ** 20 + 1, 2 ** 50].map(value => ['LIMIT', () => ({ ...sample, [name]: value }), {}, new RegExp(`${name}.* 1 to 1048576.* got ${value}$`)]),
    ...[NaN, Infinity, -Infinity, 0.5, 1.5, 2 ** 53, 1e300, -1e300].map(value => ['LIMIT', () => ({ ...sample, [name]: value }), {}, sides(name) + value])
  ]),
  ...[NaN, Infinity, 40.5, 2 ** 62, -(2 ** 53)].map(stride => ['INPUT', () => ({ ...sample, stride }), {}, strides + stride]),
  ...[0, -1, 31, 2 ** 41].map(stride => ['INPUT', () => ({ ...sample, stride }), {}, new RegExp(`stride of at (least|most) .* got ${stride}$`)]),
  ['INPUT', () => ({ ...sample, data: sample.data.subarray(1) }), {}, /at least 400 bytes .* got 399$/],
  ['INPUT', () => ({ ...sample, height: 11 }), {}, /at least 440 bytes .* got 400$/],
  ['INPUT', () => ({ ...sample, stride: 39 }), {}, /stride of at least 40 bytes .* got 39$/],
  ['INPUT', () => ({ ...sample, data: new Uint8Array(0) }), {}, /got 0$/],
  ['INPUT', () => ({ ...sample, data: detached() }), {}, 'Expected data that can be read, but its memory was transferred or detached']
]

for (const [name, source, options, message] of wrongValues) {
  for (const [form, start] of Object.entries(forms)) {
    test(`ERR_SLUICE_${name} from ${form}: ${message}`, async () => {
      const { error } = await start(source(), options)
      assert.ok(error instanceof SluiceError)
      assert.equal(error.code, `ERR_SLUICE_${name}`)
      if (typeof message === 'string') assert.equal(error.message, message)
      else assert.match(error.message, message)
      await idle()
    })
  }
}

test('undefined is the default', async () => {
  const options = { format: undefined, level: undefined, chunkSize: undefined, coding: undefined, signal: undefined, copy: undefined }
  assert.ok((await encode({ ...sample, stride: undefined, pixelFormat: undefined }, options)).equals(await encode(sample)))
})

test('options may be inherited, or of a class of the user', async () => {
  class Settings { chunkSize = 300; #secret = 1; get secret () { return this.#secret } }
  const { level } = await encodeChunked(sample, Object.create({ level: 'stored' }), none).done
  assert.equal(level, 'stored')
  const { chunks } = await encodeChunked(sample, Object.assign(new Settings(), { level: 'stored' }), none).done
  assert.equal(chunks, 2)
})

test('null is the default of an option of a format', async () => {
  assert.ok((await encode(sample, { level: null, reduce: null })).equals(await encode(sample)))
})

test('a signal need not be of this realm', async () => {
  const signal = new EventTarget()
  signal.aborted = false
  const done = encode(image({ width: 1, height: 1 }), { signal })
  signal.reason = 'mine'
  signal.dispatchEvent(new Event('abort'))
  await assert.rejects(done, { code: 'ABORT_ERR', cause: 'mine' })
})

test('formats and codings go by any name, in any case', async () => {
  const png = await encode(sample)
  for (const coding of ['identity', 'Identity', 'IDENTITY']) assert.ok((await encode(sample, { coding })).equals(png))
  for (const format of ['png', 'PNG', 'image/png', 'Image/PNG']) assert.ok((await encode(sample, { format })).equals(png))
})

test('other keys of pixels are ignored', async () => {
  const record = Object.assign(Object.create({ data: sample.data, width: 10 }), { height: 10, name: 'tile', colorSpace: 'srgb', opaque: 7 })
  assert.ok((await encode(record)).equals(await encode(sample)))
})
