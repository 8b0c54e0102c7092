package raster

import (
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/kernel"
)

// Blend returns the function that turns pixels of an image with header h into opaque ones of 8 bits a sample: red, green
// and blue, or one sample of grey when gray says so. What is not opaque shows background through. dst must have the room;
// it does not overlap src.
//
// gray takes the first sample of colour, so it is for images that are grey, on a background that is grey or never shows.
func Blend(h Header, gray bool, background [3]byte) func(dst, src []byte) {
	f := h.PixelFormat
	samples := [3]int{0, 1, 2}
	switch {
	case f == BGRA:
		samples = [3]int{2, 1, 0}
	case !f.color():
		samples = [3]int{}
	}
	b := blender{n: f.BytesPerPixel(), channels: f.Channels(), samples: samples[:], background: background, premultiplied: h.Premultiplied}
	if gray {
		b.samples = b.samples[:1]
	}
	row := b.opaque8
	switch {
	case f.Depth() == 16 && f.HasAlpha():
		return b.blend16
	case f.Depth() == 16:
		return b.opaque16
	case gray:
	case f == RGB:
		row = func(dst, src []byte) { copy(dst, src) }
	case f == RGBA:
		row = kernel.RGBAToRGB
	case f == BGRA:
		row = kernel.BGRAToRGB
	}
	if !f.HasAlpha() {
		return row
	}
	return func(dst, src []byte) {
		if f.Opaque(src) {
			row(dst, src)
		} else {
			b.blend8(dst, src)
		}
	}
}

// blender holds what its loops need of an image. samples are where a pixel's colours lie, in the order of the output.
type blender struct {
	n, channels   int
	samples       []int
	background    [3]byte
	premultiplied bool
}

func (b *blender) opaque8(dst, src []byte) {
	for ; len(src) >= b.n; src, dst = src[b.n:], dst[len(b.samples):] {
		for i, s := range b.samples {
			dst[i] = src[s]
		}
	}
}

func (b *blender) blend8(dst, src []byte) {
	for ; len(src) >= b.n; src, dst = src[b.n:], dst[len(b.samples):] {
		a := uint32(src[b.n-1])
		for i, s := range b.samples {
			c := uint32(src[s])
			if b.premultiplied {
				c *= 255
			} else {
				c *= a
			}
			dst[i] = byte(min((c+uint32(b.background[i])*(255-a)+127)/255, 255))
		}
	}
}

func (b *blender) opaque16(dst, src []byte) {
	for ; len(src) >= b.n; src, dst = src[b.n:], dst[len(b.samples):] {
		for i, s := range b.samples {
			dst[i] = narrow(binary.NativeEndian.Uint16(src[2*s:]))
		}
	}
}

func (b *blender) blend16(dst, src []byte) {
	for ; len(src) >= b.n; src, dst = src[b.n:], dst[len(b.samples):] {
		a := uint64(binary.NativeEndian.Uint16(src[b.n-2:]))
		for i, s := range b.samples {
			c := uint64(binary.NativeEndian.Uint16(src[2*s:]))
			if b.premultiplied {
				c *= 65535
			} else {
				c *= a
			}
			c = min((c+uint64(b.background[i])*257*(65535-a)+32767)/65535, 65535)
			dst[i] = narrow(uint16(c))
		}
	}
}

// narrow returns round(v * 255 / 65535).
func narrow(v uint16) byte { return byte((uint32(v)*255 + 32895) >> 16) }

// Straight returns the function that turns pixels of an image with header h into straight RGBA of 8 bits a sample. dst must
// have the room; it does not overlap src.
func Straight(h Header) func(dst, src []byte) {
	f := h.PixelFormat
	var pick func(dst, src []byte)
	switch f {
	case RGBA:
		pick = func(dst, src []byte) { copy(dst, src) }
	case BGRA:
		pick = kernel.BGRAToRGBA
	default:
		pick = spread(f)
	}
	if !h.Premultiplied || !f.HasAlpha() {
		return pick
	}
	if f.Depth() == 16 {
		return straight16To8
	}
	return func(dst, src []byte) {
		pick(dst, src)
		straight8(dst[:4*(len(src)/f.BytesPerPixel())], 4)
	}
}

// spread adds the samples that a pixel does not have, and drops the low byte of wide ones.
func spread(f PixelFormat) func(dst, src []byte) {
	n, size := f.BytesPerPixel(), f.Depth()/8
	green, blue, alpha := 0, 0, -1
	if f.color() {
		green, blue = size, 2*size
	}
	if f.HasAlpha() {
		alpha = n - size
	}
	at := func(p []byte, i int) byte { return p[i] }
	if size == 2 {
		at = func(p []byte, i int) byte { return narrow(binary.NativeEndian.Uint16(p[i:])) }
	}
	return func(dst, src []byte) {
		for ; len(src) >= n; src, dst = src[n:], dst[4:] {
			dst[0], dst[1], dst[2], dst[3] = at(src, 0), at(src, green), at(src, blue), 255
			if alpha >= 0 {
				dst[3] = at(src, alpha)
			}
		}
	}
}

// straight16To8 divides premultiplied rgba16 before it is narrowed: afterwards faint pixels have lost their colour.
func straight16To8(dst, src []byte) {
	for ; len(src) >= 8; src, dst = src[8:], dst[4:] {
		a := uint32(binary.NativeEndian.Uint16(src[6:]))
		for i := range 3 {
			c := uint32(binary.NativeEndian.Uint16(src[2*i:]))
			if a > 0 {
				c = min((c*65535+a/2)/a, 65535)
			} else {
				c = 0
			}
			dst[i] = narrow(uint16(c))
		}
		dst[3] = narrow(uint16(a))
	}
}
