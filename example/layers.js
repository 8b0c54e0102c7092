'use strict'

// What the server publishes. A layer draws tables with styles (render/style.js); one with columns is also a feature type of
// the WFS and can be asked by GetFeatureInfo. Everything is in degrees, EPSG:4326.

const montevideo = [-56.5, -35, -55.9, -34.6]
const world = [-180, -90, 180, 90]

// draw: [table, styles, first zoom, zoom before which it is shown], from bottom to top.
// legend: what GetLegendGraphic shows: shape is area, line or point; properties are what the styles ask.
// columns: {name: type of sluice's features()}, in the order of the tables.
const layers = {
  ocean: {
    title: 'Ocean',
    bounds: world,
    legend: [{ label: 'Ocean', styles: ['ocean'], shape: 'area' }],
    draw: [['ocean', ['ocean']], ['graticule', ['graticule']]]
  },
  countries: {
    title: 'Countries',
    bounds: world,
    geometry: 'MULTIPOLYGON',
    columns: { iso: 'utf8', name: 'utf8', colour: 'int32', size: 'float64' },
    legend: [{ label: 'Country', styles: ['land'], shape: 'area', properties: { colour: 0 } }, { label: 'Border', styles: ['borders'], shape: 'line' }],
    draw: [
      ['coast_50m', ['coast'], undefined, 5], ['coast', ['coast'], 5],
      ['countries_50m', ['land'], undefined, 5], ['countries', ['land'], 5],
      ['borders_50m', ['borders'], undefined, 5], ['borders', ['borders'], 5],
      ['countries_50m', ['countries']]
    ]
  },
  landuse: {
    title: 'Land use of Montevideo',
    bounds: montevideo,
    geometry: 'MULTIPOLYGON',
    columns: { kind: 'utf8', name: 'utf8' },
    legend: [{ label: 'Park', styles: ['landuse'], shape: 'area', properties: { kind: 'park' } }, { label: 'Other use', styles: ['landuse'], shape: 'area', properties: { kind: 'other' } }],
    draw: [['landuse', ['landuse'], 8], ['landuse', ['landuse-names'], 15]]
  },
  buildings: {
    title: 'Buildings of Montevideo',
    bounds: montevideo,
    geometry: 'MULTIPOLYGON',
    columns: { kind: 'utf8', name: 'utf8' },
    legend: [{ label: 'Building', styles: ['buildings'], shape: 'area' }],
    draw: [['buildings', ['buildings'], 12]]
  },
  roads: {
    title: 'Roads of Montevideo',
    bounds: montevideo,
    geometry: 'LINESTRING',
    columns: { highway: 'utf8', name: 'utf8', surface: 'utf8', maxspeed: 'utf8' },
    legend: [{ label: 'Main road', styles: ['road-cases', 'roads'], shape: 'line', properties: { highway: 'primary' } }, { label: 'Road', styles: ['road-cases', 'roads'], shape: 'line', properties: { highway: 'residential' } }],
    draw: [['roads', ['road-cases', 'roads'], 8], ['roads', ['road-names'], 15]]
  },
  addresses: {
    title: 'Addresses of Montevideo',
    bounds: montevideo,
    geometry: 'POINT',
    columns: { housenumber: 'utf8', street: 'utf8' },
    legend: [{ label: 'Address', styles: ['addresses'], shape: 'point' }],
    draw: [['addresses', ['addresses'], 16], ['addresses', ['housenumbers'], 18]]
  },
  cities: {
    title: 'Cities',
    bounds: world,
    geometry: 'POINT',
    columns: { name: 'utf8', country: 'utf8', kind: 'utf8', population: 'int32', capital: 'int32' },
    legend: [{ label: 'City', styles: ['city-dots'], shape: 'point' }],
    draw: [['cities', ['cities'], 2]]
  }
}

// The layer of all of them, which draws what is asked for most: the whole map.
const group = { name: 'map', title: 'Countries and cities of the world, and the city of Montevideo' }

const attribution = 'Made with Natural Earth. Cities: GeoNames, CC BY 4.0. Montevideo: OpenStreetMap contributors, ODbL.'

const isLayer = (name) => Object.hasOwn(layers, name)
const isType = (name) => isLayer(name) && layers[name].columns !== undefined
const types = Object.keys(layers).filter(isType)

// A layer's name, or the group's, to names of layers from bottom to top; undefined for neither.
function expand (name) {
  if (name === group.name) return Object.keys(layers)
  return isLayer(name) ? [name] : undefined
}

module.exports = { layers, group, attribution, types, isLayer, isType, expand }
