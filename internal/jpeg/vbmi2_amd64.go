//go:build goexperiment.simd && amd64

package jpeg

import (
	"math/bits"
	"simd/archsimd"
)

// positions are those of a block's coefficients; neighbours rotate a vector by one.
var positions, neighbours = func() (p *[64]int8, n *[64]int8) {
	p, n = new([64]int8), new([64]int8)
	for i := range p {
		p[i], n[i] = int8(i), int8((i+63)&63)
	}
	return p, n
}()

// codeVBMI2 is codeBlocks: it lists the symbols of all blocks, whose values and positions it compresses to what is not zero,
// and then writes the list.
func codeVBMI2(w *bitWriter, t *tile, count int, l *layout, c *codes, before *predictors) {
	w.grow(count * maxBlockBytes)
	predicted := [8]int32{before[0], before[1], before[2]} // as many as an index of three bits can reach
	position := archsimd.LoadInt8x64(positions)
	neighbour := archsimd.LoadInt8x64(neighbours).AsUint8x64()
	one, fifteen := archsimd.BroadcastInt8x64(1), archsimd.BroadcastInt8x64(15)
	n, j := 0, 0
	for i := range count {
		component := l.component[j] & 7
		if j++; j == l.blocks {
			j = 0
		}
		class := (int(component) + 1) >> 1 // 0, 1, 1
		difference := int32(t.dc[i]) - predicted[component]
		predicted[component] = int32(t.dc[i])
		if t.wide[i] || uint32(difference+255) >= 511 {
			w.codeSymbols(t.syms[:n], &c.entry)
			n = 0
			w.codeWide(&t.blocks, i, difference, &c.table[2*class], &c.table[2*class+1])
			continue
		}
		t.syms[n] = uint16(dcBase + class*dcClass + 256 + int(difference))
		n++
		base := uint16(class * acClass)
		if m := t.mask[i]; m != 0 {
			mask := archsimd.Mask8x64FromBits(m)
			values := archsimd.LoadInt8x64(&t.z[i]).Compress(mask)
			at := position.Compress(mask)
			run := at.Sub(at.Permute(neighbour)).Sub(one) // the first is right because what follows the last is 0
			if run.Greater(fifteen).ToBits() != 0 {
				n = t.listRuns(n, i, base)
			} else {
				bases := archsimd.BroadcastUint16x32(base)
				low := values.GetLo().AsUint8x32().ExtendToUint16().ShiftAllLeft(4).Or(run.GetLo().AsUint8x32().ExtendToUint16()).Or(bases)
				low.Store((*[32]uint16)(t.syms[n:]))
				number := bits.OnesCount64(m)
				if number > 32 {
					high := values.GetHi().AsUint8x32().ExtendToUint16().ShiftAllLeft(4).Or(run.GetHi().AsUint8x32().ExtendToUint16()).Or(bases)
					high.Store((*[32]uint16)(t.syms[n+32:]))
				}
				n += number
			}
		}
		t.syms[n] = base + endOfBlock
		n += 1 - int(t.mask[i]>>63) // unless the last coefficient ended it
	}
	archsimd.ClearAVXUpperBits()
	w.codeSymbols(t.syms[:n], &c.entry)
	before[0], before[1], before[2] = predicted[0], predicted[1], predicted[2]
}

// listRuns lists the AC symbols of a block that has runs of more than 15 zeros, from n on, and returns where they end.
func (t *tile) listRuns(n, i int, base uint16) int {
	after := 1
	for m := t.mask[i]; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m) & 63
		run := k - after
		after = k + 1
		for ; run > 15; run -= 16 {
			t.syms[n] = base + zeros16
			n++
		}
		t.syms[n] = base + uint16(uint8(t.z[i][k]))<<4 + uint16(run)
		n++
	}
	return n
}
