package png

import (
	"github.com/sluice-js/sluice/internal/deflate"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/raster"
)

// passes are Adam7's reduced images (PNG specification, 8.2): every dx-th pixel of every dy-th row, from x and y on.
var passes = [...]struct{ x, y, dx, dy int }{
	{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
}

// maxInterlaced is the most bytes of filtered rows, which are all in memory.
const maxInterlaced = 1 << 30

// interlaced is the filtered rows of all passes, one after the other.
type interlaced struct {
	filtered []byte
	rows     []int // where each row begins
	geometry deflate.Geometry
}

// collect keeps pushed rows until all are there, and encodes them then.
func (e *Encoder) collect(s raster.Strip) error {
	n := e.header.RowBytes()
	if e.next.rows == nil {
		if err := e.fitsInterlaced(); err != nil {
			return err
		}
		e.planPushed()
		e.next.rows = &rowBuffer{make([]byte, n*e.header.Height)}
	}
	all := e.next.rows.b
	for y := range s.Height {
		row := all[e.rows*n:][:n]
		copy(row, s.Row(y, n))
		if err := e.checkPromises(row); err != nil {
			return err
		}
		e.rows++
	}
	if e.rows < e.header.Height {
		return nil
	}
	src := source{Strip: raster.Strip{Data: all, Stride: n, Height: e.rows}, rowBytes: n}
	if err := e.planKind(src, e.rows); err != nil {
		return err
	}
	return e.writeInterlaced(src)
}

func (e *Encoder) fitsInterlaced() error {
	if n := int64(e.header.RowBytes()+1) * int64(e.header.Height); n > maxInterlaced {
		return fault.Newf(fault.Limit, "Expected an interlaced image of at most %d bytes, got %d: it has to be in memory", maxInterlaced, n)
	}
	return nil
}

// writeInterlaced encodes the whole image; its plan is made.
func (e *Encoder) writeInterlaced(src source) error {
	if err := e.writeHead(); err != nil {
		return err
	}
	level := e.level.trial()
	method := level.method(&e.plan)
	var image interlaced
	if err := e.admitted(func() (err error) {
		image, err = e.interlace(src, method.filter)
		return err
	}); err != nil {
		return err
	}
	size, row := firstStrip, 0
	return e.strips.All(func() (func() (*idat, error), bool) {
		first := row
		for row < len(image.rows) && image.rows[row] < image.rows[first]+size {
			row++
		}
		size = min(2*size, lastStrip)
		end := row
		return func() (*idat, error) { return image.encode(first, end, level, method) }, row == len(image.rows)
	})
}

// interlace filters the rows of all passes. A row of a pass follows the one before in the same pass.
func (e *Encoder) interlace(src source, filter byte) (interlaced, error) {
	p, pixel := &e.plan, e.header.PixelFormat.BytesPerPixel()
	picked := make([]byte, e.header.RowBytes())
	cur, up := make([]byte, p.rowBytes), make([]byte, p.rowBytes)
	image := interlaced{geometry: p.geometry()}
	for _, pass := range passes {
		width := (e.header.Width - pass.x + pass.dx - 1) / pass.dx
		if width <= 0 {
			continue
		}
		part := p.sampled(width)
		cur, up = cur[:part.rowBytes], up[:part.rowBytes]
		clear(up)
		for y := pass.y; y < e.header.Height; y += pass.dy {
			if e.w.Aborted() {
				return interlaced{}, errAborted
			}
			row := src.row(y)
			for i := range width {
				copy(picked[i*pixel:][:pixel], row[(pass.x+i*pass.dx)*pixel:])
			}
			part.read(cur, picked[:width*pixel])
			image.rows = append(image.rows, len(image.filtered))
			image.filtered = append(image.filtered, filter)
			if filter == filterNone {
				image.filtered = append(image.filtered, cur...)
				continue
			}
			start := len(image.filtered)
			image.filtered = append(image.filtered, cur...) // for the room
			kernel.Paeth(image.filtered[start:], cur, up, p.pixelBytes)
			cur, up = up, cur
		}
	}
	return image, nil
}

// encode compresses the rows from first to before end.
func (m *interlaced) encode(first, end int, level *level, method method) (*idat, error) {
	start, stop := m.rows[first], len(m.filtered)
	if end < len(m.rows) {
		stop = m.rows[end]
	}
	above := first
	for method.dictionary() && above > 0 && m.rows[above] > start-window {
		above--
	}
	data, dictionary := m.filtered[m.rows[above]:stop], start-m.rows[above]

	k := workers.Get()
	k.packed, _ = beginChunk(k.packed[:0], "IDAT")
	if first == 0 {
		k.packed = append(k.packed, level.zlibHeader[:]...)
	}
	out := &idat{final: end == len(m.rows)}
	k.packed = deflate.Compress(k.packed, data, dictionary, method.mode, m.geometry, out.final)
	out.sum(k.packed, data, dictionary)
	k.recycle()
	return out, nil
}
