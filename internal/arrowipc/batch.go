package arrowipc

import (
	"slices"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/pool"
)

const (
	// ahead is how many bytes of batches a stream may hold for each processor beside the batch that is being written: small
	// batches are worked on side by side, large ones buffer by buffer.
	ahead = 1 << 20
	// pieceBytes is the work that is worth a goroutine.
	pieceBytes = 128 << 10
	// trusted is how much memory is taken on the word of a message, in bytes; beyond, it grows with what comes.
	trusted = 1 << 20
	// maxPooled keeps what large batches need from staying in pools.
	maxPooled = 4 << 20
)

// alignment of buffers in a body: what the format demands, and, where buffers may be used in place, what it recommends.
const (
	alignCompressed   = 8
	alignUncompressed = 64
)

var errAborted = fault.Newf(fault.Aborted, "The operation was aborted")

// bytesPool holds bodies and pieces between batches.
var bytesPool = pool.New[[]byte]()

// batch is a message on its way.
type batch struct {
	message *message
	record  *recordBatch
	pairs   [][]byte
	body    []byte
	charge  int64 // bytes that it counts for
	pieces  []*piece
}

// piece is some of a batch's buffers, in order and as they will be written.
type piece struct {
	batch   *batch
	out     []byte
	regions []region // in out
	last    bool     // of the batch
}

func newBatch(g *message, r *recordBatch, pairs [][]byte) *batch {
	body := *bytesPool.Get()
	return &batch{message: g, record: r, pairs: pairs, body: slices.Grow(body[:0], int(min(g.body, trusted))), charge: g.body}
}

func (b *batch) add(body []byte) {
	if n := int(b.message.body); cap(b.body)-len(b.body) < len(body) {
		grown := make([]byte, len(b.body), min(n, max(2*cap(b.body), len(b.body)+len(body))))
		copy(grown, b.body)
		b.body = grown
	}
	b.body = append(b.body, body...)
}

// bytes returns what a buffer holds, compressed or not.
func (b *batch) bytes(i int) []byte {
	r := b.record.buffers[i]
	if r.length == 0 {
		return nil
	}
	return b.body[r.offset : r.offset+r.length]
}

// recycle gives up memory that nothing refers to.
func recycle(b []byte) {
	if cap(b) > 0 && cap(b) <= maxPooled {
		bytesPool.Put(&b)
	}
}

// room waits until a batch of n more bytes may be held, and takes that much.
func (e *Encoder) room(n int64) error {
	most := int64(ahead) * int64(e.w.Width())
	err := e.jobs.Until(func() bool {
		held := e.pending.Load()
		return held == 0 || held+n <= most
	})
	if err == nil {
		e.pending.Add(n)
	}
	return err
}

// submit has a batch's buffers converted.
func (e *Encoder) submit(b *batch) error {
	lengths, err := b.lengths()
	if err != nil {
		return err
	}
	if b.record.codec != none {
		for _, n := range lengths {
			b.charge += int64(n)
		}
		e.pending.Add(b.charge - b.message.body)
	}
	for from := 0; ; {
		to, work := from, 0
		for to < len(lengths) && work < pieceBytes {
			work += lengths[to]
			to++
		}
		p := &piece{batch: b, regions: make([]region, to-from), last: to == len(lengths)}
		first := from
		if err := e.jobs.Go(func() (*piece, error) { return p, e.convert(p, first, lengths[first:to], work) }); err != nil || p.last {
			return err
		}
		from = to
	}
}

// lengths returns how long the buffers are uncompressed. Their sum is bounded.
func (b *batch) lengths() ([]int, error) {
	lengths := make([]int, len(b.record.buffers))
	total := int64(0)
	for i, r := range b.record.buffers {
		n := r.length
		if b.record.codec != none {
			var err error
			if n, err = uncompressedLength(b.bytes(i), b.record.codec); err != nil {
				return nil, err
			}
		}
		if total += n; total > maxBody {
			return nil, fault.Newf(fault.Limit, "Expected an Arrow batch of at most %d bytes uncompressed, got more", maxBody)
		}
		lengths[i] = int(n)
	}
	return lengths, nil
}

// convert fills a piece with the buffers from first on, whose uncompressed lengths have the sum work. It runs in a slot, several
// at once.
func (e *Encoder) convert(p *piece, first int, lengths []int, work int) (err error) {
	from, align := p.batch.record.codec, alignCompressed
	if e.codec == none {
		align = alignUncompressed
		work += len(lengths) * align
	}
	p.out = slices.Grow((*bytesPool.Get())[:0], work)
	var scratch []byte // what a buffer was before it is compressed by another codec
	for i, n := range lengths {
		if i%1024 == 0 && e.w.Aborted() {
			return errAborted
		}
		src, start := p.batch.bytes(first+i), len(p.out)
		if e.codec == none {
			p.out, err = inflate(e.w, p.out, src, n, from)
		} else {
			if from != none {
				scratch, err = inflate(e.w, scratch[:0], src, n, from)
				src = scratch
			}
			if err == nil {
				p.out, err = appendBuffer(e.w, p.out, src, e.compressor)
			}
		}
		if err != nil {
			return err
		}
		p.regions[i] = region{int64(start), int64(len(p.out) - start)}
		for len(p.out)%align != 0 {
			p.out = append(p.out, 0)
		}
	}
	return nil
}

// emit takes pieces in order, and writes a batch with its last.
func (e *Encoder) emit(p *piece) error {
	b := p.batch
	b.pieces = append(b.pieces, p)
	if !p.last {
		return nil
	}
	recycle(b.body)
	regions := make([]region, 0, len(b.record.buffers))
	length := int64(0)
	for _, p := range b.pieces {
		for _, r := range p.regions {
			regions = append(regions, region{length + r.offset, r.length})
		}
		length += int64(len(p.out))
	}
	if _, err := e.w.Write(build(b.message, b.record, b.pairs, regions, length, e.codec)); err != nil {
		return err
	}
	for _, p := range b.pieces {
		if _, err := e.w.Write(p.out); err != nil {
			return err
		}
		recycle(p.out)
	}
	e.pending.Add(-b.charge)
	return nil
}
