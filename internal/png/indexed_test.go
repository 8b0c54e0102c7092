package png

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	stdpng "image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

// encodeIndexed returns p with a palette.
func encodeIndexed(p picture, options string, palette []byte, width int, cut func() int) ([]byte, error) {
	var out bytes.Buffer
	w := writerOf(&out, width)
	x, err := NewIndexed(w, p.Header, []byte(options), [][]byte{palette})
	if err != nil {
		return nil, err
	}
	if err := feed(x, p, cut); err != nil {
		return nil, err
	}
	w.Wait()
	return out.Bytes(), nil
}

// decodeIndexed decodes b with another decoder.
func decodeIndexed(t *testing.T, b []byte) *image.Paletted {
	t.Helper()
	in := bytes.NewReader(b)
	m, err := stdpng.Decode(in)
	if err != nil || in.Len() > 0 {
		t.Fatalf("%v, %d bytes after IEND", err, in.Len())
	}
	return m.(*image.Paletted)
}

// entries returns the straight colours of the palette.
func entries(m *image.Paletted) (colors []color.NRGBA) {
	for _, c := range m.Palette {
		colors = append(colors, color.NRGBAModel.Convert(c).(color.NRGBA))
	}
	return colors
}

// decibels is the PSNR of m against 16-bit straight RGBA, of premultiplied samples and alpha.
func decibels(m *image.Paletted, wide []byte) float64 {
	sum, n := 0.0, 0
	colors := entries(m)
	for i := 0; i < len(wide); i += 8 {
		c := colors[m.Pix[n]]
		a, b := float64(binary.BigEndian.Uint16(wide[i+6:]))/65535, float64(c.A)/255
		d := a - b
		sum += d * d
		for j, v := range []uint8{c.R, c.G, c.B} {
			d := float64(binary.BigEndian.Uint16(wide[i+2*j:]))/65535*a - float64(v)/255*b
			sum += d * d
		}
		n++
	}
	return 10 * math.Log10(4*float64(n)/sum)
}

// TestIndexed decodes every pixel format under every option that makes a difference to it.
func TestIndexed(t *testing.T) {
	const width, height = 121, 90
	least := map[string]float64{"map": 52, "overlay": 52, "photo": 50, "noise": 25, "gray": 52, "one": 59}
	turn := 0
	for name, rgba := range pictures(width, height) {
		for _, f := range raster.PixelFormats() {
			for i := range 8 {
				if turn++; thin && turn%5 > 0 {
					continue
				}
				p := from(rgba, width, f, i&1 > 0, 13*(i&1))
				p.Whole = i&2 > 0
				options := fmt.Sprintf(`{"level":%q,"interlace":%v,"dither":%v}`, levelNames[turn%len(levelNames)], i&4 > 0, float64(turn%3)/4)
				b, err := encodeIndexed(p, options, nil, 2, rowsOf(17))
				if err != nil {
					t.Fatalf("%s, %v, %s: %v", name, f, options, err)
				}
				want := least[name]
				if turn%3 > 0 {
					want -= 4 // dithered
				}
				m := decodeIndexed(t, b)
				if got := decibels(m, p.wide()); m.Bounds().Size() != image.Pt(width, height) || got < want {
					t.Errorf("%s, %v, premultiplied %v, whole %v, %s: %v, %.2f dB", name, f, p.Premultiplied, p.Whole, options, m.Bounds().Size(), got)
				}
			}
		}
	}
}

// An image that has no more colours than were asked for keeps them, faint ones too, at the least depth.
func TestFewColorsAreExact(t *testing.T) {
	for _, c := range []struct {
		colors, asked int
		depth         byte
		exact         bool
	}{
		{1, 1, 1, true}, {2, 2, 1, true}, {3, 256, 2, true}, {4, 4, 2, true}, {16, 16, 4, true}, {17, 256, 8, true}, {256, 256, 8, true},
		{5, 4, 2, false}, {3, 2, 1, false}, {3, 1, 1, false}, {40, 16, 4, false}, {300, 256, 8, false},
	} {
		const n = 100
		var pix []byte
		for i := range n * n {
			k := i % c.colors
			pix = append(pix, byte(k*7), byte(k>>1), byte(255-k), byte(k*3+1))
		}
		for _, level := range []string{"fast", "small"} {
			p := from(pix, n, raster.RGBA, false, 0)
			b, err := encodeIndexed(p, fmt.Sprintf(`{"colors":%d,"level":%q}`, c.asked, level), nil, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			colorType, depth, palette, _ := head(b)
			if colorType != indexed || depth != c.depth || palette > c.asked {
				t.Errorf("%d colours, %d asked for: type %d, depth %d, %d in the palette", c.colors, c.asked, colorType, depth, palette)
			}
			if err := p.check(b); (err == nil) != c.exact {
				t.Errorf("%d colours, %d asked for: %v", c.colors, c.asked, err)
			}
		}
	}
}

func TestTransparency(t *testing.T) {
	const width, height = 200, 150
	rgba := sample.Overlay(width, height)
	for _, premultiplied := range []bool{false, true} {
		p := from(rgba, width, raster.RGBA, premultiplied, 0)
		wide := p.wide()
		run := func(options string) *image.Paletted {
			b, err := encodeIndexed(p, options, nil, 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			return decodeIndexed(t, b)
		}
		binaryImage := run(`{"transparency":"binary"}`)
		blended := run(`{"transparency":"none","background":"#103050"}`)
		binaryColors, blendedColors := entries(binaryImage), entries(blended)
		for i := 0; i < len(wide); i += 8 {
			a := float64(wide[i+6])
			if c := binaryColors[binaryImage.Pix[i/8]]; c.A != 0 && c.A != 255 || (c.A == 255) != (a >= opaqueFrom) {
				t.Fatalf("binary: alpha %v became %d", a, c.A)
			}
			c := blendedColors[blended.Pix[i/8]]
			if c.A != 255 {
				t.Fatalf("none: alpha %v became %d", a, c.A)
			}
			want := (float64(wide[i])*a + 0x10*(255-a)) / 255
			if math.Abs(float64(c.R)-want) > 20 {
				t.Fatalf("none: red %v, alpha %v became %d, want %.1f", wide[i], a, c.R, want)
			}
		}
	}
}

// Premultiplied pixels leave no dark fringe: on the background that shows every error, edges are as bright as they were.
func TestNoFringe(t *testing.T) {
	const n = 128
	var pix []byte
	for y := range n {
		for x := range n { // a soft white disc on nothing, with a little colour, in more than 256 colours
			d := math.Hypot(float64(x)-63.5, float64(y)-63.5)
			a := math.Min(math.Max((60-d)/20, 0), 1)
			pix = append(pix, 255, byte(250+x%6), byte(250+y%6), byte(a*255))
		}
	}
	for _, most := range []int{256, 32} {
		for _, dither := range []float64{0, 0.75} {
			p := from(pix, n, raster.RGBA, true, 0)
			b, err := encodeIndexed(p, fmt.Sprintf(`{"colors":%d,"dither":%v}`, most, dither), nil, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := decodeIndexed(t, b)
			colors := entries(m)
			for i, index := range m.Pix {
				c := colors[index]
				if lost := float64(255-c.R) * float64(c.A) / 255; c.A > 0 && lost > 6 || math.Abs(float64(c.A)-float64(pix[4*i+3])) > 40 {
					t.Fatalf("%d colours, dither %v: pixel %d, alpha %d, became %v", most, dither, i, pix[4*i+3], c)
				}
			}
		}
	}
}

func TestUserPalettes(t *testing.T) {
	const width, height = 150, 120
	act := make([]byte, 772)
	copy(act, []byte{255, 255, 255, 200, 0, 0, 0, 0, 0})
	act[769], act[771] = 3, 2 // three colours, the third transparent
	for _, c := range []struct {
		name, options     string
		palette           []byte
		colors, alphas    int
		transparencyStays bool
	}{
		{"rgba", `"paletteFormat":"rgba"`, []byte{0, 0, 0, 0, 255, 255, 255, 255, 200, 0, 0, 255}, 3, 1, true},
		{"default", `"colors":2`, []byte{0, 0, 0, 0, 255, 255, 255, 255, 200, 0, 0, 255}, 3, 1, true},
		{"rgb", `"paletteFormat":"rgb"`, []byte{255, 255, 255, 200, 0, 0}, 2, 0, false},
		{"rgba, opaque", `"background":"#c80000"`, []byte{255, 255, 255, 255, 200, 0, 0, 255}, 2, 0, false},
		{"act", `"paletteFormat":"act"`, act[:768], 256, 0, false},
		{"act with a transparent colour", `"paletteFormat":"act"`, act, 3, 1, true},
	} {
		for _, whole := range []bool{true, false} {
			for _, dither := range []float64{0, 0.75} {
				p := from(sample.Overlay(width, height), width, raster.RGBA, false, 0)
				p.Whole = whole
				b, err := encodeIndexed(p, fmt.Sprintf(`{"palette":{"$buffer":0},"dither":%v,%s}`, dither, c.options), c.palette, 2, rowsOf(7))
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				if _, _, colors, alphas := head(b); colors != c.colors || alphas != c.alphas {
					t.Errorf("%s: %d colours, %d alphas", c.name, colors, alphas)
				}
				m := decodeIndexed(t, b)
				got := entries(m)[m.Pix[0]] // which is transparent in the overlay
				if want := (color.NRGBA{255, 255, 255, 255}); c.transparencyStays && got.A != 0 || !c.transparencyStays && got != want && c.name != "rgba, opaque" {
					t.Errorf("%s, whole %v: transparency became %v", c.name, whole, got)
				}
				if c.name == "rgba, opaque" && got != (color.NRGBA{200, 0, 0, 255}) {
					t.Errorf("%s: the background became %v", c.name, got)
				}
			}
		}
	}
	for _, c := range []struct{ options, want string }{
		{`{"palette":{"$buffer":0},"paletteFormat":"rgba"}`, `"palette" to be 1 to 256 colours of 4 bytes (rgba), got 6 bytes`},
		{`{"palette":{"$buffer":0},"paletteFormat":"act"}`, `an Adobe colour table of 768 or 772 bytes, got 6`},
		{`{"palette":[1,2,3]}`, `"palette" to be a Uint8Array, got [1,2,3]`},
		{`{"colors":0}`, `png8 option "colors" to be an integer from 1 to 256, got 0`},
		{`{"colors":257}`, `got 257`},
		{`{"dither":1.5}`, `"dither" to be a number from 0 to 1, got 1.5`},
		{`{"transparency":"yes"}`, `full|binary|none, got "yes"`},
		{`{"paletteGamma":-1}`, `from 0 to 100, got -1`},
		{`{"background":"red"}`, `"background"`},
		{`{"reduce":true}`, `a known png8 option`},
		{`{"srgb":true,"icc":{"$buffer":0}}`, `png8 option "srgb" or "icc"`},
	} {
		_, err := encodeIndexed(from(make([]byte, 4), 1, raster.RGBA, false, 0), c.options, make([]byte, 6), 1, nil)
		wantFault(t, err, fault.Option, c.want)
	}
	for _, n := range []int{0, 1025} {
		_, err := encodeIndexed(from(make([]byte, 4), 1, raster.RGBA, false, 0), `{"palette":{"$buffer":0}}`, make([]byte, n), 1, nil)
		wantFault(t, err, fault.Option, fmt.Sprintf("got %d bytes", n))
	}
	bad := make([]byte, 772)
	_, err := encodeIndexed(from(make([]byte, 4), 1, raster.RGBA, false, 0), `{"palette":{"$buffer":0},"paletteFormat":"act"}`, bad, 1, nil)
	wantFault(t, err, fault.Option, "an Adobe colour table of 0")
}

// The bytes do not depend on how an image was cut, on processors, or on whether it was pushed.
func TestIndexedIsDeterministic(t *testing.T) {
	const width, height = 400, 300
	palette := make([]byte, 3*200)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range palette {
		palette[i] = byte(r.Uint32())
	}
	images := map[string][]byte{"map": sample.Map(width, height), "overlay": sample.Overlay(width, height)}
	for _, options := range []string{`{}`, `{"dither":0.75}`, `{"colors":16,"interlace":true}`,
		`{"palette":{"$buffer":0},"paletteFormat":"rgb"}`, `{"palette":{"$buffer":0},"paletteFormat":"rgb","dither":1,"interlace":true}`} {
		for name, rgba := range images {
			var first []byte
			for i, cut := range []func() int{nil, rowsOf(height), rowsOf(1), rowsOf(64), func() int { return 1 + r.IntN(100) }} {
				p := from(rgba, width, raster.RGBA, false, 0)
				p.Whole = cut == nil
				b, err := encodeIndexed(p, options, palette, 1+i, cut)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = b
				} else if !bytes.Equal(first, b) {
					t.Errorf("%s, %s: other bytes when cut in way %d", name, options, i)
				}
			}
		}
	}
}

// Aborts are noticed while a palette is searched for, soon after.
func TestAbortOfASearch(t *testing.T) {
	const width, height = 2000, 1500
	p := from(sample.Noise(width, height), width, raster.RGB, false, 0)
	for _, wait := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond, 40 * time.Millisecond} {
		var out bytes.Buffer
		w := writerOf(&out, 2)
		x, err := NewIndexed(w, p.Header, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		aborted := make(chan time.Time, 1)
		time.AfterFunc(wait, func() {
			aborted <- time.Now()
			w.Abort(fault.Newf(fault.Aborted, "enough"))
		})
		wantFault(t, x.Write(flow.Part{Buffers: [][]byte{p.data}}), fault.Aborted, "")
		w.Wait()
		if late := time.Since(<-aborted); late > 2*time.Second {
			t.Errorf("noticed after %v", late)
		}
	}
}

// What pushes more than can be kept is told so before anything is.
func TestPushedImageWithoutPaletteIsLimited(t *testing.T) {
	h := raster.Header{Width: 1 << 15, Height: 1 << 14}
	_, err := NewIndexed(writerOf(new(bytes.Buffer), 1), h, nil, nil)
	wantFault(t, err, fault.Limit, "at most 1073741824 bytes, got 2147483648")
	h.Whole = true
	if _, err := NewIndexed(writerOf(new(bytes.Buffer), 1), h, nil, nil); err != nil {
		t.Error(err)
	}
	h.Whole = false
	if _, err := NewIndexed(writerOf(new(bytes.Buffer), 1), h, []byte(`{"palette":{"$buffer":0}}`), [][]byte{make([]byte, 8)}); err != nil {
		t.Error(err)
	}
	_, err = NewIndexed(writerOf(new(bytes.Buffer), 1), h, []byte(`{"palette":{"$buffer":0},"interlace":true}`), [][]byte{make([]byte, 8)})
	if err != nil {
		t.Error(err)
	}
}

func TestIndexedFaults(t *testing.T) {
	p := from(sample.Map(50, 40), 50, raster.RGBA, false, 0)
	p.Whole = false
	for _, options := range []string{`{}`, `{"palette":{"$buffer":0}}`, `{"palette":{"$buffer":0},"dither":1}`} {
		x, err := NewIndexed(writerOf(new(bytes.Buffer), 1), p.Header, []byte(options), [][]byte{make([]byte, 8)})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Write(flow.Part{Buffers: [][]byte{p.data[:39*200]}}); err != nil {
			t.Fatal(err)
		}
		wantFault(t, x.Close(), fault.Input, "Expected 40 rows, got 39")
		first := x.Write(flow.Part{Buffers: [][]byte{p.data[:200]}})
		wantFault(t, first, fault.Input, "Expected 40 rows") // the first error sticks
	}
}

func TestIndexedMetadata(t *testing.T) {
	p := from(sample.Map(50, 40), 50, raster.RGBA, false, 0)
	b, err := encodeIndexed(p, `{"dpi":300,"srgb":true,"gamma":2.2,"text":{"Title":"a"}}`, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, order := chunksOf(b); !strings.HasPrefix(strings.Join(order, " "), "IHDR sRGB gAMA PLTE pHYs tEXt IDAT") {
		t.Errorf("got %v", order)
	}
}

// TestIndexedPixelsThatChange writes to pixels between the search and the strips: any pixels may come, but a PNG must.
func TestIndexedPixelsThatChange(t *testing.T) {
	const width, height = 400, 300
	r := rand.New(rand.NewPCG(1, 1))
	rgba := sample.Map(width, height)
	for i := range 20 {
		p := from(rgba, width, raster.RGBA, false, 0)
		var out bytes.Buffer
		changing := writerFunc(func(b []byte) (int, error) {
			for range 1000 {
				p.data[r.IntN(len(p.data))] = byte(r.Uint32())
			}
			return out.Write(b)
		})
		window := flow.NewWindow()
		window.Grant(make([]byte, 1), 0)
		x, err := NewIndexed(flow.NewWriter(changing, window, flow.NewAdmission(1), flow.NewMeter()), p.Header,
			fmt.Appendf(nil, `{"colors":%d}`, 1+i*13), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Write(flow.Part{Buffers: [][]byte{p.data}}); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdpng.Decode(&out); err != nil {
			t.Fatal(err)
		}
	}
}
