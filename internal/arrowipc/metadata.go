package arrowipc

import (
	fb "github.com/google/flatbuffers/go"

	"github.com/sluice-js/sluice/internal/fault"
)

// metadata is a FlatBuffer from a stranger: every offset is checked before it is followed. The first error sticks; what is read
// after it is zero.
//
// Offsets to tables, vectors and strings are unsigned and count from where they stand, so references cannot make a cycle;
// they can share what they refer to, so whoever walks them counts.
type metadata struct {
	b   []byte
	err error
}

func (m *metadata) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fault.Newf(fault.Input, "Expected well-formed Arrow metadata, got "+format, args...)
	}
}

// has reports whether n bytes from pos on are there.
func (m *metadata) has(pos, n int) bool {
	return pos >= 0 && n >= 0 && pos <= len(m.b) && n <= len(m.b)-pos
}

// follow returns where the offset at pos leads, or -1.
func (m *metadata) follow(pos int) int {
	to := uint64(pos) + uint64(fb.GetUOffsetT(m.b[pos:]))
	if to >= uint64(len(m.b)) {
		m.fail("an offset to byte %d of %d", to, len(m.b))
		return -1
	}
	return int(to)
}

func (m *metadata) root() table {
	if !m.has(0, 4) {
		m.fail("%d bytes", len(m.b))
		return table{m: m}
	}
	return m.table(m.follow(0))
}

// table is an object whose fields are found through its vtable, by slot. The zero table with an m has none.
//
// The object's size, which the vtable tells as well, is not looked at: Go's FlatBuffers shares vtables between objects that differ
// in the width of their last field.
type table struct {
	m      *metadata
	pos    int
	vtable int
	slots  int
}

func (m *metadata) table(pos int) table {
	none := table{m: m}
	if m.err != nil {
		return none
	}
	if !m.has(pos, 4) {
		m.fail("a table at byte %d of %d", pos, len(m.b))
		return none
	}
	v := pos - int(fb.GetSOffsetT(m.b[pos:]))
	if !m.has(v, 4) {
		m.fail("a vtable at byte %d of %d", v, len(m.b))
		return none
	}
	length := int(fb.GetUint16(m.b[v:]))
	if length < 4 || length%2 != 0 || !m.has(v, length) {
		m.fail("a vtable of %d bytes at byte %d of %d", length, v, len(m.b))
		return none
	}
	return table{m: m, pos: pos, vtable: v, slots: length/2 - 2}
}

// offset returns a slot's offset in the table, 0 when the field is not there.
func (t table) offset(slot int) int {
	if slot >= t.slots {
		return 0
	}
	return int(fb.GetUint16(t.m.b[t.vtable+4+2*slot:]))
}

// field returns the position of a field of width bytes, or 0.
func (t table) field(slot, width int) int {
	o := t.offset(slot)
	if o == 0 || t.m.err != nil {
		return 0
	}
	if o < 4 || !t.m.has(t.pos+o, width) {
		t.m.fail("a field of %d bytes at byte %d of %d", width, t.pos+o, len(t.m.b))
		return 0
	}
	return t.pos + o
}

// beyond reports whether there is any field from slot on.
func (t table) beyond(slot int) bool {
	for ; slot < t.slots; slot++ {
		if t.offset(slot) != 0 {
			return true
		}
	}
	return false
}

func (t table) byte(slot int) byte {
	if p := t.field(slot, 1); p != 0 {
		return t.m.b[p]
	}
	return 0
}

func (t table) int16(slot int) int16 {
	if p := t.field(slot, 2); p != 0 {
		return fb.GetInt16(t.m.b[p:])
	}
	return 0
}

func (t table) int64(slot int) int64 {
	if p := t.field(slot, 8); p != 0 {
		return fb.GetInt64(t.m.b[p:])
	}
	return 0
}

// table returns the table in a slot; false when there is none.
func (t table) table(slot int) (table, bool) {
	if p := t.field(slot, 4); p != 0 {
		if to := t.m.follow(p); to >= 0 {
			u := t.m.table(to)
			return u, t.m.err == nil
		}
	}
	return table{m: t.m}, false
}

// vector returns the bytes of a vector whose elements have width bytes each. Their number is a multiple of width.
func (t table) vector(slot, width int) []byte {
	p := t.field(slot, 4)
	if p == 0 {
		return nil
	}
	to := t.m.follow(p)
	if to < 0 {
		return nil
	}
	if !t.m.has(to, 4) {
		t.m.fail("a vector at byte %d of %d", to, len(t.m.b))
		return nil
	}
	n := uint64(fb.GetUint32(t.m.b[to:])) * uint64(width)
	if n > uint64(len(t.m.b)-to-4) {
		t.m.fail("a vector of %d bytes at byte %d of %d", n, to, len(t.m.b))
		return nil
	}
	return t.m.b[to+4:][:n]
}

// tables calls f for each table of a vector, until f returns false.
func (t table) tables(slot int, f func(table) bool) {
	refs := t.vector(slot, 4)
	if len(refs) == 0 {
		return
	}
	base := t.m.follow(t.field(slot, 4)) + 4
	for i := 0; i < len(refs); i += 4 {
		to := t.m.follow(base + i)
		if to < 0 {
			return
		}
		u := t.m.table(to)
		if t.m.err != nil || !f(u) {
			return
		}
	}
}

// pairs returns a vector of the table KeyValue (Schema.fbs), keys and values in turn.
func (t table) pairs(slot int) (p [][]byte) {
	total := 0
	t.tables(slot, func(u table) bool {
		k, v := u.vector(0, 1), u.vector(1, 1)
		if total += len(k) + len(v) + 8; total > maxMetadata {
			t.m.fail("more than %d bytes of custom metadata", maxMetadata)
			return false
		}
		p = append(p, k, v)
		return true
	})
	return p
}
