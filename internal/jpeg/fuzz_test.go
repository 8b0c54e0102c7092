package jpeg

import (
	"bytes"
	"errors"
	"fmt"
	stdjpeg "image/jpeg"
	"math/rand/v2"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/raster"
)

// FuzzEncode encodes images of any size, stride, pixel format, cut and options: every kernel, number of slots, cut and strip
// makes the same bytes, and another decoder takes them. options is bits: see the code.
func FuzzEncode(f *testing.F) {
	for i := range uint64(48) {
		r := rand.New(rand.NewPCG(i, i))
		f.Add(r.Uint64(), uint16(r.Uint32()), uint16(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), r.Uint64())
	}
	f.Add(uint64(1), uint16(61*64), uint16(3), uint8(100), uint8(0), uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64, width, height uint16, quality, padding uint8, options uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		take := func(n uint64) int { // a number below n, out of options
			v := options % n
			options /= n
			return int(v)
		}
		h := raster.Header{Width: 1 + int(width)%160, Height: 1 + int(height)%70, PixelFormat: raster.PixelFormats()[take(7)]}
		if width%61 == 0 {
			h.Width, h.Height = 1+int(width)%1200, 1+int(height)%20
		}
		h.Premultiplied, h.Opaque, h.Gray = take(2) > 0, take(8) == 0, take(8) == 0
		text := fmt.Sprintf(`{"quality":%d,"subsampling":%q,"optimize":%v,"restart":%d,"background":%q}`, int(quality)%101,
			[]string{"4:2:0", "4:4:4"}[take(2)], take(3) == 0, max(0, take(6)-2), []string{"#ffffff", "#123", "#a0b0c0"}[take(3)])
		p := picture{Header: h, stride: h.RowBytes() + int(padding)%19*take(2)}
		p.data = make([]byte, (h.Height-1)*p.stride+h.RowBytes())
		fill(p, r, take(4), take(3))

		p.Whole, p.kernels = true, scalar
		want, err := p.encode(text)
		var broken *fault.Error
		if errors.As(err, &broken) && broken.Code == fault.Input && (h.Opaque || h.Gray) {
			return
		}
		if err != nil {
			t.Fatalf("%+v %s: %v", h, text, err)
		}
		m, err := stdjpeg.Decode(bytes.NewReader(want))
		if err != nil || m.Bounds().Dx() != h.Width || m.Bounds().Dy() != h.Height {
			t.Fatalf("%+v %s: decoded to %v, %v", h, text, m, err)
		}
		for _, p.kernels = range levels() {
			p.Whole, p.slots, p.strip = r.IntN(2) == 0, 1+r.IntN(3), 1+r.IntN(1<<r.IntN(14))
			p.cut = func() int { return 1 + r.IntN(h.Height) }
			got, err := p.encode(text)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%+v %s, %s, %d slots, strips of %d, whole %v: other bytes, %v", h, text, p.kernels.name, p.slots, p.strip, p.Whole, err)
			}
		}
	})
}

// fill makes pixels: noise, runs, two values, ramps; alpha as it comes, opaque, or opaque and grey.
func fill(p picture, r *rand.Rand, kind, alpha int) {
	n, size := p.PixelFormat.BytesPerPixel(), p.PixelFormat.Depth()/8
	value := byte(0)
	for i := range p.data {
		switch kind {
		case 0:
			value = byte(r.Uint32())
		case 1:
			if r.IntN(50) == 0 {
				value = byte(r.Uint32())
			}
		case 2:
			value = -byte(r.IntN(2))
		default:
			value += byte(r.IntN(3))
		}
		p.data[i] = value
	}
	for y := range p.Height {
		for x := range p.Width {
			px := p.data[y*p.stride+n*x:][:n]
			if alpha == 2 {
				for i := size; i < n; i++ {
					px[i] = px[i-size]
				}
			}
			if alpha > 0 && p.PixelFormat.HasAlpha() {
				for i := range size {
					px[n-1-i] = 255
				}
			}
		}
	}
}

// FuzzKernels holds the kernels of each level against the scalar ones.
func FuzzKernels(f *testing.F) {
	for i := range uint64(40) {
		f.Add(i, []byte{0, 255, 128, 1}, uint8(i*3), uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, content []byte, quality, spans uint8, blue bool) {
		r := rand.New(rand.NewPCG(seed, 1))
		var pixels rows
		for i := range pixels {
			pixels[i] = make([]byte, 4*spanWidth)
			for k := range pixels[i] {
				switch {
				case seed%3 == 0 && len(content) > 0:
					pixels[i][k] = content[(k+i*spanWidth)%len(content)]
				case seed%3 == 1:
					pixels[i][k] = -byte(r.IntN(2))
				default:
					pixels[i][k] = byte(r.Uint32())
				}
				if k%4 == 3 && seed%5 > 0 {
					pixels[i][k] = 255
				}
			}
		}
		if seed%7 == 0 {
			pixels[r.IntN(16)][4*r.IntN(spanWidth)+3] = byte(r.Uint32())
		}
		for _, k := range levels()[1:] {
			width := (1 + int(spans)%(spanWidth/k.align)) * k.align
			var want, got tile
			same := func(what string, ok bool) {
				t.Helper()
				if !ok {
					t.Fatalf("%s of %s: width %d, quality %d: other results", what, k.name, width, quality%101)
				}
			}
			planes := func() bool { return want.y == got.y && want.cb == got.cb && want.cr == got.cr }
			a, b := scalar.color420(&want, &pixels, width, blue), k.color420(&got, &pixels, width, blue)
			same("color420", a == b && planes())
			chroma := got.cb
			scalar.gray(&want, &pixels, width)
			k.gray(&got, &pixels, width)
			same("gray", planes())
			a, b = scalar.color444(&want, &pixels, width, blue), k.color444(&got, &pixels, width, blue)
			same("color444", a == b && planes())
			if seed%2 == 0 { // samples that no pixels make, and chroma as 4:2:0 has it
				for i := range want.cr {
					want.cr[i] = int16(r.IntN(256)) - 128
				}
				got.cr, want.cb, got.cb = want.cr, chroma, chroma
			}
			q := quantizerFor(int(seed%2), int(quality)%101)
			pairs := width / 16
			for i, plane := range [][2][]int16{{want.y[:], got.y[:]}, {want.cb[:], got.cb[:]}, {want.cr[:], got.cr[:]}} {
				scalar.transform(&want, plane[0], spanWidth, pairs, i, 3, 6, q)
				k.transform(&got, plane[1], spanWidth, pairs, i, 3, 6, q)
			}
			for i := range 6 * pairs {
				alike := want.dc[i] == got.dc[i] && want.wide[i] == got.wide[i]
				if want.wide[i] {
					alike = alike && want.all[i] == got.all[i]
				} else {
					alike = alike && want.mask[i] == got.mask[i] && [63]int8(want.z[i][1:]) == [63]int8(got.z[i][1:])
				}
				same("transform", alike)
			}
			if seed%4 == 0 {
				i := r.IntN(6 * pairs)
				want.dummy(i, 7)
				got.dummy(i, 7)
			}
			var before, after predictors
			var x, y bitWriter
			scalar.code(&x, &want, 6*pairs, layout444, typicalCodes, &before)
			k.code(&y, &got, 6*pairs, layout444, typicalCodes, &after)
			last, n := x.tail()
			lastGot, nGot := y.tail()
			same("code", bytes.Equal(x.out[:x.pos], y.out[:y.pos]) && last == lastGot && n == nGot && before == after)
		}
	})
}
