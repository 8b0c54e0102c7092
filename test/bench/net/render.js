'use strict'

// Makes README.md and charts of the JSON files that run.js saved in a folder.

const fs = require('node:fs')
const path = require('node:path')
const { median } = require('simple-statistics')
const { levels } = require('./cells')

const MAPNIK = 'node-mapnik, unchunked'
const IDEAL = 'pre-encoded ideal'
const BEST = 'sluice, 16384'

/** Resolves with the number of targets that were missed. */
async function render (folder) {
  const results = fs.readdirSync(folder).filter(name => name.endsWith('.json')).sort().map(name => JSON.parse(fs.readFileSync(path.join(folder, name))))
  const of = block => results.filter(result => result.block === block)
  const checks = [...of('response').flatMap(responseChecks), ...of('levels').flatMap(levelChecks), ...of('slow').flatMap(slowChecks)]
  const { charts } = await import('./charts.mjs')
  const drawn = await charts({ response: of('response').map(cellsOf), levels: of('levels').map(levelRows), slow: of('slow').map(slowRows) })
  for (const [name, svg] of Object.entries(drawn)) fs.writeFileSync(path.join(folder, `${name}.svg`), svg + '\n')
  const show = name => drawn[name] === undefined ? [] : [`![${name}](${name}.svg)`, '']
  const text = [
    '# Over real links', '',
    'Written by `make bench-net` from the JSON files beside it. Server and client sit in two network namespaces; token buckets shape the links between them in both',
    'directions (a bucket holds 1 ms of its rate). All ways of one image are asked for in random order, one after the other on each link.', '',
    ...machines(results), '',
    '- **pre-encoded ideal**: node-mapnik\'s bytes, encoded before, sent at once. **unchunked**: all is encoded, then sent with a Content-Length. **sluice, N**: `send()` with',
    '  `strategy: \'speed\'`, `level: \'fast\'` and chunks of N bytes. Others with their defaults: node-mapnik `png32`, sharp `png()`.',
    '- Times are medians, from the request to the last byte; ± is half the distance between the quartiles; n is the number of requests.', '',
    ...section('Targets', [table(['', 'target', 'measured', ''], checks.map(({ what, target, value, met }) => [what, target, value, met ? 'met' : '**missed**']))]),
    ...show('response-time'), ...show('percent'), ...show('saved'), ...show('first-byte'), ...show('chunk-size'),
    ...of('response').flatMap(responseTables),
    ...section('Levels of PNG', [...show('levels'), ...of('levels').flatMap(levelTable)]),
    ...section('Slow clients', [...show('slow-clients'), ...of('slow').flatMap(slowTable)])
  ]
  fs.writeFileSync(path.join(folder, 'README.md'), text.join('\n').replace(/\n{3,}/g, '\n\n').trimEnd() + '\n')
  for (const { what, target, value, met } of checks) console.log(`${met ? 'met   ' : 'MISSED'}  ${what}: ${value} (target: ${target})`)
  return checks.filter(({ met }) => !met).length
}

const section = (title, lines) => lines.length === 0 ? [] : [`## ${title}`, '', ...lines, '']

function machines (results) {
  const lines = new Set(results.map(({ machine, quick }) => `Measured ${machine.when} with Node ${machine.node} on Linux ${machine.kernel}, ${machine.processors} processors (${machine.cpu})${quick ? ', a quick run' : ''}.`))
  return [...lines]
}

function table (heads, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(heads), `|${heads.map((_, i) => i === 0 ? '---|' : '---:|').join('')}`, ...rows.map(line)].join('\n') + '\n'
}

const short = number => Math.abs(number) >= 100 ? number.toFixed(0) : Math.abs(number) >= 10 ? number.toFixed(1) : number.toFixed(2)
const titleOf = ({ name, width, height }) => name.replace(/_?\d+x\d+$/, '').replaceAll('_', ' ') + ` ${width}x${height}`

// ---- response time

/** Numbers of one cell, beside those of node-mapnik and the ideal at the same bandwidth. */
function cellsOf (result) {
  const rows = []
  for (const [mbit, ways] of Object.entries(result.rates)) {
    const base = ways[MAPNIK].totalMs.median
    const encode = ways[MAPNIK].encodeMs.median
    for (const way of result.ways) {
      const { n, bytes, totalMs, firstByteMs } = ways[way]
      rows.push({
        image: titleOf(result.image),
        mbit: Number(mbit),
        way,
        n,
        bytes,
        ms: totalMs.median,
        q1: totalMs.q1,
        q3: totalMs.q3,
        percent: totalMs.median / base * 100,
        low: totalMs.q1 / base * 100,
        high: totalMs.q3 / base * 100,
        saved: (base - totalMs.median) / encode * 100,
        firstMs: firstByteMs.median,
        toBest: totalMs.median / ways[BEST].totalMs.median * 100
      })
    }
  }
  return rows
}

function responseTables (result) {
  const rows = cellsOf(result)
  const rates = Object.keys(result.rates)
  const block = (title, cell) => [`### ${title}`, '', table(['', ...rates.map(mbit => `${mbit} Mbit/s`)],
    result.ways.map(way => [way, ...rates.map(mbit => cell(rows.find(row => row.way === way && row.mbit === Number(mbit))))]))]
  const encode = rates.map(mbit => short(result.rates[mbit][MAPNIK].encodeMs.median))
  return [
    `## ${titleOf(result.image)}`, '',
    `Bytes: ${[IDEAL, 'sharp, unchunked', BEST].map(way => `${way.split(',')[0]} ${rows.find(row => row.way === way).bytes}`).join(', ')}.`, '',
    ...block('Response time, ms', row => `${short(row.ms)} ±${short((row.q3 - row.q1) / 2)} (n ${row.n})`),
    ...block('Percent of the time of unchunked node-mapnik', row => row.percent.toFixed(1)),
    ...block('Percent of the encoding time that is saved', row => row.saved.toFixed(0)),
    `(time of unchunked node-mapnik − time) / node-mapnik's encoding time, which was ${encode.join(', ')} ms in the columns' runs. Beyond 100 where fewer bytes are sent, too.`, '',
    ...block('First byte, ms', row => short(row.firstMs))
  ]
}

function responseChecks (result) {
  const title = titleOf(result.image)
  const at = (mbit, way) => result.rates[mbit][way].totalMs.median
  const rates = Object.keys(result.rates)
  const shares = rates.filter(mbit => mbit >= 10 && mbit <= 100).map(mbit => [mbit, (at(mbit, MAPNIK) - at(mbit, BEST)) / (at(mbit, MAPNIK) - at(mbit, IDEAL))])
  const costs = rates.map(mbit => [mbit, at(mbit, 'sluice, 256') / at(mbit, BEST)])
  const checks = shares.map(([mbit, share]) => ({ what: `${title}: of what the ideal saves, at ${mbit} Mbit/s`, target: '≥ 95 %', value: `${(share * 100).toFixed(0)} %`, met: share >= 0.95 }))
  for (const [mbit, cost] of costs) checks.push({ what: `${title}: chunks of 256 bytes to 16384, at ${mbit} Mbit/s`, target: '≤ 1.035', value: cost.toFixed(3), met: cost <= 1.035 })
  if (rates.includes('1000')) {
    const ratio = at(1000, BEST) / at(1000, MAPNIK)
    checks.push({ what: `${title}: time to node-mapnik's, at 1000 Mbit/s`, target: '≤ 0.35', value: ratio.toFixed(2), met: ratio <= 0.35 })
  }
  return checks
}

// ---- levels

function levelRows (result) {
  return Object.entries(result.rates).flatMap(([mbit, ways]) => {
    const best = Math.min(...levels.filter(level => level !== 'auto').map(level => ways[level].totalMs.median))
    return levels.map(level => ({ image: titleOf(result.image), mbit: Number(mbit), level, n: ways[level].n, bytes: ways[level].bytes, ...ways[level].totalMs, toBest: ways[level].totalMs.median / best * 100 }))
  })
}

function levelTable (result) {
  const rows = levelRows(result)
  const rates = Object.keys(result.rates).map(Number)
  return [`### ${titleOf(result.image)}: response time, ms`, '', table(['', ...rates.map(mbit => `${mbit} Mbit/s`), 'bytes'],
    levels.map(level => {
      const cells = rates.map(mbit => rows.find(row => row.level === level && row.mbit === mbit))
      const bytes = cells.map(cell => cell.bytes)
      const range = Math.min(...bytes) === Math.max(...bytes) ? String(bytes[0]) : `${Math.min(...bytes)} to ${Math.max(...bytes)}`
      return [level, ...cells.map(({ median, q1, q3, n }) => `${short(median)} ±${short((q3 - q1) / 2)} (n ${n})`), range]
    }))]
}

function levelChecks (result) {
  return levelRows(result).filter(({ level }) => level === 'auto').map(({ image, mbit, toBest }) =>
    ({ what: `${image}: level auto to the best fixed one, at ${mbit} Mbit/s`, target: '≤ 1.05', value: (toBest / 100).toFixed(3), met: toBest <= 105 }))
}

// ---- slow clients

const figures = [
  ['memory above idle, MB', run => run.memoryMB.above],
  ['processor time a request, ms', run => run.cpuMsPerRequest],
  ['event-loop delay p99, ms', run => run.loopDelayMs.p99],
  ['event-loop delay, longest, ms', run => run.loopDelayMs.max],
  ['first byte, median, ms', run => run.firstByteMs.median],
  ['first byte p95, ms', run => run.firstByteMs.p95],
  ['response time, median, ms', run => run.totalMs.median],
  ['response time p95, ms', run => run.totalMs.p95],
  ['order of first bytes', run => run.order.firstByte],
  ['order of ends', run => run.order.end]
]

function slowRows (result) {
  return figures.flatMap(([figure, get]) => Object.entries(result.ways).map(([way, runs]) => ({ image: titleOf(result.image), figure, way, value: median(runs.map(get)), runs: runs.map(get), clients: result.clients, mbit: result.mbit })))
}

function slowTable (result) {
  const rows = slowRows(result)
  return [
    `### ${titleOf(result.image)}: ${result.clients} clients at ${result.mbit} Mbit/s each`, '',
    `They come within ${result.rampMs} ms and ask once. A fresh server for each of ${result.ways.sluice.length} runs a way, of which all numbers stand here. Order: the rank correlation with the order in which clients came; 1 is first come, first served.`, '',
    table(['', ...Object.keys(result.ways)], figures.map(([figure]) => [figure, ...rows.filter(row => row.figure === figure).map(row => row.runs.map(short).join(', '))]))
  ]
}

function slowChecks (result) {
  const rows = slowRows(result)
  const ratio = figure => {
    const at = name => rows.find(row => row.figure === figure && row.way === name).value
    return at('sluice') / at('node-mapnik')
  }
  const title = `${titleOf(result.image)}, ${result.clients} slow clients`
  const check = (what, figure, most) => ({ what: `${title}: ${what} to node-mapnik's`, target: `≤ ${short(most)}`, value: ratio(figure).toFixed(3), met: ratio(figure) <= most })
  return [check('memory above idle', figures[0][0], 0.25), check('median first byte', figures[4][0], 0.05)]
}

module.exports = { render }
