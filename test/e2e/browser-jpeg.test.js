'use strict'

// Chromium decodes what sluice writes: every subsampling, grey, with restart markers, tables of their own and a profile.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const { test } = require('node:test')
const { chromium } = require('playwright-core')
const sharp = require('sharp')
const sluice = require('sluice')
const { photo } = require('../bench/terrain')

test('Chromium decodes what sluice writes', async () => {
  const browser = await chromium.launch({ executablePath: execFileSync('sh', ['-c', 'command -v chromium']).toString().trim(), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
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
      const decoded = await page.evaluate(async (base64) => {
        const image = new globalThis.Image()
        image.src = `data:image/jpeg;base64,${base64}`
        await image.decode()
        const canvas = globalThis.document.createElement('canvas')
        canvas.width = image.naturalWidth
        canvas.height = image.naturalHeight
        const context = canvas.getContext('2d')
        context.drawImage(image, 0, 0)
        return { width: canvas.width, height: canvas.height, data: [...context.getImageData(0, 0, canvas.width, canvas.height).data] }
      }, jpeg.toString('base64'))
      assert.deepEqual([decoded.width, decoded.height], [source.width, source.height])
      const wanted = await sharp(jpeg).toColourspace('srgb').ensureAlpha().raw().toBuffer()
      let error = 0
      for (const [i, sample] of wanted.entries()) error += Math.abs(sample - decoded.data[i])
      assert.ok(error / wanted.length < 2, `${JSON.stringify(options)}: differs by ${error / wanted.length} on average`)
    }
  } finally {
    await browser.close()
  }
})
