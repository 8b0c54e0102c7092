package deflate

import (
	"math/bits"
	"slices"
)

// code is a canonical Huffman code: of every symbol the bits in the order in which they are written, and from bit 16 on
// their number, 0 for a symbol that does not occur.
type code [288]uint32

func (c *code) bits(symbol int) int { return int(c[symbol] >> 16) }

// builder makes codes. It keeps what it sorts in.
type builder struct {
	leaves  []uint64
	weights []uint32
}

// build makes the optimal code for frequencies, but for the limit to the bits of a symbol, which may cost a little.
//
// A code of one symbol gets a second one, of the same length: decoders need not accept less (RFC 1951, 3.2.7, allows one
// distance code; zlib refuses it in the other alphabets).
func (b *builder) build(c *code, frequencies []uint32, limit int) {
	b.leaves = b.leaves[:0]
	for symbol, f := range frequencies {
		c[symbol] = 0
		if f > 0 {
			b.leaves = append(b.leaves, uint64(f)<<16|uint64(symbol))
		}
	}
	for symbol := 0; len(b.leaves) < 2; symbol++ {
		if frequencies[symbol] == 0 {
			b.leaves = append(b.leaves, 1<<16|uint64(symbol))
		}
	}
	slices.Sort(b.leaves)
	depths := b.depths()
	var count [32]int // symbols of each length
	for _, d := range depths {
		count[min(int(d), limit)]++
	}
	shorten(&count, limit)
	symbol := len(b.leaves)
	for length, n := range count {
		for range n {
			symbol-- // the most frequent is last, and shortest
			c[b.leaves[symbol]&0xffff] = uint32(length) << 16
		}
	}
	c.assign(len(frequencies))
}

// depths returns how deep in the Huffman tree each leaf is, in place: the weights of leaves, taken in order, become those
// of inner nodes, whose parents, whose depths, and at last the depths of the leaves (Moffat and Katajainen, In-Place
// Calculation of Minimum-Redundancy Codes, 1995). It needs two leaves.
func (b *builder) depths() []uint32 {
	w := slices.Grow(b.weights[:0], len(b.leaves))[:len(b.leaves)]
	b.weights = w
	for i, leaf := range b.leaves {
		w[i] = uint32(leaf >> 16)
	}
	n := len(w)
	leaf, inner := 0, 0 // the lightest that have no parent yet
	lightest := func(next int) uint32 {
		if leaf >= n || inner < next && w[inner] < w[leaf] {
			weight := w[inner]
			w[inner] = uint32(next)
			inner++
			return weight
		}
		leaf++
		return w[leaf-1]
	}
	for next := range n - 1 {
		first := lightest(next)
		w[next] = first + lightest(next)
	}
	w[n-2] = 0
	for i := n - 3; i >= 0; i-- {
		w[i] = w[w[i]] + 1
	}
	inner, leaf = n-2, n-1
	for nodes, depth := 1, uint32(0); nodes > 0; depth++ {
		parents := 0
		for ; inner >= 0 && w[inner] == depth; inner-- {
			parents++
		}
		for range nodes - parents {
			w[leaf] = depth
			leaf--
		}
		nodes = 2 * parents
	}
	return w
}

// shorten makes room for the symbols whose codes were cut to limit bits: each round takes one from the longest of the
// shorter codes, which then has two successors one bit longer, one of them for a symbol at the limit.
func shorten(count *[32]int, limit int) {
	used := 0
	for length := 1; length <= limit; length++ {
		used += count[length] << (limit - length)
	}
	for ; used > 1<<limit; used-- {
		length := limit - 1
		for count[length] == 0 {
			length--
		}
		count[length]--
		count[length+1] += 2
		count[limit]--
	}
}

// assign turns the lengths of the first n symbols into codes (RFC 1951, 3.2.2).
func (c *code) assign(n int) {
	var next [17]uint32
	for _, v := range c[:n] {
		next[v>>16]++
	}
	first := uint32(0)
	next[0] = 0
	for length := range next {
		n := next[length]
		next[length] = first
		first = (first + n) << 1
	}
	for symbol, v := range c[:n] {
		if length := v >> 16; length > 0 {
			c[symbol] |= uint32(bits.Reverse16(uint16(next[length])) >> (16 - length))
			next[length]++
		}
	}
}
