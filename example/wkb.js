'use strict'

// Little-endian WKB of two dimensions, as our stores hold it: read into GeoJSON, moved into other coordinates.

const names = [, 'Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon'] // eslint-disable-line no-sparse-arrays

// -> GeoJSON geometry
function toGeometry (bytes) {
  let at = 0
  const count = () => bytes.readUInt32LE((at += 4) - 4)
  const point = () => [bytes.readDoubleLE((at += 16) - 16), bytes.readDoubleLE(at - 8)]
  const list = (read) => Array.from({ length: count() }, read)
  const body = [, point, () => list(point), () => list(() => list(point)), () => list(any), () => list(any), () => list(any)] // eslint-disable-line no-sparse-arrays
  function any () {
    at++
    return body[count()]()
  }
  return { type: names[bytes.readUInt32LE(1)], coordinates: any() }
}

// A copy with each point as move(x, y) has it.
function transform (bytes, move) {
  const copy = Buffer.from(bytes)
  let at = 0
  const count = () => copy.readUInt32LE((at += 4) - 4)
  const points = (n) => {
    for (let i = 0; i < n; i++, at += 16) {
      const [x, y] = move(copy.readDoubleLE(at), copy.readDoubleLE(at + 8))
      copy.writeDoubleLE(x, at)
      copy.writeDoubleLE(y, at + 8)
    }
  }
  const any = () => {
    at++
    const type = count()
    if (type === 1) return points(1)
    if (type === 2) return points(count())
    for (let n = count(); n > 0; n--) type === 3 ? points(count()) : any()
  }
  any()
  return copy
}

module.exports = { toGeometry, transform }
