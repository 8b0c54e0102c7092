package raster

import "encoding/binary"

// Opaque reports whether every pixel of row is opaque.
func (f PixelFormat) Opaque(row []byte) bool {
	var alpha uint64 // alpha's bytes in eight bytes of pixels
	switch f {
	case RGBA, BGRA:
		alpha = 0xff000000ff000000
	case GrayA:
		alpha = 0xff00ff00ff00ff00
	case RGBA16:
		alpha = 0xffff << 48
	default:
		return true
	}
	all := alpha
	i := 0
	for ; i+32 <= len(row); i += 32 {
		p := row[i : i+32]
		all &= binary.LittleEndian.Uint64(p) & binary.LittleEndian.Uint64(p[8:]) &
			binary.LittleEndian.Uint64(p[16:]) & binary.LittleEndian.Uint64(p[24:])
		if all != alpha {
			return false
		}
	}
	for ; i+8 <= len(row); i += 8 {
		all &= binary.LittleEndian.Uint64(row[i:])
	}
	n, size := f.BytesPerPixel(), f.Depth()/8
	for ; i+n <= len(row); i += n {
		for _, b := range row[i+n-size : i+n] {
			if b != 0xff {
				return false
			}
		}
	}
	return all == alpha
}

// Gray reports whether red, green and blue are equal in every pixel of row.
func (f PixelFormat) Gray(row []byte) bool {
	switch f {
	case RGBA, BGRA:
		for ; len(row) >= 4; row = row[4:] {
			if v := binary.LittleEndian.Uint32(row); (v^v>>8)&0xffff != 0 {
				return false
			}
		}
	case RGB:
		for ; len(row) >= 3; row = row[3:] {
			if row[0] != row[1] || row[1] != row[2] {
				return false
			}
		}
	case RGBA16:
		for ; len(row) >= 8; row = row[8:] {
			v := binary.LittleEndian.Uint64(row)
			if (v^v>>16)&0xffffffff != 0 {
				return false
			}
		}
	}
	return true
}

// Facts is what all pixels of an image have in common.
type Facts struct {
	Opaque, Gray bool
	Palette      *Palette // every colour of an 8-bit image; nil when they are more than 256
}

// Scan looks for Facts. It reads no further than it takes to know that there are none. stop is asked every row; when it
// says true the Facts mean nothing.
func Scan(h Header, s Strip, stop func() bool) Facts {
	f, n := h.PixelFormat, h.RowBytes()
	facts := Facts{Opaque: true, Gray: true}
	if f.Depth() == 8 {
		facts.Palette = newPalette(h)
	}
	for y := 0; y < s.Height && !stop(); y++ {
		row := s.Row(y, n)
		facts.Opaque = facts.Opaque && f.Opaque(row)
		facts.Gray = facts.Gray && f.Gray(row)
		if facts.Palette != nil && !facts.Palette.add(row) {
			facts.Palette = nil
		}
		if !facts.Opaque && !facts.Gray && facts.Palette == nil {
			break
		}
	}
	if facts.Palette != nil {
		facts.Palette.order()
	}
	return facts
}
