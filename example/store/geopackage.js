'use strict'

// Rows of the embedded GeoPackage, in batches, so that the process answers others in between.

const path = require('node:path')
const { setImmediate: turn } = require('node:timers/promises')
const Database = require('libsql')
const { prepare } = require('../build')

const batchRows = 1024

async function openGeoPackage () {
  const file = await prepare()
  return new GeoPackage(file)
}

class GeoPackage {
  #db
  #file

  constructor (file) {
    this.#file = file
    this.#db = new Database(file)
    this.#db.pragma('query_only = 1')
  }

  get kind () { return 'geopackage' }

  // Changes when the data do: what caches go by.
  get version () { return path.basename(this.#file, '.gpkg') }

  // What mapnik reads a table by.
  source (table) {
    return { type: 'ogr', file: this.#file, layer: table }
  }

  async check () {
    this.#db.prepare('select 1').get()
  }

  async count (table, filter) {
    const { from, where, values } = conditions(table, filter)
    return this.#db.prepare(`select count(*) as n from ${from} ${where}`).get(values).n
  }

  // Arrays of rows [fid, WKB, ...columns] in the order of fid. filter: {bbox: [minx, miny, maxx, maxy], ids: [fid, ...]}.
  // Names of tables and columns are the catalogue's, never a client's.
  async * batches (table, columns, { offset = 0, limit = Infinity, ...filter } = {}) {
    const { from, where, values } = conditions(table, filter, 'm.fid > @after')
    const names = ['m.fid', 'm.geom', ...columns.map((column) => `m."${column}"`)]
    const statement = this.#db.prepare(`select ${names} from ${from} ${where} order by m.fid limit @rows`).raw()
    values.after = offset === 0 ? 0 : this.#fidBefore(table, filter, offset)
    for (let left = limit; left > 0 && values.after !== undefined;) {
      const rows = statement.all({ ...values, rows: Math.min(batchRows, left) })
      if (rows.length === 0) return
      values.after = rows.at(-1)[0]
      left -= rows.length
      for (const row of rows) row[1] = wkb(row[1])
      yield rows
      await turn()
    }
  }

  // The last fid that offset skips; undefined if there are no more rows than those.
  #fidBefore (table, filter, offset) {
    const { from, where, values } = conditions(table, filter)
    return this.#db.prepare(`select m.fid from ${from} ${where} order by m.fid limit 1 offset @skip`).get({ ...values, skip: offset - 1 })?.fid
  }

  async close () {
    this.#db.close()
  }
}

function conditions (table, { bbox, ids } = {}, ...terms) {
  const values = {}
  let from = `"${table}" m`
  if (bbox) {
    from = `"rtree_${table}_geom" r join "${table}" m on m.fid = r.id`
    terms.push('r.maxx >= @minx and r.minx <= @maxx and r.maxy >= @miny and r.miny <= @maxy')
    for (const [i, name] of ['minx', 'miny', 'maxx', 'maxy'].entries()) values[name] = bbox[i]
  }
  if (ids) terms.push(`m.fid in (${ids.map(Number).join(', ')})`)
  return { from, where: terms.length > 0 ? `where ${terms.join(' and ')}` : '', values }
}

// The WKB in a GeoPackage blob: behind a head of 8 bytes and an envelope (OGC 12-128r17, 2.1.3).
const envelopes = [0, 32, 48, 48, 64] // bytes
const wkb = (blob) => blob.subarray(8 + envelopes[(blob[3] >> 1) & 7])

module.exports = { openGeoPackage }
