// The options of the image formats beside PNG and JPEG. An unknown key or a bad value is ERR_SLUICE_OPTION, and comes as the
// encode's error.

/** Where an image lies: bbox, or origin and pixelSize. North is up. */
export interface Georeference {
  /** Outer borders: minx, miny, maxx, maxy, in units of the coordinate system, x to the east. */
  bbox?: [number, number, number, number] | undefined
  /** x and y of the outer corner of the top left pixel. */
  origin?: [number, number] | undefined
  /** Width and height of a pixel, above 0. */
  pixelSize?: [number, number] | undefined
  /** EPSG code of the coordinate system, up to 65535. Default: none is named. */
  epsg?: number | undefined
  /** What kind of system it is. 'auto': geographic for codes from 4000 to 4999, else projected. Default 'auto'. */
  model?: 'auto' | 'projected' | 'geographic' | undefined
}

/** The options of TIFF. */
export interface TiffOptions {
  /** 'none' streams; the others keep compressed strips until the last row, at most 1 GiB of pixels. Default 'deflate'. */
  compression?: 'none' | 'deflate' | 'lzw' | undefined
  /** What deflate spends on size. Default 'fast'. */
  level?: 'stored' | 'fast' | 'balanced' | 'small' | undefined
  /** 'horizontal' compresses differences of neighbours: for photographs. Default 'none'. */
  predictor?: 'none' | 'horizontal' | undefined
  /** Rows of a strip, up to 1048576. 0, the default: as many as 128 KB hold. */
  rowsPerStrip?: number | undefined
  /** Tiles instead of strips. Default false. */
  tiled?: boolean | undefined
  /** Pixels, a multiple of 16, up to 65536. 0, the default: 256. */
  tileWidth?: number | undefined
  /** Pixels, a multiple of 16, up to 65536. 0, the default: 256. */
  tileHeight?: number | undefined
  /** Keeps alpha; without, pixels of 8 bits a sample are blended on the background. Default true. */
  alpha?: boolean | undefined
  /** The colour, '#rrggbb' or '#rgb', behind translucent pixels without alpha. Default '#ffffff'. */
  background?: string | undefined
  /** Resolution in pixels per inch, up to 1,000,000. 0, the default: none. */
  dpi?: number | undefined
  /** Makes it a GeoTIFF. */
  geo?: Georeference | undefined
}

/** The options of BMP. */
export interface BmpOptions {
  /** Keeps alpha where pixels are not opaque; without, they are blended on the background. Default true. */
  alpha?: boolean | undefined
  /** The colour, '#rrggbb' or '#rgb', behind translucent pixels without alpha. Default '#ffffff'. */
  background?: string | undefined
  /** Resolution in pixels per inch, up to 1,000,000. 0, the default: none. */
  dpi?: number | undefined
}

/** The options of WebP, with libwebp's defaults. It gathers all rows before the first byte leaves; at most 16383 pixels each way. */
export interface WebpOptions {
  /** 0 to 100: what a lossy image keeps; a lossless one takes longer with more of it, and fewer bytes. Default 75. */
  quality?: number | undefined
  /** 0 to 6, from fast to small. Default 4. */
  method?: number | undefined
  /** Keeps every pixel that shows as it is. Default false. */
  lossless?: boolean | undefined
  /** 0 to 100: lossless pixels may change a little, more with less of it. Default 100: not at all. */
  nearLossless?: number | undefined
  /** Keeps the colours of transparent pixels, too. Default false. */
  exact?: boolean | undefined
  /** Keeps alpha; without, pixels are blended on the background. Default true. */
  alpha?: boolean | undefined
  /** The colour, '#rrggbb' or '#rgb', behind translucent pixels without alpha. Default '#ffffff'. */
  background?: string | undefined
  /** 0 to 100: what a lossy image keeps of alpha. Default 100: all. */
  alphaQuality?: number | undefined
  /** 0 to 2: alpha is not predicted, or fast, or best. Default 1. */
  alphaFiltering?: number | undefined
  /** Compresses alpha. Default true. */
  alphaCompression?: boolean | undefined
  /** What a lossless image shows. Default 'default'. */
  hint?: 'default' | 'picture' | 'photo' | 'graph' | undefined
  /** Bytes that a lossy image should have, with passes above 1. 0, the default: none. */
  targetSize?: number | undefined
  /** dB that a lossy image should reach, with passes above 1, up to 99. 0, the default: none. */
  targetPsnr?: number | undefined
  /** 1 to 10: how often codes are made anew for a target. Default 1. */
  passes?: number | undefined
  /** 1 to 4 parts of the image with a quality of their own. Default 4. */
  segments?: number | undefined
  /** 0 to 100: moves bytes to where loss shows. Default 50. */
  noiseShaping?: number | undefined
  /** 0 to 100: smooths the borders of blocks. Default 60. */
  filterStrength?: number | undefined
  /** 0 to 7. Default 0. */
  filterSharpness?: number | undefined
  /** Default 'strong'. */
  filterType?: 'simple' | 'strong' | undefined
  /** Chooses the filter's strength. Default false. */
  autofilter?: boolean | undefined
  /** Converts colours slowly, with sharper borders. Default false. */
  sharpYuv?: boolean | undefined
}

/** The options of GIF. A pushed image is kept until its last row, at most 1 GiB; at most 65535 pixels each way. */
export interface GifOptions {
  /** At most so many colours, 2 to 256, the transparent one included. Default 256. */
  colors?: number | undefined
  /** 'binary': alpha of at least 128 is opaque, other pixels are transparent; 'none': all are blended. Default 'binary'. */
  transparency?: 'binary' | 'none' | undefined
  /** The colour, '#rrggbb' or '#rgb', behind translucent pixels without transparency. Default '#ffffff'. */
  background?: string | undefined
  /** 0 to 1: the part of each pixel's error that is spread over its neighbours. Default 0. */
  dither?: number | undefined
}
