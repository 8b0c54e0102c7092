'use strict'

// What the benches share: the order of runs, medians, tables and the --json option.

const fs = require('node:fs')
const { parseArgs } = require('node:util')
const { median } = require('simple-statistics')

/** --rounds N: how often each case runs. --json FILE: where to write all samples. WORD…: what a bench is to leave the rest out for. */
function options (rounds) {
  const { values, positionals } = parseArgs({ options: { rounds: { type: 'string', default: String(rounds) }, json: { type: 'string' } }, allowPositionals: true })
  return { rounds: Number(values.rounds), json: values.json, only: positionals }
}

/**
 * Runs every case once per round, in a new random order each round, so that what disturbs the machine disturbs all alike.
 * cases: {name: async () => sample}. Resolves with {name: [sample, …]}, without those of the first `warmup` rounds.
 */
async function interleave (cases, rounds, warmup = 2) {
  const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
  for (let round = -warmup; round < rounds; round++) {
    for (const name of shuffled(Object.keys(cases))) {
      const sample = await cases[name]()
      if (round >= 0) samples[name].push(sample)
    }
  }
  return samples
}

function shuffled (names) {
  return names.map((name) => [Math.random(), name]).sort(([a], [b]) => a - b).map(([, name]) => name)
}

/** Prints rows (arrays of strings and numbers) under heads; numbers get two decimals unless they are whole. */
function table (title, heads, rows) {
  const cells = [heads, ...rows.map((row) => row.map((cell) => typeof cell !== 'number' ? cell : Number.isInteger(cell) ? String(cell) : cell.toFixed(2)))]
  const widths = heads.map((head, i) => Math.max(...cells.map((row) => row[i].length)))
  console.log(`\n${title}`)
  for (const row of cells) console.log('  ' + row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i] + 2)).join(''))
}

function save (file, result) {
  if (file !== undefined) fs.writeFileSync(file, JSON.stringify({ when: new Date(), node: process.version, ...result }, null, 1))
}

module.exports = { options, interleave, shuffled, table, save, median }
