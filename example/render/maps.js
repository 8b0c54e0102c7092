'use strict'

// node-mapnik's maps, ready to draw: a pool for each list of layers that is asked for.

// mapnik brings its own projection data; a system-wide setting would point it at another version's.
for (const name of ['PROJ_LIB', 'PROJ_DATA', 'GDAL_DATA']) delete process.env[name]

const mapnik = require('@mapnik/mapnik')
const { layers } = require('../layers')
const { style, labelBuffer } = require('./style')

mapnik.register_default_input_plugins()
mapnik.register_default_fonts()

const mostPools = 16 // the least recently used goes: clients choose the lists of layers

// A mapnik.Map serves one render at a time. Copies by map.clone() crash with the ogr plugin, so each is read from XML.
class Maps {
  #source
  #size
  #pools = new Map() // the names of layers -> idle maps

  // source: from a table's name to the parameters of its data source; size: how many maps of a pool stay.
  constructor (source, size) {
    this.#source = source
    this.#size = size
  }

  // Calls use(map) with a map of these layers, from bottom to top, that nobody else has.
  async with (names, use) {
    const pool = this.#pool(names.join())
    const map = pool.pop() ?? await this.#load(names)
    const result = await use(map) // one that failed is not used again
    if (pool.length < this.#size) pool.push(map)
    return result
  }

  #pool (key) {
    const pool = this.#pools.get(key) ?? []
    this.#pools.delete(key)
    this.#pools.set(key, pool)
    if (this.#pools.size > mostPools) this.#pools.delete(this.#pools.keys().next().value)
    return pool
  }

  #load (names) {
    const xml = style(names.flatMap((name) => layers[name].draw), this.#source)
    return new Promise((resolve, reject) => {
      new mapnik.Map(16, 16).fromString(xml, (err, map) => {
        if (err) return reject(err)
        map.aspect_fix_mode = mapnik.Map.ASPECT_RESPECT // a BBOX of another shape than WIDTH x HEIGHT stretches the map, as WMS has it
        map.bufferSize = labelBuffer
        resolve(map)
      })
    })
  }
}

module.exports = { Maps, mapnik }
