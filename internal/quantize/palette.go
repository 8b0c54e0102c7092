package quantize

import (
	"encoding/binary"

	"github.com/sluice-js/sluice/internal/kernel"
	"github.com/sluice-js/sluice/internal/pool"
)

// Palette is at most 256 colours and the way from pixels to the nearest of them.
type Palette struct {
	// Colors holds straight RGBA: first those that are not opaque, then the others.
	Colors [][4]byte
	// Translucent is how many of Colors are not opaque.
	Translucent int

	nearest nearest
	known   *Histogram // whose table leads from every colour to its index plus one; nil: colours are searched for
}

// NewPalette returns a Palette of colours that somebody chose, 1 to 256 of them, straight RGBA.
func NewPalette(colors [][4]byte) *Palette {
	p := newPalette(colors)
	p.order(nil)
	return p
}

// newPalette returns a Palette that has yet to be ordered.
func newPalette(colors [][4]byte) *Palette { return &Palette{Colors: colors} }

// Depth returns the bits that an index takes: 1, 2, 4 or 8.
func (p *Palette) Depth() int {
	depth := 1
	for 1<<depth < len(p.Colors) {
		depth *= 2
	}
	return depth
}

// order puts colours that are not opaque first and leaves out those that are not used (nil: none). It returns where each
// colour went, and makes the palette ready for searches.
func (p *Palette) order(used *[MaxColors]bool) (index [MaxColors]uint8) {
	old := p.Colors
	p.Colors = make([][4]byte, 0, len(old))
	collect := func(opaque bool) {
		for i, c := range old {
			if (used == nil || used[i]) && (c[3] == 255) == opaque {
				index[i] = uint8(len(p.Colors))
				p.Colors = append(p.Colors, c)
			}
		}
	}
	collect(false)
	p.Translucent = len(p.Colors)
	collect(true)
	p.load()
	return index
}

// load makes nearest search among Colors.
func (p *Palette) load() {
	var entries [MaxColors]vector
	for i, c := range p.Colors {
		entries[i] = locate(premultiplied(c))
	}
	p.nearest.set(entries[:len(p.Colors)])
}

func premultiplied(c [4]byte) uint32 {
	return kernel.Premultiply(uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16 | uint32(c[3])<<24)
}

// straight returns a colour with its samples divided by alpha.
func straight(c uint32) [4]byte {
	a := c >> 24
	if a == 0 {
		return [4]byte{}
	}
	divide := func(c uint32) byte { return byte(min((c*255+a/2)/a, 255)) }
	return [4]byte{divide(c & 0xff), divide(c >> 8 & 0xff), divide(c >> 16 & 0xff), byte(a)}
}

// adopt finds the nearest colour of each that h has counted, and leaves out what is nearest to none. It reports false when
// stop said true.
func (p *Palette) adopt(h *Histogram, s *search, stop func() bool) bool {
	p.load()
	s.located = grow(s.located, len(h.colors))
	for i, c := range h.colors {
		s.located[i] = pack(locate(c))
	}
	s.found = grow(s.found, len(h.colors))
	if !p.nearest.assign(s.found, s.located, stop) {
		return false
	}
	var used [MaxColors]bool
	for _, i := range s.found {
		used[i] = true
	}
	index := p.order(&used)
	p.remember(h, func(i uint32) uint8 { return index[s.found[i]] })
	return true
}

// remember makes h's table lead to indices: index tells that of the colour that was counted i-th.
func (p *Palette) remember(h *Histogram, index func(i uint32) uint8) {
	for i := range h.table.slots {
		if s := &h.table.slots[i]; s.value != 0 {
			s.value = uint32(index(s.value-1)) + 1
		}
	}
	p.known = h
}

// Release gives up memory for the next image. p must not be used any more.
func (p *Palette) Release() {
	if h := p.known; h != nil {
		p.known = nil
		h.recycle()
	}
}

// Index writes the index of the nearest colour for each of row's. Several goroutines may call it.
func (p *Palette) Index(dst []byte, row []uint32) {
	dst = dst[:len(row)]
	var c *cache
	if p.known == nil {
		c = p.cache()
	}
	var starts [span + kernel.RunsRoom]uint16
	for len(row) > 0 {
		part := row[:min(span, len(row))]
		n := kernel.Runs(starts[:], part)
		starts[n] = uint16(len(part))
		out := dst[:len(part)]
		for k, start := range starts[:n] {
			var index uint8
			if color := part[start]; c == nil {
				index = p.lookUp(color)
			} else {
				index = c.find(p, color)
			}
			fill(out, int(start), int(starts[k+1]), index)
		}
		row, dst = row[len(part):], dst[len(part):]
	}
	if c != nil {
		caches.Put(c)
	}
}

// fill writes index from start to before end, and may write anything behind.
func fill(dst []byte, start, end int, index uint8) {
	if start+8 > len(dst) {
		for i := start; i < end; i++ {
			dst[i] = index
		}
		return
	}
	eight := uint64(index) * 0x0101010101010101
	binary.LittleEndian.PutUint64(dst[start:start+8], eight)
	for i := start + 8; i < end; i += 8 {
		binary.LittleEndian.PutUint64(dst[min(i, len(dst)-8):], eight)
	}
}

// lookUp finds the index of a color that is known. One that is not, because it has changed since it was counted, is searched
// for.
func (p *Palette) lookUp(color uint32) uint8 {
	if s := p.known.table.find(color); s.value != 0 {
		return uint8(s.value - 1)
	}
	return p.nearest.find(locate(color))
}

// cache remembers what was searched for.
type cache struct {
	owner   *Palette
	entries [1 << cacheBits]cached
}

type cached struct {
	color uint32
	index uint16 // plus one; 0: empty
}

const cacheBits = 13

var caches = pool.New[cache]()

// cache returns one that knows of p only.
func (p *Palette) cache() *cache {
	c := caches.Get()
	if c.owner != p {
		c.owner = p
		clear(c.entries[:])
	}
	return c
}

func (c *cache) find(p *Palette, color uint32) uint8 {
	e := &c.entries[color*0x9e3779b1>>(32-cacheBits)]
	if e.color != color || e.index == 0 {
		e.color, e.index = color, uint16(p.nearest.find(locate(color)))+1
	}
	return uint8(e.index - 1)
}
