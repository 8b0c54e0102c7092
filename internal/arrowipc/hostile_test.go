package arrowipc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	fb "github.com/google/flatbuffers/go"

	"github.com/sluice-js/sluice/internal/fault"
)

// seeds are small streams with all kinds of messages.
func seeds(t testing.TB) (streams [][]byte) {
	cs := columns()
	for i, name := range []string{"int32", "string", "stringview", "dictionary", "dense", "listoflists", "map", "null", "ends"} {
		schema := schemaOf(cs[name].kind)
		batches := []arrow.RecordBatch{batchOf(t, schema, cs[name].values, 40, 0), batchOf(t, schema, cs[name].values, 3, 0)}
		for _, way := range ways {
			streams = append(streams, write(t, schema, batches, way.options...))
		}
		if i == 0 {
			streams = append(streams, write(t, schema, nil))
		}
	}
	return streams
}

// refused fails unless err is one for bad input, and says so in terms of it.
func refused(t testing.TB, err error, what string) {
	t.Helper()
	if f := fault.From(err); err == nil || f.Code != fault.Input && f.Code != fault.Limit || !strings.HasPrefix(f.Message, "Expected ") {
		t.Fatalf("%s: got %v", what, err)
	}
}

func TestTruncated(t *testing.T) {
	for i, s := range seeds(t) {
		for n := range s {
			if n > 300 && n%7 != 0 && n < len(s)-20 {
				continue
			}
			for _, way := range ways {
				_, err := run(s[:n], way.codec, 1, 1<<20)
				refused(t, err, fmt.Sprintf("seed %d, %d of %d bytes, %s", i, n, len(s), way.codec))
			}
		}
	}
}

func TestCorrupt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all := seeds(t)
	wrong := 0
	for range 20000 {
		s := slices.Clone(all[r.IntN(len(all))])
		for range 1 + r.IntN(3) {
			s[r.IntN(len(s))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(r.Uint32())}[r.IntN(6)]
		}
		if _, err := run(s, ways[r.IntN(3)].codec, 1, 1<<20); err != nil {
			refused(t, err, "a corrupt stream")
			wrong++
		}
	}
	if wrong < 1000 {
		t.Errorf("only %d of 20000 corrupt streams were found out", wrong)
	}
}

// parsed is a stream of one batch, to be put together in a bad way.
type parsed struct {
	schema []byte
	*batch
}

func parse(t testing.TB, stream []byte) parsed {
	n := 8 + int(binary.LittleEndian.Uint32(stream[4:]))
	return parsed{stream[:n], batchesOf(t, stream)[0]}
}

func (p parsed) stream() []byte {
	s := append(slices.Clone(p.schema), build(p.message, p.record, p.pairs, p.record.buffers, p.message.body, p.record.codec)...)
	return append(append(s, p.body...), frame(nil)...)
}

func TestHostile(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Int64)
	plain := write(t, schema, []arrow.RecordBatch{batchOf(t, schema, whole, 500, 3)})
	packed := convert(t, plain, "zstd", 1, 1000)
	head := func(n uint32) []byte {
		return binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, n)
	}
	change := func(stream []byte, f func(p *parsed)) []byte {
		p := parse(t, stream)
		f(&p)
		return p.stream()
	}
	if s := change(plain, func(*parsed) {}); same(t, plain, s) != 1 {
		t.Fatal("what is put together unchanged is no stream")
	}
	var file bytes.Buffer
	fw, err := ipc.NewFileWriter(&file, ipc.WithSchema(schema))
	if err != nil || fw.Close() != nil {
		t.Fatal(err)
	}
	length := func(n uint64) func(p *parsed) {
		return func(p *parsed) {
			p.body = slices.Clone(p.body)
			binary.LittleEndian.PutUint64(p.body[p.record.buffers[1].offset:], n)
		}
	}
	for what, c := range map[string]struct {
		stream []byte
		code   fault.Code
		text   string
	}{
		"nothing":                  {nil, fault.Input, "up to its end-of-stream marker, got its end between messages, after 0 batches"},
		"only an end":              {frame(nil), fault.Input, "begins with its schema"},
		"no end":                   {plain[:len(plain)-8], fault.Input, "up to its end-of-stream marker, got its end between messages, after 1 batches"},
		"more after the end":       {append(slices.Clone(plain), 0), fault.Input, "nothing after the end-of-stream marker"},
		"a file":                   {file.Bytes(), fault.Input, "got an Arrow file"},
		"text":                     {[]byte("<html><body>"), fault.Limit, "metadata of at most 16777216 bytes"},
		"two schemas":              {append(slices.Clone(parse(t, plain).schema), plain...), fault.Input, "one schema and then batches"},
		"no schema":                {plain[len(parse(t, plain).schema):], fault.Input, "one schema and then batches"},
		"huge metadata":            {head(maxMetadata + 1), fault.Limit, "metadata of at most 16777216 bytes"},
		"negative metadata":        {head(1 << 31), fault.Input, "the length of an Arrow message's metadata, got -2147483648"},
		"tiny metadata":            {append(head(3), 1, 2, 3), fault.Input, "well-formed Arrow metadata, got 3 bytes"},
		"a huge body":              {change(plain, func(p *parsed) { p.message.body = maxBody + 1 }), fault.Limit, "batch of at most 1073741824 bytes, got one of 1073741825"},
		"a negative body":          {change(plain, func(p *parsed) { p.message.body = -8 }), fault.Input, "the length of an Arrow message's body, got -8"},
		"an old version":           {change(plain, func(p *parsed) { p.message.version = 2 }), fault.Input, "version V4 or V5, got V3"},
		"a tensor":                 {change(plain, func(p *parsed) { p.message.kind = 4 }), fault.Input, "got a message of type 4"},
		"an unknown dictionary":    {change(plain, func(p *parsed) { p.message.kind = headerDictionaryBatch }), fault.Input, "an Arrow dictionary of the schema"},
		"another codec":            {change(plain, func(p *parsed) { p.record.codec = 7 }), fault.Input, "LZ4_FRAME or ZSTD"},
		"a buffer outside":         {change(plain, func(p *parsed) { p.record.buffers[1].offset = p.message.body - 8 }), fault.Input, "inside a body"},
		"a buffer far outside":     {change(plain, func(p *parsed) { p.record.buffers[1].offset = 1<<63 - 1 }), fault.Input, "inside a body"},
		"a negative buffer":        {change(plain, func(p *parsed) { p.record.buffers[1].length = -1 }), fault.Input, "inside a body"},
		"buffers that overlap":     {change(plain, func(p *parsed) { p.record.buffers = append(p.record.buffers, p.record.buffers...) }), fault.Input, "do not overlap"},
		"no nodes":                 {change(plain, func(p *parsed) { p.record.nodes = nil }), fault.Input, "with 1 nodes, 2 buffers and 0 counts of views by its schema, got 0, 2 and 0"},
		"no buffers":               {change(plain, func(p *parsed) { p.record.buffers = nil }), fault.Input, "got 1, 0 and 0"},
		"views that are not":       {change(plain, func(p *parsed) { p.record.views = binary.LittleEndian.AppendUint64(nil, 1<<62) }), fault.Input, "as many buffers as its views count"},
		"compression of old":       {change(plain, func(p *parsed) { p.pairs = [][]byte{[]byte("ARROW:experimental_compression"), []byte("zstd")} }), fault.Input, "got those of Arrow 0.17"},
		"a bomb":                   {change(packed, length(1<<30)), fault.Input, "that says its length, got 1073741824"},
		"a negative length":        {change(packed, length(^uint64(1))), fault.Input, "that says its length, got -2"},
		"a length that is short":   {change(packed, length(3999)), fault.Input, "of 3999 bytes, got one that does not decompress to it"},
		"a length that is long":    {change(packed, length(4001)), fault.Input, "of 4001 bytes, got one that does not decompress to it"},
		"a frame that is none":     {change(packed, func(p *parsed) { p.body = bytes.Repeat([]byte{64, 0, 0, 0, 0, 0, 0, 0}, len(p.body)/8) }), fault.Input, "got one that does not decompress to it"},
		"a frame of other codec":   {change(packed, func(p *parsed) { p.record.codec = lz4Frame }), fault.Input, "got one that does not decompress to it"},
		"a length that is missing": {change(packed, func(p *parsed) { p.record.buffers[1].length = 7 }), fault.Input, "with the 8 bytes of its length, got 7"},
		"many bombs":               {change(packed, manyBombs), fault.Limit, "batch of at most 1073741824 bytes uncompressed, got more"},
		"types without end":        {deep(t), fault.Input, "types nested in each other more than 64 deep"},
		"metadata without end":     {schemaMessage(manyPairs), fault.Input, "got a vector of"},
		"metadata that is shared":  {schemaMessage(sharedPairs), fault.Input, "more fields than its bytes can hold"},
		"fields that are shared":   {shared(t), fault.Input, "more fields than its bytes can hold"},
	} {
		for _, cut := range []int{1, 1 << 20} {
			if what == "many bombs" && cut == 1 {
				continue
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := run(c.stream, "none", 1, cut)
			runtime.ReadMemStats(&after)
			if f := fault.From(err); err == nil || f.Code != c.code || !strings.Contains(f.Message, c.text) {
				t.Errorf("%s: got %v", what, err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
				t.Errorf("%s: %d bytes were allocated", what, n)
			}
		}
	}
}

// manyBombs makes buffers that each could hold what they say, but not all together.
func manyBombs(p *parsed) {
	frame := binary.LittleEndian.AppendUint64(nil, 64<<20)
	frame = append(frame, make([]byte, 2048)...)
	p.body, p.record.buffers = nil, nil
	for range 17 {
		p.record.buffers = append(p.record.buffers, region{int64(len(p.body)), int64(len(frame))})
		p.body = append(p.body, frame...)
	}
	p.message.body = int64(len(p.body))
}

// schemaMessage puts fields into a schema.
func schemaMessage(f func(b *fb.Builder) fb.UOffsetT) []byte {
	b := fb.NewBuilder(1024)
	fields := f(b)
	b.StartObject(2)
	b.PrependUOffsetTSlot(1, fields, 0)
	header := b.EndObject()
	b.StartObject(5)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt16Slot(0, v5, 0)
	b.PrependByteSlot(1, headerSchema, 0)
	b.Finish(b.EndObject())
	return frame(b.FinishedBytes())
}

// nested returns fields in fields, each there times times.
func nested(depth, times int) func(b *fb.Builder) fb.UOffsetT {
	return func(b *fb.Builder) (fields fb.UOffsetT) {
		for range depth {
			b.StartObject(6)
			b.PrependUOffsetTSlot(5, fields, 0)
			b.PrependByteSlot(2, 13, 0) // Struct_
			field := b.EndObject()
			b.StartVector(4, times, 4)
			for range times {
				b.PrependUOffsetT(field)
			}
			fields = b.EndVector(times)
		}
		return fields
	}
}

// manyPairs is a field whose custom metadata says that it is long.
func manyPairs(b *fb.Builder) fb.UOffsetT { return withPairs(b, 1, 1<<30) }

// sharedPairs are fields that share their custom metadata.
func sharedPairs(b *fb.Builder) fb.UOffsetT { return withPairs(b, 2000, 2000) }

func withPairs(b *fb.Builder, fields, said int) fb.UOffsetT {
	entries := min(said, 2000)
	b.StartObject(2)
	entry := b.EndObject()
	b.StartVector(4, entries, 4)
	for range entries {
		b.PrependUOffsetT(entry)
	}
	pairs := b.EndVector(said)
	b.StartObject(7)
	b.PrependUOffsetTSlot(6, pairs, 0)
	b.PrependByteSlot(2, 1, 0) // Null
	field := b.EndObject()
	b.StartVector(4, fields, 4)
	for range fields {
		b.PrependUOffsetT(field)
	}
	return b.EndVector(fields)
}

func deep(testing.TB) []byte   { return schemaMessage(nested(70, 1)) }
func shared(testing.TB) []byte { return schemaMessage(nested(60, 8)) }

// FuzzStream holds what comes of any input against arrow-go's view of it.
func FuzzStream(f *testing.F) {
	for i, s := range seeds(f) {
		f.Add(s, uint8(i), uint16(7*i))
	}
	f.Add(deep(f), uint8(0), uint16(0))
	f.Add(shared(f), uint8(1), uint16(100))
	f.Fuzz(func(t *testing.T, input []byte, codec uint8, cut uint16) {
		name := ways[int(codec)%len(ways)].codec
		out, err := run(input, name, 1, 1<<20)
		again, err2 := run(input, name, 1, int(cut))
		// Batches that are compressed when an error comes may leave or not.
		cutShort := err != nil && (bytes.HasPrefix(out, again) || bytes.HasPrefix(again, out))
		if !bytes.Equal(out, again) && !cutShort || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("cut to %d: %v and %v, %d and %d bytes", cut, err, err2, len(out), len(again))
		}
		if err != nil {
			refused(t, err, "fuzzed")
			return
		}
		twice, err := run(out, name, 1, 1<<20)
		if err != nil || !bytes.Equal(twice, out) {
			t.Fatalf("its own output: %v", err)
		}
		want, err := read(input)
		if err != nil {
			return // arrow-go looks into the buffers
		}
		if _, err := equal(want, want); err != nil {
			return // and more so when it compares
		}
		got, err := read(out)
		if same, err2 := equal(want, got); err != nil || err2 != nil || !same {
			t.Fatalf("arrow-go reads %v, then %v and %v", want, got, err)
		}
	})
}

// equal compares all batches. arrow-go panics on views that lead nowhere.
func equal(a, b []arrow.RecordBatch) (same bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return slices.EqualFunc(a, b, array.RecordEqual), nil
}

// read returns all batches. arrow-go panics on some bad input.
func read(stream []byte) (batches []arrow.RecordBatch, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	r, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil, err
	}
	for r.Next() {
		batches = append(batches, r.RecordBatch())
		r.RecordBatch().Retain()
	}
	return batches, r.Err()
}
