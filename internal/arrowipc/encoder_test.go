package arrowipc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// run converts a stream that comes in pieces of cut bytes.
func run(input []byte, codec string, level, cut int) ([]byte, error) {
	return runOn(runtime.GOMAXPROCS(0), input, codec, level, cut)
}

func runOn(width int, input []byte, codec string, level, cut int) ([]byte, error) {
	var out bytes.Buffer
	window := flow.NewWindow()
	window.Grant(make([]byte, 1), 0)
	w := flow.NewWriter(&out, window, flow.NewAdmission(width), flow.NewMeter())
	e, err := New(w, fmt.Appendf(nil, `{"codec":%q,"level":%d}`, codec, level), nil, nil)
	if err != nil {
		return nil, err
	}
	for len(input) > 0 && err == nil {
		n := min(max(cut, 1), len(input))
		err = e.Write(flow.Part{Buffers: [][]byte{input[:n]}})
		input = input[n:]
	}
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		w.Abort(fault.From(err))
	}
	w.Wait()
	return out.Bytes(), err
}

func convert(t testing.TB, input []byte, codec string, level, cut int) []byte {
	t.Helper()
	out, err := run(input, codec, level, cut)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The bytes do not depend on how the input was cut, on the number of processors, or on what was compressed before.
func TestDeterminism(t *testing.T) {
	input := large(t)
	for _, codec := range []string{"zstd", "lz4", "none"} {
		for _, level := range []int{1, 9} {
			if codec == "none" && level > 1 {
				continue
			}
			want := convert(t, input, codec, level, len(input))
			for width := 1; width <= 4; width++ {
				for _, cut := range []int{1 << 20, 1111} {
					got, err := runOn(width, input, codec, level, cut)
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s %d on %d processors, cut to %d: %v, %d bytes, want %d", codec, level, width, cut, err, len(got), len(want))
					}
				}
			}
			if same(t, input, want) == 0 {
				t.Error("nothing was compared")
			}
		}
	}
}

// large is a stream with buffers of more than one segment, one of which does not shrink, and small batches after it.
func large(t testing.TB) []byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: "repeats", Type: arrow.PrimitiveTypes.Int64}, {Name: "noise", Type: arrow.PrimitiveTypes.Uint64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	r := rand.New(rand.NewPCG(1, 2))
	var batches []arrow.RecordBatch
	for _, rows := range []int{150_000, 100, 20_000, 20_000, 20_000, 1} {
		for i := range rows {
			b.Field(0).(*array.Int64Builder).Append(int64(i % 1000))
			b.Field(1).(*array.Uint64Builder).Append(r.Uint64())
		}
		batches = append(batches, b.NewRecordBatch())
	}
	return write(t, schema, batches)
}

// Large buffers come back by every codec, in the levels' order of size.
func TestLevels(t *testing.T) {
	input := large(t)
	for _, codec := range []string{"zstd", "lz4"} {
		last := len(input)
		for _, level := range []int{1, 4, 7, 12} {
			out := convert(t, input, codec, level, 1<<20)
			if len(out) > last+last/100 {
				t.Errorf("%s %d: %d bytes, after %d", codec, level, len(out), last)
			}
			last = len(out)
			back := convert(t, out, "none", 1, 50000)
			if same(t, input, back) != 6 {
				t.Error("batches are missing")
			}
		}
	}
}

// A buffer that does not shrink is stored, an empty one stays empty, and buffers lie on multiples of 8 bytes, of 64 without
// compression.
func TestLayout(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Uint8)
	input := write(t, schema, []arrow.RecordBatch{batchOf(t, schema, counts, 5, 0), batchOf(t, schema, []string{"7"}, 1000, 0)})
	for _, way := range ways {
		output := convert(t, input, way.codec, 1, len(input))
		output = convert(t, convert(t, output, "lz4", 1, 10), way.codec, 1, 10)
		batches := batchesOf(t, output)
		if len(batches) != 2 {
			t.Fatalf("%d batches", len(batches))
		}
		for i, want := range []int64{5, 1000} {
			validity, data := batches[i].record.buffers[0], batches[i].record.buffers[1]
			if validity.length != 0 {
				t.Errorf("%s: an empty buffer has %d bytes", way.codec, validity.length)
			}
			body := batches[i].body
			if way.codec == "none" {
				if data.length != want || data.offset%64 != 0 || len(body)%64 != 0 {
					t.Errorf("got %+v in %d bytes", data, len(body))
				}
				continue
			}
			n := int64(binary.LittleEndian.Uint64(body[data.offset:]))
			if i == 0 && (n != stored || data.length != 8+5) || i == 1 && (n != want || data.length > 100) || data.offset%8 != 0 || len(body)%8 != 0 {
				t.Errorf("%s: got length %d in %+v of %d bytes", way.codec, n, data, len(body))
			}
		}
	}
}

// batchesOf reads a stream's record batches.
func batchesOf(t testing.TB, stream []byte) (batches []*batch) {
	t.Helper()
	var s *schema
	for {
		n := int(binary.LittleEndian.Uint32(stream[4:]))
		if n == 0 {
			return batches
		}
		g, err := readMessage(&metadata{b: stream[8 : 8+n]})
		if err != nil {
			t.Fatal(err)
		}
		body := stream[8+n:][:g.body]
		stream = stream[8+n+int(g.body):]
		if g.kind == headerSchema {
			if s, err = readSchema(g); err != nil {
				t.Fatal(err)
			}
			continue
		}
		r, err := readBatch(g, s)
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, &batch{message: g, record: r, body: body})
	}
}

// Batches of before Arrow 0.15 have no continuation marker. Custom metadata of batches is kept.
func TestLegacyAndMetadata(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Int16)
	var plain []byte
	input := write(t, schema, []arrow.RecordBatch{batchOf(t, schema, whole, 100, 3)})
	var old []byte
	for s := input; len(s) > 0; {
		n := int(binary.LittleEndian.Uint32(s[4:]))
		if n == 0 {
			old, plain = append(old, 0, 0, 0, 0), append(plain, s...)
			break
		}
		g, err := readMessage(&metadata{b: s[8 : 8+n]})
		if err != nil {
			t.Fatal(err)
		}
		message := s[:8+n]
		if g.kind == headerRecordBatch {
			r := &recordBatch{table: g.header, nodes: g.header.vector(1, nodeBytes)}
			if err := r.place(g.header.vector(2, bufferBytes), g.body); err != nil {
				t.Fatal(err)
			}
			message = build(g, r, [][]byte{[]byte("key"), []byte("value"), []byte("empty"), nil}, r.buffers, g.body, none)
		}
		old = append(append(old, message[4:]...), s[8+n:][:g.body]...)
		plain = append(append(plain, message...), s[8+n:][:g.body]...)
		s = s[8+n+int(g.body):]
	}
	for _, way := range ways {
		output := convert(t, old, way.codec, 1, 3)
		if same(t, plain, output) != 1 || !bytes.Equal(output, convert(t, plain, way.codec, 1, 1000)) {
			t.Errorf("%s: the old stream differs", way.codec)
		}
		pairs, err := batchesOf(t, output)[0].message.pairs()
		if err != nil || fmt.Sprintf("%s", pairs) != "[key value empty ]" {
			t.Errorf("%s: got %s, %v", way.codec, pairs, err)
		}
	}
}

// Batches leave when they are done: the first before the second is written.
func TestEachBatchLeaves(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Int32)
	input := write(t, schema, []arrow.RecordBatch{batchOf(t, schema, whole, 1000, 0), batchOf(t, schema, whole, 1000, 0)})
	var ends []int // of messages
	for at := 0; at < len(input)-8; ends = append(ends, at) {
		n := int(binary.LittleEndian.Uint32(input[at+4:]))
		g, err := readMessage(&metadata{b: input[at+8:][:n]})
		if err != nil {
			t.Fatal(err)
		}
		at += 8 + n + int(g.body)
	}
	var out bytes.Buffer
	w := flow.Unlimited(&out)
	e, err := New(w, []byte(`{"codec":"zstd"}`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, before := 0, 0
	for i, end := range ends {
		if err := e.Write(flow.Part{Buffers: [][]byte{input[at:end]}}); err != nil {
			t.Fatal(err)
		}
		w.Wait()
		if out.Len() == before {
			t.Errorf("message %d is held back", i)
		}
		at, before = end, out.Len()
	}
	if len(ends) != 3 {
		t.Errorf("%d messages", len(ends))
	}
}

// A stream that nobody reads holds what it may, and no more.
func TestHeld(t *testing.T) {
	schema := schemaOf(arrow.PrimitiveTypes.Uint64)
	r := rand.New(rand.NewPCG(3, 4))
	values := make([]string, 997)
	for i := range values {
		values[i] = fmt.Sprint(r.Uint64())
	}
	one := batchOf(t, schema, values, 30_000, 0)
	input := write(t, schema, slices.Repeat([]arrow.RecordBatch{one}, 100))
	const width = 2
	window := flow.NewWindow()
	window.Grant(make([]byte, 1), 0)
	w := flow.NewWriter(blocked{window, new(int)}, window, flow.NewAdmission(width), flow.NewMeter())
	e, err := New(w, []byte(`{"codec":"zstd"}`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		for at := 0; at < len(input); at += 1000 {
			if err := e.Write(flow.Part{Buffers: [][]byte{input[at:min(at+1000, len(input))]}}); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	time.Sleep(300 * time.Millisecond)
	if held := e.pending.Load(); held == 0 || held > ahead*width {
		t.Errorf("%d bytes are held", held)
	}
	end := fault.Newf(fault.Aborted, "enough")
	w.Abort(end)
	if err := <-written; err != end {
		t.Errorf("got %v", err)
	}
	w.Wait()
}

// blocked is a consumer that takes the schema and nothing more.
type blocked struct {
	window *flow.Window
	writes *int
}

func (b blocked) Write(p []byte) (n int, err error) {
	if *b.writes++; *b.writes == 1 {
		return len(p), nil
	}
	for err == nil {
		_, err = b.window.Next(flow.NewMeter()) // takes the first slab, and waits for another
	}
	return 0, err
}
