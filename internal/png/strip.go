package png

import (
	"bytes"

	"github.com/sluice-js/sluice/internal/deflate"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/pool"
	"github.com/sluice-js/sluice/internal/raster"
)

// window is how far deflate looks back (RFC 1951, 2), and so the size of a strip's dictionary.
const window = 32 << 10

// source is rows of the image from row above on: all of a whole image, or a strip of a pushed one with the rows above it
// that its filter and dictionary need.
type source struct {
	raster.Strip
	above    int
	rowBytes int // of a row's pixels
}

func (s source) row(y int) []byte { return s.Row(y-s.above, s.rowBytes) }

// strip is the rows from top to before bottom.
type strip struct {
	source
	top, bottom int
	level       *level
	method      method
	context     int        // rows above top that the dictionary reaches into; 0: none
	rows        *rowBuffer // to recycle when the strip is encoded; nil when the rows are borrowed
}

// worker holds what encoding a strip needs.
type worker struct {
	filtered []byte // filtered rows: the dictionary's, then the strip's
	cur, up  []byte // rows in PNG's layout, before the filter
	packed   []byte // what they are compressed to
}

// maxPooled keeps what extremely wide images need from staying in pools.
const maxPooled = 4 << 20

var workers = pool.New[worker]()

// recycle gives k up. It must not be called after a panic or an error.
func (k *worker) recycle() {
	if max(cap(k.filtered), cap(k.packed)) <= maxPooled {
		workers.Put(k)
	}
}

// job returns what encodes a strip, and whether it is the last. Strips come in order, so each knows how the one above it is
// filtered: a dictionary is of use only if it is what a decoder has in its window.
func (e *Encoder) job(s strip) (encode func() (*idat, error), last bool) {
	s.level = e.level.get(e)
	s.method = s.level.method(&e.plan)
	if s.method.dictionary() && s.method.filter == e.filter {
		s.context = e.plan.contextRows(s.top)
	}
	e.filter = s.method.filter
	return func() (*idat, error) { return e.encode(s) }, s.bottom == e.header.Height
}

// encode compresses a strip. It is an Ordered's job: several run at once.
func (e *Encoder) encode(s strip) (*idat, error) {
	p := &e.plan
	k := workers.Get()
	if err := k.filter(e, p, s.method.filter, s.source, s.top-s.context, s.bottom); err != nil {
		return nil, err
	}
	dictionary := s.context * p.filteredBytes()
	out := &idat{strip: s, final: s.bottom == e.header.Height}
	k.packed, _ = beginChunk(k.packed[:0], "IDAT")
	if s.top == 0 {
		k.packed = append(k.packed, s.level.zlibHeader[:]...)
	}
	k.packed = deflate.Compress(k.packed, k.filtered, dictionary, s.method.mode, p.geometry(), out.final)
	out.sum(k.packed, k.filtered, dictionary)
	k.recycle()
	s.rows.recycle()
	return out, nil
}

// contextRows returns how many rows above top a dictionary reaches into.
func (p *plan) contextRows(top int) int {
	return min(top, (window+p.rowBytes)/p.filteredBytes())
}

// filter fills k.filtered with the rows from top to before bottom.
func (k *worker) filter(e *Encoder, p *plan, filter byte, src source, top, bottom int) error {
	n := p.rowBytes
	k.filtered = grow(k.filtered, (n+1)*(bottom-top))
	if filter == filterNone {
		for y := top; y < bottom; y++ {
			if e.w.Aborted() {
				return errAborted
			}
			out := k.filtered[(y-top)*(n+1):][:n+1]
			if p.palette != nil && y > top && bytes.Equal(src.row(y), src.row(y-1)) {
				copy(out, k.filtered[(y-top-1)*(n+1):]) // looking colours up takes longer
				continue
			}
			out[0] = filterNone
			p.read(out[1:], src.row(y))
		}
		return nil
	}
	k.cur, k.up = grow(k.cur, n), grow(k.up, n)
	if top > 0 {
		p.read(k.up, src.row(top-1))
	} else {
		clear(k.up)
	}
	for y := top; y < bottom; y++ {
		if e.w.Aborted() {
			return errAborted
		}
		out := k.filtered[(y-top)*(n+1):][:n+1]
		out[0] = filterPaeth
		p.read(k.cur, src.row(y))
		kernel.Paeth(out[1:], k.cur, k.up, p.pixelBytes)
		k.cur, k.up = k.up, k.cur
	}
	return nil
}

// read turns source pixels into PNG's. A copy is made in any case: source pixels may change between two looks.
func (p *plan) read(dst, src []byte) {
	if p.convert == nil {
		copy(dst, src)
	} else {
		p.convert(dst, src)
	}
}

var errAborted = fault.Newf(fault.Aborted, "The operation was aborted")

// grow returns b with n bytes, whose values do not matter.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
