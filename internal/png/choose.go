package png

import (
	"github.com/sluice-js/sluice/internal/deflate"
	"github.com/sluice-js/sluice/internal/flow"
)

// Plans are tried on bands of rows. The rows of a band are compressed after as many rows above them as a dictionary:
// without one, a plan that only predicts the first rows of an image well would win.
const (
	bandBytes  = 8 << 10 // of filtered rows in a band
	bandRows   = 4       // but at least so many rows
	bandShare  = 16      // bands make up one part in so many of the image; at least one band, at most maxBands
	maxBands   = 4
	sampleSide = 4096 // pixels of a row beyond these are not looked at; a multiple of 8, so that packed bytes are whole
)

// choose returns the plan that yields the fewest bytes, the first of equals. src has the rows from 0 to before rows. Plans
// are tried side by side.
func (e *Encoder) choose(plans []plan, src source, rows int) (plan, error) {
	if len(plans) == 1 {
		return plans[0], nil
	}
	var sizes []int
	tries := flow.NewOrdered(e.w, func(n int) error {
		sizes = append(sizes, n)
		return nil
	})
	i := 0
	if err := tries.All(func() (func() (int, error), bool) {
		p := &plans[i]
		i++
		return func() (int, error) { return e.try(p, plans[0].filteredBytes(), src, rows) }, i == len(plans)
	}); err != nil {
		return plan{}, err
	}
	best := 0
	for i, n := range sizes {
		if n < sizes[best] {
			best = i
		}
	}
	return plans[best], nil
}

// try returns about how many bytes a plan yields. rowBytes is what a row takes in every plan's bands.
func (e *Encoder) try(p *plan, rowBytes int, src source, rows int) (int, error) {
	method := e.level.trial().method(p)
	if method.mode == deflate.Stored {
		return p.overhead() + rows*p.filteredBytes(), nil
	}
	width := min(e.header.Width, sampleSide)
	part := p.sampled(width)
	src.rowBytes = width * e.header.PixelFormat.BytesPerPixel()

	band := min(rows, max(bandRows, bandBytes/rowBytes))
	bands := min(max(1, rows/(band*bandShare)), maxBands)
	if rows <= 2*band {
		band, bands = rows, 1
	}
	k := workers.Get()
	bytes := 0
	for i := range bands {
		top := (2*i+1)*rows/(2*bands) - band/2
		context := 0
		if method.dictionary() {
			context = min(band, part.contextRows(top))
		}
		if err := k.filter(e, &part, method.filter, src, top-context, top+band); err != nil {
			return 0, err
		}
		k.packed = deflate.Compress(k.packed[:0], k.filtered, context*part.filteredBytes(), method.mode, part.geometry(), false)
		bytes += len(k.packed)
	}
	k.recycle()
	scale := float64(rows) * float64(e.header.Width) / (float64(bands*band) * float64(width))
	return p.overhead() + int(float64(bytes)*scale), nil
}
