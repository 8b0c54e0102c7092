/**
 * The options of PNG with at most 256 colours. The best are searched for in the whole image, so a pushed one is kept until its
 * last row, unless palette is given.
 */
export interface Png8Options {
  /** As PNG's. Default 'fast'. */
  level?: 'stored' | 'fastest' | 'fast' | 'balanced' | 'small' | 'auto' | undefined
  /** As PNG's. Default false. */
  interlace?: boolean | undefined
  /** The most colours, 1 to 256. An image that has no more keeps them exactly. Default 256. */
  colors?: number | undefined
  /**
   * What becomes of alpha. 'full' keeps it; 'binary' makes a pixel opaque, from an alpha of 128 on, or wholly transparent;
   * 'none' blends all on background. Default 'full'.
   */
  transparency?: 'full' | 'binary' | 'none' | undefined
  /** '#rrggbb' or '#rgb': what is seen through pixels that lose their alpha. Default '#ffffff'. */
  background?: string | undefined
  /** How much of each pixel's error is spread over its neighbours, 0 to 1. 0.75 hides bands in photographs. Default 0. */
  dither?: number | undefined
  /** The colours to use, 1 to 256. A pushed image streams then. Default: the best that are found. */
  palette?: Uint8Array | undefined
  /** What palette is made of: 4 or 3 bytes a colour, or an Adobe colour table of 768 or 772 bytes. Default 'rgba'. */
  paletteFormat?: 'rgba' | 'rgb' | 'act' | undefined
  /** Above 1 dark colours get more of the palette, below 1 light ones; 0 to 100, 0 as 1. Default 1. */
  paletteGamma?: number | undefined
  /** As PNG's. */
  dpi?: number | undefined
  /** As PNG's. */
  srgb?: boolean | undefined
  /** As PNG's: it is written, and changes no colour. */
  gamma?: number | undefined
  /** As PNG's. */
  icc?: Uint8Array | undefined
  /** As PNG's. */
  text?: Record<string, string> | undefined
}
