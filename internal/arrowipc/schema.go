package arrowipc

import (
	fb "github.com/google/flatbuffers/go"

	"github.com/sluice-js/sluice/internal/fault"
)

// maxDepth is how deep types may nest in each other, as in Arrow's own implementations.
const maxDepth = 64

// layout counts what batches need for some fields (Arrow columnar format, "Buffer listing for each layout").
type layout struct {
	nodes, buffers int
	views          int // fields with a number of buffers of their own
}

// schema is what batches are held against. Streams of V4 are not: their writers differed.
type schema struct {
	version      int16
	fields       layout
	dictionaries map[int64]layout
	left         int // fields and pairs of metadata that may still come: all would need more bytes than there are
}

// readSchema reads the table Schema (Schema.fbs). Byte order is not looked at: it is the same in a batch's buffers before and
// after, and metadata is little-endian always.
func readSchema(g *message) (*schema, error) {
	m := g.header.m
	s := &schema{version: g.version, dictionaries: map[int64]layout{}, left: len(m.b) / 8}
	s.add(&s.fields, g.header, 1, 0)
	g.header.pairs(2) // passed on, so it is to be well-formed
	if m.err == nil && g.body != 0 {
		m.fail("a schema with a body of %d bytes", g.body)
	}
	return s, m.err
}

// add counts the fields in a slot of t.
func (s *schema) add(l *layout, t table, slot, depth int) {
	if depth > maxDepth {
		t.m.fail("types nested in each other more than %d deep", maxDepth)
		return
	}
	t.tables(slot, func(f table) bool {
		if s.left--; s.left < 0 {
			f.m.fail("more fields than its bytes can hold")
			return false
		}
		s.field(l, f, depth)
		// Name and custom metadata are passed on to readers, so they are to be well-formed. What fields share is not read for each.
		f.vector(0, 1)
		s.left -= len(f.pairs(6)) / 2
		return f.m.err == nil
	})
}

// field counts the table Field. Where it is encoded by a dictionary, the dictionary has its values and the batch indices.
func (s *schema) field(l *layout, f table, depth int) {
	d, encoded := f.table(4)
	if !encoded {
		s.values(l, f, depth)
		return
	}
	l.nodes++
	l.buffers += 2
	var values layout
	s.values(&values, f, depth)
	if id := d.int64(0); f.m.err == nil {
		if _, known := s.dictionaries[id]; !known {
			s.dictionaries[id] = values
		}
	}
}

// buffersOf says how many buffers a type has, in the order of the union Type, from None on.
var buffersOf = [...]int{
	0, 0 /* Null */, 2, 2, 3 /* Binary */, 3, 2, 2, 2, 2, 2, 2, 2 /* List */, 1 /* Struct_ */, 0 /* Union */, 2, 1 /* FixedSizeList */, 2, /* Map */
	2, 3 /* LargeBinary */, 3, 2 /* LargeList */, 0 /* RunEndEncoded */, 2 /* BinaryView */, 2, 3 /* ListView */, 3,
}

const (
	typeUnion      = 14
	typeBinaryView = 23
	typeUtf8View   = 24
)

func (s *schema) values(l *layout, f table, depth int) {
	kind := int(f.byte(2))
	l.nodes++
	switch {
	case kind >= len(buffersOf): // of a later version: at least nothing less is known of it
	case kind == typeUnion:
		l.buffers++ // types
		if u, ok := f.table(3); ok && u.int16(0) == 1 {
			l.buffers++ // offsets of a dense one
		}
	case kind == typeBinaryView || kind == typeUtf8View:
		l.views++
		fallthrough
	default:
		l.buffers += buffersOf[kind]
	}
	s.add(l, f, 5, depth+1)
}

// check returns a fault when a batch has less than its schema demands.
func (s *schema) check(g *message, b *recordBatch) error {
	want := s.fields
	if g.kind == headerDictionaryBatch {
		var known bool
		if want, known = s.dictionaries[g.header.int64(0)]; !known {
			return fault.Newf(fault.Input, "Expected an Arrow dictionary of the schema, got one with id %d", g.header.int64(0))
		}
	}
	if n := b.table.int64(0); n < 0 {
		return fault.Newf(fault.Input, "Expected a number of rows in an Arrow batch, got %d", n)
	}
	if s.version < v5 {
		return nil
	}
	for i := 0; i < len(b.views); i += viewBytes {
		n := fb.GetInt64(b.views[i:])
		if n < 0 || n > int64(len(b.buffers)-want.buffers) {
			return fault.Newf(fault.Input, "Expected an Arrow batch with as many buffers as its views count, got %d of %d", len(b.buffers), n)
		}
		want.buffers += int(n)
	}
	got := layout{len(b.nodes) / nodeBytes, len(b.buffers), len(b.views) / viewBytes}
	if got.nodes < want.nodes || got.buffers < want.buffers || got.views < want.views {
		return fault.Newf(fault.Input, "Expected an Arrow batch with %d nodes, %d buffers and %d counts of views by its schema, got %d, %d and %d",
			want.nodes, want.buffers, want.views, got.nodes, got.buffers, got.views)
	}
	return nil
}
