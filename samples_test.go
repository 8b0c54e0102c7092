package main

import (
	"bytes"
	"image"
	"image/gif"
	stdjpeg "image/jpeg"
	stdpng "image/png"
	"testing"

	"github.com/sluice-js/sluice/internal/sample"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// example is an input for a format. unit is the number of bytes at whose multiples the input may be cut.
type example struct {
	kind    string
	source  map[string]any
	options map[string]any
	input   []byte
	unit    int
	hostile []map[string]any // changes of source that must fail
	gathers bool             // the format cannot leave before its last part, by its nature
	check   func(t testing.TB, input, output []byte)
}

// samples are an input for each format.
var samples = map[string]example{
	"gml32":   features(checkGML),
	"geojson": features(checkGeoJSON),
	"csv":     features(checkCSV),
	"png": {
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		input:   sample.Map(width, height),
		unit:    4 * width,
		hostile: absurd,
		check:   func(t testing.TB, input, output []byte) { checkPixels(t, input, output, width, height) },
	},
	"png8": { // with a palette: without one it needs the whole image
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		options: map[string]any{"palette": map[string]any{"$buffer": 0}, "paletteFormat": "rgb"},
		input:   sample.Map(width, height),
		unit:    4 * width,
		hostile: absurd,
		check:   checkNearest,
	},
	"webp": {
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		options: map[string]any{"lossless": true, "method": 0, "quality": 0},
		input:   sample.Map(width, height),
		unit:    4 * width,
		hostile: append([]map[string]any{{"width": 16384}, {"height": 16384}}, absurd...),
		gathers: true,
		check: func(t testing.TB, input, output []byte) {
			m, err := webp.Decode(bytes.NewReader(output))
			checkImage(t, input, m, err, width, height)
		},
	},
	"gif": {
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		input:   posterised(sample.Map(width, height)),
		unit:    4 * width,
		hostile: append([]map[string]any{{"width": 65536}, {"height": 65536}}, absurd...),
		gathers: true,
		check: func(t testing.TB, input, output []byte) {
			m, err := gif.Decode(bytes.NewReader(output))
			checkImage(t, input, m, err, width, height)
		},
	},
	"tiff": {
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		input:   sample.Map(width, height),
		unit:    4 * width,
		options: map[string]any{"compression": "none"}, // deflate and lzw gather strips
		hostile: absurd,
		check: func(t testing.TB, input, output []byte) {
			m, err := tiff.Decode(bytes.NewReader(output))
			checkImage(t, input, m, err, width, height)
		},
	},
	"bmp": {
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		input:   sample.Map(width, height),
		unit:    4 * width,
		hostile: append([]map[string]any{{"width": 1 << 16, "height": 1 << 15}}, absurd...),
		check: func(t testing.TB, input, output []byte) {
			m, err := bmp.Decode(bytes.NewReader(output))
			checkImage(t, input, m, err, width, height)
		},
	},
	"arrow": {
		kind:   "arrow",
		source: map[string]any{"codec": "zstd"},
		input:  arrowSample(),
		unit:   97,
		check:  checkArrow,
	},
	"bytes": {
		kind:   "bytes",
		source: map[string]any{"type": "text/xml; charset=utf-8"},
		input:  sample.Text(150_000),
		unit:   997,
		check: func(t testing.TB, input, output []byte) {
			if !bytes.Equal(input, output) {
				t.Error("the bytes differ")
			}
		},
	},
	"jpegpng": {
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		input:   sample.Map(width, height),
		unit:    4 * width,
		hostile: []map[string]any{{"width": 0}, {"height": -1}, {"width": 1 << 31, "height": 1 << 31}},
		check: func(t testing.TB, input, output []byte) {
			if bytes.HasPrefix(output, []byte("\x89PNG")) { // of a pushed image without a promise
				checkPixels(t, input, output, width, height)
			} else {
				checkLikeness(t, input, output, width, height)
			}
		},
	},
	"jpeg": {
		kind:    "image",
		source:  map[string]any{"width": width, "height": height},
		input:   sample.Map(width, height),
		unit:    4 * width,
		hostile: []map[string]any{{"width": 65536}, {"height": 65536}, {"width": 0}, {"height": -1}, {"width": 1 << 31, "height": 1 << 31}},
		check:   func(t testing.TB, input, output []byte) { checkLikeness(t, input, output, width, height) },
	},
}

// checkLikeness holds a JPEG against opaque RGBA pixels; the decoder is Go's own.
func checkLikeness(t testing.TB, pixels, output []byte, width, height int) {
	t.Helper()
	m, err := stdjpeg.Decode(bytes.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	if b := m.Bounds(); b.Dx() != width || b.Dy() != height {
		t.Fatalf("got %v", b)
	}
	sum := 0
	for y := range height {
		for x := range width {
			r, g, b, _ := m.At(x, y).RGBA()
			for i, v := range []uint32{r, g, b} {
				d := int(v>>8) - int(pixels[4*(y*width+x)+i])
				sum += d * d
			}
		}
	}
	if mean := sum / (3 * width * height); mean > 100 { // squared error of coloured text in 4:2:0
		t.Fatalf("a mean square error of %d", mean)
	}
}

// posterised returns pixels with at most 64 colours.
func posterised(pixels []byte) []byte {
	for i := range pixels {
		if i%4 < 3 {
			pixels[i] &= 0xc0
		}
	}
	return pixels
}

// absurd sizes fail for every image.
var absurd = []map[string]any{
	{"width": 0}, {"height": 0}, {"width": -1}, {"height": 1 << 40}, {"width": 1 << 31, "height": 1 << 31}, {"width": 1 << 20, "height": 1 << 20},
}

// checkPixels holds a PNG against straight RGBA pixels; the decoder is Go's own.
func checkPixels(t testing.TB, pixels, output []byte, width, height int) {
	t.Helper()
	m, err := stdpng.Decode(bytes.NewReader(output))
	checkImage(t, pixels, m, err, width, height)
}

// checkImage holds what a decoder returned against straight RGBA pixels.
func checkImage(t testing.TB, pixels []byte, m image.Image, err error, width, height int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if b := m.Bounds(); b.Dx() != width || b.Dy() != height {
		t.Fatalf("got %v", b)
	}
	for y := range height {
		for x := range width {
			p := pixels[4*(y*width+x):]
			r, g, b, a := m.At(x, y).RGBA()
			wr, wg, wb, wa := uint32(p[0])*0x101*uint32(p[3])/255, uint32(p[1])*0x101*uint32(p[3])/255, uint32(p[2])*0x101*uint32(p[3])/255, uint32(p[3])*0x101
			if r != wr || g != wg || b != wb || a != wa {
				t.Fatalf("pixel %d,%d: got %d %d %d %d, want %d %d %d %d", x, y, r, g, b, a, wr, wg, wb, wa)
			}
		}
	}
}
