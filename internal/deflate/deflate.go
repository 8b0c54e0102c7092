// Package deflate compresses filtered image rows (RFC 1951). General compressors know nothing of pixels: on rendered maps
// this one is smaller and several times faster, because it looks where a pixel repeats, to the left, above and at the last
// same pixels, and never between pixels.
package deflate

import "github.com/sluice-js/sluice/internal/pool"

// Mode says how matches are found.
type Mode uint8

const (
	Stored   Mode = iota // no compression: runs at the speed of memory
	RLE                  // runs of one pixel, and Huffman codes: for photographs after the Paeth filter
	Greedy               // the longest of four candidates at each pixel: for maps
	Balanced             // short hash chains, pixel by pixel: for maps
	Overlay              // short hash chains, byte by byte: for antialiased shapes on transparency, where pixels repeat in part
	Lazy                 // longer chains, byte by byte: for everything
	Thorough             // as Lazy, with four times its patience

	modes = iota
)

// Geometry is the layout of the rows. A wrong one costs bytes, but the output is valid all the same.
type Geometry struct {
	PixelBytes int // from a byte to the same byte of the next pixel: 1 (also when a byte holds several pixels), 2, 3, 4, 6 or 8
	RowBytes   int // from a row to the next: the filter type and the pixels
}

// Compress appends data[dictionary:] to dst as deflate blocks, which may refer to the last 32 KB of data[:dictionary].
// data begins with the first byte of a row. The blocks end at a byte boundary: by an empty stored block (a sync flush), or
// because they end the deflate stream when final. They are never larger than the input by more than 0.1 % + 64 bytes.
//
// Several goroutines may call it. An idle compressor keeps 570 KB, and 520 KB more once it had to follow hash chains. Nothing
// else is allocated but room in dst and a few words.
func Compress(dst, data []byte, dictionary int, m Mode, g Geometry, final bool) []byte {
	if m == Stored {
		return store(dst, data[dictionary:], final)
	}
	for len(data)-dictionary > maxCall {
		dst = Compress(dst, data[:dictionary+maxCall], dictionary, m, g, false)
		from := dictionary + maxCall - windowSize
		if g.RowBytes > 0 {
			from -= from % g.RowBytes
		}
		dictionary += maxCall - from
		data = data[from:]
	}
	c := compressors.Get()
	dst = c.compress(dst, data, dictionary, parserOf(m, g), final)
	compressors.Put(c)
	return dst
}

// maxCall is how much of data is compressed at a time: hash chains hold positions of 32 bits.
var maxCall = 1 << 30

var compressors = pool.New[compressor]()

// compressor is what a call of Compress works with. Nothing in it outlives the call but the memory.
type compressor struct {
	text      ring
	pos       int // sequences reach up to here
	low       int // the first byte that a match may refer to
	sequences sequences
	block     block
	last      lastSeen
	chains    *chains // nil until a mode needs them
}

// parser finds sequences for the text from c.pos to end, and moves c.pos behind what they stand for. It may stop before end
// when sequences are full. begin is called once, before the first parse, and learns c.text from c.low to c.pos.
type parser interface {
	begin(c *compressor)
	parse(c *compressor, end int)
}

// maxBlock is the most bytes in a block, beside which a window must stay in the ring.
const maxBlock = ringSize - windowSize

func (c *compressor) compress(dst, data []byte, dictionary int, p parser, final bool) []byte {
	c.low = max(0, dictionary-windowSize)
	c.pos = dictionary
	c.text.fill(c.low, data[c.low:dictionary])
	p.begin(c)
	for filled := dictionary; c.pos < len(data); {
		rest := len(data) - c.pos
		blocks := (rest + maxBlock - 1) / maxBlock
		end := c.pos + (rest+blocks-1)/blocks // blocks of one size are smaller than a large and a tiny one
		if filled < end {
			c.text.fill(filled, data[filled:end])
			filled = end
		}
		start := c.pos
		c.sequences.n = 0
		p.parse(c, end)
		dst = c.block.append(dst, &c.text, start, data[start:c.pos], &c.sequences, final && c.pos == len(data))
	}
	return c.block.flush(dst, final, dictionary == len(data))
}
