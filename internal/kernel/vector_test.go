//go:build goexperiment.simd && amd64

package kernel

import (
	"bytes"
	"os"
	"testing"
)

// scalarly runs f without vectors.
func scalarly(f func()) {
	defer func(v bool) { vectors = v }(vectors)
	vectors = false
	f()
}

// Where the processor has AVX2, vectors are used: else the other tests would hold the scalar loops against themselves.
func TestVectors(t *testing.T) {
	cpu, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	if has := bytes.Contains(cpu, []byte(" avx2 ")); vectors != has {
		t.Errorf("got %v, but the processor says %v", vectors, has)
	}
}
