package deflate

const (
	maxStored    = 65535
	storedHeader = 5 // bytes of a stored block that begins at a byte boundary
)

// storedBytes returns the most bytes that n take as stored blocks.
func storedBytes(n int) int {
	return n + storedHeader*((n+maxStored-1)/maxStored) + 1
}

// store appends p as stored blocks.
func store(dst, p []byte, final bool) []byte {
	for {
		n := min(len(p), maxStored)
		last := final && n == len(p)
		dst = append(dst, byte(boolBit(last)), byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		dst = append(dst, p[:n]...)
		if p = p[n:]; len(p) == 0 {
			return dst
		}
	}
}

// store writes p as stored blocks, the first behind the bits that there are.
func (b *block) store(p []byte, final bool) {
	first := p[:min(len(p), maxStored)]
	b.w.put(uint64(boolBit(final && len(first) == len(p))|storedBlock<<1), 3)
	b.w.align()
	n := uint64(len(first))
	b.w.put(n|(n^0xffff)<<16, 32)
	b.w.n += copy(b.w.out[b.w.n:], first)
	if rest := p[len(first):]; len(rest) > 0 {
		out := store(b.w.out[:b.w.n], rest, final)
		b.w.out, b.w.n = out, len(out)
	}
}
