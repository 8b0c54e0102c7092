package flow

import (
	"runtime"
	"runtime/debug"

	"github.com/sluice-js/sluice/internal/fault"
)

// What tests take away or add by build tags (control_*.go), to show that they would fail without it.
var (
	catchFaults = true      // control_nofault: an access to memory that is gone ends the process
	recovers    = true      // control_norecover: so does a panic
	disturb     = func() {} // control_panic: panics now and then
)

// Guard runs f so that neither a bug in an encoder nor input that vanishes under it takes the process down: a panic
// becomes an Internal fault, an access to memory that is gone an Input fault. What f worked on must be thrown away then.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(catchFaults))
	defer func() {
		if !recovers {
			return
		}
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
	disturb()
	return f()
}

func defaultWidth() int { return runtime.GOMAXPROCS(0) }
