package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	stdpng "image/png"
	"maps"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/format"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

// The laws that every format obeys. A row of the table without a sample fails.

const width, height = 301, 403

// request builds the JSON that opens a stream of the format. change is of what describes images.
func request(f format.Format, change map[string]any, more map[string]any) []byte {
	s := samples[f.Name]
	source := maps.Clone(s.source)
	if s.kind == "image" {
		maps.Copy(source, change)
	}
	r := map[string]any{"kind": s.kind, "format": f.Name, "source": source, "options": s.options}
	for k, v := range more {
		r[k] = v
	}
	return encode(r)
}

// partOf makes a part of some of a sample's input.
func partOf(req, b, meta []byte) flow.Part {
	var r struct{ Kind string }
	if json.Unmarshal(req, &r) == nil && r.Kind == "features" {
		return sample.Batch(b)
	}
	return flow.Part{Buffers: [][]byte{b}, Meta: meta}
}

// recorder is a consumer. Its events come through a channel, so the test decides when it reads.
type recorder struct{ events chan event }

type event struct {
	kind   string // "begin", "chunk", "drain", "end", "fail"
	begin  Begin
	run    []byte
	last   bool
	report Report
	err    *fault.Error
}

func newRecorder() *recorder { return &recorder{make(chan event, 64)} }

func (r *recorder) Begin(b Begin, _ bool) { r.events <- event{kind: "begin", begin: b} }
func (r *recorder) Chunk(run []byte, last bool) bool {
	r.events <- event{kind: "chunk", run: run, last: last}
	return true
}
func (r *recorder) Idle()        {}
func (r *recorder) Drain(bool)   { r.events <- event{kind: "drain"} }
func (r *recorder) End(p Report) { r.events <- event{kind: "end", report: p} }
func (r *recorder) Fail(err *fault.Error, p Report) {
	r.events <- event{kind: "fail", err: err, report: p}
}

// plan is how a consumer behaves.
type plan struct {
	chunk int
	exact bool
	slab  func() int // bytes of the next slab
	ahead int        // slabs granted before any is given up
}

// consume runs a stream to its end and checks the order of events, the sizes of chunks and the last flag.
func consume(t testing.TB, req []byte, parts [][]byte, p plan) ([]byte, *fault.Error) {
	t.Helper()
	return consumeMeta(t, req, parts, nil, p)
}

func consumeMeta(t testing.TB, req []byte, parts [][]byte, meta []byte, p plan) ([]byte, *fault.Error) {
	t.Helper()
	r := newRecorder()
	s := Open(req, buffers, r)
	var out []byte
	for range p.ahead {
		s.Grant(make([]byte, p.slab()), 0)
	}
	for _, part := range parts {
		s.Write(partOf(req, part, meta))
	}
	s.Finish()
	begun, ended, drained := false, false, 0
	for e := range r.events {
		switch e.kind {
		case "begin":
			if begun || len(out) > 0 {
				t.Fatal("begin came twice or late")
			}
			begun = true
		case "chunk":
			if !begun || ended {
				t.Fatalf("chunk out of order: begun %v, ended %v", begun, ended)
			}
			if p.exact && !e.last && (len(e.run) == 0 || len(e.run)%p.chunk != 0) {
				t.Fatalf("a run of %d bytes is not whole chunks of %d", len(e.run), p.chunk)
			}
			if p.exact && e.last && len(e.run) == 0 && len(out) > 0 {
				t.Fatal("the last chunk is empty")
			}
			ended = e.last
			out = append(out, e.run...)
			s.Grant(make([]byte, p.slab()), uint64(len(out)))
		case "drain":
			drained++
		case "end":
			if !ended || drained != len(parts) || e.report.Bytes != uint64(len(out)) {
				t.Fatalf("end: last seen %v, %d of %d parts drained, %d bytes of %d reported", ended, drained, len(parts), e.report.Bytes, len(out))
			}
			return out, nil
		case "fail":
			return out, e.err
		}
	}
	panic("unreachable")
}

func fixed(n int) func() int { return func() int { return n } }

var ample = plan{chunk: 16384, slab: fixed(65536), ahead: 4, exact: true}

func cut(input []byte, unit, units int) (parts [][]byte) {
	for n := unit * units; len(input) > 0; input = input[min(n, len(input)):] {
		parts = append(parts, input[:min(n, len(input))])
	}
	return parts
}

// each runs a law for every row of the table.
func each(t *testing.T, law func(t *testing.T, f format.Format)) {
	for _, f := range format.All {
		t.Run(f.Name, func(t *testing.T) {
			if samples[f.Name].input == nil {
				t.Fatalf("no sample for %s", f.Name)
			}
			law(t, f)
		})
	}
}

func mustConsume(t testing.TB, req []byte, parts [][]byte, p plan) []byte {
	t.Helper()
	out, err := consume(t, req, parts, p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGrantLaw(t *testing.T) {
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		parts := cut(s.input, s.unit, 50)
		want := mustConsume(t, request(f, nil, map[string]any{"chunkSize": 16384, "exact": true}), parts, ample)
		random := rand.New(rand.NewPCG(1, 2))
		for _, p := range []plan{
			{chunk: 1, exact: true, slab: fixed(1), ahead: 1},
			{chunk: 1, exact: true, slab: fixed(333), ahead: 3},
			{chunk: 256, exact: true, slab: fixed(256), ahead: 1},
			{chunk: 256, exact: true, slab: fixed(65536), ahead: 2},
			{chunk: 1000, exact: true, slab: func() int { return 1000 + random.IntN(9000) }, ahead: 1},
			{chunk: 1 << 20, exact: true, slab: fixed(1 << 20), ahead: 1},
			{chunk: len(want), exact: true, slab: fixed(len(want)), ahead: 1},
			{chunk: len(want) / 2, exact: true, slab: fixed(len(want)), ahead: 1},
			{chunk: 4096, slab: fixed(1), ahead: 2},
			{chunk: 4096, slab: func() int { return 1 + random.IntN(9000) }, ahead: 1},
			{chunk: 65536, slab: fixed(65536), ahead: 3},
		} {
			got := mustConsume(t, request(f, nil, map[string]any{"chunkSize": p.chunk, "exact": p.exact}), parts, p)
			if !bytes.Equal(got, want) {
				t.Errorf("chunk size %d, exact %v: the output differs", p.chunk, p.exact)
			}
		}
	})
}

func TestCutLaw(t *testing.T) {
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		req := request(f, nil, map[string]any{"exact": true})
		want := mustConsume(t, req, [][]byte{s.input}, ample)
		for _, units := range []int{1, 3, 64} {
			if got := mustConsume(t, req, cut(s.input, s.unit, units), ample); !bytes.Equal(got, want) {
				t.Errorf("the output differs with parts of %d units", units)
			}
		}
	})
}

func TestIndependenceLaw(t *testing.T) {
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		for _, whole := range []bool{false, true} {
			out := mustConsume(t, request(f, map[string]any{"whole": whole}, map[string]any{"exact": true}), [][]byte{s.input}, ample)
			s.check(t, s.input, out)
		}
	})
}

// parked waits until the only stream has nothing left to do but to wait for credit.
func parked(t *testing.T) {
	t.Helper()
	for range 1000 {
		if live.figures().Parked == 1 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("got %+v, want one parked stream", live.figures())
}

func TestWindowLaw(t *testing.T) {
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		if s.gathers {
			return // the limit law holds instead: sizes beyond what may be kept are refused
		}
		r := newRecorder()
		st := Open(request(f, map[string]any{"height": 1<<16 - 1}, map[string]any{"chunkSize": 4096, "exact": true}), buffers, r)
		defer abort(t, st, r)
		st.Grant(make([]byte, 16384), 0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const parts = 100
		for range parts {
			st.Write(partOf(request(f, nil, nil), s.input, nil))
		}
		parked(t)
		runtime.GC()
		runtime.ReadMemStats(&after)
		given, drained := 0, 0
		for range len(r.events) {
			switch e := <-r.events; e.kind {
			case "chunk":
				given += len(e.run)
			case "drain":
				drained++
			}
		}
		if given > 16384 {
			t.Errorf("%d bytes were given for a credit of 16384", given)
		}
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 8<<20 {
			t.Errorf("a stream that nobody reads holds %d bytes", held)
		}
		if drained > parts/2 {
			t.Errorf("%d of %d parts were taken although nobody reads", drained, parts)
		}
	})
}

// abort ends a stream and waits for its last event.
func abort(t testing.TB, s *Stream, r *recorder) {
	t.Helper()
	s.Abort()
	s.Abort()
	for e := range r.events {
		switch e.kind {
		case "fail":
			if e.err.Code != fault.Aborted {
				t.Errorf("got %v, want an abort", e.err)
			}
			return
		case "end":
			return
		}
	}
}

// unused fails when an ended stream left something behind.
func unused(t testing.TB, goroutines int) {
	t.Helper()
	if f := live.figures(); f.Streams != 0 || f.Slabs != 0 {
		t.Errorf("left behind: %+v", f)
	}
	for i := 0; runtime.NumGoroutine() > goroutines; i++ {
		if i == 200 {
			t.Fatalf("%d goroutines left behind", runtime.NumGoroutine()-goroutines)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if free := slots.Free(); free != slots.Width() {
		t.Errorf("%d of %d slots are free", free, slots.Width())
	}
}

func TestAbortLaw(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		for _, whole := range []bool{false, true} {
			parts := [][]byte{s.input}
			if !whole {
				parts = cut(s.input, s.unit, 20)
			}
			// After every number of events that the stream can make, until it ends by itself.
			for after, over := 0, false; !over; after++ {
				r := newRecorder()
				st := Open(request(f, map[string]any{"whole": whole}, map[string]any{"chunkSize": 4096, "exact": true}), buffers, r)
				for _, p := range parts {
					st.Write(partOf(request(f, nil, nil), p, nil))
				}
				st.Grant(make([]byte, 4096), 0)
				st.Finish()
				taken := uint64(0)
				for range after {
					e := <-r.events
					if e.kind == "end" {
						over = true
						break
					}
					if e.kind == "chunk" {
						taken += uint64(len(e.run))
						st.Grant(make([]byte, 4096), taken)
					}
				}
				if !over {
					abort(t, st, r)
				}
			}
		}
		unused(t, goroutines+1) // t.Run's own
	})
}

func TestLimitLaw(t *testing.T) {
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		for _, h := range s.hostile {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := consume(t, request(f, h, nil), [][]byte{s.input}, ample)
			runtime.ReadMemStats(&after)
			if err == nil || err.Code != fault.Limit {
				t.Errorf("%v: got %v", h, err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 { // the recorder's channel and the slabs
				t.Errorf("%v: %d bytes were allocated", h, n)
			}
		}
	})
}

// The one-shot calls back per chunk and yields the same bytes.
func TestEncode(t *testing.T) {
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		whole := map[string]any{"whole": true}
		want := mustConsume(t, request(f, whole, map[string]any{"exact": true}), [][]byte{s.input}, ample)
		for _, size := range []int{1, 256, 4096, 65536, 100000, len(want), len(want) + 1} {
			c := &counter{size: size}
			code := Encode(request(f, whole, map[string]any{"chunkSize": size}), buffers, []flow.Part{partOf(request(f, nil, nil), s.input, nil)}, c)
			if code != fault.OK || !bytes.Equal(c.out, want) {
				t.Errorf("chunk size %d: code %d, %d bytes, want %d", size, code, len(c.out), len(want))
			}
			if got := fmt.Sprint(c.lasts, c.wrong, c.ends); got != "1 0 1" {
				t.Errorf("chunk size %d: last, wrong sizes, ends: %s", size, got)
			}
		}
		c := &counter{size: 256, stop: true}
		if code := Encode(request(f, nil, map[string]any{"chunkSize": 256}), buffers, []flow.Part{partOf(request(f, nil, nil), s.input, nil)}, c); code != fault.Aborted {
			t.Errorf("a callback that says stop: got %d", code)
		}
	})
}

type counter struct {
	size, lasts, wrong, ends int
	stop                     bool
	out                      []byte
}

func (c *counter) Begin(Begin, bool) {}
func (c *counter) Chunk(run []byte, last bool) bool {
	if last {
		c.lasts++
	}
	if !last && len(run) != c.size || len(run) > c.size || len(run) == 0 {
		c.wrong++
	}
	c.out = append(c.out, run...)
	return !c.stop
}
func (c *counter) Idle()                     {}
func (c *counter) Drain(bool)                {}
func (c *counter) End(Report)                { c.ends++ }
func (c *counter) Fail(*fault.Error, Report) { c.ends++ }

// Chunks come before encoding ends: the first leaves while the second part is not even written.
func TestChunksComeBeforeTheEnd(t *testing.T) {
	each(t, func(t *testing.T, f format.Format) {
		s := samples[f.Name]
		if s.gathers {
			return // the limit law holds instead: sizes beyond what may be kept are refused
		}
		r := newRecorder()
		st := Open(request(f, nil, nil), buffers, r)
		st.Grant(make([]byte, 65536), 0)
		half := s.unit * (len(s.input) / s.unit / 2)
		st.Write(partOf(request(f, nil, nil), s.input[:half], nil))
		for e := range r.events {
			if e.kind == "chunk" {
				break
			}
			if e.kind == "end" || e.kind == "fail" {
				t.Fatal("ended before the second part")
			}
		}
		abort(t, st, r)
	})
}

func imageNames() (names []string) {
	for _, f := range format.All {
		if f.Source == "image" {
			names = append(names, f.Names...)
		}
	}
	return names
}

func TestRequestErrors(t *testing.T) {
	for req, want := range map[string]string{
		``:                                `2 Expected a known source kind (image, bytes, features, arrow), got ""`,
		`x`:                               `4 Expected stream options to be valid JSON, got x: invalid character 'x' looking for beginning of value`,
		`{"kind":"imgae"}`:                `2 Expected a known source kind (image, bytes, features, arrow), got "imgae"`,
		`{"kind":"image","format":"pgn"}`: fmt.Sprintf(`3 Expected a known image format (%s), got "pgn"`, strings.Join(imageNames(), ", ")),
		`{"kind":"bytes","fixed":"bytes","format":"png"}`:                             `3 Expected the format of the source, bytes, got "png"`,
		`{"kind":"bytes","source":{"type":"text"}}`:                                   `4 Expected bytes option "type" to be a media type such as text/csv, got "text"`,
		`{"kind":"bytes","source":{"type":"a/b; c=\r\nd"}}`:                           `4 Expected bytes option "type" to be a media type such as text/csv, got "a/b; c=\r\nd"`,
		`{"kind":"bytes","options":{"level":"fast"}}`:                                 `4 Expected no bytes options, got "level"`,
		`{"kind":"arrow","source":{"codec":"gzip"}}`:                                  `4 Expected arrow option "codec" to be zstd|lz4|none, got "gzip"`,
		`{"kind":"arrow","source":{"level":0}}`:                                       `4 Expected arrow option "level" to be an integer from 1 to 22, got 0`,
		`{"kind":"arrow","options":{"codec":"lz4"}}`:                                  `4 Expected no arrow options, got "codec"`,
		`{"kind":"image","chunkSize":-1}`:                                             `4 Expected stream option "chunkSize" to be an integer from 1 to 1073741824, got -1`,
		`{"kind":"image","coding":["lzw"]}`:                                           `4 Expected stream option "coding" to be a list of identity|zstd|br|gzip|deflate, got ["lzw"]`,
		`{"kind":"image","source":{"width":1,"height":1},"options":{"level":"hgih"}}`: `4 Expected png option "level" to be stored|fastest|fast|balanced|small|auto, got "hgih"`,
		`{"kind":"image","source":{"width":1,"height":1,"pixelFormat":"argb"}}`:       `4 Expected image option "pixelFormat" to be rgba|bgra|rgb|graya|gray|rgba16|gray16, got "argb"`,
	} {
		_, err := consume(t, []byte(req), nil, ample)
		if err == nil || fmt.Sprint(err.Code, " ", err.Message) != want {
			t.Errorf("%s: got %+v", req, err)
		}
	}
	small := plan{chunk: 4096, exact: true, slab: fixed(100), ahead: 1}
	s := samples["png"]
	_, err := consume(t, encode(map[string]any{"kind": "image", "source": s.source, "chunkSize": 4096, "exact": true}), [][]byte{s.input}, small)
	if err == nil || err.Code != fault.Argument {
		t.Errorf("a slab smaller than a chunk: got %v", err)
	}
}

// Imports go down only.
func TestImportDirection(t *testing.T) {
	layers := map[string]int{"fault": 0, "kernel": 0, "pool": 0, "text": 0, "flow": 1, "option": 2, "chunk": 2, "coding": 2, "raster": 3, "feature": 3, "quantize": 3, "deflate": 3, "format": 5, "": 6}
	const encoder, module = 4, "github.com/sluice-js/sluice"
	list, err := exec.Command("go", "list", "-json=ImportPath,Imports", ".", "./internal/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	layer := func(path string) int {
		name := strings.TrimPrefix(strings.TrimPrefix(path, module), "/internal/")
		if n, ok := layers[name]; ok {
			return n
		}
		return encoder
	}
	seen := 0
	for d := json.NewDecoder(bytes.NewReader(list)); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == module+"/internal/sample" { // for tests
			continue
		}
		for _, i := range p.Imports {
			if strings.HasPrefix(i, module) {
				seen++
				if layer(i) >= layer(p.ImportPath) {
					t.Errorf("%s imports %s, which is not below it", p.ImportPath, i)
				}
			}
			if borrows := p.ImportPath == module || p.ImportPath == module+"/internal/webp"; (i == "C" || i == "unsafe") && !borrows {
				t.Errorf("%s imports %s", p.ImportPath, i)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d imports seen", seen)
	}
}

// FuzzStream runs one image through every way that a consumer and a producer can behave.
func FuzzStream(f *testing.F) {
	f.Add(uint16(3), uint16(5), uint8(0), uint8(1), uint8(7), uint16(256), uint16(300), true, uint8(0), int64(1))
	f.Add(uint16(64), uint16(90), uint8(1), uint8(0), uint8(1), uint16(1), uint16(1), false, uint8(2), int64(2))
	levels := []string{"stored", "fastest", "fast", "balanced", "small"}
	f.Fuzz(func(t *testing.T, w, h uint16, pixelFormat, pad, rows uint8, chunk, slab uint16, exact bool, level uint8, seed int64) {
		width, height := int(w%48)+1, int(h%48)+1
		formats := raster.PixelFormats()
		pf := formats[int(pixelFormat)%len(formats)]
		stride := width*pf.BytesPerPixel() + int(pad%9)
		size := int(chunk%5000) + 1
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		data := make([]byte, stride*height)
		for i := range data {
			data[i] = byte(random.IntN(3) * 100)
		}
		req := func(size int, exact bool) []byte {
			return encode(map[string]any{
				"kind": "image", "source": map[string]any{"width": width, "height": height, "pixelFormat": pf.String()},
				"chunkSize": size, "exact": exact, "options": map[string]any{"level": levels[int(level)%len(levels)]},
			})
		}
		meta := encode(map[string]any{"stride": stride})
		least := 1
		if exact {
			least = size
		}
		p := plan{chunk: size, exact: exact, ahead: 1, slab: func() int { return least + random.IntN(int(slab%4096)+1) }}
		want, err := consumeMeta(t, req(ample.chunk, true), [][]byte{data}, meta, plan{chunk: ample.chunk, exact: true, slab: fixed(ample.chunk), ahead: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := consumeMeta(t, req(size, exact), cut(data, stride, int(rows%16)+1), meta, p)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatal("cut and credit changed the bytes")
		}
		if _, err := stdpng.Decode(bytes.NewReader(got)); err != nil {
			t.Fatal(err)
		}
	})
}
