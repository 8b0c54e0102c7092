package feature

import (
	"github.com/sluice-js/sluice/internal/fault"
)

// geometry is the column of geometries of a batch: WKB, or positions with GeoArrow's nested offsets.
type geometry struct {
	kind     Kind // 0: none but nulls
	wkb      bool
	coords   Coords // all positions
	levels   [3]offsets
	depth    int    // levels in use; those of WKB are 1
	data     []byte // of WKB
	validity bits
}

// nested are the kinds by GeoArrow's names, and how many levels of offsets each has.
var nested = map[string]struct {
	kind  Kind
	depth int
}{
	"point": {Point, 0}, "linestring": {LineString, 1}, "polygon": {Polygon, 2},
	"multipoint": {MultiPoint, 1}, "multilinestring": {MultiLineString, 2}, "multipolygon": {MultiPolygon, 3},
}

const ofGeometry = "geometry"

// geometry checks that the buffers hold geometries for so many rows.
func (s source) geometry(g *geometry, m *geometryMeta, rows int) (err error) {
	if g.validity, err = s.bits(m.Validity, m.Bit, rows, "the validity of", ofGeometry); err != nil {
		return err
	}
	if m.Type == "wkb" {
		g.wkb, g.kind = true, Collection
		if g.data, err = s.bytes(m.Values, 0, "the bytes of", ofGeometry); err != nil {
			return err
		}
		if len(m.Offsets) != 1 {
			return fault.Newf(fault.Input, "Expected WKB with 1 run of offsets, got %d", len(m.Offsets))
		}
		g.levels[0], err = s.offsets(&m.Offsets[0], m.Wide, rows, len(g.data), "WKB of", ofGeometry)
		return err
	}
	n, ok := nested[m.Type]
	if !ok {
		return fault.Newf(fault.Input, "Expected the type of a geometry to be wkb|point|linestring|polygon|multipoint|multilinestring|multipolygon, got %.80q", m.Type)
	}
	if len(m.Offsets) != n.depth {
		return fault.Newf(fault.Input, "Expected a geometry of type %s to have %d runs of offsets, got %d", m.Type, n.depth, len(m.Offsets))
	}
	g.kind, g.depth = n.kind, n.depth
	if g.coords, err = s.coords(m); err != nil {
		return err
	}
	return s.levels(g, m, rows)
}

// levels reads the offsets of each level. The innermost count positions, the others what the next level holds.
func (s source) levels(g *geometry, m *geometryMeta, rows int) error {
	if g.depth == 0 {
		if g.coords.Len < rows {
			return fault.Newf(fault.Input, "Expected %d positions, got %d", rows, g.coords.Len)
		}
		return nil
	}
	width, count := 4, rows
	if m.Wide {
		width = 8
	}
	for i := range g.depth {
		most := g.coords.Len
		if i+1 < g.depth {
			b, err := s.bytes(&m.Offsets[i+1], width, "the offsets of", ofGeometry)
			if err != nil {
				return err
			}
			most = len(b)/width - 1
		}
		var err error
		if g.levels[i], err = s.offsets(&m.Offsets[i], m.Wide, count, most, "the parts of", ofGeometry); err != nil {
			return err
		}
		count = most
	}
	return nil
}

// coords finds the positions: in one buffer, or in one for each coordinate.
func (s source) coords(m *geometryMeta) (Coords, error) {
	if m.Values == nil {
		x, err := s.bytes(m.X, 0, "x of", ofGeometry)
		if err != nil {
			return Coords{}, err
		}
		c := Coords{Len: len(x) / 8, x: x, stride: 8}
		if c.y, err = s.bytes(m.Y, c.Len*8, "y of", ofGeometry); err != nil {
			return c, err
		}
		if m.Z != nil {
			c.z, err = s.bytes(m.Z, c.Len*8, "z of", ofGeometry)
		}
		return c, err
	}
	least := 2
	if m.HasZ {
		least = 3
	}
	if m.Dimensions < least || m.Dimensions > 4 {
		return Coords{}, fault.Newf(fault.Input, "Expected positions of %d to 4 coordinates, got %d", least, m.Dimensions)
	}
	b, err := s.bytes(m.Values, 0, "the positions of", ofGeometry)
	if err != nil {
		return Coords{}, err
	}
	return coordsAt(b, len(b)/(8*m.Dimensions), m.HasZ, 8*m.Dimensions, false), nil
}

// slice returns the positions from from to before to, which must lie in c.
func (c *Coords) slice(from, to int) Coords {
	if from == to {
		return Coords{}
	}
	at := from * c.stride
	s := Coords{Len: to - from, x: c.x[at:], y: c.y[at:], stride: c.stride}
	if c.z != nil {
		s.z = c.z[at:]
	}
	return s
}

// read makes s the geometry of a row.
func (g *geometry) read(row int, s *Shape) error {
	s.Nodes = s.Nodes[:0]
	if g.kind == 0 || !g.validity.at(row) {
		return nil
	}
	if g.wkb {
		from, to, ok := g.levels[0].at(row)
		if !ok {
			return g.broken(0, from, to)
		}
		return s.readWKB(g.data[from:to])
	}
	s.HasZ = g.coords.z != nil
	if g.depth == 0 {
		s.Nodes = append(s.Nodes, Node{Kind: Point, Coords: g.coords.slice(row, row+1)})
		if x, y := s.Nodes[0].XY(0); x != x && y != y { // how an empty point is written
			s.Nodes[0].Coords = Coords{}
		}
		return nil
	}
	_, err := g.node(g.kind, 0, row, s)
	return err
}

// node adds what lies at i of a level. False: that is empty, and left out unless it is the whole.
func (g *geometry) node(kind Kind, level, i int, s *Shape) (bool, error) {
	from, to, ok := g.levels[level].at(i)
	if !ok {
		return false, g.broken(level, from, to)
	}
	at := len(s.Nodes)
	s.Nodes = append(s.Nodes, Node{Kind: kind})
	parts := 0
	if level == g.depth-1 {
		s.Nodes[at].Coords = g.coords.slice(from, to)
	} else {
		part := Ring
		if kind != Polygon {
			part = kind - 3
		}
		for j := from; j < to; j++ {
			ok, err := g.node(part, level+1, j, s)
			if err != nil {
				return false, err
			}
			if ok {
				parts++
			}
		}
	}
	s.Nodes[at].Parts = parts
	if s.Nodes[at].Len == 0 && parts == 0 {
		if level > 0 {
			s.Nodes = s.Nodes[:at]
		}
		return false, nil
	}
	return true, nil
}

func (g *geometry) broken(level, from, to int) error {
	return fault.Newf(fault.Input, "Expected the offsets of geometries to rise from 0 to at most %d, got %d and %d", g.levels[level].most, from, to)
}
