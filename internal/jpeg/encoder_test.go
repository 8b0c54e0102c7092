package jpeg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
)

func mustEncode(t testing.TB, p picture, options string, buffers ...[]byte) []byte {
	t.Helper()
	b, err := p.encode(options, buffers...)
	if err != nil {
		t.Fatalf("%v %+v: %v", options, p.Header, err)
	}
	return b
}

// in returns pixels of another format whose samples are these of RGBA. Samples of 16 bits are 257 times as large.
func in(rgba []byte, f raster.PixelFormat) []byte {
	order := map[raster.PixelFormat][]int{
		raster.RGBA: {0, 1, 2, 3}, raster.BGRA: {2, 1, 0, 3}, raster.RGB: {0, 1, 2}, raster.GrayA: {0, 3}, raster.Gray: {0},
		raster.RGBA16: {0, 1, 2, 3}, raster.Gray16: {0},
	}[f]
	var out []byte
	for i := 0; i < len(rgba); i += 4 {
		for _, k := range order {
			out = append(out, rgba[i+k])
			if f.Depth() == 16 {
				out = append(out, rgba[i+k])
			}
		}
	}
	return out
}

// TestPixelFormats: opaque pixels of any format become the bytes that RGBA or grey becomes.
func TestPixelFormats(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {31, 19}, {300, 50}} {
		w, h := size[0], size[1]
		rgba := draw(1, w, h)
		for _, sub := range []string{`{}`, `{"subsampling":"4:4:4"}`} {
			color := mustEncode(t, pictureOf(rgba, w, h, raster.RGBA), sub)
			gray := mustEncode(t, pictureOf(samples(rgba, 1), w, h, raster.Gray), sub)
			for _, f := range raster.PixelFormats() {
				want := color
				if f.Layout().Gray {
					want = gray
				}
				for _, kernels := range levels() {
					for _, premultiplied := range []bool{false, true} {
						p := pictureOf(in(rgba, f), w, h, f)
						p.Premultiplied, p.kernels = premultiplied, kernels
						if !bytes.Equal(mustEncode(t, p, sub), want) {
							t.Errorf("%v %v %s: other bytes", f, size, kernels.name)
						}
						p.Whole, p.cut, p.strip = false, func() int { return 7 }, 1000
						if !bytes.Equal(mustEncode(t, p, sub), want) {
							t.Errorf("%v %v %s, pushed: other bytes", f, size, kernels.name)
						}
					}
				}
			}
		}
	}
}

// TestBackground: translucent pixels are what they look like on the background.
func TestBackground(t *testing.T) {
	const w, h = 150, 40
	r := rand.New(rand.NewPCG(1, 1))
	straight := draw(1, w, h)
	for i := 3; i < len(straight); i += 4 {
		if i > len(straight)/3 { // opaque spans stay
			straight[i] = []byte{0, 255, byte(r.Uint32())}[r.IntN(3)]
		}
	}
	premultiplied := bytes.Clone(straight)
	for i, v := range straight {
		if i%4 < 3 {
			premultiplied[i] = byte((int(v)*int(straight[i|3]) + 127) / 255)
		}
	}
	for _, c := range []struct {
		name       string
		background [3]int
	}{{`{}`, [3]int{255, 255, 255}}, {`{"background":"#102030"}`, [3]int{16, 32, 48}}, {`{"background":"#777"}`, [3]int{0x77, 0x77, 0x77}}} {
		for _, f := range []raster.PixelFormat{raster.RGBA, raster.BGRA, raster.RGBA16, raster.GrayA} {
			want := make([]byte, 0, 4*w*h)
			for i := 0; i < len(straight); i += 4 {
				a := int(straight[i+3])
				for k, b := range c.background {
					if f == raster.GrayA {
						k = 0
					}
					want = append(want, byte((int(straight[i+k])*a+b*(255-a)+127)/255))
				}
				want = append(want, 255)
			}
			plain := pictureOf(want, w, h, raster.RGBA)
			if f == raster.GrayA && c.background[0] == c.background[1] {
				plain = pictureOf(samples(want, 1), w, h, raster.Gray)
			}
			reference := mustEncode(t, plain, `{"quality":60}`)
			options := with(c.name, `"quality":60`)
			for _, kernels := range levels() {
				p := pictureOf(in(straight, f), w, h, f)
				p.kernels = kernels
				if !bytes.Equal(mustEncode(t, p, options), reference) {
					t.Errorf("%v on %v, %s: other bytes than of blended pixels", f, c.background, kernels.name)
				}
				p.data, p.Premultiplied = in(premultiplied, f), true
				if d := difference(t, mustEncode(t, p, options), reference); d > 8 { // they were rounded twice
					t.Errorf("premultiplied %v on %v, %s: differs by %d", f, c.background, kernels.name, d)
				}
			}
		}
	}
}

func decode(t testing.TB, b []byte) image.Image {
	t.Helper()
	m, err := stdjpeg.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// difference is the mean square error of two decoded images.
func difference(t *testing.T, a, b []byte) int {
	m, n := decode(t, a), decode(t, b)
	if m.Bounds() != n.Bounds() {
		t.Fatal("another size")
	}
	sum := 0
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			p, q := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA), color.RGBAModel.Convert(n.At(x, y)).(color.RGBA)
			for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				sum += d * d
			}
		}
	}
	return sum / (3 * m.Bounds().Dx() * m.Bounds().Dy())
}

// TestDecodes: Go's decoder finds the pixels, in one component where they are grey.
func TestDecodes(t *testing.T) {
	rgba := draw(1, 301, 203)
	for options, most := range map[string]int{`{"quality":100,"subsampling":"4:4:4"}`: 2, `{"quality":95}`: 12, `{"quality":95,"optimize":true,"restart":1}`: 12} {
		m := decode(t, mustEncode(t, pictureOf(rgba, 301, 203, raster.RGBA), options))
		sum := 0
		for y := range 203 {
			for x := range 301 {
				c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
				for k, v := range []byte{c.R, c.G, c.B} {
					d := int(v) - int(rgba[4*(y*301+x)+k])
					sum += d * d
				}
			}
		}
		if got := sum / (3 * 301 * 203); got > most {
			t.Errorf("%s: a mean square error of %d", options, got)
		}
	}
	if m, ok := decode(t, mustEncode(t, pictureOf(in(rgba, raster.Gray16), 301, 203, raster.Gray16), `{}`)).(*image.Gray); !ok {
		t.Errorf("grey pixels became %T", m)
	}
}

// TestPromises: a grey image has one component, unless it is translucent on a colour; and promises must be kept.
func TestPromises(t *testing.T) {
	gray := draw(3, 100, 40)
	for i := range gray {
		if i%4 < 3 {
			gray[i] = gray[i&^3]
		}
	}
	for _, f := range []raster.PixelFormat{raster.RGBA, raster.BGRA, raster.RGB, raster.RGBA16} {
		p := pictureOf(in(gray, f), 100, 40, f)
		p.Gray = true
		got := mustEncode(t, p, `{}`)
		if want := mustEncode(t, pictureOf(samples(gray, 1), 100, 40, raster.Gray), `{}`); !bytes.Equal(got, want) {
			t.Errorf("%v: other bytes than those of grey", f)
		}
		onColor := mustEncode(t, p, `{"background":"#ff0000"}`)
		if _, isGray := decode(t, onColor).(*image.Gray); isGray != !f.HasAlpha() {
			t.Errorf("%v on red: grey %v", f, isGray)
		}
		p.Opaque = true
		if onColor = mustEncode(t, p, `{"background":"#ff0000"}`); !bytes.Equal(onColor, got) {
			t.Errorf("%v, opaque, on red: other bytes", f)
		}
		for _, broken := range []struct {
			at   int
			text string
		}{{1, "grey pixels, as promised, got a coloured one in row 39"}, {f.Channels() - 1, "opaque pixels, as promised, got a transparent one in row 39"}} {
			if broken.at == 3 && !f.HasAlpha() || broken.at == 2 {
				continue
			}
			p.data = in(gray, f)
			p.data[len(p.data)-f.BytesPerPixel()+broken.at*f.Depth()/8] ^= 1
			for _, p.Whole = range []bool{true, false} {
				p.cut = func() int { return 9 }
				_, err := p.encode(`{}`)
				wantFault(t, err, fault.Input, broken.text)
			}
		}
	}
}

func wantFault(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || !strings.Contains(f.Message, text) {
		t.Errorf("got %v, want %s with %q", err, code.Name(), text)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		width, height int
		options       string
		buffer        []byte
		code          fault.Code
		text          string
	}{
		{65536, 1, `{}`, nil, fault.Limit, "Expected width to be at most 65535 for jpeg, got 65536"},
		{1, 65536, `{}`, nil, fault.Limit, "Expected height to be at most 65535 for jpeg, got 65536"},
		{1, 1, `{"quality":101}`, nil, fault.Option, `"quality" to be an integer from 0 to 100, got 101`},
		{1, 1, `{"subsampling":"4:2:2"}`, nil, fault.Option, `to be 4:2:0|4:4:4, got "4:2:2"`},
		{1, 1, `{"background":"red"}`, nil, fault.Option, `got "red"`},
		{1, 1, `{"progressive":true}`, nil, fault.Option, `"progressive" to be false, as only baseline JPEG is written, got true`},
		{1, 1, `{"restart":-1}`, nil, fault.Option, `from 0 to 65535, got -1`},
		{65535, 10, `{"restart":16}`, nil, fault.Option, `"restart" to be at most 15 for a width of 65535, got 16`},
		{65535, 10, `{"restart":8,"subsampling":"4:4:4"}`, nil, fault.Option, `to be at most 7 for a width of 65535, got 8`},
		{1, 1, `{"icc":{"$buffer":0}}`, []byte{}, fault.Option, `"icc" to have 1 to 16707345 bytes, got 0`},
		{1, 1, `{"icc":{"$buffer":0}}`, make([]byte, maxICC+1), fault.Option, `got 16707346`},
		{1, 1, `{"dpi":65536}`, nil, fault.Option, `"dpi" to be a number from 0 to 65535, got 65536`},
		{65535, 65535, `{"optimize":true}`, nil, fault.Limit, `at most 1073741824 bytes of pixels with jpeg option "optimize", got 17179344900`},
	} {
		_, err := New(flow.Unlimited(nil), raster.Header{Width: c.width, Height: c.height}, []byte(c.options), [][]byte{c.buffer})
		wantFault(t, err, c.code, c.text)
	}
	for _, height := range []int{1, 17, 40} { // of 41 rows
		p := pictureOf(draw(0, 9, 41), 9, 41, raster.RGBA)
		p.Whole, p.cut = false, func() int { return height }
		e, err := New(flow.Unlimited(&bytes.Buffer{}), p.Header, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Write(flow.Part{Buffers: [][]byte{p.data[:36*height]}}); err != nil {
			t.Fatal(err)
		}
		wantFault(t, e.Close(), fault.Input, "Expected 41 rows")
	}
}

// segments returns the contents of the segments with a marker, in order.
func segments(t *testing.T, b []byte, marker byte) (all [][]byte) {
	t.Helper()
	for at := 2; b[at+1] != markerSOS; at += 2 + int(binary.BigEndian.Uint16(b[at+2:])) {
		if b[at] != 0xff {
			t.Fatalf("no marker at %d", at)
		}
		if b[at+1] == marker {
			all = append(all, b[at+4:at+2+int(binary.BigEndian.Uint16(b[at+2:]))])
		}
	}
	return all
}

func TestMetadata(t *testing.T) {
	p := pictureOf(draw(0, 5, 5), 5, 5, raster.RGBA)
	for options, want := range map[string]string{
		`{}`: "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00", `{"dpi":300}`: "JFIF\x00\x01\x01\x01\x01\x2c\x01\x2c\x00\x00",
		`{"dpi":0.2}`: "JFIF\x00\x01\x01\x01\x00\x01\x00\x01\x00\x00", `{"dpi":71.6}`: "JFIF\x00\x01\x01\x01\x00\x48\x00\x48\x00\x00",
	} {
		if got := segments(t, mustEncode(t, p, options), markerAPP0); len(got) != 1 || string(got[0]) != want {
			t.Errorf("%s: APP0 is %q", options, got)
		}
	}
	for _, size := range []int{1, 65519, 65520, 200000} {
		profile := bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7}, size/7+1)[:size]
		b := mustEncode(t, p, `{"icc":{"$buffer":0}}`, profile)
		decode(t, b)
		var joined []byte
		all := segments(t, b, markerAPP2)
		for i, s := range all {
			if string(s[:12]) != "ICC_PROFILE\x00" || int(s[12]) != i+1 || int(s[13]) != len(all) {
				t.Errorf("%d bytes: segment %d begins with %q", size, i, s[:14])
			}
			joined = append(joined, s[14:]...)
		}
		if !bytes.Equal(joined, profile) {
			t.Errorf("%d bytes: the profile differs", size)
		}
	}
}

// TestRestart: markers are where DRI says, in order, and leave the pixels alone.
func TestRestart(t *testing.T) {
	p := pictureOf(draw(0, 40, 200), 40, 200, raster.RGBA)
	plain := mustEncode(t, p, `{}`)
	for _, restart := range []int{1, 2, 5, 13, 100} {
		options := fmt.Sprintf(`{"restart":%d}`, restart)
		b := mustEncode(t, p, options)
		marks := 0
		for i := bytes.Index(b, []byte{0xff, markerSOS}) + 2; i < len(b)-1; i++ {
			if b[i] == 0xff && b[i+1] >= markerRST0 && b[i+1] < markerRST0+8 {
				if int(b[i+1]-markerRST0) != marks%8 {
					t.Errorf("%s: marker %d is %x", options, marks, b[i+1])
				}
				marks++
			}
		}
		if want := (13 - 1) / restart; marks != want {
			t.Errorf("%s: %d markers, want %d", options, marks, want)
		}
		if d := difference(t, b, plain); d != 0 {
			t.Errorf("%s: other pixels", options)
		}
	}
}

// TestAbort: an encoder that is aborted fails soon, wherever it is, and so do later calls.
func TestAbort(t *testing.T) {
	for _, options := range []string{`{}`, `{"optimize":true}`} {
		w := flow.Unlimited(&bytes.Buffer{})
		p := pictureOf(draw(3, 64, 64), 64, 64, raster.RGBA)
		e, err := New(w, p.Header, []byte(options), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Abort(errAborted)
		wantFault(t, e.Write(flow.Part{Buffers: [][]byte{p.data}}), fault.Aborted, "aborted")
		wantFault(t, e.Close(), fault.Aborted, "aborted")
	}
}
