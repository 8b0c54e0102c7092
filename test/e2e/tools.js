'use strict'

// What the end-to-end tests share: programs, temporary files, and pixels in a form that can be compared.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')

const execFile = promisify(require('node:child_process').execFile)
const root = path.join(__dirname, '../..')
const program = (name) => path.join(root, 'test/c/build', name)

// A folder that goes away after the test file.
function temporary (after) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-'))
  after(() => fs.rmSync(folder, { recursive: true }))
  return (name) => path.join(folder, name)
}

async function pngcheck (file) {
  const { stdout } = await execFile('pngcheck', ['-v', file])
  assert.match(stdout, /^No errors detected/m)
}

// libpng's view of a PNG: {width, height, depth, colourType, rgba: Uint16Array}, samples of 8 bits spread to 16.
async function decode (file) {
  const raw = `${file}.rgba`
  const { stdout } = await execFile(program('decode'), [file, raw])
  const header = JSON.parse(stdout)
  const bytes = fs.readFileSync(raw)
  fs.rmSync(raw)
  return { ...header, rgba: samples(bytes, header.depth === 16) }
}

// The samples of bytes as 16 bits each.
function samples (bytes, wide) {
  if (wide) return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return Uint16Array.from(bytes, (sample) => sample * 257)
}

// Where R, G, B and A of a pixel lie among its samples; null: opaque.
const layouts = {
  rgba: [0, 1, 2, 3],
  bgra: [2, 1, 0, 3],
  rgb: [0, 1, 2, null],
  graya: [0, 0, 0, 1],
  gray: [0, 0, 0, null],
  rgba16: [0, 1, 2, 3],
  gray16: [0, 0, 0, null]
}
const isWide = (pixelFormat) => pixelFormat.endsWith('16')
const channels = (pixelFormat) => new Set(layouts[pixelFormat].filter((at) => at !== null)).size
const bytesPerPixel = (pixelFormat) => channels(pixelFormat) * (isWide(pixelFormat) ? 2 : 1)

// What a decoder should make of tightly packed pixels: straight RGBA, 16 bits a sample.
function expected (bytes, pixelFormat, premultiplied = false) {
  const wide = isWide(pixelFormat)
  const max = wide ? 65535 : 255
  const from = wide ? samples(bytes, true) : bytes
  const n = channels(pixelFormat)
  const layout = layouts[pixelFormat]
  const rgba = new Uint16Array(from.length / n * 4)
  for (let pixel = 0; pixel < from.length / n; pixel++) {
    const alpha = layout[3] === null ? max : from[pixel * n + layout[3]]
    for (let i = 0; i < 4; i++) {
      let sample = i === 3 ? alpha : from[pixel * n + layout[i]]
      if (premultiplied && i < 3) sample = alpha === 0 ? 0 : Math.min(max, Math.floor((sample * max + Math.floor(alpha / 2)) / alpha))
      rgba[pixel * 4 + i] = wide ? sample : sample * 257
    }
  }
  return rgba
}

// Like assert.deepEqual, but quick, and with a message that says where.
function assertSamples (actual, wanted, what) {
  assert.equal(actual.length, wanted.length, `${what}: number of samples`)
  assert.ok(wanted.length > 0, `${what}: nothing to compare`)
  const at = actual.findIndex((sample, i) => sample !== wanted[i])
  if (at >= 0) assert.fail(`${what}: pixel ${at >> 2}, channel ${at & 3}: got ${actual[at]}, expected ${wanted[at]}`)
}

module.exports = { execFile, root, program, temporary, pngcheck, decode, layouts, bytesPerPixel, isWide, expected, assertSamples }
