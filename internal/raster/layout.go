package raster

import (
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/kernel"
)

// Layout is an order of samples in an encoder's row: grey or red, green, blue; then alpha, if any. Samples of 16 bits are
// big endian; alpha is straight. These are the rows of PNG's colour types 0, 2, 4 and 6.
type Layout struct {
	Gray, Alpha, Wide bool // Wide: 16 bits
}

// Channels returns the number of samples of a pixel.
func (l Layout) Channels() int {
	n := 3
	if l.Gray {
		n = 1
	}
	if l.Alpha {
		n++
	}
	return n
}

// Depth returns the number of bits of a sample.
func (l Layout) Depth() int {
	if l.Wide {
		return 16
	}
	return 8
}

// BytesPerPixel returns the size of a pixel.
func (l Layout) BytesPerPixel() int { return l.Channels() * l.Depth() / 8 }

// Layout returns the layout that keeps all of the format's samples.
func (f PixelFormat) Layout() Layout {
	return Layout{Gray: !f.color(), Alpha: f.HasAlpha(), Wide: f.Depth() == 16}
}

// Convert returns the function that turns pixels of an image with header h into layout l. dst must have the room; it does
// not overlap src. nil means that the pixels are in that layout already.
//
// l may leave out alpha and two of three equal colours, for an image that is opaque or grey. It must not add samples.
func Convert(h Header, l Layout) func(dst, src []byte) {
	pick := picker(h.PixelFormat, l)
	if !h.Premultiplied || !l.Alpha {
		return pick
	}
	straight, channels := straight8, l.Channels()
	if l.Wide {
		straight = straight16
	}
	if pick == nil {
		pick = func(dst, src []byte) { copy(dst, src) }
	}
	return func(dst, src []byte) {
		pick(dst, src)
		straight(dst[:len(src)/h.PixelFormat.BytesPerPixel()*l.BytesPerPixel()], channels)
	}
}

// picker returns the function that orders samples, alpha left as it is; nil for no change.
func picker(f PixelFormat, l Layout) func(dst, src []byte) {
	if l.Wide {
		switch same := l == f.Layout(); {
		case same && !littleEndian:
			return nil
		case same:
			return swap16
		case !l.Gray:
			return func(dst, src []byte) { pick16(dst, src, f.Channels(), 0, 1, 2) }
		case l.Alpha:
			return func(dst, src []byte) { pick16(dst, src, f.Channels(), 0, f.Channels()-1) }
		default:
			return func(dst, src []byte) { pick16(dst, src, f.Channels(), 0) }
		}
	}
	switch {
	case f == BGRA && l == RGBA.Layout():
		return kernel.BGRAToRGBA
	case l == f.Layout():
		return nil
	case f == BGRA && !l.Gray:
		return kernel.BGRAToRGB
	case !l.Gray:
		return kernel.RGBAToRGB
	case l.Alpha:
		return rgbaToGrayA
	default:
		return func(dst, src []byte) { first(dst, src, f.Channels()) }
	}
}

func rgbaToGrayA(dst, src []byte) {
	for len(src) >= 4 && len(dst) >= 2 {
		dst[0], dst[1] = src[0], src[3]
		dst, src = dst[2:], src[4:]
	}
}

// first takes the first sample of every pixel.
func first(dst, src []byte, channels int) {
	for i, j := 0, 0; i < len(dst) && j < len(src); i, j = i+1, j+channels {
		dst[i] = src[j]
	}
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// swap16 exchanges the bytes of every sample.
func swap16(dst, src []byte) {
	const low = 0x00ff00ff00ff00ff
	dst = dst[:len(src)]
	i := 0
	for ; i+8 <= len(src); i += 8 {
		v := binary.LittleEndian.Uint64(src[i:])
		binary.LittleEndian.PutUint64(dst[i:], v&low<<8|v>>8&low)
	}
	for ; i+2 <= len(src); i += 2 {
		dst[i], dst[i+1] = src[i+1], src[i]
	}
}

// pick16 takes some samples of every pixel.
func pick16(dst, src []byte, channels int, samples ...int) {
	for ; len(src) >= 2*channels && len(dst) >= 2*len(samples); src = src[2*channels:] {
		for _, s := range samples {
			binary.BigEndian.PutUint16(dst, binary.NativeEndian.Uint16(src[2*s:]))
			dst = dst[2:]
		}
	}
}
