import sluice = require('sluice')
import patch = require('sluice/mapnik')

declare class Image {
  constructor (width: number, height: number)
  width (): number
  height (): number
  getType (): number
  premultiplied (): boolean
  buffer (): Buffer
  view (x: number, y: number, width: number, height: number): ImageView
}
declare class ImageView {
  width (): number
  height (): number
  isSolid (callback: (error: Error | null, solid: boolean) => void): void
}
declare const library: { Image: typeof Image, ImageView: typeof ImageView, version: string }
declare const palette: { toBuffer (): Buffer }

const mapnik = patch(library)
const image = new mapnik.Image(256, 256)
const callback: sluice.ChunkCallback = (error, chunk) => { if (error === null) chunk?.length.toFixed() }
const jobs: sluice.Job[] = [
  image.encodeChunked(4096, callback),
  image.encodeChunked('png', callback),
  image.encodeChunked('png', { level: 'small' }, callback),
  image.encodeChunked('png', { palette }, 4096, callback)
]
// @ts-expect-error a format is a string
image.encodeChunked({}, callback)
// @ts-expect-error no options without a format
image.encodeChunked({ level: 'small' }, 4096, callback)

const version: string = mapnik.version
const sources = [sluice.encode(image), sluice.encode(image.view(0, 0, 8, 8)), sluice.image(image)]

export { jobs, version, sources }
