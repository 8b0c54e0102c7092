'use strict'

// GDAL reads TIFF in every layout and pixel format, its georeference, and BMP. (GDAL 3.6 reads no BMP with alpha.)

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const { after, test } = require('node:test')
const { promisify } = require('node:util')

const { encode } = require('../..')
const { temporary } = require('./tools')

const run = promisify(execFile)
const place = temporary(after)

const width = 203
const height = 117
const bytes = { rgba: 4, rgb: 3, graya: 2, gray: 1, rgba16: 8, gray16: 2 }
function pixels (pixelFormat) {
  const data = Buffer.alloc(width * height * bytes[pixelFormat])
  for (let i = 0; i < data.length; i++) data[i] = (i * 31 + (i >> 8) * 7) % 256
  return { data, width, height, pixelFormat }
}

/** What gdalinfo says of a file, and its samples, pixel by pixel, as GDAL sees them. */
async function read (file) {
  const { stdout } = await run('gdalinfo', ['-json', file])
  const raw = `${file}.bin`
  await run('gdal_translate', ['-q', '-of', 'ENVI', '-co', 'INTERLEAVE=BIP', file, raw])
  return { info: JSON.parse(stdout), data: fs.readFileSync(raw) }
}

const layouts = [{ compression: 'none' }, { compression: 'deflate' }, { compression: 'lzw' }, { compression: 'deflate', predictor: 'horizontal' }, { compression: 'lzw', tiled: true, tileWidth: 64, tileHeight: 32 }, { compression: 'none', rowsPerStrip: 10 }]
for (const options of layouts) {
  test(`TIFF: ${JSON.stringify(options)}`, async () => {
    for (const pixelFormat of options === layouts[0] ? Object.keys(bytes) : ['rgba', 'gray16']) {
      const source = pixels(pixelFormat)
      const file = place(`${pixelFormat}.tif`)
      fs.writeFileSync(file, await encode(source, { format: 'tiff', ...options }))
      const { info, data } = await read(file)
      assert.deepEqual(info.size, [width, height])
      assert.ok(data.equals(source.data), pixelFormat)
    }
  })
}

test('GeoTIFF: origin, pixel size and coordinate system', async () => {
  const file = place('geo.tif')
  fs.writeFileSync(file, await encode(pixels('rgb'), { format: 'image/geotiff', geo: { bbox: [1000, 2000, 1000 + width * 10, 2000 + height * 10], epsg: 3857 } }))
  const { info } = await read(file)
  assert.deepEqual(info.geoTransform, [1000, 10, 0, 2000 + height * 10, 0, -10])
  assert.match(info.coordinateSystem.wkt, /ID\["EPSG",3857\]\]$/)
})

test('BMP of opaque pixels', async () => {
  const source = pixels('rgb')
  const file = place('opaque.bmp')
  fs.writeFileSync(file, await encode(source, { format: 'bmp' }))
  const { info, data } = await read(file)
  assert.deepEqual(info.size, [width, height])
  assert.equal(info.bands.length, 3)
  assert.ok(data.equals(source.data))
})
