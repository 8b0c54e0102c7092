package png

// Plans are tried on bands of rows. The rows of a band are compressed after as many rows above them as a dictionary:
// without one, a plan that only predicts the first rows of an image well would win.
const (
	bandBytes  = 16 << 10 // of filtered rows in a band
	bandRows   = 8        // but at least so many rows
	bandShare  = 16       // bands make up one part in so many of the image; at least one band, at most maxBands
	maxBands   = 4
	sampleSide = 4096 // pixels of a row beyond these are not looked at; a multiple of 8, so that packed bytes are whole
)

// choose returns the plan that yields the fewest bytes, the first of equals. src has the rows from 0 to before rows.
func (e *Encoder) choose(plans []plan, src source, rows int) (plan, error) {
	if len(plans) == 1 {
		return plans[0], nil
	}
	best, least := 0, -1
	for i := range plans {
		n, err := e.try(&plans[i], plans[0].filteredBytes(), src, rows)
		if err != nil {
			return plan{}, err
		}
		if least < 0 || n < least {
			best, least = i, n
		}
	}
	return plans[best], nil
}

// try returns about how many bytes a plan yields. rowBytes is what a row takes in every plan's bands.
func (e *Encoder) try(p *plan, rowBytes int, src source, rows int) (int, error) {
	level := e.level.trial()
	if level == nil {
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
	k := workers.Get().(*worker)
	bytes := 0
	for i := range bands {
		top := (2*i+1)*rows/(2*bands) - band/2
		context := min(band, part.contextRows(top))
		if err := k.filter(e, &part, src, top-context, top+band); err != nil {
			return 0, err
		}
		k.packed = level.deflate(k.packed[:0], k.filtered, context*part.filteredBytes(), false)
		bytes += len(k.packed)
	}
	k.recycle()
	scale := float64(rows) * float64(e.header.Width) / (float64(bands*band) * float64(width))
	return p.overhead() + int(float64(bytes)*scale), nil
}
