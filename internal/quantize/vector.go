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

// costsVectors takes each cluster with eight others at a time. Single numbers are handled as integers, which have the same
// order where none is negative: Go's arithmetic with single floats is slow where vectors are in use.
func (a *joints) costsVectors(least *[MaxColors]float32, n int) {
	for i := n; i&7 != 0; i++ {
		a.x[0][i], a.weight[i] = 1e15, 1 // which costs more than any
	}
	groups := (n + 7) / 8
	far := archsimd.BroadcastFloat32x8(math.MaxFloat32)
	for i := range n {
		own := math.Float32bits(a.x[0][i])
		a.x[0][i] = 1e15 // not with itself
		x := archsimd.BroadcastUint32x8(own).AsFloat32x8()
		y, z, t := archsimd.BroadcastFloat32x8(a.x[1][i]), archsimd.BroadcastFloat32x8(a.x[2][i]), archsimd.BroadcastFloat32x8(a.x[3][i])
		w := archsimd.BroadcastFloat32x8(a.weight[i])
		best := far
		for g := range groups {
			d0 := x.Sub(archsimd.LoadFloat32x8((*[8]float32)(a.x[0][8*g&0xf8:])))
			d1 := y.Sub(archsimd.LoadFloat32x8((*[8]float32)(a.x[1][8*g&0xf8:])))
			d2 := z.Sub(archsimd.LoadFloat32x8((*[8]float32)(a.x[2][8*g&0xf8:])))
			d3 := t.Sub(archsimd.LoadFloat32x8((*[8]float32)(a.x[3][8*g&0xf8:])))
			v := archsimd.LoadFloat32x8((*[8]float32)(a.weight[8*g&0xf8:]))
			d := d0.Mul(d0).Add(d1.Mul(d1)).Add(d2.Mul(d2)).Add(d3.Mul(d3))
			best = best.Min(d.Mul(w.Mul(v)).Div(w.Add(v)))
		}
		a.x[0][i] = math.Float32frombits(own)
		var four [4]uint32
		best.GetLo().Min(best.GetHi()).AsUint32x4().Store(&four)
		least[i] = math.Float32frombits(min(four[0], four[1], four[2], four[3]))
	}
	archsimd.ClearAVXUpperBits()
}

// addAllVectors takes the four coordinates of a point at a time.
func addAllVectors(sums *[MaxColors]sum, points []point, assigned []uint8) {
	assigned = assigned[:len(points)]
	for i := range points {
		p, s := &points[i], &sums[assigned[i]]
		x := archsimd.LoadFloat32x4(&p.x).ConvertToFloat64()
		w := archsimd.BroadcastFloat32x4(p.w).ConvertToFloat64()
		k := w.Mul(x)
		k.Add(archsimd.LoadFloat64x4(&s.x)).Store(&s.x)
		k.Mul(x).Add(archsimd.LoadFloat64x4(&s.squares)).Store(&s.squares)
		w.GetLo().Add(archsimd.LoadFloat64x2(&s.weight)).Store(&s.weight)
	}
	archsimd.ClearAVXUpperBits()
}
