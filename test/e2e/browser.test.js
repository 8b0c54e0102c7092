'use strict'

// Chromium decodes what sluice writes. JPEG: every subsampling, grey, with restart markers, tables of their own and a profile.
// PNG: every level on every pixel format, palettes and Adam7, each sample as libpng has it, as far as its alpha lets it show.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const { test, before, after } = require('node:test')
const { chromium } = require('playwright-core')
const sharp = require('sharp')
const sluice = require('sluice')
const { info } = require('../../js/binding')
const { photo } = require('../bench/terrain')
const { temporary, decode, layouts, bytesPerPixel } = require('./tools')

const file = temporary(after)
const levels = info.formats.find((format) => format.name === 'png').options.level.choices
let browser, page

before(async () => {
  browser = await chromium.launch({ executablePath: execFileSync('sh', ['-c', 'command -v chromium']).toString().trim(), args: ['--no-sandbox'] })
  page = await browser.newPage()
  await page.route('https://local.test/', (route) => route.fulfill({ body: '<!doctype html>', contentType: 'text/html' })) // ImageDecoder wants a secure context
  await page.goto('https://local.test/')
})

after(() => browser?.close())

/** What the browser makes of an image: {width, height, data: straight RGBA}. */
async function shown (bytes, type) {
  const { width, height, base64 } = await page.evaluate(async ([base64, type]) => {
    const data = globalThis.Uint8Array.from(globalThis.atob(base64), (c) => c.charCodeAt(0))
    const decoder = new globalThis.ImageDecoder({ data, type, premultiplyAlpha: 'none', colorSpaceConversion: 'none' })
    const { image } = await decoder.decode()
    const rgba = new Uint8Array(image.allocationSize({ format: 'RGBA' }))
    await image.copyTo(rgba, { format: 'RGBA' })
    const { displayWidth: width, displayHeight: height } = image
    image.close()
    let text = ''
    for (let i = 0; i < rgba.length; i += 4096) text += String.fromCharCode(...rgba.subarray(i, i + 4096))
    return { width, height, base64: globalThis.btoa(text) }
  }, [bytes.toString('base64'), type])
  return { width, height, data: Buffer.from(base64, 'base64') }
}

test('JPEG', async () => {
  const { data, width, height } = photo(177, 93)
  const gray = data.filter((_, i) => i % 4 === 0)
  for (const [source, options] of [
    [{ data, width, height }, {}],
    [{ data, width, height }, { subsampling: '4:4:4', quality: 97 }],
    [{ data, width, height }, { optimize: true, restart: 1 }],
    [{ data: gray, width, height, pixelFormat: 'gray' }, { restart: 3, dpi: 300 }],
    [{ data: photo(1, 1).data, width: 1, height: 1 }, {}]
  ]) {
    const jpeg = await sluice.encode(source, { format: 'jpeg', ...options })
    const decoded = await shown(jpeg, 'image/jpeg')
    assert.deepEqual([decoded.width, decoded.height], [source.width, source.height])
    const wanted = await sharp(jpeg).toColourspace('srgb').ensureAlpha().raw().toBuffer()
    let error = 0
    for (const [i, sample] of wanted.entries()) error += Math.abs(sample - decoded.data[i])
    assert.ok(error / wanted.length < 2, `${JSON.stringify(options)}: differs by ${error / wanted.length} on average`)
  }
})

// A byte of a picture from its place, the number of the sample and that of all samples.
const pictures = {
  'two colours': (x, y) => (x >> 3 ^ y >> 3) & 1 ? 255 : 32,
  'few colours': (x, y, sample) => [20, 90, 160, 230][(x >> 2) + (y >> 2) & 3] + sample * 5,
  gradient: (x, y, sample) => (x * 3 + y * 2 + sample * 40) & 255
}

test('PNG', async () => {
  let compared = 0
  const check = async (source, options, what) => {
    const png = await sluice.encode(source, { format: 'png', ...options })
    fs.writeFileSync(file('image.png'), png)
    const wanted = (await decode(file('image.png'))).rgba
    const { width, height, data } = await shown(png, 'image/png')
    assert.deepEqual([width, height], [source.width, source.height], what)
    for (const [i, sample] of wanted.entries()) {
      const alpha = wanted[i | 3] / 65535 // Chromium keeps colours premultiplied: their last bits are lost with opacity, and of 16 it has 8
      const off = Math.abs(sample / 257 - data[i]) * (i % 4 === 3 ? 1 : alpha)
      if (off > (source.pixelFormat?.endsWith('16') ? 2 : alpha === 1 ? 0 : 1)) assert.fail(`${what}: sample ${i} is ${data[i]}, libpng says ${sample / 257}`)
    }
    compared++
  }
  for (const pixelFormat of Object.keys(layouts)) {
    for (const picture of Object.keys(pictures)) {
      const [width, height, samples] = [67, 41, bytesPerPixel(pixelFormat)]
      const data = Buffer.alloc(width * height * samples)
      for (let i = 0; i < data.length; i++) {
        const pixel = Math.floor(i / samples)
        data[i] = pictures[picture](pixel % width, Math.floor(pixel / width), i % samples)
      }
      const source = { data, width, height, pixelFormat }
      for (const level of levels) await check(source, { level }, `${pixelFormat}, ${picture}, ${level}`)
      await check(source, { interlace: true }, `${pixelFormat}, ${picture}, interlaced`)
      await check(source, { reduce: false }, `${pixelFormat}, ${picture}, not reduced`)
    }
  }
  const { data, width, height } = photo(177, 93)
  for (const colors of [2, 4, 16, 256]) {
    await check({ data, width, height }, { format: 'png8', colors }, `${colors} colours`)
  }
  assert.equal(compared, Object.keys(layouts).length * Object.keys(pictures).length * (levels.length + 2) + 4)
})
