'use strict'

// Maps of the example server, each drawn at once, in EPSG:3857.

const { Maps } = require('../../example/render/maps') // first: it sets up what mapnik needs
const { drawStrip } = require('../../example/render/strips')
const { layers } = require('../../example/layers')
const { openStore } = require('../../example/store')

/** Calls use(draw), draw being a function from {extent, width, height, layers, background} to a promise of pixels. */
async function withMaps (use) {
  const store = await openStore('')
  const maps = new Maps(table => store.source(table), 1)
  const draw = ({ extent, width, height, layers: names = Object.keys(layers), background = '#ffffff' }) =>
    maps.with(names, map => drawStrip(map, { srs: 'epsg:3857', extent, width, height, background }, { y: 0, rows: height }))
  try {
    return await use(draw)
  } finally {
    await store.close()
  }
}

module.exports = { withMaps }
