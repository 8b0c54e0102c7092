'use strict'

// Holds two results of png.js against each other: node test/bench/compare.js A.json B.json
// Speeds are compared as multiples of the base encoder's in the same run, since the machine may have been slower in one of them.

const fs = require('node:fs')
const { table } = require('./measure')

const notable = 0.05 // changes beyond it are flagged

function load (file) {
  const result = JSON.parse(fs.readFileSync(file))
  if (result.bench !== 'png') throw new Error(`Expected ${file} to be a result of test/bench/png.js`)
  return result
}

/** Rows of what two sets of encoders have in common, each encoder of the base's shape {bytesRatio, cores}. */
function rows (a, b, base) {
  return Object.keys(a).filter((name) => b[name] !== undefined && name !== base).map((name) => {
    const [from, to] = [a[name], b[name]]
    const cells = [1, 2].flatMap((n) => {
      if (!from.cores[n] || !to.cores[n]) return ['-', '-', '-']
      return [from.cores[n].speed, to.cores[n].speed, (to.cores[n].speed / from.cores[n].speed).toFixed(3)]
    })
    return [name, ...cells, from.bytesRatio.toFixed(3), to.bytesRatio.toFixed(3), (to.bytesRatio / from.bytesRatio).toFixed(3), flags(from, to)]
  })
}

// What changed by more than 5 %; the first chunk, which is a share of the encode's time, by more than 5 % of that.
function flags (from, to) {
  const both = [1, 2].filter((n) => from.cores[n] && to.cores[n])
  const changes = both.map((n) => [`${n}c`, to.cores[n].speed / from.cores[n].speed - 1])
  changes.push(['bytes', to.bytesRatio / from.bytesRatio - 1])
  for (const n of both) {
    if (from.cores[n].firstChunk && to.cores[n].firstChunk) changes.push([`first ${n}c`, to.cores[n].firstChunk - from.cores[n].firstChunk])
  }
  return changes.filter(([, change]) => Math.abs(change) > notable)
    .map(([what, change]) => `${what} ${change > 0 ? '+' : ''}${(100 * change).toFixed(0)} %`).join(', ')
}

function main () {
  const files = process.argv.slice(2)
  if (files.length !== 2) throw new Error('Expected two files: node test/bench/compare.js A.json B.json')
  const [a, b] = files.map(load)
  if (a.base !== b.base) throw new Error(`The results have different bases: ${a.base} and ${b.base}`)
  const heads = ['', '1 core A', 'B', 'B/A', '2 cores A', 'B', 'B/A', 'bytes A', 'B', 'B/A', '']
  const images = a.images.flatMap((from) => b.images.filter(({ name }) => name === from.name).map((to) => [from, to]))
  if (images.length === 0) throw new Error('The results have no image in common')
  for (const [from, to] of images) table(`${from.name}: speed and bytes against ${a.base}`, heads, rows(from.encoders, to.encoders, a.base))
  const groups = Object.keys(a.classes).filter((group) => b.classes[group])
  for (const group of groups) {
    const same = String(a.classes[group].images) === String(b.classes[group].images)
    table(`${group}, geometric means${same ? '' : ' (of different images: they do not compare)'}`, heads, rows(a.classes[group].encoders, b.classes[group].encoders, a.base))
  }
}

main()
