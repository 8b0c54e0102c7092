'use strict'

// Pictures that no map data is needed for, the same on every machine: hashes of integers, and only arithmetic that
// IEEE 754 rounds exactly.

/** A number from 0 to before 1 for a point of the plane and a seed, all 32-bit integers. */
function hash (x, y, seed) {
  let h = Math.imul(x, 0x85ebca6b) ^ Math.imul(y, 0xc2b2ae35) ^ Math.imul(seed, 0x27d4eb2f)
  h = Math.imul(h ^ h >>> 15, 0x2c1b3c6d)
  h = Math.imul(h ^ h >>> 12, 0x297a2d39)
  return ((h ^ h >>> 15) >>> 0) / 2 ** 32
}

const ease = (t) => t * t * t * (t * (t * 6 - 15) + 10)
const mix = (a, b, t) => a + (b - a) * t

function valueNoise (x, y, seed) {
  const left = Math.floor(x)
  const top = Math.floor(y)
  const t = ease(x - left)
  return mix(mix(hash(left, top, seed), hash(left + 1, top, seed), t), mix(hash(left, top + 1, seed), hash(left + 1, top + 1, seed), t), ease(y - top))
}

/** A number from 0 to before 1, with details down to size / 2 ** octaves pixels. */
function fractal (x, y, seed, size, octaves) {
  let sum = 0
  let weights = 0
  for (let i = 0, weight = 1; i < octaves; i++, weight *= 0.5, size /= 2) {
    sum += weight * valueNoise(x / size, y / size, seed + i)
    weights += weight
  }
  return sum / weights
}

/** Opaque RGBA pixels of what color(x, y) returns: [red, green, blue], from 0 to 255. */
function paint (width, height, color) {
  const data = Buffer.alloc(width * height * 4)
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += 4) {
      const [red, green, blue] = color(x, y)
      data[i] = clamp(red)
      data[i + 1] = clamp(green)
      data[i + 2] = clamp(blue)
      data[i + 3] = 255
    }
  }
  return { data, width, height, premultiplied: false }
}

const clamp = (value) => Math.min(255, Math.max(0, Math.round(value)))

const tints = [[108, 158, 118], [168, 196, 140], [232, 222, 166], [206, 168, 120], [158, 122, 104], [226, 222, 222], [255, 255, 255]]

// The colour of a height from 0 to before 1.
function tint (height) {
  const at = height * (tints.length - 1)
  const i = Math.floor(at)
  return tints[i].map((value, k) => mix(value, tints[i + 1][k], at - i))
}

/** Mountains lit from the north-west: heights of whole metres, as elevation models have them. colour: tinted by height, or grey. */
function relief (width, height, { colour }) {
  const metres = new Float64Array((width + 1) * (height + 1))
  for (let y = 0; y <= height; y++) {
    for (let x = 0; x <= width; x++) metres[y * (width + 1) + x] = Math.floor(4000 * fractal(x, y, 1, 400, 6) ** 1.5)
  }
  return paint(width, height, (x, y) => {
    const i = y * (width + 1) + x
    const east = (metres[i + 1] - metres[i]) / 30
    const south = (metres[i + width + 1] - metres[i]) / 30
    const light = Math.max(0, (0.7 + 0.5 * east + 0.5 * south) / Math.sqrt(1 + east * east + south * south))
    return colour ? tint(metres[i] / 4001).map((value) => value * (0.35 + 0.8 * light)) : Array(3).fill(250 * light)
  })
}

// Meadow, wheat, soil, forest: what the fields of an aerial photograph are of.
const crops = [[96, 122, 62], [186, 170, 108], [134, 104, 76], [58, 82, 50], [120, 134, 78]]

/** Fields seen from the air: borders that wind, textures, and a sensor's grain. */
function photo (width, height) {
  return paint(width, height, (x, y) => {
    const u = x + 60 * fractal(x, y, 10, 120, 4)
    const v = y + 60 * fractal(x, y, 20, 120, 4)
    const crop = crops[Math.floor(hash(Math.floor(u / 70), Math.floor(v / 45), 30) * crops.length)]
    const light = 0.6 + 0.5 * fractal(x, y, 40, 256, 8) + 0.12 * (valueNoise(x / 1.7, y / 1.7, 50) - 0.5)
    const grain = 5 * (hash(x, y, 60) - 0.5)
    return crop.map((value, k) => value * light + grain + 3 * (hash(x, y, 61 + k) - 0.5))
  })
}

function noise (width, height) {
  return paint(width, height, (x, y) => [1, 2, 3].map((seed) => 255 * hash(x, y, seed)))
}

module.exports = { relief, photo, noise }
