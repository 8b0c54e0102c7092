package main

import (
	"bytes"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sluice-js/sluice/internal/coding"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/format"
	"github.com/sluice-js/sluice/internal/sample"
)

// The laws of stream_test.go once more, for every format in every coding. gzip and deflate are decoded by Go's own packages;
// zstd by the coder's sister here, and by another implementation in test/unit.

// decoders read a stream as far as it came. A coding without one fails.
var decoders = map[string]func(r io.Reader) (io.Reader, error){
	"gzip":    func(r io.Reader) (io.Reader, error) { return stdgzip.NewReader(r) },
	"deflate": func(r io.Reader) (io.Reader, error) { return stdzlib.NewReader(r) },
	"zstd": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<20))
	},
	"br": func(r io.Reader) (io.Reader, error) { return r, nil }, // applied by the caller
}

func decoded(t testing.TB, name string, coded []byte) []byte {
	t.Helper()
	r, err := decoders[name](bytes.NewReader(coded))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func eachCoded(t *testing.T, law func(t *testing.T, f format.Format, name string)) {
	for _, name := range coding.Names() {
		t.Run(name, func(t *testing.T) {
			if decoders[name] == nil {
				t.Fatalf("no decoder for %s", name)
			}
			each(t, func(t *testing.T, f format.Format) { law(t, f, name) })
		})
	}
}

func TestCodedGrantAndCutLaw(t *testing.T) {
	eachCoded(t, func(t *testing.T, f format.Format, name string) {
		s := samples[f.Name]
		coded := func(chunk int, exact bool) []byte {
			return request(f, nil, map[string]any{"chunkSize": chunk, "exact": exact, "coding": []string{name}})
		}
		plain := mustConsume(t, request(f, nil, map[string]any{"exact": true}), [][]byte{s.input}, ample)
		want := mustConsume(t, coded(16384, true), [][]byte{s.input}, ample)
		if !bytes.Equal(decoded(t, name, want), plain) {
			t.Fatal("it decodes to something else")
		}
		random := rand.New(rand.NewPCG(3, 4))
		for _, p := range []plan{
			{chunk: 1, exact: true, slab: fixed(333), ahead: 3},
			{chunk: 256, exact: true, slab: fixed(256), ahead: 1},
			{chunk: 1000, exact: true, slab: func() int { return 1000 + random.IntN(9000) }, ahead: 1},
			{chunk: len(want), exact: true, slab: fixed(len(want)), ahead: 1},
			{chunk: 4096, slab: fixed(50), ahead: 2},
			{chunk: 4096, slab: func() int { return 1 + random.IntN(9000) }, ahead: 1},
			{chunk: 65536, slab: fixed(65536), ahead: 3},
		} {
			for _, units := range []int{1, 50} {
				if got := mustConsume(t, coded(p.chunk, p.exact), cut(s.input, s.unit, units), p); !bytes.Equal(got, want) {
					t.Errorf("chunk size %d, exact %v, parts of %d units: the output differs", p.chunk, p.exact, units)
				}
			}
		}
	})
}

func TestCodedAbortLaw(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	eachCoded(t, func(t *testing.T, f format.Format, name string) {
		s := samples[f.Name]
		parts := cut(s.input, s.unit, 50)
		for _, flush := range []bool{false, true} {
			for after, over := 0, false; !over; after++ {
				r := newRecorder()
				st := Open(request(f, nil, map[string]any{"chunkSize": 4096, "exact": !flush, "flush": flush, "coding": []string{name}}), buffers, r)
				for _, p := range parts {
					st.Write(partOf(request(f, nil, nil), p, nil))
				}
				st.Grant(make([]byte, 8192), 0)
				st.Finish()
				taken := uint64(0)
				for range after {
					e := <-r.events
					if e.kind == "fail" {
						t.Fatal(e.err)
					}
					if e.kind == "end" {
						over = true
						break
					}
					if e.kind == "chunk" {
						taken += uint64(len(e.run))
						st.Grant(make([]byte, 8192), taken)
					}
				}
				if !over {
					abort(t, st, r)
				}
			}
		}
		unused(t, goroutines+2) // those of two t.Runs
	})
}

// With flush, the output of the first part can be decoded before the second is written, and the bytes are still the same
// under any credit.
func TestFlushLaw(t *testing.T) {
	eachCoded(t, func(t *testing.T, f format.Format, name string) {
		s := samples[f.Name]
		if s.gathers {
			return // there is nothing to flush before the last part
		}
		parts := cut(s.input, s.unit, len(s.input)/s.unit/2)
		var plain []byte
		for _, n := range []string{coding.Identity, name} {
			r := newRecorder()
			st := Open(request(f, nil, map[string]any{"flush": true, "coding": []string{n}}), buffers, r)
			st.Grant(make([]byte, 1<<20), 0)
			st.Write(partOf(request(f, nil, nil), parts[0], nil))
			var got []byte
			for e := range r.events {
				if e.kind == "chunk" {
					got = append(got, e.run...)
					st.Grant(make([]byte, 1<<20), uint64(len(got)))
				} else if e.kind == "drain" {
					break
				} else if e.kind != "begin" {
					t.Fatalf("got %s %v", e.kind, e.err)
				}
			}
			if n == coding.Identity {
				plain = got
			} else {
				first := make([]byte, len(plain))
				d, err := decoders[n](bytes.NewReader(got))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(d, first); err != nil || !bytes.Equal(first, plain) {
					t.Errorf("the first part cannot be decoded: %v", err)
				}
			}
			abort(t, st, r)
		}
		req := request(f, nil, map[string]any{"chunkSize": 4096, "flush": true, "coding": []string{name}})
		early := plan{chunk: 4096, slab: fixed(65536), ahead: 4}
		want := mustConsume(t, req, parts, early)
		if got := mustConsume(t, req, parts, plan{chunk: 4096, slab: fixed(77), ahead: 1}); !bytes.Equal(got, want) {
			t.Error("credit changed the bytes")
		}
		if once := mustConsume(t, request(f, nil, map[string]any{"coding": []string{name}}), parts, early); len(want) > len(once)+200 && name != "br" {
			t.Errorf("%d bytes with flush, %d without", len(want), len(once))
		}
	})
}

// A coded stream that nobody reads holds one compressor and no more than that.
func TestCodedWindowLaw(t *testing.T) {
	noise := sample.Noise(500, 500)
	for _, name := range coding.Names() {
		f, _ := format.Choose("", "", "bytes", nil)
		r := newRecorder()
		st := Open(request(*f.Format, nil, map[string]any{"chunkSize": 4096, "exact": true, "coding": []string{name}}), buffers, r)
		st.Grant(make([]byte, 16384), 0)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range 20 {
			st.Write(flow.Part{Buffers: [][]byte{noise}})
		}
		parked(t)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 4<<20 {
			t.Errorf("%s: a stream that nobody reads holds %d bytes", name, held)
		}
		abort(t, st, r)
	}
}

func TestChosenCoding(t *testing.T) {
	for _, f := range format.All {
		for _, c := range []struct {
			ranked           []string
			coded, otherwise string // otherwise: of formats that are compressed
		}{
			{nil, "identity", "identity"},
			{[]string{"zstd", "br", "gzip", "identity"}, "zstd", "identity"},
			{[]string{"br", "gzip", "identity"}, "br", "identity"},
			{[]string{"identity", "gzip"}, "identity", "identity"},
			{[]string{"gzip"}, "gzip", "gzip"},
		} {
			more := map[string]any{}
			if c.ranked != nil {
				more["coding"] = c.ranked
			}
			r := newRecorder()
			st := Open(request(f, nil, more), buffers, r)
			e := <-r.events
			want := c.coded
			codec := samples[f.Name].source["codec"] // of Arrow
			if slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "image/gif"}, e.begin.MediaType) || codec != nil && codec != "none" {
				want = c.otherwise
			}
			if e.kind != "begin" {
				t.Errorf("%s with %v: got %s %v", f.Name, c.ranked, e.kind, e.err)
				continue
			}
			if e.begin.Coding != want {
				t.Errorf("%s with %v: got %q, want %q", f.Name, c.ranked, e.begin.Coding, want)
			}
			abort(t, st, r)
		}
	}
	if _, err := consume(t, []byte(`{"kind":"bytes","coding":"gzip"}`), nil, ample); err == nil || err.Code != fault.Option {
		t.Errorf("got %v", err)
	}
}
