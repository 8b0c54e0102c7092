package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/sample"
)

var featureHeader = map[string]any{"typeName": "t:place", "namespace": "http://example.org/t", "id": "id", "columns": sample.FeatureColumns}

// features returns the example of a format for features; check reads it back by a decoder of Go's own.
func features(check func(t testing.TB, input, output []byte)) example {
	return example{kind: "features", source: featureHeader, input: sample.Features(1500), unit: sample.FeatureBytes, check: check}
}

// row is a feature as text formats hold it; what is null is "null".
type row struct{ id, x, y, name, pop, elev, active string }

func rowsOf(input []byte) (rows []row) {
	for i := range len(input) / sample.FeatureBytes {
		f := sample.FeatureAt(input, i)
		r := row{strconv.Itoa(int(f.ID)), number(f.X), number(f.Y), f.Name, strconv.Itoa(int(f.Pop)), number(f.Elev), strconv.FormatBool(f.Active)}
		if f.NoName {
			r.name = "null"
		}
		if f.NoElev {
			r.elev = "null"
		}
		rows = append(rows, r)
	}
	return rows
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func checkRows(t testing.TB, input []byte, got []row) {
	t.Helper()
	want := rowsOf(input)
	if len(got) != len(want) {
		t.Fatalf("got %d features, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("feature %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func checkGML(t testing.TB, input, output []byte) {
	t.Helper()
	type property struct {
		Nil  string `xml:"http://www.w3.org/2001/XMLSchema-instance nil,attr"`
		Text string `xml:",chardata"`
	}
	var document struct {
		XMLName xml.Name
		Matched string `xml:"numberMatched,attr"`
		Members []struct {
			Place struct {
				ID       string `xml:"http://www.opengis.net/gml/3.2 id,attr"`
				Geometry struct {
					Point struct {
						ID  string `xml:"http://www.opengis.net/gml/3.2 id,attr"`
						Pos string `xml:"http://www.opengis.net/gml/3.2 pos"`
					} `xml:"http://www.opengis.net/gml/3.2 Point"`
				} `xml:"http://example.org/t geometry"`
				Number property `xml:"http://example.org/t id"`
				Name   property `xml:"http://example.org/t name"`
				Pop    property `xml:"http://example.org/t pop"`
				Elev   property `xml:"http://example.org/t elev"`
				Active property `xml:"http://example.org/t active"`
			} `xml:"http://example.org/t place"`
		} `xml:"http://www.opengis.net/wfs/2.0 member"`
	}
	if err := xml.Unmarshal(output, &document); err != nil {
		t.Fatal(err)
	}
	if document.XMLName.Space != "http://www.opengis.net/wfs/2.0" || document.XMLName.Local != "FeatureCollection" || document.Matched != "unknown" {
		t.Fatalf("got %v of %s", document.XMLName, document.Matched)
	}
	text := func(p property) string {
		if p.Nil == "true" {
			return "null"
		}
		return p.Text
	}
	var rows []row
	for _, m := range document.Members {
		p := m.Place
		x, y, _ := strings.Cut(p.Geometry.Point.Pos, " ")
		if want := "place." + p.Number.Text; p.ID != want || p.Geometry.Point.ID != want+".geometry" {
			t.Fatalf("got ids %s and %s, want %s", p.ID, p.Geometry.Point.ID, want)
		}
		rows = append(rows, row{text(p.Number), x, y, text(p.Name), text(p.Pop), text(p.Elev), text(p.Active)})
	}
	checkRows(t, input, rows)
}

func checkGeoJSON(t testing.TB, input, output []byte) {
	t.Helper()
	var document struct {
		Type     string
		Features []struct {
			Type       string
			ID         json.Number
			Geometry   struct{ Coordinates []json.Number }
			Properties map[string]any
		}
	}
	d := json.NewDecoder(bytes.NewReader(output))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); err != io.EOF || document.Type != "FeatureCollection" {
		t.Fatalf("got a %s, and %v after it", document.Type, err)
	}
	var rows []row
	for _, f := range document.Features {
		text := func(key string) string {
			if v := f.Properties[key]; v != nil {
				return fmt.Sprint(v)
			}
			return "null"
		}
		if f.Type != "Feature" || len(f.Geometry.Coordinates) != 2 || len(f.Properties) != 5 || f.ID.String() != text("id") {
			t.Fatalf("got %+v", f)
		}
		rows = append(rows, row{text("id"), f.Geometry.Coordinates[0].String(), f.Geometry.Coordinates[1].String(), text("name"), text("pop"), text("elev"), text("active")})
	}
	checkRows(t, input, rows)
}

func checkCSV(t testing.TB, input, output []byte) {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(output)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lines[0], ","); got != "geometry,id,name,pop,elev,active" {
		t.Fatalf("got a head of %s", got)
	}
	var rows []row
	for _, l := range lines[1:] {
		for _, i := range []int{2, 4} {
			if l[i] == "" {
				l[i] = "null"
			}
		}
		x, y, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(l[0], "POINT ("), ")"), " ")
		rows = append(rows, row{l[1], x, y, l[2], l[3], l[4], l[5]})
	}
	checkRows(t, input, rows)
}

// A document that can say that it ends early does so when it is asked for, after whole features.
func TestTruncate(t *testing.T) {
	input := sample.Features(700)
	good := sample.Batch(input)
	bad := sample.Batch(sample.Features(10))
	bad.Buffers[4][4*5] = 0xff // the offset of a string
	failed := flow.Part{Meta: []byte(`{"failed":"the database <left>"}`)}
	for _, c := range []struct {
		name, kind, collection string
		truncate               bool
		parts                  []flow.Part
		want                   string // in the document; "": it fails
		features               int
	}{
		{"a batch that is broken", "gml32", "wfs", true, []flow.Part{good, bad}, "to rise from 0 to at most", 704},
		{"a source that fails", "gml32", "wfs", true, []flow.Part{good, failed}, "the database &lt;left&gt;", 700},
		{"not asked for", "gml32", "wfs", false, []flow.Part{good, failed}, "", 0},
		{"nothing was written", "gml32", "wfs", true, []flow.Part{failed}, "", 0},
		{"GML's own collection", "gml32", "gml", true, []flow.Part{good, failed}, "", 0},
		{"GeoJSON", "geojson", "wfs", true, []flow.Part{good, bad}, "", 0},
		{"CSV", "csv", "wfs", true, []flow.Part{good, failed}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := map[string]any{"typeName": "t:place", "collection": c.collection, "columns": sample.FeatureColumns}
			r := newRecorder()
			s := Open(encode(map[string]any{"kind": "features", "fixed": c.kind, "source": header, "truncate": c.truncate}), nil, r)
			for _, p := range c.parts {
				s.Write(p)
			}
			s.Finish()
			s.Grant(make([]byte, 65536), 0)
			var out []byte
			for e := range r.events {
				switch e.kind {
				case "chunk":
					out = append(out, e.run...)
					s.Grant(make([]byte, 65536), uint64(len(out)))
				case "fail":
					if c.want != "" || e.err.Code != fault.Input {
						t.Fatalf("failed: %v", e.err)
					}
					return
				case "end":
					if c.want == "" {
						t.Fatal("ended as if nothing had happened")
					}
					if e.report.Fault == nil || e.report.Fault.Code != fault.Input {
						t.Fatalf("reported %+v", e.report.Fault)
					}
					checkTruncated(t, out, c.want, c.features)
					return
				}
			}
		})
	}
}

func checkTruncated(t *testing.T, out []byte, want string, features int) {
	t.Helper()
	if err := xml.Unmarshal(out, new(struct{})); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(out, []byte("<wfs:truncatedResponse>"))
	if at < 0 || !bytes.Contains(out[at:], []byte(want)) || bytes.Contains(out[at:], []byte("<wfs:member>")) {
		t.Fatalf("got %s", out[max(at, len(out)-600):])
	}
	if n := bytes.Count(out, []byte("</wfs:member>")); n != features || n != bytes.Count(out, []byte("<wfs:member>")) {
		t.Fatalf("got %d features, want %d", n, features)
	}
}
