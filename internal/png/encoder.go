// Package png encodes PNG images as their rows arrive (PNG specification, third edition, with RFC 1950 and RFC 1951).
//
// The image is cut into strips of whole rows. Each is filtered and compressed on its own, with the last 32 KB of filtered
// data above it as a dictionary, and ends at a byte boundary; so strips are compressed on all processors and written in
// order, an IDAT chunk each. Where strips begin depends on the image's size only: not on how it was written, on timing or
// on the number of processors. So do all other choices, given the options and the pixels.
package png

import (
	"sync/atomic"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
	"github.com/sluice-js/sluice/internal/raster"
)

// Options are what a caller may choose.
type Options struct {
	// Level is what to spend on size. stored does not compress; fastest, fast, balanced and small each take longer and
	// yield fewer bytes. auto watches the way to whoever gets the bytes: it starts as fast, becomes fastest when that has
	// taken 4 MiB and waits for bytes repeatedly, and balanced while it holds the encoder back and a processor is idle; where
	// nothing is known of it, auto stays fast. auto is the one level whose bytes depend on timing. Default fast.
	Level string `json:"level" choices:"stored|fastest|fast|balanced|small|auto"`
	// Reduce drops what the pixels do not use, without loss: alpha of an opaque image, colour of a grey one; and writes
	// at most 256 colours as indices. A whole image is looked through for that; an image that is pushed is reduced as far
	// as its header promises. 16-bit images stay 16-bit. Default true.
	Reduce bool `json:"reduce"`
	// Interlace orders the pixels in Adam7's seven passes, so that a coarse picture shows early. It needs the whole image
	// before the first byte, so it does not stream, and takes up to 30 % more bytes on maps. Default false.
	Interlace bool `json:"interlace"`
	Color
	Metadata
}

// Defaults returns the options of a caller who chooses nothing.
func Defaults() *Options {
	return &Options{Level: "fast", Reduce: true, Color: Color{Color: "auto", Background: option.White}}
}

// Encoder writes one image.
type Encoder struct {
	w       *flow.Writer
	header  raster.Header
	options *Options
	level   leveler
	plan    plan
	strips  *flow.Ordered[*idat]
	ramp    ramp
	next    gather // the strip that pushed rows go to
	rows    int    // rows written so far
	filter  byte   // of the strip submitted last
	err     error  // the first error; it sticks

	emitted atomic.Bool // a strip has been handed on
	adler   uint32      // of all emitted strips; emit's own
	window  uint32      // sum of the window behind the last of them; emit's own
}

// New returns an Encoder of an image. It writes nothing yet.
func New(w *flow.Writer, h raster.Header, options []byte, buffers [][]byte) (*Encoder, error) {
	o := Defaults()
	if err := option.Decode("png", options, buffers, o); err != nil {
		return nil, err
	}
	if err := o.check("png"); err != nil {
		return nil, err
	}
	e := &Encoder{w: w, header: h, options: o, adler: 1}
	e.level.set(o.Level)
	if h.RowBytes()*h.Height <= firstStrip {
		w.Small()
	}
	e.strips = flow.NewOrdered(w, e.emit)
	return e, nil
}

// Info says which level was asked for.
func (e *Encoder) Info() flow.Info { return flow.Info{Level: e.options.Level, Compressed: true} }

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
	if e.header.Whole {
		return e.writeWhole(s)
	}
	return e.take(s)
}

// take goes on with rows that were pushed.
func (e *Encoder) take(s raster.Strip) error {
	if e.options.Interlace {
		return e.collect(s)
	}
	return e.push(s)
}

// writeWhole encodes all rows in place. It returns when nothing reads them any more; after an error, that is so when the
// stream's goroutines have ended.
func (e *Encoder) writeWhole(s raster.Strip) error {
	src := source{Strip: s, rowBytes: e.header.RowBytes()}
	if e.options.Interlace {
		if err := e.fitsInterlaced(); err != nil {
			return err
		}
	}
	if err := e.planWhole(src); err != nil {
		return err
	}
	return e.writePlanned(src)
}

// writePlanned is writeWhole when the plan is made.
func (e *Encoder) writePlanned(src source) error {
	if e.options.Interlace {
		e.rows = e.header.Height
		return e.writeInterlaced(src)
	}
	if err := e.writeHead(); err != nil {
		return err
	}
	e.ramp = newRamp(e.header.Height, e.plan.filteredBytes())
	return e.strips.All(func() (func() (*idat, error), bool) {
		st := strip{source: src, top: e.rows, bottom: e.ramp.next(e.rows)}
		e.rows = st.bottom
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
	return writeIEND(e.w)
}

// admitted runs f in an admission slot. f must not write.
func (e *Encoder) admitted(f func() error) error {
	if err := e.w.Acquire(); err != nil {
		return err
	}
	defer e.w.Release()
	return flow.Guard(f)
}

// emit writes a strip's IDAT. Calls come in the order of strips and do not overlap.
//
// The rows above a strip are read twice, for their own strip and for the dictionary of this one. If the caller changed
// them in between, matches would refer to bytes that no decoder has; the strip is made again then, without a dictionary.
func (e *Encoder) emit(s *idat) error {
	if s.context > 0 && s.before != e.window {
		s.context = 0
		if err := e.admitted(func() (err error) {
			s, err = e.encode(s.strip)
			return err
		}); err != nil {
			return err
		}
	}
	e.window = s.after
	e.adler = combineAdler32(e.adler, s.adler, s.filtered)
	if s.final {
		s.appendAdler32(e.adler)
	}
	_, err := e.w.Write(s.finish())
	e.emitted.Store(true)
	if err == nil {
		s.recycle()
	}
	return err
}
