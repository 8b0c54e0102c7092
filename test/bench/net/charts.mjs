// Charts of the results over links, drawn by Vega-Lite without a browser.

import * as vega from 'vega'
import { compile } from 'vega-lite'

const MAPNIK = 'node-mapnik, unchunked'
const WAYS = [MAPNIK, 'sharp, unchunked', 'sluice, unchunked', 'sluice, 256', 'sluice, 16384', 'pre-encoded ideal']
const COLOURS = ['#4c78a8', '#9ecae9', '#f58518', '#e45756', '#b01e1e', '#54a24b']
const LEVELS = ['fastest', 'fast', 'balanced', 'small', 'auto']

const config = {
  background: 'white',
  font: 'DejaVu Sans, Verdana, sans-serif',
  axis: { labelFontSize: 11, titleFontSize: 12, gridColor: '#e6e6e6', labelAngle: 0 },
  legend: { labelFontSize: 11, titleFontSize: 12, orient: 'bottom', columns: 3, labelLimit: 300 },
  title: { fontSize: 15, subtitleFontSize: 11, subtitleColor: '#444', anchor: 'start', offset: 12 },
  header: { labelFontSize: 12, labelFontWeight: 'bold' }
}

const bandwidth = { field: 'mbit', type: 'ordinal', title: 'bandwidth, Mbit/s' }
const way = { field: 'way', type: 'nominal', title: null, scale: { domain: WAYS, range: COLOURS } }
const lines = encoding => ({ mark: { type: 'line', point: { size: 45 }, strokeWidth: 2 }, encoding })
/** A dashed line at a value of y, and what it means: once in each panel. */
const rule = (datum, label) => {
  const once = { transform: [{ aggregate: [{ op: 'count', as: 'count' }], groupby: ['image'] }] }
  return [
    { ...once, mark: { type: 'rule', strokeDash: [5, 4], color: '#555' }, encoding: { y: { datum } } },
    { ...once, mark: { type: 'text', align: 'left', dx: 4, dy: -6, color: '#333', fontSize: 10 }, encoding: { y: { datum }, x: { value: 0 }, text: { value: label } } }
  ]
}

/** One panel for each image, side by side. */
function panels (values, title, subtitle, layer, { width = 290, height = 260, y = 'shared' } = {}) {
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    config,
    title: { text: title, subtitle },
    data: { values },
    facet: { column: { field: 'image', type: 'nominal', title: null } },
    spec: { width, height, layer },
    resolve: { scale: { y } }
  }
}

function responseCharts (rows) {
  const main = rows.filter(row => WAYS.includes(row.way))
  const chunked = rows.filter(row => /^sluice, \d+$/.test(row.way)).map(row => ({ ...row, chunk: Number(row.way.slice(8)) }))
  const least = Math.min(...rows.map(({ n }) => n))
  const medians = `Medians of ${least} or more requests a point`
  const bars = { x: bandwidth, xOffset: { field: 'way', type: 'nominal', scale: { domain: WAYS } } }
  return {
    'response-time': panels(main, 'Response time of a PNG by bandwidth', `From the request to the last byte. ${medians}. Lower is better.`,
      [lines({ x: bandwidth, y: { field: 'ms', type: 'quantitative', title: 'response time, ms (logarithmic)', scale: { type: 'log' } }, color: way })]),
    percent: panels(main, 'Response time in percent of unchunked node-mapnik', `${medians}; thin lines reach from quartile to quartile. Lower is better.`, [
      { mark: { type: 'bar', clip: true }, encoding: { ...bars, y: { field: 'percent', type: 'quantitative', title: '% of the time of node-mapnik', scale: { domain: [0, 120] } }, color: way } },
      { mark: { type: 'rule', color: '#222', clip: true }, encoding: { ...bars, y: { field: 'low', type: 'quantitative' }, y2: { field: 'high' } } }
    ], { width: 330 }),
    saved: panels(main.filter(row => row.way !== MAPNIK), 'How much of node-mapnik\'s encoding time is saved', `(time of unchunked node-mapnik − time) / its encoding time. Beyond 100 % fewer bytes save time, too. ${medians}. Higher is better.`, [
      lines({ x: bandwidth, y: { field: 'saved', type: 'quantitative', title: '% of the encoding time (symlog)', scale: { type: 'symlog', constant: 100 }, axis: { values: [-200, -100, 0, 50, 100, 200, 500, 1000, 2000] } }, color: way }),
      ...rule(100, 'all of the encoding time')
    ]),
    'first-byte': panels(main, 'Time to the first byte of the body', `From the request. ${medians}. Lower is better.`,
      [lines({ x: bandwidth, y: { field: 'firstMs', type: 'quantitative', title: 'first byte, ms (logarithmic)', scale: { type: 'log' } }, color: way })]),
    'chunk-size': panels(chunked, 'What small chunks cost: response time of sluice by chunk size', `In percent of the time with chunks of 16384 bytes. Framing alone is 2.7 % at 256 bytes. ${medians}.`, [
      lines({
        x: { field: 'chunk', type: 'ordinal', title: 'chunk size, bytes' },
        y: { field: 'toBest', type: 'quantitative', title: '% of the time with 16384', scale: { zero: false } },
        color: { field: 'mbit', type: 'ordinal', title: 'bandwidth, Mbit/s', scale: { scheme: 'viridis' }, legend: { columns: 6 } }
      }),
      ...rule(103.5, 'target at 256: 103.5 %')
    ])
  }
}

function levelChart (rows) {
  const least = Math.min(...rows.map(({ n }) => n))
  return panels(rows, 'Levels of PNG: response time by bandwidth', `In percent of the best fixed level at that bandwidth. Medians of ${least} or more requests a point. Lower is better.`, [
    lines({
      x: bandwidth,
      y: { field: 'toBest', type: 'quantitative', title: '% of the best fixed level (logarithmic)', scale: { type: 'log', nice: false } },
      color: { field: 'level', type: 'nominal', title: 'level', scale: { domain: LEVELS, range: ['#9ecae9', '#4c78a8', '#f58518', '#b79a20', '#b01e1e'] }, legend: { columns: 5 } }
    }),
    ...rule(105, 'target of auto: 105 %')
  ])
}

const SHOWN = ['memory above idle, MB', 'processor time a request, ms', 'event-loop delay p99, ms', 'first byte, median, ms', 'response time, median, ms']

function slowChart (rows) {
  const [{ clients, mbit }] = rows
  return {
    config,
    title: { text: `${clients} clients at ${mbit} Mbit/s each: sluice and node-mapnik`, subtitle: 'Medians of the runs; every server is a fresh process. Lower is better.' },
    data: { values: rows.filter(({ figure }) => SHOWN.includes(figure)) },
    facet: { field: 'figure', type: 'nominal', title: null, sort: SHOWN },
    columns: 5,
    spec: {
      width: 170,
      height: 230,
      encoding: {
        x: { field: 'image', type: 'nominal', title: null, axis: { labelExpr: 'split(datum.label, " ")' } },
        xOffset: { field: 'way' },
        y: { field: 'value', type: 'quantitative', title: null }
      },
      layer: [
        { mark: 'bar', encoding: { color: { field: 'way', type: 'nominal', title: null, scale: { domain: ['node-mapnik', 'sluice'], range: ['#4c78a8', '#b01e1e'] } } } },
        { mark: { type: 'text', dy: -6, fontSize: 9 }, encoding: { text: { field: 'value', format: '.3~s' } } }
      ]
    },
    resolve: { scale: { y: 'independent' }, axis: { x: 'independent' } }
  }
}

const draw = spec => new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' }).toSVG()

/** Resolves with {name: SVG} of rows, arrays for each image: {response, levels, slow}. */
export async function charts ({ response, levels, slow }) {
  const specs = {
    ...(response.length > 0 ? responseCharts(response.flat()) : {}),
    ...(levels.length > 0 ? { levels: levelChart(levels.flat()) } : {}),
    ...(slow.length > 0 ? { 'slow-clients': slowChart(slow.flat()) } : {})
  }
  return Object.fromEntries(await Promise.all(Object.entries(specs).map(async ([name, spec]) => [name, await draw(spec)])))
}
