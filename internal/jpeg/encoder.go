// Package jpeg encodes baseline JPEG images as their rows arrive (ITU-T T.81 with JFIF 1.01). For opaque pixels its bytes are
// libjpeg-turbo's.
//
// The image is cut into strips of whole MCU rows, which are encoded on all processors as bits without stuffing and joined in
// order: shifted to where the bits before them end, and stuffed. A strip takes the DC coefficients that its first differences
// are against from transforming the MCU before it again. So the bytes depend on the pixels and the options alone: not on where
// strips begin, how the image was written or the number of processors.
package jpeg

import (
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// Options are what a caller may choose.
type Options struct {
	// Quality scales the quantisation tables as libjpeg does. Default 85.
	Quality int `json:"quality" range:"0,100"`
	// Subsampling says how many samples of colour there are: one for four pixels or one for each. Grey images have none.
	// Default 4:2:0.
	Subsampling string `json:"subsampling" choices:"4:2:0|4:4:4"`
	// Optimize makes Huffman tables for the image: fewer bytes, but none before all pixels are there. Default false.
	Optimize bool `json:"optimize"`
	// Restart is how many MCU rows (of 16 pixels in 4:2:0, else of 8) there are between restart markers; a decoder can start
	// at each, and loses less when data is damaged. 0, the default: none.
	Restart int `json:"restart" range:"0,65535"`
	// Background is the colour that translucent pixels are blended on. Default white.
	Background option.Color `json:"background"`
	// DPI is the resolution in pixels per inch, which JFIF rounds to an integer. 0, the default: none.
	DPI float64 `json:"dpi" range:"0,65535"`
	// ICC is an ICC profile (APP2). Default none.
	ICC option.Bytes `json:"icc"`
	// Progressive is refused: it would need all coefficients before the first byte. Default false.
	Progressive bool `json:"progressive"`
}

// Defaults returns the options of a caller who chooses nothing.
func Defaults() *Options {
	return &Options{Quality: 85, Subsampling: "4:2:0", Background: option.White}
}

// Limits of a JPEG.
const (
	maxSide     = 65535       // pixels (T.81, B.2.2)
	maxInterval = 65535       // MCUs between restart markers (T.81, B.2.4.4)
	maxBuffered = 1 << 30     // bytes of pixels whose coefficients Optimize may collect
	maxICC      = 255 * 65519 // bytes, in 255 segments (ICC.1, annex B)
)

func (o *Options) check(h raster.Header, l *layout) error {
	for _, side := range []struct {
		name string
		n    int
	}{{"width", h.Width}, {"height", h.Height}} {
		if side.n > maxSide {
			return fault.Newf(fault.Limit, "Expected %s to be at most %d for jpeg, got %d", side.name, maxSide, side.n)
		}
	}
	if o.Progressive {
		return fault.Newf(fault.Option, `Expected jpeg option "progressive" to be false, as only baseline JPEG is written, got true`)
	}
	if columns := (h.Width + l.size - 1) / l.size; o.Restart*columns > maxInterval {
		return fault.Newf(fault.Option, `Expected jpeg option "restart" to be at most %d for a width of %d, got %d`, maxInterval/columns, h.Width, o.Restart)
	}
	if n := len(o.ICC); o.ICC != nil && (n < 1 || n > maxICC) {
		return fault.Newf(fault.Option, `Expected jpeg option "icc" to have 1 to %d bytes, got %d`, maxICC, n)
	}
	if o.Optimize && h.RowBytes()*h.Height > maxBuffered {
		return fault.Newf(fault.Limit, `Expected at most %d bytes of pixels with jpeg option "optimize", got %d`, maxBuffered, h.RowBytes()*h.Height)
	}
	return nil
}

// Encoder writes one image.
type Encoder struct {
	w       *flow.Writer
	header  raster.Header
	options *Options
	plan
	strips *flow.Ordered[*segment]
	ramp   ramp
	next   gather // the strip that pushed rows go to
	rows   int    // rows written so far
	began  bool   // the head was written
	err    error  // the first error; it sticks

	// emit's own
	joiner joiner
	marks  int // restart markers so far
	lists  []*segment
	counts *frequencies
}

// plan is what the strips of an image have in common. It is fixed before the first.
type plan struct {
	*layout
	*kernels
	loader     loader
	columns    int           // MCUs in a row
	mcuRows    int           // rows of MCUs
	quantizers [2]*quantizer // of luminance and of chrominance
	tables     *specs
	codes      *codes
}

// New returns an Encoder of an image. It writes nothing yet.
func New(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (*Encoder, error) {
	o := Defaults()
	if err := option.Decode("jpeg", options, buffers, o); err != nil {
		return nil, err
	}
	l := o.layout(h)
	if err := o.check(h, l); err != nil {
		return nil, err
	}
	e := &Encoder{w: w, header: h, options: o}
	e.plan = plan{
		layout: l, kernels: fastest(), loader: newLoader(h, l, o.Background),
		columns: (h.Width + l.size - 1) / l.size, mcuRows: (h.Height + l.size - 1) / l.size,
		quantizers: [2]*quantizer{quantizerFor(0, o.Quality), quantizerFor(1, o.Quality)},
		tables:     &typical, codes: typicalCodes,
	}
	e.ramp = newRamp(e.columns*l.size*l.size, e.mcuRows, o.Restart)
	if h.Width*h.Height <= smallImage {
		w.Small()
	}
	emit := e.emit
	if o.Optimize {
		e.counts = new(frequencies)
		emit = e.collect
	}
	e.strips = flow.NewOrdered(w, emit)
	e.joiner.w = w
	return e, nil
}

// layout returns the layout of an image: grey where the pixels are and stay so on the background.
func (o *Options) layout(h raster.Header) *layout {
	f := h.PixelFormat
	gray := h.Gray || f.Layout().Gray
	if gray && (o.Background.Gray() || h.Opaque || !f.HasAlpha()) {
		return layoutGray
	}
	if o.Subsampling == layout444.name {
		return layout444
	}
	return layout420
}

// Info says nothing that the format does not.
func (e *Encoder) Info() flow.Info { return flow.Info{Compressed: true} }

// Write encodes the next rows: all of them, when the header says that the image is whole. It returns when they have been
// read or copied.
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
	if !e.began && !e.options.Optimize {
		if err := e.writeHead(); err != nil {
			return err
		}
	}
	e.began = true
	if e.header.Whole {
		return e.writeWhole(s)
	}
	return e.push(s)
}

// writeWhole encodes all rows in place. It returns when nothing reads them any more; after an error, that is so when the
// stream's goroutines have ended.
func (e *Encoder) writeWhole(s raster.Strip) error {
	pixels := source{Strip: s, bytes: e.header.RowBytes()}
	row := 0
	e.rows = e.header.Height
	return e.strips.All(func() (func() (*segment, error), bool) {
		st := strip{top: row, bottom: e.ramp.next(row), source: pixels, before: pixels}
		row = st.bottom
		return e.job(st)
	})
}

// Close writes what follows the last row.
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
	if err := e.strips.Wait(); err != nil {
		return err
	}
	if e.options.Optimize {
		if err := e.writeOptimal(); err != nil {
			return err
		}
	}
	e.joiner.pad()
	e.joiner.marker(markerEOI)
	return e.joiner.flush()
}

func (e *Encoder) writeHead() error {
	_, err := e.w.Write(e.head())
	return err
}
