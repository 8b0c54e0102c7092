package jpeg

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
)

// picture is an image as a caller has it.
type picture struct {
	raster.Header
	data    []byte
	stride  int
	kernels *kernels   // nil: the fastest
	strip   int        // pixels of each strip, 0: as usual
	slots   int        // 0: 1
	cut     func() int // rows of the next part of a pushed image; a whole one comes at once
}

func pictureOf(data []byte, width, height int, f raster.PixelFormat) picture {
	h := raster.Header{Width: width, Height: height, PixelFormat: f, Whole: true}
	return picture{Header: h, data: data, stride: h.RowBytes()}
}

// encode returns the JPEG.
func (p picture) encode(options string, buffers ...[]byte) ([]byte, error) {
	var out bytes.Buffer
	window := flow.NewWindow()
	window.Grant(make([]byte, 1), 0)
	w := flow.NewWriter(&out, window, flow.NewAdmission(max(p.slots, 1)), flow.NewMeter())
	e, err := New(w, p.Header, []byte(options), buffers)
	if err != nil {
		return nil, err
	}
	if out.Len() > 0 {
		return nil, errors.New("New wrote")
	}
	if p.kernels != nil {
		e.kernels = p.kernels
	}
	if p.strip > 0 {
		e.ramp.size, e.ramp.most = p.strip, p.strip
	}
	for y := 0; y < p.Height; {
		n := p.Height - y
		if !p.Whole {
			n = min(n, p.cut())
		}
		part := p.data[y*p.stride:]
		part = bytes.Clone(part[:min(n*p.stride, len(part))])
		meta := fmt.Appendf(nil, `{"stride":%d,"height":%d}`, p.stride, n)
		if err := e.Write(flow.Part{Buffers: [][]byte{part}, Meta: meta}); err != nil {
			return nil, err
		}
		for i := range part { // it has been read or copied
			part[i] ^= 0x55
		}
		y += n
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	w.Wait()
	return out.Bytes(), nil
}

// patterns are pixels by place, of integers alone: every machine draws the same.
var patterns = []struct {
	name  string
	pixel func(x, y int, r *rand.Rand) (red, green, blue int)
}{
	{"noise", func(_, _ int, r *rand.Rand) (int, int, int) { // wide coefficients, bytes of ones
		v := r.Uint32()
		return int(v), int(v >> 8), int(v >> 16)
	}},
	{"slopes", func(x, y int, r *rand.Rand) (int, int, int) { // a photograph's areas, and its grain
		grain := int(r.Uint32() % 5)
		return wave(3*x+y, 400) + grain, wave(x-2*y, 300) + grain, wave(5*y, 700) + grain
	}},
	{"stripes", func(x, y int, r *rand.Rand) (int, int, int) { // the largest coefficients
		return 255 * (x & 1), 255 * ((x ^ y) & 1), 255 * int(r.Uint32()&1)
	}},
	{"squares", func(x, y int, _ *rand.Rand) (int, int, int) { // long runs of zeros
		v := 255 * ((x/12 + y/20) & 1)
		return v, v, 255 - v*(x&64)/64
	}},
}

// wave goes up and down between 0 and 250.
func wave(at, length int) int {
	at = ((at % length) + length) % length
	return min(at, length-at) * 500 / length
}

// draw returns opaque RGBA pixels of a pattern.
func draw(pattern, width, height int) []byte {
	r := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	pix := make([]byte, 0, 4*width*height)
	for y := range height {
		for x := range width {
			red, green, blue := patterns[pattern].pixel(x, y, r)
			pix = append(pix, byte(red), byte(green), byte(blue), 255)
		}
	}
	return pix
}

// samples takes the first n samples of each RGBA pixel.
func samples(rgba []byte, n int) []byte {
	var out []byte
	for i := 0; i < len(rgba); i += 4 {
		out = append(out, rgba[i:i+n]...)
	}
	return out
}
