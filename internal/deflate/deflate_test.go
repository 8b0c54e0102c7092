package deflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
)

func inflate(tb testing.TB, p, dictionary []byte) []byte {
	tb.Helper()
	out, err := io.ReadAll(flate.NewReaderDict(bytes.NewReader(p), dictionary))
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// each calls f for every mode and size of pixels.
func each(t *testing.T, f func(t *testing.T, m Mode, pixelBytes int)) {
	for m := range Mode(modes) {
		for _, n := range pixelSizes {
			t.Run(fmt.Sprintf("%s/%d", modeNames[m], n), func(t *testing.T) { f(t, m, n) })
		}
	}
}

func TestPictures(t *testing.T) {
	for _, p := range pictures(t, 300, 200) {
		for m, name := range modeNames {
			out := p.strips(func(dst, data []byte, dictionary int, final bool) []byte {
				return Compress(dst, data, dictionary, Mode(m), p.geometry, final)
			}, nil)
			if !bytes.Equal(inflate(t, out, nil), p.rows) {
				t.Errorf("%s, %s: not what was compressed", p.name, name)
			}
		}
	}
}

func TestShort(t *testing.T) {
	each(t, func(t *testing.T, m Mode, n int) {
		for length := range 40 {
			for _, dictionary := range []int{0, 1, length / 2, length} {
				if dictionary <= length {
					verify(t, make([]byte, length), dictionary, m, Geometry{n, 1 + 5*n}, true)
					verify(t, []byte(text[:length]), dictionary, m, Geometry{n, 1 + 2*n}, false)
				}
			}
		}
	})
}

const text = "0 maps maps map 1 spam spam 2 mapmapmapmap 3 a map is not the territory, a map is not the territory, or is it"

// TestRuns has runs whose ends need care: 259 and 260 bytes are not a match of 258 and a rest, and more than 65,535 are not
// one sequence.
func TestRuns(t *testing.T) {
	each(t, func(t *testing.T, m Mode, n int) {
		for _, run := range []int{257, 258, 259, 260, 261, 516, 517, 518, 519, 65535, 65536, 65538, 65796, 131071, 300000} {
			data := noise(20)
			data = append(data, bytes.Repeat([]byte{1}, run)...)
			data = append(data, noise(20)...)
			verify(t, data, 0, m, Geometry{n, 1 + 1000*n}, true)
			verify(t, data, 10, m, Geometry{n, 3}, true)
		}
	})
}

func TestLongLiteralRuns(t *testing.T) {
	each(t, func(t *testing.T, m Mode, n int) {
		for _, length := range []int{65535, 65536, 200000} {
			data := noise(length)
			for i := range data {
				data[i] &= 0x7f // not so random that it is stored
			}
			data = append(append(data, data[length-100:]...), noise(30)...)
			verify(t, data, 0, m, Geometry{n, 1 + 100*n}, true)
		}
	})
}

// TestWideRows has rows at and beyond the distance that a match may have.
func TestWideRows(t *testing.T) {
	each(t, func(t *testing.T, m Mode, n int) {
		for _, rowBytes := range []int{32768, 32769, 65536} {
			row := noise(rowBytes)
			verify(t, bytes.Repeat(row, 4), rowBytes, m, Geometry{n, rowBytes}, true)
		}
	})
}

// TestWindow has what repeats at the ends of the window, and before the dictionary.
func TestWindow(t *testing.T) {
	each(t, func(t *testing.T, m Mode, n int) {
		for _, gap := range []int{32700, 32767 - 24, 32768 - 24, 32769 - 24, 65536 - 24, 65560, 98304 - 24} {
			word := noise(24)
			data := append(append(bytes.Clone(word), make([]byte, gap)...), word...)
			data = append(data, word...)
			verify(t, data, 0, m, Geometry{n, 1 + 40*n}, true)
			verify(t, data, len(word), m, Geometry{n, 1 + 40*n}, true)
			verify(t, data, len(word)+gap, m, Geometry{n, 1 + 40*n}, false)
		}
	})
}

// TestManyBlocks has more text than the ring, and more sequences than a block.
func TestManyBlocks(t *testing.T) {
	g := Geometry{3, 1 + 3*700}
	data := paint([]byte(text), g, 400000)
	sparse := bytes.Repeat([]byte("abc-abc+abcd"), 40000)
	for i := range sparse {
		sparse[i] += byte(i / 13 * 7)
	}
	each(t, func(t *testing.T, m Mode, n int) {
		verify(t, data, 50000, m, Geometry{n, g.RowBytes}, true)
		verify(t, sparse, 0, m, Geometry{n, g.RowBytes}, true)
	})
}

// TestManyCalls has more data than are compressed at a time.
func TestManyCalls(t *testing.T) {
	defer func(n int) { maxCall = n }(maxCall)
	maxCall = 50000
	each(t, func(t *testing.T, m Mode, n int) {
		g := Geometry{n, 1 + 300*n}
		verify(t, paint([]byte(text), g, 170000), 10000, m, g, true)
	})
}

func TestNoiseStaysSmall(t *testing.T) {
	for _, length := range []int{1, 100, 65535, 65536, 300000} {
		for m := range Mode(modes) {
			data := noise(length)
			if out := verify(t, data, 0, m, Geometry{4, 4001}, false); len(out) > length+length/1000+64 {
				t.Errorf("%s: %d bytes became %d", modeNames[m], length, len(out))
			}
		}
	}
}

func TestGeometryIsOnlyAHint(t *testing.T) {
	data := paint([]byte(text), Geometry{3, 301}, 50000)
	for m := range Mode(modes) {
		for _, g := range []Geometry{{}, {-1, -1}, {5, 7}, {3, 0}, {4, 1}, {8, 2}, {100000, 100000}, {6, 13}} {
			verify(t, data, 1000, m, g, true)
		}
	}
}

func TestParallel(t *testing.T) {
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			g := Geometry{pixelSizes[i%6], 1 + 100*pixelSizes[i%6]}
			data := paint([]byte(text[i:]), g, 60000)
			for m := range Mode(modes) {
				if got := inflate(t, Compress(nil, data, 0, m, g, true), nil); !bytes.Equal(got, data) {
					t.Errorf("%s: not what was compressed", modeNames[m])
				}
			}
		})
	}
	wait.Wait()
}

func TestSameBytesEveryTime(t *testing.T) {
	g := Geometry{3, 601}
	data := paint([]byte(text), g, 100000)
	for m := range Mode(modes) {
		first := Compress(nil, data, 30000, m, g, true)
		Compress(nil, noise(70000), 0, m, Geometry{4, 101}, true) // leaves another state behind
		if !bytes.Equal(Compress(nil, data, 30000, m, g, true), first) {
			t.Errorf("%s: depends on what was compressed before", modeNames[m])
		}
	}
}

func TestNoAllocations(t *testing.T) {
	g := Geometry{3, 601}
	data := paint([]byte(text), g, 100000)
	dst := make([]byte, 0, 200000)
	c := new(compressor) // not a pooled one: the race detector takes some of these away
	for m := RLE; m < modes; m++ {
		p := parserOf(m, g)
		if n := testing.AllocsPerRun(5, func() { c.compress(dst, data, 30000, p, true) }); n > 0 {
			t.Errorf("%s: %v allocations", modeNames[m], n)
		}
	}
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

var modeNames = []string{
	Stored: "stored", RLE: "rle", Greedy: "greedy", Balanced: "balanced", Overlay: "overlay", Lazy: "lazy", Thorough: "thorough",
}
