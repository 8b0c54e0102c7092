'use strict'

// The cartography, as mapnik XML. Scale denominators are WMS's (0.28 mm pixels): 559e6 is the world on
// one 256-pixel tile, and each zoom level halves it.

const path = require('node:path')

const sea = '#bfdbe8'
const land = ['#fbe9c6', '#dfebc9', '#f7d9c4', '#e6dcea', '#f4efb8', '#d3e8dc', '#eadfce']

const zoom = (z) => Math.round(559082264 / 2 ** z * 1.3)

const element = (name, attributes, body = '') =>
  `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`).join('')}>${body}</${name}>`

// A rule for zoom levels from (inclusive) to (exclusive).
const rule = (symbolizers, { filter, from, to } = {}) => element('Rule', {},
  (filter ? `<Filter>${filter}</Filter>` : '') +
  (from === undefined ? '' : `<MaxScaleDenominator>${zoom(from)}</MaxScaleDenominator>`) +
  (to === undefined ? '' : `<MinScaleDenominator>${zoom(to)}</MinScaleDenominator>`) + symbolizers)

const line = (stroke, width, more = {}) =>
  element('LineSymbolizer', { stroke, 'stroke-width': width, 'stroke-linejoin': 'round', 'stroke-linecap': 'round', ...more })

const halo = { 'halo-fill': 'rgba(255,255,255,0.85)', 'halo-radius': 1.5 }

const text = (face, size, fill, more = {}) => element('TextSymbolizer', {
  'face-name': `DejaVu Sans ${face}`, size, fill, ...halo, ...more
}, '[name]')

// A city: a dot with the name above it; both or, where there is no room, neither. Sizes in pixels.
const city = (size, fontSize, face = 'Book') => element('ShieldSymbolizer', {
  file: path.join(__dirname, 'dot.svg'),
  transform: `scale(${size / 6})`,
  'unlock-image': 'true',
  'face-name': `DejaVu Sans ${face}`,
  size: fontSize,
  fill: '#3b302b',
  ...halo,
  dy: -size / 2 - 2,
  'minimum-distance': 2
}, '[name]')

const styles = {
  graticule: rule(line('#a9cbdc', 0.6)),
  coast: rule(line('#8fb6ca', 3.4, { 'stroke-opacity': 0.35 })) + rule(line('#6f9db5', 0.8)),
  land: land.map((fill, i) => rule(element('PolygonSymbolizer', { fill, gamma: 0.8 }), { filter: `[colour] = ${i}` })).join(''),
  borders: rule(line('#a68fa0', 0.6), { to: 3 }) +
    rule(line('#c9b3c4', 3, { 'stroke-opacity': 0.5 }) + line('#95798d', 1, { 'stroke-dasharray': '6,3' }), { from: 3 }),
  countries: [[30, 0, 2, 8], [14, 2, 3, 9], [9, 3, 4, 10], [4, 4, 5, 11], [1, 5, 9, 13]].map(([size, from, to, fontSize]) =>
    rule(text('Bold', fontSize, '#6b5568', {
      placement: 'interior', 'wrap-width': 80, 'text-transform': 'uppercase', 'character-spacing': 1, 'minimum-distance': 4
    }), { filter: `[size] &gt;= ${size}`, from, to })).join(''),
  'cities-large':
    rule(city(4, 9), { filter: '[population] &gt;= 5000000', from: 2, to: 4 }) +
    rule(city(5, 10), { filter: '[population] &gt;= 2000000', from: 4, to: 5 }) +
    rule(city(6, 12, 'Bold'), { from: 5 }),
  'cities-medium':
    rule(city(4, 10), { filter: '[capital] = 1', from: 4, to: 6 }) +
    rule(city(4, 10), { filter: '[population] &gt;= 300000', from: 5, to: 6 }) +
    rule(city(5, 11), { from: 6 }),
  'cities-small': rule(city(3, 9), { filter: '[population] &gt;= 40000', from: 7, to: 8 }) + rule(city(4, 10), { from: 8 })
}

// [file, styles, first zoom, zoom before which it is shown], from bottom to top
const layers = [
  ['graticule', ['graticule']],
  ['coast-50m', ['coast'], undefined, 5], ['coast-10m', ['coast'], 5],
  ['countries-50m', ['land'], undefined, 5], ['countries-10m', ['land'], 5],
  ['borders-50m', ['borders'], undefined, 5], ['borders-10m', ['borders'], 5],
  ['countries-50m', ['countries']],
  ['cities-large', ['cities-large'], 2],
  ['cities-medium', ['cities-medium'], 4],
  ['cities-small', ['cities-small'], 7]
]

const datasource = (file) => element('Datasource', {},
  element('Parameter', { name: 'type' }, 'geojson') + element('Parameter', { name: 'file' }, `<![CDATA[${file}]]>`))

// The map's XML, with its data in folder.
function style (folder) {
  return element('Map', { srs: 'epsg:3857', 'background-color': sea },
    Object.entries(styles).map(([name, rules]) => element('Style', { name }, rules)).join('') +
    layers.map(([file, names, from, to], i) => element('Layer', {
      name: `${file}-${i}`,
      srs: 'epsg:4326',
      ...(from !== undefined && { 'maximum-scale-denominator': zoom(from) }),
      ...(to !== undefined && { 'minimum-scale-denominator': zoom(to) })
    }, names.map((name) => `<StyleName>${name}</StyleName>`).join('') + datasource(path.join(folder, `${file}.geojson`)))).join(''))
}

module.exports = { style, sea }
