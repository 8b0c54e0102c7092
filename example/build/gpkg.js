'use strict'

// Writes a GeoPackage 1.3 with R-trees (OGC 12-128r17) through libsql, which is SQLite with better-sqlite3's calls.

const Database = require('libsql')

const wgs84 = 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]'

const schema = `
create table gpkg_spatial_ref_sys (srs_name text not null, srs_id integer primary key, organization text not null,
  organization_coordsys_id integer not null, definition text not null, description text);
create table gpkg_contents (table_name text primary key, data_type text not null, identifier text unique, description text default '',
  last_change datetime not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), min_x double, min_y double, max_x double, max_y double, srs_id integer);
create table gpkg_geometry_columns (table_name text not null, column_name text not null, geometry_type_name text not null,
  srs_id integer not null, z tinyint not null, m tinyint not null, primary key (table_name, column_name));
create table gpkg_extensions (table_name text, column_name text, extension_name text not null, definition text not null,
  scope text not null, unique (table_name, column_name, extension_name));
insert into gpkg_spatial_ref_sys values ('undefined cartesian', -1, 'NONE', -1, 'undefined', null),
  ('undefined geographic', 0, 'NONE', 0, 'undefined', null), ('WGS 84', 4326, 'EPSG', 4326, '${wgs84}', null);`

class GeoPackage {
  constructor (file) {
    this.db = new Database(file)
    for (const pragma of ['journal_mode = off', 'synchronous = off', 'application_id = 1196444487', 'user_version = 10300']) this.db.pragma(pragma)
    this.db.exec(schema)
  }

  // columns: {name: SQL type}; features: iterable of [GeoJSON geometry, ...values in the order of columns].
  table (name, geometryType, columns, features) {
    const { db } = this
    const names = Object.keys(columns).map((column) => `"${column}"`)
    db.exec(`create table "${name}" (fid integer primary key autoincrement not null, geom ${geometryType},
      ${names.map((column, i) => `${column} ${Object.values(columns)[i]}`).join(', ')})`)
    db.exec(`create virtual table "rtree_${name}_geom" using rtree(id, minx, maxx, miny, maxy)`)
    const insert = new Rows(db, `"${name}" (geom, ${names})`, names.length + 1)
    const index = new Rows(db, `"rtree_${name}_geom"`, 5)
    const all = [Infinity, Infinity, -Infinity, -Infinity]
    let fid = 0
    db.exec('begin')
    for (const [geometry, ...values] of features) {
      const { blob, box } = encode(geometry, geometryType.startsWith('MULTI'))
      insert.add(blob, ...values)
      index.add(++fid, box[0], box[2], box[1], box[3])
      grow(all, box[0], box[1])
      grow(all, box[2], box[3])
    }
    insert.flush()
    index.flush()
    db.prepare('insert into gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id) values (?, ?, ?, ?, ?, ?, ?, 4326)')
      .run(name, 'features', name, ...all)
    db.prepare('insert into gpkg_geometry_columns values (?, ?, ?, 4326, 0, 0)').run(name, 'geom', geometryType)
    db.prepare('insert into gpkg_extensions values (?, ?, ?, ?, ?)')
      .run(name, 'geom', 'gpkg_rtree_index', 'http://www.geopackage.org/spec120/#extension_rtree', 'write-only')
    db.exec('commit')
    return fid
  }

  close () {
    this.db.close()
  }
}

// Inserts many rows at a time: calls cost more than rows.
class Rows {
  static #size = 100

  #db
  #into
  #width
  #full
  #values = []

  constructor (db, into, width) {
    this.#db = db
    this.#into = into
    this.#width = width
    this.#full = this.#prepare(Rows.#size)
  }

  #prepare (rows) {
    const row = `(?${', ?'.repeat(this.#width - 1)})`
    return this.#db.prepare(`insert into ${this.#into} values ${row}${`, ${row}`.repeat(rows - 1)}`)
  }

  add (...values) {
    if (this.#values.push(...values) === Rows.#size * this.#width) this.#full.run(...this.#values.splice(0))
  }

  flush () {
    if (this.#values.length > 0) this.#prepare(this.#values.length / this.#width).run(...this.#values.splice(0))
  }
}

const wkbTypes = { Point: 1, LineString: 2, Polygon: 3, MultiPoint: 4, MultiLineString: 5, MultiPolygon: 6 }

let scratch = Buffer.allocUnsafe(1 << 20)

// A geometry as a GeoPackage blob, with an envelope unless it is a point, and its box.
function encode ({ type, coordinates }, multi) {
  let wkb = wkbTypes[type]
  if (multi && wkb < 4) {
    wkb += 3
    coordinates = [coordinates]
  }
  const bytes = 40 + most(coordinates)
  if (bytes > scratch.length) scratch = Buffer.allocUnsafe(bytes * 2)
  const box = [Infinity, Infinity, -Infinity, -Infinity]
  const start = wkb === 1 ? 8 : 40
  const end = writeGeometry(wkb, coordinates, start, box)
  scratch.write('GP\0', 0, 'latin1')
  scratch[3] = wkb === 1 ? 1 : 3 // little-endian; with an envelope of x and y
  scratch.writeInt32LE(4326, 4)
  if (wkb !== 1) [box[0], box[2], box[1], box[3]].forEach((value, i) => scratch.writeDoubleLE(value, 8 + i * 8))
  return { blob: Buffer.from(scratch.subarray(0, end)), box }
}

// At least the bytes of WKB: 16 a point, 9 or less for the head of anything above it.
function most (coordinates) {
  if (!Array.isArray(coordinates[0])) return 21
  let sum = 9
  for (const part of coordinates) sum += most(part)
  return sum
}

function writeGeometry (type, coordinates, at, box) {
  scratch[at] = 1
  at = writeCount(type, at + 1)
  if (type === 1) return writePoint(coordinates, at, box)
  at = writeCount(coordinates.length, at)
  for (const part of coordinates) {
    if (type > 3) at = writeGeometry(type - 3, part, at, box)
    else at = type === 2 ? writePoint(part, at, box) : writeRing(part, at, box)
  }
  return at
}

function writeRing (ring, at, box) {
  at = writeCount(ring.length, at)
  for (const point of ring) at = writePoint(point, at, box)
  return at
}

const writeCount = (count, at) => scratch.writeUInt32LE(count, at)

function writePoint ([x, y], at, box) {
  grow(box, x, y)
  return scratch.writeDoubleLE(y, scratch.writeDoubleLE(x, at))
}

function grow (box, x, y) {
  if (x < box[0]) box[0] = x
  if (y < box[1]) box[1] = y
  if (x > box[2]) box[2] = x
  if (y > box[3]) box[3] = y
}

module.exports = { GeoPackage }
