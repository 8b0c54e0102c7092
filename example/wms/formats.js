'use strict'

// The formats of GetMap: those that sluice knows of a list of WMS media types. The first is the default of clients.

const { encode } = require('sluice')

// opaque: pixels have no alpha there; whole: nothing leaves before the last row is known.
const candidates = [
  { title: 'image/png' },
  { title: 'image/png; mode=8bit' },
  { title: 'image/jpeg', opaque: true },
  { title: 'image/vnd.jpeg-png' },
  { title: 'image/webp' },
  { title: 'image/gif' },
  { title: 'image/tiff' },
  { title: 'image/geotiff', georeferenced: true },
  { title: 'image/bmp', opaque: true }
]

const formats = []

// To be awaited before the first request.
async function findFormats () {
  const pixel = { data: new Uint8Array(4), width: 1, height: 1 }
  const known = await Promise.all(candidates.map(({ title }) => encode(pixel, { format: title }).then(() => true, () => false)))
  formats.splice(0, Infinity, ...candidates.filter((_, i) => known[i]).map((candidate) => ({ ...candidate, name: candidate.title.replaceAll(' ', '') })))
}

module.exports = { formats, findFormats }
