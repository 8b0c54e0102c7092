'use strict'

// Where the data are: in PostGIS when DATABASE_URL is set, else in a GeoPackage of our own.
function openStore (url = process.env.DATABASE_URL) {
  return url ? require('./postgis').openPostgis(url) : require('./geopackage').openGeoPackage()
}

module.exports = { openStore }
