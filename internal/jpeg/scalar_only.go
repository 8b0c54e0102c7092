//go:build !(goexperiment.simd && amd64)

package jpeg

// levels are the kernels that this machine can run, the fastest last.
func levels() []*kernels { return []*kernels{scalar} }
