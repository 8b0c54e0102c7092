package raster

import (
	"bytes"
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/kernel"
)

// Opaque reports whether every pixel of row is opaque.
func (f PixelFormat) Opaque(row []byte) bool {
	switch f {
	case RGBA, BGRA:
		return kernel.Opaque(row)
	case GrayA, RGBA16:
		n, size := f.BytesPerPixel(), f.Depth()/8
		for ; len(row) >= n; row = row[n:] {
			for _, b := range row[n-size : n] {
				if b != 0xff {
					return false
				}
			}
		}
	}
	return true
}

// Gray reports whether red, green and blue are equal in every pixel of row.
func (f PixelFormat) Gray(row []byte) bool {
	switch f {
	case RGBA, BGRA:
		return kernel.Gray(row)
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
	Palette      *Palette // every colour of an 8-bit image; nil when they are more than 256, or shades of grey that a palette does not help
}

// grayShades is how many shades of grey take fewer bits as indices than as samples.
const grayShades = 16

// Scan looks for Facts. It reads no further than it takes to know that there are none. stop is asked every row; when it
// says true the Facts mean nothing.
func Scan(h Header, s Strip, stop func() bool) Facts {
	f, n := h.PixelFormat, h.RowBytes()
	facts := Facts{Opaque: true, Gray: true}
	if f.Depth() == 8 {
		facts.Palette = newPalette(h)
	}
	isNew := func(y int) bool { // oceans, and the inside of large areas, say nothing
		return y == 0 || !bytes.Equal(s.Row(y, n), s.Row(y-1, n))
	}
	counted := 0 // rows that are in the palette
	for y := 0; y < s.Height && !stop(); y++ {
		if !isNew(y) {
			continue
		}
		row := s.Row(y, n)
		facts.Opaque = facts.Opaque && f.Opaque(row)
		facts.Gray = facts.Gray && f.Gray(row)
		if facts.Opaque && facts.Gray && facts.Palette != nil && len(facts.Palette.keys) > grayShades {
			continue // samples will do, unless something else comes
		}
		for ; facts.Palette != nil && counted <= y; counted++ {
			if isNew(counted) && !facts.Palette.add(s.Row(counted, n)) {
				facts.Palette = nil
			}
		}
		if !facts.Opaque && !facts.Gray && facts.Palette == nil {
			break
		}
	}
	switch {
	case facts.Palette == nil:
	case facts.Opaque && facts.Gray && len(facts.Palette.keys) > grayShades:
		facts.Palette = nil
	default:
		facts.Palette.order()
	}
	return facts
}

// FewColors returns the Palette of an 8-bit image that has at most 256 colours, nil for others. stop is as for Scan.
func FewColors(h Header, s Strip, stop func() bool) *Palette {
	p, n := newPalette(h), h.RowBytes()
	for y := 0; y < s.Height && !stop(); y++ {
		row := s.Row(y, n)
		if y > 0 && bytes.Equal(row, s.Row(y-1, n)) {
			continue
		}
		if !p.add(row) {
			return nil
		}
	}
	p.order()
	return p
}

// Look reports whether all pixels of an image are opaque, and whether all are grey. stop is asked every row; when it says
// true the answers mean nothing.
func Look(h Header, s Strip, stop func() bool) (opaque, gray bool) {
	f, n := h.PixelFormat, h.RowBytes()
	opaque, gray = true, true
	for y := 0; y < s.Height && (opaque || gray) && !stop(); y++ {
		row := s.Row(y, n)
		opaque = opaque && f.Opaque(row)
		gray = gray && f.Gray(row)
	}
	return opaque, gray
}
