package csv

import "github.com/sluice-js/sluice/internal/feature"

var names = [...]string{
	feature.Point: "POINT", feature.LineString: "LINESTRING", feature.Polygon: "POLYGON", feature.MultiPoint: "MULTIPOINT",
	feature.MultiLineString: "MULTILINESTRING", feature.MultiPolygon: "MULTIPOLYGON", feature.Collection: "GEOMETRYCOLLECTION",
}

// writer walks one geometry.
type writer struct {
	f     *format
	s     *feature.Shape
	at    int  // the next node
	wrong bool // a coordinate is no number that text can hold
}

// appendGeometry appends the field of a geometry. Without one, or with a coordinate that is not finite, there is nothing in it.
func (f *format) appendGeometry(dst []byte, s *feature.Shape) []byte {
	if len(s.Nodes) == 0 {
		return dst
	}
	start := len(dst)
	w := writer{f: f, s: s}
	dst = w.geometry(append(dst, '"'))
	if w.wrong {
		return dst[:start]
	}
	return append(dst, '"')
}

// geometry appends the next node with its name.
func (w *writer) geometry(dst []byte) []byte {
	n := &w.s.Nodes[w.at]
	dst = append(append(dst, names[n.Kind]...), ' ')
	if w.s.HasZ {
		dst = append(dst, "Z "...)
	}
	return w.body(dst)
}

// body appends what the next node is made of, in parentheses.
func (w *writer) body(dst []byte) []byte {
	n := &w.s.Nodes[w.at]
	w.at++
	if n.Len == 0 && n.Parts == 0 {
		return append(dst, "EMPTY"...)
	}
	dst = append(dst, '(')
	for i := range n.Len {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.Kind == feature.MultiPoint {
			dst = append(w.position(append(dst, '('), &n.Coords, i), ')')
		} else {
			dst = w.position(dst, &n.Coords, i)
		}
	}
	if n.Kind == feature.Ring && !n.Closed() {
		dst = w.position(append(dst, ','), &n.Coords, 0)
	}
	for i := range n.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.Kind == feature.Collection {
			dst = w.geometry(dst)
		} else {
			dst = w.body(dst)
		}
	}
	return append(dst, ')')
}

func (w *writer) position(dst []byte, c *feature.Coords, i int) []byte {
	dst, finite := w.f.h.AppendPosition(dst, c, i)
	w.wrong = w.wrong || !finite
	return dst
}
