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

const text = (face, size, fill, more = {}, field = '[name]') => element('TextSymbolizer', {
  'face-name': `DejaVu Sans ${face}`, size, fill, ...halo, ...more
}, field)

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

// Classes of cities; PPLX is a section of a city.
const section = "[kind] != 'PPLX'"
const large = `[population] &gt;= 1000000 and ${section}`
const medium = `[population] &gt;= 100000 and [population] &lt; 1000000 and ${section}`
const small = `[population] &lt; 100000 and ${section}`

const mainRoad = "[highway] = 'motorway' or [highway] = 'trunk' or [highway] = 'primary' or [highway] = 'secondary'"

const styles = {
  ocean: rule(element('PolygonSymbolizer', { fill: sea })),
  graticule: rule(line('#a9cbdc', 0.6)),
  coast: rule(line('#8fb6ca', 3.4, { 'stroke-opacity': 0.35 })) + rule(line('#6f9db5', 0.8)),
  land: land.map((fill, i) => rule(element('PolygonSymbolizer', { fill, gamma: 0.8 }), { filter: `[colour] = ${i}` })).join(''),
  borders: rule(line('#a68fa0', 0.6), { to: 3 }) +
    rule(line('#c9b3c4', 3, { 'stroke-opacity': 0.5 }) + line('#95798d', 1, { 'stroke-dasharray': '6,3' }), { from: 3 }),
  countries: [[30, 0, 2, 8], [14, 2, 3, 9], [9, 3, 4, 10], [4, 4, 5, 11], [1, 5, 9, 13]].map(([size, from, to, fontSize]) =>
    rule(text('Bold', fontSize, '#6b5568', {
      placement: 'interior', 'wrap-width': 80, 'text-transform': 'uppercase', 'character-spacing': 1, 'minimum-distance': 4
    }), { filter: `[size] &gt;= ${size}`, from, to })).join(''),
  cities: rule(city(4, 9), { filter: '[population] &gt;= 5000000', from: 2, to: 4 }) +
    rule(city(5, 10), { filter: '[population] &gt;= 2000000', from: 4, to: 5 }) +
    rule(city(4, 10), { filter: `[capital] = 1 and ${medium}`, from: 4, to: 6 }) +
    rule(city(6, 12, 'Bold'), { filter: large, from: 5 }) +
    rule(city(4, 10), { filter: `[population] &gt;= 300000 and ${medium} and [capital] = 0`, from: 5, to: 6 }) +
    rule(city(5, 11), { filter: medium, from: 6 }) +
    rule(city(3, 9), { filter: `[population] &gt;= 40000 and ${small}`, from: 7, to: 8 }) +
    rule(city(4, 10), { filter: `[population] &lt; 100000 and ${section}`, from: 8 }),

  'city-dots': rule(element('MarkersSymbolizer', { file: path.join(__dirname, 'dot.svg') })), // of the legend

  // Montevideo
  landuse: rule(element('PolygonSymbolizer', { fill: '#dfe3d3' }) + line('#c4cbb4', 0.5)) +
    rule(element('PolygonSymbolizer', { fill: '#c6e0b4' }), { filter: "[kind] = 'park' or [kind] = 'forest' or [kind] = 'grass' or [kind] = 'wood' or [kind] = 'pitch'" }),
  'landuse-names': rule(text('Bold', 10, '#4a6b3a', { placement: 'interior', 'wrap-width': 60 })),
  buildings: rule(element('PolygonSymbolizer', { fill: '#dccbbb' }) + line('#b7a08c', 0.5)),
  'road-cases': rule(line('#a9a29a', 1.2), { to: 13 }) + rule(line('#8d867e', 3.4), { from: 13, to: 16 }) + rule(line('#8d867e', 9), { from: 16 }),
  roads: rule(line('#fffdf2', 2), { from: 13, to: 16 }) + rule(line('#fffdf2', 7), { from: 16 }) +
    rule(line('#f6c667', 2.2), { filter: mainRoad, to: 16 }) + rule(line('#f6c667', 7), { filter: mainRoad, from: 16 }),
  'road-names': rule(text('Book', 10, '#3b302b', { placement: 'line', spacing: 300, 'max-char-angle-delta': 25 })),
  addresses: rule(element('DotSymbolizer', { width: 2, height: 2, fill: '#c58c7e' })),
  housenumbers: rule(text('Book', 9, '#3b302b', { dy: -5 }, '[housenumber]'))
}

// Buffers in pixels: labels of one strip must see those of the next. They are of layers whose styles place text.
const labelBuffer = 256
const geometryBuffer = 16
const places = /Symbolizer [^>]*face-name/

const layerXml = ([table, names, from, to], source) => element('Layer', {
  name: table,
  srs: 'epsg:4326',
  'buffer-size': names.some((name) => places.test(styles[name])) ? labelBuffer : geometryBuffer,
  ...(from !== undefined && { 'maximum-scale-denominator': zoom(from) }),
  ...(to !== undefined && { 'minimum-scale-denominator': zoom(to) })
}, names.map((name) => `<StyleName>${name}</StyleName>`).join('') + datasource(source(table)))

const datasource = (parameters) => element('Datasource', {}, Object.entries(parameters)
  .map(([name, value]) => element('Parameter', { name }, `<![CDATA[${value}]]>`)).join(''))

// A map's XML. drawn: what to draw, as in layers.js; source: from a table to the parameters of its data source.
function style (drawn, source) {
  const used = new Set(drawn.flatMap(([, names]) => names))
  return element('Map', { srs: 'epsg:3857', 'buffer-size': labelBuffer },
    [...used].map((name) => element('Style', { name }, styles[name])).join('') +
    drawn.map((one) => layerXml(one, source)).join(''))
}

// A map in pixels from the lower left corner. symbols: [{styles, shape, properties, x, y, size}], squares to fill;
// labels: [{text, x, y}], x the left edge and y the middle of the line.
function symbolMap (symbols, labels) {
  const used = new Set(symbols.flatMap(({ styles }) => styles))
  const features = labels.map(({ text, x, y }) => feature('Point', [x, y], { text }))
  const face = { 'face-name': 'DejaVu Sans Book', size: 12, fill: '#33302c', 'horizontal-alignment': 'right', 'vertical-alignment': 'middle', 'allow-overlap': true, 'avoid-edges': false }
  return element('Map', { srs: 'epsg:3857' },
    [...used].map((name) => element('Style', { name }, styles[name])).join('') +
    element('Style', { name: 'label' }, rule(element('TextSymbolizer', face, '[text]'))) +
    symbols.map(({ styles, shape, properties = {}, x, y, size }, i) => element('Layer', { name: `symbol-${i}`, srs: 'epsg:3857' },
      styles.map((name) => element('StyleName', {}, name)).join('') + inline([shapes[shape](x, y, size, properties)]))).join('') +
    (features.length > 0 ? element('Layer', { name: 'labels', srs: 'epsg:3857' }, element('StyleName', {}, 'label') + inline(features)) : ''))
}

const feature = (type, coordinates, properties) => ({ type: 'Feature', geometry: { type, coordinates }, properties })

const shapes = {
  area: (x, y, size, properties) => feature('Polygon', [[[x, y], [x + size * 1.4, y], [x + size * 1.4, y + size], [x, y + size], [x, y]]], properties),
  line: (x, y, size, properties) => feature('LineString', [[x, y + size / 2], [x + size * 1.4, y + size / 2]], properties),
  point: (x, y, size, properties) => feature('Point', [x + size * 0.7, y + size / 2], properties)
}

// JSON that cannot end the CDATA section it lies in.
const inline = (features) => datasource({ type: 'geojson', inline: JSON.stringify({ type: 'FeatureCollection', features }).replaceAll(']>', ']\\u003e') })

module.exports = { style, symbolMap, labelBuffer }
