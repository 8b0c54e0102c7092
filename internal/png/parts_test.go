package png

import (
	"bytes"
	"hash/adler32"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/raster"
	"github.com/sluice-js/sluice/internal/sample"
)

func TestCombineAdler32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, 200000)
	for i := range data {
		data[i] = byte(r.Uint32()) | byte(i>>10) // sums near their modulus too
	}
	for range 300 {
		a := r.IntN(len(data) + 1)
		b := a + r.IntN(len(data)-a+1)
		got := combineAdler32(adler32.Checksum(data[:a]), adler32.Checksum(data[a:b]), b-a)
		if want := adler32.Checksum(data[:b]); got != want {
			t.Fatalf("%d and %d bytes: got %08x, want %08x", a, b-a, got, want)
		}
	}
}

func TestRamp(t *testing.T) {
	for _, rowBytes := range []int{2, 1000, 4805, 64 << 10, 70000, 1 << 23} {
		for _, height := range []int{1, 2, 17, 801, 100000} {
			r, top, sizes := newRamp(height, rowBytes), 0, []int(nil)
			for top < height {
				bottom := r.next(top)
				if bottom <= top || bottom > height {
					t.Fatalf("%d rows of %d: a strip from %d to %d", height, rowBytes, top, bottom)
				}
				sizes = append(sizes, (bottom-top)*rowBytes)
				top = bottom
			}
			for i, size := range sizes {
				most := []int{64 << 10, 64 << 10, 128 << 10, 128 << 10, 256 << 10}[min(i, 4)]
				if i == len(sizes)-1 {
					most += most / 4
				}
				if size > most && size > rowBytes {
					t.Errorf("%d rows of %d: strip %d has %d bytes", height, rowBytes, i, size)
				}
			}
		}
	}
}

// TestAuto: fast at first; balanced where the consumer holds the stream back and a slot is idle; fastest where it has starved
// repeatedly after more bytes than kernels buffer.
func TestAuto(t *testing.T) {
	window, meter := flow.NewWindow(), flow.NewMeter()
	w := flow.NewWriter(nil, window, flow.NewAdmission(1), meter)
	e := &Encoder{w: w}
	e.level.set("auto")
	next := func(want string) {
		t.Helper()
		if e.level.get(e) != levels[want] {
			t.Errorf("not %s", want)
		}
	}
	spend := func(s flow.State, d time.Duration) {
		meter.Enter(s)
		time.Sleep(d)
		meter.Leave(s)
	}
	give := func(n int, taken uint64) {
		t.Helper()
		window.Grant(make([]byte, 1), taken)
		if _, err := window.Next(meter); err != nil {
			t.Fatal(err)
		}
		window.GiveUp(n)
	}
	spend(flow.Computing, time.Millisecond)
	for range 4 {
		next("fast") // nothing has been emitted: nobody can have taken it
	}
	e.emitted.Store(true)
	for range 4 {
		next("fast") // a consumer that takes all at once may be anything
	}
	w.Pace()
	for range 4 {
		next("fast") // it starves, but a kernel may have taken all
	}
	give(buffered, 0)
	next("fast")
	give(1, buffered)
	next("fast") // it has not taken everything
	window.Grant(make([]byte, 1), buffered+1)
	next("fast") // starved once
	next("fast") // twice
	next("fastest")
	spend(flow.Paused, 100*time.Millisecond)
	next("balanced")
	if err := w.Acquire(); err != nil {
		t.Fatal(err)
	}
	next("fast") // held back, but no slot is idle
	w.Release()
	spend(flow.Computing, 200*time.Millisecond)
	next("fastest") // and no longer held back
}

// TestContext: a strip is filtered as if the image had been filtered at once, its dictionary's rows included. A wrong
// dictionary would show only where a match happens to reach into it.
func TestContext(t *testing.T) {
	const width, height = 50, 400
	for _, filter := range []byte{filterNone, filterPaeth} {
		h := raster.Header{Width: width, Height: height, PixelFormat: raster.BGRA}
		p := direct(h, raster.Layout{Alpha: true})
		src := source{Strip: raster.Strip{Data: sample.Noise(width, height), Stride: 4 * width, Height: height}, rowBytes: 4 * width}
		e := &Encoder{w: flow.Unlimited(nil), header: h}
		var all, part worker
		if err := all.filter(e, &p, filter, src, 0, height); err != nil {
			t.Fatal(err)
		}
		for _, top := range []int{0, 1, 100, 163, 164, 300, 399} {
			from := top - p.contextRows(top)
			if n := (top - from) * p.filteredBytes(); n < min(window, top*p.filteredBytes()) {
				t.Errorf("row %d: %d bytes of context", top, n)
			}
			above := max(0, from-1) // what a pushed strip has
			cut := source{above: above, rowBytes: src.rowBytes, Strip: raster.Strip{Data: src.Data[above*src.Stride:], Stride: src.Stride}}
			if err := part.filter(e, &p, filter, cut, from, height); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(part.filtered, all.filtered[from*p.filteredBytes():]) {
				t.Errorf("filter %d: other bytes from row %d on", filter, from)
			}
		}
	}
}
