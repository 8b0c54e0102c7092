package gml

import (
	"github.com/sluice-js/sluice/internal/feature"
)

// elements are how geometries are called, and what holds their parts. Members of collections may be of any kind.
var elements = [...]struct{ open, close, part, partClose string }{
	feature.Point:           {"<gml:Point", "</gml:Point>", "", ""},
	feature.LineString:      {"<gml:LineString", "</gml:LineString>", "", ""},
	feature.Polygon:         {"<gml:Polygon", "</gml:Polygon>", "", ""},
	feature.MultiPoint:      {"<gml:MultiPoint", "</gml:MultiPoint>", "<gml:pointMember>", "</gml:pointMember>"},
	feature.MultiLineString: {"<gml:MultiCurve", "</gml:MultiCurve>", "<gml:curveMember>", "</gml:curveMember>"},
	feature.MultiPolygon:    {"<gml:MultiSurface", "</gml:MultiSurface>", "<gml:surfaceMember>", "</gml:surfaceMember>"},
	feature.Collection:      {"<gml:MultiGeometry", "</gml:MultiGeometry>", "<gml:geometryMember>", "</gml:geometryMember>"},
}

// writer walks one geometry.
type writer struct {
	f     *format
	s     *feature.Shape
	at    int  // the next node
	wrong bool // a coordinate is no number that text can hold
}

// appendGeometry appends the bounding box and the geometry of a feature. One that has none, or no position, or a coordinate that is
// not finite, is nil: GML has no other way to say so.
func (f *format) appendGeometry(dst []byte, s *feature.Shape) []byte {
	if len(s.Nodes) == 0 || s.Empty() && s.Nodes[0].Kind <= feature.Polygon {
		return append(dst, f.geometryNil...)
	}
	start := len(dst)
	if f.h.FeatureBBox {
		if b, ok := s.Bounds(); ok {
			dst = append(dst, "<gml:boundedBy>"...)
			dst = f.appendEnvelope(dst, b, s.HasZ)
			dst = append(dst, "</gml:boundedBy>"...)
		}
	}
	dst = append(dst, f.geometryOpen...)
	w := writer{f: f, s: s}
	f.path = f.path[:0]
	dst = w.node(dst)
	if w.wrong {
		return append(dst[:start], f.geometryNil...)
	}
	return append(dst, f.geometryClose...)
}

func (f *format) appendEnvelope(dst []byte, b feature.Bounds, hasZ bool) []byte {
	dst = append(dst, "<gml:Envelope"...)
	dst = append(dst, f.srs...)
	dst = appendDimension(dst, hasZ)
	for i, element := range []string{"gml:lowerCorner>", "gml:upperCorner>"} {
		x, y := b[3*i], b[3*i+1]
		if f.h.Swapped {
			x, y = y, x
		}
		dst = append(append(dst, '<'), element...)
		dst = append(f.h.AppendCoordinate(dst, x), ' ')
		dst = f.h.AppendCoordinate(dst, y)
		if hasZ {
			dst = f.h.AppendCoordinate(append(dst, ' '), b[3*i+2])
		}
		dst = append(append(dst, "</"...), element...)
	}
	return append(dst, "</gml:Envelope>"...)
}

// node appends the next node with all that it is made of.
func (w *writer) node(dst []byte) []byte {
	n := &w.s.Nodes[w.at]
	w.at++
	e := &elements[n.Kind]
	dst = w.open(dst, e.open, len(w.f.path) == 0)
	switch n.Kind {
	case feature.Point:
		dst = w.position(append(dst, "<gml:pos>"...), &n.Coords, 0)
		dst = append(dst, "</gml:pos>"...)
	case feature.LineString:
		dst = w.positions(dst, &n.Coords)
	case feature.Polygon:
		dst = w.rings(dst, n.Parts)
	case feature.MultiPoint:
		for i := range n.Len {
			dst = append(dst, e.part...)
			w.f.path = append(w.f.path, i+1)
			dst = w.open(dst, elements[feature.Point].open, false)
			w.f.path = w.f.path[:len(w.f.path)-1]
			dst = w.position(append(dst, "<gml:pos>"...), &n.Coords, i)
			dst = append(dst, "</gml:pos></gml:Point>"...)
			dst = append(dst, e.partClose...)
		}
	default:
		for i := range n.Parts {
			dst = append(dst, e.part...)
			w.f.path = append(w.f.path, i+1)
			dst = w.node(dst)
			w.f.path = w.f.path[:len(w.f.path)-1]
			dst = append(dst, e.partClose...)
		}
	}
	return append(dst, e.close...)
}

// open appends a geometry's tag with its id; the reference system and the number of dimensions are said by the outermost.
func (w *writer) open(dst []byte, tag string, outermost bool) []byte {
	dst = append(dst, tag...)
	dst = append(dst, ` gml:id="`...)
	dst = append(dst, w.f.name...)
	dst = append(dst, ".geometry"...)
	dst = appendPath(dst, w.f.path)
	dst = append(dst, '"')
	if !outermost {
		return append(dst, '>')
	}
	dst = append(dst, w.f.srs...)
	return appendDimension(dst, w.s.HasZ)
}

func (w *writer) rings(dst []byte, count int) []byte {
	for i := range count {
		n := &w.s.Nodes[w.at]
		w.at++
		if i == 0 {
			dst = append(dst, "<gml:exterior><gml:LinearRing>"...)
		} else {
			dst = append(dst, "<gml:interior><gml:LinearRing>"...)
		}
		dst = w.positions(dst, &n.Coords)
		if i == 0 {
			dst = append(dst, "</gml:LinearRing></gml:exterior>"...)
		} else {
			dst = append(dst, "</gml:LinearRing></gml:interior>"...)
		}
	}
	return dst
}

// positions appends a run of positions. A ring that is open is closed.
func (w *writer) positions(dst []byte, c *feature.Coords) []byte {
	dst = append(dst, "<gml:posList>"...)
	n := &w.s.Nodes[w.at-1]
	for i := range c.Len {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = w.position(dst, c, i)
	}
	if n.Kind == feature.Ring && !c.Closed() {
		dst = w.position(append(dst, ' '), c, 0)
	}
	return append(dst, "</gml:posList>"...)
}

func (w *writer) position(dst []byte, c *feature.Coords, i int) []byte {
	dst, finite := w.f.h.AppendPosition(dst, c, i)
	w.wrong = w.wrong || !finite
	return dst
}
