package arrowipc

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// The independent implementation is Apache's arrow-go: it writes what goes in and reads what comes out.

// column is a field and the JSON of some of its values, as arrow-go reads it.
type column struct {
	kind   arrow.DataType
	values []string
}

var (
	words  = []string{`"a"`, `"bicycle"`, `""`, `"a longer word that no view holds inline"`, `"größer"`}
	base64 = []string{`"AAEC"`, `""`, `"/////////////////////////////w=="`, `"eg=="`}
	whole  = []string{"0", "1", "-1", "127", "-128", "42"}
	counts = []string{"0", "1", "255", "7", "7", "8"}
	lists  = []string{"[1,2,3]", "[]", "[null]", "[4]", "[5,6]"}
)

// columns has every type of the format.
func columns() map[string]column {
	local := []string{`"2020-02-29T12:34:56"`, `"1969-12-31T23:59:59"`, `"2262-01-01T00:00:00"`}
	times := []string{`"2020-02-29T12:34:56Z"`, `"1969-12-31T23:59:59Z"`, `"2262-01-01T00:00:00Z"`}
	clock := []string{`"00:00:00"`, `"12:34:56"`, `"23:59:59"`}
	decimals := []string{`"1.25"`, `"-99999.99"`, `"0.00"`}
	c := map[string]column{
		"null":        {arrow.Null, []string{"null"}},
		"bool":        {arrow.FixedWidthTypes.Boolean, []string{"true", "false", "true", "true"}},
		"float16":     {arrow.FixedWidthTypes.Float16, []string{"1.5", "-0.25", "0"}},
		"float32":     {arrow.PrimitiveTypes.Float32, []string{"1.5", "-0.1", "3e30"}},
		"float64":     {arrow.PrimitiveTypes.Float64, []string{"1.5", "-0.1", "3e300"}},
		"decimal32":   {&arrow.Decimal32Type{Precision: 7, Scale: 2}, decimals},
		"decimal64":   {&arrow.Decimal64Type{Precision: 15, Scale: 2}, decimals},
		"decimal128":  {&arrow.Decimal128Type{Precision: 30, Scale: 2}, decimals},
		"decimal256":  {&arrow.Decimal256Type{Precision: 60, Scale: 2}, decimals},
		"date32":      {arrow.FixedWidthTypes.Date32, []string{`"2020-02-29"`, `"1900-01-01"`}},
		"date64":      {arrow.FixedWidthTypes.Date64, []string{`"2020-02-29"`, `"1900-01-01"`}},
		"time32s":     {arrow.FixedWidthTypes.Time32s, clock},
		"time32ms":    {arrow.FixedWidthTypes.Time32ms, clock},
		"time64us":    {arrow.FixedWidthTypes.Time64us, clock},
		"time64ns":    {arrow.FixedWidthTypes.Time64ns, clock},
		"timestamps":  {&arrow.TimestampType{Unit: arrow.Second}, local},
		"timestampms": {&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Zurich"}, times},
		"timestampus": {arrow.FixedWidthTypes.Timestamp_us, times},
		"timestampns": {arrow.FixedWidthTypes.Timestamp_ns, times},
		"months":      {arrow.FixedWidthTypes.MonthInterval, []string{`{"months": 1}`, `{"months": -7}`}},
		"daytime":     {arrow.FixedWidthTypes.DayTimeInterval, []string{`{"days": 1, "milliseconds": 20}`, `{"days": 0, "milliseconds": -1}`}},
		"monthday":    {arrow.FixedWidthTypes.MonthDayNanoInterval, []string{`{"months": 1, "days": 2, "nanoseconds": 3}`}},
		"string":      {arrow.BinaryTypes.String, words},
		"largestring": {arrow.BinaryTypes.LargeString, words},
		"stringview":  {arrow.BinaryTypes.StringView, words},
		"binary":      {arrow.BinaryTypes.Binary, base64},
		"largebinary": {arrow.BinaryTypes.LargeBinary, base64},
		"binaryview":  {arrow.BinaryTypes.BinaryView, base64},
		"fixedbinary": {&arrow.FixedSizeBinaryType{ByteWidth: 3}, []string{`"AAEC"`, `"////"`}},
		"list":        {arrow.ListOf(arrow.PrimitiveTypes.Int16), lists},
		"largelist":   {arrow.LargeListOf(arrow.PrimitiveTypes.Int32), lists},
		"listview":    {arrow.ListViewOf(arrow.PrimitiveTypes.Int64), lists},
		"largeview":   {arrow.LargeListViewOf(arrow.PrimitiveTypes.Float64), lists},
		"fixedlist":   {arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8), []string{"[1,2]", "[null,3]"}},
		"listoflists": {arrow.ListOf(arrow.ListOf(arrow.BinaryTypes.StringView)), []string{`[["a","b"],[]]`, `[]`, `[null,["a string that is too long for a view"]]`}},
		"struct":      {arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}), []string{`{"a": 1, "b": "x"}`, `{"a": null, "b": "y"}`}},
		"map":         {arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), []string{`[{"key": "k", "value": 1}]`, `[]`, `[{"key": "a", "value": 2}, {"key": "b", "value": null}]`}},
		"dense":       {arrow.DenseUnionOf(parts(), []arrow.UnionTypeCode{5, 7}), []string{`[5, 1]`, `[7, "seven"]`, `[5, null]`}},
		"sparse":      {arrow.SparseUnionOf(parts(), []arrow.UnionTypeCode{5, 7}), []string{`[5, 1]`, `[7, "seven"]`, `[5, null]`}},
		"ends":        {arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), []string{`"a"`, `"a"`, `"a"`, `"b"`}},
		"dictionary":  {&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, words},
		"dictionary2": {&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.PrimitiveTypes.Int64, Ordered: true}, []string{"1", "2", "3"}},
		"indices":     {arrow.ListOf(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}), []string{`["a", "b"]`, `[]`, `["b"]`}},
		"extension":   {newTicket(), []string{`"AAEC"`, `"////"`}},
	}
	for _, t := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64} {
		c[t.Name()] = column{t, whole}
	}
	for _, t := range []arrow.DataType{arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64} {
		c[t.Name()] = column{t, counts}
	}
	for _, t := range []arrow.FixedWidthDataType{arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ns} {
		c[t.String()] = column{t, whole}
	}
	return c
}

func parts() []arrow.Field {
	return []arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}
}

// ticket is an extension type.
type ticket struct{ arrow.ExtensionBase }

type ticketArray struct{ array.ExtensionArrayBase }

func newTicket() *ticket {
	return &ticket{arrow.ExtensionBase{Storage: &arrow.FixedSizeBinaryType{ByteWidth: 3}}}
}
func (*ticket) ArrayType() reflect.Type                    { return reflect.TypeFor[ticketArray]() }
func (*ticket) ExtensionName() string                      { return "ticket" }
func (*ticket) ExtensionEquals(t arrow.ExtensionType) bool { return t.ExtensionName() == "ticket" }
func (*ticket) Serialize() string                          { return "" }
func (*ticket) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return newTicket(), nil
}

func TestMain(m *testing.M) {
	if err := arrow.RegisterExtensionType(newTicket()); err != nil {
		panic(err)
	}
	m.Run()
}

// batchOf returns rows of a column; every null-th is null, never with 0.
func batchOf(t testing.TB, schema *arrow.Schema, values []string, rows, null int) arrow.RecordBatch {
	t.Helper()
	list := make([]string, rows)
	for i := range list {
		list[i] = values[(i*i+i/7)%len(values)]
		if null > 0 && i%null == 0 {
			list[i] = "null"
		}
	}
	a, _, err := array.FromJSON(memory.DefaultAllocator, schema.Field(0).Type, strings.NewReader("["+strings.Join(list, ",")+"]"))
	if err != nil {
		t.Fatalf("%s: %v", schema.Field(0).Type, err)
	}
	return array.NewRecordBatch(schema, []arrow.Array{a}, int64(rows))
}

func schemaOf(kind arrow.DataType) *arrow.Schema {
	meta := arrow.NewMetadata([]string{"who"}, []string{"a test"})
	return arrow.NewSchema([]arrow.Field{{Name: "c", Type: kind, Nullable: true, Metadata: meta}}, &meta)
}

// write returns the stream of some batches.
func write(t testing.TB, schema *arrow.Schema, batches []arrow.RecordBatch, options ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append(options, ipc.WithSchema(schema))...)
	for _, r := range batches {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// same holds two streams against each other as arrow-go reads them, and returns the number of batches.
func same(t testing.TB, want, got []byte) int {
	t.Helper()
	a, err := ipc.NewReader(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ipc.NewReader(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if !a.Schema().Equal(b.Schema()) {
		t.Fatalf("got schema %s, want %s", b.Schema(), a.Schema())
	}
	n := 0
	for a.Next() {
		if !b.Next() {
			t.Fatalf("only %d batches: %v", n, b.Err())
		}
		if !array.RecordEqual(a.RecordBatch(), b.RecordBatch()) {
			t.Fatalf("batch %d: got %v, want %v", n, b.RecordBatch(), a.RecordBatch())
		}
		n++
	}
	if b.Next() || a.Err() != nil || b.Err() != nil {
		t.Fatalf("after %d batches: %v, %v", n, a.Err(), b.Err())
	}
	return n
}

// ways are the codecs of an input, and what asks for them in the output.
var ways = []struct {
	codec   string
	options []ipc.Option
}{
	{"none", nil},
	{"zstd", []ipc.Option{ipc.WithZstd()}},
	{"lz4", []ipc.Option{ipc.WithLZ4()}},
}

// Every type, in every way from one codec to another, is the same to arrow-go.
func TestTypes(t *testing.T) {
	compared := 0
	for name, c := range columns() {
		t.Run(name, func(t *testing.T) {
			schema := schemaOf(c.kind)
			var batches []arrow.RecordBatch
			for _, size := range []struct{ rows, null int }{{1000, 7}, {0, 0}, {1, 0}, {1, 1}, {5000, 0}, {37, 5}} {
				if id := c.kind.ID(); size.null > 0 && (id == arrow.DENSE_UNION || id == arrow.SPARSE_UNION || id == arrow.RUN_END_ENCODED) {
					size.null = 0 // they have no nulls of their own
				}
				batches = append(batches, batchOf(t, schema, c.values, size.rows, size.null))
			}
			for _, from := range ways {
				input := write(t, schema, batches, from.options...)
				for _, to := range ways {
					output := convert(t, input, to.codec, 1, len(input))
					compared += same(t, input, output)
					if back := convert(t, output, from.codec, 1, 1000); same(t, input, back) != len(batches) {
						t.Errorf("%s to %s and back lost batches", from.codec, to.codec)
					}
				}
			}
		})
	}
	if want := len(columns()) * 6 * 9; compared != want {
		t.Errorf("%d batches were compared, want %d", compared, want)
	}
}

// All columns side by side, in batches that grow.
func TestAllColumns(t *testing.T) {
	var fields []arrow.Field
	cs := columns()
	for name, c := range cs {
		if c.kind.ID() != arrow.RUN_END_ENCODED {
			fields = append(fields, arrow.Field{Name: name, Type: c.kind, Nullable: true})
		}
	}
	schema := arrow.NewSchema(fields, nil)
	var batches []arrow.RecordBatch
	for rows := 1; rows < 5000; rows *= 7 {
		var arrays []arrow.Array
		for _, f := range fields {
			arrays = append(arrays, batchOf(t, schemaOf(f.Type), cs[f.Name].values, rows, 0).Column(0))
		}
		batches = append(batches, array.NewRecordBatch(schema, arrays, int64(rows)))
	}
	input := write(t, schema, batches, ipc.WithDictionaryDeltas(true))
	for _, to := range ways {
		output := convert(t, input, to.codec, 1, 4096)
		if n := same(t, input, output); n != len(batches) {
			t.Errorf("%s: %d batches", to.codec, n)
		}
		if to.codec != "none" && len(output)*2 > len(input) {
			t.Errorf("%s: %d bytes of %d", to.codec, len(output), len(input))
		}
	}
}

// Dictionaries that grow, by deltas and by replacement.
func TestDictionaries(t *testing.T) {
	schema := schemaOf(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String})
	var batches []arrow.RecordBatch
	var values []string
	for i := range 5 {
		for j := range 300 {
			values = append(values, fmt.Sprintf("%q", strings.Repeat(fmt.Sprint(i, "-", j%50), j%9)))
		}
		batches = append(batches, batchOf(t, schema, values, 3000, 11))
	}
	for _, deltas := range []bool{false, true} {
		input := write(t, schema, batches, ipc.WithDictionaryDeltas(deltas))
		for _, to := range ways {
			if n := same(t, input, convert(t, input, to.codec, 3, 777)); n != len(batches) {
				t.Errorf("deltas %v, %s: %d batches", deltas, to.codec, n)
			}
		}
	}
}
