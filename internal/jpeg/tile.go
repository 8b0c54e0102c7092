package jpeg

const (
	spanWidth = 128               // pixels of a row that are worked on at once
	maxBlocks = spanWidth / 8 * 3 // of a span; the same for 4:2:0 and 4:4:4
)

// tile is what the kernels work on: the samples of one span of an MCU row and the blocks that they become. It stays in the
// first two levels of cache.
type tile struct {
	y      [16 * spanWidth]int16 // samples less 128, row after row of spanWidth
	cb, cr [8 * spanWidth]int16  // row after row of spanWidth, or half of it in 4:2:0
	cs     [4][spanWidth]int16   // chroma of two rows before it is averaged
	ws     [8][32]int16          // between rows and columns of a transform
	blocks
	syms [maxBlocks*65 + 64]uint16 // symbols of a span; room for a vector behind the last
}

// blocks are quantised 8x8 blocks, ready for entropy coding.
type blocks struct {
	z    [maxBlocks][64]int8 // in zigzag order; the first is meaningless, see dc
	mask [maxBlocks]uint64   // bit k says that z[k] is not zero; bit 0 is clear
	dc   [maxBlocks]int16
	wide [maxBlocks]bool // an AC coefficient does not fit int8: they are in all
	_    [48]byte        // keeps what follows aligned
	all  [maxBlocks][64]int16
}

// dummy makes block i one that lies outside the image: nothing but the DC of the block before (as libjpeg does).
func (b *blocks) dummy(i int, dc int16) { b.mask[i], b.dc[i], b.wide[i] = 0, dc, false }

// rows are the pixels of a span: RGBA or BGRA, or one byte of grey.
type rows [16][]byte

// kernels are the loops that have twins for vectors of several widths. All give the same results.
type kernels struct {
	name  string
	align int // what the width of a span is rounded up to, pixels

	// color420 and color444 turn pixels of 4 bytes into samples, 16 rows or 8. blue says that the first byte is blue. They
	// report whether the fourth byte, which does not count, is 255 everywhere.
	color420 func(t *tile, r *rows, width int, blue bool) (opaque bool)
	color444 func(t *tile, r *rows, width int, blue bool) (opaque bool)
	// gray turns 8 rows of bytes into samples.
	gray func(t *tile, r *rows, width int)
	// transform makes blocks of pairs of neighbours in src: pair p becomes blocks base+p*step and base+p*step+in.
	transform func(t *tile, src []int16, stride, pairs, base, in, step int, q *quantizer)
	// code writes the first n blocks, which are MCUs of the layout.
	code func(w *bitWriter, t *tile, n int, l *layout, c *codes, before *predictors)
}

// predictors are the DC coefficients that the next differences are against, by component.
type predictors [3]int32

// layout is how an image is cut into minimum coded units.
type layout struct {
	name       string
	components int
	size       int      // of an MCU, pixels either way
	blocks     int      // in an MCU
	component  [6]uint8 // of each of them
}

var (
	layout420  = &layout{"4:2:0", 3, 16, 6, [6]uint8{0, 0, 0, 0, 1, 2}}
	layout444  = &layout{"4:4:4", 3, 8, 3, [6]uint8{0, 1, 2}}
	layoutGray = &layout{"grey", 1, 8, 1, [6]uint8{0}}
)

// perSpan returns how many MCUs a span holds.
func (l *layout) perSpan() int { return spanWidth / l.size }
