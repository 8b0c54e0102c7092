package quantize

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sluice-js/sluice/internal/sample"
)

// checkMeans holds the vectors that add points up and price joints against the scalar loops: bit for bit, for palettes are not
// to depend on the processor.
func checkMeans(t *testing.T, points []point, clusters int) {
	t.Helper()
	m := means{clusters: make([]cluster, clusters), assigned: make([]uint8, len(points))}
	for i := range points {
		m.assigned[i] = uint8(i * 7 % clusters)
	}
	run := func() ([]cluster, []float32) {
		m.update(points)
		costs := m.costs()
		return slices.Clone(m.clusters), costs[:clusters]
	}
	got, gotCosts := run()
	scalarly(func() {
		want, wantCosts := run()
		if !slices.Equal(got, want) {
			t.Fatalf("%d points, %d clusters: got %v want %v", len(points), clusters, got, want)
		}
		if !slices.Equal(gotCosts, wantCosts) {
			t.Fatalf("%d points, %d clusters: costs are %v, want %v", len(points), clusters, gotCosts, wantCosts)
		}
	})
	for i, c := range m.clusters {
		var weight, error float64
		for k, p := range points {
			if int(m.assigned[k]) != i {
				continue
			}
			weight += float64(p.w)
			for j := range p.x {
				error += float64(p.w) * (float64(p.x[j]) - c.mean[j]) * (float64(p.x[j]) - c.mean[j])
			}
		}
		if math.Abs(c.weight-weight) > 1e-9*weight || math.Abs(c.error-error) > 1e-6*(1+weight) {
			t.Fatalf("cluster %d: weight %v and error %v, want %v and %v", i, c.weight, c.error, weight, error)
		}
	}
}

func placed(c uint32, n uint64) point {
	return point{place(float64(c&0xff), float64(c>>8&0xff), float64(c>>16&0xff), float64(c>>24)), weigh(n)}
}

func TestMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, clusters := range []int{1, 2, 7, 8, 9, 100, 256} {
		for _, n := range []int{1, 5, 300, 2000} {
			points := make([]point, n)
			for i := range points {
				points[i] = placed(anyColor(r, false), 1+r.Uint64N(5000))
			}
			checkMeans(t, points, clusters)
		}
	}
}

func FuzzMeans(f *testing.F) {
	f.Add(uint8(3), []byte("\x00\x00\x00\x00\xff\xff\xff\xff\x01\x02\x03\xff\x03\x02\x01\x80"))
	f.Fuzz(func(t *testing.T, clusters uint8, data []byte) {
		var points []point
		for ; len(data) >= 4 && len(points) < 1000; data = data[4:] {
			c := premultiplied([4]byte(data[:4]))
			points = append(points, placed(c, 1+uint64(data[0])<<(data[1]%24)))
		}
		checkMeans(t, points, int(clusters)+1)
	})
}

// The palette and the indices are the same whatever the processor has.
func TestVectorsChangeNothing(t *testing.T) {
	for name, draw := range map[string]func(width, height int) []byte{"map": sample.Map, "overlay": sample.Overlay, "photo": sample.Photo} {
		colors := premultiply(draw(300, 200))
		for _, n := range []int{256, 61} {
			got := count(colors).Palette(n, 1, never)
			gotIndices := index(got, colors)
			scalarly(func() {
				want := count(colors).Palette(n, 1, never)
				if !slices.Equal(got.Colors, want.Colors) || !slices.Equal(gotIndices, index(want, colors)) {
					t.Errorf("%s, %d colours: vectors find another palette", name, n)
				}
			})
		}
	}
}
