package raster

// Mono returns the function that turns pixels of an image with header h into bits, the first in the high bit: 1 for what is
// at least half as light as white (Rec. 601's weights of red, green and blue). What is not opaque shows background through.
func Mono(h Header, background [3]byte) func(dst, src []byte) {
	blend, n := Blend(h, false, background), h.PixelFormat.BytesPerPixel()
	return func(dst, src []byte) {
		var block [3 * 256]byte
		for len(src) >= n {
			pixels := min(256, len(src)/n)
			rgb := block[:3*pixels]
			blend(rgb, src[:pixels*n])
			src = src[pixels*n:]
			for i := 0; i < pixels; i += 8 {
				b := byte(0)
				for j := range min(8, pixels-i) {
					p := rgb[3*(i+j):][:3]
					if 299*uint(p[0])+587*uint(p[1])+114*uint(p[2]) >= 127500 {
						b |= 0x80 >> j
					}
				}
				dst[i/8] = b
			}
			dst = dst[(pixels+7)/8:]
		}
	}
}
