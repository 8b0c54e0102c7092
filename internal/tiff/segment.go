package tiff

import (
	"bytes"
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/deflate"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/pool"
	"github.com/sluice-js/sluice/internal/raster"
)

// samples is what a pixel becomes.
type samples struct {
	gray, alpha, wide bool
	channels          int
	convert           func(dst, src []byte) // nil: the rows are as they should be
}

func (s *samples) depth() int {
	if s.wide {
		return 16
	}
	return 8
}

// bytes returns the size of a pixel.
func (s *samples) bytes() int { return s.channels * s.depth() / 8 }

// samplesOf keeps the samples of the pixels, less those that are promised to say nothing, and alpha if it is not wanted.
func samplesOf(h raster.Header, o *Options) samples {
	l := h.PixelFormat.Layout()
	l.Gray = l.Gray || h.Gray && !h.Whole
	if l.Alpha && !o.Alpha {
		gray := l.Gray && o.Background.Gray()
		s := samples{gray: gray, channels: 3, convert: raster.Blend(h, gray, o.Background)}
		if gray {
			s.channels = 1
		}
		return s
	}
	l.Alpha = l.Alpha && !(h.Opaque && !h.Whole)
	return samples{gray: l.Gray, alpha: l.Alpha, wide: l.Wide, channels: l.Channels(), convert: raster.Convert(h, l)}
}

// shape is how the image is cut: into bands of rows, and those into tiles.
type shape struct {
	width, height int // pixels of a strip or tile
	across        int // tiles beside each other
	pixel         int // bytes
	tiled         bool
}

const stripBytes = 128 << 10

func shapeOf(h raster.Header, o *Options, pixel int) (shape, error) {
	s := shape{width: h.Width, height: o.RowsPerStrip, across: 1, pixel: pixel, tiled: o.Tiled}
	if o.Tiled {
		for _, side := range []struct {
			name  string
			given int
			into  *int
		}{{"tileWidth", o.TileWidth, &s.width}, {"tileHeight", o.TileHeight, &s.height}} {
			if side.given%16 != 0 {
				return s, fault.Newf(fault.Option, "Expected tiff option %q to be a multiple of 16, got %d", side.name, side.given)
			}
			if *side.into = side.given; side.given == 0 {
				*side.into = 256
			}
		}
		s.across = (h.Width + s.width - 1) / s.width
	} else if s.height == 0 {
		s.height = max(1, stripBytes/(h.Width*pixel))
	}
	if !o.Tiled {
		s.height = min(s.height, h.Height)
	}
	if n := s.across * s.bands(h.Height); n > maxSegments {
		return s, fault.Newf(fault.Limit, "Expected a TIFF of at most %d strips or tiles, got %d", maxSegments, n)
	}
	if n := s.across * s.bytes(s.height); n > maxBand {
		return s, fault.Newf(fault.Limit, "Expected strips, or rows of tiles, of at most %d bytes, got %d", maxBand, n)
	}
	return s, nil
}

// bands returns how many bands so many rows make.
func (s *shape) bands(rows int) int { return (rows + s.height - 1) / s.height }

// bytes returns what a strip or tile of so many rows takes.
func (s *shape) bytes(rows int) int { return s.width * s.pixel * rows }

// sizes returns the bytes of all segments without compression. Tiles are full, the last strip has what rows are left.
func (s *shape) sizes(rows int) []uint64 {
	sizes := make([]uint64, s.across*s.bands(rows))
	for i := range sizes {
		sizes[i] = uint64(s.bytes(s.height))
	}
	if last := rows % s.height; last > 0 && !s.tiled {
		sizes[len(sizes)-1] = uint64(s.bytes(last))
	}
	return sizes
}

// band is the rows that a strip or a row of tiles is made of.
type band struct {
	rows     raster.Strip
	own      []byte // the memory of pushed rows
	segments [][]byte
	memory   []byte // that uncompressed segments lie in
}

var buffers = pool.New[[]byte]()

// maxPooled keeps what extremely wide images need from staying in the pool.
const maxPooled = 4 << 20

// newBuffer returns an empty slice with room for n bytes.
func newBuffer(n int) []byte {
	if b := *buffers.Get(); cap(b) >= n {
		return b[:0]
	}
	return make([]byte, 0, n)
}

// recycle gives up the band's memory, of which nothing is in use.
func (b *band) recycle() {
	for _, m := range [][]byte{b.own, b.memory} {
		if m != nil && cap(m) <= maxPooled {
			buffers.Put(&m)
		}
	}
	*b = band{}
}

// encode makes the segments of a band. It is an Ordered's job: several run at once.
func (e *Encoder) encode(b *band) error {
	s, n := &e.shape, e.header.RowBytes()
	height := b.rows.Height
	if s.tiled {
		height = s.height // tiles below the last row are filled up
	}
	size := s.bytes(height)
	b.memory = newBuffer(size * s.across)[:size*s.across]
	line := e.header.Width * s.pixel
	row := b.memory
	if s.tiled {
		row = make([]byte, line)
	}
	for y := range b.rows.Height {
		if e.w.Aborted() {
			return errAborted
		}
		if !s.tiled {
			e.samples.read(b.memory[y*line:][:line], b.rows.Row(y, n))
			continue
		}
		e.samples.read(row, b.rows.Row(y, n))
		for t := range s.across {
			dst := b.memory[t*size+s.bytes(y):][:s.bytes(1)]
			clear(dst[copy(dst, row[s.bytes(t):]):])
		}
	}
	for t := range s.across {
		segment := b.memory[t*size:][:size]
		clear(segment[s.bytes(b.rows.Height):])
		if e.keeps() {
			if segment = e.compress(segment); e.w.Aborted() {
				return errAborted
			}
		}
		b.segments = append(b.segments, segment)
	}
	if e.keeps() {
		segments := b.segments
		b.recycle()
		b.segments = segments
	}
	return nil
}

func (s *samples) read(dst, src []byte) {
	if s.convert == nil {
		copy(dst, src)
	} else {
		s.convert(dst, src)
	}
}

func (e *Encoder) predicts() bool { return e.keeps() && e.options.Predictor == "horizontal" }

var modes = map[string]deflate.Mode{"stored": deflate.Stored, "fast": deflate.Greedy, "balanced": deflate.Balanced, "small": deflate.Thorough}

var tables = pool.New[table]()

// compress returns a segment compressed, in memory of its own. The segment is changed. After an abort the result is of no use.
func (e *Encoder) compress(segment []byte) []byte {
	line := e.shape.bytes(1)
	if e.predicts() {
		for rest := segment; len(rest) >= line && !e.w.Aborted(); rest = rest[line:] {
			e.samples.difference(rest[:line])
		}
	}
	work := newBuffer(len(segment) + len(segment)/8 + 64)
	if e.options.Compression == "lzw" {
		t := tables.Get()
		work = t.append(work, segment, e.w.Aborted)
		tables.Put(t)
	} else {
		work = e.deflate(work, segment)
	}
	packed := bytes.Clone(work)
	if cap(work) <= maxPooled {
		buffers.Put(&work)
	}
	return packed
}

// window is how far deflate looks back (RFC 1951, 2), and piece what is compressed before an abort is noticed: the segments
// of those who ask for none are smaller.
const (
	window = 32 << 10
	piece  = 256 << 10
)

// deflate appends a segment as zlib has it (RFC 1950).
func (e *Encoder) deflate(dst, segment []byte) []byte {
	line := e.shape.bytes(1)
	context, step := (window+line-1)/line*line, max(1, piece/line)*line // whole rows
	g := deflate.Geometry{PixelBytes: e.shape.pixel, RowBytes: line}
	dst = append(dst, 0x78, 0x9c) // deflate, a window of 32 KB
	for at := 0; at < len(segment) && !e.w.Aborted(); at += step {
		before, end := min(context, at), min(at+step, len(segment))
		dst = deflate.Compress(dst, segment[at-before:end], before, modes[e.options.Level], g, end == len(segment))
	}
	return binary.BigEndian.AppendUint32(dst, kernel.Adler32(1, segment))
}

// difference takes from every sample the one of the pixel to the left (TIFF 6.0, section 14).
func (s *samples) difference(row []byte) {
	n := s.bytes()
	if s.wide {
		for i := len(row) - 2; i >= n; i -= 2 {
			binary.BigEndian.PutUint16(row[i:], binary.BigEndian.Uint16(row[i:])-binary.BigEndian.Uint16(row[i-n:]))
		}
		return
	}
	for i := len(row) - 1; i >= n; i-- {
		row[i] -= row[i-n]
	}
}

var errAborted = fault.Newf(fault.Aborted, "The operation was aborted")
