package png

import (
	"encoding/binary"
	"image"
	stdpng "image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluice-js/sluice/internal/raster"
)

// TestPngSuite encodes PngSuite's images in every pixel format that holds them, and compares after another decoder.
func TestPngSuite(t *testing.T) {
	names, err := filepath.Glob("testdata/pngsuite/*.png")
	if err != nil || len(names) < 30 {
		t.Fatalf("%d images, %v", len(names), err)
	}
	encoded := map[raster.PixelFormat]int{}
	seen := map[[2]byte]bool{} // colour types and depths that came out
	for _, name := range names {
		m := readPNG(t, name)
		want := wideOf(m)
		for _, f := range raster.PixelFormats() {
			p, fits := narrow(want, m.Bounds().Dx(), f)
			if !fits {
				continue
			}
			for i := range 4 {
				p.Whole = i&1 > 0
				b, err := encode(p, "fast", i&2 > 0, 1, rowsOf(5))
				if err == nil {
					err = p.check(b)
				}
				if err != nil {
					t.Errorf("%s as %v, whole %v, reduce %v: %v", name, f, p.Whole, i&2 > 0, err)
					continue
				}
				encoded[f]++
				colorType, depth, _, _ := head(b)
				seen[[2]byte{colorType, depth}] = true
			}
		}
	}
	for _, f := range raster.PixelFormats() {
		if encoded[f] < 4 {
			t.Errorf("%v: only %d images encoded", f, encoded[f])
		}
	}
	for _, kind := range [][2]byte{
		{grayscale, 8}, {grayscale, 16}, {truecolor, 8}, {truecolor, 16}, {indexed, 1}, {indexed, 2}, {indexed, 4},
		{indexed, 8}, {grayscaleAlpha, 8}, {grayscaleAlpha, 16}, {truecolorAlpha, 8}, {truecolorAlpha, 16},
	} {
		if !seen[kind] {
			t.Errorf("no image came out with colour type %d and depth %d", kind[0], kind[1])
		}
	}
}

func readPNG(t *testing.T, name string) image.Image {
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	m, err := stdpng.Decode(in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

// narrow returns 16-bit RGBA in format f, and whether it fits without loss.
func narrow(wide []byte, width int, f raster.PixelFormat) (picture, bool) {
	p := picture{Header: raster.Header{Width: width, Height: len(wide) / 8 / width, PixelFormat: f}}
	p.stride = p.RowBytes()
	for ; len(wide) > 0; wide = wide[8:] {
		var c [4]uint16
		for i := range c {
			c[i] = binary.BigEndian.Uint16(wide[2*i:])
			if f.Depth() == 8 && c[i]>>8 != c[i]&255 {
				return p, false
			}
		}
		if f.Channels() < 3 && (c[0] != c[1] || c[1] != c[2]) || !f.HasAlpha() && c[3] != 0xffff {
			return p, false
		}
		var keep []uint16
		switch f {
		case raster.BGRA:
			keep = []uint16{c[2], c[1], c[0], c[3]}
		case raster.RGB:
			keep = c[:3]
		case raster.GrayA:
			keep = []uint16{c[0], c[3]}
		case raster.Gray, raster.Gray16:
			keep = c[:1]
		default:
			keep = c[:]
		}
		for _, v := range keep {
			if f.Depth() == 16 {
				p.data = binary.NativeEndian.AppendUint16(p.data, v)
			} else {
				p.data = append(p.data, byte(v))
			}
		}
	}
	return p, true
}
