package raster

import "encoding/binary"

// reciprocal[a] turns a division by a into a multiplication that is exact for numerators below 2^16 (Granlund and
// Montgomery): the error of 2^32/a rounded up, times the numerator, stays below 2^32/a.
var reciprocal = func() (t [256]uint64) {
	for a := uint64(1); a < 256; a++ {
		t[a] = (1<<32 + a - 1) / a
	}
	return t
}()

// straight8 divides the colour samples of 8-bit pixels by their alpha, the last of channels samples: round(c * 255 / a),
// at most 255. A pixel of alpha 0 becomes all zeros.
func straight8(row []byte, channels int) {
	for ; len(row) >= channels; row = row[channels:] {
		p := row[:channels]
		a := p[channels-1]
		if a == 255 {
			continue
		}
		r, half := reciprocal[a], uint64(a/2)
		for i, c := range p[:channels-1] {
			p[i] = byte(min((uint64(c)*255+half)*r>>32, 255))
		}
	}
}

// straight16 is straight8 for samples of 16 bits, big endian.
func straight16(row []byte, channels int) {
	for n := 2 * channels; len(row) >= n; row = row[n:] {
		p := row[:n]
		a := uint32(binary.BigEndian.Uint16(p[n-2:]))
		switch a {
		case 65535:
		case 0:
			clear(p)
		default:
			for i := 0; i < n-2; i += 2 {
				c := uint32(binary.BigEndian.Uint16(p[i:]))
				binary.BigEndian.PutUint16(p[i:], uint16(min((c*65535+a/2)/a, 65535)))
			}
		}
	}
}
