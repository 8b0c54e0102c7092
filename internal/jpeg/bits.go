package jpeg

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter collects bits, the most significant first, without stuffing: strips are shifted and stuffed when they are joined.
type bitWriter struct {
	acc uint64 // bits that are not in out yet, left aligned
	n   uint64 // of them; less than 8 between blocks
	pos int    // bytes in out
	out []byte
}

// maxBlockBytes is what a block takes at most, with room for a store of 8 bytes: 64 codes of 16 bits and values of 11.
const maxBlockBytes = 64*4 + 16

func (w *bitWriter) reset(buffer []byte) { *w = bitWriter{out: buffer[:cap(buffer)]} }

// grow makes room for n more bytes.
func (w *bitWriter) grow(n int) {
	if len(w.out)-w.pos < n {
		out := make([]byte, 2*len(w.out)+n)
		copy(out, w.out[:w.pos])
		w.out = out
	}
}

// tail returns the bits that do not fill a byte, left aligned, and their number.
func (w *bitWriter) tail() (byte, uint) { return byte(w.acc>>56) &^ (0xff >> w.n), uint(w.n) }

// codeBlocks writes blocks.
//
// In its loop n counts bits in its low byte only, since whole entries are added to it, and acc has their counts as noise in
// its low 5 bits, which each store drops. There is always room for one more entry: 7 bits are left, 2 times 24 come.
func codeBlocks(w *bitWriter, t *tile, count int, l *layout, c *codes, before *predictors) {
	w.grow(count * maxBlockBytes)
	acc, n, pos, out := w.acc, w.n, w.pos, w.out
	entry := &c.entry
	j := 0
	for i := range count {
		component := l.component[j]
		if j++; j == l.blocks {
			j = 0
		}
		class := 0
		if component != 0 {
			class = 1
		}
		difference := int32(t.dc[i]) - before[component]
		before[component] = int32(t.dc[i])
		if t.wide[i] || uint32(difference+255) >= 511 {
			w.acc, w.n, w.pos = acc, n, pos
			w.codeWide(&t.blocks, i, difference, &c.table[2*class], &c.table[2*class+1])
			acc, n, pos = w.acc, w.n, w.pos
			continue
		}
		e := entry[dcBase+class<<9+int(difference+256)]
		acc |= e >> (n & 63)
		n += e
		m := t.mask[i]
		z := &t.z[i]
		base := class << 12
		if m != 0 {
			after := 1
			for {
				k := bits.TrailingZeros64(m) & 63
				m &= m - 1
				run := k - after
				after = k + 1
				for ; run > 15; run -= 16 {
					binary.BigEndian.PutUint64(out[pos:], acc)
					pos += int(n & 0xff >> 3)
					acc = acc &^ 31 << (n & 0x38)
					n &= 7
					e := entry[base+zeros16]
					acc |= e >> (n & 63)
					n += e
				}
				binary.BigEndian.PutUint64(out[pos:], acc)
				pos += int(n & 0xff >> 3)
				acc = acc &^ 31 << (n & 0x38)
				n &= 7
				e := entry[base+(int(uint8(z[k]))<<4|run)&0xfff]
				acc |= e >> (n & 63)
				n += e
				if m == 0 {
					break
				}
				k = bits.TrailingZeros64(m) & 63
				m &= m - 1
				run = k - after
				after = k + 1
				for ; run > 15; run -= 16 {
					binary.BigEndian.PutUint64(out[pos:], acc)
					pos += int(n & 0xff >> 3)
					acc = acc &^ 31 << (n & 0x38)
					n &= 7
					e := entry[base+zeros16]
					acc |= e >> (n & 63)
					n += e
				}
				e = entry[base+(int(uint8(z[k]))<<4|run)&0xfff]
				acc |= e >> (n & 63)
				n += e
				if m == 0 {
					break
				}
			}
			binary.BigEndian.PutUint64(out[pos:], acc)
			pos += int(n & 0xff >> 3)
			acc = acc &^ 31 << (n & 0x38)
			n &= 7
			if t.mask[i]>>63 != 0 {
				continue
			}
		}
		e = entry[base+endOfBlock]
		acc |= e >> (n & 63)
		n += e
		binary.BigEndian.PutUint64(out[pos:], acc)
		pos += int(n & 0xff >> 3)
		acc = acc &^ 31 << (n & 0x38)
		n &= 7
	}
	w.acc, w.n, w.pos = acc, n, pos
}

// codeSymbols writes indices of entries: nothing depends on what they are.
func (w *bitWriter) codeSymbols(symbols []uint16, entry *[1 << 14]uint64) {
	acc, n, pos, out := w.acc, w.n, w.pos, w.out
	i := 0
	for ; i+2 <= len(symbols); i += 2 {
		a, b := symbols[i], symbols[i+1]
		first, second := entry[a&0x3fff], entry[b&0x3fff]
		pair := first&^0xff | second>>(first&63) // joined first: that shortens the chain through acc and n
		acc |= pair >> (n & 63)
		n += first + second
		binary.BigEndian.PutUint64(out[pos:], acc)
		pos += int(n & 0xff >> 3)
		acc = acc &^ 31 << (n & 0x38)
		n &= 7
	}
	if i < len(symbols) {
		e := entry[symbols[i]&0x3fff]
		acc |= e >> (n & 63)
		n += e
		binary.BigEndian.PutUint64(out[pos:], acc)
		pos += int(n & 0xff >> 3)
		acc = acc &^ 31 << (n & 0x38)
		n &= 7
	}
	w.acc, w.n, w.pos = acc, n, pos
}

// codeWide writes a block of any values.
func (w *bitWriter) codeWide(b *blocks, i int, difference int32, dc, ac *codeTable) {
	var all [maxSymbols]symbol
	for k, s := range all[:b.symbols(i, difference, &all)] {
		if k == 0 {
			w.put(dc, s)
		} else {
			w.put(ac, s)
		}
	}
}

// put writes a symbol and the bits of its value.
func (w *bitWriter) put(t *codeTable, s symbol) {
	e := t.entry(s.code, s.size, uint32(s.low))
	w.acc |= e &^ 0xff >> w.n
	w.n += e & 0xff
	binary.BigEndian.PutUint64(w.out[w.pos:], w.acc)
	w.pos += int(w.n >> 3)
	w.acc <<= w.n & 0x38
	w.n &= 7
}

// symbol is one of a table, with the bits of the value that follow.
type symbol struct {
	code, size uint8
	low        uint16
}

// maxSymbols is how many a block has at most.
const maxSymbols = 65

// symbols lists those of block i, the one of DC first, and returns their number.
func (b *blocks) symbols(i int, difference int32, all *[maxSymbols]symbol) int {
	size, low := magnitude(difference)
	all[0] = symbol{size, size, uint16(low)}
	n, run := 1, 0
	for k := 1; k < 64; k++ {
		v := int32(0)
		if b.wide[i] {
			v = int32(b.all[i][zigzag[k]])
		} else if b.mask[i]>>k&1 != 0 {
			v = int32(b.z[i][k])
		}
		if v == 0 {
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			all[n] = symbol{code: sixteen}
			n++
		}
		size, low := magnitude(v)
		all[n] = symbol{uint8(run<<4) | size, size, uint16(low)}
		n++
		run = 0
	}
	if run > 0 {
		all[n] = symbol{code: endOfBlock}
		n++
	}
	return n
}
