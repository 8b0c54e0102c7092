package jpeg

import (
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// loader turns pixels of any format into samples.
type loader struct {
	pixelBytes int
	direct     bool                  // kernels read the format as it is
	blue       bool                  // and its first byte is blue
	blend      func(dst, src []byte) // makes grey or RGB of any pixels, on the background; nil where they are that
}

func newLoader(h raster.Header, l *layout, background option.Color) loader {
	f := h.PixelFormat
	ld := loader{pixelBytes: f.BytesPerPixel(), blend: raster.Blend(h, l == layoutGray, background)}
	switch {
	case l == layoutGray:
		ld.direct = f == raster.Gray
	case f == raster.RGBA || f == raster.BGRA:
		ld.direct = true
		ld.blue = f == raster.BGRA
	case f == raster.RGB:
		ld.blend = nil
	}
	return ld
}

// load makes samples of the pixels from column x0 to before x1 of an MCU row, whose first row is top, and returns how many
// columns there are. Beyond the image, the last row and column are repeated.
func (ld *loader) load(k *worker, s *source, p *plan, h raster.Header, top, x0, x1 int) (int, error) {
	n := min(x1, h.Width) - x0
	width := (x1 - x0 + p.align - 1) / p.align * p.align
	bottom := min(top+p.size, h.Height)
	if err := checkPromises(s, h, top, bottom, x0, n); err != nil {
		return 0, err
	}
	if p.layout == layoutGray {
		for y := top; y < bottom; y++ {
			k.rows[y-top] = ld.grayRow(k.pad[y-top][:width], s.row(y, x0, ld.pixelBytes), n)
		}
		k.repeat(bottom-top, 8)
		p.gray(&k.tile, &k.rows, width)
		return width, nil
	}
	convert := p.color420
	if p.layout == layout444 {
		convert = p.color444
	}
	if ld.direct {
		for y := top; y < bottom; y++ {
			row := s.row(y, x0, 4)
			if len(row) < 4*width {
				row = widen(k.pad[y-top][:4*width], row[:4*n])
			}
			k.rows[y-top] = row
		}
		k.repeat(bottom-top, p.size)
		if convert(&k.tile, &k.rows, width, ld.blue) || !h.PixelFormat.HasAlpha() {
			return width, nil
		}
	}
	for y := top; y < bottom; y++ {
		pixels := s.row(y, x0, ld.pixelBytes)[:n*ld.pixelBytes]
		if ld.blend != nil {
			ld.blend(k.plain[:], pixels)
			pixels = k.plain[:3*n]
		}
		row := k.pad[y-top][:4*width]
		kernel.RGBToRGBA(row, pixels)
		k.rows[y-top] = widen(row, row[:4*n])
	}
	k.repeat(bottom-top, p.size)
	convert(&k.tile, &k.rows, width, false)
	return width, nil
}

// grayRow returns a row of as many grey samples as pad has, of which n are in the image. pixels begins with them.
func (ld *loader) grayRow(pad, pixels []byte, n int) []byte {
	switch {
	case !ld.direct:
		ld.blend(pad, pixels[:n*ld.pixelBytes])
	case len(pixels) >= len(pad):
		return pixels
	default:
		copy(pad, pixels[:n])
	}
	for x := n; x < len(pad); x++ {
		pad[x] = pad[n-1]
	}
	return pad
}

// widen copies pixels of 4 bytes to pad, and repeats the last until it is full. pixels may lie at its start.
func widen(pad, pixels []byte) []byte {
	copy(pad, pixels)
	for x := len(pixels); x < len(pad); x += 4 {
		copy(pad[x:x+4], pad[len(pixels)-4:])
	}
	return pad
}

// repeat fills the rows from n to before all with the one before.
func (k *worker) repeat(n, all int) {
	for ; n < all; n++ {
		k.rows[n] = k.rows[n-1]
	}
}

// checkPromises returns a fault when pixels are not as the image's header promises.
func checkPromises(s *source, h raster.Header, top, bottom, x0, n int) error {
	f := h.PixelFormat
	opaque, gray := h.Opaque && f.HasAlpha(), h.Gray && !f.Layout().Gray
	if !opaque && !gray {
		return nil
	}
	for y := top; y < bottom; y++ {
		pixels := s.row(y, x0, f.BytesPerPixel())[:n*f.BytesPerPixel()]
		if opaque && !f.Opaque(pixels) {
			return fault.Newf(fault.Input, "Expected opaque pixels, as promised, got a transparent one in row %d", y)
		}
		if gray && !f.Gray(pixels) {
			return fault.Newf(fault.Input, "Expected grey pixels, as promised, got a coloured one in row %d", y)
		}
	}
	return nil
}
