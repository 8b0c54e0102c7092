'use strict'

// The real node-mapnik and @napi-rs/canvas. node-canvas is compiled where its maker has no build for the system, with Cairo's and
// Pango's headers, so it is no dependency: what stands in for it has its members and Cairo's layout, and itself is tested, too,
// where it is installed (npm install --no-save canvas).

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const v8 = require('node:v8')
const vm = require('node:vm')

const canvas = require('@napi-rs/canvas')
const mapnik = require('@mapnik/mapnik')
const sharp = require('sharp')

const sluice = require('../..')
require('../../js/mapnik')(mapnik)

v8.setFlagsFromString('--expose-gc')
const gc = vm.runInNewContext('gc')

function collect (image, ...args) {
  return new Promise((resolve, reject) => {
    const chunks = []
    image.encodeChunked(...args, (error, chunk, last) => {
      if (error) return reject(error)
      chunks.push(Buffer.from(chunk))
      if (last) resolve(chunks)
    })
  })
}

const rgba = async bytes => {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Colours that tell every pixel apart, a third of them translucent. */
function picture (width, height) {
  const image = new mapnik.Image(width, height)
  const bytes = image.buffer()
  for (let i = 0; i < width * height; i++) bytes.set([i % 256, i >> 8, (i * 7) % 256, i % 3 === 0 ? 128 : 255], 4 * i)
  return image
}

test('Image.encodeChunked in all its forms', async () => {
  const image = picture(64, 48)
  const expected = await sluice.encode({ data: image.data(), width: 64, height: 48 })
  for (const args of [[1000], ['png'], ['png', {}], ['png', { level: 'fast' }, 1000]]) {
    const chunks = await collect(image, ...args)
    assert.deepEqual(Buffer.concat(chunks), expected)
    if (args.includes(1000)) for (const chunk of chunks.slice(0, -1)) assert.equal(chunk.length, 1000)
  }
  assert.deepEqual((await rgba(expected)).data, image.data())
})

test('what is no call of encodeChunked', () => {
  const image = picture(4, 4)
  for (const args of [[() => {}], ['png'], ['png', 5, () => {}], ['png', {}, 'x', () => {}], ['png', {}, 1, 2, () => {}], [{}, () => {}]]) {
    assert.throws(() => image.encodeChunked(...args), { code: 'ERR_SLUICE_ARGUMENT' }, String(args))
  }
  assert.throws(() => require('../../js/mapnik')({}), { code: 'ERR_SLUICE_ARGUMENT' })
})

test('patching twice changes nothing', () => {
  const { encodeChunked, view } = mapnik.Image.prototype
  assert.equal(require('../../js/mapnik')(mapnik), mapnik)
  assert.equal(mapnik.Image.prototype.encodeChunked, encodeChunked)
  assert.equal(mapnik.Image.prototype.view, view)
  assert.deepEqual(Object.keys(mapnik.Image.prototype).filter(name => name === 'encodeChunked'), []) // as methods are
})

test('views know their window, clipped as mapnik clips it', async () => {
  const image = picture(40, 30)
  for (const [x, y, width, height] of [[0, 0, 40, 30], [7, 5, 11, 9], [39, 29, 1, 1], [30, 20, 100, 100], [50, 60, 5, 5]]) {
    const view = image.view(x, y, width, height)
    const expected = { data: Buffer.alloc(4 * view.width() * view.height()), width: view.width(), height: view.height() }
    for (let at = 0, j = 0; j < expected.height; j++) {
      for (let i = 0; i < expected.width; i++) at = expected.data.writeUInt32LE(view.getPixel(i, j), at) // encodeSync() writes the whole image
    }
    assert.deepEqual(await rgba(await sluice.encode(view)), expected, `${x},${y},${width},${height}`)
    assert.deepEqual(await rgba(Buffer.concat(await collect(view, 'png'))), expected)
  }
})

test('a view made before is refused', () => {
  class ImageView { // as one whose maker was not wrapped
    width () { return 1 }
    height () { return 1 }
    getPixel () {}
    isSolid () {}
  }
  assert.throws(() => sluice.encodeChunked(new ImageView(), 100, () => {}), { code: 'ERR_SLUICE_ARGUMENT', message: /sluice\/mapnik/ })
})

test('premultiplied images come out straight', async () => {
  const image = picture(32, 32)
  const straight = image.data()
  image.premultiplySync()
  const { data } = await rgba(await sluice.encode(image))
  for (let i = 0; i < straight.length; i++) assert.ok(Math.abs(data[i] - straight[i]) <= 1, `byte ${i}: ${data[i]}, not ${straight[i]}`)
})

test('grey images, and types that are none of ours', async () => {
  for (const [type, fill] of [['gray8', 77], ['gray16', 30000]]) {
    const image = new mapnik.Image(5, 4, { type: mapnik.imageType[type] })
    image.fillSync(fill)
    const { channels, depth } = await sharp(await sluice.encode(image)).metadata()
    assert.equal(channels, 1)
    assert.equal(depth, type === 'gray8' ? 'uchar' : 'ushort')
  }
  const floats = new mapnik.Image(5, 4, { type: mapnik.imageType.gray32f })
  assert.throws(() => sluice.encodeChunked(floats, 100, () => {}), { code: 'ERR_SLUICE_ARGUMENT', message: /rgba8/ })
})

test('an image lives until its pixels are read', async () => {
  const expected = await sluice.encode(picture(600, 400))
  for (let round = 0; round < 30; round++) {
    const outputs = []
    for (let i = 0; i < 8; i++) {
      const image = picture(600, 400)
      outputs.push(i % 2 ? sluice.encode(image.view(0, 0, 600, 400)) : sluice.encode(image))
    }
    for (let i = 0; i < 3; i++) {
      gc()
      picture(600, 400).fillSync(round) // takes what was freed
      await sleep(1)
    }
    for (const output of await Promise.all(outputs)) assert.ok(output.equals(expected))
  }
})

test('strips that are mapnik images', async () => {
  const whole = picture(40, 30)
  const source = sluice.image({ width: 40, height: 30 })
  const output = sluice.encode(source)
  for (let y = 0; y < 30; y += 10) await source.write(whole.view(0, y, 40, 10))
  source.end()
  assert.deepEqual((await rgba(await output)).data, whole.data())
})

test('a canvas and its ImageData', async () => {
  const drawn = canvas.createCanvas(50, 40)
  const context = drawn.getContext('2d')
  context.fillStyle = 'rgba(200, 100, 50, 0.5)'
  context.fillRect(10, 10, 20, 20)
  context.fillStyle = '#135'
  context.fillRect(35, 5, 10, 30)
  const expected = await rgba(drawn.toBuffer('image/png'))
  const data = context.getImageData(0, 0, 50, 40)
  assert.deepEqual(await rgba(await sluice.encode(data)), { ...expected, data: Buffer.from(data.data) })
  const got = await rgba(await sluice.encode(drawn))
  for (let i = 0; i < got.data.length; i++) assert.ok(Math.abs(got.data[i] - expected.data[i]) <= 1, `byte ${i}`)
})

test('a canvas as node-canvas has it', async () => {
  const nodeCanvas = {
    width: 2,
    height: 2,
    stride: 12,
    getContext () {},
    toBuffer (type) {
      assert.equal(type, 'raw')
      return Buffer.from([0, 0, 128, 128, 255, 255, 255, 255, 9, 9, 9, 9, 3, 2, 1, 255, 0, 0, 0, 0, 9, 9, 9, 9])
    }
  }
  const { data } = await rgba(await sluice.encode(nodeCanvas))
  assert.deepEqual([...data], [255, 0, 0, 128, 255, 255, 255, 255, 1, 2, 3, 255, 0, 0, 0, 0])
})

const nodeCanvas = (() => {
  try {
    return require('canvas')
  } catch {
    return null
  }
})()
if (nodeCanvas) {
  test('node-canvas itself', async () => {
    for (const width of [50, 51, 333]) {
      const drawn = nodeCanvas.createCanvas(width, 40)
      const context = drawn.getContext('2d')
      context.fillStyle = 'rgba(200, 100, 50, 0.5)'
      context.fillRect(10, 10, 20, 20)
      context.fillStyle = '#135'
      context.fillRect(35, 5, 10, 30)
      const expected = await rgba(drawn.toBuffer('image/png'))
      const data = context.getImageData(0, 0, width, 40)
      assert.deepEqual(await rgba(await sluice.encode(data)), { ...expected, data: Buffer.from(data.data) })
      const got = await rgba(await sluice.encode(drawn))
      assert.deepEqual([got.width, got.height], [width, 40])
      for (let i = 0; i < got.data.length; i++) assert.ok(Math.abs(got.data[i] - expected.data[i]) <= 1, `byte ${i}`)
    }
  })
}

test('ImageData of another depth', () => {
  const data = { data: new Uint8ClampedArray(8), width: 1, height: 1, pixelFormat: 'rgba-float16' }
  assert.throws(() => sluice.encodeChunked(data, 100, () => {}), { code: 'ERR_SLUICE_ARGUMENT', message: /rgba-unorm8/ })
})
