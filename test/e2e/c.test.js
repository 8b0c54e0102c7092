'use strict'

// The C interface, without Node: test/c/encode.c writes PNGs, libpng reads them.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { test, after } = require('node:test')
const { execFile, program, temporary, pngcheck, decode, layouts, expected, assertSamples } = require('./tools')

const file = temporary(after)
const chunkSize = 4096 // of encode.c
const encode = async (...args) => (await execFile(program('encode'), args.map(String), { timeout: 60000 })).stdout

for (const pixelFormat of Object.keys(layouts)) {
  test(`${pixelFormat}: at once, in strips, and as a stream`, async () => {
    for (const [width, height] of [[1, 1], [640, 401]]) {
      const raw = file('raw')
      await encode('raw', pixelFormat, width, height, raw)
      const wanted = expected(fs.readFileSync(raw), pixelFormat)
      const outputs = {}
      for (const mode of ['whole', 'strips', 'stream']) {
        const png = file(`${mode}.png`)
        const said = await encode(mode, pixelFormat, width, height, png)
        outputs[mode] = fs.readFileSync(png)
        const [, chunks, begin] = said.match(/^(\d+) chunks, begin (.*)\n$/)
        assert.equal(Number(chunks), Math.ceil(outputs[mode].length / chunkSize))
        const { format, mediaType } = JSON.parse(begin)
        assert.deepEqual({ format, mediaType }, { format: 'png', mediaType: 'image/png' })
        await pngcheck(png)
        assertSamples((await decode(png)).rgba, wanted, `${pixelFormat} ${mode} ${width}x${height}`)
      }
      assert.ok(outputs.strips.equals(outputs.stream), 'the same strips give the same bytes, whichever way they come')
    }
  })
}

test('errors have their code and a message that says what was expected', async () => {
  const request = (source, rest) => JSON.stringify({
    kind: 'image', source: { width: 4, height: 4, whole: true, ...source }, format: 'png', ...rest
  })
  const cases = [
    [request({}, { options: { level: 'hgih' } }), 4, /Expected png option "level" to be .*, got "hgih"/],
    [request({}, { options: { levle: 'fast' } }), 4, /levle/],
    [request({}, { format: 'webm' }), 3, /webm/],
    [request({ height: 5 }), 5, /./],
    [request({ width: 0 }), 6, /width/],
    [request({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }), 6, /./],
    [request({ pixelFormat: 'cmyk' }), 4, /cmyk/]
  ]
  for (const [json, code, message] of cases) {
    const said = await encode('fail', json)
    assert.equal(said.split(' ', 1)[0], String(code), `${json}: ${said}`)
    assert.match(said, message)
  }
  assert.match(await encode('fail', 'not JSON'), /^[1-9]\d* .+/)
})

test('a callback that refuses a chunk ends the encode', async () => {
  assert.equal(await encode('stop', 'rgba', 640, 400), '7 2 chunks\n')
})
