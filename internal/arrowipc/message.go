package arrowipc

import (
	"encoding/binary"

	fb "github.com/google/flatbuffers/go"

	"github.com/sluice-js/sluice/internal/fault"
)

// Limits of one message, in bytes. They are checked before memory is taken.
const (
	maxMetadata = 16 << 20
	maxBody     = 1 << 30 // as it comes, and again decompressed
)

// The union MessageHeader (Message.fbs).
const (
	headerSchema          = 1
	headerDictionaryBatch = 2
	headerRecordBatch     = 3
)

// The enum MetadataVersion (Schema.fbs). Readers refuse what is older.
const (
	v4 = 3
	v5 = 4
)

// message is the root table of a message's metadata (Message.fbs).
type message struct {
	root    table
	version int16
	kind    byte
	header  table
	body    int64 // bytes
}

// readMessage reads what all messages have.
func readMessage(m *metadata) (*message, error) {
	t := m.root()
	g := &message{root: t, version: t.int16(0), kind: t.byte(1), body: t.int64(3)}
	var ok bool
	if g.header, ok = t.table(2); !ok {
		m.fail("a message without a header")
	}
	switch {
	case m.err != nil:
		return nil, m.err
	case g.version != v4 && g.version != v5:
		return nil, fault.Newf(fault.Input, "Expected Arrow metadata of version V4 or V5, got V%d", int(g.version)+1)
	case g.kind < headerSchema || g.kind > headerRecordBatch:
		return nil, fault.Newf(fault.Input, "Expected an Arrow schema, dictionary batch or record batch, got a message of type %d", g.kind)
	case g.body < 0:
		return nil, fault.Newf(fault.Input, "Expected the length of an Arrow message's body, got %d", g.body)
	case g.body > maxBody:
		return nil, fault.Newf(fault.Limit, "Expected an Arrow batch of at most %d bytes, got one of %d", maxBody, g.body)
	}
	return g, nil
}

// region is a Buffer of Message.fbs: a piece of a body.
type region struct{ offset, length int64 }

// recordBatch is the table RecordBatch, or the one inside a DictionaryBatch.
type recordBatch struct {
	table   table
	codec   codec
	nodes   []byte // FieldNodes, of 16 bytes each
	buffers []region
	views   []byte // variadicBufferCounts, of 8 bytes each
}

const (
	nodeBytes   = 16
	bufferBytes = 16
	viewBytes   = 8
)

// readBatch reads a message of kind dictionary batch or record batch, and holds it against its body and the schema.
func readBatch(g *message, s *schema) (*recordBatch, error) {
	m, t := g.header.m, g.header
	if g.kind == headerDictionaryBatch {
		var ok bool
		if t, ok = g.header.table(1); !ok {
			m.fail("a dictionary batch without data")
		}
	}
	b := &recordBatch{table: t, codec: none, nodes: t.vector(1, nodeBytes), views: t.vector(4, viewBytes)}
	if c, ok := t.table(3); ok {
		b.codec = codec(c.byte(0))
		if method := c.byte(1); b.codec != lz4Frame && b.codec != zstandard || method != 0 {
			return nil, fault.Newf(fault.Input, "Expected Arrow buffers compressed by LZ4_FRAME or ZSTD, each for itself, got codec %d and method %d", b.codec, method)
		}
	}
	buffers := t.vector(2, bufferBytes)
	if m.err != nil {
		return nil, m.err
	}
	if err := b.place(buffers, g.body); err != nil {
		return nil, err
	}
	return b, s.check(g, b)
}

// place reads where the buffers lie. They may not overlap: otherwise little input would stand for much output.
func (b *recordBatch) place(buffers []byte, body int64) error {
	b.buffers = make([]region, len(buffers)/bufferBytes)
	total := int64(0)
	for i := range b.buffers {
		r := region{fb.GetInt64(buffers[i*bufferBytes:]), fb.GetInt64(buffers[i*bufferBytes+8:])}
		if r.length < 0 || r.length > body || r.length > 0 && (r.offset < 0 || r.offset > body-r.length) {
			return fault.Newf(fault.Input, "Expected Arrow buffers inside a body of %d bytes, got %d bytes at %d", body, r.length, r.offset)
		}
		if total += r.length; total > body {
			return fault.Newf(fault.Input, "Expected Arrow buffers that do not overlap, got more bytes than the body's %d", body)
		}
		b.buffers[i] = r
	}
	return nil
}

// knows returns a fault when the message has fields of a later version of the format, which would get lost.
func (g *message) knows(b *recordBatch) error {
	if g.root.beyond(5) || b.table.beyond(5) || g.kind == headerDictionaryBatch && g.header.beyond(3) {
		return fault.Newf(fault.Input, "Expected the fields of Arrow format 1.5 or earlier in a batch's metadata, got others")
	}
	return nil
}

// pairs returns the message's custom_metadata, keys and values in turn.
func (g *message) pairs() ([][]byte, error) {
	p := g.root.pairs(4)
	for i := 0; i < len(p); i += 2 {
		if string(p[i]) == "ARROW:experimental_compression" { // of Arrow 0.17: nothing else says that buffers are compressed
			return nil, fault.Newf(fault.Input, "Expected Arrow buffers uncompressed or compressed as of Arrow 1.0, got those of Arrow 0.17")
		}
	}
	return p, g.root.m.err
}

// build appends the encapsulated message (Arrow columnar format, "Encapsulated message format") whose buffers lie at buffers
// in a body of length bytes, compressed by c. All else is as in g, b and pairs.
func build(g *message, b *recordBatch, pairs [][]byte, buffers []region, length int64, c codec) []byte {
	f := fb.NewBuilder(512 + len(b.nodes) + len(b.views) + bufferBytes*len(buffers))
	var compression, custom fb.UOffsetT
	if c != none {
		f.StartObject(2)
		f.PrependByteSlot(0, byte(c), 0)
		compression = f.EndObject()
	}
	if len(pairs) > 0 {
		entries := make([]fb.UOffsetT, 0, len(pairs)/2)
		for i := 0; i < len(pairs); i += 2 {
			k, v := f.CreateByteString(pairs[i]), f.CreateByteString(pairs[i+1])
			f.StartObject(2)
			f.PrependUOffsetTSlot(0, k, 0)
			f.PrependUOffsetTSlot(1, v, 0)
			entries = append(entries, f.EndObject())
		}
		f.StartVector(4, len(entries), 4)
		for i := len(entries) - 1; i >= 0; i-- {
			f.PrependUOffsetT(entries[i])
		}
		custom = f.EndVector(len(entries))
	}
	var views fb.UOffsetT
	if len(b.views) > 0 {
		views = appendWords(f, b.views, viewBytes)
	}
	f.StartVector(bufferBytes, len(buffers), 8)
	for i := len(buffers) - 1; i >= 0; i-- {
		f.PrependInt64(buffers[i].length)
		f.PrependInt64(buffers[i].offset)
	}
	regions := f.EndVector(len(buffers))
	nodes := appendWords(f, b.nodes, nodeBytes)
	f.StartObject(5)
	f.PrependInt64Slot(0, b.table.int64(0), 0)
	f.PrependUOffsetTSlot(1, nodes, 0)
	f.PrependUOffsetTSlot(2, regions, 0)
	f.PrependUOffsetTSlot(3, compression, 0)
	f.PrependUOffsetTSlot(4, views, 0)
	header := f.EndObject()
	if g.kind == headerDictionaryBatch {
		f.StartObject(3)
		f.PrependInt64Slot(0, g.header.int64(0), 0)
		f.PrependUOffsetTSlot(1, header, 0)
		f.PrependBoolSlot(2, g.header.byte(2) != 0, false)
		header = f.EndObject()
	}
	f.StartObject(5)
	f.PrependInt64Slot(3, length, 0)
	f.PrependUOffsetTSlot(2, header, 0)
	f.PrependUOffsetTSlot(4, custom, 0)
	f.PrependInt16Slot(0, g.version, 0)
	f.PrependByteSlot(1, g.kind, 0)
	f.Finish(f.EndObject())
	return frame(f.FinishedBytes())
}

// appendWords adds a vector of structs of width bytes that consist of 64-bit integers.
func appendWords(f *fb.Builder, b []byte, width int) fb.UOffsetT {
	f.StartVector(width, len(b)/width, 8)
	for i := len(b) - 8; i >= 0; i -= 8 {
		f.PrependInt64(fb.GetInt64(b[i:]))
	}
	return f.EndVector(len(b) / width)
}

const continuation = 0xFFFFFFFF

// frame puts metadata behind the prefix of an encapsulated message. The body that follows is then aligned to 8 bytes.
func frame(meta []byte) []byte {
	padded := (len(meta) + 7) &^ 7
	b := make([]byte, 8, 8+padded)
	binary.LittleEndian.PutUint32(b, continuation)
	binary.LittleEndian.PutUint32(b[4:], uint32(padded))
	b = append(b, meta...)
	return b[:8+padded]
}
