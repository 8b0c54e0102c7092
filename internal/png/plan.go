package png

import (
	"github.com/sluice-js/sluice/internal/raster"
)

// plan is how pixels become filtered rows. It is fixed before the first strip.
type plan struct {
	colorType, depth byte
	palette          *raster.Palette       // of an indexed image
	convert          func(dst, src []byte) // source pixels to PNG's, nil when they are the same
	rowBytes         int                   // of a row, without its filter type
	pixelBytes       int                   // the distance to the corresponding byte of the pixel before: at least 1
	filter           byte
	opaque, gray     bool // promises that every row has to keep
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

func direct(h raster.Header, l raster.Layout, filter byte) plan {
	p := plan{
		depth:      byte(l.Depth()),
		convert:    raster.Convert(h, l),
		rowBytes:   h.Width * l.BytesPerPixel(),
		pixelBytes: l.BytesPerPixel(),
		filter:     filter,
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

// indices never take a filter: neighbouring indices say nothing about each other.
func indices(h raster.Header, palette *raster.Palette) plan {
	return plan{
		colorType:  indexed,
		depth:      byte(palette.Depth()),
		palette:    palette,
		convert:    palette.Pack,
		rowBytes:   (h.Width*palette.Depth() + 7) / 8,
		pixelBytes: 1,
		filter:     filterNone,
	}
}

// planWhole makes the plan from all pixels.
func (e *Encoder) planWhole(src source) error {
	h, l := e.header, e.header.PixelFormat.Layout()
	var palette *raster.Palette
	if e.options.Reduce {
		facts := raster.Scan(h, src.Strip, e.w.Aborted)
		l.Gray = l.Gray || facts.Gray
		l.Alpha = l.Alpha && !facts.Opaque
		// An index of 8 bits is not smaller than a grey sample.
		if palette = facts.Palette; palette != nil && l.BytesPerPixel() == 1 && palette.Depth() == 8 {
			palette = nil
		}
	}
	plans := []plan{direct(h, l, filterNone), direct(h, l, filterPaeth)}
	if palette != nil {
		plans = append(plans, indices(h, palette))
		if plans[0].filteredBytes()*h.Height >= maxPaletteDoubt {
			plans = plans[2:]
		}
	}
	var err error
	e.plan, err = e.choose(plans, src, h.Height)
	return err
}

// maxPaletteDoubt is the size in bytes from which an image of few colours is smaller as indices, whatever it shows: a
// palette takes at most 1 KB. Below, both are tried.
const maxPaletteDoubt = 64 << 10

// planPushed makes the plan from the header alone, but for the filter.
func (e *Encoder) planPushed() {
	h, l := e.header, e.header.PixelFormat.Layout()
	promised := e.options.Reduce
	opaque, gray := promised && h.Opaque && l.Alpha, promised && h.Gray && !l.Gray
	l.Alpha = l.Alpha && !opaque
	l.Gray = l.Gray || gray
	e.plan = direct(h, l, filterNone)
	e.plan.opaque, e.plan.gray = opaque, gray
}

// planFilter chooses the filter of a pushed image from its first rows.
func (e *Encoder) planFilter(src source, rows int) error {
	paeth := e.plan
	paeth.filter = filterPaeth
	p, err := e.choose([]plan{e.plan, paeth}, src, rows)
	e.plan.filter = p.filter
	return err
}
