package png

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/raster"
)

// FuzzEncode encodes images of any size, stride, pixel format, cut and options, and compares their pixels after another
// decoder. options is bits: see the code.
func FuzzEncode(f *testing.F) {
	for i := range uint64(64) {
		r := rand.New(rand.NewPCG(i, i))
		f.Add(r.Uint64(), uint16(r.Uint32()), uint16(r.Uint32()), uint8(r.Uint32()), r.Uint32(), []byte{255, 0, 0, 255, 9, 8, 7, 0})
	}
	f.Add(uint64(1), uint16(61*900), uint16(3), uint8(0), uint32(0), []byte{1})
	f.Add(uint64(2), uint16(67*800), uint16(200), uint8(5), uint32(0xffffffff), []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, seed uint64, width, height uint16, padding uint8, options uint32, content []byte) {
		r := rand.New(rand.NewPCG(seed, 0))
		take := func(n uint32) int { // a number below n, out of options
			v := options % n
			options /= n
			return int(v)
		}
		p := picture{Header: raster.Header{Width: 1 + int(width)%40, Height: 1 + int(height)%30}}
		switch {
		case width%61 == 0: // rows of more than deflate's window
			p.Width, p.Height = 1+int(width)/4, 1+int(height)%3
		case width%67 == 0: // several strips
			p.Width, p.Height = 1+int(width)%600, 1+int(height)%200
		}
		p.PixelFormat = raster.PixelFormats()[take(7)]
		level, reduce := levelNames[take(6)], take(4) > 0
		p.Premultiplied, p.Whole = take(2) > 0, take(2) > 0
		p.Opaque, p.Gray = take(8) == 0, take(8) == 0
		slots := 1 + take(2)
		p.stride = p.RowBytes() + int(padding)%19*take(2)
		fill(&p, r, take(5), take(3), content)
		interlace := take(4) == 0

		b, err := encodeWith(p, fmt.Sprintf(`{"level":%q,"reduce":%v,"interlace":%v}`, level, reduce, interlace), nil, slots,
			func() int { return 1 + r.IntN(p.Height) })
		var broken *fault.Error
		if errors.As(err, &broken) && broken.Code == fault.Input && !p.Whole && reduce && !p.keepsPromises() {
			return
		}
		if err == nil {
			err = p.check(b)
		}
		if err != nil {
			t.Fatalf("%d x %d %v, stride %d, premultiplied %v, whole %v, level %s, reduce %v, interlace %v: %v",
				p.Width, p.Height, p.PixelFormat, p.stride, p.Premultiplied, p.Whole, level, reduce, interlace, err)
		}
	})
}

// fill makes pixels of a kind: content over and over, runs or scattered pixels of few colours, copies from above, noise.
// alpha 0 leaves it as it is, 1 makes it opaque, 2 makes pixels grey and opaque.
func fill(p *picture, r *rand.Rand, kind, alpha int, content []byte) {
	n := p.PixelFormat.BytesPerPixel()
	p.data = make([]byte, (p.Height-1)*p.stride+p.RowBytes())
	colors := make([]byte, n*(1+r.IntN(1<<r.IntN(10))))
	for i := range colors {
		colors[i] = byte(r.Uint32())
		if i < len(content) {
			colors[i] = content[i]
		}
	}
	color := colors[:n]
	for y := range p.Height {
		for x := range p.Width {
			px := p.data[y*p.stride+n*x:][:n]
			switch {
			case kind == 0 && len(content) > 0:
				for i := range px {
					px[i] = content[(y*p.RowBytes()+n*x+i)%len(content)]
				}
			case kind == 4:
				for i := range px {
					px[i] = byte(r.Uint32())
				}
			case kind == 3 && y > 0 && r.IntN(8) > 0:
				copy(px, p.data[(y-1)*p.stride+n*x:])
			default:
				if kind == 2 || r.IntN(10) == 0 {
					i := r.IntN(len(colors) / n)
					color = colors[n*i : n*i+n]
				}
				copy(px, color)
			}
			size := p.PixelFormat.Depth() / 8
			if alpha == 2 {
				for i := size; i < len(px); i++ {
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

// keepsPromises reports whether the pixels are what the header says.
func (p picture) keepsPromises() bool {
	n, f := p.PixelFormat.BytesPerPixel(), p.PixelFormat
	for y := range p.Height {
		for x := range p.Width {
			px := p.data[y*p.stride+n*x:][:n]
			if p.Opaque && !f.Opaque(px) || p.Gray && !f.Gray(px) {
				return false
			}
		}
	}
	return true
}
