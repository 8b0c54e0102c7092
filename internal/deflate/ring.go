package deflate

import (
	"encoding/binary"
	"math/bits"
)

const (
	windowSize = 32 << 10 // how far a match reaches back (RFC 1951, 2)
	ringSize   = 256 << 10
	ringMask   = ringSize - 1
)

// ring holds the text around the current position. Any position is a valid index, so that loads need no bounds check and
// may run over the end of the text, where they see old bytes.
type ring [ringSize + 8]byte // the last 8 bytes repeat the first 8

func (r *ring) byte(pos int) byte { return r[pos&ringMask] }

func (r *ring) load32(pos int) uint32 {
	i := pos & ringMask
	return binary.LittleEndian.Uint32(r[i : i+4])
}

func (r *ring) load64(pos int) uint64 {
	i := pos & ringMask
	return binary.LittleEndian.Uint64(r[i : i+8])
}

// fill copies p, which is at most ringSize bytes, to pos.
func (r *ring) fill(pos int, p []byte) {
	n := copy(r[pos&ringMask:ringSize], p)
	copy(r[:], p[n:])
	copy(r[ringSize:], r[:8])
}

// begins returns how many bytes at pos equal those of v before the first that differs.
func (r *ring) begins(pos int, v uint64) int {
	return bits.TrailingZeros64(r.load64(pos)^v) >> 3
}

// match returns how many bytes at a and b are equal before the first that differs, at most limit.
func (r *ring) match(a, b, limit int) int {
	for n := 0; n < limit; n += 8 {
		if x := r.load64(a+n) ^ r.load64(b+n); x != 0 {
			return min(n+bits.TrailingZeros64(x)>>3, limit)
		}
	}
	return limit
}
