'use strict'

// Renders the map with node-mapnik, into pixels that sluice can encode.

// mapnik brings its own projection data; a system-wide setting would point it at another version's.
for (const name of ['PROJ_LIB', 'PROJ_DATA', 'GDAL_DATA']) delete process.env[name]

const os = require('node:os')
const mapnik = require('@mapnik/mapnik')
const { prepare } = require('./data')
const { style, sea } = require('./style')

mapnik.register_default_input_plugins()
mapnik.register_default_fonts()

// A mapnik.Map serves one render at a time, so as many are made as the machine can render side by side.
class Pool {
  constructor (maps) {
    this.idle = maps
    this.waiting = []
  }

  take () {
    if (this.idle.length > 0) return this.idle.pop()
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  give (map) {
    const next = this.waiting.shift()
    if (next) next(map)
    else this.idle.push(map)
  }
}

async function load () {
  const xml = style(prepare())
  const maps = []
  for (let i = 0; i < Math.min(4, os.availableParallelism()); i++) maps.push(await parse(xml))
  return new Pool(maps)
}

function parse (xml) {
  return new Promise((resolve, reject) => {
    new mapnik.Map(256, 256).fromString(xml, (err, map) => {
      if (err) return reject(err)
      // A BBOX of another shape than WIDTH x HEIGHT stretches the map, as WMS has it.
      map.aspect_fix_mode = mapnik.Map.ASPECT_RESPECT
      map.bufferSize = 128
      resolve(map)
    })
  })
}

// -> pixels: {data, width, height, premultiplied}.
// srs: 'epsg:3857' or 'epsg:4326'; extent: [minx, miny, maxx, maxy], x east and y north, whatever the srs;
// width, height: pixels; background: a CSS colour, default the sea's.
async function render (pool, { srs, extent, width, height, background = sea }) {
  const map = await pool.take()
  try {
    map.srs = srs
    map.resize(width, height)
    map.extent = extent
    map.background = new mapnik.Color(background)
    return await new Promise((resolve, reject) => {
      map.render(new mapnik.Image(width, height), { buffer_size: map.bufferSize }, (err, image) => {
        if (err) reject(err)
        else resolve(pixels(image))
      })
    })
  } finally {
    pool.give(map)
  }
}

// buffer() shares the image's memory, where data() copies it. The image frees that memory once it is collected, whoever
// still reads the pixels; so as long as they live, it must.
const owners = new WeakMap()

function pixels (image) {
  const data = image.buffer()
  owners.set(data.buffer, image)
  return { data, width: image.width(), height: image.height(), premultiplied: image.premultiplied() }
}

module.exports = { load, render }
