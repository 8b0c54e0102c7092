package flow

import (
	"sync"

	"github.com/sluice-js/sluice/internal/fault"
)

// Window is the account of one stream: the slabs that its consumer granted and that nothing was written to yet.
//
// A slab is memory of the consumer's and at the same time the credit: whoever grants one says that as many bytes may
// come. It is used once. Any number of goroutines may use a Window; one at a time may call Next and GiveUp.
type Window struct {
	mu     sync.Mutex
	more   sync.Cond // a slab came, or the window was closed
	slabs  [][]byte
	held   bool          // the chunker holds a slab that it took from here and has not given up
	err    error         // nil or a *fault.Error
	grants chan struct{} // holds one signal after a Grant

	given uint64 // bytes given up since the stream began
	taken uint64 // bytes that the consumer has passed on since the stream began
}

// NewWindow returns a Window without credit.
func NewWindow() *Window {
	w := &Window{grants: make(chan struct{}, 1)}
	w.more.L = &w.mu
	return w
}

// Grant adds a slab. taken counts all bytes that the consumer has passed on since the stream began.
func (w *Window) Grant(slab []byte, taken uint64) {
	w.mu.Lock()
	if len(slab) > 0 && w.err == nil {
		w.slabs = append(w.slabs, slab)
	}
	w.taken = max(w.taken, taken)
	w.mu.Unlock()
	w.more.Broadcast()
	select {
	case w.grants <- struct{}{}:
	default:
	}
}

// Grants holds a signal when Grant was called since the last receive.
func (w *Window) Grants() <-chan struct{} { return w.grants }

// Next takes the oldest slab. It blocks while there is none.
func (w *Window) Next(m *Meter) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.wait(m, w.hasSlab); err != nil {
		return nil, err
	}
	s := w.slabs[0]
	w.slabs = w.slabs[1:]
	w.held = true
	w.more.Broadcast() // who waits for credit may work now
	return s, nil
}

// Credit blocks until there is a slab to write to. A held slab counts although it may be full: the chunker gives it up
// only when the next byte comes, and that byte needs an encoder that runs.
func (w *Window) Credit(m *Meter) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wait(m, w.hasCredit)
}

// GiveUp says that the held slab went to the consumer with n bytes in it.
func (w *Window) GiveUp(n int) {
	w.mu.Lock()
	w.held = false
	w.given += uint64(n)
	w.mu.Unlock()
}

// Given returns the number of bytes given up since the stream began.
func (w *Window) Given() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.given
}

// Starved reports whether the consumer has passed on everything that it was given.
func (w *Window) Starved() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.taken >= w.given
}

// Slabs returns the number of slabs that are granted and not given up.
func (w *Window) Slabs() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held {
		return len(w.slabs) + 1
	}
	return len(w.slabs)
}

// Close makes every call return err, now and later.
func (w *Window) Close(err *fault.Error) {
	w.mu.Lock()
	if w.err == nil {
		w.err = err
		w.slabs = nil
	}
	w.mu.Unlock()
	w.more.Broadcast()
}

// Err returns what Close was told, or nil.
func (w *Window) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// HasCredit reports whether Credit would return at once.
func (w *Window) HasCredit() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hasCredit()
}

func (w *Window) hasSlab() bool { return len(w.slabs) > 0 }

func (w *Window) hasCredit() bool { return w.held || len(w.slabs) > 0 }

// wait returns when ready says so, or with an error when the window is closed. The caller holds mu.
func (w *Window) wait(m *Meter, ready func() bool) error {
	if w.err == nil && !ready() {
		m.Enter(Paused)
		for w.err == nil && !ready() {
			w.more.Wait()
		}
		m.Leave(Paused)
	}
	return w.err
}

// SlabSize returns a good size for slabs that hold chunks of the given size: whole chunks, 64 KiB if that fits.
func SlabSize(chunk int) int {
	const wanted = 64 << 10
	return max(wanted/chunk*chunk, chunk)
}
