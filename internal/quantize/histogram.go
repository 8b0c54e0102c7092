// Package quantize finds palettes: the at most 256 colours that stand for all colours of an image with the least error, and
// for each pixel the nearest of them.
//
// A colour is a premultiplied pixel of 8 bits a sample in a uint32: red in the low byte, then green, blue, and alpha in the
// high one. Premultiplied colours add up as what is seen does: those that differ only where nothing shows are one.
//
// Histogram counts the colours of an image and finds its Palette; NewPalette takes one that a user chose. Palette.Index maps
// rows, from several goroutines if need be. Everything depends on the colours and their order alone.
package quantize

import (
	"math/bits"

	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/pool"
)

// MaxColors is the size of the largest palette.
const MaxColors = 256

// Colours are counted exactly up to maxExact of them, then in cells of colours that have their high bits in common, of which
// there are at most maxCells. Cells keep sums, so that their averages are true.
const (
	maxExact = 131072
	maxCells = maxExact / 2
)

// Histogram counts the colours of an image.
type Histogram struct {
	table       table
	mask        uint32 // the bits of a colour that its cell is known by
	colors      []uint32
	counts      []uint64
	sums        [][4]uint64 // of the samples of a cell's colours; nil while each colour has a cell of its own
	transparent bool        // a colour was wholly transparent
	pixels      int         // that were counted
}

// maxPooled is for how many colours working memory is kept for the next image: some megabytes a processor. Photographs have more.
const maxPooled = 1 << 16

var histograms = pool.New[Histogram]()

// NewHistogram returns an empty Histogram. Give it up by its Palette's Release.
func NewHistogram() *Histogram {
	h := histograms.Get()
	h.table.reset(firstSlots)
	h.mask = 0xffffffff
	h.colors, h.counts, h.sums = h.colors[:0], h.counts[:0], nil
	h.transparent, h.pixels = false, 0
	return h
}

// recycle gives h up.
func (h *Histogram) recycle() {
	if cap(h.colors) <= maxPooled && h.sums == nil {
		histograms.Put(h)
	}
}

// Add counts the colours of a row that the image has so many times.
func (h *Histogram) Add(row []uint32, times int) {
	h.pixels += len(row) * times
	var starts [span + kernel.RunsRoom]uint16
	for len(row) > 0 {
		part := row[:min(span, len(row))]
		row = row[len(part):]
		n := kernel.Runs(starts[:], part)
		starts[n] = uint16(len(part))
		for k, start := range starts[:n] {
			h.count(part[start], uint64(starts[k+1]-start)*uint64(times))
		}
	}
}

// span is how many pixels are cut into runs at a time.
const span = 1024

func (h *Histogram) count(c uint32, n uint64) {
	s := h.table.find(c & h.mask)
	for s.value == 0 {
		if len(h.counts) < h.limit() {
			s = h.enter(s, c&h.mask)
			h.transparent = h.transparent || c == 0
			break
		}
		h.coarsen()
		s = h.table.find(c & h.mask)
	}
	h.counts[s.value-1] += n
	if h.sums != nil {
		h.transparent = h.transparent || c == 0
		addColor(&h.sums[s.value-1], c, n)
	}
}

func (h *Histogram) limit() int {
	if h.sums == nil {
		return maxExact
	}
	return maxCells
}

// enter makes a cell for key in the empty slot s.
func (h *Histogram) enter(s *slot, key uint32) *slot {
	h.colors = append(h.colors, key)
	h.counts = append(h.counts, 0)
	if h.sums != nil {
		h.sums = append(h.sums, [4]uint64{})
	}
	s.key, s.value = key, uint32(len(h.counts))
	if 2*len(h.counts) <= len(h.table.slots) {
		return s
	}
	h.table.reset(2 * len(h.table.slots))
	for i, k := range h.colors {
		*h.table.find(k) = slot{k, uint32(i + 1)}
	}
	return h.table.find(key)
}

// coarsen joins cells: the lowest bit that tells them apart is left out.
func (h *Histogram) coarsen() {
	colors, counts, sums := h.colors, h.counts, h.sums
	h.mask &= h.mask << 1 & 0xfefefefe
	h.table.reset(firstSlots)
	h.colors = make([]uint32, 0, maxCells)
	h.counts = make([]uint64, 0, maxCells)
	h.sums = make([][4]uint64, 0, maxCells)
	for i, c := range colors {
		s := h.table.find(c & h.mask)
		if s.value == 0 {
			if len(h.counts) == maxCells {
				h.colors, h.counts, h.sums = colors, counts, sums
				h.coarsen() // with the mask that is a bit shorter already
				return
			}
			s = h.enter(s, c&h.mask)
		}
		k := s.value - 1
		h.counts[k] += counts[i]
		if sums == nil {
			addColor(&h.sums[k], c, counts[i])
			continue
		}
		for j := range h.sums[k] {
			h.sums[k][j] += sums[i][j]
		}
	}
}

func addColor(sum *[4]uint64, c uint32, n uint64) {
	sum[0] += n * uint64(c&0xff)
	sum[1] += n * uint64(c>>8&0xff)
	sum[2] += n * uint64(c>>16&0xff)
	sum[3] += n * uint64(c>>24)
}

// table is an open hash table from colours to numbers above 0; 0 is an empty slot. It is never more than half full.
type table struct {
	shift uint // of a hash of 32 bits
	slots []slot
}

type slot struct{ key, value uint32 }

const firstSlots = 1 << 12

// reset empties t and gives it n slots, a power of two.
func (t *table) reset(n int) {
	t.shift = uint(33 - bits.Len(uint(n)))
	if cap(t.slots) < n {
		t.slots = make([]slot, n)
		return
	}
	t.slots = t.slots[:n]
	clear(t.slots)
}

// find returns the slot of a colour: its own, or the empty one where it would be.
func (t *table) find(key uint32) *slot {
	slots := t.slots
	for i := key * 0x9e3779b1 >> t.shift; ; i++ {
		s := &slots[i&uint32(len(slots)-1)]
		if s.value == 0 || s.key == key {
			return s
		}
	}
}
