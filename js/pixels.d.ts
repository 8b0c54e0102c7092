import type { Pixels } from './index'

/** What is used of a mapnik.Image. Its type must be rgba8, gray8 or gray16; its memory is read in place. */
export interface MapnikImage {
  width (): number
  height (): number
  getType (): number
  premultiplied (): boolean
  buffer (): Uint8Array
}

/** What is used of a mapnik.ImageView. It must be made by `view()` after `require('sluice/mapnik')(mapnik)`. */
export interface MapnikView {
  width (): number
  height (): number
  isSolid (...args: never[]): unknown
}

/** A Canvas of @napi-rs/canvas or node-canvas: its pixels are copied when the encode is asked for. */
export interface Canvas {
  width: number
  height: number
  getContext (type: '2d'): unknown
}

/** Standard ImageData of 8 bits a sample. */
export interface ImageDataLike {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
  readonly pixelFormat?: string | undefined
}

/** Whatever is accepted for pixels. */
export type Picture = Pixels | MapnikImage | MapnikView | Canvas | ImageDataLike
