package feature

import "github.com/sluice-js/sluice/internal/flow"

const (
	blockSize = 64 << 10 // bytes that are written at once, about
	keep      = 1 << 20  // bytes of memory that a large feature may leave behind
)

// Format is what a text format writes around and for each feature. None of it keeps dst.
type Format interface {
	AppendHead(dst []byte) []byte
	// AppendFeature appends row of b; n counts features from 0. What is wrong with the row is b.Err's.
	AppendFeature(dst []byte, b *Batch, row int, n uint64) []byte
	AppendTail(dst []byte) []byte
	// AppendTruncated appends an end that says why there are no more features. Nothing: there is no way to say so.
	AppendTruncated(dst []byte, message string) []byte
}

// Encoder turns batches into text. It writes whole features.
type Encoder struct {
	w      *flow.Writer
	header *Header
	format Format
	batch  Batch
	block  []byte
	begun  bool
	n      uint64 // features so far
}

// NewEncoder returns an Encoder that writes nothing yet.
func NewEncoder(w *flow.Writer, h *Header, f Format) *Encoder {
	return &Encoder{w: w, header: h, format: f}
}

// Info has nothing to add to the format's row.
func (e *Encoder) Info() flow.Info { return flow.Info{} }

// Write encodes one batch. It returns when nothing of it is needed any more.
func (e *Encoder) Write(p flow.Part) error {
	if err := e.batch.Read(e.header, p); err != nil {
		return err
	}
	for row := 0; row < e.batch.Rows || !e.begun; {
		if err := e.w.Acquire(); err != nil {
			return err
		}
		err := flow.Guard(func() (err error) {
			row, err = e.fill(row)
			return err
		})
		e.w.Release()
		if err != nil {
			return err
		}
		if err := e.flush(); err != nil {
			return err
		}
	}
	return nil
}

// fill appends features from row on until the block is full. It returns the next row. After an error the block holds whole
// features.
func (e *Encoder) fill(row int) (int, error) {
	dst := e.block
	if !e.begun {
		e.begun = true
		dst = e.format.AppendHead(dst)
	}
	for row < e.batch.Rows && len(dst) < blockSize {
		e.block = dst
		dst = e.format.AppendFeature(dst, &e.batch, row, e.n)
		if err := e.batch.Err(); err != nil {
			return row, err
		}
		row++
		e.n++
		if e.w.Aborted() {
			return row, e.w.Err()
		}
	}
	e.block = dst
	return row, nil
}

// flush writes the block. It holds no slot.
func (e *Encoder) flush() error {
	_, err := e.w.Write(e.block)
	if cap(e.block) > keep {
		e.block = nil
	}
	e.block = e.block[:0]
	return err
}

// Close writes the end.
func (e *Encoder) Close() error {
	if !e.begun {
		e.begun = true
		e.block = e.format.AppendHead(e.block)
	}
	e.block = e.format.AppendTail(e.block)
	return e.flush()
}

// Truncate ends the document after the features that are complete, saying why. False: it has not begun, or the format has no
// words for that; then nothing is written.
func (e *Encoder) Truncate(message string) (bool, error) {
	if !e.begun {
		return false, nil
	}
	whole := len(e.block)
	e.block = e.format.AppendTruncated(e.block, message)
	if len(e.block) == whole {
		return false, nil
	}
	return true, e.flush()
}
