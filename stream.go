package main

import (
	"cmp"
	"encoding/json"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluice-js/sluice/internal/chunk"
	"github.com/sluice-js/sluice/internal/coding"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/format"
	"github.com/sluice-js/sluice/internal/option"
)

// Sink receives what a Stream has to tell its consumer. Calls never overlap; they come from the stream's goroutines, in
// order: Begin, then Chunk, with Drain anywhere, and exactly one of End and Fail last. A Stream that fails early may skip
// Begin. No call may block for long.
type Sink interface {
	// Begin says that the request was good, before any part or credit is needed: an HTTP response needs it before its first
	// byte. more: parts are there, so another event follows that nothing but credit is needed for.
	Begin(b Begin, more bool)
	// Chunk hands over run, which lies at the start of a slab that is now the consumer's again: whole chunks, back to back.
	// Only the stream's last chunk may be shorter; it comes with last. run is nil when nothing was left to give.
	// False aborts the stream.
	Chunk(run []byte, last bool) bool
	// Idle says that nothing comes before the next part, Finish or Abort: all parts were read, all that could leave has
	// left.
	Idle()
	// Drain says that the oldest part that was written is not needed any longer. more: it was the last of all, so another
	// event follows that nothing but credit is needed for.
	Drain(more bool)
	End(r Report)
	Fail(err *fault.Error, r Report)
}

// Begin says what the bytes will be.
type Begin struct {
	Format    string `json:"format"`
	MediaType string `json:"mediaType"`
	Level     string `json:"level,omitempty"`
	Coding    string `json:"coding"`
	ChunkSize int    `json:"chunkSize"` // bytes
}

// Report says what became of a stream. Its times add up to the stream's life; see flow.State.
type Report struct {
	Begin
	Bytes    uint64  `json:"bytes"`
	EncodeMs float64 `json:"encodeMs"`
	PausedMs float64 `json:"pausedMs"`
	QueuedMs float64 `json:"queuedMs"`
	WaitMs   float64 `json:"waitMs"`
	Fault    *Fault  `json:"fault,omitempty"` // why the document ends early, and says so
}

// Request is the JSON object that opens a stream.
type Request struct {
	Kind      string          `json:"kind"`                                           // of the source: "image"
	Source    json.RawMessage `json:"source"`                                         // the source's header
	Format    string          `json:"format"`                                         // "": the source's default
	Fixed     string          `json:"fixed"`                                          // the format that the source has, "" when any will do
	ChunkSize int             `json:"chunkSize" range:"1,1073741824"`                 // bytes; left out: the format's default
	Exact     bool            `json:"exact"`                                          // chunks are of exactly ChunkSize, else of at most
	Coding    []string        `json:"coding" choices:"identity|zstd|br|gzip|deflate"` // what is acceptable, the best first; br is only named
	Flush     bool            `json:"flush"`                                          // the first part's output leaves, decodable, before the part is drained
	Truncate  bool            `json:"truncate"`                                       // an error ends the document, if it can say so and has begun, and not the stream
	Options   json.RawMessage `json:"options"`                                        // the format's own
}

// Stream is one encode, from Open to End or Fail. All methods may be called from any goroutine, at any time, and return at
// once.
type Stream struct {
	window *flow.Window
	meter  *flow.Meter
	writer *flow.Writer
	chunks *chunk.Writer
	coder  *coding.Writer // nil when bytes pass as they are
	sink   Sink
	begin  Begin
	wrote  atomic.Bool // the encoder did
	flush  bool        // when it wrote; run's own
	idle   bool        // the sink was told; run's own
	fault  *Fault      // the document tells of it; run's own

	mu       sync.Mutex
	parts    []flow.Part
	finished bool
	more     chan struct{} // holds a signal after Write or Finish
}

// slots are shared by all streams: as many strips are encoded at once as Go would use processors.
var slots = flow.NewAdmission(runtime.GOMAXPROCS(0))

// Open starts a stream. request is a Request; buffers hold its options that are bytes. What is wrong with them comes as
// Fail.
func Open(request []byte, buffers [][]byte, sink Sink) *Stream {
	s := &Stream{window: flow.NewWindow(), meter: flow.NewMeter(), sink: sink, more: make(chan struct{}, 1)}
	s.writer = flow.NewWriter(output{s}, s.window, slots, s.meter)
	live.add(s)
	go s.run(request, buffers)
	return s
}

// Write queues one part. Its bytes are borrowed until Drain. False says that it came after Finish and was not taken.
func (s *Stream) Write(p flow.Part) bool {
	s.mu.Lock()
	taken := !s.finished
	if taken {
		s.parts = append(s.parts, p)
	}
	s.mu.Unlock()
	s.signal()
	return taken
}

// Grant adds a slab of credit. taken counts all bytes that the consumer has passed on since the stream began.
func (s *Stream) Grant(slab []byte, taken uint64) { s.window.Grant(slab, taken) }

// Pace says that grants follow the speed of whoever gets the bytes.
func (s *Stream) Pace() { s.writer.Pace() }

// Finish says that no more parts come.
func (s *Stream) Finish() {
	s.mu.Lock()
	s.finished = true
	s.mu.Unlock()
	s.signal()
}

// Abort gives up. The stream ends with Fail(Aborted), unless it is ending already.
func (s *Stream) Abort() { s.writer.Abort(errAborted) }

var errAborted = fault.Newf(fault.Aborted, "The operation was aborted")

func (s *Stream) signal() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *Stream) run(request []byte, buffers [][]byte) {
	err := flow.Guard(func() error { return s.encode(request, buffers) })
	if err != nil {
		s.writer.Abort(fault.From(err))
	}
	s.writer.Wait() // nothing may touch the parts or the slabs after the last event
	if s.coder != nil {
		s.coder.Release()
	}
	live.remove(s)
	if err != nil {
		s.sink.Fail(fault.From(err), s.report())
		return
	}
	s.sink.End(s.report())
}

func (s *Stream) encode(request []byte, buffers [][]byte) error {
	var r Request
	if err := option.Decode("stream", request, buffers, &r); err != nil {
		return err
	}
	enc, err := s.open(&r, buffers)
	if err != nil {
		return err
	}
	if err := flow.Guard(func() error { return s.feed(enc, r.Coding) }); err != nil && !(r.Truncate && s.truncate(enc, err)) {
		return err
	}
	if s.coder != nil {
		if err := s.coder.Close(); err != nil {
			return err
		}
	}
	return s.chunks.Close()
}

// feed has the encoder take all parts.
func (s *Stream) feed(enc format.Encoder, codings []string) error {
	late, _ := enc.(format.Late)
	if late == nil {
		s.announce(enc, codings, false)
	}
	for {
		p, ok, err := s.next()
		if err != nil {
			return err
		}
		if !ok {
			return enc.Close()
		}
		if late != nil {
			if err := late.Look(p); err != nil {
				return err
			}
			s.announce(enc, codings, true)
			late = nil
		}
		if err := enc.Write(p); err != nil {
			return err
		}
		if err := s.flushFirst(); err != nil {
			return err
		}
		s.sink.Drain(s.isLast())
	}
}

// flushFirst has the output of the first part that made any leave, if the request says so.
func (s *Stream) flushFirst() error {
	if !s.flush {
		return nil
	}
	for s.writer.Busy() { // it may be on its way still
		select {
		case <-s.writer.Rests():
		case <-s.writer.Done():
			return s.writer.Err()
		}
	}
	if !s.wrote.Load() {
		return nil
	}
	s.flush = false
	if s.coder == nil && s.isLast() {
		return nil // all that comes is under way, and may be known whole; a coder's bytes must not depend on when Finish came
	}
	if s.coder != nil {
		if err := s.coder.Flush(); err != nil {
			return err
		}
	}
	return s.chunks.Flush()
}

// isReady says that a part is there, or that none comes.
func (s *Stream) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.finished || len(s.parts) > 0
}

// isLast says that no part is left and none comes.
func (s *Stream) isLast() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.finished && len(s.parts) == 0
}

func (s *Stream) open(r *Request, buffers [][]byte) (format.Encoder, error) {
	f, err := format.Choose(r.Format, r.Fixed, r.Kind, r.Options)
	if err != nil {
		return nil, err
	}
	if r.ChunkSize == 0 {
		r.ChunkSize = f.ChunkSize
	}
	enc, err := f.New(s.writer, r.Source, r.Options, buffers)
	if err != nil {
		return nil, err
	}
	s.chunks = chunk.NewWriter(r.ChunkSize, r.Exact, s.window, s.meter, s.give)
	s.flush = r.Flush
	s.begin = Begin{Format: f.Name, MediaType: f.MediaType, ChunkSize: r.ChunkSize}
	return enc, nil
}

// announce says what the bytes will be, and sees to it that they are coded. late: the encoder has a part already.
func (s *Stream) announce(enc format.Encoder, codings []string, late bool) {
	info := enc.Info()
	s.begin.Format, s.begin.MediaType = cmp.Or(info.Format, s.begin.Format), cmp.Or(info.MediaType, s.begin.MediaType)
	s.begin.Level = info.Level
	s.begin.Coding = coding.Choose(codings, info.Compressed)
	s.coder = coding.New(s.begin.Coding, s.writer, s.chunks)
	s.sink.Begin(s.begin, late || s.isReady())
}

// next returns the oldest part, or false when there are no more. While it waits, a consumer that starves gets what there is.
func (s *Stream) next() (flow.Part, bool, error) {
	for {
		if err := s.writer.Err(); err != nil {
			return flow.Part{}, false, err
		}
		s.mu.Lock()
		if len(s.parts) > 0 {
			p := s.parts[0]
			s.parts = s.parts[1:]
			s.mu.Unlock()
			s.idle = false
			return p, true, nil
		}
		finished := s.finished
		s.mu.Unlock()
		if finished {
			return flow.Part{}, false, nil
		}
		busy := s.writer.Busy()
		if err := s.chunks.Idle(); err != nil {
			return flow.Part{}, false, err
		}
		if !s.idle && !busy && !s.chunks.Ready() {
			s.idle = true
			s.sink.Idle()
		}
		select {
		case <-s.writer.Rests():
		case <-s.more:
		case <-s.window.Grants():
		case <-s.writer.Done():
		}
	}
}

// give is where every chunk leaves. The chunker's lock keeps calls from overlapping.
func (s *Stream) give(run []byte, last bool) error {
	if !s.sink.Chunk(run, last) {
		return errAborted
	}
	return nil
}

func (s *Stream) report() Report {
	r := Report{Begin: s.begin, Fault: s.fault}
	if s.chunks != nil {
		r.Bytes = s.chunks.Total()
	}
	computing, paused, queued, waiting := s.meter.Spent()
	r.EncodeMs, r.PausedMs, r.QueuedMs, r.WaitMs = ms(computing), ms(paused), ms(queued), ms(waiting)
	return r
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// output is what the encoder writes to. The chunker is made after the encoder, whose format knows its chunk size.
type output struct{ s *Stream }

func (o output) Write(p []byte) (int, error) {
	if len(p) > 0 {
		o.s.wrote.Store(true)
	}
	if o.s.coder != nil {
		return o.s.coder.Write(p)
	}
	return o.s.chunks.Write(p)
}

// registry knows the streams between Open and their last event.
type registry struct {
	mu      sync.Mutex
	streams map[*Stream]struct{}
}

var live = registry{streams: map[*Stream]struct{}{}}

func (r *registry) add(s *Stream) {
	r.mu.Lock()
	r.streams[s] = struct{}{}
	r.mu.Unlock()
}

func (r *registry) remove(s *Stream) {
	r.mu.Lock()
	delete(r.streams, s)
	r.mu.Unlock()
}

// Figures are live numbers over all streams.
type Figures struct{ Streams, Parked, Slabs int }

func (r *registry) figures() (f Figures) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.Streams = len(r.streams)
	for s := range r.streams {
		f.Slabs += s.window.Slabs()
		if s.meter.State() == flow.Paused {
			f.Parked++
		}
	}
	return f
}

// Encode runs a whole stream: it returns after the last event, which it makes, like all others, on the calling goroutine.
// Every Chunk is a single chunk. A request that does not say "exact" is exact.
func Encode(request []byte, buffers [][]byte, parts []flow.Part, sink Sink) fault.Code {
	c := &caller{events: make(chan func() fault.Code)}
	s := Open(exactly(request), buffers, c)
	c.stream, c.sink = s, sink
	for _, p := range parts {
		s.Write(p)
	}
	s.Finish()
	for {
		if code := (<-c.events)(); code != running {
			return code
		}
	}
}

// running stands for the code of a stream that has not ended.
const running fault.Code = -1

// caller is a Sink that has each event handled by the goroutine that called Encode.
type caller struct {
	stream *Stream
	sink   Sink
	events chan func() fault.Code
	size   int // bytes in a chunk
	taken  uint64
	enough bool // the sink wants no more
}

func (c *caller) do(f func()) {
	c.events <- func() fault.Code { f(); return running }
}

func (c *caller) Begin(b Begin, more bool) {
	c.do(func() {
		c.size = b.ChunkSize
		c.sink.Begin(b, more)
		c.stream.Grant(make([]byte, flow.SlabSize(c.size)), 0)
		c.stream.Grant(make([]byte, flow.SlabSize(c.size)), 0)
	})
}

func (c *caller) Chunk(run []byte, last bool) bool {
	c.do(func() {
		slab := run[:cap(run)]
		for !c.enough {
			n := min(len(run), c.size)
			if !c.sink.Chunk(run[:n], last && n == len(run)) {
				c.enough = true
				c.stream.Abort()
				return
			}
			c.taken += uint64(n)
			if run = run[n:]; len(run) == 0 {
				break
			}
		}
		c.stream.Grant(slab, c.taken)
	})
	return true
}

func (c *caller) Idle()           {} // all parts are there
func (c *caller) Drain(more bool) { c.do(func() { c.sink.Drain(more) }) }

func (c *caller) End(r Report) {
	c.events <- func() fault.Code {
		if c.enough { // too late to stop it, but not to say so
			c.sink.Fail(errAborted, r)
			return errAborted.Code
		}
		c.sink.End(r)
		return fault.OK
	}
}

func (c *caller) Fail(err *fault.Error, r Report) {
	c.events <- func() fault.Code { c.sink.Fail(err, r); return err.Code }
}

// exactly sets "exact" in a request that does not say.
func exactly(request []byte) []byte {
	var r map[string]json.RawMessage
	if json.Unmarshal(request, &r) != nil || r == nil || r["exact"] != nil {
		return request // what is wrong with it is found by Open
	}
	r["exact"] = json.RawMessage("true")
	return encode(r)
}

// encode returns v as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own structs come here
	}
	return b
}
