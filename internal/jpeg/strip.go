package jpeg

import (
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/pool"
	"github.com/sluice-js/sluice/internal/raster"
)

// source is rows of the image from row above on, and of these the pixels from column left on.
type source struct {
	raster.Strip
	above, left int
	bytes       int // of a row's pixels
}

// row returns row y from column x on.
func (s *source) row(y, x, pixelBytes int) []byte {
	return s.Row(y-s.above, s.bytes)[(x-s.left)*pixelBytes:]
}

// strip is the MCU rows from top to before bottom.
type strip struct {
	top, bottom int
	source      source
	before      source  // holds the last MCU above top, unless the strip begins at a marker or the image's top
	buffer      *[]byte // what source and before lie in, to recycle when the strip is encoded; nil when they are borrowed
}

// segment is what a strip becomes: bits, or a list of symbols when tables are still to be made.
type segment struct {
	bottom int
	buffer *[]byte // holds bits
	bits   []byte  // whole bytes
	last   byte    // and n bits of this
	n      uint
	list   list
	counts *frequencies
}

// worker holds what encoding a strip needs. It is large enough to begin at a page, so that its arrays lie well for vectors.
type worker struct {
	tile
	rows  rows
	pad   [16][4 * spanWidth]byte
	plain [3 * spanWidth]byte // pixels without alpha
	bits  bitWriter
}

var (
	workers = pool.New[worker]()
	buffers = pool.New[[]byte]() // of bits that were written on
	gathers = pool.New[[]byte]() // of pushed pixels that were encoded
)

// maxPooled keeps what extreme images need from staying in pools, bytes.
const maxPooled = 1 << 20

var errAborted = fault.Newf(fault.Aborted, "The operation was aborted")

// job returns what encodes a strip, and whether it is the last.
func (e *Encoder) job(s strip) (encode func() (*segment, error), last bool) {
	return func() (*segment, error) { return e.encode(&s) }, s.bottom == e.mcuRows
}

// encode is an Ordered's job: several run at once. What it worked on is kept unless it fails.
func (e *Encoder) encode(s *strip) (*segment, error) {
	k := workers.Get()
	out := &segment{bottom: s.bottom}
	if e.options.Optimize {
		out.counts = new(frequencies)
	} else {
		out.buffer = buffers.Get()
		k.bits.reset(*out.buffer)
	}
	if err := e.walk(k, s, out); err != nil {
		return nil, err
	}
	if e.options.Optimize {
		out.counts.count(out.list)
	} else {
		out.take(&k.bits)
	}
	workers.Put(k)
	if s.buffer != nil && cap(*s.buffer) <= maxPooled {
		gathers.Put(s.buffer)
	}
	return out, nil
}

// take moves what w holds.
func (s *segment) take(w *bitWriter) {
	*s.buffer = w.out
	s.bits = w.out[:w.pos]
	s.last, s.n = w.tail()
	*w = bitWriter{}
}

// recycle gives the segment's memory up, once it was written.
func (s *segment) recycle() {
	if cap(*s.buffer) <= maxPooled {
		buffers.Put(s.buffer)
	}
	s.buffer, s.bits = nil, nil
}

// walk encodes a strip span by span, to k.bits or out.list.
func (e *Encoder) walk(k *worker, s *strip, out *segment) error {
	var before predictors
	if s.top > 0 && !e.atMarker(s.top) {
		m := e.columns - 1
		n, err := e.span(k, &s.before, s.top-1, m, m+1)
		if err != nil {
			return err
		}
		for i := range n {
			before[e.component[i]] = int32(k.dc[i])
		}
	}
	for row := s.top; row < s.bottom; row++ {
		if e.w.Aborted() {
			return errAborted
		}
		for m := 0; m < e.columns; m += e.perSpan() {
			n, err := e.span(k, &s.source, row, m, min(m+e.perSpan(), e.columns))
			if err != nil {
				return err
			}
			if out.counts != nil {
				out.list = out.list.add(&k.tile, n, e.layout, &before)
			} else {
				e.code(&k.bits, &k.tile, n, e.layout, e.codes, &before)
			}
		}
	}
	return nil
}

// atMarker reports whether a restart marker comes before an MCU row.
func (e *Encoder) atMarker(row int) bool {
	return e.options.Restart > 0 && row%e.options.Restart == 0
}

// span makes blocks of the MCUs from m0 to before m1 of an MCU row, and returns their number.
func (e *Encoder) span(k *worker, s *source, row, m0, m1 int) (int, error) {
	top := row * e.size
	width, err := e.loader.load(k, s, &e.plan, e.header, top, m0*e.size, m1*e.size)
	if err != nil {
		return 0, err
	}
	t, n, luma, chroma := &k.tile, m1-m0, e.quantizers[0], e.quantizers[1]
	switch e.layout {
	case layout444:
		pairs := (n + 1) / 2
		e.transform(t, t.y[:], spanWidth, pairs, 0, 3, 6, luma)
		e.transform(t, t.cb[:], spanWidth, pairs, 1, 3, 6, chroma)
		e.transform(t, t.cr[:], spanWidth, pairs, 2, 3, 6, chroma)
	case layoutGray:
		e.transform(t, t.y[:], spanWidth, (n+1)/2, 0, 1, 2, luma)
	default:
		e.repeatChroma(t, top, width/2)
		e.transform(t, t.y[:], spanWidth, n, 0, 1, 6, luma)
		e.transform(t, t.y[8*spanWidth:], spanWidth, n, 2, 1, 6, luma)
		e.transform(t, t.cb[:], spanWidth/2, (n+1)/2, 4, 6, 12, chroma)
		e.transform(t, t.cr[:], spanWidth/2, (n+1)/2, 5, 6, 12, chroma)
		e.addDummies(t, top, n, m1 == e.columns)
	}
	return n * e.blocks, nil
}

// repeatChroma fills the rows below the image. libjpeg repeats the last row of averages, not the average of the last row.
func (e *Encoder) repeatChroma(t *tile, top, width int) {
	const stride = spanWidth / 2
	for y := (e.header.Height - top + 1) / 2; y < 8; y++ {
		copy(t.cb[y*stride:][:width], t.cb[(y-1)*stride:][:width])
		copy(t.cr[y*stride:][:width], t.cr[(y-1)*stride:][:width])
	}
}

// addDummies marks the blocks of n MCUs in 4:2:0 that lie beyond the right or the bottom edge.
func (e *Encoder) addDummies(t *tile, top, n int, atEdge bool) {
	if atEdge && (e.header.Width+7)/8 < 2*e.columns {
		i := 6 * (n - 1)
		t.dummy(i+1, t.dc[i])
		t.dummy(i+3, t.dc[i+2])
	}
	if e.header.Height-top <= 8 {
		for i := 0; i < 6*n; i += 6 {
			t.dummy(i+2, t.dc[i+1])
			t.dummy(i+3, t.dc[i+1])
		}
	}
}

// emit joins a strip to what is written. Calls come in the order of strips and do not overlap.
func (e *Encoder) emit(s *segment) error {
	if err := e.joiner.bits(s.bits, s.last, s.n); err != nil {
		return err
	}
	s.recycle()
	if s.bottom < e.mcuRows && e.atMarker(s.bottom) {
		e.joiner.pad()
		e.joiner.marker(markerRST0 + byte(e.marks&7))
		e.marks++
	}
	return e.joiner.flush()
}

// collect keeps a strip until the tables are made.
func (e *Encoder) collect(s *segment) error {
	for i := range s.counts {
		for symbol, n := range s.counts[i] {
			e.counts[i][symbol] += n
		}
	}
	s.counts = nil
	e.lists = append(e.lists, s)
	return nil
}

// writeOptimal makes the tables and writes everything that was collected.
func (e *Encoder) writeOptimal() error {
	e.tables = e.counts.best(e.components)
	e.codes = newCodes(e.tables)
	if err := e.writeHead(); err != nil {
		return err
	}
	lists := e.lists
	e.lists = nil
	return flow.NewOrdered(e.w, e.emit).All(func() (func() (*segment, error), bool) {
		s := lists[0]
		lists = lists[1:]
		return func() (*segment, error) {
			if e.w.Aborted() {
				return nil, errAborted
			}
			var w bitWriter
			s.buffer = buffers.Get()
			w.reset(*s.buffer)
			w.codeList(s.list, e.codes)
			s.list = nil
			s.take(&w)
			return s, nil
		}, len(lists) == 0
	})
}
