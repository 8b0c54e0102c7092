package tiff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	xtiff "golang.org/x/image/tiff"
	"golang.org/x/image/tiff/lzw"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

// encode returns the TIFF of rgba pixels in format f; cut is the rows of a part, 0: all at once.
func encode(h raster.Header, data []byte, options string, cut int, big bool) ([]byte, error) {
	var out bytes.Buffer
	w := flow.Unlimited(&out)
	h.Whole = cut == 0
	e, err := New(w, h, []byte(options), nil)
	if err != nil {
		return nil, err
	}
	e.big = big
	if err = sample.Feed(e, h, data, cut); err != nil {
		return nil, err
	}
	w.Wait()
	return out.Bytes(), nil
}

// in returns rgba pixels in another format.
func in(f raster.PixelFormat, rgba []byte) (data []byte) {
	for ; len(rgba) > 0; rgba = rgba[4:] {
		r, g, b, a := rgba[0], rgba[1], rgba[2], rgba[3]
		switch f {
		case raster.RGBA:
			data = append(data, r, g, b, a)
		case raster.BGRA:
			data = append(data, b, g, r, a)
		case raster.RGB:
			data = append(data, r, g, b)
		case raster.Gray:
			data = append(data, r)
		case raster.GrayA:
			data = append(data, r, a)
		case raster.Gray16:
			data = binary.NativeEndian.AppendUint16(data, uint16(r)<<8|uint16(g))
		case raster.RGBA16:
			for _, v := range []byte{r, g, b, a} {
				data = binary.NativeEndian.AppendUint16(data, uint16(v)<<8|uint16(g))
			}
		}
	}
	return data
}

var shapes = []string{
	`{"compression":"none"}`,
	`{"compression":"none","rowsPerStrip":7,"dpi":96}`,
	`{"compression":"none","tiled":true,"tileWidth":16,"tileHeight":32}`,
	`{}`,
	`{"level":"stored","rowsPerStrip":1}`,
	`{"level":"small","tiled":true}`,
	`{"level":"balanced","predictor":"horizontal","rowsPerStrip":9}`,
	`{"compression":"lzw"}`,
	`{"rowsPerStrip":1000}`,
	`{"compression":"lzw","predictor":"horizontal","tiled":true,"tileWidth":48,"tileHeight":16}`,
	`{"geo":{"bbox":[5,50,6,51],"epsg":4326}}`,
}

func TestEncode(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {7, 5}, {130, 67}} {
		for _, f := range raster.PixelFormats() {
			if f == raster.GrayA {
				continue // the decoder knows none; test/e2e/tiff.test.js has another
			}
			rgba := sample.Noise(size.X, size.Y)
			data := in(f, rgba)
			h := raster.Header{Width: size.X, Height: size.Y, PixelFormat: f}
			for _, options := range shapes {
				want, err := encode(h, data, options, 0, false)
				if err != nil {
					t.Fatal(size, f, options, err)
				}
				for _, cut := range []int{1, 10} {
					if got, err := encode(h, data, options, cut, false); err != nil || !bytes.Equal(got, want) {
						t.Fatal(size, f, options, "pushed is not as whole", err)
					}
				}
				m, err := xtiff.Decode(bytes.NewReader(want))
				if err != nil {
					t.Fatal(size, f, options, err)
				}
				check(t, fmt.Sprint(size, f, options), m, f, rgba, size.X)
			}
		}
	}
}

func check(t *testing.T, what string, m image.Image, f raster.PixelFormat, rgba []byte, width int) {
	t.Helper()
	for i := 0; i < len(rgba); i += 4 {
		x, y := i/4%width, i/4/width
		p := rgba[i:]
		var want color.Color
		switch f {
		case raster.RGBA, raster.BGRA:
			want = color.NRGBA{p[0], p[1], p[2], p[3]}
		case raster.RGB:
			want = color.RGBA{p[0], p[1], p[2], 255}
		case raster.Gray:
			want = color.Gray{p[0]}
		case raster.Gray16:
			want = color.Gray16{uint16(p[0])<<8 | uint16(p[1])}
		case raster.RGBA16:
			wide := func(v byte) uint16 { return uint16(v)<<8 | uint16(p[1]) }
			want = color.NRGBA64{wide(p[0]), wide(p[1]), wide(p[2]), wide(p[3])}
		}
		got := m.At(x, y)
		r, g, b, a := got.RGBA()
		wr, wg, wb, wa := want.RGBA()
		if r != wr || g != wg || b != wb || a != wa {
			t.Fatalf("%s: pixel %d,%d: got %v, want %v", what, x, y, got, want)
		}
	}
}

func TestAlphaIsBlended(t *testing.T) {
	rgba := sample.Overlay(50, 30)
	h := raster.Header{Width: 50, Height: 30}
	b, err := encode(h, rgba, `{"alpha":false,"background":"#102030"}`, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	m, err := xtiff.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	rgb := make([]byte, 3*50*30)
	raster.Blend(h, false, [3]byte{0x10, 0x20, 0x30})(rgb, rgba)
	for i := 0; i < len(rgb); i += 3 {
		if got, want := m.At(i/3%50, i/150), (color.RGBA{rgb[i], rgb[i+1], rgb[i+2], 255}); got != want {
			t.Fatalf("pixel %d: got %v, want %v", i/3, got, want)
		}
	}
}

// A BigTIFF has the same strips behind another directory.
func TestBigTIFF(t *testing.T) {
	h := raster.Header{Width: 40, Height: 33}
	data := sample.Map(40, 33)
	for _, options := range shapes {
		b, err := encode(h, data, options, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		classic, err := encode(h, data, options, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		m, err := xtiff.Decode(bytes.NewReader(b))
		if err != nil { // the decoder may know no BigTIFF: then its header and strips are looked at
			if b[2] != 43 || len(b) <= len(classic) || !bytes.HasSuffix(b, classic[len(classic)-1000:]) {
				t.Fatal(options, err)
			}
			continue
		}
		check(t, options, m, raster.RGBA, data, 40)
	}
	var out bytes.Buffer
	w := flow.Unlimited(&out)
	h = raster.Header{Width: 40000, Height: 30000}
	e, err := New(w, h, []byte(`{"compression":"none"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Write(flow.Part{Buffers: [][]byte{make([]byte, 4*40000)}}); err != nil {
		t.Fatal(err)
	}
	w.Wait()
	if b := out.Bytes(); len(b) < 160000 || b[2] != 43 {
		t.Fatalf("4.8 GB begin with % x", b[:4])
	}
}

func TestErrors(t *testing.T) {
	h := raster.Header{Width: 20, Height: 10}
	for options, want := range map[string]string{
		`{"compression":"zip"}`:                      `4 Expected tiff option "compression" to be none|deflate|lzw, got "zip"`,
		`{"tiled":true,"tileWidth":17}`:              `4 Expected tiff option "tileWidth" to be a multiple of 16, got 17`,
		`{"geo":{}}`:                                 `4 Expected tiff option "geo" with "bbox", or with "origin" and "pixelSize", got {}`,
		`{"geo":{"bbox":[1,2,3]}}`:                   `4 Expected tiff geo option "bbox" to be 4 numbers, got [1 2 3]`,
		`{"geo":{"bbox":[1,2,3,2]}}`:                 `4 Expected tiff geo option "bbox" to be minx, miny, maxx, maxy with min below max, got [1 2 3 2]`,
		`{"geo":{"bbox":[1,2,3,4],"origin":[1,2]}}`:  `4 Expected tiff geo option "bbox" or "origin" and "pixelSize", got both`,
		`{"geo":{"origin":[1,2],"pixelSize":[0,1]}}`: `4 Expected tiff geo option "pixelSize" to be two numbers above 0, got [0 1]`,
		`{"geo":{"origin":[1,2]}}`:                   `4 Expected tiff option "geo" with "bbox", or with "origin" and "pixelSize", got {"origin":[1,2]}`,
		`{"geo":{"origin":"x"}}`:                     `4 Expected tiff geo option "origin" to be a list of numbers, got "x"`,
		`{"geo":{"epsg":70000}}`:                     `4 Expected tiff geo option "epsg" to be an integer from 0 to 65535, got 70000`,
	} {
		_, err := New(flow.Unlimited(&bytes.Buffer{}), h, []byte(options), nil)
		if f, ok := err.(*fault.Error); !ok || fmt.Sprint(f.Code, " ", f.Message) != want {
			t.Errorf("%s: got %v", options, err)
		}
	}
	for _, c := range []struct {
		h       raster.Header
		options string
	}{
		{raster.Header{Width: 20000, Height: 20000}, `{}`},
		{raster.Header{Width: 1 << 16, Height: 1 << 16}, `{"compression":"none","tiled":true,"tileWidth":16,"tileHeight":16}`},
		{raster.Header{Width: 1 << 20, Height: 1 << 12}, `{"compression":"none","tiled":true}`},
	} {
		_, err := New(flow.Unlimited(&bytes.Buffer{}), c.h, []byte(c.options), nil)
		if f, ok := err.(*fault.Error); !ok || f.Code != fault.Limit {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	_, err := encode(raster.Header{Width: 20, Height: 10, Opaque: true}, make([]byte, 800), `{}`, 3, false)
	if f, ok := err.(*fault.Error); !ok || f.Code != fault.Input {
		t.Errorf("a broken promise: got %v", err)
	}
}

func TestLZW(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		size, symbols := r.IntN(60000), 1+r.IntN(256)
		if n < 20 {
			size = n
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(r.IntN(symbols))
		}
		packed := new(table).append(nil, data, func() bool { return false })
		got := new(bytes.Buffer)
		if _, err := got.ReadFrom(lzw.NewReader(bytes.NewReader(packed), lzw.MSB, 8)); err != nil || !bytes.Equal(got.Bytes(), data) {
			t.Fatalf("%d bytes of %d symbols: %v", size, symbols, err)
		}
	}
}

// Segments that are compressed in several pieces.
func TestLongSegments(t *testing.T) {
	const side = 500
	for _, draw := range []func(width, height int) []byte{sample.Photo, sample.Noise, sample.Map} {
		data := draw(side, side)
		for _, options := range []string{`{"rowsPerStrip":500}`, `{"rowsPerStrip":500,"level":"small","predictor":"horizontal"}`, `{"tiled":true,"tileWidth":512,"tileHeight":512,"level":"balanced"}`, `{"compression":"lzw","rowsPerStrip":500}`} {
			file, err := encode(raster.Header{Width: side, Height: side}, data, options, 0, false)
			if err != nil {
				t.Fatal(options, err)
			}
			m, err := xtiff.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(options, err)
			}
			for i := range side * side {
				p := data[4*i:]
				if got, want := color.NRGBAModel.Convert(m.At(i%side, i/side)), (color.NRGBA{p[0], p[1], p[2], p[3]}); got != want && p[3] > 0 {
					t.Fatalf("%s: pixel %d: got %v, want %v", options, i, got, want)
				}
			}
		}
	}
}
