// Package chunk gathers a byte stream into the consumer's slabs, so that each holds whole chunks, and decides when a
// slab is given up.
package chunk

import (
	"sync"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// early is the number of bytes that is worth a slab of its own while the consumer starves.
const early = 4096

// Writer fills slabs. A slab that was given up holds whole chunks of one size, back to back; only the stream's last chunk
// may be shorter.
//
// One goroutine at a time may call Write and Close. Idle and Flush may be called beside them.
type Writer struct {
	size   int // bytes in a chunk
	exact  bool
	window *flow.Window
	meter  *flow.Meter
	give   func(run []byte, last bool) error

	mu    sync.Mutex // not held while waiting for a slab
	slab  []byte     // from the window, nil when none is held
	n     int        // bytes in it
	carry []byte     // the beginning of a chunk whose slab had to leave without it
	total uint64
}

// NewWriter returns a Writer that takes slabs from window and passes each, cut to what is in it, to give.
//
// An exact Writer gives up whole chunks only, and the last chunk with last true, so it keeps a full chunk until the next
// byte shows that more comes. Otherwise chunks are of at most size bytes and leave as soon as the consumer starves.
func NewWriter(size int, exact bool, window *flow.Window, meter *flow.Meter, give func(run []byte, last bool) error) *Writer {
	return &Writer{size: size, exact: exact, window: window, meter: meter, give: give}
}

// Write blocks while there is no slab.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	written := 0
	for written < len(p) {
		if w.slab != nil && w.n == w.room() {
			if err := w.giveUp(w.n, false); err != nil {
				return written, err
			}
		}
		if w.slab == nil {
			if err := w.next(); err != nil {
				return written, err
			}
			continue // what was carried may have filled it
		}
		k := copy(w.slab[w.n:w.room()], p[written:])
		w.n += k
		written += k
	}
	w.total += uint64(written)
	if w.window.Starved() {
		return written, w.flush(early)
	}
	return written, nil
}

// Idle gives up what it can if the consumer starves: the encoder waits for its next part, or may be busy for long. It does
// not wait for slabs.
func (w *Writer) Idle() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.window.Starved() {
		return w.flush(1)
	}
	return nil
}

// Flush gives up what it can, whether or not the consumer starves. It does not wait for slabs.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush(1)
}

// Close gives up the rest as the last of the stream, even if there is none.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.slab == nil && len(w.carry) > 0 {
		if err := w.next(); err != nil {
			return err
		}
	}
	return w.giveUp(w.n, true)
}

// Total returns the number of bytes written.
func (w *Writer) Total() uint64 { return w.total }

// room is the part of the slab that whole chunks fill.
func (w *Writer) room() int { return max(len(w.slab)-len(w.slab)%w.size, min(len(w.slab), w.size)) }

func (w *Writer) next() error {
	w.mu.Unlock()
	slab, err := w.window.Next(w.meter)
	w.mu.Lock()
	if err != nil {
		return err
	}
	if w.exact && len(slab) < w.size {
		return fault.Newf(fault.Argument, "Expected slabs of at least a chunk (%d bytes), got one of %d", w.size, len(slab))
	}
	w.slab = slab
	w.n = copy(slab, w.carry)
	w.carry = w.carry[:0]
	return nil
}

// Ready reports whether bytes wait that will leave as soon as the consumer starves.
func (w *Writer) Ready() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.whole() > 0
}

// flush gives up the slab if at least least bytes can leave.
func (w *Writer) flush(least int) error {
	n := w.whole()
	if n == 0 || n < least {
		return nil
	}
	w.carry = append(w.carry, w.slab[n:w.n]...)
	return w.giveUp(n, false)
}

// whole returns how many bytes of the slab can leave.
func (w *Writer) whole() int {
	switch {
	case w.slab == nil:
		return 0
	case w.exact:
		return (w.n - 1) / w.size * w.size // one byte must stay behind: it shows that the chunk before it is not the last
	}
	return w.n
}

func (w *Writer) giveUp(n int, last bool) error {
	run := w.slab[:n]
	w.slab, w.n = nil, 0
	w.window.GiveUp(n)
	return w.give(run, last)
}
