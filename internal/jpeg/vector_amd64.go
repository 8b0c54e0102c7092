//go:build goexperiment.simd && amd64

package jpeg

import "simd/archsimd"

var avx2 = &kernels{
	name: "AVX2", align: 32,
	color420: color420AVX2, color444: color444AVX2, gray: grayAVX2, transform: transformAVX2, code: codeBlocks,
}

// vbmi2 is for processors since Ice Lake and Zen 4: earlier AVX-512 costs clock and lacks what the symbols are listed by.
var vbmi2 = &kernels{
	name: "AVX-512 VBMI2", align: 64,
	color420: color420AVX512, color444: color444AVX512, gray: grayAVX512, transform: transformAVX512, code: codeVBMI2,
}

// levels are the kernels that this machine can run, the fastest last.
func levels() []*kernels {
	all := []*kernels{scalar}
	if archsimd.X86.AVX2() {
		all = append(all, avx2)
	}
	if archsimd.X86.AVX2() && archsimd.X86.AVX512() && archsimd.X86.AVX512VBMI() && archsimd.X86.AVX512VBMI2() {
		all = append(all, vbmi2)
	}
	return all
}

// onPage returns a copy of v, which has the size of a page, at the start of one: Go's allocator gives objects of that size
// nothing else.
//
//go:noinline
func onPage[T any](v T) *T {
	p := new(T)
	*p = v
	return p
}

// keepWide keeps all coefficients of the block in a lane as block i, if one of them but DC needs more than int8.
func (t *tile) keepWide(lane, i int) {
	magnitude := int16(0)
	all := &t.all[i]
	for row := range t.ws {
		for column, v := range t.ws[row][8*lane:][:8] {
			all[8*row+column] = v
			if row|column != 0 {
				sign := v >> 15
				magnitude |= (v ^ sign) - sign
			}
		}
	}
	t.wide[i] = magnitude > 127
}
