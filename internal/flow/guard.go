package flow

import (
	"runtime"
	"runtime/debug"

	"github.com/sluice-js/sluice/internal/fault"
)

// Guard runs f so that neither a bug in an encoder nor input that vanishes under it takes the process down: a panic
// becomes an Internal fault, an access to memory that is gone an Input fault. What f worked on must be thrown away then.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			err = fault.Newf(fault.Input, "Expected the input to stay in place until the job is done, but its memory went away")
		default:
			err = fault.Newf(fault.Internal, "panic: %v", r)
		}
	}()
	return f()
}

func defaultWidth() int { return runtime.GOMAXPROCS(0) }
