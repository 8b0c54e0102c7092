package png

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/sluice-js/sluice/internal/kernel"
)

// idat is one strip's IDAT chunk. The first of an image begins the zlib stream, the last ends it.
type idat struct {
	buf      []byte // length, type, data
	crc      uint32 // of type and data so far
	adler    uint32 // of the filtered bytes
	filtered int    // number of filtered bytes
	final    bool
}

// trailer is what finishing a strip may add: the Adler-32 checksum and the chunk's CRC.
const trailer = 8

// newIDAT returns the chunk that chunk begins, in memory of its own that fits: a stream whose consumer pauses may keep it
// for long.
func newIDAT(chunk []byte, final bool) *idat {
	return &idat{buf: append(make([]byte, 0, len(chunk)+trailer), chunk...), final: final}
}

// sum takes the checksums of the strip: of its filtered rows, and of what they were compressed to.
func (s *idat) sum(filtered []byte) {
	s.filtered = len(filtered)
	s.adler = kernel.Adler32(1, filtered)
	s.crc = crc32.ChecksumIEEE(s.buf[4:])
}

// appendAdler32 ends the zlib stream.
func (s *idat) appendAdler32(sum uint32) {
	n := len(s.buf)
	s.buf = binary.BigEndian.AppendUint32(s.buf, sum)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, s.buf[n:])
}

// finish completes the chunk and returns it.
func (s *idat) finish() []byte {
	binary.BigEndian.PutUint32(s.buf, uint32(len(s.buf)-8))
	s.buf = binary.BigEndian.AppendUint32(s.buf, s.crc)
	return s.buf
}

// combineAdler32 returns the checksum of two pieces of data from the checksums of each; n is the second's length.
//
// With RFC 1950's sums s1 = 1 + Σ d[i] and s2 = Σ s1, the second piece's s1 starts from the first's instead of from 1.
func combineAdler32(first, second uint32, n int) uint32 {
	const base = 65521
	carried := first&0xffff + base - 1 // what the first adds to every s1 of the second
	s1 := (carried + second&0xffff) % base
	s2 := (uint64(first>>16) + uint64(second>>16) + uint64(carried)*uint64(n%base)) % base
	return uint32(s2)<<16 | s1
}
