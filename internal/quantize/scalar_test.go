//go:build !(goexperiment.simd && amd64)

package quantize

// scalarly runs f without vectors, which are not there anyway.
func scalarly(f func()) { f() }
