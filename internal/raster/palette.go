package raster

import (
	"encoding/binary"
	"math/bits"

	"github.com/sluice-js/sluice/internal/kernel"
)

// MaxColors is the size of the largest palette.
const MaxColors = 256

// Palette is the colours of an image, and the way from its pixels to their indices.
type Palette struct {
	// Colors holds straight RGBA: first those that are not opaque, then the others, both in order of appearance.
	Colors [][4]byte
	// Translucent is how many of Colors are not opaque.
	Translucent int

	header Header
	depth  int      // bits of an index
	keys   []uint32 // pixels in order of appearance, as the source has them
	table  table
}

// table is an open hash table from a pixel to its index plus one; an index of 0 is an empty slot. It is never more than a
// quarter full.
type table struct {
	shift uint // of a hash of 32 bits
	slots []slot
}

type slot struct {
	key   uint32
	index uint16
}

// newTable returns a table for so many pixels.
func newTable(n int) table {
	b := bits.Len(uint(4*n - 1))
	return table{uint(32 - b), make([]slot, 1<<b)}
}

// find returns the slot of a pixel: its own, or the empty one where it would be.
func (t *table) find(key uint32) *slot {
	i := key * 0x9e3779b1 >> t.shift
	for t.slots[i].index != 0 && t.slots[i].key != key {
		i = (i + 1) % uint32(len(t.slots))
	}
	return &t.slots[i]
}

func newPalette(h Header) *Palette { return &Palette{header: h, table: newTable(MaxColors)} }

// Depth returns the bits that an index takes: 1, 2, 4 or 8.
func (p *Palette) Depth() int { return p.depth }

// add enters the pixels of a row. It reports false when there are too many colours.
func (p *Palette) add(row []byte) bool {
	var block [256]uint32
	last, known := uint32(0), false
	for n := p.header.PixelFormat.BytesPerPixel(); len(row) >= n; {
		keys := block[:min(len(block), len(row)/n)]
		loadKeys(keys, row, n)
		row = row[len(keys)*n:]
		for _, k := range keys {
			if k == last && known {
				continue
			}
			last, known = k, true
			slot := p.table.find(k)
			if slot.index != 0 {
				continue
			}
			if len(p.keys) == MaxColors {
				return false
			}
			p.keys = append(p.keys, k)
			slot.key, slot.index = k, uint16(len(p.keys))
		}
	}
	return true
}

// order makes Colors from the pixels that were added. Pixels that differ only before alpha is made straight share one.
func (p *Palette) order() {
	colors := make([][4]byte, len(p.keys))
	for i, k := range p.keys {
		colors[i] = p.straight(k)
	}
	index := make(map[[4]byte]uint16, len(colors))
	collect := func(opaque bool) {
		for _, c := range colors {
			if _, seen := index[c]; !seen && (c[3] == 255) == opaque {
				p.Colors = append(p.Colors, c)
				index[c] = uint16(len(p.Colors))
			}
		}
	}
	collect(false)
	p.Translucent = len(p.Colors)
	collect(true)
	p.table = newTable(len(p.keys)) // a palette is kept as long as its image is encoded
	for i, k := range p.keys {
		slot := p.table.find(k)
		slot.key, slot.index = k, index[colors[i]]
	}
	for p.depth = 1; 1<<p.depth < len(p.Colors); {
		p.depth *= 2
	}
}

// straight returns the colour of a pixel.
func (p *Palette) straight(key uint32) [4]byte {
	var c [4]byte
	binary.LittleEndian.PutUint32(c[:], key)
	switch p.header.PixelFormat {
	case BGRA:
		c[0], c[2] = c[2], c[0]
	case RGB:
		c[3] = 255
	case GrayA:
		c[1], c[2], c[3] = c[0], c[0], c[1]
	case Gray:
		c[1], c[2], c[3] = c[0], c[0], 255
	}
	if p.header.Premultiplied {
		straight8(c[:], 4)
	}
	return c
}

// Pack turns pixels into indices, as many to a byte as Depth allows, the first in the high bits. A pixel that is not in
// the palette, because it has changed since the scan, gets index 0.
func (p *Palette) Pack(dst, src []byte) {
	var block [256]uint32
	last, index := uint32(0), p.index(0)
	depth, perByte := p.depth, 8/p.depth
	for n := p.header.PixelFormat.BytesPerPixel(); len(src) >= n; {
		keys := block[:min(len(block), len(src)/n)]
		loadKeys(keys, src, n)
		src = src[len(keys)*n:]
		if perByte == 1 {
			for i, k := range keys {
				if k != last {
					last, index = k, p.index(k)
				}
				dst[i] = index
			}
			dst = dst[len(keys):]
			continue
		}
		for len(keys) > 0 {
			b, m := byte(0), min(perByte, len(keys))
			for _, k := range keys[:m] {
				if k != last {
					last, index = k, p.index(k)
				}
				b = b<<depth | index
			}
			dst[0] = b << (depth * (perByte - m))
			dst, keys = dst[1:], keys[m:]
		}
	}
}

// PackIndices puts as many indices to a byte as depth, 1, 2 or 4 bits, allows, the first in the high bits.
func PackIndices(dst, indices []byte, depth int) {
	perByte := 8 / depth
	for len(indices) > 0 {
		b, m := byte(0), min(perByte, len(indices))
		for _, i := range indices[:m] {
			b = b<<depth | i
		}
		dst[0] = b << (depth * (perByte - m))
		dst, indices = dst[1:], indices[m:]
	}
}

func (p *Palette) index(key uint32) byte {
	if i := p.table.find(key).index; i != 0 {
		return byte(i - 1)
	}
	return 0
}

// loadKeys reads pixels of n bytes as numbers.
func loadKeys(keys []uint32, row []byte, n int) {
	switch n {
	case 4:
		kernel.Colors(keys, row)
	case 3:
		for i := range keys {
			p := row[3*i:][:3]
			keys[i] = uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16
		}
	case 2:
		for i := range keys {
			keys[i] = uint32(binary.LittleEndian.Uint16(row[2*i:]))
		}
	default:
		for i := range keys {
			keys[i] = uint32(row[i])
		}
	}
}
