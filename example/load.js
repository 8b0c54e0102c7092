'use strict'

// Copies the GeoPackage's tables into PostGIS: DATABASE_URL=postgres://user@host/name node example/load.js

const { Client } = require('pg')
const Database = require('libsql')
const { prepare } = require('./build')

const batchRows = 5000
const types = { TEXT: 'text', INTEGER: 'integer', DOUBLE: 'double precision' }

async function load (url) {
  const gpkg = new Database(await prepare())
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('create extension if not exists postgis')
  const tables = gpkg.prepare('select table_name, geometry_type_name from gpkg_geometry_columns').raw().all()
  for (const [table, geometry] of tables) {
    await client.query('begin')
    const rows = await copy(client, gpkg, table, geometry)
    await client.query('commit')
    await client.query(`analyze "${table}"`)
    console.log(`${table}: ${rows} rows`)
  }
  await client.end()
  gpkg.close()
}

async function copy (client, gpkg, table, geometry) {
  const columns = gpkg.prepare(`select name, type from pragma_table_info('${table}') where name not in ('fid', 'geom')`).raw().all()
    .map(([name, type]) => ({ name: `"${name}"`, type: types[type.toUpperCase()] }))
  await client.query(`drop table if exists "${table}"`)
  await client.query(`create table "${table}" (fid integer primary key, geom geometry(${geometry}, 4326), ${columns.map(({ name, type }) => `${name} ${type}`)})`)
  const insert = `insert into "${table}" select fid, ST_GeomFromWKB(decode(wkb, 'base64'), 4326), ${columns.map(({ name }) => name)}
    from unnest($1::integer[], $2::text[], ${columns.map(({ type }, i) => `$${i + 3}::${type}[]`)}) as t(fid, wkb, ${columns.map(({ name }) => name)})`
  const batch = gpkg.prepare(`select fid, geom, ${columns.map(({ name }) => name)} from "${table}" where fid > ? order by fid limit ${batchRows}`).raw()
  let total = 0
  for (let rows, last = 0; (rows = batch.all(last)).length > 0; last = rows.at(-1)[0]) {
    const values = rows[0].map((_, i) => rows.map((row) => i === 1 ? wkb(row[1]).toString('base64') : row[i]))
    await client.query(insert, values)
    total += rows.length
  }
  await client.query(`create index on "${table}" using gist (geom)`)
  return total
}

const wkb = (blob) => blob.subarray(8 + [0, 32, 48, 48, 64][(blob[3] >> 1) & 7])

if (require.main === module) {
  if (!process.env.DATABASE_URL) {
    console.error('Expected DATABASE_URL to say where PostGIS is')
    process.exit(1)
  }
  load(process.env.DATABASE_URL).catch((err) => {
    console.error(err)
    process.exit(1)
  })
}

module.exports = { load }
