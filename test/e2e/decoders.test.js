'use strict'

// Decoders that have nothing of the encoders' read every lossless format: Pillow (libpng, libtiff, its own GIF and BMP, a libwebp of
// another version) and Chromium. What others read is in libpng.test.js, libjpeg.test.js, browser-jpeg.test.js and tiff.test.js.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const { after, test } = require('node:test')
const { chromium } = require('playwright-core')
const sluice = require('sluice')
const { temporary } = require('./tools')

const place = temporary(after)
const width = 101
const height = 67

/** RGBA of at most so many colours; alpha by alphaOf. */
function picture (colors, alphaOf) {
  const data = Buffer.alloc(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    const c = (i * 7 + (i >> 7)) % colors
    data.set([c, (c * 5) % 256, 255 - c % 200, alphaOf(c)], 4 * i)
  }
  return { data, width, height }
}

const opaque = () => 255
const cases = {
  png: [picture(5000, c => c % 256), {}],
  'png of 16 bits': [{ data: Buffer.alloc(width * height * 2, Buffer.from([0, 17])), width, height, pixelFormat: 'gray16' }, { format: 'png' }],
  png8: [picture(200, c => c), {}],
  'webp, lossless': [picture(5000, c => 1 + c % 255), { format: 'webp', lossless: true, exact: true }],
  'webp, lossless and opaque': [picture(5000, opaque), { format: 'webp', lossless: true }],
  gif: [picture(256, opaque), {}],
  'gif with a transparent colour': [picture(100, c => c === 7 ? 0 : 255), { format: 'gif' }],
  bmp: [picture(5000, opaque), {}],
  'bmp with alpha': [picture(5000, c => c % 256), { format: 'bmp' }],
  'bmp of grey': [{ data: Buffer.alloc(width * height, Buffer.from([3, 77, 250])), width, height, pixelFormat: 'gray' }, { format: 'bmp' }],
  tiff: [picture(5000, c => c % 256), { format: 'tiff' }],
  'tiff, lzw': [picture(5000, opaque), { format: 'tiff', compression: 'lzw', tiled: true, tileWidth: 32, tileHeight: 16 }]
}

/** RGBA of 8 bits that a decoder should see. */
function wanted ({ data, pixelFormat }) {
  if (pixelFormat === undefined) return data
  const step = pixelFormat === 'gray16' ? 2 : 1
  const rgba = Buffer.alloc(width * height * 4, 255)
  for (let i = 0; i < width * height; i++) rgba.fill(data[step * i + step - 1], 4 * i, 4 * i + 3) // of 16 bits the high ones
  return rgba
}

/** Pixels that do not show are alike. */
function assertAlike (got, want, exact, what) {
  assert.equal(got.length, want.length, what)
  for (let i = 0; i < want.length; i += 4) {
    const alpha = want[i + 3]
    assert.equal(got[i + 3], alpha, `${what}: alpha of pixel ${i / 4}`)
    if (alpha === 0) continue
    for (let k = i; k < i + 3; k++) {
      // A canvas keeps pixels premultiplied, and rounds there and back.
      const off = Math.abs(got[k] - want[k])
      assert.ok(exact ? off === 0 : off * alpha <= 1.5 * 255, `${what}: pixel ${i / 4}: ${[...got.subarray(i, i + 4)]}, not ${[...want.subarray(i, i + 4)]}`)
    }
  }
}

test('Pillow reads what went in', async () => {
  const script = `
import sys
from PIL import Image
for name in sys.argv[1:]:
    image = Image.open(name)
    if image.mode.startswith('I'):
        image = image.point(lambda v: v / 256).convert('L')
    open(name + '.rgba', 'wb').write(image.convert('RGBA').tobytes())
`
  const files = []
  for (const [name, [source, options]] of Object.entries(cases)) {
    const file = place(name.replaceAll(/\W+/g, '-'))
    fs.writeFileSync(file, await sluice.encode(source, { format: name, ...options }))
    files.push([name, file, source])
  }
  execFileSync('/usr/bin/python3', ['-c', script, ...files.map(([, file]) => file)], { stdio: 'inherit' })
  for (const [name, file, source] of files) assertAlike(fs.readFileSync(`${file}.rgba`), wanted(source), true, name)
})

test('Chromium reads what went in', async () => {
  const browser = await chromium.launch({ executablePath: execFileSync('sh', ['-c', 'command -v chromium']).toString().trim(), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    for (const [name, [source, options]] of Object.entries(cases)) {
      if (name.startsWith('tiff')) continue // no browser but Safari reads it
      const file = await sluice.encode(source, { format: name, ...options })
      const decoded = await page.evaluate(async (base64) => {
        const image = new globalThis.Image()
        image.src = `data:;base64,${base64}`
        await image.decode()
        const canvas = globalThis.document.createElement('canvas')
        canvas.width = image.naturalWidth
        canvas.height = image.naturalHeight
        const context = canvas.getContext('2d')
        context.drawImage(image, 0, 0)
        return [...context.getImageData(0, 0, canvas.width, canvas.height).data]
      }, file.toString('base64'))
      assertAlike(Buffer.from(decoded), wanted(source), false, name)
    }
  } finally {
    await browser.close()
  }
})
