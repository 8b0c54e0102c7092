// Package raster describes images and their rows: what a caller says about them, whether the bytes that come fit that,
// and how rows of any pixel format become rows as image formats want them.
//
// Sizes are checked here, before anything is allocated. Pixels are borrowed and may change while they are read: every
// function here then yields wrong pixels, never a panic.
package raster

import (
	"math"
	"strconv"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/option"
)

// Limits of an image: width and height in pixels, and their product.
const (
	MaxSide   = 1 << 20
	MaxPixels = 1 << 32
)

// Header is what is known of an image before its first row.
type Header struct {
	Width, Height int
	PixelFormat   PixelFormat
	Premultiplied bool // colour samples have been multiplied by alpha
	Opaque        bool // promise: every pixel is opaque
	Gray          bool // promise: every pixel is grey
	Whole         bool // all rows come at once
}

// Decode reads a Header from the JSON that describes an image.
func Decode(raw []byte) (Header, error) {
	o := struct {
		Width         float64 `json:"width"`
		Height        float64 `json:"height"`
		PixelFormat   string  `json:"pixelFormat" choices:"rgba|bgra|rgb|graya|gray|rgba16|gray16"`
		Premultiplied bool    `json:"premultiplied"`
		Opaque        bool    `json:"opaque"`
		Gray          bool    `json:"gray"`
		Whole         bool    `json:"whole"`
	}{PixelFormat: "rgba"}
	if err := option.Decode("image", raw, nil, &o); err != nil {
		return Header{}, err
	}
	if err := checkSize(o.Width, o.Height); err != nil {
		return Header{}, err
	}
	h := Header{
		Width: int(o.Width), Height: int(o.Height),
		Premultiplied: o.Premultiplied, Opaque: o.Opaque, Gray: o.Gray, Whole: o.Whole,
	}
	for _, f := range PixelFormats() {
		if f.String() == o.PixelFormat {
			h.PixelFormat = f
		}
	}
	return h, nil
}

func checkSize(width, height float64) error {
	for _, side := range []struct {
		name string
		n    float64
	}{{"width", width}, {"height", height}} {
		if side.n < 1 || side.n > MaxSide || side.n != math.Trunc(side.n) {
			return fault.Newf(fault.Limit, "Expected %s to be an integer from 1 to %d, got %s", side.name, MaxSide, plain(side.n))
		}
	}
	if width*height > MaxPixels {
		return fault.Newf(fault.Limit, "Expected at most %d pixels, got %s x %s", int64(MaxPixels), plain(width), plain(height))
	}
	return nil
}

// plain writes a number without an exponent.
func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// RowBytes returns the bytes of a row's pixels, without what a stride adds.
func (h Header) RowBytes() int { return h.Width * h.PixelFormat.BytesPerPixel() }

// Keeps returns a fault when row y of an image that is pushed is not as its header promises.
func (h Header) Keeps(row []byte, y int) error {
	if h.Opaque && !h.PixelFormat.Opaque(row) {
		return fault.Newf(fault.Input, "Expected opaque pixels, as promised, got a transparent one in row %d", y)
	}
	if h.Gray && !h.PixelFormat.Gray(row) {
		return fault.Newf(fault.Input, "Expected grey pixels, as promised, got a coloured one in row %d", y)
	}
	return nil
}
