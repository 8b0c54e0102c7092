'use strict'

// The images that responses are measured with: the demo's map, or a folder of raw ones.

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const map = require('../../example/map')

/**
 * [{name, pixels}]. CORPUS names a folder with a manifest.json {"images": [{"name", "file", "width", "height",
 * "premultiplied"}]} whose files are gzipped RGBA; IMAGE chooses among them, by names with commas between.
 */
async function images () {
  if (process.env.CORPUS === undefined) return [{ name: 'the map of the demo', pixels: await renderMap() }]
  const wanted = process.env.IMAGE?.split(',')
  const manifest = JSON.parse(fs.readFileSync(path.join(process.env.CORPUS, 'manifest.json')))
  return manifest.images.filter(({ name }) => wanted === undefined || wanted.includes(name)).map(({ name, file, width, height, premultiplied }) => ({
    name, pixels: { data: zlib.gunzipSync(fs.readFileSync(path.join(process.env.CORPUS, file))), width, height, premultiplied }
  }))
}

async function renderMap () {
  const pool = await map.load()
  return map.render(pool, { srs: 'epsg:3857', extent: [-1400000, 4200000, 4600000, 8200000], width: 1201, height: 801 })
}

module.exports = { images }
