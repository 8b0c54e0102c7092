//go:build goexperiment.simd && amd64

package quantize

// scalarly runs f without vectors.
func scalarly(f func()) {
	defer func(v bool) { vectors = v }(vectors)
	vectors = false
	f()
}
