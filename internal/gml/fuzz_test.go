package gml_test

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/sample"
)

// wellFormed holds a document against a parser of Go's own.
var wellFormed = map[string]func([]byte) error{
	"gml32": func(b []byte) error {
		d := xml.NewDecoder(bytes.NewReader(b))
		for {
			if _, err := d.Token(); err != nil {
				if err == io.EOF {
					return nil
				}
				return err
			}
		}
	},
	"geojson": func(b []byte) error {
		if !json.Valid(b) {
			return errors.New("no JSON")
		}
		return nil
	},
	"csv": func(b []byte) error {
		_, err := stdcsv.NewReader(bytes.NewReader(b)).ReadAll()
		return err
	},
}

// encode writes parts in a format.
func encode(format string, header map[string]any, parts ...flow.Part) ([]byte, error) {
	h, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e, err := constructors[format](flow.Unlimited(&out), h, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := e.Write(p); err != nil {
			return nil, err
		}
	}
	err = e.Close()
	return out.Bytes(), err
}

// survives fails when an encoder does anything but write a document that is well-formed, or say what is wrong with its input.
func survives(t *testing.T, header map[string]any, p flow.Part) {
	t.Helper()
	for name, check := range wellFormed {
		out, err := encode(name, header, p)
		if err != nil {
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Input && f.Code != fault.Limit && f.Code != fault.Option {
				t.Fatalf("%s: %v", name, err)
			}
			continue
		}
		if err := check(out); err != nil || !utf8.Valid(out) {
			t.Fatalf("%s: %v in %q", name, err, out)
		}
	}
}

// FuzzWKB has any bytes for a geometry.
func FuzzWKB(f *testing.F) {
	for _, s := range shapes {
		f.Add(s.wkb(), true)
	}
	f.Add([]byte{1, 7, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, false)
	f.Add(bytes.Repeat([]byte{1, 7, 0, 0, 0, 1, 0, 0, 0}, 100), false)
	f.Fuzz(func(t *testing.T, b []byte, box bool) {
		p := flow.Part{
			Buffers: [][]byte{b, le32(0, len(b))},
			Meta:    []byte(`{"rows":1,"geometry":{"type":"wkb","values":0,"offsets":[1]},"columns":[]}`),
		}
		survives(t, map[string]any{"featureBbox": box}, p)
	})
}

// FuzzBatch has any description of any buffers.
func FuzzBatch(f *testing.F) {
	for _, b := range []string{
		`{"rows":2,"geometry":{"type":"polygon","values":0,"dimensions":2,"offsets":[1,2]},"columns":[{"values":0},{"values":0,"offsets":1}]}`,
		`{"rows":3,"geometry":{"type":"multipolygon","x":0,"y":1,"z":2,"offsets":[1,2,3],"validity":2,"bit":7},"columns":[{"values":1,"validity":0,"bit":1},{"values":0,"offsets":1,"wide":true}]}`,
		`{"rows":1,"geometry":{"type":"wkb","values":0,"offsets":[1],"wide":true},"columns":[{"values":0,"type":"int8","dictionary":{"values":1,"length":3}},{"null":true}]}`,
		`{"rows":9,"geometry":{"type":"point","values":0,"dimensions":4,"hasZ":true},"columns":[{"values":3},{"values":0,"type":"uint64","dictionary":{"values":1,"offsets":2,"length":1}}]}`,
		`{"rows":-1}`, `{"failed":"why"}`, `{"rows":2147483648,"columns":[{"null":true},{"null":true}]}`, ``,
	} {
		f.Add([]byte(b), uint8(3), le32(0, 1, 2, 3), le32(0, 2, 4), floats(1, 2, 3, 4, 5, 6), bytes.Repeat([]byte{1}, 200))
	}
	f.Fuzz(func(t *testing.T, meta []byte, typ uint8, a, b, c, d []byte) {
		var m struct{ Rows int }
		if json.Unmarshal(meta, &m) == nil && m.Rows > 10_000 {
			return // rows without buffers take long, and nothing else
		}
		types := []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "utf8", "bool", "date32", "date64", "timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}
		header := map[string]any{"columns": []string{types[int(typ)%len(types)] + " v", "utf8 name"}, "featureBbox": typ > 127, "decimals": int(typ)%22 - 1}
		if typ%3 == 0 {
			header["id"] = "name"
		}
		survives(t, header, flow.Part{Buffers: [][]byte{a, b, c, d}, Meta: meta})
	})
}

// What changes while it is read may give wrong features, never a crash.
func TestBuffersThatChange(t *testing.T) {
	p := sample.Batch(sample.Features(20_000))
	stop := make(chan struct{})
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				b := p.Buffers[4] // offsets of strings
				b[i*4093%len(b)] ^= byte(i)
			}
		}
	}()
	defer close(stop)
	for range 20 {
		_, err := encode("csv", map[string]any{"columns": sample.FeatureColumns}, p)
		var f *fault.Error
		if err != nil && (!errors.As(err, &f) || f.Code != fault.Input) {
			t.Fatal(err)
		}
	}
}

func TestHeadersThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		format, header, want string
		code                 fault.Code
	}{
		{"geojson", `{"decimals":21}`, `Expected features option "decimals" to be an integer from -1 to 20, got 21`, fault.Option},
		{"geojson", `{"colour":1}`, `Expected a known features option`, fault.Option},
		{"geojson", `{"columns":["int33 a"]}`, `Expected the type of column "a" to be int8|`, fault.Option},
		{"geojson", `{"columns":["int32 a","utf8 a"]}`, `Expected columns of different names`, fault.Option},
		{"geojson", `{"columns":["int32"]}`, `Expected columns to have names`, fault.Option},
		{"geojson", `{"columns":["int32 geometry"]}`, `Expected features option "geometryName" to be no column's`, fault.Option},
		{"geojson", `{"id":"a"}`, `Expected features option "id" to be the name of a column, got "a"`, fault.Option},
		{"geojson", `{"id":"a","columns":["float64 a"]}`, `Expected features option "id" to name a column of integers or utf8, got one of float64`, fault.Option},
		{"geojson", `{"bbox":["1","2","3"]}`, `to be 4 or 6 numbers, got 3`, fault.Option},
		{"geojson", `{"bbox":["1","2","3","NaN"]}`, `to be 4 or 6 numbers, got "NaN"`, fault.Option},
		{"geojson", `{"numberMatched":"-1"}`, `Expected features option "numberMatched" to be a whole number, got "-1"`, fault.Option},
		{"geojson", `{"numberReturned":"unknown"}`, `Expected features option "numberReturned"`, fault.Option},
		{"gml32", `{"typeName":"a b"}`, `to be a name that XML knows, got "a b"`, fault.Option},
		{"gml32", `{"typeName":"gml:a"}`, `to be a name with a prefix of its own, got "gml:a"`, fault.Option},
		{"gml32", `{"typeName":"a:b:c"}`, `Expected features option "typeName"`, fault.Option},
		{"gml32", `{"typeName":"a","namespace":"http://a"}`, `to have a prefix for the namespace`, fault.Option},
		{"gml32", `{"geometryName":"1"}`, `Expected features option "geometryName" to be a name that XML knows`, fault.Option},
		{"gml32", `{"columns":["int32 1st"]}`, `Expected features option "columns" to be names that XML knows, got "1st"`, fault.Option},
		{"gml32", `{"axisOrder":"yz"}`, `Expected features option "axisOrder" to be xy|yx, got "yz"`, fault.Option},
	} {
		_, err := constructors[c.format](flow.Unlimited(io.Discard), []byte(c.header), nil, nil)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != c.code || !bytes.Contains([]byte(f.Message), []byte(c.want)) {
			t.Errorf("%s: got %v, want %s", c.header, err, c.want)
		}
	}
	many := make([]string, 10_001)
	for i := range many {
		many[i] = fmt.Sprintf("int32 c%d", i)
	}
	var f *fault.Error
	if _, err := encode("csv", map[string]any{"columns": many}); !errors.As(err, &f) || f.Code != fault.Limit {
		t.Errorf("10001 columns: got %v", err)
	}
}

func TestBatchesThatDoNotFit(t *testing.T) {
	header := map[string]any{"columns": []string{"int32 n", "utf8 s"}}
	ok := `{"values":0},{"values":1,"offsets":0}`
	for meta, want := range map[string]string{
		``:                          `Expected a batch of features to be described`,
		`{"rows":-1}`:               `Expected a batch of 0 to 2147483648 rows, got -1`,
		`{"rows":2147483649}`:       `Expected a batch of 0 to 2147483648 rows, got 2147483649`,
		`{"rows":1,"columns":[{}]}`: `Expected a batch of 2 columns, got 1`,
		`{"rows":4,"columns":[{"values":0},{"values":1,"offsets":0}]}`:                                                                `Expected column "n" to have 16 bytes, got 12`,
		`{"rows":3,"columns":[{"values":0},{"values":1,"offsets":0}]}`:                                                                `Expected the offsets of column "s" to have 16 bytes, got 12`,
		`{"rows":1,"columns":[{"values":9},{"values":1,"offsets":0}]}`:                                                                `Expected column "n", got none`,
		`{"rows":1,"columns":[{"values":0,"validity":0,"bit":8},{"null":true}]}`:                                                      `to begin in its first byte, got bit 8`,
		`{"rows":1,"columns":[{"values":0,"type":"int32","dictionary":{"values":0,"length":1}},{"null":true}]}`:                       `Expected indices of column "n" from 0 to below 1, got 7`,
		`{"rows":1,"columns":[{"values":0,"type":"utf8","dictionary":{"values":0,"length":1}},{"null":true}]}`:                        `Expected indices of column "n" to be integers, got utf8`,
		`{"rows":1,"columns":[` + ok + `],"geometry":{"type":"curve"}}`:                                                               `Expected the type of a geometry to be wkb|point|`,
		`{"rows":1,"columns":[` + ok + `],"geometry":{"type":"polygon","values":0,"dimensions":2,"offsets":[0]}}`:                     `Expected a geometry of type polygon to have 2 runs of offsets, got 1`,
		`{"rows":1,"columns":[` + ok + `],"geometry":{"type":"point","values":0,"dimensions":1}}`:                                     `Expected positions of 2 to 4 coordinates, got 1`,
		`{"rows":1,"columns":[` + ok + `],"geometry":{"type":"point","values":0,"dimensions":2}}`:                                     `Expected 1 positions, got 0`,
		`{"rows":1,"columns":[{"null":true},{"null":true}],"geometry":{"type":"linestring","values":2,"dimensions":2,"offsets":[0]}}`: `Expected the offsets of geometries to rise from 0 to at most 1, got 7 and 9`,
		`{"rows":1,"columns":[{"null":true},{"null":true}],"geometry":{"type":"wkb","values":1,"offsets":[0]}}`:                       `Expected the offsets of geometries to rise from 0 to at most 3`,
		`{"rows":1,"columns":[{"null":true},{"values":1,"offsets":0}]}`:                                                               `Expected the offsets of column "s" to rise from 0 to at most 3, got 7 and 9`,
	} {
		_, err := encode("geojson", header, flow.Part{Buffers: [][]byte{le32(7, 9, 9), {1, 2, 3}, floats(1, 2)}, Meta: []byte(meta)})
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Input && f.Code != fault.Limit || !bytes.Contains([]byte(f.Message), []byte(want)) {
			t.Errorf("%s: got %v, want %s", meta, err, want)
		}
	}
}

func le32(values ...int) (b []byte) {
	for _, v := range values {
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return b
}

func floats(values ...float64) (b []byte) {
	for _, v := range values {
		for i, bits := 0, math.Float64bits(v); i < 8; i++ {
			b = append(b, byte(bits>>(8*i)))
		}
	}
	return b
}
