package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/sample"
)

// Encoders that keep a processor busy for long notice an abort in the midst of it: within a row, or some thousands of bytes that
// are compressed. An abort at a fifth of the time is over at half of it.
func TestAbortIsNoticedSoon(t *testing.T) {
	const width, height = 1200, 900
	pixels := sample.Photo(width, height)
	for _, c := range []struct {
		format  string
		options map[string]any
	}{
		{"png8", map[string]any{"level": "small"}},
		{"webp", map[string]any{"method": 6}},
		{"gif", map[string]any{}},
		{"gif", map[string]any{"dither": 1}},
		{"tiff", map[string]any{"level": "small"}},
		{"tiff", map[string]any{"compression": "lzw"}},
		{"tiff", map[string]any{"level": "small", "tiled": true}},
		{"tiff", map[string]any{"level": "small", "rowsPerStrip": height}}, // all in one strip
		{"tiff", map[string]any{"compression": "lzw", "rowsPerStrip": height}},
	} {
		t.Run(fmt.Sprint(c.format, c.options), func(t *testing.T) {
			request := encode(map[string]any{"kind": "image", "format": c.format, "options": c.options, "source": map[string]any{"width": width, "height": height, "whole": true}})
			run := func(after time.Duration) (time.Duration, *fault.Error) {
				r := newRecorder()
				s := Open(request, nil, r)
				start := time.Now()
				s.Write(flow.Part{Buffers: [][]byte{pixels}})
				s.Finish()
				timer := time.AfterFunc(after, s.Abort)
				defer timer.Stop()
				taken := uint64(0)
				for e := range r.events {
					switch e.kind {
					case "begin", "chunk":
						taken += uint64(len(e.run))
						s.Grant(make([]byte, 64<<10), taken)
					case "end":
						return time.Since(start), nil
					case "fail":
						return time.Since(start), e.err
					}
				}
				panic("unreachable")
			}
			whole, _ := run(time.Hour)
			var took time.Duration
			for range 5 { // of a busy machine's runs, the best
				d, err := run(whole / 5)
				if err == nil || err.Code != fault.Aborted {
					t.Fatalf("got %v, want an abort", err)
				}
				if took == 0 || d < took {
					took = d
				}
			}
			t.Logf("%v, aborted %v", whole, took)
			if took > whole/2 {
				t.Errorf("an abort at a fifth of %v is over after %v", whole, took)
			}
		})
	}
}
