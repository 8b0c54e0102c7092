package feature

import (
	"strings"

	"github.com/sluice-js/sluice/internal/fault"
)

// Type is what a column holds. Values lie in little-endian order, as in Arrow.
type Type uint8

// The types of columns.
const (
	Int8 Type = iota
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	UTF8
	Bool
	Date32 // days since 1970
	Date64 // milliseconds since 1970
	TimestampS
	TimestampMS
	TimestampUS
	TimestampNS
)

var types = [...]struct {
	name  string
	width int // bytes of a value; 0: it has its own way to lie in memory
}{
	{"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8}, {"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8},
	{"float32", 4}, {"float64", 8}, {"utf8", 0}, {"bool", 0}, {"date32", 4}, {"date64", 8},
	{"timestamp[s]", 8}, {"timestamp[ms]", 8}, {"timestamp[us]", 8}, {"timestamp[ns]", 8},
}

func (t Type) String() string { return types[t].name }

// integer reports whether values are whole numbers and nothing else.
func (t Type) integer() bool { return t <= Uint64 }

// Field names a column.
type Field struct {
	Name string
	Type Type
}

// parseField reads "type name". "timestamp" alone counts milliseconds.
func parseField(s string) (Field, error) {
	name, column, _ := strings.Cut(s, " ")
	if column == "" {
		return Field{}, fault.Newf(fault.Option, "Expected columns to have names, got one of type %.80q without", name)
	}
	wanted := name
	if wanted == "timestamp" {
		wanted = "timestamp[ms]"
	}
	known := make([]string, len(types))
	for i, t := range types {
		if t.name == wanted {
			return Field{column, Type(i)}, nil
		}
		known[i] = t.name
	}
	return Field{}, fault.Newf(fault.Option, "Expected the type of column %.80q to be %s, got %.80q", column, strings.Join(known, "|"), name)
}
