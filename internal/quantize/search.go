package quantize

import (
	"math"
	"math/bits"
	"sync"

	"github.com/sluice-js/sluice/internal/pool"
)

// Colours that are more than this are joined, by their high bits, for the search alone; those that are left are as many at
// least, about, and at most four times as many.
const fewPoints = 8192

// weightPower is what counts are raised to. Below 1, rare colours weigh more than their share of the pixels: thin lines live
// there. Much below, common ones suffer.
const weightPower = 0.9

// precision is the error at which a search ends before all entries are used: 68 dB, which nobody sees. Images of a
// few colours and many near ones, as tiles of water are, take fewer bytes then.
const precision = 68

// opaqueShare is the part of a cluster's weight from which on its entry becomes opaque: an opaque area that shines through a
// little is seen, a nearly opaque edge that does not is not.
const opaqueShare = 0.4

// search is the working memory of a search.
type search struct {
	points, joined []point
	located        []packed
	table          table
	splitter       splitter
	means          means
	found          []uint8
}

var searches = pool.New[search]()

// Palette returns the best palette that is found of at most so many colours, 1 to 256. It is exact when there are no more.
//
// gamma bends the scale of brightness that colours are compared on while entries are chosen: above 1 dark colours get more of
// them, below 1 light ones; 1 leaves it as it is.
//
// stop is asked every millisecond or so; when it says true Palette returns nil. h must not be used any more.
func (h *Histogram) Palette(colors int, gamma float64, stop func() bool) *Palette {
	if h.sums == nil && len(h.colors) <= colors {
		return h.exact()
	}
	s := searches.Get()
	h.place(s, gamma)
	s.join(h)
	s.splitter.split(s.points, colors, 4*4*255*255/math.Pow(10, precision/10.0), stop)
	s.means.begin(&s.splitter)
	e := usual
	if h.pixels <= maxSmall {
		e = forSmall
	}
	s.means.refine(s.points, s.located, e, stop)
	if stop() {
		return nil
	}
	entries := s.entries(h, gamma)
	p := newPalette(entries)
	if h.sums == nil && !p.adopt(h, s, stop) {
		return nil
	}
	if h.sums != nil {
		p.order(nil)
	}
	if cap(s.points) <= maxPooled && cap(s.joined) <= maxPooled {
		searches.Put(s)
	}
	return p
}

// exact returns the palette of all colours.
func (h *Histogram) exact() *Palette {
	entries := make([][4]byte, len(h.colors))
	for i, c := range h.colors {
		entries[i] = straight(c)
	}
	p := newPalette(entries)
	index := p.order(nil)
	p.remember(h, func(i uint32) uint8 { return index[i] })
	return p
}

// place makes points of the colours.
func (h *Histogram) place(s *search, gamma float64) {
	s.points = grow(s.points, len(h.colors))
	bend := bender(gamma)
	for i, c := range h.colors {
		n := h.counts[i]
		r, g, b, a := float64(c&0xff), float64(c>>8&0xff), float64(c>>16&0xff), float64(c>>24)
		if h.sums != nil {
			sum, w := &h.sums[i], float64(n)
			r, g, b, a = float64(sum[0])/w, float64(sum[1])/w, float64(sum[2])/w, float64(sum[3])/w
		}
		if bend != nil {
			r, g, b = bend(r, a), bend(g, a), bend(b, a)
		}
		s.points[i] = point{place(r, g, b, a), weigh(n)}
	}
}

// bender returns the function that puts a premultiplied sample on the scale of gamma; nil when there is nothing to do.
func bender(gamma float64) func(c, a float64) float64 {
	if gamma == 1 {
		return nil
	}
	return func(c, a float64) float64 {
		if a == 0 {
			return 0
		}
		return math.Pow(min(max(c/a, 0), 1), 1/gamma) * a
	}
}

// weights holds the weights of small counts.
var weights = sync.OnceValue(func() *[1 << 12]float32 {
	t := new([1 << 12]float32)
	for i := range t {
		t[i] = float32(math.Pow(float64(i), weightPower))
	}
	return t
})

func weigh(n uint64) float32 {
	if t := weights(); n < uint64(len(t)) {
		return t[n]
	}
	return float32(math.Pow(float64(n), weightPower))
}

// join makes one point of those whose colours have their high bits in common, when they are many.
func (s *search) join(h *Histogram) {
	if len(h.colors) > fewPoints {
		s.joinBy(h, 0xfefefefe)
		if len(s.joined) > 4*fewPoints {
			fine := s.joined
			s.joined = nil
			if s.joinBy(h, 0xfcfcfcfc); len(s.joined) <= fewPoints/4 {
				s.joined = fine
			}
		}
		s.points, s.joined = s.joined, s.points
	}
	s.located = grow(s.located, len(s.points))
	for i := range s.points {
		x := &s.points[i].x
		s.located[i] = pack(round([4]float64{float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])}))
	}
}

func (s *search) joinBy(h *Histogram, mask uint32) {
	t := &s.table
	t.reset(2 << bits.Len(uint(len(h.colors))))
	s.joined = s.joined[:0]
	for i, c := range h.colors {
		e := t.find(c & mask)
		if e.value == 0 {
			s.joined = append(s.joined, point{})
			e.key, e.value = c&mask, uint32(len(s.joined))
		}
		p, q := &s.points[i], &s.joined[e.value-1]
		for j := range q.x {
			q.x[j] += p.x[j] * p.w
		}
		q.w += p.w
	}
	for i := range s.joined {
		q := &s.joined[i]
		for j := range q.x {
			q.x[j] /= q.w
		}
	}
}

// entries makes colours of the clusters.
func (s *search) entries(h *Histogram, gamma float64) [][4]byte {
	opaque := s.opaque()
	entries := make([][4]byte, len(s.means.clusters))
	clear := false
	for i := range s.means.clusters {
		r, g, b, a := unplace(s.means.clusters[i].mean)
		if gamma != 1 {
			bend := bender(1 / gamma)
			r, g, b = bend(r, a), bend(g, a), bend(b, a)
		}
		alpha := min(math.Floor(a+0.5), 255)
		if alpha <= 0 {
			clear = true
			continue
		}
		f := 255 / alpha
		entries[i] = [4]byte{toByte(r * f), toByte(g * f), toByte(b * f), byte(alpha)}
		if opaque[i] {
			entries[i][3] = 255
		}
	}
	if h.transparent && !clear && len(entries) > 1 {
		entries[s.dispensable(entries)] = [4]byte{}
	}
	return entries
}

// toByte rounds x.
func toByte(x float64) byte { return byte(min(max(math.Floor(x+0.5), 0), 255)) }

// opaque says which clusters consist of opaque colours, about.
func (s *search) opaque() (is [MaxColors]bool) {
	var opaque [MaxColors]float64
	for i := range s.points {
		if p := &s.points[i]; p.x[3] >= maxCoordinate-0.01 {
			opaque[s.means.assigned[i]] += float64(p.w)
		}
	}
	for i := range s.means.clusters {
		is[i] = opaque[i] > 0 && opaque[i] >= opaqueShare*s.means.clusters[i].weight
	}
	return is
}

// dispensable returns the entry that gives way to a wholly transparent one: the most transparent if it nearly is, else the
// lightest in weight.
func (s *search) dispensable(entries [][4]byte) int {
	least, faint := 0, -1
	for i := range entries {
		if s.means.clusters[i].weight < s.means.clusters[least].weight {
			least = i
		}
		if entries[i][3] <= 8 && (faint < 0 || entries[i][3] < entries[faint][3]) {
			faint = i
		}
	}
	if faint >= 0 {
		return faint
	}
	return least
}
