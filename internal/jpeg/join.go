package jpeg

import (
	"encoding/binary"
	"io"
)

// joiner puts the bits of strips together, stuffs a zero behind every byte of ones (T.81, F.1.2.3) and writes them on.
type joiner struct {
	w     io.Writer
	carry uint64 // bits that do not fill a byte, left aligned
	n     uint   // of them; less than 8
	out   []byte
}

// outSize is what is written at once, bytes.
const outSize = 16 << 10

// bits adds whole bytes and n bits of last.
func (j *joiner) bits(whole []byte, last byte, n uint) error {
	if j.out == nil {
		j.out = make([]byte, 0, outSize)
	}
	for len(whole) > 0 {
		piece := whole[:min(len(whole), outSize/4)]
		whole = whole[len(piece):]
		if len(j.out)+2*len(piece) > outSize {
			if err := j.flush(); err != nil {
				return err
			}
		}
		j.add(piece)
	}
	j.carry |= uint64(last) << 56 >> j.n
	if j.n += n; j.n >= 8 {
		j.byte(byte(j.carry >> 56))
		j.carry <<= 8
		j.n -= 8
	}
	return nil
}

// add shifts and stuffs whole bytes. There is room for twice as many.
func (j *joiner) add(whole []byte) {
	out, carry, n := j.out, j.carry, j.n
	at := len(out)
	out = out[:cap(out)]
	i := 0
	for ; i+8 <= len(whole) && at+16 <= len(out); i += 8 {
		v := binary.BigEndian.Uint64(whole[i:])
		v, carry = carry|v>>n, v<<(64-n)
		if v&^(v+0x0101010101010101)&0x8080808080808080 == 0 { // no byte is 0xff: adding 1 clears the top bit of such only
			binary.BigEndian.PutUint64(out[at:], v)
			at += 8
			continue
		}
		for range 8 {
			b := byte(v >> 56)
			v <<= 8
			out[at] = b
			at++
			if b == 0xff {
				out[at] = 0
				at++
			}
		}
	}
	j.out, j.carry = out[:at], carry
	for _, b := range whole[i:] {
		j.byte(byte(j.carry>>56) | b>>n)
		j.carry = uint64(b) << (64 - n)
	}
}

// byte appends one.
func (j *joiner) byte(b byte) {
	j.out = append(j.out, b)
	if b == 0xff {
		j.out = append(j.out, 0)
	}
}

// pad fills the last byte with ones (T.81, F.1.2.3).
func (j *joiner) pad() {
	if j.n > 0 {
		j.byte(byte(j.carry>>56) | 0xff>>j.n)
	}
	j.carry, j.n = 0, 0
}

// marker appends one that has no content.
func (j *joiner) marker(code byte) { j.out = append(j.out, 0xff, code) }

// flush writes what there is.
func (j *joiner) flush() error {
	if len(j.out) == 0 {
		return nil
	}
	_, err := j.w.Write(j.out)
	j.out = j.out[:0]
	return err
}
