package quantize

import (
	"math"
	"math/rand/v2"
	"testing"
)

// plain is the nearest entry as its definition says.
func plain(entries []vector, x vector) uint8 {
	best, least := 0, int32(math.MaxInt32)
	for i, p := range entries {
		if d := square(vector{p[0] - x[0], p[1] - x[1], p[2] - x[2], p[3] - x[3]}); d < least {
			best, least = i, d
		}
	}
	return uint8(best)
}

func checkNearest(t *testing.T, entries, xs []vector) {
	t.Helper()
	packs := make([]packed, len(xs))
	for i, x := range xs {
		packs[i] = pack(x)
		if got := packs[i].vector(); got != x {
			t.Fatalf("%v came back from 16 bits as %v", x, got)
		}
	}
	check := func(how string) {
		var q nearest
		q.set(entries)
		found := make([]uint8, len(xs))
		q.findAll(found, packs)
		for i, x := range xs {
			if want := plain(entries, x); found[i] != want || q.find(x) != want {
				t.Fatalf("%s: %v of %d entries: got %d and %d, want %d", how, x, len(entries), found[i], q.find(x), want)
			}
		}
	}
	check("vectors")
	scalarly(func() { check("scalar") })
}

// anyColor returns a premultiplied colour; with few values, so that distances are often equal.
func anyColor(r *rand.Rand, few bool) uint32 {
	a := r.Uint32N(256)
	if few {
		a = r.Uint32N(3) * 127
	}
	c := a << 24
	for s := 0; s < 24; s += 8 {
		v := r.Uint32N(a + 1)
		if few {
			v = r.Uint32N(2) * a
		}
		c |= v << s
	}
	return c
}

func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 8, 9, 16, 17, 64, 255, 256} {
		for _, few := range []bool{false, true} {
			var entries, xs []vector
			for range n {
				entries = append(entries, locate(anyColor(r, few)))
			}
			for range 1001 {
				xs = append(xs, locate(anyColor(r, few)))
			}
			checkNearest(t, entries, xs)
		}
	}
	corners := []vector{locate(0), locate(0xffffffff), locate(0xff000000), locate(0xff0000ff), locate(0xffff0000), locate(0xff00ff00)}
	checkNearest(t, corners, corners)
}

// FuzzNearest holds vectors and the scalar search against the definition. Every four bytes are a colour, which need not be
// premultiplied well.
func FuzzNearest(f *testing.F) {
	f.Add(uint8(3), []byte("\x00\x00\x00\x00\xff\xff\xff\xff\x01\x02\x03\xff\x03\x02\x01\x80"))
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		var all []vector
		for ; len(data) >= 4 && len(all) < 1000; data = data[4:] {
			a := uint32(data[3])
			c := a << 24
			for i := range 3 {
				c |= min(uint32(data[i]), a) << (8 * i)
			}
			all = append(all, locate(c))
		}
		if len(all) == 0 {
			return
		}
		checkNearest(t, all[:min(int(n)+1, len(all))], all)
	})
}

func BenchmarkNearest(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var entries []vector
	xs := make([]packed, 1<<16)
	for range 256 {
		entries = append(entries, locate(anyColor(r, false)))
	}
	for i := range xs {
		xs[i] = pack(locate(anyColor(r, false)))
	}
	found := make([]uint8, len(xs))
	run := func(b *testing.B) {
		var q nearest
		q.set(entries)
		for b.Loop() {
			q.findAll(found, xs)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/color")
	}
	b.Run("vectors", run)
	b.Run("scalar", func(b *testing.B) { scalarly(func() { run(b) }) })
}
