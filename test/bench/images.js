'use strict'

// The images that benches measure with: the demo's map, or a folder of raw ones.

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')

/**
 * What lies in a folder with a manifest.json {"images": [{"name", "file", "width", "height", "premultiplied"}]} whose files
 * are gzipped RGBA. IMAGE chooses among them, by names with commas between.
 */
function entries (folder) {
  const wanted = process.env.IMAGE?.split(',')
  const { images } = JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json')))
  return images.filter(({ name }) => wanted === undefined || wanted.includes(name))
}

/** The pixels of an entry. */
function read (folder, { file, width, height, premultiplied }) {
  return { data: zlib.gunzipSync(fs.readFileSync(path.join(folder, file))), width, height, premultiplied }
}

/** [{name, pixels}], of the folder that CORPUS names, or the map of the demo. */
async function images () {
  const folder = process.env.CORPUS
  if (folder === undefined) return [{ name: 'the map of the demo', pixels: await renderMap() }]
  return entries(folder).map((entry) => ({ name: entry.name, pixels: read(folder, entry) }))
}

function renderMap () {
  const { withMaps } = require('./map')
  return withMaps(draw => draw({ extent: [-1400000, 4200000, 4600000, 8200000], width: 1201, height: 801 }))
}

module.exports = { images, entries, read }
