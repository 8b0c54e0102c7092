/// <reference types="node" />
import type { PushSource } from './index'

/** Formats of features, by any name; in any case. */
export type FeatureFormat =
  | 'gml32' | 'gml' | 'application/gml+xml; version=3.2' | 'text/xml; subtype=gml/3.2' | 'text/xml; subtype=gml/3.2.1' | 'application/gml+xml'
  | 'geojson' | 'json' | 'application/geo+json' | 'application/json'
  | 'csv' | 'text/csv'
  | (string & {})

export type IntegerType = 'int8' | 'int16' | 'int32' | 'int64' | 'uint8' | 'uint16' | 'uint32' | 'uint64'
export type TimeUnit = 's' | 'ms' | 'us' | 'ns'
/** What a column holds. A timestamp without a unit counts milliseconds. */
export type ColumnType =
  | IntegerType | 'float32' | 'float64' | 'utf8' | 'bool' | 'date32' | 'date64' | 'timestamp' | `timestamp[${TimeUnit}]`
  | { type: 'timestamp', unit: TimeUnit }
/** Types of columns by their names, in the order in which they are written. */
export type Columns = Record<string, ColumnType>

/** A collection of features. Wrong types are ERR_SLUICE_ARGUMENT, thrown at once; wrong values ERR_SLUICE_OPTION, reported by the encode. */
export interface FeaturesDescription {
  /** Default: what the encode asks for, else GML 3.2. */
  format?: FeatureFormat | undefined
  /** What a feature is called, such as 'place' or 't:place'. Default 'feature'. */
  typeName?: string | undefined
  /** GML: what the prefix of typeName stands for. Default 'urn:features:' and the prefix. */
  namespace?: string | undefined
  /** What the geometry is called; null: features have none. Default 'geometry'. */
  geometryName?: string | null | undefined
  /** The coordinate reference system, such as 'urn:ogc:def:crs:EPSG::4326': it is named, nothing is projected. Default: not said. */
  srsName?: string | undefined
  /** The order of coordinates in the output; GeoJSON is 'xy' always, and so are parts. Default 'xy'. */
  axisOrder?: 'xy' | 'yx' | undefined
  /** Decimals of coordinates, 0 to 20; zeros at the end are left out. Default: as many as it takes to read the same number back. */
  decimals?: number | undefined
  /** The column that features are told apart by, of integers or utf8. Default: typeName and a running number. */
  id?: string | undefined
  /** The bounding box of all features: least x, y (and z), then greatest. true: as featureBbox. Default: none. */
  bbox?: readonly number[] | Float64Array | boolean | undefined
  /** Gives each feature its bounding box. Default false. */
  featureBbox?: boolean | undefined
  /** How many features the query has. Default: 'unknown'. */
  numberMatched?: number | bigint | 'unknown' | undefined
  /** How many features come. Default: not said. */
  numberReturned?: number | bigint | undefined
  /** When the response was made. Default: not said. */
  timeStamp?: Date | string | undefined
  /** The address of the next page. */
  next?: string | undefined
  /** The address of the page before. */
  previous?: string | undefined
  /** GML: xsi:schemaLocation. */
  schemaLocation?: string | undefined
  /** GML: a FeatureCollection of WFS 2.0 or GML's own. Default 'wfs'. */
  collection?: 'wfs' | 'gml' | undefined
  /** GeoJSON: adds the member crs of 2008, which RFC 7946 has not. Default false. */
  crs?: boolean | undefined
  /** Default: none. */
  columns?: Columns | undefined
}

/** A bitmap of what is not null, the least significant bit first, as in Arrow. */
export interface Nullable {
  /** Left out: nothing is null. */
  validity?: Uint8Array | null | undefined
  /** Bits before the first row's, here and in the bitmap of a bool. Default 0. */
  bitOffset?: number | undefined
}

export type Offsets = Int32Array | BigInt64Array
export type Values = Int8Array | Int16Array | Int32Array | BigInt64Array | Uint8Array | Uint16Array | Uint32Array | BigUint64Array | Float32Array | Float64Array

/** Numbers, dates and timestamps as a typed array of their width, booleans as a bitmap. */
export interface ValueColumn extends Nullable { values: Values }
/** Strings of UTF-8: that of row i lies from offsets[i] to offsets[i + 1]. */
export interface TextColumn extends Nullable { offsets: Offsets, data: Uint8Array }
/** Values that are looked up in a dictionary. */
export interface DictionaryColumn extends Nullable {
  indices: Int8Array | Int16Array | Int32Array | BigInt64Array | Uint8Array | Uint16Array | Uint32Array | BigUint64Array
  /** A bitmap of booleans needs its length. */
  dictionary: Values | ((ValueColumn | TextColumn) & { length?: number | undefined })
}
/** The values of a column; null: all are null. */
export type Column = Values | ValueColumn | TextColumn | DictionaryColumn | null

/** Positions: easting, northing and height. */
export interface Positions { x: Float64Array, y: Float64Array, z?: Float64Array | undefined }
/** A point for each row. */
export interface PointGeometry extends Positions, Nullable { type?: undefined, wkb?: undefined }
/** Well-known binary of any kind: OGC's, ISO's with Z, EWKB. */
export interface WkbGeometry extends Nullable { wkb: { offsets: Offsets, data: Uint8Array }, type?: undefined }
/** All rows of one kind, positions by nested offsets as in GeoArrow. */
export interface NestedGeometry extends Nullable {
  type: 'point' | 'linestring' | 'polygon' | 'multipoint' | 'multilinestring' | 'multipolygon'
  coords: Float64Array | Positions
  /** What a position of a Float64Array holds; 2, 3 and 4 stand for xy, xyz and xyzm. Measures are left out. Default 'xy'. */
  dimensions?: 'xy' | 'xyz' | 'xym' | 'xyzm' | 2 | 3 | 4 | undefined
  /** From the outermost level to the innermost: none for points, one for lines and multipoints, two, or three for multipolygons. */
  offsets?: readonly Offsets[] | undefined
  wkb?: undefined
}

/** A batch of features. Its memory is borrowed until write() settles; batches under 64 KiB are copied. */
export interface FeatureBatch {
  /** null: no row has one. */
  geometry?: PointGeometry | WkbGeometry | NestedGeometry | null | undefined
  /** All columns of the description; others are ignored. */
  columns?: Record<string, Column> | undefined
  /** Rows. It need not be said when an array tells it. */
  length?: number | undefined
}

/** Features that are pushed in batches. Throws ERR_SLUICE_ARGUMENT for wrong types. */
export function features (description: FeaturesDescription): PushSource<FeatureBatch>

export interface BatchesOptions {
  /** Rows of a batch, 1 to 1048576. Default 1024. */
  size?: number | undefined
  /** The property of rows that holds the geometry; null: there is none. Default 'geometry'. */
  geometry?: string | null | undefined
}

/**
 * Batches made of rows. A row's geometry is {x, y, z?}, WKB as bytes or hexadecimal digits, a GeoPackage's blob, or null. Throws
 * ERR_SLUICE_ARGUMENT for wrong types; a value that does not fit its column is an ERR_SLUICE_INPUT that the iteration throws.
 */
export function batches (rows: Iterable<object> | AsyncIterable<object>, columns: Columns, options?: BatchesOptions): AsyncGenerator<FeatureBatch, void, undefined>

export interface FromArrowOptions {
  /** The column of geometries; null: there is none. Default: the one whose metadata say so (GeoArrow), else one that is called geometry or geom and the like. */
  geometry?: string | null | undefined
  /** What it holds. Default: what its metadata say; else WKB for bytes, points for what holds positions. */
  type?: 'wkb' | NestedGeometry['type'] | undefined
  /** The columns that are wanted. Default: all but the geometry. */
  columns?: readonly string[] | undefined
}

/** An apache-arrow Table or RecordBatch, of any version that has these. */
export interface ArrowData {
  readonly schema: { readonly fields: ReadonlyArray<{ readonly name: string }> }
}

/** Batches that are the buffers of an apache-arrow Table or RecordBatch, not copies. columns is what features() has to know of them. */
export function fromArrow (data: ArrowData, options?: FromArrowOptions): Iterable<FeatureBatch> & { readonly columns: Columns }
