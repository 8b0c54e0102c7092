package png

import (
	"sync"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/raster"
)

// gather collects pushed rows until they make a strip.
type gather struct {
	rows        *rowBuffer // nil between strips
	above       int        // the first row in rows: of the strip, or of its context
	top, bottom int        // of the strip
}

// rowBuffer holds packed source rows.
type rowBuffer struct{ b []byte }

var rowBuffers = sync.Pool{New: func() any { return new(rowBuffer) }}

// recycle gives b up. b may be nil.
func (b *rowBuffer) recycle() {
	if b != nil && cap(b.b) <= maxPooled {
		rowBuffers.Put(b)
	}
}

// push copies rows into strips, and starts each strip that is complete.
func (e *Encoder) push(s raster.Strip) error {
	if e.ramp.height == 0 {
		e.planPushed()
		e.ramp = newRamp(e.header.Height, e.plan.filteredBytes())
		if err := e.writeHead(); err != nil {
			return err
		}
	}
	n := e.header.RowBytes()
	for y := 0; y < s.Height; y++ {
		if e.next.rows == nil {
			e.begin(nil)
		}
		row := e.next.rows.b[(e.rows-e.next.above)*n:][:n]
		copy(row, s.Row(y, n))
		if err := e.checkPromises(row); err != nil {
			return err
		}
		if e.rows++; e.rows == e.next.bottom {
			if err := e.start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPromises returns a fault when the row that comes next is not as the image's header promises.
func (e *Encoder) checkPromises(row []byte) error {
	f := e.header.PixelFormat
	if e.plan.opaque && !f.Opaque(row) {
		return fault.Newf(fault.Input, "Expected opaque pixels, as promised, got a transparent one in row %d", e.rows)
	}
	if e.plan.gray && !f.Gray(row) {
		return fault.Newf(fault.Input, "Expected grey pixels, as promised, got a coloured one in row %d", e.rows)
	}
	return nil
}

// begin makes room for the next strip, and copies the rows above it from the strip before.
func (e *Encoder) begin(before *gather) {
	n, g := e.header.RowBytes(), &e.next
	context := 0
	if before != nil {
		context = min(e.rows, e.plan.contextRows(e.rows)+1) // one more for the filter of the first
	}
	*g = gather{above: e.rows - context, top: e.rows, bottom: e.ramp.next(e.rows), rows: rowBuffers.Get().(*rowBuffer)}
	g.rows.b = grow(g.rows.b, (g.bottom-g.above)*n)
	if before != nil {
		copy(g.rows.b[:context*n], before.rows.b[(g.above-before.above)*n:])
	}
}

// start hands the strip over that has just been completed. Its buffer is the job's from then on.
func (e *Encoder) start() error {
	g, n := e.next, e.header.RowBytes()
	st := strip{
		source: source{Strip: raster.Strip{Data: g.rows.b, Stride: n, Height: g.bottom - g.above}, above: g.above, rowBytes: n},
		top:    g.top, bottom: g.bottom, rows: g.rows,
	}
	if g.top == 0 {
		if err := e.planKind(st.source, g.bottom); err != nil {
			return err
		}
	}
	e.next = gather{}
	if e.rows < e.header.Height {
		e.begin(&g)
	}
	return e.strips.Submit(e.job(st))
}
