package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// wantFault fails unless err is a fault of that code whose message contains text.
func wantFault(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || !strings.Contains(f.Message, text) {
		t.Errorf("got %v, want %s with %q", err, code.Name(), text)
	}
}

func TestDecode(t *testing.T) {
	h, err := Decode([]byte(`{"width":3,"height":2}`))
	if err != nil || h != (Header{Width: 3, Height: 2}) {
		t.Errorf("defaults: %+v, %v", h, err)
	}
	h, err = Decode([]byte(`{"width":1048576,"height":4096,"pixelFormat":"gray16","premultiplied":true,"opaque":true,"gray":true,"whole":true}`))
	if want := (Header{1 << 20, 4096, Gray16, true, true, true, true}); err != nil || h != want {
		t.Errorf("all set: %+v, %v", h, err)
	}
	for _, c := range []struct {
		json string
		code fault.Code
		text string
	}{
		{`{}`, fault.Limit, "width to be an integer from 1 to 1048576, got 0"},
		{`{"width":-1,"height":1}`, fault.Limit, "got -1"},
		{`{"width":1,"height":0}`, fault.Limit, "height to be an integer from 1 to 1048576, got 0"},
		{`{"width":1048577,"height":1}`, fault.Limit, "got 1048577"},
		{`{"width":1,"height":9223372036854775807}`, fault.Limit, "got 9223372036854776000"},
		{`{"width":1048576,"height":4097}`, fault.Limit, "at most 4294967296 pixels, got 1048576 x 4097"},
		{`{"width":1.5,"height":1}`, fault.Limit, `width to be an integer from 1 to 1048576, got 1.5`},
		{`{"width":1,"height":1,"pixelFormat":"argb"}`, fault.Option, `rgba|bgra|rgb|graya|gray|rgba16|gray16, got "argb"`},
		{`{"width":1,"height":1,"strude":4}`, fault.Option, `got "strude"`},
	} {
		_, err := Decode([]byte(c.json))
		wantFault(t, err, c.code, c.text)
	}
}

func TestRows(t *testing.T) {
	pushed := Header{Width: 3, Height: 10}
	whole := Header{Width: 3, Height: 10, Whole: true}
	for _, c := range []struct {
		header Header
		top    int
		bytes  int
		meta   string
		want   Strip
		code   fault.Code
		text   string
	}{
		{header: pushed, bytes: 24, want: Strip{Stride: 12, Height: 2}},
		{header: pushed, top: 8, bytes: 24, want: Strip{Stride: 12, Height: 2}},
		{header: pushed, bytes: 24, meta: `{"height":1}`, want: Strip{Stride: 12, Height: 1}},
		{header: pushed, bytes: 24, meta: `{"height":0}`, want: Strip{Stride: 12, Height: 0}},
		{header: pushed, bytes: 40, meta: `{"stride":20}`, want: Strip{Stride: 20, Height: 2}},
		{header: pushed, bytes: 32, meta: `{"stride":20}`, want: Strip{Stride: 20, Height: 2}},
		{header: pushed, bytes: 12, meta: `{"stride":20}`, want: Strip{Stride: 20, Height: 1}},
		{header: pushed, bytes: 12, meta: `{"stride":1099511627776}`, want: Strip{Stride: 1 << 40, Height: 1}},
		{header: whole, bytes: 130, want: Strip{Stride: 12, Height: 10}},
		{header: whole, bytes: 9*20 + 12, meta: `{"stride":20,"height":10}`, want: Strip{Stride: 20, Height: 10}},

		{header: pushed, bytes: 0, code: fault.Input, text: "whole rows of 12 bytes (3 rgba pixels, stride 12), got 0"},
		{header: pushed, bytes: 25, code: fault.Input, text: "got 25 bytes"},
		{header: pushed, bytes: 39, meta: `{"stride":20}`, code: fault.Input, text: "got 39 bytes"},
		{header: pushed, bytes: 240, meta: `{"stride":11}`, code: fault.Input, text: "at least 12 bytes for rows of 3 rgba pixels, got 11"},
		{header: pushed, bytes: 240, meta: `{"stride":-12}`, code: fault.Input, text: "got -12"},
		{header: pushed, bytes: 24, meta: `{"stride":9223372036854775807,"height":2}`, code: fault.Input, text: "at most 1099511627776 bytes"},
		{header: pushed, bytes: 24, meta: `{"stride":1099511627776,"height":2}`, code: fault.Input, text: "at least 1099511627788 bytes"},
		{header: pushed, bytes: 24, meta: `{"height":-1}`, code: fault.Input, text: "got -1"},
		{header: pushed, bytes: 24, meta: `{"height":3}`, code: fault.Input, text: "at least 36 bytes for 3 x 3 rgba pixels with stride 12, got 24"},
		{header: pushed, top: 9, bytes: 24, code: fault.Input, text: "at most 1 more of 10 rows, got 2"},
		{header: pushed, bytes: 24, meta: `{"rows":3}`, code: fault.Option, text: `got "rows"`},
		{header: whole, bytes: 119, code: fault.Input, text: "at least 120 bytes for 3 x 10 rgba pixels with stride 12, got 119"},
		{header: whole, bytes: 0, code: fault.Input, text: "got 0"},
		{header: whole, bytes: 120, meta: `{"height":9}`, code: fault.Input, text: "all 10 rows at once, got 9"},
		{header: whole, top: 10, bytes: 120, code: fault.Input, text: "at most 0 more of 10 rows, got 10"},
	} {
		name := fmt.Sprintf("whole %v top %d %d bytes %s: ", c.header.Whole, c.top, c.bytes, c.meta)
		s, err := Rows(c.header, c.top, flow.Part{Buffers: [][]byte{make([]byte, c.bytes)}, Meta: []byte(c.meta)})
		if c.code != fault.OK {
			wantFault(t, err, c.code, c.text)
		} else if err != nil || s.Stride != c.want.Stride || s.Height != c.want.Height {
			t.Errorf("%s got %d rows of stride %d, %v", name, s.Height, s.Stride, err)
		}
	}
	_, err := Rows(pushed, 0, flow.Part{Buffers: make([][]byte, 2)})
	wantFault(t, err, fault.Input, "one buffer of rows, got 2")
	wantFault(t, Complete(Header{Height: 801}, 640), fault.Input, "Expected 801 rows, got 640")
	if err := Complete(Header{Height: 801}, 801); err != nil {
		t.Error(err)
	}
}

func TestStraight8(t *testing.T) {
	for a := range 256 {
		for c := range 256 {
			p := []byte{byte(c), byte(a)}
			straight8(p, 2)
			want := 0
			if a > 0 {
				want = min((2*c*255+a)/(2*a), 255)
			}
			if int(p[0]) != want || int(p[1]) != a {
				t.Fatalf("%d of alpha %d became %d of alpha %d, want %d", c, a, p[0], p[1], want)
			}
		}
	}
}

func TestStraight16(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100000 {
		c, a := uint64(r.IntN(65536)), uint64(r.IntN(65536))>>r.IntN(16)
		var p [4]byte
		binary.BigEndian.PutUint16(p[:], uint16(c))
		binary.BigEndian.PutUint16(p[2:], uint16(a))
		straight16(p[:], 2)
		want := uint64(0)
		if a > 0 {
			want = min((2*c*65535+a)/(2*a), 65535)
		}
		if got := uint64(binary.BigEndian.Uint16(p[:])); got != want {
			t.Fatalf("%d of alpha %d became %d, want %d", c, a, got, want)
		}
	}
}

// samples returns the straight red, green, blue and alpha of a source pixel, each scaled to the format's own maximum.
func samples(h Header, p []byte) [4]int {
	f := h.PixelFormat
	var s []int
	for i := range f.Channels() {
		if f.Depth() == 16 {
			s = append(s, int(binary.NativeEndian.Uint16(p[2*i:])))
		} else {
			s = append(s, int(p[i]))
		}
	}
	most := 1<<f.Depth() - 1
	var c [4]int
	switch f {
	case RGBA, RGBA16:
		c = [4]int{s[0], s[1], s[2], s[3]}
	case BGRA:
		c = [4]int{s[2], s[1], s[0], s[3]}
	case RGB:
		c = [4]int{s[0], s[1], s[2], most}
	case GrayA:
		c = [4]int{s[0], s[0], s[0], s[1]}
	default:
		c = [4]int{s[0], s[0], s[0], most}
	}
	if h.Premultiplied {
		for i := range 3 {
			if c[3] == 0 {
				c[i] = 0
			} else {
				c[i] = min((2*c[i]*most+c[3])/(2*c[3]), most)
			}
		}
	}
	return c
}

// randomRow returns pixels, opaque or grey if asked for, of which some repeat.
func randomRow(r *rand.Rand, f PixelFormat, width int, opaque, gray bool) []byte {
	row := make([]byte, width*f.BytesPerPixel())
	n, size := f.BytesPerPixel(), f.Depth()/8
	for i := 0; i < len(row); i += n {
		p := row[i : i+n]
		for j := range p {
			p[j] = byte(r.Uint32())
		}
		if gray && f.color() {
			copy(p[size:], p[:size])
			copy(p[2*size:], p[:size])
		}
		if f.HasAlpha() {
			kind := r.IntN(4)
			if kind == 0 {
				clear(p[n-size:])
			}
			if opaque || kind == 1 {
				for j := range size {
					p[n-size+j] = 255
				}
			}
		}
	}
	return row
}

func TestConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, f := range PixelFormats() {
		own := f.Layout()
		for i := range 8 {
			gray, opaque, premultiplied := i&1 > 0, i&2 > 0, i&4 > 0
			h := Header{Width: 37, Height: 1, PixelFormat: f, Premultiplied: premultiplied}
			l := Layout{Gray: own.Gray || gray, Alpha: own.Alpha && !opaque, Wide: own.Wide}
			src := randomRow(r, f, h.Width, opaque, gray)
			dst := src
			if convert := Convert(h, l); convert != nil {
				dst = make([]byte, h.Width*l.BytesPerPixel())
				convert(dst, src)
			}
			var want []byte
			for x := range h.Width {
				c := samples(h, src[x*f.BytesPerPixel():])
				keep := c[:3]
				if l.Gray {
					keep = c[:1]
				}
				if l.Alpha {
					keep = append(keep[:len(keep):len(keep)], c[3])
				}
				for _, v := range keep {
					if l.Wide {
						want = append(want, byte(v>>8))
					}
					want = append(want, byte(v))
				}
			}
			if !bytes.Equal(dst, want) {
				t.Errorf("%v to %+v, premultiplied %v:\ngot  %v\nwant %v", f, l, premultiplied, dst[:16], want[:16])
			}
		}
	}
}

func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	never := func() bool { return false }
	for _, f := range PixelFormats() {
		for i := range 64 {
			gray, opaque := i&1 > 0, i&2 > 0
			h := Header{Width: 1 + i*5, Height: 3, PixelFormat: f, Premultiplied: i&4 > 0}
			n := h.RowBytes()
			s := Strip{Data: make([]byte, 0, 3*n), Stride: n, Height: 3}
			for y := range s.Height {
				late := y == 2 && i&8 > 0 // something else comes at last
				s.Data = append(s.Data, randomRow(r, f, h.Width, opaque && !late, gray && !late)...)
			}
			wantOpaque, wantGray, seen := true, true, map[string]bool{}
			for p := s.Data; len(p) > 0; p = p[f.BytesPerPixel():] {
				c := samples(Header{PixelFormat: f}, p)
				wantOpaque = wantOpaque && c[3] == 1<<f.Depth()-1
				wantGray = wantGray && c[0] == c[1] && c[1] == c[2]
				seen[string(p[:f.BytesPerPixel()])] = true
			}
			got := Scan(h, s, never)
			if got.Opaque != wantOpaque || got.Gray != wantGray {
				t.Fatalf("%v: got opaque %v gray %v, want %v %v", f, got.Opaque, got.Gray, wantOpaque, wantGray)
			}
			few := len(seen) <= MaxColors && !(wantOpaque && wantGray && len(seen) > grayShades)
			if want := f.Depth() == 8 && few; (got.Palette != nil) != want {
				t.Fatalf("%v: %d colours, palette %v", f, len(seen), got.Palette != nil)
			}
			if got.Palette != nil {
				checkPalette(t, h, s, got.Palette)
			}
		}
	}
}

func checkPalette(t *testing.T, h Header, s Strip, p *Palette) {
	t.Helper()
	for i, c := range p.Colors {
		if (c[3] != 255) != (i < p.Translucent) {
			t.Fatalf("colour %d of %d has alpha %d, but the first %d are translucent", i, len(p.Colors), c[3], p.Translucent)
		}
	}
	if d := p.Depth(); len(p.Colors) > 1<<d || d > 1 && len(p.Colors) <= 1<<(d/2) {
		t.Fatalf("depth %d for %d colours", d, len(p.Colors))
	}
	row := make([]byte, (h.Width*p.Depth()+7)/8)
	for y := range s.Height {
		src := s.Row(y, h.RowBytes())
		p.Pack(row, src)
		for x := range h.Width {
			bit := x * p.Depth()
			index := row[bit/8] << (bit % 8) >> (8 - p.Depth())
			c := samples(h, src[x*h.PixelFormat.BytesPerPixel():])
			if got := p.Colors[index]; got != [4]byte{byte(c[0]), byte(c[1]), byte(c[2]), byte(c[3])} {
				t.Fatalf("%v, row %d, column %d: got %v, want %v", h.PixelFormat, y, x, got, c)
			}
		}
	}
}

func TestScanReadsNoFurtherThanItMust(t *testing.T) {
	h := Header{Width: 300, Height: 1000, PixelFormat: RGBA}
	row := randomRow(rand.New(rand.NewPCG(4, 4)), RGBA, h.Width, false, false)
	rows := 0
	Scan(h, Strip{Data: row, Stride: 0, Height: h.Height}, func() bool { rows++; return false })
	if rows != 1 {
		t.Errorf("looked at %d rows, want 1", rows)
	}
	Scan(h, Strip{Data: make([]byte, h.RowBytes()), Stride: 0, Height: h.Height}, func() bool { rows++; return rows > 10 })
	if rows != 11 {
		t.Errorf("stopped after %d rows, want 11", rows)
	}
}

func TestPaletteOfChangedPixels(t *testing.T) {
	for _, colors := range []int{1, 2, 3, 16, 200, 256} {
		h := Header{Width: colors, Height: 1}
		row := make([]byte, h.RowBytes())
		for i := range colors {
			row[4*i], row[4*i+3] = byte(i), 255
		}
		p := Scan(h, Strip{row, len(row), 1}, func() bool { return false }).Palette
		r := rand.New(rand.NewPCG(5, 5))
		for i := range row {
			row[i] = byte(r.Uint32())
		}
		dst := make([]byte, (h.Width*p.Depth()+7)/8)
		p.Pack(dst, row)
		for x := range h.Width {
			bit := x * p.Depth()
			if index := int(dst[bit/8] << (bit % 8) >> (8 - p.Depth())); index >= len(p.Colors) {
				t.Fatalf("index %d of %d colours", index, len(p.Colors))
			}
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, f := range PixelFormats() {
		for _, premultiplied := range []bool{false, true} {
			for _, l := range []Layout{f.Layout(), {Gray: f.Layout().Gray, Wide: f.Layout().Wide}} {
				h := Header{Width: 4096, Height: 1, PixelFormat: f, Premultiplied: premultiplied}
				convert := Convert(h, l)
				if convert == nil || premultiplied && !l.Alpha {
					continue
				}
				b.Run(fmt.Sprintf("%v/premultiplied=%v/channels=%d", f, premultiplied, l.Channels()), func(b *testing.B) {
					src := randomRow(r, f, h.Width, false, false)
					dst := make([]byte, h.Width*l.BytesPerPixel())
					b.SetBytes(int64(len(src)))
					for b.Loop() {
						convert(dst, src)
					}
				})
			}
		}
	}
}
