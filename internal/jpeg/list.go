package jpeg

import "math/bits"

// list is the symbols of a strip, for tables that are made when all are known: an index of codes.entry each, or two numbers
// for what has none: wideSymbol with the table and the symbol, then the bits of the value.
type list []uint16

const wideSymbol = 1 << 14

// add lists the first count blocks of t.
func (l list) add(t *tile, count int, lay *layout, before *predictors) list {
	j := 0
	for i := range count {
		component := lay.component[j]
		if j++; j == lay.blocks {
			j = 0
		}
		class := 0
		if component != 0 {
			class = 1
		}
		difference := int32(t.dc[i]) - before[component]
		before[component] = int32(t.dc[i])
		if t.wide[i] || uint32(difference+255) >= 511 {
			l = l.addWide(&t.blocks, i, class, difference)
			continue
		}
		l = append(l, uint16(dcBase+class*dcClass+256+int(difference)))
		base, after := uint16(class*acClass), 1
		for m := t.mask[i]; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			run := k - after
			after = k + 1
			for ; run > 15; run -= 16 {
				l = append(l, base+zeros16)
			}
			l = append(l, base+uint16(uint8(t.z[i][k]))<<4+uint16(run))
		}
		if t.mask[i]>>63 == 0 {
			l = append(l, base+endOfBlock)
		}
	}
	return l
}

func (l list) addWide(b *blocks, i, class int, difference int32) list {
	var all [maxSymbols]symbol
	for k, s := range all[:b.symbols(i, difference, &all)] {
		table := 2*class + min(k, 1)
		l = append(l, wideSymbol|uint16(table)<<8|uint16(s.code), s.low)
	}
	return l
}

// frequencies are how often each symbol of each table occurs.
type frequencies [4][256]int

// count adds the symbols of l.
func (f *frequencies) count(l list) {
	for i := 0; i < len(l); i++ {
		switch v := int(l[i]); {
		case v >= wideSymbol:
			f[v>>8&3][v&0xff]++
			i++
		case v >= dcBase:
			class := (v - dcBase) / dcClass
			size, _ := magnitude(int32(v&(dcClass-1)) - 256)
			f[2*class][size]++
		default:
			size, _ := magnitude(int32(int8(v >> 4)))
			f[2*(v/acClass)+1][v&15<<4|int(size)]++
		}
	}
}

// best returns the tables of least bits for an image of so many components.
func (f *frequencies) best(components int) *specs {
	var s specs
	for i := range 2 * min(components, 2) {
		s[i] = optimal(&f[i])
	}
	return &s
}

// codeList writes all symbols.
func (w *bitWriter) codeList(l list, c *codes) {
	const most = 1 << 12 // symbols between two looks at the room that is left
	for len(l) > 0 {
		n := 0
		for n < min(len(l), most) && l[n] < wideSymbol {
			n++
		}
		w.grow(3*n + 32) // entries have at most 24 bits
		w.codeSymbols(l[:n], &c.entry)
		if l = l[n:]; len(l) == 0 || l[0] < wideSymbol {
			continue
		}
		table, s := l[0]>>8&3, symbol{code: uint8(l[0]), size: uint8(l[0]) & 15, low: l[1]}
		w.put(&c.table[table], s)
		l = l[2:]
	}
}
