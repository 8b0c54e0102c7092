//go:build goexperiment.simd && amd64

package kernel

import (
	"math/bits"
	"simd/archsimd"
)

// alphaOrder is alpha in the place of all four samples.
var alphaOrder = [width]int8{3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15}

const lanes = 8 // colours of a vector

func loadColors(p []uint32, i int) archsimd.Uint32x8 {
	return archsimd.LoadUint32x8((*[lanes]uint32)(p[i : i+lanes : len(p)]))
}

func storeColors(p []uint32, i int, v archsimd.Uint32x8) {
	v.Store((*[lanes]uint32)(p[i : i+lanes : len(p)]))
}

// oddOrder is the second and fourth sample of each colour, as numbers of 16 bits.
var oddOrder = [width]int8{1, -1, 3, -1, 5, -1, 7, -1, 9, -1, 11, -1, 13, -1, 15, -1, 1, -1, 3, -1, 5, -1, 7, -1, 9, -1, 11, -1, 13, -1, 15, -1}

// premultiplyVectors returns how many colours it multiplied.
//
// It divides as multiply does: t + t/256 is 257/256 t. Unsigned shifts would do, but Go loads their distance by an
// instruction of SSE, and each costs as much as all the others.
func premultiplyVectors(colors []uint32) int {
	if len(colors) < lanes || !vectors {
		return 0
	}
	alpha, even := archsimd.BroadcastUint32x8(0xff000000), archsimd.BroadcastUint32x8(0x00ff00ff)
	opaque := archsimd.BroadcastUint32x8(0x00ff0000)
	half, part := archsimd.BroadcastUint16x16(128), archsimd.BroadcastUint16x16(257)
	order, odd := archsimd.LoadInt8x32(&alphaOrder), archsimd.LoadInt8x32(&oddOrder)
	i := 0
	for ; i <= len(colors)-lanes; i += lanes {
		v := loadColors(colors, i)
		if v.And(alpha).Xor(alpha).IsZero() {
			continue
		}
		a := v.AsUint8x32().PermuteOrZeroGrouped(order).AsUint32x8().And(even)
		redBlue := v.And(even).AsUint16x16().Mul(a.AsUint16x16()).Add(half).MulHigh(part)
		// Beside green is alpha, which is multiplied by 255 and so comes back.
		greenAlpha := v.AsUint8x32().PermuteOrZeroGrouped(odd).AsUint16x16().Mul(a.Or(opaque).AsUint16x16()).Add(half).MulHigh(part)
		storeColors(colors, i, redBlue.AsUint32x8().Or(greenAlpha.AsInt16x16().ShiftAllLeft(8).AsUint32x8()))
	}
	archsimd.ClearAVXUpperBits()
	return i
}

// boundVectors returns how many colours it bounded.
func boundVectors(colors []uint32) int {
	if len(colors) < lanes || !vectors {
		return 0
	}
	order := archsimd.LoadInt8x32(&alphaOrder)
	i := 0
	for ; i <= len(colors)-lanes; i += lanes {
		v := loadColors(colors, i).AsUint8x32()
		storeColors(colors, i, v.Min(v.PermuteOrZeroGrouped(order)).AsUint32x8())
	}
	archsimd.ClearAVXUpperBits()
	return i
}

// colorVectors returns how many colours it read.
func colorVectors(dst []uint32, src []byte) int {
	if len(dst) < lanes || !vectors {
		return 0
	}
	i := 0
	for ; i <= len(dst)-lanes; i += lanes {
		storeColors(dst, i, load(src, 4*i).AsUint32x8())
	}
	archsimd.ClearAVXUpperBits()
	return i
}

// swapColorVectors returns how many colours it swapped.
func swapColorVectors(colors []uint32) int {
	if len(colors) < lanes || !vectors {
		return 0
	}
	order := archsimd.LoadInt8x32(&swapOrder)
	i := 0
	for ; i <= len(colors)-lanes; i += lanes {
		storeColors(colors, i, loadColors(colors, i).AsUint8x32().PermuteOrZeroGrouped(order).AsUint32x8())
	}
	archsimd.ClearAVXUpperBits()
	return i
}

// whichBits lists the bits that are set.
var whichBits = func() (t [256][lanes]uint16) {
	for m := range t {
		n := 0
		for b := range lanes {
			if m>>b&1 != 0 {
				t[m][n] = uint16(b)
				n++
			}
		}
	}
	return t
}()

// runVectors returns with how many colours, and runs among them, to go on.
func runVectors(starts []uint16, colors []uint32) (i, n int) {
	i, n = 1, 1
	if len(colors) <= lanes || !vectors {
		return i, n
	}
	for ; i <= len(colors)-lanes; i += lanes {
		m := ^loadColors(colors, i).Equal(loadColors(colors, i-1)).ToBits()
		if m == 0 {
			continue
		}
		at := archsimd.LoadUint16x8(&whichBits[m]).Add(archsimd.BroadcastUint16x8(uint16(i)))
		at.Store((*[lanes]uint16)(starts[n : n+lanes]))
		n += bits.OnesCount8(m)
	}
	archsimd.ClearAVXUpperBits()
	return i, n
}
