package raster

import (
	"math"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
)

// Strip is whole rows of an image, top to bottom. It borrows Data.
type Strip struct {
	Data   []byte
	Stride int // bytes from row to row
	Height int // rows
}

// Row returns the first n bytes of row y.
func (s Strip) Row(y, n int) []byte { return s.Data[y*s.Stride:][:n:n] }

// maxStride is far beyond any buffer, and small enough that stride * height does not overflow.
const maxStride = 1 << 40

// Rows reads a part as rows of the image, of which the rows above top came before.
//
// The part is one buffer. Its Meta may have a stride (bytes, default: rows are packed) and a height (rows, default: all
// rows of a whole image, else the rows that the buffer holds, which must be whole). The last row needs no padding.
func Rows(h Header, top int, part flow.Part) (Strip, error) {
	const absent = math.MinInt
	o := struct {
		Stride int `json:"stride"`
		Height int `json:"height"`
	}{absent, absent}
	if err := option.Decode("image", part.Meta, nil, &o); err != nil {
		return Strip{}, err
	}
	if len(part.Buffers) != 1 {
		return Strip{}, fault.Newf(fault.Input, "Expected one buffer of rows, got %d", len(part.Buffers))
	}
	s := Strip{Data: part.Buffers[0], Stride: o.Stride, Height: o.Height}
	row := h.RowBytes()
	switch {
	case s.Stride == absent:
		s.Stride = row
	case s.Stride < row:
		return Strip{}, fault.Newf(fault.Input, "Expected a stride of at least %d bytes for rows of %d %v pixels, got %d",
			row, h.Width, h.PixelFormat, s.Stride)
	case s.Stride > maxStride:
		return Strip{}, fault.Newf(fault.Input, "Expected a stride of at most %d bytes, got %d", int64(maxStride), s.Stride)
	}
	if s.Height == absent {
		if h.Whole {
			s.Height = h.Height
		} else if s.Height = s.whole(row); s.Height == 0 {
			return Strip{}, fault.Newf(fault.Input, "Expected whole rows of %d bytes (%d %v pixels, stride %d), got %d bytes",
				row, h.Width, h.PixelFormat, s.Stride, len(s.Data))
		}
	}
	if h.Whole && s.Height != h.Height {
		return Strip{}, fault.Newf(fault.Input, "Expected all %d rows at once, got %d", h.Height, s.Height)
	}
	if s.Height < 0 || s.Height > h.Height-top {
		return Strip{}, fault.Newf(fault.Input, "Expected at most %d more of %d rows, got %d", h.Height-top, h.Height, s.Height)
	}
	if s.Height > 0 {
		if need := (s.Height-1)*s.Stride + row; len(s.Data) < need {
			return Strip{}, fault.Newf(fault.Input, "Expected at least %d bytes for %d x %d %v pixels with stride %d, got %d",
				need, h.Width, s.Height, h.PixelFormat, s.Stride, len(s.Data))
		}
	}
	return s, nil
}

// whole returns how many rows Data holds; 0 when it does not end with one. row is the bytes of a row's pixels.
func (s Strip) whole(row int) int {
	n := len(s.Data)
	switch {
	case n >= row && (n-row)%s.Stride == 0:
		return (n-row)/s.Stride + 1
	case n > 0 && n%s.Stride == 0:
		return n / s.Stride
	}
	return 0
}

// Complete returns a fault unless all rows have come.
func Complete(h Header, rows int) error {
	if rows < h.Height {
		return fault.Newf(fault.Input, "Expected %d rows, got %d", h.Height, rows)
	}
	return nil
}
