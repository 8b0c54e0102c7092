package png

import (
	"github.com/sluice-js/sluice/internal/deflate"
	"github.com/sluice-js/sluice/internal/raster"
)

// plan is how pixels become filtered rows. It is fixed before the first strip.
type plan struct {
	colorType, depth byte
	palette          *raster.Palette       // of an indexed image
	convert          func(dst, src []byte) // source pixels to PNG's, nil when they are the same
	rowBytes         int                   // of a row, without its filter type
	pixelBytes       int                   // the distance to the corresponding byte of the pixel before: at least 1
	kind             kind
	opaque, gray     bool // promises that every row has to keep
}

// geometry is what deflate needs to know of filtered rows.
func (p *plan) geometry() deflate.Geometry {
	return deflate.Geometry{PixelBytes: p.pixelBytes, RowBytes: p.filteredBytes()}
}

// filteredBytes returns the bytes of a row with its filter type.
func (p *plan) filteredBytes() int { return p.rowBytes + 1 }

// overhead returns the bytes that the plan adds beside IDAT.
func (p *plan) overhead() int {
	if p.palette == nil {
		return 0
	}
	n := chunkBytes + 3*len(p.palette.Colors)
	if t := p.palette.Translucent; t > 0 {
		n += chunkBytes + t
	}
	return n
}

// sampled returns the plan for rows that are cut to width pixels.
func (p plan) sampled(width int) plan {
	bits := int(p.depth)
	if p.palette == nil {
		bits = 8 * p.pixelBytes
	}
	p.rowBytes = (width*bits + 7) / 8
	return p
}

func direct(h raster.Header, l raster.Layout) plan {
	p := plan{
		depth:      byte(l.Depth()),
		convert:    raster.Convert(h, l),
		rowBytes:   h.Width * l.BytesPerPixel(),
		pixelBytes: l.BytesPerPixel(),
	}
	switch {
	case l.Gray && l.Alpha:
		p.colorType = grayscaleAlpha
	case l.Gray:
		p.colorType = grayscale
	case l.Alpha:
		p.colorType = truecolorAlpha
	default:
		p.colorType = truecolor
	}
	return p
}

func indices(h raster.Header, palette *raster.Palette) plan {
	return plan{
		colorType:  indexed,
		depth:      byte(palette.Depth()),
		palette:    palette,
		convert:    palette.Pack,
		rowBytes:   (h.Width*palette.Depth() + 7) / 8,
		pixelBytes: 1,
	}
}

// planWhole makes the plan from all pixels.
func (e *Encoder) planWhole(src source) error {
	h, l := e.header, e.header.PixelFormat.Layout()
	if p, ok := e.options.fixed(h); ok {
		e.plan = p
		return e.planKind(src, h.Height)
	}
	var palette *raster.Palette
	if e.options.Reduce {
		var facts raster.Facts
		if err := e.admitted(func() error {
			facts = raster.Scan(h, src.Strip, e.w.Aborted)
			return nil
		}); err != nil {
			return err
		}
		l.Gray = l.Gray || facts.Gray
		l.Alpha = l.Alpha && !facts.Opaque
		// An index of 8 bits is not smaller than a grey sample.
		if palette = facts.Palette; palette != nil && l.BytesPerPixel() == 1 && palette.Depth() == 8 {
			palette = nil
		}
	}
	e.plan = direct(h, l)
	if palette != nil && e.plan.filteredBytes()*h.Height >= maxPaletteDoubt {
		e.plan = indices(h, palette)
		return nil
	}
	plans := e.plan.perKind(e.level.trial(), l.Alpha)
	if palette != nil {
		plans = append(plans, indices(h, palette))
	}
	var err error
	e.plan, err = e.choose(plans, src, h.Height)
	return err
}

// perKind returns the plan for each kind of image that is worth a try.
func (p plan) perKind(l *level, alpha bool) []plan {
	var plans []plan
	for _, p.kind = range l.tries(alpha) {
		plans = append(plans, p)
	}
	return plans
}

// maxPaletteDoubt is the size in bytes from which an image of few colours is smaller as indices, whatever it shows: a
// palette takes at most 1 KB. Below, both are tried.
const maxPaletteDoubt = 64 << 10

// planPushed makes the plan from the header alone, but for the kind. That of indices is made already.
func (e *Encoder) planPushed() {
	if e.plan.palette != nil {
		return
	}
	h, l := e.header, e.header.PixelFormat.Layout()
	if p, ok := e.options.fixed(h); ok {
		e.plan = p
		return
	}
	promised := e.options.Reduce
	opaque, gray := promised && h.Opaque && l.Alpha, promised && h.Gray && !l.Gray
	l.Alpha = l.Alpha && !opaque
	l.Gray = l.Gray || gray
	e.plan = direct(h, l)
	e.plan.opaque, e.plan.gray = opaque, gray
}

// planKind chooses the kind of an image whose samples are known, from its first rows. Indices have none.
func (e *Encoder) planKind(src source, rows int) error {
	if e.plan.palette != nil {
		return nil
	}
	alpha := e.plan.colorType == grayscaleAlpha || e.plan.colorType == truecolorAlpha
	var err error
	e.plan, err = e.choose(e.plan.perKind(e.level.trial(), alpha), src, rows)
	return err
}
