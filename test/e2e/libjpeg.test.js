'use strict'

// libjpeg-turbo's own programs: cjpeg makes the same bytes of the same pixels, djpeg decodes what it cannot make.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { buffer } = require('node:stream/consumers')
const { test } = require('node:test')
const sluice = require('sluice')
const { relief, photo, noise } = require('../bench/terrain')
const { execFile, root } = require('./tools')

// What a program makes of input.
async function run (program, args, input) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {}).end(input)
  const [output, [code]] = await Promise.all([buffer(child.stdout), once(child, 'close')])
  assert.equal(code, 0, `${program} ${args.join(' ')}`)
  return output
}

// The first n samples of each RGBA pixel.
function samples ({ data, width, height }, n) {
  const out = Buffer.alloc(width * height * n)
  for (let i = 0; i < width * height; i++) data.copy(out, i * n, i * 4, i * 4 + n)
  return out
}

const netpbm = (kind, width, height, bytes) => Buffer.concat([Buffer.from(`P${kind} ${width} ${height} 255\n`), bytes])

const pictures = () => {
  const all = { photo: photo(401, 267), relief: relief(333, 200, { colour: true }), noise: noise(130, 99) }
  for (const [width, height] of [[1, 1], [7, 5], [1, 300], [300, 1], [17, 33], [16, 16], [255, 257]]) all[`${width}x${height}`] = photo(width, height)
  return Object.entries(all).map(([name, { data, width, height }]) => [name, { data: Buffer.from(data), width, height }])
}

test('4:2:0, 4:4:4 and grey have the bytes of cjpeg', async () => {
  for (const [name, picture] of pictures()) {
    const { width, height } = picture
    const rgb = netpbm(6, width, height, samples(picture, 3))
    const gray = samples(picture, 1)
    for (const [options, args] of [[{ quality: 85 }, ['-quality', '85']], [{ quality: 40, restart: 2 }, ['-quality', '40', '-restart', '2']], [{ quality: 96, optimize: true }, ['-quality', '96', '-optimize']]]) {
      for (const [subsampling, factors] of [['4:2:0', '2x2'], ['4:4:4', '1x1']]) {
        const got = await sluice.encode(picture, { format: 'jpeg', subsampling, ...options })
        assert.ok(got.equals(await run('cjpeg', ['-baseline', '-dct', 'int', '-sample', factors, ...args], rgb)), `${name} ${subsampling} ${args}`)
      }
      const got = await sluice.encode({ data: gray, width, height, pixelFormat: 'gray' }, { format: 'jpeg', ...options })
      assert.ok(got.equals(await run('cjpeg', ['-baseline', '-dct', 'int', ...args], netpbm(5, width, height, gray))), `${name} grey ${args}`)
    }
  }
})

test('the sums that Go tests against are those of this cjpeg', async () => {
  await execFile('go', ['test', './internal/jpeg', '-count=1', '-run', '^TestLibjpegTurbo$', '-args', '-cjpeg', 'cjpeg'], { cwd: root })
})

test('djpeg decodes translucent pixels, profiles and the largest sides that it takes', async () => {
  for (const [width, height] of [[65500, 3], [2, 65500], [90, 70]]) {
    const data = Buffer.from(noise(width, height).data)
    for (let i = 3; i < data.length; i += 4) data[i] = i
    for (const options of [{}, { subsampling: '4:4:4', background: '#306090', icc: new Uint8Array(70000).fill(3), optimize: true }]) {
      const jpeg = await sluice.encode({ data, width, height, premultiplied: true }, { format: 'jpeg', ...options })
      const ppm = await run('djpeg', ['-strict', '-pnm'], jpeg)
      assert.equal(ppm.length, `P6\n${width} ${height}\n255\n`.length + 3 * width * height)
    }
  }
})
