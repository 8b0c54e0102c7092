package raster

import (
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/kernel"
)

// Transparency is what becomes of alpha where an image format has room for less of it.
type Transparency uint8

const (
	// FullTransparency keeps alpha.
	FullTransparency Transparency = iota
	// BinaryTransparency makes a pixel opaque, its straight colour kept, or wholly transparent.
	BinaryTransparency
	// NoTransparency blends pixels on a background.
	NoTransparency
)

// Alpha says how it is treated.
type Alpha struct {
	Transparency Transparency
	Threshold    byte    // the least alpha that becomes opaque, for BinaryTransparency
	Background   [3]byte // red, green and blue, for NoTransparency
}

// Colors returns the function that turns pixels of an image with header h into premultiplied RGBA of 8 bits a sample, red
// in the low byte. dst has a colour for each pixel of src.
func Colors(h Header, a Alpha) func(dst []uint32, src []byte) {
	load := loader(h.PixelFormat)
	finish := a.finish(h)
	if finish == nil {
		return load
	}
	return func(dst []uint32, src []byte) {
		load(dst, src)
		finish(dst)
	}
}

// loader returns the function that reads pixels as RGBA, alpha as it is.
func loader(f PixelFormat) func(dst []uint32, src []byte) {
	const opaque, gray = 0xff000000, 0x010101
	switch f {
	case RGBA:
		return func(dst []uint32, src []byte) { loadKeys(dst, src, 4) }
	case BGRA:
		return func(dst []uint32, src []byte) {
			loadKeys(dst, src, 4)
			kernel.SwapRedBlue(dst)
		}
	case RGB:
		return func(dst []uint32, src []byte) {
			loadKeys(dst, src, 3)
			for i := range dst {
				dst[i] |= opaque
			}
		}
	case GrayA:
		return func(dst []uint32, src []byte) {
			for i := range dst {
				dst[i] = uint32(src[2*i])*gray | uint32(src[2*i+1])<<24
			}
		}
	case Gray:
		return func(dst []uint32, src []byte) {
			for i := range dst {
				dst[i] = uint32(src[i])*gray | opaque
			}
		}
	case RGBA16:
		return func(dst []uint32, src []byte) {
			for i := range dst {
				p := src[8*i:][:8]
				dst[i] = wide(p) | wide(p[2:])<<8 | wide(p[4:])<<16 | wide(p[6:])<<24
			}
		}
	default: // Gray16
		return func(dst []uint32, src []byte) {
			for i := range dst {
				dst[i] = wide(src[2*i:])*gray | opaque
			}
		}
	}
}

// wide rounds a sample of 16 bits.
func wide(p []byte) uint32 { return uint32(narrow(binary.NativeEndian.Uint16(p))) }

// finish returns the function that treats alpha; nil when there is nothing to do.
func (a Alpha) finish(h Header) func(colors []uint32) {
	if !h.PixelFormat.HasAlpha() {
		return nil
	}
	premultiply := kernel.PremultiplyAll
	if h.Premultiplied {
		premultiply = kernel.Bound
	}
	switch a.Transparency {
	case BinaryTransparency:
		return func(colors []uint32) { a.binary(colors, h.Premultiplied) }
	case NoTransparency:
		return func(colors []uint32) {
			premultiply(colors)
			a.blend(colors)
		}
	default:
		return premultiply
	}
}

func (a Alpha) binary(colors []uint32, premultiplied bool) {
	for i, c := range colors {
		switch alpha := c >> 24; {
		case alpha == 255:
		case alpha < uint32(a.Threshold) || alpha == 0:
			colors[i] = 0
		case premultiplied:
			var p [4]byte
			binary.LittleEndian.PutUint32(p[:], c)
			straight8(p[:], 4)
			colors[i] = binary.LittleEndian.Uint32(p[:]) | 0xff000000
		default:
			colors[i] = c | 0xff000000
		}
	}
}

func (a Alpha) blend(colors []uint32) {
	var behind [256]uint32 // what of the background is seen, by alpha; samples do not carry
	for i := range behind {
		under := uint32(255-i) << 24
		behind[i] = kernel.Premultiply(under|uint32(a.Background[0])|uint32(a.Background[1])<<8|uint32(a.Background[2])<<16) & 0xffffff
	}
	for i, c := range colors {
		if c < 0xff000000 {
			u := behind[c>>24]
			colors[i] = 0xff000000 | min(c&0xff+u&0xff, 255) | min(c>>8&0xff+u>>8&0xff, 255)<<8 | min(c>>16&0xff+u>>16&0xff, 255)<<16
		}
	}
}
