'use strict'

// Messages and legends: small maps of their own, drawn by mapnik in pixels.

const { mapnik } = require('./maps')
const { symbolMap } = require('./style')

const mostDrawn = 4096 // pixels that lines of a message are wrapped to at most
const lineHeight = 15

function draw (xmlText, width, height, background) {
  return new Promise((resolve, reject) => {
    new mapnik.Map(width, height).fromString(xmlText, (err, map) => {
      if (err) return reject(err)
      map.extent = [0, 0, width, height]
      map.background = new mapnik.Color(background)
      map.render(new mapnik.Image(width, height), {}, (err, image) => {
        if (err) return reject(err)
        resolve({ data: image.data(), width, height, premultiplied: image.premultiplied() })
      })
    })
  })
}

// A message as the top of an image of its own: so many rows as it takes, of at most height. Rows that follow are like the
// last one. -> pixels
function drawText (message, { width, height, background }) {
  const lines = wrap(message, Math.max(8, Math.floor(Math.min(width, mostDrawn) / 7)))
  const rows = Math.min(height, (lines.length + 1) * lineHeight)
  const labels = lines.map((text, i) => ({ text, x: 6, y: rows - 14 - i * lineHeight }))
  return draw(symbolMap([], labels), width, rows, background)
}

function wrap (text, columns) {
  const lines = []
  for (const word of text.split(/\s+/)) {
    for (const piece of word.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? []) {
      if (lines.length > 0 && lines.at(-1).length + piece.length < columns) lines.push(`${lines.pop()} ${piece}`)
      else lines.push(piece)
    }
  }
  return lines
}

const legendWidth = 200
const rowHeight = 20

// entries: [{label, styles, geometry: POINT|LINESTRING|MULTIPOLYGON, properties, zoom}] -> pixels
function drawLegend (entries, background) {
  const height = Math.max(1, entries.length) * rowHeight
  const symbols = entries.map((entry, i) => ({ ...entry, x: 3, y: height - (i + 1) * rowHeight + 3, size: rowHeight - 6 }))
  const labels = entries.map(({ label }, i) => ({ text: label, x: 30, y: height - i * rowHeight - rowHeight / 2 }))
  return draw(symbolMap(symbols, labels), legendWidth, height, background)
}

module.exports = { drawText, drawLegend }
