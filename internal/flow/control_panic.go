//go:build control_panic

package flow

import "sync/atomic"

var guarded atomic.Uint64

// Every 17th piece of work panics: a number that falls on all kinds of them.
func init() {
	disturb = func() {
		if guarded.Add(1)%17 == 0 {
			panic("injected")
		}
	}
}
