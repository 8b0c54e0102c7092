'use strict'

// Large maps are drawn in horizontal strips, so that their first rows can be sent while the others are drawn.
//
// The pixels are those of the map drawn at once: each strip is drawn with a margin that is cut off, and with buffers wide
// enough for the labels of both neighbours. First a low strip, for an early first byte, then higher ones: labels are placed
// anew for each, which is what strips cost.

const { mapnik } = require('./maps')
const { labelBuffer } = require('./style')

const wholePixels = 1 << 20 // maps of up to so many pixels are drawn at once
const firstRows = 64
const mostRows = 512
const margin = 64 // rows above and below, of the standard pixel

// -> [{y, rows}, ...] from top to bottom.
function plan (width, height) {
  if (width * height <= wholePixels) return [{ y: 0, rows: height }]
  const strips = []
  for (let y = 0, rows = firstRows; y < height; rows = Math.min(mostRows, rows * 2)) {
    strips.push({ y, rows: Math.min(rows, height - y) })
    y += rows
  }
  return strips
}

// Draws one strip of a map {srs, extent, width, height, background, scale}. -> {data, width, height, premultiplied}
async function drawStrip (map, { srs, extent, width, height, background, scale = 1 }, { y, rows }) {
  const [west, south, east, north] = extent
  const perRow = (north - south) / height
  const around = Math.ceil(margin * Math.max(1, scale))
  const above = Math.min(around, y)
  const below = Math.min(around, height - y - rows)
  map.srs = srs
  map.resize(width, above + rows + below)
  map.extent = [west, y + rows + below === height ? south : north - (y + rows + below) * perRow, east, north - (y - above) * perRow]
  map.background = new mapnik.Color(background)
  const image = new mapnik.Image(width, above + rows + below)
  await new Promise((resolve, reject) => {
    map.render(image, { buffer_size: labelBuffer, scale }, (err) => err ? reject(err) : resolve())
  })
  return pixels(image, above, rows)
}

// buffer() shares the image's memory, where data() copies it. The image frees that memory once it is collected, whoever
// still reads the pixels; so as long as they live, it must.
const owners = new WeakMap()

function pixels (image, above, rows) {
  const all = image.buffer()
  owners.set(all.buffer, image)
  const width = image.width()
  return { data: all.subarray(above * width * 4, (above + rows) * width * 4), width, height: rows, premultiplied: image.premultiplied() }
}

module.exports = { plan, drawStrip }
