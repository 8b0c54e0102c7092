package png

import (
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// Color says which samples an image gets.
type Color struct {
	// Color is which samples to write. auto keeps those of the pixels, less what Reduce drops. rgb and rgba write 8 bits of
	// each, whatever the pixels are. argb4444 is rgba of 16 values a sample, which takes fewer bytes and shows bands. mono
	// is black and white, an index of one bit: what is darker than half is black. Default auto.
	Color string `json:"color" choices:"auto|rgb|rgba|argb4444|mono"`
	// Background is what translucent pixels are blended on where no alpha is written: rgb and mono. Default white.
	Background option.Color `json:"background"`
}

// fixed returns the plan of an image whose samples were asked for; false for auto.
func (c *Color) fixed(h raster.Header) (plan, bool) {
	switch c.Color {
	case "rgb":
		return samples(h, truecolor, raster.Blend(h, false, c.Background)), true
	case "rgba":
		return samples(h, truecolorAlpha, raster.Straight(h)), true
	case "argb4444":
		straight := raster.Straight(h)
		return samples(h, truecolorAlpha, func(dst, src []byte) {
			straight(dst, src)
			coarsen(dst)
		}), true
	case "mono":
		p := raster.Mono(h, c.Background)
		return plan{
			colorType: indexed, depth: 1, pixelBytes: 1, rowBytes: (h.Width + 7) / 8,
			palette: &raster.Palette{Colors: [][4]byte{{0, 0, 0, 255}, {255, 255, 255, 255}}}, convert: p,
		}, true
	}
	return plan{}, false
}

// samples returns the plan for 8 bits a sample.
func samples(h raster.Header, colorType byte, convert func(dst, src []byte)) plan {
	n := 3
	if colorType == truecolorAlpha {
		n = 4
	}
	return plan{colorType: colorType, depth: 8, pixelBytes: n, rowBytes: n * h.Width, convert: convert}
}

// coarsen keeps four bits of each sample: the nearest of 0, 17, …, 255.
func coarsen(row []byte) {
	for i, v := range row {
		row[i] = byte((uint(v)*15+127)/255) * 17
	}
}
