package feature

import (
	"encoding/binary"
	"math"
)

// Kind is the kind of a geometry, with WKB's numbers.
type Kind uint8

// The kinds of geometries, and of a polygon's rings.
const (
	Point           Kind = 1
	LineString      Kind = 2
	Polygon         Kind = 3
	MultiPoint      Kind = 4
	MultiLineString Kind = 5
	MultiPolygon    Kind = 6
	Collection      Kind = 7
	Ring            Kind = 8
)

// Shape is one geometry: a tree, each node before what it is made of. No node is empty but the first. A Shape without nodes is
// no geometry at all.
type Shape struct {
	Nodes   []Node
	HasZ    bool // all positions have three coordinates
	scratch []byte
}

// Node is a geometry or a ring: positions, or other nodes.
type Node struct {
	Kind  Kind
	Parts int // how many nodes it is made of
	Coords
}

// Coords is a run of positions. Its bytes may change at any time, its lengths do not.
type Coords struct {
	Len     int
	x, y, z []byte // the first position; z is nil when there is none
	stride  int
	big     bool // big-endian
}

// Empty reports whether the geometry has no position.
func (s *Shape) Empty() bool { return s.Nodes[0].Len == 0 && s.Nodes[0].Parts == 0 }

// XY returns position i.
func (c *Coords) XY(i int) (x, y float64) {
	at := i * c.stride
	if c.big {
		return bigFloat(c.x[at:]), bigFloat(c.y[at:])
	}
	return float(c.x[at:]), float(c.y[at:])
}

// AppendPosition appends position i as text, its coordinates separated by spaces and in the order of the output. False: one of
// them is not finite, and dst holds a part of it.
func (h *Header) AppendPosition(dst []byte, c *Coords, i int) ([]byte, bool) {
	x, y := c.XY(i)
	if h.Swapped {
		x, y = y, x
	}
	if !Finite(x) || !Finite(y) {
		return dst, false
	}
	dst = append(h.AppendCoordinate(dst, x), ' ')
	dst = h.AppendCoordinate(dst, y)
	if c.z == nil {
		return dst, true
	}
	z := c.Z(i)
	if !Finite(z) {
		return dst, false
	}
	return h.AppendCoordinate(append(dst, ' '), z), true
}

// Z returns the third coordinate of position i. There must be one: see Shape.HasZ.
func (c *Coords) Z(i int) float64 {
	if c.big {
		return bigFloat(c.z[i*c.stride:])
	}
	return float(c.z[i*c.stride:])
}

// Closed reports whether the last position is the first one.
func (c *Coords) Closed() bool {
	x0, y0 := c.XY(0)
	x, y := c.XY(c.Len - 1)
	return x == x0 && y == y0
}

// Clockwise reports whether the ring runs so, with y upwards.
func (c *Coords) Clockwise() bool {
	x0, y0 := c.XY(0)
	area, px, py := 0.0, 0.0, 0.0
	for i := 1; i < c.Len; i++ { // relative to the first position, for precision
		x, y := c.XY(i)
		x, y = x-x0, y-y0
		area += px*y - x*py
		px, py = x, y
	}
	return area < 0
}

// Bounds are the least and the greatest x, y and z.
type Bounds [6]float64

// Bounds returns the bounding box, and false when a coordinate is not finite or there is none.
func (s *Shape) Bounds() (b Bounds, ok bool) {
	inf := math.Inf(1)
	b = Bounds{inf, inf, inf, -inf, -inf, -inf}
	ok = true
	for n := range s.Nodes {
		c := &s.Nodes[n].Coords
		for i := range c.Len {
			x, y := c.XY(i)
			b[0], b[3] = min(b[0], x), max(b[3], x)
			b[1], b[4] = min(b[1], y), max(b[4], y)
			if s.HasZ {
				z := c.Z(i)
				b[2], b[5] = min(b[2], z), max(b[5], z)
			}
		}
	}
	for i, v := range b {
		if i%3 < 2 || s.HasZ {
			ok = ok && Finite(v)
		}
	}
	return b, ok
}

// Finite reports whether v is a number that text can hold.
func Finite(v float64) bool { return v-v == 0 }

func float(b []byte) float64    { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
func bigFloat(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }
