package png

import (
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// PaletteOptions are what a caller may choose for an image of at most 256 colours.
type PaletteOptions struct {
	// Level is what to spend on size, as in Options.
	Level string `json:"level" choices:"stored|fastest|fast|balanced|small|auto"`
	// Interlace orders the pixels in Adam7's seven passes, as in Options.
	Interlace bool `json:"interlace"`
	// Colors is the most colours that are chosen; the image has fewer when that makes no difference. Default 256.
	Colors int `json:"colors" range:"1,256"`
	// Transparency is what becomes of alpha. full keeps it. binary makes pixels opaque whose alpha is at least 128, their
	// colour kept, and others wholly transparent. none blends all on Background. Default full.
	Transparency string `json:"transparency" choices:"full|binary|none"`
	// Background is what is seen through pixels that lose their alpha: by Transparency none, or because no colour of Palette
	// is translucent. Default white.
	Background option.Color `json:"background"`
	// Dither is the part of each pixel's error that is spread over its neighbours (Floyd and Steinberg). 0, the default, is
	// best for maps; 0.75 hides bands in photographs and takes more bytes; 1 adds noise where alpha fades.
	Dither float64 `json:"dither" range:"0,1"`
	// Palette is the colours to use, 1 to 256. Colors and PaletteGamma mean nothing then. Default: the best that are found.
	Palette option.Bytes `json:"palette"`
	// PaletteFormat is what Palette is made of: rgba, straight, 4 bytes a colour; rgb, 3 bytes; act, Adobe's colour table of
	// 768 bytes, or of 772 with the number of colours and the transparent one. Default rgba.
	PaletteFormat string `json:"paletteFormat" choices:"rgba|rgb|act"`
	// PaletteGamma bends the scale that colours are compared on while the palette is chosen: above 1 dark colours get more of
	// it, below 1 light ones. 1 and 0 leave it straight. Default 1.
	PaletteGamma float64 `json:"paletteGamma" range:"0,100"`
	Metadata
}

// PaletteDefaults returns the options of a caller who chooses nothing.
func PaletteDefaults() *PaletteOptions {
	return &PaletteOptions{
		Level: "fast", Colors: 256, Transparency: "full", Background: option.White, PaletteFormat: "rgba", PaletteGamma: 1,
	}
}

// opaqueFrom is the least alpha that binary transparency makes opaque.
const opaqueFrom = 128

// alpha returns what becomes of it. chosen are the colours of the user's palette, or nil.
func (o *PaletteOptions) alpha(chosen [][4]byte) raster.Alpha {
	a := raster.Alpha{Threshold: opaqueFrom, Background: o.Background}
	switch o.Transparency {
	case "binary":
		a.Transparency = raster.BinaryTransparency
	case "none":
		a.Transparency = raster.NoTransparency
	}
	opaque := chosen != nil
	for _, c := range chosen {
		opaque = opaque && c[3] == 255
	}
	if opaque {
		a.Transparency = raster.NoTransparency
	}
	return a
}

// chosen returns the colours of Palette; nil when there is none.
func (o *PaletteOptions) chosen() ([][4]byte, error) {
	p := o.Palette
	if p == nil {
		return nil, nil
	}
	if o.PaletteFormat == "act" {
		return adobe(p)
	}
	n := len(o.PaletteFormat) // bytes of a colour
	if len(p) == 0 || len(p)%n != 0 || len(p)/n > raster.MaxColors {
		return nil, fault.Newf(fault.Option, `Expected png8 option "palette" to be 1 to %d colours of %d bytes (%s), got %d bytes`,
			raster.MaxColors, n, o.PaletteFormat, len(p))
	}
	return colorsOf(p, n), nil
}

// colorsOf reads colours of n bytes.
func colorsOf(p []byte, n int) [][4]byte {
	colors := make([][4]byte, 0, len(p)/n)
	for ; len(p) >= n; p = p[n:] {
		c := [4]byte{3: 255}
		copy(c[:], p[:n])
		colors = append(colors, c)
	}
	return colors
}

// adobe reads a colour table: 256 colours of 3 bytes, then perhaps how many count and which is transparent, as 16-bit
// integers, big endian. An index beyond the colours means that none is.
func adobe(p []byte) ([][4]byte, error) {
	const table = 3 * 256
	switch len(p) {
	case table:
		return colorsOf(p, 3), nil
	case table + 4:
	default:
		return nil, fault.Newf(fault.Option, `Expected png8 option "palette" to be an Adobe colour table of %d or %d bytes, got %d`, table, table+4, len(p))
	}
	n, transparent := int(binary.BigEndian.Uint16(p[table:])), int(binary.BigEndian.Uint16(p[table+2:]))
	if n < 1 || n > 256 {
		return nil, fault.Newf(fault.Option, `Expected png8 option "palette" to have 1 to 256 colours, got an Adobe colour table of %d`, n)
	}
	colors := colorsOf(p[:3*n], 3)
	if transparent < n {
		colors[transparent][3] = 0
	}
	return colors, nil
}
