// Package bmp encodes Windows bitmaps as their rows arrive: 24 bits a pixel, 8 for grey images, or 32 with alpha.
//
// Rows come from top to bottom (a negative height), so they stream. Alpha needs a header of version 4 (BITMAPV4HEADER), which
// says where it lies; with an older one readers take it for padding.
package bmp

import (
	"encoding/binary"
	"math"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// Options are what a caller may choose.
type Options struct {
	// Alpha keeps it where pixels are not opaque; without, they are blended on Background. Default true.
	Alpha bool `json:"alpha"`
	// Background is what translucent pixels are blended on without alpha. Default white.
	Background option.Color `json:"background"`
	// DPI is the resolution in pixels per inch; 0, the default: none.
	DPI float64 `json:"dpi" range:"0,1000000"`
}

// Defaults returns the options of a caller who chooses nothing.
func Defaults() *Options { return &Options{Alpha: true, Background: option.White} }

// Encoder writes one image.
type Encoder struct {
	w       *flow.Writer
	header  raster.Header
	options *Options
	plan    plan
	rows    int    // that came
	buffer  []byte // converted rows; empty between writes
	err     error  // the first error; it sticks
}

// plan is how pixels become rows. It is fixed before the first.
type plan struct {
	channels int // 1, 3 or 4
	stride   int // bytes of a row, which end at a multiple of four
	convert  func(dst, src []byte)
}

// blockBytes is how much is converted at once.
const blockBytes = 64 << 10

// New returns an Encoder of an image. It writes nothing yet.
func New(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (*Encoder, error) {
	o := Defaults()
	if err := option.Decode("bmp", options, buffers, o); err != nil {
		return nil, err
	}
	e := &Encoder{w: w, header: h, options: o}
	if !h.Whole {
		if err := e.choose(h.Opaque, h.Gray); err != nil {
			return nil, err
		}
	} else if n := 3 * int64(h.Width) * int64(h.Height); n > math.MaxUint32 && h.PixelFormat.Channels() > 1 {
		return nil, tooLarge(n)
	}
	if h.RowBytes()*h.Height <= blockBytes {
		w.Small()
	}
	return e, nil
}

// choose makes the plan of an image of which that much is known.
func (e *Encoder) choose(opaque, gray bool) error {
	h := e.header
	opaque = opaque || !h.PixelFormat.HasAlpha()
	gray = gray || h.PixelFormat.Layout().Gray
	switch {
	case !opaque && e.options.Alpha:
		straight := raster.Straight(h)
		e.plan = plan{channels: 4, convert: func(dst, src []byte) {
			straight(dst, src)
			kernel.BGRAToRGBA(dst, dst) // blue and red change places
		}}
	case gray && (opaque || e.options.Background.Gray()):
		e.plan = plan{channels: 1, convert: raster.Blend(h, true, e.options.Background)}
	default:
		blend := raster.Blend(h, false, e.options.Background)
		e.plan = plan{channels: 3, convert: func(dst, src []byte) {
			blend(dst, src)
			for i := 0; i+3 <= len(dst); i += 3 {
				dst[i], dst[i+2] = dst[i+2], dst[i]
			}
		}}
	}
	e.plan.stride = (h.Width*e.plan.channels + 3) &^ 3
	if n := int64(e.plan.stride)*int64(h.Height) + int64(e.headBytes()); n > math.MaxUint32 {
		return tooLarge(n)
	}
	return nil
}

func tooLarge(n int64) error {
	return fault.Newf(fault.Limit, "Expected a bitmap of less than 4 GB, got %d bytes", n)
}

// Info says nothing that the table does not.
func (e *Encoder) Info() flow.Info { return flow.Info{} }

// Write encodes the next rows: all of them, when the header says that the image is whole. It returns when they have been
// read.
func (e *Encoder) Write(p flow.Part) error {
	if e.err == nil {
		e.err = e.write(p)
	}
	return e.err
}

func (e *Encoder) write(p flow.Part) error {
	s, err := raster.Rows(e.header, e.rows, p)
	if err != nil {
		return err
	}
	if e.rows == 0 {
		if e.header.Whole {
			opaque, gray := false, false
			if err := e.admitted(func() error {
				opaque, gray = raster.Look(e.header, s, e.w.Aborted)
				return nil
			}); err != nil {
				return err
			}
			if err := e.choose(opaque, gray); err != nil {
				return err
			}
		}
		if _, err := e.w.Write(e.head()); err != nil {
			return err
		}
	}
	n, used := e.header.RowBytes(), e.header.Width*e.plan.channels
	for y := 0; y < s.Height; {
		rows := min(s.Height-y, max(1, blockBytes/e.plan.stride))
		if cap(e.buffer) < rows*e.plan.stride {
			e.buffer = make([]byte, 0, rows*e.plan.stride)
		}
		if err := e.admitted(func() error {
			e.buffer = e.buffer[:rows*e.plan.stride]
			for i := range rows {
				if e.w.Aborted() {
					return e.w.Err()
				}
				row := s.Row(y+i, n)
				if !e.header.Whole {
					if err := e.header.Keeps(row, e.rows+i); err != nil {
						return err
					}
				}
				e.plan.convert(e.buffer[i*e.plan.stride:][:used], row)
			}
			return nil
		}); err != nil {
			return err
		}
		if _, err := e.w.Write(e.buffer); err != nil {
			return err
		}
		y += rows
		e.rows += rows
	}
	return nil
}

// admitted runs f in an admission slot. f must not write.
func (e *Encoder) admitted(f func() error) error {
	if err := e.w.Acquire(); err != nil {
		return err
	}
	defer e.w.Release()
	return flow.Guard(f)
}

// Close fails if rows are missing.
func (e *Encoder) Close() error {
	if e.err == nil {
		e.err = raster.Complete(e.header, e.rows)
	}
	return e.err
}

const (
	fileHeader = 14
	infoHeader = 40  // BITMAPINFOHEADER
	v4Header   = 108 // BITMAPV4HEADER
	bitfields  = 3
	sRGB       = 0x73524742 // 'sRGB'
)

func (e *Encoder) headBytes() int {
	switch e.plan.channels {
	case 1:
		return fileHeader + infoHeader + 4*256
	case 4:
		return fileHeader + v4Header
	}
	return fileHeader + infoHeader
}

// head returns all that comes before the first row.
func (e *Encoder) head() []byte {
	le, size, pixels := binary.LittleEndian, e.headBytes(), e.plan.stride*e.header.Height
	b := make([]byte, 0, size)
	b = append(b, "BM"...)
	b = le.AppendUint32(b, uint32(size+pixels))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(size))

	info, compression, colors := uint32(infoHeader), uint32(0), uint32(0)
	switch e.plan.channels {
	case 1:
		colors = 256
	case 4:
		info, compression = v4Header, bitfields
	}
	b = le.AppendUint32(b, info)
	b = le.AppendUint32(b, uint32(e.header.Width))
	b = le.AppendUint32(b, uint32(-int32(e.header.Height))) // from top to bottom
	b = le.AppendUint16(b, 1)                               // planes
	b = le.AppendUint16(b, uint16(8*e.plan.channels))
	b = le.AppendUint32(b, compression)
	b = le.AppendUint32(b, uint32(pixels))
	perMetre := uint32(math.Round(e.options.DPI / 0.0254))
	b = le.AppendUint32(b, perMetre)
	b = le.AppendUint32(b, perMetre)
	b = le.AppendUint32(b, colors)
	b = le.AppendUint32(b, 0) // all colours matter
	switch e.plan.channels {
	case 1:
		for v := range uint32(256) {
			b = le.AppendUint32(b, v*0x010101)
		}
	case 4:
		for _, mask := range []uint32{0x00ff0000, 0x0000ff00, 0x000000ff, 0xff000000} {
			b = le.AppendUint32(b, mask)
		}
		b = le.AppendUint32(b, sRGB)
		b = append(b, make([]byte, 36+12)...) // end points and gammas, which sRGB has
	}
	return b
}
