// Package flow decides when an encoder may work and when its bytes may leave.
//
// Two things hold an encoder back: credit, of which its own consumer grants as much as it can take (Window), and
// admission slots, of which all streams share as many as there are processors (Admission). An encoder sees both through
// its Writer.
package flow

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/sluice-js/sluice/internal/fault"
)

// Part is one write: a strip of pixels or a batch of features.
type Part struct {
	Buffers [][]byte // borrowed: they are the caller's again when the encoder's Write returns
	Meta    []byte   // a JSON object that describes the buffers, or nil
}

// Info is what an encoder knows of its output before it begins.
type Info struct {
	Level      string // names the effort that was asked for, "" where a format knows none
	MediaType  string // "": that of the format
	Format     string // "": the format that was asked for
	Compressed bool   // compressing it again would cost time and gain nothing
}

// Writer is what an encoder writes to. One goroutine at a time may call Write, Acquire and Release may be called by any.
type Writer struct {
	out    io.Writer
	window *Window
	slots  *Admission
	meter  *Meter
	stream uint64 // order of arrival
	small  bool

	stop    chan struct{}
	aborted atomic.Bool
	paced   atomic.Bool
	tasks   sync.WaitGroup
	busy    atomic.Int32  // tasks that have not ended
	rests   chan struct{} // holds a signal after busy fell to zero
}

var arrivals atomic.Uint64

// NewWriter returns a Writer of a new stream that passes bytes to out.
func NewWriter(out io.Writer, window *Window, slots *Admission, meter *Meter) *Writer {
	return &Writer{out: out, window: window, slots: slots, meter: meter, stream: arrivals.Add(1), stop: make(chan struct{}), rests: make(chan struct{}, 1)}
}

// Write passes p on. It blocks while the consumer grants no credit: that is the backpressure, so hold no slot, lock or
// table that others need. p is not kept. An error means that the stream is over.
func (w *Writer) Write(p []byte) (int, error) { return w.out.Write(p) }

// Small says that all the stream's work is one strip or less, so that it need not wait behind large ones. Call it before
// the first Acquire.
func (w *Writer) Small() { w.small = true }

// Acquire takes an admission slot. It blocks until the stream has credit and its turn has come. An error means that the
// stream is over; then there is nothing to Release.
func (w *Writer) Acquire() error {
	if err := w.window.Credit(w.meter); err != nil {
		return err
	}
	c := rest
	switch {
	case w.small:
		c = small
	case w.window.Given() == 0:
		c = fresh
	}
	if !w.slots.acquire(c, w.stream, w.stop, w.meter) {
		return w.window.Err()
	}
	w.meter.Enter(Computing)
	return nil
}

// Yield lets those who wait for a slot and come before this stream have the caller's, and returns with one again: also when
// the stream was aborted meanwhile. It is for work that takes longer than a strip.
func (w *Writer) Yield() {
	if w.small {
		return
	}
	c := rest
	if w.window.Given() == 0 {
		c = fresh
	}
	w.slots.yield(c, w.stream, w.meter)
}

// Queue takes an admission slot without waiting for credit: for work before BEGIN, which nobody grants any before. An error
// means that the stream is over; then there is nothing to Release.
func (w *Writer) Queue() error {
	c := fresh
	if w.small {
		c = small
	}
	if !w.slots.acquire(c, w.stream, w.stop, w.meter) {
		return w.window.Err()
	}
	w.meter.Enter(Computing)
	return nil
}

// Release returns the slot.
func (w *Writer) Release() {
	w.meter.Leave(Computing)
	w.slots.release()
}

// Starved reports whether the consumer has passed on everything that it was given: it waits for this encoder.
func (w *Writer) Starved() bool { return w.window.Starved() }

// Pace says that the consumer's grants follow the speed of whoever gets the bytes.
func (w *Writer) Pace() { w.paced.Store(true) }

// Paced reports whether Starved tells anything about the way to whoever gets the bytes.
func (w *Writer) Paced() bool { return w.paced.Load() }

// Given returns the number of bytes that the consumer was given since the stream began.
func (w *Writer) Given() uint64 { return w.window.Given() }

// HeldBack reports whether the stream has waited for credit for longer than it has worked: its consumer is the slower one.
func (w *Writer) HeldBack() bool {
	computing, paused, _, _ := w.meter.Spent()
	return paused > computing
}

// Spare reports whether a processor has nothing to do.
func (w *Writer) Spare() bool { return w.slots.Free() > 0 }

// Width returns the number of strips that can be encoded at once.
func (w *Writer) Width() int { return w.slots.Width() }

// Aborted reports whether the stream is over. It costs one load: ask it every row.
func (w *Writer) Aborted() bool { return w.aborted.Load() }

// Go runs f in a goroutine of the stream: the stream's last event waits for it.
func (w *Writer) Go(f func()) {
	w.tasks.Add(1)
	w.busy.Add(1)
	go func() {
		defer w.tasks.Done()
		defer w.rest()
		f()
	}()
}

func (w *Writer) rest() {
	if w.busy.Add(-1) > 0 {
		return
	}
	select {
	case w.rests <- struct{}{}:
	default:
	}
}

// Busy reports whether a goroutine that Go started has not ended.
func (w *Writer) Busy() bool { return w.busy.Load() > 0 }

// Rests holds a signal when the last of the goroutines ended since the last receive.
func (w *Writer) Rests() <-chan struct{} { return w.rests }

// Wait returns when everything started by Go has ended.
func (w *Writer) Wait() { w.tasks.Wait() }

// Abort ends the stream: what blocks in Write or Acquire returns err. Only the first call counts.
func (w *Writer) Abort(err *fault.Error) {
	if w.aborted.CompareAndSwap(false, true) {
		w.window.Close(err)
		close(w.stop)
	}
}

// Done is closed by Abort.
func (w *Writer) Done() <-chan struct{} { return w.stop }

// Err returns what Abort was told, or nil.
func (w *Writer) Err() error { return w.window.Err() }

// Unlimited returns a Writer for a consumer that takes everything at once.
func Unlimited(out io.Writer) *Writer {
	window := NewWindow()
	window.Grant(make([]byte, 1), 0)
	return NewWriter(out, window, NewAdmission(defaultWidth()), NewMeter())
}
