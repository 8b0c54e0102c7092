package feature

import (
	"encoding/json"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// maxRows keeps sums of sizes far from overflowing.
const maxRows = 1 << 31

// partMeta describes the buffers of a part. Numbers named after buffers are indices into them.
type partMeta struct {
	Rows     int           `json:"rows"`
	Geometry *geometryMeta `json:"geometry"` // null: of all rows
	Columns  []vectorMeta  `json:"columns"`  // in the order of the header
	Failed   string        `json:"failed"`   // the source gave up: why
}

type vectorMeta struct {
	Values     *int        `json:"values"`
	Offsets    *int        `json:"offsets"`  // of utf8
	Validity   *int        `json:"validity"` // left out: all values are valid
	ValueBit   int         `json:"valueBit"` // of the first bool in its byte
	Bit        int         `json:"bit"`      // of the first value in validity's byte
	Wide       bool        `json:"wide"`     // offsets have 64 bits
	Length     int         `json:"length"`   // of a dictionary
	Type       string      `json:"type"`     // of an index
	Null       bool        `json:"null"`     // all values are null, and there are no buffers
	Dictionary *vectorMeta `json:"dictionary"`
}

type geometryMeta struct {
	Type       string `json:"type"` // "wkb", "point", …
	Values     *int   `json:"values"`
	X          *int   `json:"x"` // of coordinates that lie apart
	Y          *int   `json:"y"`
	Z          *int   `json:"z"`
	Dimensions int    `json:"dimensions"` // of coordinates that lie together
	HasZ       bool   `json:"hasZ"`       // and the third is z
	Offsets    []int  `json:"offsets"`    // from the outermost level to the innermost
	Wide       bool   `json:"wide"`
	Validity   *int   `json:"validity"`
	Bit        int    `json:"bit"`
}

// Batch is one part, ready to be read.
type Batch struct {
	Rows     int
	Columns  []Column
	geometry geometry
	shape    Shape
	indices  []vector
	err      error // what was found while reading
}

// Err returns what is wrong with the rows that were read.
func (b *Batch) Err() error { return b.err }

// source are the buffers of a part.
type source [][]byte

// Read makes b the batch that p holds. Nothing in it is copied.
func (b *Batch) Read(h *Header, p flow.Part) error {
	var m partMeta
	if err := json.Unmarshal(p.Meta, &m); err != nil {
		return fault.Newf(fault.Input, "Expected a batch of features to be described, got %v", err)
	}
	if m.Failed != "" {
		return fault.Newf(fault.Input, "%s", m.Failed)
	}
	if m.Rows < 0 || m.Rows > maxRows {
		return fault.Newf(fault.Limit, "Expected a batch of 0 to %d rows, got %d", maxRows, m.Rows)
	}
	if len(m.Columns) != len(h.Fields) {
		return fault.Newf(fault.Input, "Expected a batch of %d columns, got %d", len(h.Fields), len(m.Columns))
	}
	s := source(p.Buffers)
	b.Rows, b.err = m.Rows, nil
	if b.Columns == nil {
		b.Columns, b.indices = make([]Column, len(h.Fields)), make([]vector, len(h.Fields))
	}
	for i := range h.Fields {
		if err := s.column(&b.Columns[i], &b.indices[i], &h.Fields[i], &m.Columns[i], m.Rows); err != nil {
			return err
		}
		b.Columns[i].err = &b.err
	}
	b.geometry = geometry{}
	if m.Geometry == nil {
		return nil
	}
	return s.geometry(&b.geometry, m.Geometry, m.Rows)
}

// Shape returns the geometry of a row. It is valid until the next call. After an error it is none: see Err.
func (b *Batch) Shape(row int) *Shape {
	if err := b.geometry.read(row, &b.shape); err != nil {
		b.shape.Nodes = b.shape.Nodes[:0]
		if b.err == nil {
			b.err = err
		}
	}
	return &b.shape
}

func (s source) column(c *Column, index *vector, f *Field, m *vectorMeta, rows int) error {
	*c = Column{field: f, null: m.Null}
	if m.Null {
		return nil
	}
	if m.Dictionary == nil {
		return s.vector(&c.vector, m, f.Type, rows, f.Name)
	}
	t, err := parseField(m.Type + " " + f.Name)
	if err != nil {
		return err
	}
	if !t.Type.integer() {
		return fault.Newf(fault.Input, "Expected indices of column %.80q to be integers, got %v", f.Name, t.Type)
	}
	if m.Dictionary.Length < 0 || m.Dictionary.Length > maxRows {
		return fault.Newf(fault.Limit, "Expected a dictionary of 0 to %d values, got %d", maxRows, m.Dictionary.Length)
	}
	c.index = index
	if err := s.vector(index, m, t.Type, rows, f.Name); err != nil {
		return err
	}
	return s.vector(&c.vector, m.Dictionary, f.Type, m.Dictionary.Length, f.Name)
}

// vector checks that the buffers hold n values.
func (s source) vector(v *vector, m *vectorMeta, t Type, n int, name string) (err error) {
	*v = vector{typ: t, length: n}
	if v.validity, err = s.bits(m.Validity, m.Bit, n, "the validity of column", name); err != nil {
		return err
	}
	switch t {
	case Bool:
		if m.Values == nil {
			return missing("values", name)
		}
		v.bits, err = s.bits(m.Values, m.ValueBit, n, "column", name)
		return err
	case UTF8:
		if v.values, err = s.bytes(m.Values, 0, "column", name); err != nil {
			return err
		}
		v.offsets, err = s.offsets(m.Offsets, m.Wide, n, len(v.values), "column", name)
		return err
	}
	v.values, err = s.bytes(m.Values, n*types[t].width, "column", name)
	return err
}

func (s source) bytes(at *int, least int, what, name string) ([]byte, error) {
	if at == nil || *at < 0 || *at >= len(s) {
		return nil, missing(what, name)
	}
	b := s[*at]
	if len(b) < least {
		return nil, fault.Newf(fault.Input, "Expected %s %.80q to have %d bytes, got %d", what, name, least, len(b))
	}
	return b, nil
}

func (s source) bits(at *int, from, n int, what, name string) (bits, error) {
	if at == nil {
		return bits{}, nil
	}
	if from < 0 || from > 7 {
		return bits{}, fault.Newf(fault.Input, "Expected %s %.80q to begin in its first byte, got bit %d", what, name, from)
	}
	b, err := s.bytes(at, (from+n+7)/8, what, name)
	if b == nil {
		b = []byte{} // no rows: nil means that all are set
	}
	return bits{b, from}, err
}

func (s source) offsets(at *int, wide bool, n, most int, what, name string) (offsets, error) {
	width := 4
	if wide {
		width = 8
	}
	b, err := s.bytes(at, (n+1)*width, "the offsets of "+what, name)
	return offsets{b, wide, most}, err
}

func missing(what, name string) error {
	return fault.Newf(fault.Input, "Expected %s %.80q, got none", what, name)
}
