package deflate

import "encoding/binary"

// bitWriter packs bits, the first in the lowest (RFC 1951, 3.1.1).
type bitWriter struct {
	out  []byte
	n    int    // bytes written
	acc  uint64 // bits that do not fill a byte yet
	bits uint
}

// grow makes room for n bytes beside what flush may write at once.
func (w *bitWriter) grow(n int) {
	if need := w.n + n + 16; need > cap(w.out) {
		out := make([]byte, need+need/4)
		copy(out, w.out[:w.n])
		w.out = out
	}
	w.out = w.out[:cap(w.out)]
}

// put appends the lowest n bits of v, whose others are 0. n is at most 56.
func (w *bitWriter) put(v uint64, n uint) {
	w.acc |= v << (w.bits & 7)
	w.bits += n
	binary.LittleEndian.PutUint64(w.out[w.n:], w.acc)
	w.n += int(w.bits >> 3)
	w.acc >>= w.bits &^ 7 & 63
	w.bits &= 7
}

// align fills the last byte.
func (w *bitWriter) align() {
	if w.bits > 0 {
		w.put(0, 8-w.bits)
	}
}
