'use strict'

// Rows of PostGIS, by cursor. The tables are those of the GeoPackage; load.js copies them.

const { Client, Pool } = require('pg')
const Cursor = require('pg-cursor')
const { layers } = require('../layers')

const batchRows = 1024
const mostClients = 16 // connections of this process for rows; mapnik has its own

async function openPostgis (url) {
  const store = new Postgis(url)
  await store.check()
  return store
}

class Postgis {
  #pool
  #connection

  constructor (url) {
    this.#connection = new Client({ connectionString: url })
    this.#pool = new Pool({ connectionString: url, max: mostClients })
    this.#pool.on('error', (err) => console.error(`PostGIS: ${err.message}`)) // an idle connection broke; the next query makes another
  }

  get kind () { return 'postgis' }

  // Others may change the data at any time: nothing to let caches keep.
  get version () { return null }

  source (table) {
    const { host, port, database, user, password } = this.#connection
    return {
      type: 'postgis',
      host,
      port,
      dbname: database,
      user,
      ...(password && { password }),
      // In a fixed order: two renders would differ where features overlap.
      table: `(select * from "${table}" order by fid) as rows`,
      geometry_table: table,
      geometry_field: 'geom',
      key_field: 'fid',
      srid: 4326,
      extent: '-180,-90,180,90',
      max_size: 8
    }
  }

  async check () {
    const { rows } = await this.#pool.query('select to_regclass($1) as found', [Object.values(layers)[0].draw[0][0]])
    if (rows[0].found === null) throw new Error('Expected the tables of the map in the database, found none: node example/load.js copies them there')
  }

  async count (table, filter) {
    const { where, values } = conditions(filter)
    const { rows } = await this.#pool.query(`select count(*)::int as n from "${table}" ${where}`, values)
    return rows[0].n
  }

  async * batches (table, columns, { offset = 0, limit = Infinity, ...filter } = {}) {
    const { where, values } = conditions(filter)
    const names = ['fid', 'ST_AsBinary(geom)', ...columns.map((column) => `"${column}"`)]
    const paging = `offset ${Number(offset)} ${limit === Infinity ? '' : `limit ${Number(limit)}`}`
    const client = await this.#pool.connect()
    let failure = true // until it is read or left in order
    try {
      const cursor = client.query(new Cursor(`select ${names} from "${table}" ${where} order by fid ${paging}`, values, { rowMode: 'array' }))
      try {
        for (let rows; (rows = await cursor.read(batchRows)).length > 0;) yield rows
      } finally {
        await cursor.close()
      }
      failure = undefined
    } finally {
      client.release(failure)
    }
  }

  async close () {
    await this.#pool.end()
  }
}

function conditions ({ bbox, ids } = {}) {
  const terms = []
  const values = []
  if (bbox) {
    terms.push('geom && ST_MakeEnvelope($1, $2, $3, $4, 4326)')
    values.push(...bbox)
  }
  if (ids) terms.push(`fid = any($${values.push(ids.map(Number))})`)
  return { where: terms.length > 0 ? `where ${terms.join(' and ')}` : '', values }
}

module.exports = { openPostgis }
