// Package gif encodes GIF images (GIF89a): at most 256 colours, of which one may be transparent.
//
// The colours come before the pixels and are chosen from all of them. So a pushed image is kept until its last row; from
// there on rows leave as they are compressed.
package gif

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/quantize"
	"github.com/sluice-js/sluice/internal/raster"
)

// Options are what a caller may choose.
type Options struct {
	// Colors is the most colours, the transparent one included. Default 256.
	Colors int `json:"colors" range:"2,256"`
	// Transparency is what becomes of alpha: binary makes pixels of at least 128 opaque, their colour kept, and others
	// transparent; none blends all on Background. Default binary.
	Transparency string `json:"transparency" choices:"binary|none"`
	// Background is what translucent pixels are blended on without transparency. Default white.
	Background option.Color `json:"background"`
	// Dither is the part of each pixel's error that is spread over its neighbours. 0, the default, is best for maps.
	Dither float64 `json:"dither" range:"0,1"`
}

// Defaults returns the options of a caller who chooses nothing.
func Defaults() *Options {
	return &Options{Colors: 256, Transparency: "binary", Background: option.White}
}

const (
	maxSide      = 1<<16 - 1
	maxCollected = 1 << 30   // bytes of pushed pixels
	batchPixels  = 256 << 10 // between two turns in the admission slot
	opaqueFrom   = 128       // the least alpha that is opaque
)

// Encoder writes one image.
type Encoder struct {
	w       *flow.Writer
	header  raster.Header
	options *Options
	colors  func(dst []uint32, src []byte)
	line    []uint32
	pixels  []byte // of a pushed image
	rows    int    // that came
	err     error  // the first error; it sticks
}

// New returns an Encoder of an image. It writes nothing yet.
func New(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (*Encoder, error) {
	o := Defaults()
	if err := option.Decode("gif", options, buffers, o); err != nil {
		return nil, err
	}
	if h.Width > maxSide || h.Height > maxSide {
		return nil, fault.Newf(fault.Limit, "Expected a GIF of at most %d pixels each way, got %d x %d", maxSide, h.Width, h.Height)
	}
	if n := int64(h.RowBytes()) * int64(h.Height); !h.Whole && n > maxCollected {
		return nil, fault.Newf(fault.Limit, "Expected a pushed image of at most %d bytes, got %d: a palette is chosen from all of it", maxCollected, n)
	}
	a := raster.Alpha{Transparency: raster.BinaryTransparency, Threshold: opaqueFrom, Background: o.Background}
	if o.Transparency == "none" {
		a.Transparency = raster.NoTransparency
	}
	if h.Width*h.Height <= batchPixels {
		w.Small()
	}
	return &Encoder{w: w, header: h, options: o, colors: raster.Colors(h, a), line: make([]uint32, h.Width)}, nil
}

// Info says nothing that the table does not.
func (e *Encoder) Info() flow.Info { return flow.Info{Compressed: true} }

// Write takes the next rows: all of them, when the header says that the image is whole. It returns when they have been read
// or copied.
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
	e.rows += s.Height
	if e.header.Whole {
		return e.encode(s)
	}
	n := e.header.RowBytes()
	if e.pixels == nil {
		e.pixels = make([]byte, 0, n*e.header.Height)
	}
	for y := range s.Height {
		row := s.Row(y, n)
		if err := e.header.Keeps(row, e.rows-s.Height+y); err != nil {
			return err
		}
		e.pixels = append(e.pixels, row...)
	}
	if e.rows < e.header.Height {
		return nil
	}
	return e.encode(raster.Strip{Data: e.pixels, Stride: n, Height: e.rows})
}

// Close writes the trailer.
func (e *Encoder) Close() error {
	if e.err == nil {
		e.err = e.close()
	}
	return e.err
}

func (e *Encoder) close() error {
	if err := raster.Complete(e.header, e.rows); err != nil {
		return err
	}
	_, err := e.w.Write([]byte{0, ';'}) // no more blocks, no more images
	return err
}

// encode writes the image, all of whose rows are there.
func (e *Encoder) encode(s raster.Strip) error {
	palette, err := e.choose(s)
	if err != nil {
		return err
	}
	var index func(dst []byte, row []uint32) = palette.Index
	if e.options.Dither > 0 {
		index = quantize.NewDitherer(palette, e.header.Width, e.options.Dither).Index
	}
	bits := max(1, palette.Depth())
	for ; bits > 1 && 1<<(bits-1) >= len(palette.Colors); bits-- {
		// Depth is a power of two, GIF knows all from 1 to 8
	}
	if _, err := e.w.Write(e.head(palette, bits)); err != nil {
		return err
	}
	var out bytes.Buffer
	packer := lzw.NewWriter(&blocks{out: &out}, lzw.LSB, max(2, bits))
	indices := make([]byte, e.header.Width)
	for y := 0; y < s.Height; {
		if err := e.admitted(func() error {
			for end := min(s.Height, y+e.batch()); y < end; y++ {
				if e.w.Aborted() {
					return errAborted
				}
				e.colors(e.line, s.Row(y, e.header.RowBytes()))
				index(indices, e.line)
				if _, err := packer.Write(indices); err != nil {
					return err
				}
			}
			if y == s.Height {
				return packer.Close()
			}
			return nil
		}); err != nil {
			return err
		}
		if _, err := out.WriteTo(e.w); err != nil {
			return err
		}
	}
	palette.Release()
	return nil
}

// batch returns how many rows are looked at in one turn.
func (e *Encoder) batch() int { return max(1, batchPixels/e.header.Width) }

// choose returns the colours that stand for the image's best.
func (e *Encoder) choose(s raster.Strip) (*quantize.Palette, error) {
	histogram := quantize.NewHistogram()
	for y := 0; y < s.Height; {
		if err := e.admitted(func() error {
			for end := min(s.Height, y+e.batch()); y < end; y++ {
				if e.w.Aborted() {
					return errAborted
				}
				row := s.Row(y, e.header.RowBytes())
				times := 1
				for y+1 < end && bytes.Equal(row, s.Row(y+1, len(row))) {
					times++
					y++
				}
				e.colors(e.line, row)
				histogram.Add(e.line, times)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	var palette *quantize.Palette
	err := e.admitted(func() error {
		if palette = histogram.Palette(e.options.Colors, 1, e.w.Aborted); palette == nil {
			return errAborted
		}
		return nil
	})
	return palette, err
}

// admitted runs f in an admission slot. f must not write.
func (e *Encoder) admitted(f func() error) error {
	if err := e.w.Acquire(); err != nil {
		return err
	}
	defer e.w.Release()
	return flow.Guard(f)
}

// head returns all that comes before the compressed indices.
func (e *Encoder) head(p *quantize.Palette, bits int) []byte {
	le := binary.LittleEndian
	b := append(make([]byte, 0, 1024), "GIF89a"...)
	b = le.AppendUint16(b, uint16(e.header.Width))
	b = le.AppendUint16(b, uint16(e.header.Height))
	b = append(b, byte(0x80|7<<4|bits-1), 0, 0) // a table of colours, of 8 bits a sample; index of the background; square pixels
	transparent := -1
	for i := range 1 << bits {
		var c [4]byte
		if i < len(p.Colors) {
			if c = p.Colors[i]; c[3] < opaqueFrom && transparent < 0 {
				transparent = i
			}
		}
		b = append(b, c[:3]...)
	}
	if transparent >= 0 {
		b = append(b, 0x21, 0xf9, 4, 1, 0, 0, byte(transparent), 0) // graphic control: a transparent index, no delay
	}
	b = append(b, ',', 0, 0, 0, 0)
	b = le.AppendUint16(b, uint16(e.header.Width))
	b = le.AppendUint16(b, uint16(e.header.Height))
	return append(b, 0, byte(max(2, bits))) // no table of its own, rows in order; bits of an index
}

// blocks cuts what it gets into blocks of at most 255 bytes, each after its length.
type blocks struct {
	out   *bytes.Buffer
	block []byte
}

// Write implements io.Writer.
func (b *blocks) Write(p []byte) (int, error) {
	for _, c := range p {
		if b.block = append(b.block, c); len(b.block) == 255 {
			b.flush()
		}
	}
	return len(p), nil
}

// WriteByte implements io.ByteWriter.
func (b *blocks) WriteByte(c byte) error {
	if b.block = append(b.block, c); len(b.block) == 255 {
		b.flush()
	}
	return nil
}

// Flush is called by lzw when it is closed.
func (b *blocks) Flush() error {
	b.flush()
	return nil
}

func (b *blocks) flush() {
	if len(b.block) > 0 {
		b.out.WriteByte(byte(len(b.block)))
		b.out.Write(b.block)
		b.block = b.block[:0]
	}
}

var errAborted = fault.Newf(fault.Aborted, "The operation was aborted")
