'use strict'

// What sluice's levels are to reach on maps, held against a run; and the run's means as a table for docs/png.md.

const { base, levels } = require('./png-encoders')
const { classes, means } = require('./png-summary')

// Speed: at least so many times `against`'s, on one core and on two. bytes: at most this share of its bytes.
const maps = [
  { level: 'fast', against: base, speed: { 1: 4, 2: 7 }, bytes: 0.93 },
  { level: 'fast', against: 'sharp', speed: { 1: 3, 2: 5 }, bytes: 0.95 },
  { level: 'balanced', against: base, speed: { 1: 2.2, 2: 4 }, bytes: 0.91 },
  { level: 'small', against: base, speed: { 1: 0.3, 2: 0.5 }, bytes: 0.88 },
  { level: 'fastest', against: base, speed: { 1: 7, 2: 14 }, bytes: 1.22 }
]
const tiles = [{ level: 'fast', against: base, speed: { 1: 5 }, bytes: 0.95 }]
const firstChunk = { fastest: 0.08, fast: 0.2, balanced: 0.2, small: 0.2 } // at most, of images from this size on
const firstChunkPixels = 1201 * 801
const overlayBytes = 1 // fast, at most, of each overlay
const indexedBytes = 0.6 // fast, at most, of tiles of few colours

/** Rows for a table: [level, against, images, what, target, measured, met or MISSED]. */
function targets (images, summary) {
  const rows = []
  const row = (level, against, what, which, target, value, ok) => {
    rows.push([level, against, what, which, target, value, ok ? 'met' : 'MISSED'])
  }
  for (const [group, list] of [['cartography', maps], ['tiles', tiles]]) {
    if (!summary[group]) continue
    for (const { level, against, speed, bytes } of list) {
      const ours = summary[group].encoders[`sluice ${level}`]
      const theirs = summary[group].encoders[against]
      for (const [cores, target] of Object.entries(speed)) {
        if (!ours.cores[cores]) continue
        const ratio = ours.cores[cores].speed / theirs.cores[cores].speed
        row(level, against, group, cores === '1' ? 'speed, 1 core' : 'speed, 2 cores', `>= ${target}`, ratio.toFixed(2), ratio >= target)
      }
      const ratio = ours.bytesRatio / theirs.bytesRatio
      row(level, against, group, 'bytes', `<= ${bytes}`, ratio.toFixed(3), ratio <= bytes)
    }
  }
  for (const { name, encoders } of images.filter((image) => image.class === 'overlay')) {
    const { bytesRatio } = encoders['sluice fast']
    row('fast', base, name, 'bytes', `<= ${overlayBytes.toFixed(2)}`, bytesRatio.toFixed(3), bytesRatio <= overlayBytes)
  }
  const few = images.filter((image) => image.class === 'tiles' && image.encoders['sluice fast'].indexed)
  if (few.length > 0) {
    const { bytesRatio } = means(few)['sluice fast']
    row('fast', base, 'indexed tiles', 'bytes', `<= ${indexedBytes}`, bytesRatio.toFixed(3), bytesRatio <= indexedBytes)
  }
  for (const [level, target] of Object.entries(firstChunk)) {
    for (const cores of [1, 2]) {
      const shares = images.filter(({ width, height, encoders }) => width * height >= firstChunkPixels && encoders[base].cores[cores])
        .map(({ name, encoders }) => ({ name, share: encoders[`sluice ${level}`].cores[cores].firstChunk }))
      if (shares.length === 0) continue
      const worst = shares.reduce((a, b) => b.share > a.share ? b : a)
      row(level, 'itself', `worst: ${worst.name}`, cores === 1 ? 'first chunk, 1 core' : 'first chunk, 2 cores',
        `<= ${100 * target} %`, `${(100 * worst.share).toFixed(1)} %`, worst.share <= target)
    }
  }
  return rows
}

/** A table for the documentation: per class and level, speed on one core / on two; bytes. */
function markdown (summary) {
  const groups = classes.filter((group) => summary[group])
  const cell = ({ cores, bytesRatio }) => `${[1, 2].filter((n) => cores[n]).map((n) => digits(cores[n].speed)).join(' / ')}; ${bytesRatio.toFixed(2)}`
  const encoders = [...levels.map((level) => `sluice ${level}`), ...Object.keys(summary[groups[0]].encoders).filter((name) => !name.startsWith('sluice ') && name !== base)]
  return [
    `| | ${groups.join(' | ')} |`,
    `|---|${groups.map(() => '---|').join('')}`,
    ...encoders.map((name) => `| ${name.replace(/^sluice (.*)/, '`$1`')} | ${groups.map((group) => cell(summary[group].encoders[name])).join(' | ')} |`)
  ].join('\n')
}

const digits = (x) => x >= 10 ? x.toFixed(0) : x >= 1 ? x.toFixed(1) : x.toFixed(2)

module.exports = { targets, markdown }
