package deflate

import "math"

// lastSeen has the positions, modulo 64 Ki, at which a pixel and a run of pixels were seen last. A position may be stale
// or another pixel's: what lies there is compared.
type lastSeen struct{ pixel, run [1 << lastBits]uint16 }

const (
	lastBits = 13
	mix      = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: spreads what it multiplies over the upper bits
)

// pixel makes a copy of the greedy parser for each size. A size in a variable costs a fifth of the speed.
type pixel interface {
	[1]byte | [2]byte | [3]byte | [4]byte | [6]byte | [8]byte
}

// hashes returns the places of the pixel and the run of pixels with which the 8 bytes v begin.
func hashes[P pixel](v uint64) (one, run uint64) {
	pixelBytes, runBytes := 4, 8 // together with some neighbours when pixels are small
	switch len(*new(P)) {
	case 3:
		pixelBytes, runBytes = 3, 6
	case 4:
		pixelBytes = 3 // colour: translucent pixels may differ in alpha alone
	case 6:
		pixelBytes = 6
	}
	one = v << (64 - 8*pixelBytes) * mix >> (64 - lastBits)
	run = v << (64 - 8*runBytes) * mix >> (64 - lastBits)
	return one, run
}

// greedy takes the longest of four candidates at each pixel: the pixel to the left, the one above, the last place with
// the same pixel, and the last with the same run of pixels.
type greedy[P pixel] struct {
	rowBytes  int
	aboveFrom int // positions before it have no row above within the window
}

func (p *greedy[P]) begin(c *compressor) {
	pixelBytes := len(*new(P))
	p.aboveFrom = math.MaxInt
	if p.rowBytes <= windowSize {
		p.aboveFrom = c.low + p.rowBytes
	}
	c.last = lastSeen{}
	row := c.low - c.low%p.rowBytes
	for ; row < c.pos; row += p.rowBytes {
		for pos := row + 1; pos < min(row+p.rowBytes, c.pos-7); pos += pixelBytes {
			if pos >= c.low {
				one, run := hashes[P](c.text.load64(pos))
				c.last.pixel[one], c.last.run[run] = uint16(pos), uint16(pos)
			}
		}
	}
}

func (p *greedy[P]) parse(c *compressor, end int) {
	pixelBytes := len(*new(P))
	shortest := minMatch
	if pixelBytes < minMatch {
		shortest = 4 // as long as what is hashed
	}
	text, last := &c.text, &c.last
	rowBytes, aboveFrom, low := p.rowBytes, p.aboveFrom, c.low
	n, literals, pos := 0, c.pos, c.pos
	pos = max(pos, low+1+pixelBytes) // the first pixel has nothing to its left
	rowEnd := (pos + rowBytes - 1) / rowBytes * rowBytes
	for pos < end-8 && n < room {
		if pos >= rowEnd {
			pos = rowEnd + 1
			rowEnd += rowBytes
			continue
		}
		v := text.load64(pos)
		one, run := hashes[P](v)
		// Less one: distance 0 becomes too far.
		far, near := uint(uint16(pos)-last.run[run]-1), uint(uint16(pos)-last.pixel[one]-1)
		far, near = far&0xffff, near&0xffff
		last.run[run], last.pixel[one] = uint16(pos), uint16(pos)

		best, distance := text.begins(pos-pixelBytes, v), pixelBytes
		window := uint(min(pos-low, windowSize))
		if best < 8 {
			if near < window {
				if length := text.begins(pos-1-int(near), v); length > best {
					best, distance = length, int(near)+1
				}
			}
			if far < window {
				if length := text.begins(pos-1-int(far), v); length > best {
					best, distance = length, int(far)+1
				}
			}
			if pos >= aboveFrom {
				if length := text.begins(pos-rowBytes, v); length > best {
					best, distance = length, rowBytes
				}
			}
			if best < shortest {
				pos += pixelBytes
				continue
			}
		}
		if best < 8 {
			if pixelBytes == 3 {
				best -= best % 3
			}
			best = min(best, rowEnd-pos)
			if best < minMatch {
				pos = rowEnd
				continue
			}
			if pos-literals > maxLiterals {
				n = c.sequences.add(n, pos-literals, best, distance)
			} else {
				c.sequences.put(n, pos-literals, best, distance)
				n++
			}
			literals = pos + best
			pos += (best + pixelBytes - 1) / pixelBytes * pixelBytes
			continue
		}
		best, distance = p.longest(c, pos, end, distance, int(far)+1, int(window))
		best, rowEnd = trim(pos, best, rowEnd, rowBytes, pixelBytes)
		n = c.sequences.add(n, pos-literals, best, distance)
		pos += best
		literals = pos
	}
	c.finish(n, literals, pos, end)
}

// enough is the length of a run from which other candidates are not worth a look.
const enough = 48

// longest extends matches of 8 bytes and more: the one at distance, the one above, and the last run of pixels.
func (p *greedy[P]) longest(c *compressor, pos, end, distance, far, window int) (length, at int) {
	text, limit := &c.text, end-pos
	length = text.match(pos-distance, pos, limit)
	if distance == len(*new(P)) && length >= enough {
		return length, distance
	}
	if far <= window && far != distance {
		if n := text.match(pos-far, pos, limit); n > length {
			length, distance = n, far
		}
	}
	if pos >= p.aboveFrom && p.rowBytes != distance {
		if n := text.match(pos-p.rowBytes, pos, limit); n > length {
			length, distance = n, p.rowBytes
		}
	}
	return length, distance
}
