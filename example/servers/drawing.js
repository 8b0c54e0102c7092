'use strict'

// What the servers here answer with: a picture of width x height pixels, drawn a few rows at a time.

const { image } = require('sluice')

const ROWS = 64

function drawing (url) {
  const query = new URL(url, 'http://localhost').searchParams
  const width = Number(query.get('width') ?? 1024)
  const height = Number(query.get('height') ?? 768)
  const source = image({ width, height, opaque: true })
  draw(source, width, height).catch(error => source.fail(error))
  return source
}

async function draw (source, width, height) {
  for (let top = 0; top < height; top += ROWS) {
    await source.write(rows(width, height, top, Math.min(ROWS, height - top))) // waits while the client is slow
  }
  source.end()
}

function rows (width, height, top, count) {
  const data = new Uint8Array(width * count * 4)
  for (let i = 0; i < data.length; i += 4) {
    const x = i / 4 % width
    const y = top + Math.floor(i / 4 / width)
    data.set([255 * x / width, 255 * y / height, (x ^ y) & 255, 255], i)
  }
  return data
}

/** The answer when there is no picture. */
function onError (error) {
  const status = error.code === 'ERR_SLUICE_LIMIT' ? 400 : 500
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code: error.code }) }
}

module.exports = { drawing, onError }
