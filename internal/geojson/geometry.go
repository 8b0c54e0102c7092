package geojson

import (
	"github.com/sluice-js/sluice/internal/feature"
	"github.com/sluice-js/sluice/internal/text"
)

var names = [...]string{
	feature.Point: "Point", feature.LineString: "LineString", feature.Polygon: "Polygon", feature.MultiPoint: "MultiPoint",
	feature.MultiLineString: "MultiLineString", feature.MultiPolygon: "MultiPolygon", feature.Collection: "GeometryCollection",
}

// writer walks one geometry.
type writer struct {
	f     *format
	s     *feature.Shape
	at    int  // the next node
	wrong bool // a coordinate is no number that text can hold
}

// appendGeometry appends the bounding box and the geometry of a feature. One that has none, or no position, or a coordinate that is
// not finite, is null (RFC 7946, 3.1 and 3.2).
func (f *format) appendGeometry(dst []byte, s *feature.Shape) []byte {
	const null = `,"geometry":null`
	if len(s.Nodes) == 0 || s.Empty() && s.Nodes[0].Kind <= feature.Polygon {
		return append(dst, null...)
	}
	start := len(dst)
	if f.h.FeatureBBox {
		if b, ok := s.Bounds(); ok {
			dst = append(dst, `,"bbox":[`...)
			for i, v := range b {
				if i%3 == 2 && !s.HasZ {
					continue
				}
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = f.appendCoordinate(dst, v)
			}
			dst = append(dst, ']')
		}
	}
	w := writer{f: f, s: s}
	dst = w.geometry(append(dst, `,"geometry":`...))
	if w.wrong {
		return append(dst[:start], null...)
	}
	return dst
}

// geometry appends the next node as an object.
func (w *writer) geometry(dst []byte) []byte {
	n := &w.s.Nodes[w.at]
	dst = append(append(append(dst, `{"type":"`...), names[n.Kind]...), `","`...)
	if n.Kind != feature.Collection {
		dst = w.coordinates(append(dst, `coordinates":`...))
		return append(dst, '}')
	}
	w.at++
	dst = append(dst, `geometries":[`...)
	for i := range n.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.geometry(dst)
	}
	return append(dst, "]}"...)
}

// coordinates appends the next node as nested arrays of positions.
func (w *writer) coordinates(dst []byte) []byte {
	n := &w.s.Nodes[w.at]
	w.at++
	switch n.Kind {
	case feature.Point:
		return w.position(dst, &n.Coords, 0)
	case feature.LineString, feature.MultiPoint:
		dst = append(dst, '[')
		for i := range n.Len {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = w.position(dst, &n.Coords, i)
		}
		return append(dst, ']')
	}
	dst = append(dst, '[')
	for i := range n.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.Kind == feature.Polygon {
			dst = w.ring(dst, i > 0)
		} else {
			dst = w.coordinates(dst)
		}
	}
	return append(dst, ']')
}

// ring appends the next node, closed, and turned such that it is clockwise if it is a hole, else not (RFC 7946, 3.1.6).
func (w *writer) ring(dst []byte, hole bool) []byte {
	c := &w.s.Nodes[w.at].Coords
	w.at++
	first, step := 0, 1
	if c.Clockwise() != hole {
		first, step = c.Len-1, -1
	}
	dst = append(dst, '[')
	for i := range c.Len {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.position(dst, c, first+i*step)
	}
	if !c.Closed() {
		dst = w.position(append(dst, ','), c, first)
	}
	return append(dst, ']')
}

func (w *writer) position(dst []byte, c *feature.Coords, i int) []byte {
	x, y := c.XY(i)
	if !feature.Finite(x) || !feature.Finite(y) {
		w.wrong = true
		return dst
	}
	dst = w.f.appendCoordinate(append(dst, '['), x)
	dst = w.f.appendCoordinate(append(dst, ','), y)
	if w.s.HasZ {
		z := c.Z(i)
		if !feature.Finite(z) {
			w.wrong = true
			return dst
		}
		dst = w.f.appendCoordinate(append(dst, ','), z)
	}
	return append(dst, ']')
}

// appendCoordinate appends v, which must be finite.
func (f *format) appendCoordinate(dst []byte, v float64) []byte {
	if f.h.Shortest {
		return text.AppendJSON(dst, v)
	}
	return text.AppendFixed(dst, v, f.h.Decimals)
}
