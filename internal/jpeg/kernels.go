package jpeg

//go:generate go run ./gen

import "sync"

// fastest returns the best kernels that this machine can run.
var fastest = sync.OnceValue(func() *kernels {
	all := levels()
	return all[len(all)-1]
})
