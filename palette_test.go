package main

import (
	"bytes"
	"image"
	"image/color"
	stdpng "image/png"
	"testing"
)

// buffers are options that samples refer to by their index.
var buffers = [][]byte{colorCube()}

// colorCube returns the palette of 6 values of red, green and blue each.
func colorCube() (p []byte) {
	for i := range 216 {
		p = append(p, byte(i/36*51), byte(i/6%6*51), byte(i%6*51))
	}
	return p
}

// checkNearest holds a PNG against opaque pixels of which each became the nearest of the colour cube, or one about as near.
func checkNearest(t testing.TB, pixels, output []byte) {
	t.Helper()
	m, err := stdpng.Decode(bytes.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	indexed, ok := m.(*image.Paletted)
	if !ok || len(indexed.Palette) != 216 {
		t.Fatalf("got %T", m)
	}
	distance := func(p []byte, r, g, b int) int {
		dr, dg, db := int(p[0])-r, int(p[1])-g, int(p[2])-b
		return dr*dr + dg*dg + db*db
	}
	step := func(v byte) int { return (int(v) + 25) / 51 * 51 }
	for y := range height {
		for x := range width {
			p := pixels[4*(y*width+x):]
			c := indexed.Palette[indexed.ColorIndexAt(x, y)].(color.RGBA)
			least := distance(p, step(p[0]), step(p[1]), step(p[2]))
			if got := distance(p, int(c.R), int(c.G), int(c.B)); got > least+least/4+51 {
				t.Fatalf("pixel %d,%d: %v became %v", x, y, p[:4], c)
			}
		}
	}
}
