package png

import (
	"bytes"
	"fmt"
	"image/color"
	stdpng "image/png"
	"testing"

	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

// TestColor asks for samples of every pixel format, whole and pushed, and decodes them.
func TestColor(t *testing.T) {
	const w, h = 61, 40
	for name, rgba := range map[string][]byte{"overlay": sample.Overlay(w, h), "map": sample.Map(w, h), "noise": sample.Noise(w, h)} {
		for _, f := range raster.PixelFormats() {
			for _, c := range []struct {
				color            string
				colorType, depth byte
			}{{"rgb", truecolor, 8}, {"rgba", truecolorAlpha, 8}, {"argb4444", truecolorAlpha, 8}, {"mono", indexed, 1}} {
				for i := range 8 {
					p := from(rgba, w, f, i&1 > 0, 0)
					p.Whole = i&2 > 0
					options := fmt.Sprintf(`{"color":%q,"background":"#0af","interlace":%v}`, c.color, i&4 > 0)
					b, err := encodeWith(p, options, nil, 2, rowsOf(7))
					if err != nil {
						t.Fatal(name, f, options, err)
					}
					if colorType, depth, _, _ := head(b); colorType != c.colorType || depth != c.depth {
						t.Fatalf("%s %v %s: colour type %d, depth %d", name, f, options, colorType, depth)
					}
					checkColor(t, p, b, c.color)
				}
			}
		}
	}
}

// checkColor holds a PNG against what the color option makes of the pixels.
func checkColor(t *testing.T, p picture, b []byte, option string) {
	t.Helper()
	m, err := stdpng.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	straight := raster.Straight(p.Header)
	blend := raster.Blend(p.Header, false, [3]byte{0, 0xaa, 0xff})
	n := p.RowBytes()
	rgba, rgb := make([]byte, 4*p.Width), make([]byte, 3*p.Width)
	for y := range p.Height {
		row := p.data[y*p.stride:][:n]
		straight(rgba, row)
		blend(rgb, row)
		for x := range p.Width {
			want := color.NRGBA{rgb[3*x], rgb[3*x+1], rgb[3*x+2], 255}
			switch option {
			case "mono":
				light := 299*int(want.R)+587*int(want.G)+114*int(want.B) >= 127500
				if want = (color.NRGBA{0, 0, 0, 255}); light {
					want = color.NRGBA{255, 255, 255, 255}
				}
			case "rgba":
				want = color.NRGBA{rgba[4*x], rgba[4*x+1], rgba[4*x+2], rgba[4*x+3]}
			case "argb4444":
				near := func(v byte) byte { return byte(17 * int(float64(v)/17+0.5)) }
				want = color.NRGBA{near(rgba[4*x]), near(rgba[4*x+1]), near(rgba[4*x+2]), near(rgba[4*x+3])}
			}
			if got := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA); got != want && !(got.A == 0 && want.A == 0) {
				t.Fatalf("%v %s: pixel %d,%d is %v, want %v", p.PixelFormat, option, x, y, got, want)
			}
		}
	}
}
