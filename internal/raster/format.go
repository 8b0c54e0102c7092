package raster

// PixelFormat is how a source keeps its pixels in memory: the order, number and depth of the samples.
type PixelFormat uint8

// Samples of 16 bits are in the machine's byte order.
const (
	RGBA PixelFormat = iota
	BGRA
	RGB
	GrayA
	Gray
	RGBA16
	Gray16
)

var formats = [...]struct {
	name            string
	channels, depth int
	alpha           bool
}{
	RGBA:   {"rgba", 4, 8, true},
	BGRA:   {"bgra", 4, 8, true},
	RGB:    {"rgb", 3, 8, false},
	GrayA:  {"graya", 2, 8, true},
	Gray:   {"gray", 1, 8, false},
	RGBA16: {"rgba16", 4, 16, true},
	Gray16: {"gray16", 1, 16, false},
}

// PixelFormats returns every pixel format.
func PixelFormats() []PixelFormat {
	all := make([]PixelFormat, len(formats))
	for i := range all {
		all[i] = PixelFormat(i)
	}
	return all
}

// String returns the name that options use: "rgba".
func (f PixelFormat) String() string { return formats[f].name }

// Channels returns the number of samples of a pixel.
func (f PixelFormat) Channels() int { return formats[f].channels }

// Depth returns the number of bits of a sample.
func (f PixelFormat) Depth() int { return formats[f].depth }

// HasAlpha reports whether the last sample of a pixel is its opacity.
func (f PixelFormat) HasAlpha() bool { return formats[f].alpha }

// BytesPerPixel returns the size of a pixel.
func (f PixelFormat) BytesPerPixel() int { return formats[f].channels * formats[f].depth / 8 }

// color reports whether a pixel has more than one sample beside alpha.
func (f PixelFormat) color() bool { return formats[f].channels >= 3 }
