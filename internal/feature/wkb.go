package feature

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/sluice-js/sluice/internal/fault"
)

// maxDepth is how deep collections may lie in each other.
const maxDepth = 32

// Flags of EWKB, which PostGIS writes.
const (
	ewkbZ    = 0x80000000
	ewkbM    = 0x40000000
	ewkbSRID = 0x20000000
)

// wkb reads well-known binary (OGC 06-103r4, 8; ISO's Z, M and ZM; EWKB). Measures are left out.
type wkb struct {
	b     []byte // what is left
	shape *Shape
}

// header is what each geometry begins with.
type header struct {
	kind       Kind
	big        bool
	hasZ       bool
	dimensions int
}

// readWKB makes s the geometry that b holds.
func (s *Shape) readWKB(b []byte) error {
	s.Nodes, s.scratch = s.Nodes[:0], s.scratch[:0]
	r := wkb{b, s}
	h, err := r.header()
	if err != nil {
		return err
	}
	s.HasZ = h.hasZ
	if _, err := r.geometry(h, 0); err != nil {
		return err
	}
	if len(r.b) != 0 {
		return fault.Newf(fault.Input, "Expected WKB to end with its geometry, got %d more bytes", len(r.b))
	}
	return nil
}

// geometry reads what follows a header. False: it is empty, and if it is a part of another one, left out.
func (r *wkb) geometry(h header, depth int) (bool, error) {
	if depth > maxDepth {
		return false, fault.Newf(fault.Input, "Expected WKB collections at most %d deep", maxDepth)
	}
	if h.hasZ != r.shape.HasZ {
		return false, fault.Newf(fault.Input, "Expected the parts of a WKB geometry to have as many dimensions as the whole")
	}
	at := len(r.shape.Nodes)
	r.shape.Nodes = append(r.shape.Nodes, Node{Kind: h.kind})
	parts := 0
	var coords Coords
	var err error
	switch h.kind {
	case Point:
		if coords, err = r.positions(h, 1); err == nil && coords.Len == 1 {
			if x, y := coords.XY(0); math.IsNaN(x) && math.IsNaN(y) { // how an empty point is written
				coords = Coords{}
			}
		}
	case LineString:
		coords, err = r.run(h)
	case MultiPoint:
		coords, err = r.points(h)
	case Polygon:
		parts, err = r.rings(h)
	default:
		parts, err = r.members(h, depth)
	}
	n := &r.shape.Nodes[at]
	n.Coords, n.Parts = coords, parts
	if err != nil {
		return false, err
	}
	if coords.Len == 0 && parts == 0 {
		if depth > 0 {
			r.shape.Nodes = r.shape.Nodes[:at]
		}
		return false, nil
	}
	return true, nil
}

func (r *wkb) rings(h header) (int, error) {
	count, err := r.count(h, 4)
	rings := 0
	for i := 0; i < count && err == nil; i++ {
		var c Coords
		if c, err = r.run(h); err == nil && c.Len > 0 {
			r.shape.Nodes = append(r.shape.Nodes, Node{Kind: Ring, Coords: c})
			rings++
		}
	}
	return rings, err
}

func (r *wkb) members(h header, depth int) (int, error) {
	count, err := r.count(h, 5)
	members := 0
	for i := 0; i < count && err == nil; i++ {
		var m header
		if m, err = r.member(h); err != nil {
			break
		}
		var ok bool
		if ok, err = r.geometry(m, depth+1); ok {
			members++
		}
	}
	return members, err
}

// member reads the header of a part of h.
func (r *wkb) member(h header) (header, error) {
	m, err := r.header()
	if err == nil && h.kind != Collection && m.kind != h.kind-3 {
		err = fault.Newf(fault.Input, "Expected a WKB geometry of type %d to hold parts of type %d, got %d", h.kind, h.kind-3, m.kind)
	}
	return m, err
}

// points reads the points of a multipoint as one run. Those that are written alike, as about all are, stay where they are.
func (r *wkb) points(h header) (Coords, error) {
	count, err := r.count(h, 5)
	if err != nil || count == 0 {
		return Coords{}, err
	}
	if size := 5 + 8*h.dimensions; len(r.b) >= count*size {
		alike := true
		for i := 1; i < count && alike; i++ {
			alike = bytes.Equal(r.b[i*size:i*size+5], r.b[:5])
		}
		first := wkb{b: r.b, shape: r.shape}
		m, err := first.member(h)
		if err == nil && alike && len(first.b) == len(r.b)-5 && m.hasZ == h.hasZ && m.dimensions == h.dimensions && !anyEmpty(r.b[5:], count, size, m.big) {
			c := coordsAt(r.b[5:], count, m.hasZ, size, m.big)
			r.b = r.b[count*size:]
			return c, nil
		}
	}
	start, dimensions := len(r.shape.scratch), 2
	if h.hasZ {
		dimensions = 3
	}
	for range count {
		m, err := r.member(h)
		if err != nil {
			return Coords{}, err
		}
		if m.hasZ != h.hasZ {
			return Coords{}, fault.Newf(fault.Input, "Expected the parts of a WKB geometry to have as many dimensions as the whole")
		}
		c, err := r.positions(m, 1)
		if err != nil {
			return Coords{}, err
		}
		x, y := c.XY(0)
		if math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		r.shape.scratch = appendFloat(appendFloat(r.shape.scratch, x), y)
		if h.hasZ {
			r.shape.scratch = appendFloat(r.shape.scratch, c.Z(0))
		}
	}
	b := r.shape.scratch[start:]
	return coordsAt(b, len(b)/(8*dimensions), h.hasZ, 8*dimensions, false), nil
}

// anyEmpty reports whether one of count points, size bytes apart, has no position.
func anyEmpty(b []byte, count, size int, big bool) bool {
	c := Coords{Len: count, x: b, y: b[8:], stride: size, big: big}
	for i := range count {
		if x, y := c.XY(i); math.IsNaN(x) && math.IsNaN(y) {
			return true
		}
	}
	return false
}

// run reads a count and so many positions.
func (r *wkb) run(h header) (Coords, error) {
	count, err := r.count(h, 8*h.dimensions)
	if err != nil {
		return Coords{}, err
	}
	return r.positions(h, count)
}

func (r *wkb) positions(h header, count int) (Coords, error) {
	size := 8 * h.dimensions
	if len(r.b) < count*size {
		return Coords{}, short(count*size, len(r.b))
	}
	c := coordsAt(r.b, count, h.hasZ, size, h.big)
	r.b = r.b[count*size:]
	return c, nil
}

// coordsAt returns the run that b begins with. b holds count times stride bytes.
func coordsAt(b []byte, count int, hasZ bool, stride int, big bool) Coords {
	if count == 0 {
		return Coords{}
	}
	c := Coords{Len: count, x: b, y: b[8:], stride: stride, big: big}
	if hasZ {
		c.z = b[16:]
	}
	return c
}

// count reads a number of things that take least bytes each.
func (r *wkb) count(h header, least int) (int, error) {
	if len(r.b) < 4 {
		return 0, short(4, len(r.b))
	}
	n := order(h.big).Uint32(r.b)
	r.b = r.b[4:]
	if uint64(n)*uint64(least) > uint64(len(r.b)) {
		return 0, short(int(n)*least, len(r.b))
	}
	return int(n), nil
}

func (r *wkb) header() (header, error) {
	if len(r.b) < 5 {
		return header{}, short(5, len(r.b))
	}
	mark := r.b[0]
	if mark > 1 {
		return header{}, fault.Newf(fault.Input, "Expected WKB to begin with its byte order, 0 or 1, got %d", mark)
	}
	h := header{big: mark == 0, dimensions: 2}
	t := order(h.big).Uint32(r.b[1:])
	r.b = r.b[5:]
	if t&ewkbSRID != 0 {
		if len(r.b) < 4 {
			return header{}, short(4, len(r.b))
		}
		r.b = r.b[4:]
	}
	z, m := t&ewkbZ != 0, t&ewkbM != 0
	kind := t &^ (ewkbZ | ewkbM | ewkbSRID)
	switch kind / 1000 {
	case 1:
		z = true
	case 2:
		m = true
	case 3:
		z, m = true, true
	}
	kind -= min(kind/1000, 3) * 1000
	if kind < uint32(Point) || kind > uint32(Collection) {
		return header{}, fault.Newf(fault.Input, "Expected WKB of a point, line string, polygon, a multi… of them or a collection (1 to 7), got type %d", t)
	}
	h.kind, h.hasZ = Kind(kind), z
	for _, more := range []bool{z, m} {
		if more {
			h.dimensions++
		}
	}
	return h, nil
}

func order(big bool) binary.ByteOrder {
	if big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func short(want, got int) error {
	return fault.Newf(fault.Input, "Expected WKB of %d more bytes, got %d", want, got)
}
