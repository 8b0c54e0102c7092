package deflate

import (
	"encoding/binary"
	"math"
)

// Block types (RFC 1951, 3.2.3).
const (
	storedBlock  = 0
	fixedBlock   = 1
	dynamicBlock = 2
)

// literalLimit is less than the 15 bits that deflate allows: four literals fit into the bit writer at once.
const literalLimit = 14

// block writes one block after another. It has no state between them but the bits that do not fill a byte.
type block struct {
	w         bitWriter
	builder   builder
	counts    counts
	literals  code // and lengths
	distances code
	header    header
	lengths   [maxMatch + 1]uint64 // code and extra bits of every length, and their number from bit 32 on
}

// counts are the frequencies of symbols in a block.
type counts struct {
	literals  [288]uint32 // and lengths
	distances [32]uint32
	lanes     [4][256]uint32 // literals, by turns: an increment need not wait for the one before
}

// append adds a block for raw, which lies at start in the ring, to dst.
func (b *block) append(dst []byte, text *ring, start int, raw []byte, s *sequences, final bool) []byte {
	sequences := s.all[:s.n]
	b.counts.count(text, start, sequences)
	b.builder.build(&b.literals, b.counts.literals[:literalSymbols], literalLimit)
	b.builder.build(&b.distances, b.counts.distances[:distanceSymbols], 15)
	b.header.make(&b.builder, &b.literals, &b.distances)

	body, extra := b.counts.bits(&b.literals, &b.distances)
	kind, size := dynamicBlock, b.header.bits()+body+extra
	if fixed, _ := b.counts.bits(&fixedLiterals, &fixedDistances); fixed+extra <= size {
		kind, size = fixedBlock, fixed+extra
	}
	b.w.out, b.w.n = dst[:cap(dst)], len(dst)
	if stored := 8 * storedBytes(len(raw)); stored <= size {
		b.w.grow(stored/8 + 8)
		b.store(raw, final)
		return b.take()
	}
	b.w.grow(size/8 + 8)
	b.w.put(uint64(boolBit(final)|kind<<1), 3)
	if kind == dynamicBlock {
		b.header.write(&b.w)
		b.body(text, start, sequences, &b.literals, &b.distances)
	} else {
		b.body(text, start, sequences, &fixedLiterals, &fixedDistances)
	}
	return b.take()
}

// take returns dst with what was written, and forgets it.
func (b *block) take() []byte {
	dst := b.w.out[:b.w.n]
	b.w.out = nil
	return dst
}

// flush ends the output at a byte boundary. empty says that there was nothing to compress.
func (b *block) flush(dst []byte, final, empty bool) []byte {
	b.w.out, b.w.n = dst[:cap(dst)], len(dst)
	b.w.grow(8)
	switch {
	case !final:
		b.store(nil, false)
	case empty:
		b.store(nil, true)
	default:
		b.w.align()
	}
	return b.take()
}

func boolBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// count fills c. text has the sequences' bytes from pos on.
func (c *counts) count(text *ring, pos int, sequences []sequence) {
	*c = counts{}
	for _, s := range sequences {
		n := s.literals()
		for ; n >= 4; n -= 4 {
			v := text.load32(pos)
			c.lanes[0][v&0xff]++
			c.lanes[1][v>>8&0xff]++
			c.lanes[2][v>>16&0xff]++
			c.lanes[3][v>>24]++
			pos += 4
		}
		for ; n > 0; n-- {
			c.lanes[n&3][text.byte(pos)]++
			pos++
		}
		length := s.length()
		if length == 0 {
			continue
		}
		pos += length
		matches := uint32(1)
		if length > maxMatch {
			whole, half, rest := cut(length)
			c.literals[firstLength+int(lengthSymbols[maxMatch])] += uint32(whole)
			c.literals[firstLength+int(lengthSymbols[halfMatch])] += uint32(half)
			matches += uint32(whole + half)
			length = rest
		}
		c.literals[firstLength+int(lengthSymbols[length])]++
		c.distances[s.distanceSymbol()&31] += matches
	}
	for i := range 256 {
		c.literals[i] = c.lanes[0][i] + c.lanes[1][i] + c.lanes[2][i] + c.lanes[3][i]
	}
	c.literals[endOfBlock] = 1
}

const halfMatch = 130

// cut divides a length over maxMatch into as many matches of maxMatch as possible, a half where the rest would otherwise
// be too long, and a rest of at least minMatch.
func cut(length int) (whole, half, rest int) {
	whole = (length - minMatch) / maxMatch
	rest = length - whole*maxMatch
	if rest > maxMatch { // 259 or 260: less a whole match, it would be too short
		return whole, 1, rest - halfMatch
	}
	return whole, 0, rest
}

// bits returns what the symbols take with codes, and their extra bits. A symbol without a code makes it impossibly much.
func (c *counts) bits(literals, distances *code) (body, extra int) {
	for symbol, n := range c.literals[:literalSymbols] {
		body += int(n) * literals.bits(symbol)
	}
	for symbol, n := range c.distances[:distanceSymbols] {
		body += int(n) * distances.bits(symbol)
	}
	for i, n := range lengthExtra {
		extra += int(c.literals[firstLength+i]) * int(n)
	}
	for i, n := range distanceExtra {
		extra += int(c.distances[i]) * int(n)
	}
	return body, extra
}

// body writes sequences, and the end of the block. Every store is preceded by at most 7+56 bits.
func (b *block) body(text *ring, pos int, sequences []sequence, literals, distances *code) {
	for length := minMatch; length <= maxMatch; length++ {
		s := lengthSymbols[length]
		c := literals[firstLength+int(s)]
		n := c >> 16
		extra := uint32(length) - uint32(lengthBase[s])
		b.lengths[length] = uint64(c&0xffff|extra<<n) | uint64(n+uint32(lengthExtra[s]))<<32
	}
	// A distance's code, its bits, all bits with the extra ones from bit 24, and the base from bit 32 on.
	var far [32]uint64
	for s, extra := range distanceExtra {
		c := distances[s]
		far[s] = uint64(c|(c>>16+uint32(extra))<<24) | uint64(distanceBase[s])<<32
	}
	out, n, acc, bits := b.w.out, b.w.n, b.w.acc, b.w.bits
	for _, s := range sequences {
		run := s.literals()
		for ; run >= 4; run -= 4 {
			v := text.load32(pos)
			c0, c1, c2, c3 := literals[v&0xff], literals[v>>8&0xff], literals[v>>16&0xff], literals[v>>24]
			n0, n1, n2 := c0>>16, c1>>16, c2>>16
			lo := uint64(c0&0xffff) | uint64(c1&0xffff)<<(n0&63)
			hi := uint64(c2&0xffff) | uint64(c3&0xffff)<<(n2&63)
			acc |= (lo | hi<<((n0+n1)&63)) << (bits & 63)
			bits += uint(n0 + n1 + n2 + c3>>16)
			binary.LittleEndian.PutUint64(out[n:n+8:len(out)], acc)
			n += int(bits >> 3)
			acc >>= bits &^ 7 & 63
			bits &= 7
			pos += 4
		}
		if run > 0 {
			for ; run > 0; run-- {
				c := literals[text.byte(pos)]
				acc |= uint64(c&0xffff) << (bits & 63)
				bits += uint(c >> 16)
				pos++
			}
			binary.LittleEndian.PutUint64(out[n:n+8:len(out)], acc)
			n += int(bits >> 3)
			acc >>= bits &^ 7 & 63
			bits &= 7
		}
		length := s.length()
		if length == 0 {
			continue
		}
		pos += length
		d := far[s.distanceSymbol()&31]
		distance := d&0xffff | (s.distance()-d>>32)<<(d>>16&0xff&63)
		distanceBits := uint(d >> 24 & 0xff)
		if length > maxMatch {
			whole, half, rest := cut(length)
			for ; whole+half > 0; whole-- {
				l := b.lengths[maxMatch]
				if whole == 0 {
					l, half = b.lengths[halfMatch], 0
				}
				acc |= (l&math.MaxUint32 | distance<<(l>>32&63)) << (bits & 63)
				bits += uint(l>>32) + distanceBits
				binary.LittleEndian.PutUint64(out[n:n+8:len(out)], acc)
				n += int(bits >> 3)
				acc >>= bits &^ 7 & 63
				bits &= 7
			}
			length = rest
		}
		l := b.lengths[length]
		acc |= (l&math.MaxUint32 | distance<<(l>>32&63)) << (bits & 63)
		bits += uint(l>>32) + distanceBits
		binary.LittleEndian.PutUint64(out[n:n+8:len(out)], acc)
		n += int(bits >> 3)
		acc >>= bits &^ 7 & 63
		bits &= 7
	}
	b.w.n, b.w.acc, b.w.bits = n, acc, bits
	end := literals[endOfBlock]
	b.w.put(uint64(end&0xffff), uint(end>>16))
}
