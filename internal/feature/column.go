package feature

import (
	"encoding/binary"
	"math"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/text"
)

// bits is a bitmap whose bits begin somewhere in its first byte. Without bytes, all are set.
type bits struct {
	b    []byte
	from int
}

func (s bits) at(i int) bool {
	i += s.from
	return s.b == nil || s.b[i>>3]>>(i&7)&1 != 0
}

// vector is a run of values in Arrow's layout.
type vector struct {
	typ      Type
	length   int // values
	values   []byte
	bits     bits // of Bool
	offsets  offsets
	validity bits
}

// offsets are where the parts of something begin and end.
type offsets struct {
	b    []byte
	wide bool // 64 bits each
	most int  // the greatest that is valid
}

// at returns the bounds of part i, and false when they are none.
func (o *offsets) at(i int) (from, to int, ok bool) {
	if o.wide {
		from, to = int(binary.LittleEndian.Uint64(o.b[8*i:])), int(binary.LittleEndian.Uint64(o.b[8*i+8:]))
	} else {
		from, to = int(int32(binary.LittleEndian.Uint32(o.b[4*i:]))), int(int32(binary.LittleEndian.Uint32(o.b[4*i+4:])))
	}
	return from, to, from >= 0 && from <= to && to <= o.most
}

// Column holds the values of one property in a batch.
type Column struct {
	vector
	field *Field
	null  bool    // all values are
	index *vector // when values are those of a dictionary
	err   *error  // of the batch
}

// Style is how a format writes values.
type Style struct {
	Text func(dst, s []byte) []byte
	JSON bool // dates are strings, and numbers may have exponents
}

// Append appends the value of a row, or nothing and false for a null and for what is no number.
func (c *Column) Append(dst []byte, row int, style *Style) ([]byte, bool) {
	if c.null {
		return dst, false
	}
	if c.index != nil {
		var ok bool
		if row, ok = c.lookUp(row); !ok {
			return dst, false
		}
	}
	if !c.validity.at(row) {
		return dst, false
	}
	v := &c.vector
	switch v.typ {
	case Int8:
		return text.AppendInt(dst, int64(int8(v.values[row]))), true
	case Int16:
		return text.AppendInt(dst, int64(int16(binary.LittleEndian.Uint16(v.values[2*row:])))), true
	case Int32:
		return text.AppendInt(dst, int64(v.int32(row))), true
	case Int64:
		return text.AppendInt(dst, v.int64(row)), true
	case Uint8:
		return text.AppendUint(dst, uint64(v.values[row])), true
	case Uint16:
		return text.AppendUint(dst, uint64(binary.LittleEndian.Uint16(v.values[2*row:]))), true
	case Uint32:
		return text.AppendUint(dst, uint64(uint32(v.int32(row)))), true
	case Uint64:
		return text.AppendUint(dst, uint64(v.int64(row))), true
	case Float32:
		return appendFloat32(dst, math.Float32frombits(uint32(v.int32(row))), style)
	case Float64:
		return appendFloat64(dst, math.Float64frombits(uint64(v.int64(row))), style)
	case UTF8:
		s, ok := c.text(row)
		if !ok {
			return dst, false
		}
		return style.Text(dst, s), true
	case Bool:
		if v.bits.at(row) {
			return append(dst, "true"...), true
		}
		return append(dst, "false"...), true
	}
	if style.JSON {
		return append(v.appendDate(append(dst, '"'), row), '"'), true
	}
	return v.appendDate(dst, row), true
}

func appendFloat32(dst []byte, v float32, style *Style) ([]byte, bool) {
	switch {
	case !Finite(float64(v)):
		return dst, false
	case style.JSON:
		return text.AppendJSON32(dst, v), true
	}
	return text.AppendPlain32(dst, v), true
}

func appendFloat64(dst []byte, v float64, style *Style) ([]byte, bool) {
	switch {
	case !Finite(v):
		return dst, false
	case style.JSON:
		return text.AppendJSON(dst, v), true
	}
	return text.AppendPlain(dst, v), true
}

func (v *vector) appendDate(dst []byte, row int) []byte {
	switch v.typ {
	case Date32:
		return text.AppendDate(dst, int64(v.int32(row)))
	case Date64:
		return text.AppendDate(dst, floorDays(v.int64(row)))
	case TimestampS:
		return text.AppendTime(dst, v.int64(row), 1, 0)
	case TimestampMS:
		return text.AppendTime(dst, v.int64(row), 1e3, 3)
	case TimestampUS:
		return text.AppendTime(dst, v.int64(row), 1e6, 6)
	default:
		return text.AppendTime(dst, v.int64(row), 1e9, 9)
	}
}

// floorDays returns the day in which a millisecond lies.
func floorDays(ms int64) int64 {
	days := ms / 86400_000
	if ms%86400_000 < 0 {
		days--
	}
	return days
}

func (v *vector) int32(i int) int32 { return int32(binary.LittleEndian.Uint32(v.values[4*i:])) }
func (v *vector) int64(i int) int64 { return int64(binary.LittleEndian.Uint64(v.values[8*i:])) }

// text returns a string of the column, whose bytes may be no UTF-8.
func (c *Column) text(i int) ([]byte, bool) {
	from, to, ok := c.offsets.at(i)
	if !ok {
		c.fail("Expected the offsets of column %.80q to rise from 0 to at most %d, got %d and %d", c.field.Name, c.offsets.most, from, to)
		return nil, false
	}
	return c.values[from:to], true
}

// lookUp returns where in the dictionary the value of a row lies, and false for a null.
func (c *Column) lookUp(row int) (int, bool) {
	x := c.index
	if !x.validity.at(row) {
		return 0, false
	}
	at := x.integer(row)
	if at < 0 || at >= int64(c.length) {
		c.fail("Expected indices of column %.80q from 0 to below %d, got %d", c.field.Name, c.length, at)
		return 0, false
	}
	return int(at), true
}

// integer returns an index. Unsigned ones of 64 bits beyond those of 63 become negative, which is as invalid.
func (v *vector) integer(i int) int64 {
	switch v.typ {
	case Int8:
		return int64(int8(v.values[i]))
	case Uint8:
		return int64(v.values[i])
	case Int16:
		return int64(int16(binary.LittleEndian.Uint16(v.values[2*i:])))
	case Uint16:
		return int64(binary.LittleEndian.Uint16(v.values[2*i:]))
	case Int32:
		return int64(v.int32(i))
	case Uint32:
		return int64(uint32(v.int32(i)))
	default:
		return v.int64(i)
	}
}

// fail notes what is wrong with the batch. The first counts.
func (c *Column) fail(format string, args ...any) {
	if *c.err == nil {
		*c.err = fault.Newf(fault.Input, format, args...)
	}
}
