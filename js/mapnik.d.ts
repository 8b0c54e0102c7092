import type { ChunkCallback, EncodeOptions, Job } from './index'

type Constructor = new (...args: never[]) => unknown

/** A class whose instances have encodeChunked as well. */
type Patched<Class extends Constructor> = Omit<Class, 'prototype'> & {
  new (...args: ConstructorParameters<Class>): InstanceType<Class> & mapnik.Chunked
  readonly prototype: InstanceType<Class> & mapnik.Chunked
}

/**
 * Adds encodeChunked to the prototypes of mapnik.Image and mapnik.ImageView, and returns mapnik. An image's memory is read in
 * place: leave it as it is until the job is done. Views must be made after this call. Throws ERR_SLUICE_ARGUMENT if mapnik is
 * none.
 */
declare function mapnik<M extends { Image: Constructor, ImageView: Constructor }> (mapnik: M): Omit<M, 'Image' | 'ImageView'> & {
  Image: Patched<M['Image']>
  ImageView: Patched<M['ImageView']>
}

declare namespace mapnik {
  /** What is used of a mapnik.Palette. */
  interface Palette {
    toBuffer (): Uint8Array
  }

  /** The formats and options of `encodeChunked`; `palette` may be a mapnik.Palette too. */
  type Own<T> = T extends unknown ? Omit<T, 'format' | 'palette'> : never
  type Options = Own<EncodeOptions> & { palette?: Uint8Array | Palette | undefined }

  /** What mapnik.Image and mapnik.ImageView gain. */
  interface Chunked {
    /** PNG, in chunks of chunkSize bytes. */
    encodeChunked (chunkSize: number, callback: ChunkCallback): Job
    /** format: as `image.encode` takes it, or any that sluice knows. */
    encodeChunked (format: string, callback: ChunkCallback): Job
    encodeChunked (format: string, options: Options, callback: ChunkCallback): Job
    encodeChunked (format: string, options: Options, chunkSize: number, callback: ChunkCallback): Job
  }
}

export = mapnik
