//go:build goexperiment.simd && amd64

package quantize

import (
	"math"
	"simd/archsimd"
)

// vectors says whether the processor has what this file needs.
var vectors = archsimd.X86.AVX2()

// scores returns the lesser of best and the scores of a group's entries.
func (q *nearest) scores(g int, rg, ba archsimd.Int16x16, best archsimd.Int32x8) archsimd.Int32x8 {
	red := archsimd.LoadInt16x16(&q.rg[g&31]).DotProductPairs(rg)
	blue := archsimd.LoadInt16x16(&q.ba[g&31]).DotProductPairs(ba)
	return best.Min(red.Add(blue).Add(archsimd.LoadInt32x8(&q.bias[g&31])))
}

// least returns the index that the least score carries.
func least(best archsimd.Int32x8) uint8 {
	var t [4]int32
	best.GetLo().Min(best.GetHi()).Store(&t)
	return uint8(min(t[0], t[1], t[2], t[3]))
}

func (q *nearest) findVectors(x packed) uint8 {
	rg := archsimd.BroadcastInt32x8(x.rg).AsInt16x16()
	ba := archsimd.BroadcastInt32x8(x.ba).AsInt16x16()
	best := archsimd.BroadcastInt32x8(math.MaxInt32)
	other := best
	g := 0
	for ; g+1 < q.groups; g += 2 {
		best = q.scores(g, rg, ba, best)
		other = q.scores(g+1, rg, ba, other)
	}
	if g < q.groups {
		best = q.scores(g, rg, ba, best)
	}
	i := least(best.Min(other))
	archsimd.ClearAVXUpperBits()
	return i
}

// findAllVectors takes two colours at a time, which share what is loaded.
func (q *nearest) findAllVectors(found []uint8, xs []packed) {
	i := 0
	for ; i+1 < len(xs); i += 2 {
		rg := archsimd.BroadcastInt32x8(xs[i].rg).AsInt16x16()
		ba := archsimd.BroadcastInt32x8(xs[i].ba).AsInt16x16()
		nextRG := archsimd.BroadcastInt32x8(xs[i+1].rg).AsInt16x16()
		nextBA := archsimd.BroadcastInt32x8(xs[i+1].ba).AsInt16x16()
		best := archsimd.BroadcastInt32x8(math.MaxInt32)
		next := best
		for g := range q.groups {
			entriesRG := archsimd.LoadInt16x16(&q.rg[g&31])
			entriesBA := archsimd.LoadInt16x16(&q.ba[g&31])
			bias := archsimd.LoadInt32x8(&q.bias[g&31])
			best = best.Min(entriesRG.DotProductPairs(rg).Add(entriesBA.DotProductPairs(ba)).Add(bias))
			next = next.Min(entriesRG.DotProductPairs(nextRG).Add(entriesBA.DotProductPairs(nextBA)).Add(bias))
		}
		found[i], found[i+1] = least(best), least(next)
	}
	archsimd.ClearAVXUpperBits()
	if i < len(xs) {
		found[i] = q.findVectors(xs[i])
	}
}
