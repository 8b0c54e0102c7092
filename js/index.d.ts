/// <reference types="node" />
import { Duplex, Readable, Writable } from 'node:stream'
import type { FeatureFormat } from './features'
import type { Picture } from './pixels'
import type { Png8Options } from './png8'

export type { Canvas, ImageDataLike, MapnikImage, MapnikView, Picture } from './pixels'
export type { Png8Options } from './png8'
import type { BmpOptions, GifOptions, TiffOptions, WebpOptions } from './image-formats'

export * from './image-formats'

// ---- sources -----------------------------------------------------------------------------------

/** Order and depth of the samples of a pixel. Samples of 16 bits are in native byte order. */
export type PixelFormat = 'rgba' | 'bgra' | 'rgb' | 'graya' | 'gray' | 'rgba16' | 'gray16'

/** A whole image, or a strip of one. Other keys than these are ignored, so an ImageData is one. */
export interface Pixels {
  /**
   * Rows from top to bottom. They are borrowed and read in place: leave them as they are until the encode is done, or pass
   * `copy: true`. Resizable memory is copied.
   */
  data: Uint8Array | Uint8ClampedArray
  /** Pixels, from 1 to 1048576. */
  width: number
  /** Pixels, from 1 to 1048576. */
  height: number
  /** Default 'rgba'. */
  pixelFormat?: PixelFormat | undefined
  /** Bytes from row to row. Default: width times the bytes of a pixel. */
  stride?: number | undefined
  /** Colour samples have been multiplied by alpha. Default false; they are made straight where the format wants it. */
  premultiplied?: boolean | undefined
}

/** An image whose rows are pushed while they render. */
export interface ImageDescription {
  /** Pixels, from 1 to 1048576. */
  width: number
  /** Pixels, from 1 to 1048576. */
  height: number
  /** Default 'rgba'. */
  pixelFormat?: PixelFormat | undefined
  /** Colour samples have been multiplied by alpha. Default false. */
  premultiplied?: boolean | undefined
  /** A promise that every pixel is opaque: alpha is left out of the output. Default false. */
  opaque?: boolean | undefined
  /** A promise that every pixel is grey: only one sample of colour is kept. Default false. */
  gray?: boolean | undefined
}

declare const kind: unique symbol

/** Something to encode. A whole image may be encoded any number of times. */
export interface Source {
  readonly [kind]: 'whole' | 'push'
}

/** A source that parts are pushed into. It is used up by one encode. */
export interface PushSource<Part> extends Source {
  readonly [kind]: 'push'
  /**
   * Adds a part: whole rows, from top to bottom, or bytes. Resolves when its bytes have been read or copied; until then they are
   * borrowed. Parts under 64 KiB are copied, and settle at once while no more than 256 KiB of them wait. Several writes may
   * be pending: that is what lets strips be encoded side by side. Before an encode uses the source, one part is queued and
   * further writes wait.
   *
   * Rejects with ERR_SLUICE_ARGUMENT for what is no part, after end(), or after a complete encode; with the error of the encode
   * if that failed or was aborted. It is safe to ignore the promise.
   */
  write (part: Part): Promise<void>
  /** No more parts come. Never throws. */
  end (): void
  /**
   * Gives up: the encode fails with this very error. Without one it is an AbortError; 0, '' and false become its cause. Never
   * throws.
   */
  fail (error?: unknown): void
}

/** Whole rows of an image: bytes without padding, or pixels of the image's width. */
export type Strip = Uint8Array | Uint8ClampedArray | Picture

/** A whole image. Throws ERR_SLUICE_ARGUMENT for wrong types; wrong values are reported by the encode. */
export function image (pixels: Picture): Source
/** An image whose rows are pushed. Throws ERR_SLUICE_ARGUMENT for wrong types. */
export function image (description: ImageDescription): PushSource<Strip>

/** What is to become of an Arrow IPC stream. Bad values are ERR_SLUICE_OPTION, reported by the encode. */
export interface ArrowDescription {
  /**
   * What compresses each buffer; 'none' decompresses those that are compressed. Default 'none'. Batches that are compressed so
   * already pass as they are.
   */
  codec?: 'zstd' | 'lz4' | 'none' | undefined
  /** An integer from 1 to 22: how much time to spend on size. zstd's own scale; lz4 takes 9 for what is above. Default 1. */
  level?: number | undefined
}

/**
 * An Arrow IPC stream that is pushed, cut anywhere, and whose buffers are compressed or decompressed, batch by batch. Format
 * 'arrow', and chunks of 65536 bytes unless an encode says otherwise. A stream that is malformed, or ends without its
 * end-of-stream marker, is ERR_SLUICE_INPUT; metadata beyond 16 MiB or a batch beyond 1 GiB is ERR_SLUICE_LIMIT. Throws
 * ERR_SLUICE_ARGUMENT for wrong types.
 */
export function arrow (description?: ArrowDescription): PushSource<Uint8Array | Uint8ClampedArray>

/**
 * The codec that a request for Arrow asks for (Accept: application/vnd.apache.arrow.stream; codecs="zstd, lz4"), 'none' when it
 * names none, and the header fields of the answer; null when it does not accept Arrow, and the answer must be 406. codecs: those
 * to choose from, the best first; default zstd, then lz4.
 */
export function negotiateArrow (
  req: { headers: Headers | Record<string, string | string[] | undefined> },
  options?: { codecs?: Array<'zstd' | 'lz4'> | undefined }
): { codec: 'zstd' | 'lz4' | 'none', headers: Record<string, string> } | null

/** Bytes that pass as they are. */
export interface BytesDescription {
  /** Their media type. Default 'application/octet-stream'; what is none is ERR_SLUICE_OPTION, reported by the encode. */
  type?: string | undefined
}

/** Text, which becomes UTF-8, or bytes. */
export type Bytes = string | Uint8Array | Uint8ClampedArray

/**
 * Text and bytes that are pushed and pass as they are. Writes below 16 KiB are copied and gathered, so that many small ones
 * cost little: await them or not. Format 'bytes', and chunks of 65536 bytes unless an encode says otherwise. Throws
 * ERR_SLUICE_ARGUMENT for wrong types.
 */
export function bytes (description?: BytesDescription): PushSource<Bytes>

export { batches, features, fromArrow } from './features'
export type { ArrowData, BatchesOptions, Column, Columns, ColumnType, DictionaryColumn, FeatureBatch, FeatureFormat, FeaturesDescription, FromArrowOptions, IntegerType, NestedGeometry, Nullable, Offsets, PointGeometry, Positions, TextColumn, TimeUnit, ValueColumn, Values, WkbGeometry } from './features'

// ---- options -----------------------------------------------------------------------------------

/** HTTP content codings. deflate is in the zlib format, as HTTP means it. */
export type Coding = 'identity' | 'gzip' | 'deflate' | 'zstd'
/**
 * Any name of a format, in any case: a short one, a media type, also with a parameter ('image/png; mode=24bit'), or a string
 * of node-mapnik's ('png:z=9').
 */
export type Format =
  | 'png' | 'image/png' | 'png24' | 'png32' | 'image/png24' | 'image/png32'
  | 'png8' | 'png256' | 'image/png8' | 'jpeg' | 'jpg' | 'image/jpeg' | 'image/jpg'
  | 'jpegpng' | 'image/vnd.jpeg-png' | 'webp' | 'image/webp' | 'gif' | 'image/gif'
  | 'tiff' | 'tif' | 'geotiff' | 'image/tiff' | 'image/tif' | 'image/geotiff'
  | 'bmp' | 'image/bmp' | 'image/x-ms-bmp'
  | 'bytes' | FeatureFormat | 'arrow' | 'application/vnd.apache.arrow.stream' | (string & {})

export interface CommonOptions {
  /** Default: the source's; pixels become 'png'. Unknown: ERR_SLUICE_FORMAT. */
  format?: Format | undefined
  /** Bytes, an integer from 1 to 2^30, else ERR_SLUICE_ARGUMENT is thrown. Default 16384 for images, 65536 for other sources. */
  chunkSize?: number | undefined
  /**
   * HTTP content coding of the output: what was asked for is done, also to formats that are compressed already. Default
   * 'identity'.
   */
  coding?: Coding | undefined
  /** Aborts the encode with an AbortError whose cause is the signal's reason. */
  signal?: AbortSignal | undefined
  /** Takes a snapshot of the pixels first, so that they are not borrowed. Default false. */
  copy?: boolean | undefined
}

/** The options of PNG. An unknown key or a bad value is ERR_SLUICE_OPTION, and comes as the encode's error. */
export interface PngOptions {
  /**
   * What to spend on size, from nothing to much. 'auto' watches its consumer, and is the one level whose bytes are not the
   * same every time. Default 'fast'.
   */
  level?: 'stored' | 'fastest' | 'fast' | 'balanced' | 'small' | 'auto' | undefined
  /**
   * Drops, without loss, what the pixels do not use: the alpha of an opaque image, the colour of a grey one; at most 256
   * colours become indices. A pushed image is reduced only as far as its description promises. Default true.
   */
  reduce?: boolean | undefined
  /**
   * Orders the pixels in Adam7's seven passes. Needs the whole image before the first byte, so it does not stream. Default
   * false.
   */
  interlace?: boolean | undefined
  /**
   * Which samples to write. 'auto': those of the pixels, less what reduce drops; 'rgb', 'rgba': 8 bits of each; 'argb4444':
   * as 'rgba' with 16 values a sample; 'mono': black and white. Default 'auto'.
   */
  color?: 'auto' | 'rgb' | 'rgba' | 'argb4444' | 'mono' | undefined
  /** The colour, '#rrggbb' or '#rgb', behind translucent pixels where no alpha is written ('rgb', 'mono'). Default '#ffffff'. */
  background?: string | undefined
  /** Resolution in pixels per inch, up to 1,000,000 (pHYs). 0, the default: none. */
  dpi?: number | undefined
  /** Says that colours are sRGB's (sRGB). Not together with icc. Default false. */
  srgb?: boolean | undefined
  /** Exponent of the display that samples are made for, such as 2.2 (gAMA). 0, the default: none. */
  gamma?: number | undefined
  /** An ICC profile (iCCP). */
  icc?: Uint8Array | undefined
  /** Notes by keyword of 1 to 79 Latin-1 characters, such as Title, Author or Copyright (tEXt, or iTXt beyond Latin-1). */
  text?: Record<string, string> | undefined
}

/** The options of JPEG, of the baseline process. An unknown key or a bad value is ERR_SLUICE_OPTION, and comes as the encode's error. */
export interface JpegOptions {
  /** 0 to 100, as libjpeg scales its tables. Default 85. */
  quality?: number | undefined
  /** How much colour there is: a sample for four pixels, or for each. Grey images have none. Default '4:2:0'. */
  subsampling?: '4:2:0' | '4:4:4' | undefined
  /** Huffman tables made for the image: fewer bytes, but none before all pixels are there. Default false. */
  optimize?: boolean | undefined
  /** MCU rows (of 16 pixels in 4:2:0, else of 8) between restart markers, up to 65535. 0, the default: none. */
  restart?: number | undefined
  /** What translucent pixels are blended on: '#rrggbb' or '#rgb'. Default '#ffffff'. */
  background?: string | undefined
  /** Resolution in pixels per inch, up to 65535, rounded (JFIF). 0, the default: none. */
  dpi?: number | undefined
  /** An ICC profile (APP2). */
  icc?: Uint8Array | undefined
  /** Only false, the default: progressive JPEG is not written. */
  progressive?: boolean | undefined
}

/** The options of image/vnd.jpeg-png: a JPEG when no pixel is translucent, else a PNG. */
export interface JpegpngOptions {
  /** Of the JPEG, 0 to 100. Default 85. */
  quality?: number | undefined
  /** Of the PNG. Default 'fast'. */
  level?: 'stored' | 'fastest' | 'fast' | 'balanced' | 'small' | 'auto' | undefined
  /** Resolution in pixels per inch, up to 65535. 0, the default: none. */
  dpi?: number | undefined
}

export type EncodeOptions = CommonOptions & (PngOptions | Png8Options | JpegOptions | JpegpngOptions | WebpOptions | GifOptions | TiffOptions | BmpOptions)

// ---- what comes out ----------------------------------------------------------------------------

/** What the bytes are. */
export interface FormatInfo {
  /** Such as 'png'. */
  format: string
  /** Such as 'image/png'. */
  mediaType: string
  /** The level that was asked for; null where a format has none. */
  level: string | null
  /** The content coding. */
  coding: string
}

/** What became of an encode. Times are milliseconds, from the call on. */
export interface Report {
  /** Bytes delivered. */
  bytes: number
  /** Chunks delivered. */
  chunks: number
  /** Until the first chunk was delivered; null if there was none. */
  firstByteMs: number | null
  /** Computing. */
  encodeMs: number
  /** Waiting for the consumer. */
  pausedMs: number
  /** Waiting for a processor: other encodes came first. */
  queuedMs: number
  /** Waiting for parts. */
  waitMs: number
  /** Until the end. */
  totalMs: number
  /** Whether any chunk was delivered. */
  committed: boolean
  /** Whether the consumer gave up: abort(), a signal, destroy(), a closed writable, a throw; or the error is an AbortError. */
  aborted: boolean
  /** null if the encode failed before it was known, like the next three. */
  coding: string | null
  format: string | null
  mediaType: string | null
  level: string | null
}

/** A running encodeChunked. All methods may be called at any time, also after the end. */
export interface Job {
  /** No chunk comes until resume(); an error does, at once. A paused job that nobody holds is aborted. */
  pause (): void
  resume (): void
  /** The callback gets an AbortError whose cause is the reason, soon; nothing happens after the last chunk. */
  abort (reason?: unknown): void
  /**
   * Takes backpressure from a writable, such as an HTTP response: while it is full the job is paused; when it closes, fails
   * (the cause of the AbortError is its error) or has ended, the job is aborted. The callback still does the writing; what it
   * returns counts no longer. One writable is followed at a time. Throws ERR_SLUICE_ARGUMENT for what is none, and then
   * changes nothing.
   */
  follow (writable: NodeJS.WritableStream | Writable): this
  /**
   * Settles after the last callback. Rejects with the error that the callback got, or what it threw. It is safe to ignore it.
   */
  readonly done: Promise<Report>
  /** What became of the encode, also of one that failed; null before done settles. */
  readonly report: Report | null
}

/**
 * Called for every chunk in order, several times per turn of the event loop. `last` is true once, for the last chunk. An
 * error comes once, with chunk null, and nothing after it. Returning exactly false pauses the job until resume(). A throw
 * aborts the job and is an uncaught exception. Chunks may share memory: copy what is to be kept for long or transferred.
 */
export type ChunkCallback = (error: Error | null, chunk: Buffer | null, last: boolean) => unknown

/**
 * Encodes into chunks of exactly chunkSize bytes; only the last may be shorter. The callback is never called from inside
 * this function. Throws ERR_SLUICE_ARGUMENT for wrong types and a chunkSize out of range; all other errors come through the
 * callback.
 */
export function encodeChunked (source: Source | Picture, options: EncodeOptions | undefined, callback: ChunkCallback): Job
/** The short form: default format and options. */
export function encodeChunked (source: Source | Picture, chunkSize: number, callback: ChunkCallback): Job

/**
 * Encodes into one Buffer, whose memory is at most 1.25 times its length. A pushed source settles it after end() or fail().
 * Rejects with every error, ERR_SLUICE_ARGUMENT too.
 */
export function encode (source: Source | Picture, options?: EncodeOptions): Promise<Buffer>

interface Encoding {
  /** What became of the encode; null before its end. */
  readonly report: Report | null
  /** 'format' comes once, before the first data. */
  on (event: 'format', listener: (info: FormatInfo) => void): this
  once (event: 'format', listener: (info: FormatInfo) => void): this
}

/** Chunks of at most chunkSize bytes. destroy() aborts the encode. */
export type EncodeStream = Encoding & Readable

/** Parts in (object mode), chunks of at most chunkSize bytes out. A part's bytes are borrowed until its write's callback. */
export type Encoder = Encoding & Duplex

/**
 * Encodes into a Readable. While it is not read, the encode waits. Chunks leave early while the reader waits for them.
 * Throws ERR_SLUICE_ARGUMENT for wrong types; other errors come as 'error'.
 */
export function encodeStream (source: Source | Picture, options?: EncodeOptions): EncodeStream

/** A Duplex around a source that parts are pushed into. Errors as for encodeStream. */
export function createEncoder<Part> (source: PushSource<Part>, options?: EncodeOptions): Encoder

// ---- HTTP ----------------------------------------------------------------------------------------

export { negotiate, respond, send } from './http'
export type { ErrorDocument, HttpOptions, HttpReport, HttpRequest, HttpResponse, Negotiated, NegotiateOptions, SendCoding, SendHeaders, SendOptions, Strategy } from './http'

// ---- the rest ----------------------------------------------------------------------------------

/** Live figures, over all encodes of this process. */
export interface Stats {
  /** Encodes that have not ended. */
  streams: number
  /** Of these, how many wait for their consumer. */
  parked: number
  /** Goroutines of the library. */
  goroutines: number
  /** Output buffers that encodes may write to. */
  slabs: number
  /** Bytes of Go's heap in use. */
  heapBytes: number
}

export function stats (): Promise<Stats>

/** Stable codes of errors. Aborts are Node's AbortError, with code ABORT_ERR. */
export type ErrorCode =
  /** A call of the wrong shape. */
  | 'ERR_SLUICE_ARGUMENT'
  /** No such format. */
  | 'ERR_SLUICE_FORMAT'
  /** An unknown option, or a bad value of one. */
  | 'ERR_SLUICE_OPTION'
  /** Data that is too short, detached or malformed. */
  | 'ERR_SLUICE_INPUT'
  /** Zero or absurd sizes. */
  | 'ERR_SLUICE_LIMIT'
  /** A bug in this library. */
  | 'ERR_SLUICE_INTERNAL'

/** The message says what was expected and what came. */
export class SluiceError extends Error {
  private constructor ()
  readonly name: 'SluiceError'
  readonly code: ErrorCode
}
