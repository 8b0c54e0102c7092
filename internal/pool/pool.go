// Package pool keeps working memory between strips. A sync.Pool would give it up with every second garbage collection, and the
// output of encoders makes these frequent.
package pool

import "runtime"

// Pool keeps idle values: as many as processors, which is how many can be in use at a time.
type Pool[T any] struct{ idle chan *T }

// New returns an empty Pool.
func New[T any]() Pool[T] { return Pool[T]{make(chan *T, runtime.NumCPU())} }

// Get returns a value that was Put, or the zero value.
func (p Pool[T]) Get() *T {
	select {
	case v := <-p.idle:
		return v
	default:
		return new(T)
	}
}

// Put gives v up.
func (p Pool[T]) Put(v *T) {
	select {
	case p.idle <- v:
	default:
	}
}
