'use strict'

// The images that PNG encoders are compared on by default: maps of the demo, and pictures that are computed. They are written to a
// folder of the shape that CORPUS has, so that processes that measure read both alike.

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { withMaps } = require('./map')
const { relief, photo, noise } = require('./terrain')

const folder = path.join(__dirname, '../../build/bench/images')

const edge = 20037508.342789244 // of the square world of EPSG:3857, in metres

const maps = [
  { name: 'world_1201x801', extent: [-edge, -9e6, edge, 17.7e6], width: 1201, height: 801 },
  { name: 'europe_1201x801', extent: [-1400000, 4200000, 4600000, 8200000], width: 1201, height: 801 },
  { name: 'rhine_1201x801', class: 'cartography', extent: [520000, 6400000, 1120000, 6800000], width: 1201, height: 801 },
  { name: 'tile_world_256', ...tile(0, 0, 0) },
  { name: 'tile_coast_256', ...tile(6, 34, 23) },
  { name: 'tile_city_256', ...tile(7, 66, 42) },
  { name: 'tile_border_256', ...tile(7, 101, 45) },
  { name: 'tile_ocean_256', ...tile(8, 80, 100) },
  { name: 'print_3508x2480', extent: [-1400000, 4200000, 4258000, 8200000], width: 3508, height: 2480 } // A4 at 300 dpi
]

const overlays = [ // roads and buildings of Montevideo, at zoom 14 and 15
  { name: 'overlay_roads_1201x801', extent: [-6262000, -4153000, -6250530, -4145350], width: 1201, height: 801 },
  { name: 'overlay_roads_512', extent: [-6256000, -4149500, -6253554, -4147054], width: 512, height: 512 }
]

const pictures = {
  relief_colour_1201x801: () => relief(1201, 801, { colour: true }),
  relief_grey_1201x801: () => relief(1201, 801, { colour: false }),
  photo_1201x801: () => photo(1201, 801),
  noise_800x600: () => noise(800, 600)
}

/** A tile of a web map: zoom, column, row from the north. */
function tile (z, x, y) {
  const size = 2 * edge / 2 ** z
  return { extent: [x * size - edge, edge - (y + 1) * size, (x + 1) * size - edge, edge - y * size], width: 256, height: 256 }
}

/** Makes all images. Resolves with the folder that they lie in. */
async function makeImages () {
  fs.mkdirSync(folder, { recursive: true })
  const images = []
  const save = ({ name, class: group }, { data, width, height, premultiplied }) => {
    const file = `${name}.rgba.gz`
    fs.writeFileSync(path.join(folder, file), zlib.gzipSync(data, { level: 1 }))
    images.push({ name, class: group, file, width, height, premultiplied })
  }
  await withMaps(async draw => {
    for (const map of maps) save(map, await draw(map))
    for (const overlay of overlays) save(overlay, await draw({ ...overlay, layers: ['roads', 'buildings', 'cities'], background: 'rgba(0,0,0,0)' }))
  })
  for (const [name, make] of Object.entries(pictures)) save({ name }, make())
  fs.writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify({ images }, null, 1))
  return folder
}

module.exports = { makeImages }
