//go:build goexperiment.simd && amd64

package kernel

import "simd/archsimd"

// Where the bytes of four pixels go, in each half of a vector. -1 makes a zero.
var (
	packOrder     = [16]int8{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1}
	packSwapOrder = [16]int8{2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1}
	spreadOrder   = [16]int8{0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1}
	spreadAlpha   = [16]uint8{3: 255, 7: 255, 11: 255, 15: 255}
	swapOrder     = [width]int8{2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15}

	// The next colour beside each colour, but for blue and alpha, which are beside themselves.
	neighbourOrder = [width]int8{1, 2, 2, 3, 5, 6, 6, 7, 9, 10, 10, 11, 13, 14, 14, 15, 1, 2, 2, 3, 5, 6, 6, 7, 9, 10, 10, 11, 13, 14, 14, 15}
)

// packVectors returns how many pixels it packed. It stores 16 bytes for 12, and stops where these would leave dst.
func packVectors(dst, src []byte, swap bool) int {
	if !vectors {
		return 0
	}
	order := archsimd.LoadInt8x16(&packOrder)
	if swap {
		order = archsimd.LoadInt8x16(&packSwapOrder)
	}
	i, o := 0, 0
	for i+16 <= len(src) && o+16 <= len(dst) {
		v := archsimd.LoadUint8x16((*[16]uint8)(src[i : i+16]))
		v.PermuteOrZero(order).Store((*[16]uint8)(dst[o : o+16]))
		i += 16
		o += 12
	}
	return i / 4
}

// spreadVectors returns how many pixels it spread. It loads 16 bytes for 12, and stops where these would leave src.
func spreadVectors(dst, src []byte) int {
	if !vectors {
		return 0
	}
	order, alpha := archsimd.LoadInt8x16(&spreadOrder), archsimd.LoadUint8x16(&spreadAlpha)
	i, o := 0, 0
	for i+16 <= len(src) && o+16 <= len(dst) {
		v := archsimd.LoadUint8x16((*[16]uint8)(src[i : i+16]))
		v.PermuteOrZero(order).Or(alpha).Store((*[16]uint8)(dst[o : o+16]))
		i += 12
		o += 16
	}
	return o / 4
}

// swapVectors returns how many bytes it wrote.
func swapVectors(dst, src []byte) int {
	n := len(src) &^ (width - 1)
	if n == 0 || !vectors {
		return 0
	}
	order := archsimd.LoadInt8x32(&swapOrder)
	dst = dst[:len(src)]
	for i := 0; i < n; i += width {
		store(dst, i, load(src, i).PermuteOrZeroGrouped(order))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// stretch is how many bytes are looked at before an early exit is.
const stretch = 1 << 10

// opaqueVectors returns how many bytes it looked at, and whether they may go on to be opaque.
func opaqueVectors(pix []byte) (n int, opaque bool) {
	if len(pix) < stretch || !vectors {
		return 0, true
	}
	alpha := archsimd.BroadcastUint32x8(0xff000000).AsUint8x32()
	opaque = true
	for ; opaque && n+stretch <= len(pix); n += stretch {
		p := pix[n : n+stretch]
		all, more := alpha, alpha
		for i := 0; i <= len(p)-4*width; i += 4 * width {
			all = all.And(load(p, i)).And(load(p, i+width))
			more = more.And(load(p, i+2*width)).And(load(p, i+3*width))
		}
		opaque = all.And(more).Xor(alpha).IsZero()
	}
	archsimd.ClearAVXUpperBits()
	return n, opaque
}

// grayVectors returns how many bytes it looked at, and whether they may go on to be grey.
func grayVectors(pix []byte) (n int, gray bool) {
	if len(pix) < stretch || !vectors {
		return 0, true
	}
	order := archsimd.LoadInt8x32(&neighbourOrder)
	gray = true
	for ; gray && n+stretch <= len(pix); n += stretch {
		p := pix[n : n+stretch]
		var differ, more archsimd.Uint8x32
		for i := 0; i <= len(p)-2*width; i += 2 * width {
			v, w := load(p, i), load(p, i+width)
			differ = differ.Or(v.Xor(v.PermuteOrZeroGrouped(order)))
			more = more.Or(w.Xor(w.PermuteOrZeroGrouped(order)))
		}
		gray = differ.Or(more).IsZero()
	}
	archsimd.ClearAVXUpperBits()
	return n, gray
}
