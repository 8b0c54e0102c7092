package deflate

import "math/bits"

// rle finds runs of one pixel, which are runs of zeros after a filter that predicted well. Other matches are rare in
// filtered photographs: Huffman codes alone do the work.
type rle struct{ pixelBytes int }

func (p *rle) begin(*compressor) {}

// minRun is the shortest run in bytes. Literals that form shorter ones are frequent, and have short codes.
const minRun = 8

func (p *rle) parse(c *compressor, end int) {
	text, n := &c.text, 0
	distance := p.pixelBytes
	literals, pos := c.pos, max(c.pos, c.low+distance)
	for pos < end-minRun && n < room {
		if x := text.load64(pos) ^ text.load64(pos-distance); x != 0 {
			pos += 8 - bits.LeadingZeros64(x)>>3 // no run of 8 begins before the last byte that differs
			continue
		}
		length := minRun + text.match(pos-distance+minRun, pos+minRun, end-pos-minRun)
		n = c.sequences.add(n, pos-literals, length, distance)
		pos += length
		literals = pos
	}
	c.finish(n, literals, pos, end)
}

// finish adds the literals that are left when a parser stops at pos, and moves c.pos to end, or to pos when sequences are full.
func (c *compressor) finish(n, literals, pos, end int) {
	if n < room {
		pos = end
	}
	if pos > literals {
		n = c.sequences.add(n, pos-literals, 0, 1)
	}
	c.sequences.n, c.pos = n, pos
}
