package deflate

import (
	"math"
	"math/bits"
)

// chains link the positions with the same hash, the last one first. Positions are those in the data of a call, which is
// why a call has an upper limit.
type chains struct{ pixels, runs links }

type links struct {
	last     [1 << chainBits]uint32
	previous [windowSize]uint32 // by position modulo the window
}

const chainBits = 15

// insert puts pos in front of the chain of a hash.
func (l *links) insert(hash uint64, pos int) {
	hash &= 1<<chainBits - 1
	l.previous[pos&(windowSize-1)] = l.last[hash]
	l.last[hash] = uint32(pos)
}

// chain follows hash chains, at each pixel or at each byte.
type chain struct {
	effort
	step       int // from a position to the next: a pixel or a byte
	pixelBytes int
	rowBytes   int
	aboveFrom  int // positions before it have no row above within the window
	pixelShift uint
	runShift   uint
}

// effort is how much time a mode takes.
type effort struct {
	pixels, runs int  // how many candidates are looked at in either chain
	enough       int  // a match of so many bytes is taken at once
	lazy         bool // whether a better match at the next position is preferred
	perByte      int  // what a byte is worth: about the bits of its literal
	left, above  int  // what a match costs at these two distances. Other distances cost cost.
}

const cost = 10 // bits of a match, beside the logarithm of its distance

// choice is a match and what it saves.
type choice struct{ length, distance, worth int }

func (p *chain) begin(c *compressor) {
	if c.chains == nil {
		c.chains = new(chains)
	} else {
		clear(c.chains.pixels.last[:])
		clear(c.chains.runs.last[:])
	}
	p.aboveFrom = math.MaxInt
	if p.rowBytes <= windowSize {
		p.aboveFrom = c.low + p.rowBytes
	}
	p.insert(c, c.low, c.pos-8)
}

func (p *chain) hashes(v uint64) (pixel, run uint64) {
	return v << (p.pixelShift & 63) * mix >> (64 - chainBits), v << (p.runShift & 63) * mix >> (64 - chainBits)
}

// insert learns the positions from from to before to.
func (p *chain) insert(c *compressor, from, to int) {
	rowEnd := math.MaxInt
	if p.step > 1 {
		start := from - from%p.rowBytes
		rowEnd = start + p.rowBytes
		from = start + 1 + (max(0, from-start-1)+p.step-1)/p.step*p.step
	}
	for pos := from; pos < to; pos += p.step {
		if pos >= rowEnd {
			pos = rowEnd + 1 - p.step // the first pixel of the next row is next
			rowEnd += p.rowBytes
			continue
		}
		pixel, run := p.hashes(c.text.load64(pos))
		c.chains.pixels.insert(pixel, pos)
		c.chains.runs.insert(run, pos)
	}
}

// find returns the match at pos that is worth the most, and more than worth. Without one its length is 0.
func (p *chain) find(c *compressor, pos, end int, v uint64, worth int) (best choice) {
	best.worth = worth
	text := &c.text
	limit := end - pos
	pixel := v << (p.pixelShift & 63)
	if pos-p.pixelBytes >= c.low && (text.load64(pos-p.pixelBytes)<<(p.pixelShift&63)) == pixel {
		n := text.match(pos-p.pixelBytes, pos, limit)
		if w := n*p.perByte - p.left; w > best.worth {
			best = choice{n, p.pixelBytes, w}
		}
		if n >= p.enough {
			return best
		}
	}
	if pos >= p.aboveFrom && (text.load64(pos-p.rowBytes)<<(p.pixelShift&63)) == pixel {
		n := text.match(pos-p.rowBytes, pos, limit)
		if w := n*p.perByte - p.above; w > best.worth {
			best = choice{n, p.rowBytes, w}
		}
		if n >= p.enough {
			return best
		}
	}
	low := max(c.low, pos-windowSize)
	hash, run := p.hashes(v)
	if best.length < 2*p.pixelBytes {
		at := int(c.chains.pixels.last[hash&(1<<chainBits-1)])
		for n := p.pixels; n > 0 && at > low; n-- {
			if text.load64(at)<<(p.pixelShift&63) == pixel {
				p.consider(text, at, pos, limit, &best)
			}
			at = int(c.chains.pixels.previous[at&(windowSize-1)])
		}
	}
	at := int(c.chains.runs.last[run&(1<<chainBits-1)])
	runOf := v << (p.runShift & 63)
	for n := p.runs; n > 0 && at > low; n-- {
		if text.byte(at+best.length) == text.byte(pos+best.length) && text.load64(at)<<(p.runShift&63) == runOf {
			p.consider(text, at, pos, limit, &best)
			if best.length >= p.enough {
				break
			}
		}
		at = int(c.chains.runs.previous[at&(windowSize-1)])
	}
	return best
}

func (p *chain) consider(text *ring, at, pos, limit int, best *choice) {
	n := text.match(at, pos, limit)
	if w := n*p.perByte - cost - bits.Len(uint(pos-at)); w > best.worth {
		*best = choice{n, pos - at, w}
	}
}

func (p *chain) parse(c *compressor, end int) {
	text := &c.text
	n, literals, pos := 0, c.pos, c.pos
	rowEnd := math.MaxInt
	if p.step > 1 {
		rowEnd = (pos + p.rowBytes - 1) / p.rowBytes * p.rowBytes
	}
	learned := pos // positions before it are in the chains
	for pos < end-8 && n < room {
		if pos >= rowEnd {
			pos = rowEnd + 1
			rowEnd += p.rowBytes
			learned = pos
			continue
		}
		v := text.load64(pos)
		best := p.find(c, pos, end, v, 0)
		if learned <= pos {
			p.learn(c, pos, v)
			learned = pos + p.step
		}
		if best.length < minMatch {
			pos += p.step
			continue
		}
		for p.lazy && best.length < p.enough && pos+p.step < min(rowEnd, end-8) {
			v := text.load64(pos + p.step)
			next := p.find(c, pos+p.step, end, v, best.worth)
			if next.length < minMatch {
				break
			}
			pos += p.step
			best = next
			p.learn(c, pos, v)
			learned = pos + p.step
		}
		length := best.length
		if p.step > 1 {
			length, rowEnd = trim(pos, length, rowEnd, p.rowBytes, p.pixelBytes)
		}
		n = c.sequences.add(n, pos-literals, length, best.distance)
		pos += length
		literals = pos
		if length > longRun {
			p.insert(c, learned, learned+longRun/16)
			learned = max(learned, pos-longRun/16)
		}
		p.insert(c, learned, min(pos, end-8))
		learned = pos
	}
	c.finish(n, literals, pos, end)
}

// longRun is the length of a match of which only the ends are learned: what is within repeats itself.
const longRun = 1024

func (p *chain) learn(c *compressor, pos int, v uint64) {
	pixel, run := p.hashes(v)
	c.chains.pixels.insert(pixel, pos)
	c.chains.runs.insert(run, pos)
}
