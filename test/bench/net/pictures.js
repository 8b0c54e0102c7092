'use strict'

// What is served: an image of noise, which hardly compresses, a cadastral map and a street map, made once; or what lies in the folder CORPUS.

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { entries } = require('../images')
const { withMaps } = require('../map')
const { noise } = require('../terrain')

const folder = path.join(__dirname, '../../../build/bench/net')

/** What a web map shows at a zoom around a place in Montevideo, in EPSG:3857. */
function view (zoom, layers) {
  const [x, y] = [-6254777, -4148270]
  const [width, height] = [1201, 801]
  const pixel = 156543.03392804097 / 2 ** zoom // metres
  return { extent: [x - width / 2 * pixel, y - height / 2 * pixel, x + width / 2 * pixel, y + height / 2 * pixel], width, height, layers }
}

const pictures = {
  noise_800x600: () => noise(800, 600),
  cadastral_1201x801: draw => draw(view(18, ['buildings', 'roads', 'addresses'])),
  street_1201x801: draw => draw(view(15))
}

/** Resolves with {folder, images: entries of its manifest}; IMAGE chooses. */
async function prepare () {
  if (process.env.CORPUS !== undefined) return { folder: path.resolve(process.env.CORPUS), images: entries(process.env.CORPUS) }
  const manifest = path.join(folder, 'manifest.json')
  if (!fs.existsSync(manifest)) {
    fs.mkdirSync(folder, { recursive: true })
    const images = []
    await withMaps(async draw => {
      for (const [name, make] of Object.entries(pictures)) {
        const { data, width, height, premultiplied } = await make(draw)
        const file = `${name}.rgba.gz`
        fs.writeFileSync(path.join(folder, file), zlib.gzipSync(data, { level: 1 }))
        images.push({ name, file, width, height, premultiplied })
      }
    })
    fs.writeFileSync(manifest, JSON.stringify({ images }, null, 1))
  }
  return { folder, images: entries(folder) }
}

module.exports = { prepare }
