package png

import (
	"bytes"
	"image"
	stdpng "image/png"
	"math/rand/v2"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

var levelNames = []string{"stored", "fastest", "fast", "balanced", "small", "auto"}

// TestEncode decodes every pixel format under every option with another decoder: a small image under every level, others,
// also of several strips, under levels in turn.
func TestEncode(t *testing.T) {
	turn := 0
	for _, size := range []image.Point{{37, 21}, {301, 90}} {
		for name, rgba := range pictures(size.X, size.Y) {
			for i := range 16 * len(raster.PixelFormats()) {
				if turn++; thin && turn%5 > 0 {
					continue
				}
				f := raster.PixelFormats()[i/16]
				reduce := i&1 > 0
				p := from(rgba, size.X, f, i&2 > 0, 13*(i&4)/4)
				p.Whole = i&8 > 0
				p.want = p.wide()
				levels := levelNames
				if size.X > 100 || name != "overlay" {
					levels = levels[turn%len(levels):][:1]
				}
				for _, level := range levels {
					b, err := encode(p, level, reduce, 2, rowsOf(17))
					if err == nil {
						err = p.check(b)
					}
					if err != nil {
						t.Fatalf("%s, %v, %v, premultiplied %v, stride %d, level %s, whole %v, reduce %v: %v",
							name, size, f, p.Premultiplied, p.stride, level, p.Whole, reduce, err)
					}
				}
			}
		}
	}
}

func TestReduction(t *testing.T) {
	const n = 200
	colors := func(count, translucent int, gray bool) []byte {
		var pix []byte
		r := rand.New(rand.NewPCG(1, 1))
		for i := range n * n {
			c := i % count
			if i > count {
				c = r.IntN(count)
			}
			px := [4]byte{byte(c), byte(c * 7), byte(c ^ 85), 255}
			if gray {
				px[1], px[2] = px[0], px[0]
			}
			if c >= count-translucent {
				px[3] = byte(c / 2)
			}
			pix = append(pix, px[:]...)
		}
		return pix
	}
	overlay := sample.Overlay(n, n)
	for _, c := range []struct {
		name             string
		rgba             []byte
		format           raster.PixelFormat
		colorType, depth byte
		colors, alphas   int
	}{
		{name: "one colour", rgba: colors(1, 0, false), colorType: indexed, depth: 1, colors: 1},
		{name: "2", rgba: colors(2, 0, false), colorType: indexed, depth: 1, colors: 2},
		{name: "3", rgba: colors(3, 2, false), colorType: indexed, depth: 2, colors: 3, alphas: 2},
		{name: "16", rgba: colors(16, 0, false), colorType: indexed, depth: 4, colors: 16},
		{name: "17", rgba: colors(17, 17, false), colorType: indexed, depth: 8, colors: 17, alphas: 17},
		{name: "256", rgba: colors(256, 5, false), colorType: indexed, depth: 8, colors: 256, alphas: 5},
		{name: "256 of bgra", rgba: colors(256, 5, false), format: raster.BGRA, colorType: indexed, depth: 8, colors: 256, alphas: 5},
		{name: "200 of rgb", rgba: colors(200, 0, false), format: raster.RGB, colorType: indexed, depth: 8, colors: 200},
		{name: "16 greys", rgba: colors(16, 0, true), colorType: indexed, depth: 4, colors: 16},
		{name: "200 greys", rgba: colors(200, 0, true), colorType: grayscale, depth: 8},
		{name: "16 of gray", rgba: colors(16, 0, true), format: raster.Gray, colorType: indexed, depth: 4, colors: 16},
		{name: "200 of gray", rgba: colors(200, 0, true), format: raster.Gray, colorType: grayscale, depth: 8},
		{name: "100 of graya", rgba: colors(100, 50, true), format: raster.GrayA, colorType: indexed, depth: 8, colors: 100, alphas: 50},
		{name: "photo", rgba: sample.Photo(n, n), colorType: truecolor, depth: 8},
		{name: "noise", rgba: sample.Noise(n, n), colorType: truecolorAlpha, depth: 8},
		{name: "noise of graya", rgba: sample.Noise(n, n), format: raster.GrayA, colorType: grayscaleAlpha, depth: 8},
		{name: "overlay", rgba: overlay, colorType: truecolorAlpha, depth: 8},
		{name: "16-bit", rgba: sample.Photo(n, n), format: raster.RGBA16, colorType: truecolor, depth: 16},
		{name: "16-bit gray", rgba: sample.Photo(n, n), format: raster.Gray16, colorType: grayscale, depth: 16},
		{name: "16-bit of few colours", rgba: colors(3, 1, false), format: raster.RGBA16, colorType: truecolorAlpha, depth: 16},
	} {
		for _, level := range levelNames {
			if thin && level != "fast" {
				continue
			}
			p := from(c.rgba, n, c.format, false, 0)
			b, err := encode(p, level, true, 2, nil)
			if err == nil {
				err = p.check(b)
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			colorType, depth, palette, alphas := head(b)
			if colorType != c.colorType || depth != c.depth || palette != c.colors || alphas != c.alphas {
				t.Errorf("%s, %s: got colour type %d, depth %d, %d colours, %d alphas; want %d, %d, %d, %d", c.name, level,
					colorType, depth, palette, alphas, c.colorType, c.depth, c.colors, c.alphas)
			}
			b, err = encode(p, level, false, 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			colorType, depth, palette, _ = head(b)
			if want := direct(p.Header, p.PixelFormat.Layout()); colorType != want.colorType || depth != want.depth || palette > 0 {
				t.Errorf("%s, not reduced: colour type %d, depth %d, %d colours", c.name, colorType, depth, palette)
			}
		}
	}
}

// TestTinyImages: a palette that costs more than it saves is not used.
func TestTinyImages(t *testing.T) {
	for _, c := range []struct{ width, height, bytes int }{{1, 1, 70}, {2, 2, 90}, {16, 16, 640}} {
		p := from(sample.Noise(c.width, c.height), c.width, raster.RGBA, false, 0)
		for i := 3; i < len(p.data); i += 4 {
			p.data[i] = 255
		}
		b, err := encode(p, "fast", true, 1, nil)
		if err == nil {
			err = p.check(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		if colorType, _, _, _ := head(b); colorType != truecolor || len(b) > c.width*c.height*3+c.height+100 {
			t.Errorf("%d x %d colours: colour type %d, %d bytes", c.width, c.height, colorType, len(b))
		}
	}
}

func TestPromises(t *testing.T) {
	const width, height = 150, 400
	photo := sample.Photo(width, height)
	gray := bytes.Clone(photo)
	for i := 0; i < len(gray); i += 4 {
		gray[i], gray[i+2] = gray[i+1], gray[i+1]
	}
	for _, f := range []raster.PixelFormat{raster.RGBA, raster.BGRA, raster.RGBA16, raster.GrayA, raster.RGB} {
		p := from(photo, width, f, false, 0)
		p.Whole, p.Opaque, p.Gray = false, true, false
		b, err := encode(p, "fast", true, 2, rowsOf(7))
		if err == nil {
			err = p.check(b)
		}
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		want := byte(truecolor)
		if f == raster.GrayA {
			want = grayscale
		}
		if got, _, _, _ := head(b); got != want {
			t.Errorf("%v, opaque: colour type %d, want %d", f, got, want)
		}
		if f.Channels() >= 3 {
			p.Gray = true
			_, err = encode(p, "fast", true, 2, rowsOf(7))
			wantFault(t, err, fault.Input, "got a coloured one in row 0")
			g := from(gray, width, f, false, 0)
			if f.Depth() == 16 {
				for i := 0; i < len(g.data); i += 8 {
					copy(g.data[i+2:], g.data[i:i+2])
				}
			}
			g.Whole, g.Gray = false, true
			b, err = encode(g, "balanced", true, 2, rowsOf(400))
			if err == nil {
				err = g.check(b)
			}
			if err != nil {
				t.Fatalf("%v: %v", f, err)
			}
			want := byte(grayscaleAlpha)
			if !f.HasAlpha() {
				want = grayscale
			}
			if got, _, _, _ := head(b); got != want {
				t.Errorf("%v, gray: colour type %d, want %d", f, got, want)
			}
		}
		if f.HasAlpha() {
			p.Gray = false
			p.data[300*p.stride+len(p.data)/p.Height-1]--
			_, err = encode(p, "fast", true, 2, rowsOf(7))
			wantFault(t, err, fault.Input, "got a transparent one in row 300")
			if b, err = encode(p, "fast", false, 2, rowsOf(7)); err != nil || p.check(b) != nil {
				t.Errorf("%v, not reduced: %v", f, err)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	var out bytes.Buffer
	_, err := New(writerOf(&out, 1), raster.Header{Width: 1, Height: 1}, []byte(`{"level":"hgih"}`), nil)
	wantFault(t, err, fault.Option, `Expected png option "level" to be stored|fastest|fast|balanced|small|auto, got "hgih"`)

	for _, whole := range []bool{true, false} {
		e, err := New(writerOf(&out, 1), raster.Header{Width: 10, Height: 801, Whole: whole}, nil, nil)
		if err != nil || e.Info().Level != "fast" {
			t.Fatal(err)
		}
		if !whole {
			if err := e.Write(flow.Part{Buffers: [][]byte{make([]byte, 640*40)}}); err != nil {
				t.Fatal(err)
			}
			wantFault(t, e.Close(), fault.Input, "Expected 801 rows, got 640")
		} else {
			wantFault(t, e.Close(), fault.Input, "Expected 801 rows, got 0")
		}
		first := e.Write(flow.Part{Buffers: [][]byte{make([]byte, 801*40)}})
		wantFault(t, first, fault.Input, "Expected 801 rows") // the first error sticks
	}
}

func TestAbort(t *testing.T) {
	const width, height = 1000, 700
	for _, whole := range []bool{true, false} {
		p := from(sample.Photo(width, height), width, raster.RGBA, false, 0)
		p.Whole = whole
		var w *flow.Writer
		window := flow.NewWindow()
		window.Grant(make([]byte, 1), 0)
		left := 5
		out := writerFunc(func(b []byte) (int, error) {
			if left--; left == 0 {
				w.Abort(fault.Newf(fault.Aborted, "enough"))
				return 0, fault.Newf(fault.Aborted, "enough")
			}
			return len(b), nil
		})
		w = flow.NewWriter(out, window, flow.NewAdmission(2), flow.NewMeter())
		e, err := New(w, p.Header, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantFault(t, e.Write(flow.Part{Buffers: [][]byte{p.data}}), fault.Aborted, "")
		w.Wait()
		if left != 0 {
			t.Errorf("whole %v: %d writes after the abort", whole, -left)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestNoiseHardlyGrows(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {7, 5}, {100, 100}, {600, 300}} {
		for _, level := range levelNames {
			for _, whole := range []bool{true, false} {
				p := from(sample.Noise(size.X, size.Y), size.X, raster.RGBA, false, 0)
				p.Whole = whole
				b, err := encode(p, level, true, 2, rowsOf(64))
				if err != nil {
					t.Fatal(err)
				}
				if filtered := (4*size.X + 1) * size.Y; len(b) > filtered+filtered/1000+128 {
					t.Errorf("%v, %s: %d bytes of %d filtered ones", size, level, len(b), filtered)
				}
			}
		}
	}
}

func TestDeterministic(t *testing.T) {
	const width, height = 400, 300
	for name, rgba := range map[string][]byte{"map": sample.Map(width, height), "overlay": sample.Overlay(width, height)} {
		for _, level := range levelNames[:5] {
			for _, whole := range []bool{true, false} {
				if thin && level != "fast" {
					continue
				}
				p := from(rgba, width, raster.RGBA, false, 0)
				p.Whole = whole
				r := rand.New(rand.NewPCG(1, 1))
				var first []byte
				for i, cut := range []func() int{rowsOf(height), rowsOf(1), rowsOf(64), func() int { return 1 + r.IntN(100) }} {
					b, err := encode(p, level, true, 1+i, cut)
					if err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = b
					} else if !bytes.Equal(first, b) {
						t.Errorf("%s, %s, whole %v: other bytes with width %d", name, level, whole, 1+i)
					}
				}
			}
		}
	}
}

// TestPixelsThatChange writes to pixels while they are read: any pixels may come, but a PNG must.
func TestPixelsThatChange(t *testing.T) {
	const width, height = 400, 300
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		p := picture{Header: raster.Header{Width: width, Height: height, Whole: true}, data: make([]byte, 4*width*height), stride: 4 * width}
		var out bytes.Buffer
		changing := writerFunc(func(b []byte) (int, error) { // between the scan and the strips
			for range 1000 {
				p.data[r.IntN(len(p.data))] = byte(r.Uint32())
			}
			return out.Write(b)
		})
		window := flow.NewWindow()
		window.Grant(make([]byte, 1), 0)
		e, err := New(flow.NewWriter(changing, window, flow.NewAdmission(1), flow.NewMeter()), p.Header, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Write(flow.Part{Buffers: [][]byte{p.data}}); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdpng.Decode(&out); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHugeRows: rows beyond the 32 KB that deflate looks back, and beyond a strip.
func TestHugeRows(t *testing.T) {
	for _, size := range []image.Point{{8191, 5}, {8192, 4}, {10923, 9}, {40000, 3}, {1 << 18, 2}} {
		for _, whole := range []bool{true, false} {
			row := sample.Photo(size.X, 1)
			rgba := make([]byte, 0, len(row)*size.Y)
			for y := range size.Y {
				row[4*y] ^= 1
				rgba = append(rgba, row...)
			}
			p := from(rgba, size.X, raster.RGBA, false, 0)
			p.Whole = whole
			b, err := encode(p, "fast", true, 2, rowsOf(2))
			if err == nil {
				err = p.check(b)
			}
			if err != nil {
				t.Fatalf("%v whole %v: %v", size, whole, err)
			}
		}
	}
}
