package jpeg

import "github.com/sluice-js/sluice/internal/raster"

// gather collects pushed rows until they make a strip.
type gather struct {
	buffer      *[]byte // nil between strips
	top, bottom int     // MCU rows
	edge        int     // bytes at the start of buffer: the last MCU above the strip
	edgeRows    int
}

// push copies rows into strips, and starts each strip that is complete.
func (e *Encoder) push(s raster.Strip) error {
	n := e.header.RowBytes()
	for y := 0; y < s.Height; y++ {
		g := &e.next
		if g.buffer == nil {
			e.begin(nil)
		}
		copy((*g.buffer)[g.edge+(e.rows-g.top*e.size)*n:][:n], s.Row(y, n))
		if e.rows++; e.rows == min(g.bottom*e.size, e.header.Height) {
			if err := e.start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin makes room for the next strip, and copies the last MCU above it from the strip before.
func (e *Encoder) begin(above *source) {
	g := gather{top: e.rows / e.size, buffer: gathers.Get()}
	g.bottom = e.ramp.next(g.top)
	left := (e.columns - 1) * e.size
	pixelBytes := e.header.PixelFormat.BytesPerPixel()
	edgeBytes := (e.header.Width - left) * pixelBytes
	if above != nil {
		g.edgeRows = e.size
		g.edge = edgeBytes * e.size
	}
	size := g.edge + (min(g.bottom*e.size, e.header.Height)-g.top*e.size)*e.header.RowBytes()
	if cap(*g.buffer) < size {
		*g.buffer = make([]byte, size)
	}
	*g.buffer = (*g.buffer)[:size]
	for i := range g.edgeRows {
		copy((*g.buffer)[i*edgeBytes:][:edgeBytes], above.row(e.rows-e.size+i, left, pixelBytes))
	}
	e.next = g
}

// start hands the strip over that has just been completed. Its buffer is the job's from then on.
func (e *Encoder) start() error {
	g, n := e.next, e.header.RowBytes()
	s := strip{top: g.top, bottom: g.bottom, buffer: g.buffer}
	top := g.top * e.size
	s.source = source{Strip: raster.Strip{Data: (*g.buffer)[g.edge:], Stride: n, Height: e.rows - top}, above: top, bytes: n}
	if g.edge > 0 {
		left := (e.columns - 1) * e.size
		bytes := g.edge / g.edgeRows
		s.before = source{
			Strip: raster.Strip{Data: (*g.buffer)[:g.edge], Stride: bytes, Height: g.edgeRows},
			above: top - g.edgeRows, left: left, bytes: bytes,
		}
	}
	e.next = gather{}
	if e.rows < e.header.Height {
		e.begin(&s.source)
	}
	return e.strips.Submit(e.job(s))
}
