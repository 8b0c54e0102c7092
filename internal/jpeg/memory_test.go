package jpeg

import (
	"runtime"
	"testing"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

// gauge notes the most memory in use while output is written.
type gauge struct {
	base, most, written, measured int
	chunks                        int
}

func (g *gauge) live() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func (g *gauge) Write(p []byte) (int, error) {
	if g.written += len(p); g.written >= g.measured {
		g.measured = g.written + 20_000
		g.most = max(g.most, g.live()-g.base)
		g.chunks++
	}
	return len(p), nil
}

// The heap holds less than a megabyte beside the pixels, whole or pushed, however high the image; with more than two processors
// half of one for each.
func TestMemory(t *testing.T) {
	const width, height = 4000, 2400
	most := max(2, runtime.GOMAXPROCS(0)) << 19
	tile := sample.Photo(width, 100)
	var pix []byte
	for range height / 100 {
		pix = append(pix, tile...)
	}
	for _, whole := range []bool{true, false} {
		for _, options := range []string{`{}`, `{"subsampling":"4:4:4","quality":95,"restart":1}`} {
			g := &gauge{measured: 1}
			w := flow.Unlimited(g)
			e, err := New(w, raster.Header{Width: width, Height: height, Whole: whole}, []byte(options), nil)
			if err != nil {
				t.Fatal(err)
			}
			g.base = g.live()
			rows := height
			if !whole {
				rows = 50
			}
			for y := 0; y < height && err == nil; y += rows {
				err = e.Write(flow.Part{Buffers: [][]byte{pix[4*width*y : 4*width*(y+rows)]}})
			}
			if err == nil {
				err = e.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			w.Wait()
			t.Logf("whole %v, %s: %d bytes of heap at most, %d of output, looked at %d times", whole, options, g.most, g.written, g.chunks)
			if g.most > most || g.chunks < 20 {
				t.Errorf("whole %v, %s: %d bytes of heap beside the pixels", whole, options, g.most)
			}
		}
	}
	runtime.KeepAlive(pix)
}
