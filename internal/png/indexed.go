package png

import (
	"bytes"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/quantize"
	"github.com/sluice-js/sluice/internal/raster"
)

// Indexed writes an image of at most 256 colours: those that it has, those that stand for them best, or the user's. To find
// the best takes the whole image, so a pushed one is kept until its last row, unless the user gave a palette.
//
// The image's rows pass through an Encoder that writes indices. It gets pixels, and each strip maps its own; but dithering
// goes from row to row, so it gets rows of indices then.
type Indexed struct {
	inner   *Encoder
	header  raster.Header // of the pixels
	options *PaletteOptions
	alpha   raster.Alpha
	colors  func(dst []uint32, src []byte) // pixels to colours
	palette *quantize.Palette              // nil: not found yet, or not needed
	dither  *quantize.Ditherer             // nil: none
	pixels  []byte                         // of a pushed image without a palette
	rows    int                            // pushed so far
	err     error                          // the first error; it sticks

	line    []uint32 // a row of colours
	indices []byte   // rows of indices for the encoder
}

// NewIndexed returns an Indexed. It writes nothing yet.
func NewIndexed(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (*Indexed, error) {
	o := PaletteDefaults()
	if err := option.Decode("png8", options, buffers, o); err != nil {
		return nil, err
	}
	if err := o.check("png8"); err != nil {
		return nil, err
	}
	chosen, err := o.chosen()
	if err != nil {
		return nil, err
	}
	if o.PaletteGamma == 0 {
		o.PaletteGamma = 1
	}
	if n := int64(h.RowBytes()) * int64(h.Height); !h.Whole && chosen == nil && n > maxCollected {
		return nil, fault.Newf(fault.Limit, "Expected a pushed image of at most %d bytes, got %d: a palette is chosen from all of it, so give one as an option, or the whole image",
			maxCollected, n)
	}
	e := &Encoder{w: w, header: h, options: &Options{Level: o.Level, Interlace: o.Interlace, Metadata: o.Metadata}, adler: 1}
	e.level.set(o.Level)
	if h.Width*h.Height <= firstStrip {
		w.Small()
	}
	e.strips = flow.NewOrdered(w, e.emit)
	x := &Indexed{inner: e, header: h, options: o, alpha: o.alpha(chosen)}
	x.colors = raster.Colors(h, x.alpha)
	if chosen != nil {
		x.use(quantize.NewPalette(chosen))
	}
	return x, nil
}

// maxCollected is the most bytes of pushed pixels that are kept to choose a palette from.
const maxCollected = 1 << 30

// Info says which level was asked for.
func (x *Indexed) Info() flow.Info { return x.inner.Info() }

// Write encodes the next rows: all of them, when the header says that the image is whole. It returns when they have been
// read or copied.
func (x *Indexed) Write(p flow.Part) error {
	if x.err == nil {
		x.err = x.write(p)
	}
	return x.err
}

func (x *Indexed) write(p flow.Part) error {
	s, err := raster.Rows(x.header, x.rows, p)
	if err != nil {
		return err
	}
	x.rows += s.Height
	if x.header.Whole {
		return x.writeWhole(s)
	}
	if x.palette == nil {
		return x.collect(s)
	}
	return x.push(s)
}

// Close writes what follows the last row.
func (x *Indexed) Close() error {
	if x.err == nil {
		x.err = x.close()
	}
	return x.err
}

func (x *Indexed) close() error {
	if err := raster.Complete(x.header, x.rows); err != nil {
		return err
	}
	err := x.inner.Close()
	if err == nil && x.palette != nil {
		x.palette.Release()
	}
	return err
}

// collect keeps pushed rows until all are there, and encodes them then.
func (x *Indexed) collect(s raster.Strip) error {
	n := x.header.RowBytes()
	if x.pixels == nil {
		x.pixels = make([]byte, 0, n*x.header.Height)
	}
	for y := range s.Height {
		x.pixels = append(x.pixels, s.Row(y, n)...)
	}
	if x.rows < x.header.Height {
		return nil
	}
	return x.writeWhole(raster.Strip{Data: x.pixels, Stride: n, Height: x.rows})
}

// writeWhole encodes all rows in place. As the Encoder's, it returns when nothing reads them any more.
func (x *Indexed) writeWhole(s raster.Strip) error {
	if x.options.Interlace {
		if err := x.inner.fitsInterlaced(); err != nil {
			return err
		}
	}
	if x.palette == nil {
		if err := x.find(s); err != nil {
			return err
		}
	}
	if x.dither == nil {
		return x.inner.writePlanned(source{Strip: s, rowBytes: x.header.RowBytes()})
	}
	return x.push(s)
}

// find makes the plan from all pixels.
func (x *Indexed) find(s raster.Strip) error {
	exact, err := x.fewColors(s)
	if err != nil {
		return err
	}
	if exact != nil {
		x.inner.plan = indices(x.header, exact)
		return nil
	}
	histogram := quantize.NewHistogram()
	for y := 0; y < s.Height; {
		if err := x.inner.admitted(func() error {
			y = x.count(histogram, s, y)
			return nil
		}); err != nil {
			return err
		}
		if x.inner.w.Aborted() {
			return errAborted
		}
	}
	var palette *quantize.Palette
	if err := x.inner.admitted(func() error {
		palette = histogram.Palette(x.options.Colors, x.options.PaletteGamma, x.inner.w.Aborted)
		return nil
	}); err != nil {
		return err
	}
	if palette == nil {
		return errAborted
	}
	x.use(palette)
	return nil
}

// fewColors returns the palette of an image that has no more colours than are wanted, alpha and straight colours as they
// are; nil for others.
func (x *Indexed) fewColors(s raster.Strip) (p *raster.Palette, err error) {
	if x.alpha.Transparency != raster.FullTransparency || x.header.PixelFormat.Depth() != 8 {
		return nil, nil
	}
	err = x.inner.admitted(func() error {
		p = raster.FewColors(x.header, s, x.inner.w.Aborted)
		return nil
	})
	if p != nil && len(p.Colors) > x.options.Colors {
		p = nil
	}
	return p, err
}

// share is how many pixels are counted before others get a turn in the admission slot.
const share = 1 << 20

// count counts colours from row y on, and returns the row to go on with.
func (x *Indexed) count(h *quantize.Histogram, s raster.Strip, y int) int {
	n := x.header.RowBytes()
	x.line = growColors(x.line, x.header.Width)
	for pixels := 0; y < s.Height && pixels < share && !x.inner.w.Aborted(); {
		row, times := s.Row(y, n), 1
		for y+times < s.Height && bytes.Equal(row, s.Row(y+times, n)) && !x.inner.w.Aborted() {
			times++
		}
		x.colors(x.line, row)
		h.Add(x.line, times)
		y += times
		pixels += times * x.header.Width
	}
	return y
}

func growColors(c []uint32, n int) []uint32 {
	if cap(c) < n {
		return make([]uint32, n)
	}
	return c[:n]
}

// use makes the plan for a palette.
func (x *Indexed) use(p *quantize.Palette) {
	x.palette = p
	e := x.inner
	e.plan = plan{
		colorType:  indexed,
		depth:      byte(p.Depth()),
		palette:    &raster.Palette{Colors: p.Colors, Translucent: p.Translucent},
		rowBytes:   (x.header.Width*p.Depth() + 7) / 8,
		pixelBytes: 1,
	}
	if x.options.Dither == 0 {
		e.plan.convert = x.mapper(p)
		return
	}
	x.dither = quantize.NewDitherer(p, x.header.Width, x.options.Dither)
	e.header.PixelFormat, e.header.Premultiplied, e.header.Whole = raster.Gray, false, false
	if depth := p.Depth(); depth < 8 {
		e.plan.convert = func(dst, src []byte) { raster.PackIndices(dst, src, depth) }
	}
}

// block is how many pixels are mapped at a time; a multiple of 8, so that indices fill bytes.
const block = 1024

// mapper returns the function that turns pixels into packed indices.
func (x *Indexed) mapper(p *quantize.Palette) func(dst, src []byte) {
	n, depth := x.header.PixelFormat.BytesPerPixel(), p.Depth()
	return func(dst, src []byte) {
		var colors [block]uint32
		var indices [block]byte
		for len(src) >= n {
			m := min(block, len(src)/n)
			x.colors(colors[:m], src[:m*n])
			src = src[m*n:]
			if depth == 8 {
				p.Index(dst[:m], colors[:m])
				dst = dst[m:]
				continue
			}
			p.Index(indices[:m], colors[:m])
			raster.PackIndices(dst, indices[:m], depth)
			dst = dst[(m*depth+7)/8:]
		}
	}
}

// push passes rows on: as they are, or dithered.
func (x *Indexed) push(s raster.Strip) error {
	if x.dither == nil {
		return x.inner.take(s)
	}
	width := x.header.Width
	batch := max(1, firstStrip/width)
	x.indices = grow(x.indices, min(batch, s.Height)*width)
	for y := 0; y < s.Height; {
		rows := raster.Strip{Data: x.indices, Stride: width, Height: min(batch, s.Height-y)}
		if err := x.inner.admitted(func() error { return x.ditherRows(rows, s, y) }); err != nil {
			return err
		}
		if err := x.inner.take(rows); err != nil {
			return err
		}
		y += rows.Height
	}
	if x.header.Whole || x.pixels != nil {
		return x.inner.strips.Wait()
	}
	return nil
}

// ditherRows fills rows with the indices of s from row y on.
func (x *Indexed) ditherRows(rows, s raster.Strip, y int) error {
	x.line = growColors(x.line, x.header.Width)
	for i := range rows.Height {
		if x.inner.w.Aborted() {
			return errAborted
		}
		x.colors(x.line, s.Row(y+i, x.header.RowBytes()))
		x.dither.Index(rows.Row(i, x.header.Width), x.line)
	}
	return nil
}
