package quantize

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/sample"
)

func never() bool { return false }

// premultiply turns straight RGBA into colours.
func premultiply(pix []byte) []uint32 {
	colors := make([]uint32, len(pix)/4)
	for i := range colors {
		colors[i] = binary.LittleEndian.Uint32(pix[4*i:])
	}
	kernel.PremultiplyAll(colors)
	return colors
}

func count(colors []uint32) *Histogram {
	h := NewHistogram()
	h.Add(colors, 1)
	return h
}

func index(p *Palette, colors []uint32) []byte {
	dst := make([]byte, len(colors))
	p.Index(dst, colors)
	return dst
}

// psnr compares premultiplied colours, alpha with them, in dB.
func psnr(colors []uint32, p *Palette, indices []byte) float64 {
	sum := 0.0
	for i, c := range colors {
		q := premultiplied(p.Colors[indices[i]])
		for s := 0; s < 32; s += 8 {
			d := float64(c>>s&0xff) - float64(q>>s&0xff)
			sum += d * d
		}
	}
	return 10 * math.Log10(255*255*4*float64(len(colors))/sum)
}

// checkOrder holds a palette to its promises.
func checkOrder(t *testing.T, p *Palette, most int) {
	t.Helper()
	if len(p.Colors) < 1 || len(p.Colors) > most {
		t.Fatalf("got %d colours, want 1 to %d", len(p.Colors), most)
	}
	for i, c := range p.Colors {
		if (c[3] < 255) != (i < p.Translucent) {
			t.Fatalf("colour %d of %d is %v, %d are said to be translucent", i, len(p.Colors), c, p.Translucent)
		}
	}
}

func TestPaletteOfFewColors(t *testing.T) {
	colors := []uint32{0, 0xff0000ff, 0x80800000, 0xff0000ff, 0xff00ff00, 0, 0x40102030}
	p := count(colors).Palette(5, 1, never)
	checkOrder(t, p, 5)
	if p.Translucent != 3 || p.Depth() != 4 {
		t.Errorf("got %d translucent colours and a depth of %d", p.Translucent, p.Depth())
	}
	for i, k := range index(p, colors) {
		if got := premultiplied(p.Colors[k]); got != colors[i] {
			t.Errorf("%08x became %08x", colors[i], got)
		}
	}
	p.Release()
	if got := count([]uint32{0xff010203}).Palette(256, 1, never); len(got.Colors) != 1 || got.Depth() != 1 {
		t.Errorf("one colour: got %v", got.Colors)
	}
}

// The palette is as good as was measured against other quantisers, less a little.
func TestPaletteQuality(t *testing.T) {
	for _, c := range []struct {
		name     string
		draw     func(width, height int) []byte
		of       int
		decibels float64
	}{
		{"map", sample.Map, 256, 56.5}, {"map", sample.Map, 64, 48}, {"map", sample.Map, 1, 20},
		{"overlay", sample.Overlay, 256, 59.5}, {"overlay", sample.Overlay, 64, 49.5},
		{"photo", sample.Photo, 256, 55}, {"photo", sample.Photo, 16, 38},
		{"noise", sample.Noise, 256, 26},
	} {
		colors := premultiply(c.draw(400, 300))
		p := count(colors).Palette(c.of, 1, never)
		checkOrder(t, p, c.of)
		indices := index(p, colors)
		if got := psnr(colors, p, indices); got < c.decibels {
			t.Errorf("%s, %d colours: %.2f dB, want %v", c.name, c.of, got, c.decibels)
		}
		var entries []vector
		for _, e := range p.Colors {
			entries = append(entries, locate(premultiplied(e)))
		}
		for i, x := range colors[:500] { // every pixel has the nearest colour, not that of its cluster
			if want := plain(entries, locate(x)); indices[i] != want {
				t.Fatalf("%s: pixel %d has index %d, want %d", c.name, i, indices[i], want)
			}
		}
		p.Release()
	}
}

// More colours than are counted one by one: cells have true averages.
func TestCells(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	h := NewHistogram()
	var total uint64
	sums := map[uint32][5]uint64{}
	var colors []uint32
	for range 1 << 19 {
		colors = append(colors, anyColor(r, false))
	}
	for range 2 {
		h.Add(colors, 3)
		total += 3 * uint64(len(colors))
	}
	if h.sums == nil || len(h.colors) > maxCells {
		t.Fatalf("%d colours in %d cells", len(colors), len(h.colors))
	}
	for _, c := range colors {
		s := sums[c&h.mask]
		for i := range 4 {
			s[i] += 6 * uint64(c>>(8*i)&0xff)
		}
		s[4] += 6
		sums[c&h.mask] = s
	}
	for i, c := range h.colors {
		s := h.sums[i]
		if want := sums[c]; [5]uint64{s[0], s[1], s[2], s[3], h.counts[i]} != want {
			t.Fatalf("cell %08x holds %v, %d, want %v", c, s, h.counts[i], want)
		}
		total -= h.counts[i]
	}
	if total != 0 || len(sums) != len(h.colors) {
		t.Errorf("%d colours are missing; %d cells, want %d", total, len(h.colors), len(sums))
	}
	p := h.Palette(256, 1, never)
	checkOrder(t, p, 256)
	if got := psnr(colors, p, index(p, colors)); got < 22 {
		t.Errorf("%.2f dB", got)
	}
}

// A thin line of a colour of its own keeps it, however many other colours there are and however few its pixels.
func TestThinLineKeepsItsColor(t *testing.T) {
	const width, height = 600, 500
	pix := sample.Photo(width, height)
	for x := range width {
		copy(pix[4*(400*width+x):], []byte{255, 0, 255, 255})
	}
	colors := premultiply(pix)
	for _, n := range []int{256, 64, 16} {
		p := count(colors).Palette(n, 1, never)
		c := p.Colors[index(p, colors)[400*width+17]]
		if c[0] < 245 || c[1] > 10 || c[2] < 245 || c[3] != 255 {
			t.Errorf("%d colours: the line became %v", n, c)
		}
		p.Release()
	}
}

// Two opaque pixels on transparency stay, and it stays transparent; so they do beside many other colours.
func TestTwoPixelsOnTransparency(t *testing.T) {
	for _, others := range []int{0, 4000} {
		colors := make([]uint32, 256*256)
		colors[1000], colors[1001] = 0xff0000ff, 0xff0000ff
		r := rand.New(rand.NewPCG(5, 6))
		for i := range others {
			colors[20000+i] = kernel.Premultiply(0x00ff0000 | r.Uint32()&0xff00ffff)
		}
		p := count(colors).Palette(256, 1, never)
		indices := index(p, colors)
		if c := p.Colors[indices[1000]]; c[0] < 240 || c[1] > 15 || c[2] > 15 || c[3] != 255 || indices[1000] != indices[1001] {
			t.Errorf("beside %d others the pixels became %v", others, c)
		}
		if c := p.Colors[indices[0]]; c != [4]byte{} {
			t.Errorf("beside %d others transparency became %v", others, c)
		}
		p.Release()
	}
}

// The edge of an opaque area does not make it shine through.
func TestOpaqueStaysOpaque(t *testing.T) {
	colors := premultiply(sample.Overlay(600, 400))
	p := count(colors).Palette(64, 1, never)
	indices := index(p, colors)
	for i, c := range colors {
		if e := p.Colors[indices[i]]; c>>24 == 255 && e[3] < 230 || c == 0 && e[3] != 0 {
			t.Fatalf("%08x became %v", c, e)
		}
	}
}

// A tile of near colours gets no more entries than can be told apart.
func TestNearFlatStopsEarly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	colors := make([]uint32, 256*256)
	for i := range colors {
		colors[i] = 0xffe0d0c0 + r.Uint32N(8)*0x010000 + r.Uint32N(8)*0x000100 + r.Uint32N(8)
		if i%64 > 0 {
			colors[i] = 0xffe0d0c0
		}
	}
	p := count(colors).Palette(256, 1, never)
	if len(p.Colors) > 128 {
		t.Errorf("got %d colours", len(p.Colors))
	}
	if got := psnr(colors, p, index(p, colors)); got < precision {
		t.Errorf("%.2f dB", got)
	}
}

func TestGamma(t *testing.T) {
	colors := make([]uint32, 0, 1<<16)
	for i := range cap(colors) {
		colors = append(colors, 0xff000000|uint32(i&0xff)*0x010101|uint32(i>>8&3)<<8)
	}
	dark := map[float64]int{}
	for _, gamma := range []float64{0.5, 1, 2} {
		p := count(colors).Palette(32, gamma, never)
		checkOrder(t, p, 32)
		for _, c := range p.Colors {
			if c[0] < 64 {
				dark[gamma]++
			}
		}
	}
	if dark[0.5] >= dark[1] || dark[1] >= dark[2] {
		t.Errorf("dark colours by gamma: %v", dark)
	}
}

func TestUserPalette(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var chosen [][4]byte
	var entries []vector
	for range 200 {
		chosen = append(chosen, straight(anyColor(r, false)))
	}
	p := NewPalette(slices.Clone(chosen))
	checkOrder(t, p, 200)
	if len(p.Colors) != 200 {
		t.Fatalf("got %d colours", len(p.Colors))
	}
	for _, c := range p.Colors {
		entries = append(entries, locate(premultiplied(c)))
	}
	colors := premultiply(sample.Overlay(120, 100))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i, k := range index(p, colors) {
				if want := plain(entries, locate(colors[i])); k != want {
					t.Errorf("%08x got %d, want %d", colors[i], k, want)
					return
				}
			}
		})
	}
	wait.Wait()
}

// Pixels that change while they are read yield wrong colours, not a panic.
func TestUnknownColor(t *testing.T) {
	p := count(premultiply(sample.Map(200, 200))).Palette(256, 1, never)
	dst := make([]byte, 3)
	p.Index(dst, []uint32{0xff00ff00, 0x01010101, 0xffffffff})
	if int(max(dst[0], dst[1], dst[2])) >= len(p.Colors) {
		t.Errorf("got %v of %d colours", dst, len(p.Colors))
	}
}

func TestStop(t *testing.T) {
	colors := premultiply(sample.Photo(600, 400))
	for after := range 20 {
		asked := 0
		p := count(colors).Palette(256, 1, func() bool {
			asked++
			return asked > after
		})
		if p != nil {
			t.Fatalf("a search that was stopped after %d questions returned a palette", after)
		}
	}
}

func TestDitherer(t *testing.T) {
	const width, height = 256, 64
	ramp := make([]uint32, width*height)
	for i := range ramp {
		ramp[i] = 0xff000000 | uint32(i%width)*0x010101
	}
	p := NewPalette([][4]byte{{0, 0, 0, 255}, {255, 255, 255, 255}, {0, 0, 0, 0}})
	mean := func(strength float64) (m [4]float64) {
		d := NewDitherer(p, width, strength)
		dst := make([]byte, width)
		for y := range height {
			d.Index(dst, ramp[y*width:][:width])
			for x, i := range dst {
				m[x/64] += float64(p.Colors[i][0]) / (64 * height)
			}
		}
		return m
	}
	for i, got := range mean(1) {
		if want := 31.5 + 64*float64(i); math.Abs(got-want) > 6 {
			t.Errorf("quarter %d of a grey ramp is %.1f on average, want %.1f", i, got, want)
		}
	}
	if got := mean(0); got != [4]float64{0, 0, 255, 255} {
		t.Errorf("without strength: %v", got)
	}
	d, dst := NewDitherer(p, 100, 1), make([]byte, 100)
	for range 10 {
		if d.Index(dst, make([]uint32, 100)); slices.ContainsFunc(dst, func(i byte) bool { return p.Colors[i][3] != 0 }) {
			t.Fatal("something came out of nothing")
		}
	}
}

// FuzzPalette makes palettes of any colours.
func FuzzPalette(f *testing.F) {
	f.Add(uint8(2), uint8(10), []byte("\x00\x00\x00\x00\xff\xff\xff\xff\x01\x02\x03\xff\x03\x02\x01\x80"))
	f.Fuzz(func(t *testing.T, n, gamma uint8, data []byte) {
		if len(data) < 4 {
			return
		}
		colors := premultiply(data)
		p := count(colors).Palette(int(n)+1, float64(gamma%40+1)/10, never)
		checkOrder(t, p, int(n)+1)
		indices := index(p, colors)
		for i, k := range indices {
			if int(k) >= len(p.Colors) {
				t.Fatalf("index %d of %d colours", k, len(p.Colors))
			}
			if colors[i] == 0 && p.Colors[k] != [4]byte{} && len(p.Colors) > 1 {
				t.Fatalf("transparency became %v", p.Colors[k])
			}
		}
		d, dst := NewDitherer(p, len(colors), 0.75), make([]byte, len(colors))
		d.Index(dst, colors)
		if k := slices.Max(dst); int(k) >= len(p.Colors) {
			t.Fatalf("dithered: index %d of %d colours", k, len(p.Colors))
		}
		p.Release()
	})
}
