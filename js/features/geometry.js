'use strict'

const { SluiceError, argumentError } = require('../errors')
const { check } = require('./column')

const DIMENSIONS = {
  2: { dimensions: 2, hasZ: false },
  3: { dimensions: 3, hasZ: true },
  4: { dimensions: 4, hasZ: true },
  xy: { dimensions: 2, hasZ: false },
  xyz: { dimensions: 3, hasZ: true },
  xym: { dimensions: 3, hasZ: false },
  xyzm: { dimensions: 4, hasZ: true }
}
const FLOATS = ['Float64Array']

/** Packs the geometries of a batch, and says where they lie; null when there are none. */
function packGeometry (packer, geometry) {
  if (geometry === undefined || geometry === null) return null
  if (typeof geometry !== 'object') throw argumentError('geometry', 'an object {x, y}, {wkb} or {type, coords, offsets}', geometry)
  const nulls = packer.nulls(geometry, 'geometry')
  if (geometry.wkb !== undefined) {
    const { offsets, data } = Object(geometry.wkb)
    const where = packer.offsets(offsets, 'offsets of wkb')
    check(data, ['Uint8Array'], 'data of wkb')
    packer.count(offsets.length - 1, 'geometry')
    return { type: 'wkb', values: packer.add(data), wide: where.wide, offsets: [where.offsets], ...nulls }
  }
  if (geometry.type === undefined) {
    const { length, ...where } = packCoords(packer, geometry)
    packer.count(length, 'geometry')
    return { type: 'point', ...where, ...nulls }
  }
  return { ...packNested(packer, geometry), ...nulls }
}

function packNested (packer, { type, coords, offsets = [], dimensions }) {
  if (typeof type !== 'string') throw argumentError('type of geometry', 'a string', type)
  if (!Array.isArray(offsets)) throw argumentError('offsets of geometry', 'a list of Int32Array', offsets)
  const { length, ...where } = packCoords(packer, coords, dimensions)
  const levels = offsets.map(level => packer.offsets(level, 'offsets of geometry'))
  if (new Set(levels.map(({ wide }) => wide === true)).size > 1) throw new SluiceError('ERR_SLUICE_ARGUMENT', 'Expected offsets of geometry to be of one kind, got Int32Array and BigInt64Array')
  packer.count(levels.length === 0 ? length : offsets[0].length - 1, 'geometry')
  return { type: type.toLowerCase(), ...where, wide: levels[0]?.wide, offsets: levels.map(level => level.offsets) }
}

/** Positions that lie together, or with an array for each coordinate. length: how many, or of one that is too many. */
function packCoords (packer, coords, dimensions = 2) {
  if (ArrayBuffer.isView(coords)) {
    check(coords, FLOATS, 'coords')
    const known = Object.hasOwn(DIMENSIONS, dimensions) ? DIMENSIONS[dimensions] : undefined
    if (known === undefined) throw argumentError('dimensions', '\'xy\', \'xyz\', \'xym\' or \'xyzm\'', dimensions)
    return { values: packer.add(coords), ...known, length: Math.floor(coords.length / known.dimensions) }
  }
  const { x, y, z } = Object(coords)
  check(x, FLOATS, 'x')
  check(y, FLOATS, 'y')
  if (z !== undefined) check(z, FLOATS, 'z')
  for (const [name, other] of [['y', y], ['z', z ?? x]]) {
    if (other.length !== x.length) throw new SluiceError('ERR_SLUICE_INPUT', `Expected ${name} to have as many values as x, ${x.length}, got ${other.length}`)
  }
  return { x: packer.add(x), y: packer.add(y), ...z === undefined ? {} : { z: packer.add(z) }, length: x.length }
}

module.exports = { packGeometry }
