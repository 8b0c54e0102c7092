package tiff

// LZW as TIFF has it (TIFF 6.0, section 13): codes of 9 to 12 bits, the first bit of a code in the high bit of a byte, and
// lengths that grow as soon as a decoder may know the longer code. GIF's, which Go's standard library has, differs in both.
const (
	clearCode = 256
	endCode   = 257
	firstCode = 258
	fullAt    = 4094 // the table is cleared when this code would come next
	hashBits  = 14
)

// table is the known strings: from a known string's code and a byte, to the code of both together.
type table struct {
	keys  [1 << hashBits]uint32 // code<<8 | byte, plus one; 0 is empty
	codes [1 << hashBits]uint16
}

// stretch is how many bytes are compressed before stop is asked.
const stretch = 64 << 10

// append appends data, compressed, to dst. When stop says true the result is of no use.
func (t *table) append(dst, data []byte, stop func() bool) []byte {
	var bits uint64 // not yet in dst, the last ones lowest
	n, width := uint(0), uint(9)
	put := func(code uint16) {
		bits = bits<<width | uint64(code)
		for n += width; n >= 8; n -= 8 {
			dst = append(dst, byte(bits>>(n-8)))
		}
	}
	clear(t.keys[:])
	put(clearCode)
	next := uint16(firstCode)
	enter := func() {
		switch next++; {
		case next == fullAt:
			put(clearCode)
			clear(t.keys[:])
			next, width = firstCode, 9
		case next == 1<<width:
			width++
		}
	}
	if len(data) > 0 {
		known := uint16(data[0])
		for i, b := range data[1:] {
			if i%stretch == 0 && stop() {
				return dst
			}
			key := uint32(known)<<8 | uint32(b) + 1
			at := key * 0x9e3779b1 >> (32 - hashBits)
			for t.keys[at] != 0 && t.keys[at] != key {
				at = (at + 1) % (1 << hashBits)
			}
			if t.keys[at] == key {
				known = t.codes[at]
				continue
			}
			put(known)
			t.keys[at], t.codes[at] = key, next
			known = uint16(b)
			enter()
		}
		put(known)
		enter() // a decoder does
	}
	put(endCode)
	if n > 0 {
		dst = append(dst, byte(bits<<(8-n)))
	}
	return dst
}
