'use strict'

// Independence: libpng decodes what sluice encodes, and agrees on every pixel.

const fs = require('node:fs')
const { test, after } = require('node:test')
const sluice = require('sluice')
const { info } = require('../../js/binding')
const { temporary, pngcheck, decode, layouts, bytesPerPixel, expected, assertSamples } = require('./tools')

const file = temporary(after)
const levels = info.formats.find((format) => format.name === 'png').options.level.choices

// One byte of a picture, from its place: kind by kind what an encoder treats differently.
const pictures = {
  flat: () => 255,
  empty: () => 0,
  'two colours': (x, y) => (x >> 3 ^ y >> 3) & 1 ? 255 : 32,
  'few colours': (x, y, sample) => [20, 90, 160, 230][(x >> 2) + (y >> 2) & 3] + sample * 5,
  gradient: (x, y, sample) => (x * 3 + y * 2 + sample * 40) & 255,
  noise: (x, y, sample, random) => random()
}

function generator (seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed >>> 24
  }
}

function pixels (pixelFormat, picture, width, height) {
  const size = bytesPerPixel(pixelFormat)
  const random = generator(width + height)
  const data = Buffer.alloc(width * height * size)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let sample = 0; sample < size; sample++) data[at++] = pictures[picture](x, y, sample, random)
    }
  }
  return { data, width, height, pixelFormat }
}

// What premultiplied pixels are: no colour larger than its alpha.
function premultiply (source) {
  const alpha = layouts[source.pixelFormat][3]
  const size = bytesPerPixel(source.pixelFormat)
  const view = source.pixelFormat === 'rgba16' ? new Uint16Array(source.data.buffer, source.data.byteOffset, source.data.length / 2) : source.data
  const n = source.pixelFormat === 'rgba16' ? 4 : size
  for (let i = 0; i < view.length; i++) view[i] = Math.min(view[i], view[i - i % n + alpha])
  return { ...source, premultiplied: true }
}

async function verify (source, options, what) {
  const png = file(`${what.replaceAll(/[^a-z0-9]+/gi, '-')}.png`)
  fs.writeFileSync(png, await sluice.encode(source, { format: 'png', ...options }))
  await pngcheck(png)
  assertSamples((await decode(png)).rgba, expected(source.data, source.pixelFormat, source.premultiplied), what)
}

for (const pixelFormat of Object.keys(layouts)) {
  test(`${pixelFormat}: every level, every kind of picture`, async () => {
    for (const level of levels) {
      for (const picture of Object.keys(pictures)) {
        await verify(pixels(pixelFormat, picture, 97, 61), { level }, `${pixelFormat} ${level} ${picture}`)
      }
    }
  })

  test(`${pixelFormat}: thin, tiny and large`, async () => {
    for (const [width, height] of [[1, 1], [1, 300], [300, 1], [2, 3], [8, 8], [1201, 401]]) {
      await verify(pixels(pixelFormat, 'gradient', width, height), {}, `${pixelFormat} ${width}x${height}`)
    }
  })

  if (layouts[pixelFormat][3] !== null) {
    test(`${pixelFormat}: premultiplied pixels are made straight`, async () => {
      for (const picture of ['noise', 'gradient', 'empty']) {
        await verify(premultiply(pixels(pixelFormat, picture, 97, 61)), {}, `${pixelFormat} premultiplied ${picture}`)
      }
    })
  }

  test(`${pixelFormat}: rows with padding, and rows pushed strip by strip`, async () => {
    const { data, width, height } = pixels(pixelFormat, 'gradient', 97, 61)
    const row = width * bytesPerPixel(pixelFormat)
    const stride = row + 24
    const padded = Buffer.alloc(stride * height, 7)
    for (let y = 0; y < height; y++) data.copy(padded, y * stride, y * row, (y + 1) * row)
    const pushed = sluice.image({ width, height, pixelFormat })
    const results = Promise.all([
      sluice.encode({ data: padded, width, height, pixelFormat, stride }, { format: 'png' }),
      sluice.encode(pushed, { format: 'png' })
    ])
    for (let y = 0; y < height; y += 7) await pushed.write(data.subarray(y * row, Math.min(y + 7, height) * row))
    pushed.end()
    for (const [i, png] of (await results).entries()) {
      const name = file(`${pixelFormat}-${i}.png`)
      fs.writeFileSync(name, png)
      await pngcheck(name)
      assertSamples((await decode(name)).rgba, expected(data, pixelFormat), `${pixelFormat} ${i === 0 ? 'padded' : 'pushed'}`)
    }
  })
}
