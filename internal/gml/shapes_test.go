package gml_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-js/sluice/internal/feature"
	"github.com/sluice-js/sluice/internal/flow"
)

// shape is a geometry, and what each format makes of it.
type shape struct {
	name    string
	kind    feature.Kind
	ordinal [][]float64 // positions
	parts   []shape     // rings are line strings
	z       bool

	gml, geojson, csv string
}

// wkb writes a shape as ISO has it, little-endian.
func (s shape) wkb() []byte { return s.write(nil, false, false, 0) }

func (s shape) write(b []byte, big, ewkb bool, srid uint32) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	mark := byte(1)
	if big {
		order, mark = binary.BigEndian, 0
	}
	kind := uint32(s.kind)
	if s.z && ewkb {
		kind |= 0x80000000
	} else if s.z {
		kind += 1000
	}
	if srid != 0 {
		kind |= 0x20000000
	}
	b = order.AppendUint32(append(b, mark), kind)
	if srid != 0 {
		b = order.AppendUint32(b, srid)
	}
	run := func(positions [][]float64) {
		for _, p := range positions {
			for _, v := range p {
				b = order.AppendUint64(b, math.Float64bits(v))
			}
		}
	}
	switch s.kind {
	case feature.Point:
		if len(s.ordinal) == 0 {
			n := math.NaN()
			run([][]float64{{n, n}})
		}
		run(s.ordinal)
	case feature.LineString:
		b = order.AppendUint32(b, uint32(len(s.ordinal)))
		run(s.ordinal)
	case feature.Polygon:
		b = order.AppendUint32(b, uint32(len(s.parts)))
		for _, p := range s.parts {
			b = order.AppendUint32(b, uint32(len(p.ordinal)))
			run(p.ordinal)
		}
	default:
		b = order.AppendUint32(b, uint32(len(s.parts)))
		for i, p := range s.parts {
			b = p.write(b, big != (i%2 == 1), ewkb, 0) // byte orders may mix
		}
	}
	return b
}

func point(v ...float64) shape {
	return shape{kind: feature.Point, ordinal: [][]float64{v}, z: len(v) == 3}
}

func line(p ...[]float64) shape {
	return shape{kind: feature.LineString, ordinal: p, z: len(p[0]) == 3}
}

func polygon(rings ...shape) shape {
	return shape{kind: feature.Polygon, parts: rings, z: rings[0].z}
}

func of(kind feature.Kind, parts ...shape) shape { return shape{kind: kind, parts: parts} }

type at = []float64

var (
	square    = line(at{0, 0}, at{4, 0}, at{4, 4}, at{0, 4}, at{0, 0})
	hole      = line(at{1, 1}, at{2, 1}, at{2, 2}, at{1, 1}) // the wrong way round for GeoJSON
	clockwise = line(at{9, 9}, at{9, 10}, at{10, 9}, at{9, 9})
	empty     = shape{kind: feature.Point}
)

const squareGML = `<gml:exterior><gml:LinearRing><gml:posList>0 0 4 0 4 4 0 4 0 0</gml:posList></gml:LinearRing></gml:exterior>`

var shapes = []shape{
	with("point", point(1.5, -2),
		`<gml:Point gml:id="f.1.geometry" srsDimension="2"><gml:pos>1.5 -2</gml:pos></gml:Point>`,
		`{"type":"Point","coordinates":[1.5,-2]}`, `POINT (1.5 -2)`),
	with("point Z", point(1.5, -2, 1e-9),
		`<gml:Point gml:id="f.1.geometry" srsDimension="3"><gml:pos>1.5 -2 0.000000001</gml:pos></gml:Point>`,
		`{"type":"Point","coordinates":[1.5,-2,1e-9]}`, `POINT Z (1.5 -2 0.000000001)`),
	with("empty point", empty, "", "", `POINT EMPTY`),
	with("not finite", line(at{0, 0}, at{1, math.Inf(1)}), "", "", ""),
	with("height that is none", point(1, 2, math.NaN()), "", "", ""),
	with("line string", line(at{0, 0}, at{1e21, 1}),
		`<gml:LineString gml:id="f.1.geometry" srsDimension="2"><gml:posList>0 0 1000000000000000000000 1</gml:posList></gml:LineString>`,
		`{"type":"LineString","coordinates":[[0,0],[1e+21,1]]}`, `LINESTRING (0 0,1000000000000000000000 1)`),
	with("line string Z", line(at{0, 0, 1}, at{1, 1, 2}),
		`<gml:LineString gml:id="f.1.geometry" srsDimension="3"><gml:posList>0 0 1 1 1 2</gml:posList></gml:LineString>`,
		`{"type":"LineString","coordinates":[[0,0,1],[1,1,2]]}`, `LINESTRING Z (0 0 1,1 1 2)`),
	with("empty line string", shape{kind: feature.LineString}, "", "", `LINESTRING EMPTY`),
	with("polygon", polygon(square, hole),
		`<gml:Polygon gml:id="f.1.geometry" srsDimension="2">`+squareGML+`<gml:interior><gml:LinearRing><gml:posList>1 1 2 1 2 2 1 1</gml:posList></gml:LinearRing></gml:interior></gml:Polygon>`,
		`{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,2],[2,1],[1,1]]]}`,
		`POLYGON ((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 1))`),
	with("polygon that is open", polygon(line(at{0, 0}, at{0, 1}, at{1, 0})),
		`<gml:Polygon gml:id="f.1.geometry" srsDimension="2"><gml:exterior><gml:LinearRing><gml:posList>0 0 0 1 1 0 0 0</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>`,
		`{"type":"Polygon","coordinates":[[[1,0],[0,1],[0,0],[1,0]]]}`, `POLYGON ((0 0,0 1,1 0,0 0))`),
	with("empty polygon", shape{kind: feature.Polygon}, "", "", `POLYGON EMPTY`),
	with("multipoint", of(feature.MultiPoint, point(1, 2), empty, point(3, 4)),
		`<gml:MultiPoint gml:id="f.1.geometry" srsDimension="2"><gml:pointMember><gml:Point gml:id="f.1.geometry.1"><gml:pos>1 2</gml:pos></gml:Point></gml:pointMember>`+
			`<gml:pointMember><gml:Point gml:id="f.1.geometry.2"><gml:pos>3 4</gml:pos></gml:Point></gml:pointMember></gml:MultiPoint>`,
		`{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}`, `MULTIPOINT ((1 2),(3 4))`),
	with("empty multipoint", of(feature.MultiPoint), `<gml:MultiPoint gml:id="f.1.geometry" srsDimension="2"></gml:MultiPoint>`, `{"type":"MultiPoint","coordinates":[]}`, `MULTIPOINT EMPTY`),
	with("multilinestring", of(feature.MultiLineString, line(at{0, 0}, at{1, 1}), shape{kind: feature.LineString}, line(at{2, 2}, at{3, 3})),
		`<gml:MultiCurve gml:id="f.1.geometry" srsDimension="2"><gml:curveMember><gml:LineString gml:id="f.1.geometry.1"><gml:posList>0 0 1 1</gml:posList></gml:LineString></gml:curveMember>`+
			`<gml:curveMember><gml:LineString gml:id="f.1.geometry.2"><gml:posList>2 2 3 3</gml:posList></gml:LineString></gml:curveMember></gml:MultiCurve>`,
		`{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[[2,2],[3,3]]]}`, `MULTILINESTRING ((0 0,1 1),(2 2,3 3))`),
	with("multipolygon", of(feature.MultiPolygon, polygon(square), polygon(clockwise)),
		`<gml:MultiSurface gml:id="f.1.geometry" srsDimension="2"><gml:surfaceMember><gml:Polygon gml:id="f.1.geometry.1">`+squareGML+`</gml:Polygon></gml:surfaceMember>`+
			`<gml:surfaceMember><gml:Polygon gml:id="f.1.geometry.2"><gml:exterior><gml:LinearRing><gml:posList>9 9 9 10 10 9 9 9</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>`,
		`{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,4],[0,0]]],[[[9,9],[10,9],[9,10],[9,9]]]]}`,
		`MULTIPOLYGON (((0 0,4 0,4 4,0 4,0 0)),((9 9,9 10,10 9,9 9)))`),
	with("collection", of(feature.Collection, point(1, 2), of(feature.Collection, of(feature.MultiPoint, point(5, 6))), empty, of(feature.Collection, empty)),
		`<gml:MultiGeometry gml:id="f.1.geometry" srsDimension="2"><gml:geometryMember><gml:Point gml:id="f.1.geometry.1"><gml:pos>1 2</gml:pos></gml:Point></gml:geometryMember>`+
			`<gml:geometryMember><gml:MultiGeometry gml:id="f.1.geometry.2"><gml:geometryMember><gml:MultiPoint gml:id="f.1.geometry.2.1"><gml:pointMember><gml:Point gml:id="f.1.geometry.2.1.1">`+
			`<gml:pos>5 6</gml:pos></gml:Point></gml:pointMember></gml:MultiPoint></gml:geometryMember></gml:MultiGeometry></gml:geometryMember></gml:MultiGeometry>`,
		`{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[5,6]]}]}]}`,
		`GEOMETRYCOLLECTION (POINT (1 2),GEOMETRYCOLLECTION (MULTIPOINT ((5 6))))`),
	with("empty collection", of(feature.Collection), `<gml:MultiGeometry gml:id="f.1.geometry" srsDimension="2"></gml:MultiGeometry>`, `{"type":"GeometryCollection","geometries":[]}`, `GEOMETRYCOLLECTION EMPTY`),
}

func with(name string, s shape, gml, geojson, csv string) shape {
	s.name, s.gml, s.geojson, s.csv = name, gml, geojson, csv
	return s
}

// geometryIn cuts a document down to its one geometry.
func geometryIn(document []byte, before, after string) string {
	_, rest, _ := bytes.Cut(document, []byte(before))
	found, _, _ := bytes.Cut(rest, []byte(after))
	return string(found)
}

func TestShapes(t *testing.T) {
	for _, s := range shapes {
		for i, b := range [][]byte{s.wkb(), s.write(nil, true, false, 0), s.write(nil, false, true, 4326), s.write(nil, true, true, 3857)} {
			p := flow.Part{Buffers: [][]byte{b, le32(0, len(b))}, Meta: []byte(`{"rows":1,"geometry":{"type":"wkb","values":0,"offsets":[1]}}`)}
			for _, f := range []struct{ format, before, after, null, want string }{
				{"gml32", "<geometry>", "</geometry>", `<geometry xsi:nil="true"/>`, s.gml},
				{"geojson", `"geometry":`, `,"properties"`, `"geometry":null`, s.geojson},
				{"csv", "geometry\r\n", "\r\n", "\r\n\"\"\r\n", s.csv},
			} {
				out, err := encode(f.format, map[string]any{"typeName": "f"}, p)
				if err != nil {
					t.Errorf("%s, %s: %v", s.name, f.format, err)
					continue
				}
				got := strings.Trim(geometryIn(out, f.before, f.after), `"`)
				if f.want == "" && !bytes.Contains(out, []byte(f.null)) || f.want != "" && got != f.want && got+`"` != f.want {
					t.Errorf("%s, %s, way %d to write it: got %s, want %s", s.name, f.format, i, out, f.want)
				}
			}
		}
	}
}

func TestShapesThatAreWrong(t *testing.T) {
	line := line(at{0, 0}, at{1, 1}).wkb()
	deep := bytes.Repeat([]byte{1, 7, 0, 0, 0, 1, 0, 0, 0}, 40)
	for want, b := range map[string][]byte{
		"Expected WKB of 5 more bytes, got 0":                                                {},
		"Expected WKB of 32 more bytes, got 31":                                              line[:len(line)-1],
		"Expected WKB to end with its geometry, got 1 more bytes":                            append(bytes.Clone(line), 0),
		"Expected WKB to begin with its byte order, 0 or 1, got 2":                           {2, 1, 0, 0, 0},
		"(1 to 7), got type 8":                                                               {1, 8, 0, 0, 0, 0, 0, 0, 0},
		"(1 to 7), got type 4001":                                                            {1, 0xa1, 0x0f, 0, 0, 0, 0, 0, 0},
		"Expected WKB of 68719476720 more bytes, got 0":                                      {1, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"Expected a WKB geometry of type 5 to hold parts of type 2, got 1":                   append([]byte{1, 5, 0, 0, 0, 1, 0, 0, 0}, point(1, 2).wkb()...),
		"Expected WKB collections at most 32 deep":                                           append(deep, point(1, 2).wkb()...),
		"Expected the parts of a WKB geometry to have as many dimensions as the whole":       append([]byte{1, 7, 0, 0, 0, 1, 0, 0, 0}, point(1, 2, 3).wkb()...),
		"Expected the parts of a WKB geometry to have as many dimensions as the whole\u200b": append([]byte{1, 4, 0, 0, 0, 1, 0, 0, 0}, point(1, 2, 3).wkb()...),
	} {
		_, err := encode("csv", nil, flow.Part{Buffers: [][]byte{b, le32(0, len(b))}, Meta: []byte(`{"rows":1,"geometry":{"type":"wkb","values":0,"offsets":[1]}}`)})
		if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, "\u200b")) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Every kind by GeoArrow's nested offsets is what it is by WKB. The rows before and after are there to be in the way.
func TestNestedOffsets(t *testing.T) {
	xy := floats(-1, -1, 0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 2, 1, 2, 2, 1, 1, 7, 7)
	for _, c := range []struct {
		kind   string
		levels [][]byte
		want   string
	}{
		{"point", nil, "POINT (0 0)"},
		{"linestring", [][]byte{le32(0, 1, 3, 11)}, "LINESTRING (0 0,4 0)"},
		{"multipoint", [][]byte{le32(0, 1, 3, 11)}, "MULTIPOINT ((0 0),(4 0))"},
		{"polygon", [][]byte{le32(0, 1, 3, 3), le32(0, 1, 6, 10)}, "POLYGON ((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 1))"},
		{"multilinestring", [][]byte{le32(0, 1, 3, 3), le32(0, 1, 6, 10)}, "MULTILINESTRING ((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 1))"},
		{"multipolygon", [][]byte{le32(0, 0, 2, 2), le32(0, 1, 2, 2), le32(1, 6, 10)}, "MULTIPOLYGON (((0 0,4 0,4 4,0 4,0 0)),((1 1,2 1,2 2,1 1)))"},
		{"multipolygon", [][]byte{le32(0, 0, 2, 2), le32(0, 1, 1, 2), le32(1, 6, 10)}, "MULTIPOLYGON (((0 0,4 0,4 4,0 4,0 0)))"},
		{"polygon", [][]byte{le32(0, 1, 1, 3), le32(0, 1, 6, 10)}, "POLYGON EMPTY"},
		{"linestring", [][]byte{le32(0, 1, 1, 3)}, "LINESTRING EMPTY"},
	} {
		for _, wide := range []bool{false, true} {
			buffers, offsets := [][]byte{xy}, []string{}
			for _, l := range c.levels {
				if wide {
					l = widen(l)
				}
				offsets = append(offsets, fmt.Sprint(len(buffers)))
				buffers = append(buffers, l)
			}
			for _, coords := range []string{`"values":0,"dimensions":2`, `"x":` + fmt.Sprint(len(buffers)) + `,"y":` + fmt.Sprint(len(buffers)+1)} {
				x, y := apart(xy)
				meta := fmt.Sprintf(`{"rows":3,"geometry":{"type":%q,%s,"wide":%v,"offsets":[%s]}}`, c.kind, coords, wide, strings.Join(offsets, ","))
				out, err := encode("csv", nil, flow.Part{Buffers: append(slices.Clone(buffers), x, y), Meta: []byte(meta)})
				if err != nil {
					t.Errorf("%s: %v", meta, err)
					continue
				}
				if got := strings.Trim(strings.Split(string(out), "\r\n")[2], `"`); got != c.want {
					t.Errorf("%s, %s: got %s, want %s", c.kind, coords, got, c.want)
				}
			}
		}
	}
}

func widen(b []byte) (w []byte) {
	for ; len(b) > 0; b = b[4:] {
		w = append(append(w, b[:4]...), 0, 0, 0, 0)
	}
	return w
}

func apart(xy []byte) (x, y []byte) {
	for ; len(xy) > 0; xy = xy[16:] {
		x, y = append(x, xy[:8]...), append(y, xy[8:16]...)
	}
	return x, y
}
