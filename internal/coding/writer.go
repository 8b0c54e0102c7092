package coding

import (
	"io"
	"slices"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
)

// block is how many bytes are compressed at a time, while a slot is held: a millisecond or so.
const block = 64 << 10

// Writer codes what an encoder writes. One goroutine at a time may call its methods.
//
// Compressors write in small pieces, and encoders may: bytes are gathered on both sides. Bytes come out after each block,
// so what comes out when depends on nothing but what was written.
type Writer struct {
	coding *coding
	flow   *flow.Writer
	out    io.Writer
	state  *state // nil before the first byte and after the last
	broken bool   // a panic left the compressor in the middle of something
}

// state is what a coded stream keeps in memory, and the next one reuses.
type state struct {
	compressor compressor
	in         []byte // not yet compressed, less than a block
	out        output
}

// output gathers what a compressor writes.
type output []byte

func (o *output) Write(p []byte) (int, error) {
	*o = append(*o, p...)
	return len(p), nil
}

// New returns a Writer of the coding called name that passes coded bytes to out; nil when they are to pass as they are.
func New(name string, w *flow.Writer, out io.Writer) *Writer {
	i := slices.IndexFunc(table, func(c *coding) bool { return c.name == name })
	if i < 0 || table[i].make == nil {
		return nil
	}
	return &Writer{coding: table[i], flow: w, out: out}
}

// Write codes p. It blocks while the consumer grants no credit, or others compute.
func (w *Writer) Write(p []byte) (int, error) {
	s, err := w.begun()
	if err != nil {
		return 0, err
	}
	for rest := p; len(rest) > 0; {
		if len(s.in) == 0 && len(rest) >= block {
			if err := w.emit(rest[:block], nil); err != nil {
				return 0, err
			}
			rest = rest[block:]
			continue
		}
		n := min(len(rest), block-len(s.in))
		s.in = append(s.in, rest[:n]...)
		rest = rest[n:]
		if len(s.in) == block {
			if err := w.emitGathered(nil); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// Flush makes all that was written decodable for the client, which costs some bytes.
func (w *Writer) Flush() error {
	s, err := w.begun()
	if err != nil {
		return err
	}
	return w.emitGathered(s.compressor.Flush)
}

// Close codes the rest. The memory goes to the next stream before the consumer has the last bytes.
func (w *Writer) Close() error {
	s, err := w.begun()
	if err != nil {
		return err
	}
	if err := w.code(s.in, s.compressor.Close); err != nil {
		return err
	}
	last := slices.Clone(s.out)
	w.Release()
	_, err = w.out.Write(last)
	return err
}

// Release gives the memory of a stream to the next one. It may be called more than once.
func (w *Writer) Release() {
	s := w.state
	if s == nil {
		return
	}
	w.state = nil
	if w.broken {
		return
	}
	s.compressor.Reset(nil) // it holds nothing of this stream's
	s.in, s.out = s.in[:0], s.out[:0]
	w.coding.idle.Put(s)
}

// begun returns the state, from the first call on.
func (w *Writer) begun() (*state, error) {
	if w.state == nil {
		s := w.coding.idle.Get()
		if s.compressor == nil {
			c, err := w.coding.make()
			if err != nil {
				return nil, err
			}
			s.compressor = c
			s.in = make([]byte, 0, block)
		}
		s.compressor.Reset(&s.out)
		w.state = s
	}
	return w.state, nil
}

func (w *Writer) emitGathered(finish func() error) error {
	err := w.emit(w.state.in, finish)
	w.state.in = w.state.in[:0]
	return err
}

// emit codes p, calls finish if there is one, and passes on what came of it. No slot is held meanwhile: the consumer may be
// slow.
func (w *Writer) emit(p []byte, finish func() error) error {
	if err := w.code(p, finish); err != nil {
		return err
	}
	s := w.state
	if len(s.out) == 0 {
		return nil
	}
	_, err := w.out.Write(s.out)
	s.out = s.out[:0]
	return err
}

// code compresses p under a slot.
func (w *Writer) code(p []byte, finish func() error) error {
	if err := w.flow.Acquire(); err != nil {
		return err
	}
	defer w.flow.Release()
	if w.broken {
		return fault.Newf(fault.Internal, "a compressor failed before")
	}
	w.broken = true
	if _, err := w.state.compressor.Write(p); err != nil {
		return err
	}
	if finish != nil {
		if err := finish(); err != nil {
			return err
		}
	}
	w.broken = false
	return nil
}
