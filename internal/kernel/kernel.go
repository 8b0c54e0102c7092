// Package kernel has the loops over pixels and bytes that the encoders spend their time in: PNG's filters, the checksum,
// conversions between pixel formats, and questions that all bytes of a row answer.
//
// Each has two implementations. The scalar one works everywhere. The other one uses the vectors of AVX2 (Go's simd/archsimd,
// an experiment of the toolchain: GOEXPERIMENT=simd) where they exist, and takes the part of a row that fills vectors.
// Vector code ends with VZEROUPPER (archsimd.ClearAVXUpperBits): C that uses SSE, and Go's own scalar floating point,
// would otherwise stall.
//
// No function allocates. A dst must not overlap a source, unless its doc says so. Sources of a call have the length of dst
// or more; a shorter one panics.
package kernel

// Sub writes PNG's filter of type 1: cur less the pixel to the left. n is the bytes of a pixel, 1 to 8.
func Sub(dst, cur []byte, n int) {
	cur = cur[:len(dst)]
	i := copy(dst, cur[:min(n, len(cur))])
	i += subVectors(dst[i:], cur[i:], cur)
	for ; i < len(dst); i++ {
		dst[i] = cur[i] - cur[i-n]
	}
}

// Up writes PNG's filter of type 2: cur less up, the row above.
func Up(dst, cur, up []byte) {
	cur, up = cur[:len(dst)], up[:len(dst)]
	for i := subVectors(dst, cur, up); i < len(dst); i++ {
		dst[i] = cur[i] - up[i]
	}
}

// Average writes PNG's filter of type 3: cur less the mean, rounded down, of the pixel to the left and the one above. n is
// the bytes of a pixel, 1 to 8.
func Average(dst, cur, up []byte, n int) {
	cur, up = cur[:len(dst)], up[:len(dst)]
	i := 0
	for ; i < min(n, len(dst)); i++ {
		dst[i] = cur[i] - up[i]>>1
	}
	i += averageVectors(dst[i:], cur[i:], cur, up[i:])
	for ; i < len(dst); i++ {
		dst[i] = cur[i] - byte((int(cur[i-n])+int(up[i]))>>1)
	}
}

// Paeth writes PNG's filter of type 4: cur less whichever of left, above and above left is nearest to left + above -
// above left. n is the bytes of a pixel, 1 to 8.
func Paeth(dst, cur, up []byte, n int) {
	cur, up = cur[:len(dst)], up[:len(dst)]
	i := 0
	for ; i < min(n, len(dst)); i++ {
		dst[i] = cur[i] - up[i] // left and above left are 0: above is nearest
	}
	i += paethVectors(dst[i:], cur[i:], cur, up[i:], up)
	for ; i < len(dst); i++ {
		dst[i] = cur[i] - nearest(int(cur[i-n]), int(up[i]), int(up[i-n]))
	}
}

// nearest is the Paeth predictor (PNG specification, 9.4).
func nearest(a, b, c int) byte {
	pa, pb := b-c, a-c
	pc := abs(pa + pb)
	pa, pb = abs(pa), abs(pb)
	if pa <= pb && pa <= pc {
		return byte(a)
	}
	if pb <= pc {
		return byte(b)
	}
	return byte(c)
}

func abs(x int) int {
	sign := x >> 63
	return (x ^ sign) - sign
}

// AbsoluteSum returns the sum of p's bytes as distances from 0, where 255 is 1 from it: what PNG's adaptive filters compare.
func AbsoluteSum(p []byte) int {
	i, sum := absoluteVectors(p)
	for _, b := range p[i:] {
		sum += abs(int(int8(b)))
	}
	return sum
}
