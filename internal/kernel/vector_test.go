//go:build goexperiment.simd && amd64

package kernel

import "testing"

// scalarly runs f without vectors.
func scalarly(f func()) {
	defer func(v bool) { vectors = v }(vectors)
	vectors = false
	f()
}

func TestVectors(t *testing.T) {
	if !vectors {
		t.Skip("this processor has no AVX2: only the scalar loops are tested")
	}
}
