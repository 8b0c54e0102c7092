//go:build goexperiment.simd && amd64

package kernel

import "simd/archsimd"

// vectors says whether the processor has what this file needs.
var vectors = archsimd.X86.AVX2()

const width = 32 // bytes of a vector

// The filters' vectors return how many bytes of dst they wrote: all, where there is at least one vector. The last one
// overlaps the one before rather than to leave a rest. left and aboveLeft begin a pixel before cur and up.

func load(p []byte, i int) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32((*[width]uint8)(p[i : i+width : len(p)]))
}

func store(p []byte, i int, v archsimd.Uint8x32) {
	v.Store((*[width]uint8)(p[i : i+width : len(p)]))
}

func subVectors(dst, cur, from []byte) int {
	if len(dst) < width || !vectors {
		return 0
	}
	n := len(dst)
	cur, from = cur[:n], from[:n]
	for i := 0; i <= n-width; i += width {
		store(dst, i, load(cur, i).Sub(load(from, i)))
	}
	store(dst, n-width, load(cur, n-width).Sub(load(from, n-width)))
	archsimd.ClearAVXUpperBits()
	return n
}

func averageVectors(dst, cur, left, up []byte) int {
	n := len(dst)
	if n < width || !vectors {
		return 0
	}
	averageLoop(dst, cur, left, up)
	last := n - width
	averageLoop(dst[last:], cur[last:], left[last:], up[last:])
	archsimd.ClearAVXUpperBits()
	return n
}

// averageLoop leaves the rest that does not fill a vector.
func averageLoop(dst, cur, left, up []byte) {
	n := len(dst)
	cur, left, up = cur[:n], left[:n], up[:n]
	one := archsimd.BroadcastUint8x32(1)
	for i := 0; i <= n-width; i += width {
		a, b := load(left, i), load(up, i)
		mean := a.Average(b).Sub(a.Xor(b).And(one)) // Average rounds up
		store(dst, i, load(cur, i).Sub(mean))
	}
}

func paethVectors(dst, cur, left, up, aboveLeft []byte) int {
	n := len(dst)
	if n < width || !vectors {
		return 0
	}
	paethLoop(dst, cur, left, up, aboveLeft)
	last := n - width
	paethLoop(dst[last:], cur[last:], left[last:], up[last:], aboveLeft[last:])
	archsimd.ClearAVXUpperBits()
	return n
}

// paethLoop leaves the rest that does not fill a vector. x is not above y where their minimum is x: AVX2 has no comparison
// of unsigned bytes.
func paethLoop(dst, cur, left, up, aboveLeft []byte) {
	n := len(dst)
	cur, left, up, aboveLeft = cur[:n], left[:n], up[:n], aboveLeft[:n]
	for i := 0; i <= n-width; i += width {
		a, b, c := load(left, i), load(up, i), load(aboveLeft, i)
		least, most := a.Min(b), a.Max(b)
		pa := b.SubSaturated(c).Or(c.SubSaturated(b))
		pb := a.SubSaturated(c).Or(c.SubSaturated(a))
		// Between a and b, c is pc = |pa-pb| from the estimate. Outside, pc is the sum, and the farther of a and b wins:
		// it is the nearest to the estimate.
		pc := pa.SubSaturated(pb).Or(pb.SubSaturated(pa))
		bOrC := pb.Min(pc)
		p := b.Merge(c, bOrC.Equal(pb))
		p = a.Merge(p, bOrC.Min(pa).Equal(pa))
		p = most.Merge(p, c.Min(least).Equal(c))
		p = least.Merge(p, c.Max(most).Equal(c))
		store(dst, i, load(cur, i).Sub(p))
	}
}

func absoluteVectors(p []byte) (n, sum int) {
	n = len(p) &^ (width - 1)
	if n == 0 || !vectors {
		return 0, 0
	}
	var zero archsimd.Uint8x32
	var sums archsimd.Uint64x4
	for i := 0; i < n; i += width {
		distance := load(p, i).AsInt8x32().Abs().AsUint8x32()
		sums = sums.Add(distance.SumAbsDiff(zero).AsUint64x4())
	}
	var all [4]uint64
	sums.Store(&all)
	archsimd.ClearAVXUpperBits()
	return n, int(all[0] + all[1] + all[2] + all[3])
}

// adlerWeights are how often each byte of a vector is in b at its end.
var adlerWeights = [width]int8{32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}

// adlerVectors adds the vectors of p, at most adlerBatch bytes, without reducing.
func adlerVectors(a, b uint32, p []byte) (n int, a1, b1 uint32) {
	n = len(p) &^ (width - 1)
	if n == 0 || !vectors {
		return 0, a, b
	}
	weights, ones := archsimd.LoadInt8x32(&adlerWeights), archsimd.BroadcastInt16x16(1)
	var zero archsimd.Uint8x32
	var bytes, before archsimd.Uint32x8 // the sum of bytes, and the sum of these sums before each vector
	var weighted archsimd.Int32x8
	for i := 0; i < n; i += width {
		v := load(p, i)
		before = before.Add(bytes)
		bytes = bytes.Add(v.SumAbsDiff(zero).AsUint32x8())
		weighted = weighted.Add(v.DotProductPairsSaturated(weights).DotProductPairs(ones))
	}
	within := before.ShiftAllLeft(5).Add(weighted.AsUint32x8())
	var as, bs [8]uint32
	bytes.Store(&as)
	within.Store(&bs)
	archsimd.ClearAVXUpperBits()
	b += a * uint32(n)
	for i := range as {
		a += as[i]
		b += bs[i]
	}
	return n, a, b
}
