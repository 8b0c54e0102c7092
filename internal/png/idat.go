package png

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/pool"
)

// idat is one strip's IDAT chunk. The first of an image begins the zlib stream, the last ends it.
type idat struct {
	strip
	buf      []byte // length, type, data
	crc      uint32 // of type and data so far
	adler    uint32 // of the filtered bytes
	filtered int    // number of filtered bytes
	final    bool

	before, after uint32 // sums of the window that the strip was compressed after, and of the one it leaves behind
}

// trailer is what finishing a strip may add: the Adler-32 checksum and the chunk's CRC.
const trailer = 8

// buffers are those of chunks that were written.
var buffers = pool.New[[]byte]()

// newBuffer returns room for n bytes, at most twice as much: a stream whose consumer pauses may keep it for long.
func newBuffer(n int) []byte {
	if b := *buffers.Get(); cap(b) >= n && cap(b) <= 2*n {
		return b[:0]
	}
	return make([]byte, 0, n)
}

// recycle gives the chunk's memory up, once it was written.
func (s *idat) recycle() {
	b := s.buf
	s.buf = nil
	buffers.Put(&b)
}

// sum takes a copy of what the strip's rows were compressed to, and all checksums.
func (s *idat) sum(packed, filtered []byte, dictionary int) {
	s.buf = append(newBuffer(len(packed)+trailer), packed...)
	s.filtered = len(filtered) - dictionary
	s.adler = kernel.Adler32(1, filtered[dictionary:])
	s.crc = crc32.ChecksumIEEE(s.buf[4:])
	s.before = lastWindow(filtered[:dictionary])
	s.after = lastWindow(filtered)
}

// lastWindow returns a sum of what a match can reach.
func lastWindow(filtered []byte) uint32 {
	return crc32.ChecksumIEEE(filtered[max(0, len(filtered)-window):])
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
