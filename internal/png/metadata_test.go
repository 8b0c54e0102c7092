package png

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

// chunksOf returns the data of a PNG's chunks by name, and the names in order.
func chunksOf(b []byte) (map[string][]byte, []string) {
	chunks, names := map[string][]byte{}, []string{}
	for b = b[8:]; len(b) > 0; {
		n := int(binary.BigEndian.Uint32(b))
		name := string(b[4:8])
		chunks[name] = b[8 : 8+n]
		names = append(names, name)
		b = b[12+n:]
	}
	return chunks, names
}

func TestMetadata(t *testing.T) {
	p := from(sample.Map(20, 10), 20, raster.RGBA, false, 0)
	p.Whole = true
	profile := bytes.Repeat([]byte("profile "), 100)
	b, err := encodeWith(p, `{"dpi":96,"gamma":2.2,"icc":{"$buffer":0},"text":{"Title":"Küste","Author":"地図"}}`, [][]byte{profile}, 1, nil)
	if err == nil {
		err = p.check(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	chunks, names := chunksOf(b)
	if got := strings.Join(names, " "); got != "IHDR iCCP gAMA pHYs iTXt tEXt IDAT IEND" && got != "IHDR iCCP gAMA PLTE pHYs iTXt tEXt IDAT IEND" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(chunks["pHYs"]); got != "[0 0 14 196 0 0 14 196 1]" { // 3780 a metre
		t.Errorf("pHYs: got %s", got)
	}
	if got := binary.BigEndian.Uint32(chunks["gAMA"]); got != 45455 {
		t.Errorf("gAMA: got %d", got)
	}
	if got := string(chunks["tEXt"]); got != "Title\x00K\xfcste" {
		t.Errorf("tEXt: got %q", got)
	}
	if got := string(chunks["iTXt"]); got != "Author\x00\x00\x00\x00\x00地図" {
		t.Errorf("iTXt: got %q", got)
	}
	_, packed, _ := bytes.Cut(chunks["iCCP"], []byte{0, 0})
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(z); !bytes.Equal(got, profile) {
		t.Errorf("iCCP: got %d bytes", len(got))
	}

	b, err = encodeWith(p, `{"srgb":true}`, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if chunks, _ := chunksOf(b); fmt.Sprint(chunks["sRGB"]) != "[0]" || chunks["pHYs"] != nil || chunks["gAMA"] != nil {
		t.Errorf("got %v", chunks)
	}
}

func TestMetadataErrors(t *testing.T) {
	for options, text := range map[string]string{
		`{"srgb":true,"icc":{"$buffer":0}}`:      "got both",
		`{"dpi":-1}`:                             "from 0 to 1000000, got -1",
		`{"gamma":101}`:                          "from 0 to 100, got 101",
		`{"text":{"":"x"}}`:                      `got ""`,
		`{"text":{" a":"x"}}`:                    `got " a"`,
		`{"text":{"a  b":"x"}}`:                  `got "a  b"`,
		`{"text":{"地図":"x"}}`:                    `got "地図"`,
		`{"text":{"a":"x\u0000"}}`:               "zero characters",
		fmt.Sprintf(`{"text":{"%080d":"x"}}`, 0): "1 to 79",
	} {
		_, err := New(flow.Unlimited(nil), raster.Header{Width: 1, Height: 1}, []byte(options), [][]byte{{1}})
		wantFault(t, err, fault.Option, text)
	}
}

// TestInterlace: Adam7 at every size up to two of its tiles, and with several strips.
func TestInterlace(t *testing.T) {
	check := func(width, height int, rgba []byte, f raster.PixelFormat, whole bool) {
		t.Helper()
		p := from(rgba, width, f, false, 3)
		p.Whole = whole
		b, err := encodeWith(p, `{"interlace":true}`, nil, 2, rowsOf(3))
		if err == nil {
			err = p.check(b)
		}
		if err != nil {
			t.Fatalf("%d x %d %v, whole %v: %v", width, height, f, whole, err)
		}
		if chunks, _ := chunksOf(b); chunks["IHDR"][12] != 1 {
			t.Fatal("not interlaced")
		}
	}
	for width := 1; width <= 16; width++ {
		for height := 1; height <= 16; height++ {
			check(width, height, sample.Noise(width, height), raster.RGBA, true)
			check(width, height, sample.Map(width, height), raster.RGB, height%2 == 0)
		}
	}
	for _, f := range raster.PixelFormats() {
		check(301, 203, sample.Photo(301, 203), f, true)
		check(301, 203, sample.Overlay(301, 203), f, false)
	}
	huge := &Encoder{header: raster.Header{Width: 1 << 20, Height: 1 << 12}}
	wantFault(t, huge.fitsInterlaced(), fault.Limit, "it has to be in memory")
}
