// Compiled, not run: what a user may write, and what the types must refuse.
import { createServer } from 'node:http'
import { createServer as createServer2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { arrow, bytes, createEncoder, encode, encodeChunked, encodeStream, image, negotiate, negotiateArrow, respond, send, SluiceError, stats } from 'sluice'
import * as sluice from 'sluice'
import type { ArrowDescription, BmpOptions, Bytes, BytesDescription, Coding, EncodeOptions, ErrorCode, FormatInfo, GifOptions, HttpReport, ImageDescription, Job, JpegOptions, Negotiated, SendOptions, Pixels, PixelFormat, Png8Options, PngOptions, PushSource, Report, Source, Stats, Strip, TiffOptions, WebpOptions } from 'sluice'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
function same<A, B> (_equal: Equal<A, B>): void {}

const pixels: Pixels = { data: new Uint8Array(16), width: 2, height: 2 }
const clamped: Pixels = { data: new Uint8ClampedArray(16), width: 2, height: 2, pixelFormat: 'bgra', stride: 8, premultiplied: true }
const record = { data: Buffer.alloc(16), width: 2, height: 2, name: 'a user\'s own key' }

// ---- sources
const whole = image(pixels)
same<typeof whole, Source>(true)
image(record)
const pushed = image({ width: 2, height: 2, opaque: true, gray: false })
same<typeof pushed, PushSource<Strip>>(true)
const settled: Promise<void> = pushed.write(new Uint8Array(8))
pushed.write(clamped)
pushed.end()
pushed.fail(new Error('no more'))
pushed.fail()
const format: PixelFormat = 'gray16'
const description: ImageDescription = { width: 2, height: 2, pixelFormat: format, stride: undefined } as ImageDescription
image(description)
// @ts-expect-error a whole image has no write
whole.write(new Uint8Array(8))
// @ts-expect-error width is missing
image({ height: 2 })
// @ts-expect-error not bytes
image({ data: new Float32Array(16), width: 2, height: 2 })
// @ts-expect-error no such pixel format
image({ width: 2, height: 2, pixelFormat: 'argb' })
// @ts-expect-error not rows
pushed.write('row')
// @ts-expect-error a source is not made by hand
encode({ write () {}, end () {}, fail () {} })

const description2: BytesDescription = { type: 'text/csv' }
const text = bytes(description2)
same<typeof text, PushSource<Bytes>>(true)
bytes().write('text')
bytes({}).write(new Uint8Array(8))
const table = arrow({ codec: 'zstd', level: 3 })
same<typeof table, PushSource<Uint8Array | Uint8ClampedArray>>(true)
table.write(Buffer.alloc(8))
const description3: ArrowDescription = { codec: undefined }
createEncoder(arrow(description3), { format: 'arrow' })
const negotiated = negotiateArrow(new Request('http://localhost'), { codecs: ['lz4'] })
if (negotiated !== null) arrow({ codec: negotiated.codec }).end()
createServer((request, response) => { response.setHeaders(new Map(Object.entries(negotiateArrow(request)?.headers ?? {}))) })
// @ts-expect-error no such codec
arrow({ codec: 'gzip' })
// @ts-expect-error not bytes
arrow().write('text')
// @ts-expect-error none is no codec to choose from
negotiateArrow({ headers: {} }, { codecs: ['none'] })
createEncoder(bytes({ type: undefined }), { chunkSize: 4096 }).write('text')
// @ts-expect-error not bytes
text.write({ data: pixels.data })
// @ts-expect-error a type is text
bytes({ type: 5 })

// ---- encodeChunked
const job: Job = encodeChunked(pixels, 4096, (error, chunk, last) => {
  if (error) return console.error(error.message)
  same<typeof chunk, Buffer | null>(true)
  same<typeof last, boolean>(true)
  return chunk?.length === 4096
})
encodeChunked(whole, { format: 'png', level: 'fast', reduce: false, chunkSize: 256, coding: 'identity', copy: true, signal: AbortSignal.timeout(1) }, () => {})
const jpeg: JpegOptions = { quality: 85, subsampling: '4:4:4', optimize: true, restart: 4, background: '#f2efe9', dpi: 300, icc: new Uint8Array(128), progressive: false }
encodeChunked(whole, { format: 'image/jpeg', ...jpeg }, () => {})
// @ts-expect-error no such subsampling
encodeChunked(pixels, { format: 'jpeg', subsampling: '4:2:2' }, () => {})
// @ts-expect-error quality is a number
encodeChunked(pixels, { format: 'jpeg', quality: '85' }, () => {})
encodeChunked(record, { format: 'image/png' }, (error: Error | null, chunk: Buffer | null, last: boolean) => error === null && chunk !== null && last)
encode(whole, { format: 'image/png; mode=24bit', color: 'rgb', background: '#fff' })
encode(whole, { format: 'tiff:compression=none', tiled: true, tileWidth: 512, geo: { bbox: [5, 50, 6, 51], epsg: 4326 } })
encode(whole, { format: 'bmp', alpha: false, dpi: 96 })
// @ts-expect-error three numbers are no bbox
encode(whole, { format: 'tiff', geo: { bbox: [5, 50, 6] } })
const tiff: TiffOptions = {
  compression: 'lzw', level: 'small', predictor: 'horizontal', rowsPerStrip: 16, tiled: true, tileWidth: 256, tileHeight: 128, alpha: false, background: '#fff', dpi: 300,
  geo: { origin: [500000, 5500000], pixelSize: [10, 10], epsg: 32632, model: 'projected' }
}
encode(whole, { format: 'tiff', ...tiff })
// @ts-expect-error no such compression
encode(whole, { format: 'tiff', compression: 'jpeg' })
// @ts-expect-error an EPSG code is a number
encode(whole, { format: 'tiff', geo: { bbox: [5, 50, 6, 51], epsg: 'EPSG:4326' } })
const webp: WebpOptions = {
  quality: 80.5, method: 6, lossless: true, nearLossless: 60, exact: true, alpha: true, background: undefined, alphaQuality: 90, alphaFiltering: 2, alphaCompression: false, hint: 'graph',
  targetSize: 20000, targetPsnr: 42, passes: 3, segments: 2, noiseShaping: 10, filterStrength: 20, filterSharpness: 3, filterType: 'simple', autofilter: true, sharpYuv: true
}
encode(whole, { format: 'image/webp', ...webp, chunkSize: 4096 })
// @ts-expect-error no such hint
encode(whole, { format: 'webp', hint: 'map' })
// @ts-expect-error lossless is a boolean
encode(whole, { format: 'webp', lossless: 1 })
const gif: GifOptions = { colors: 64, transparency: 'none', background: '#f2efe9', dither: 0.5 }
encode(whole, { format: 'gif', ...gif })
// @ts-expect-error GIF knows no translucent pixels
const translucent: GifOptions = { transparency: 'full' }
// @ts-expect-error the number of colours is a number
encode(whole, { format: 'gif', colors: '64' })
const bmp: BmpOptions = { alpha: true, background: '#fff', dpi: 96 }
encode(whole, { format: 'bmp', ...bmp })
// @ts-expect-error alpha is a boolean
encode(whole, { format: 'bmp', alpha: 'keep' })
createServer((_request, response) => {
  const { done } = encodeChunked(pushed, {}, (error, chunk, last) => {
    if (error) response.destroy(error)
    else if (last) response.end(chunk)
    else response.write(chunk)
  }).follow(response)
  same<typeof done, Promise<Report>>(true)
})
createServer2((_request, response) => { job.follow(response) })
job.pause()
job.resume()
job.abort()
job.abort('reason')
same<typeof job.report, Report | null>(true)
encodeChunked(pixels, undefined, () => {})
// @ts-expect-error done is not to be assigned
job.done = Promise.resolve()
// @ts-expect-error not a writable
job.follow({})
// @ts-expect-error no callback
encodeChunked(pixels, 4096)
// @ts-expect-error chunkSize is a number
encodeChunked(pixels, '4096', () => {})
// @ts-expect-error no such level
encodeChunked(pixels, { level: 'hgih' }, () => {})
// @ts-expect-error no such option
encodeChunked(pixels, { levl: 'fast' }, () => {})
encodeChunked(text, { coding: 'zstd' satisfies Coding }, () => {})
// @ts-expect-error br is for send() alone
encodeChunked(pixels, { coding: 'br' }, () => {})
// @ts-expect-error not an AbortSignal
encodeChunked(pixels, { signal: new AbortController() }, () => {})

// ---- the other shapes
const options: EncodeOptions = { format: 'png' as string, level: undefined }
const png: PngOptions = { level: 'stored', reduce: true }
const png8: Png8Options = { colors: 64, transparency: 'binary', background: '#fff', dither: 0.75, palette: new Uint8Array(768), paletteFormat: 'act', paletteGamma: 2, gamma: 2.2 }
encode(pixels, { format: 'png8', ...png8, chunkSize: 256 })
encodeStream(pixels, { format: 'png8', colors: 16 })
// @ts-expect-error a palette is bytes
encode(pixels, { format: 'png8', palette: ['#fff'] })
// @ts-expect-error no such transparency
encode(pixels, { format: 'png8', transparency: 'some' })
const buffer: Promise<Buffer> = encode(pixels)
encode(pushed, { ...options, ...png })
// @ts-expect-error a source is needed
encode()

const readable = encodeStream(whole, options)
readable.once('format', info => { same<typeof info, FormatInfo>(true) })
readable.on('data', (chunk: Buffer) => chunk.length)
same<typeof readable.report, Report | null>(true)
const writable = createServer().listen(0)
same<ReturnType<typeof writable.address>, string | AddressInfo | null>(true)
pipeline(encodeStream(clamped), process.stdout)
async function iterate (): Promise<void> {
  for await (const chunk of encodeStream(pixels)) (chunk as Buffer).toString('latin1')
}

const encoder = createEncoder(image({ width: 2, height: 2 }), { chunkSize: 1024 })
encoder.on('format', ({ mediaType, level }) => mediaType + (level ?? ''))
encoder.write(new Uint8Array(8), () => {})
encoder.end()
encoder.destroy()
// @ts-expect-error only for sources that parts are pushed into
createEncoder(whole)
// @ts-expect-error only for sources that parts are pushed into
createEncoder(pixels)

// ---- HTTP
const wishes: SendOptions = {
  status: 200, headers: { 'cache-control': 'no-cache', etag: undefined, 'content-length': 5 }, strategy: 'speed', partialSize: 1024, coding: 'br', format: 'png', level: 'fast',
  onError: error => ({ status: 500, body: error.message }), onReport: report => { same<typeof report, HttpReport>(true) }
}
createServer((request, response) => {
  const sent = send(request, response, pixels, wishes)
  same<typeof sent, Promise<HttpReport>>(true)
  const chosen = negotiate(request, { type: 'text/csv', codings: ['gzip'] })
  same<typeof chosen, Negotiated | null>(true)
})
createServer2((request, response) => { send(request, response, whole).then(report => report.error?.message ?? report.status) })
async function answer (request: Request): Promise<Response> {
  negotiate(request)
  return respond(request, bytes(), { headers: new Headers(), onError: async () => ({ body: new Uint8Array(4) }) })
}
// @ts-expect-error no such strategy
send(null!, null!, pixels, { strategy: 'fast' })
// @ts-expect-error no Web response
send(new Request('http://localhost'), new Response(), pixels)

// ---- the rest
async function figures (): Promise<number> {
  const all = await stats()
  same<typeof all, Stats>(true)
  return all.streams + all.parked + all.goroutines + all.slabs + all.heapBytes
}
function isOurs (error: unknown): ErrorCode | undefined {
  return error instanceof SluiceError ? error.code : undefined
}
// @ts-expect-error made by sluice alone
const made = new SluiceError('ERR_SLUICE_INPUT', 'no')
// @ts-expect-error all exports are named
const none = sluice.default
same<typeof sluice.encode, typeof encode>(true)

export { answer, settled, buffer, iterate, figures, isOurs, made, none, translucent }

// ---- features
import { batches, features, fromArrow } from 'sluice'
import type { Columns, FeatureBatch } from 'sluice'
import { tableFromArrays } from 'apache-arrow'

const places: Columns = { pop: 'int32', name: 'utf8', at: 'timestamp[us]', also: { type: 'timestamp', unit: 'ns' } }
const wfs = features({ format: 'gml32', typeName: 't:place', columns: places, axisOrder: 'yx', bbox: [0, 0, 1, 1], numberMatched: 'unknown', timeStamp: new Date() })
same<typeof wfs, PushSource<FeatureBatch>>(true)
wfs.write({ geometry: { x: new Float64Array(1), y: new Float64Array(1) }, columns: { pop: new Int32Array(1), name: { offsets: new Int32Array(2), data: new Uint8Array(1) }, at: null, also: { values: new BigInt64Array(1), validity: new Uint8Array(1), bitOffset: 3 } } })
wfs.write({ geometry: { type: 'polygon', coords: new Float64Array(8), offsets: [new Int32Array(2), new Int32Array(2)] } })
wfs.write({ geometry: { wkb: { offsets: new BigInt64Array(2), data: Buffer.alloc(21) } }, length: 1 })
async function pushRows (): Promise<void> {
  for await (const batch of batches([{ pop: 1 }], places, { size: 10, geometry: null })) await wfs.write(batch)
  const parts = fromArrow(tableFromArrays({ pop: new Int32Array(1) }), { columns: ['pop'] })
  for (const part of parts) await features({ format: 'geojson', columns: parts.columns }).write(part)
}
// @ts-expect-error no such type
features({ columns: { a: 'int33' } })
// @ts-expect-error no such key
features({ colour: 'red' })
// @ts-expect-error not a typed array
wfs.write({ columns: { pop: [1] } })
export { pushRows }
