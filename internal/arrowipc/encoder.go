// Package arrowipc compresses or decompresses the buffers of an Arrow IPC stream, batch by batch, without knowing what is in
// them: it reads the messages' metadata and rewrites where buffers lie. All else passes as it came.
//
// Names and sections are those of the Arrow columnar format, version 1.5, and of its FlatBuffers files Message.fbs and Schema.fbs.
package arrowipc

import (
	"encoding/binary"
	"strconv"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/option"
)

// Header says what is to become of the stream.
type Header struct {
	// Codec is what compresses each buffer; none decompresses those that are compressed. Batches that are so already pass as
	// they are. Default none.
	Codec string `json:"codec" choices:"zstd|lz4|none"`
	// Level is how much time to spend on size: for zstd its own scale, for lz4 1 is the fast method and 2 to 9 search longer and
	// longer. Default 1.
	Level int `json:"level" range:"1,22"`
}

// Options is empty: the source says it all.
type Options struct{}

// Encoder rewrites one stream.
type Encoder struct {
	w          *flow.Writer
	header     Header
	codec      codec
	compressor compressor // nil for none
	jobs       *flow.Ordered[*piece]
	pending    atomic.Int64 // bytes of batches that are not written yet
	err        error        // the first error; it sticks

	state   state
	head    []byte // continuation marker and length of the message that is being read
	length  int    // of its metadata, bytes
	meta    []byte
	left    int64  // bytes of its body that have not come
	batch   *batch // that its body is for; nil: the body passes as it is
	schema  *schema
	batches int // record batches and dictionaries so far
}

// state is what the next bytes are.
type state int

const (
	atHead state = iota
	atMetadata
	atBody
	atEnd
)

// New returns an Encoder of the stream that source, a Header in JSON, describes.
func New(w *flow.Writer, source, options []byte, buffers [][]byte) (*Encoder, error) {
	e := &Encoder{w: w, header: Header{Codec: "none", Level: 1}, codec: none}
	if err := option.Decode("arrow", source, nil, &e.header); err != nil {
		return nil, err
	}
	if err := option.Decode("arrow", options, buffers, &Options{}); err != nil {
		return nil, err
	}
	switch e.header.Codec {
	case "zstd":
		e.codec, e.compressor = zstandard, zstdCompressor(zstd.EncoderLevelFromZstd(e.header.Level))
	case "lz4":
		e.codec, e.compressor = lz4Frame, lz4Compressor{e.header.Level}
	}
	e.jobs = flow.NewOrdered(w, e.emit)
	return e, nil
}

// Info says which level was asked for, and that a content coding is one too many beside a codec.
func (e *Encoder) Info() flow.Info {
	if e.codec == none {
		return flow.Info{}
	}
	return flow.Info{Level: strconv.Itoa(e.header.Level), Compressed: true}
}

// Write takes the next bytes of the stream, cut anywhere. It returns when they have been read or copied.
func (e *Encoder) Write(p flow.Part) error {
	for _, b := range p.Buffers {
		for len(b) > 0 && e.err == nil {
			b, e.err = e.step(b)
		}
	}
	return e.err
}

// Close fails unless the end-of-stream marker was seen: a stream that was cut between messages looks whole without it.
func (e *Encoder) Close() error {
	if e.err == nil && e.state != atEnd {
		what := [...]string{"its end between messages", "its end in a message's metadata", "its end in a message's body"}[e.state]
		if e.state == atHead && len(e.head) > 0 {
			what = "its end in a message's prefix"
		}
		e.err = fault.Newf(fault.Input, "Expected an Arrow stream up to its end-of-stream marker, got %s, after %d batches", what, e.batches)
	}
	return e.err
}

// step reads from b what belongs together, and returns the rest.
func (e *Encoder) step(b []byte) ([]byte, error) {
	switch e.state {
	case atHead:
		return e.readHead(b)
	case atMetadata:
		n := min(e.length-len(e.meta), len(b))
		e.meta = append(e.meta, b[:n]...)
		if len(e.meta) < e.length {
			return nil, nil
		}
		return b[n:], e.message()
	case atBody:
		n := int(min(e.left, int64(len(b))))
		if err := e.body(b[:n]); err != nil {
			return nil, err
		}
		return b[n:], nil
	}
	return nil, fault.Newf(fault.Input, "Expected nothing after the end-of-stream marker of an Arrow stream, got more bytes")
}

// readHead reads what precedes a message: a continuation marker and the length of its metadata, or, before Arrow 0.15, that
// length alone. What is written has the marker.
func (e *Encoder) readHead(b []byte) ([]byte, error) {
	take := func(size int) {
		n := min(max(0, size-len(e.head)), len(b))
		e.head = append(e.head, b[:n]...)
		b = b[n:]
	}
	take(4)
	if len(e.head) < 4 {
		return nil, nil
	}
	length := binary.LittleEndian.Uint32(e.head)
	if length == continuation {
		take(8)
		if len(e.head) < 8 {
			return nil, nil
		}
		length = binary.LittleEndian.Uint32(e.head[4:])
	}
	switch {
	case e.schema == nil && string(e.head[:4]) == "ARRO": // "ARROW1" begins and ends a file
		return nil, fault.Newf(fault.Input, "Expected an Arrow IPC stream, got an Arrow file")
	case length == 0 && e.schema == nil:
		return nil, fault.Newf(fault.Input, "Expected an Arrow stream that begins with its schema, got its end")
	case length == 0:
		e.state = atEnd
		if err := e.jobs.Wait(); err != nil {
			return nil, err
		}
		_, err := e.w.Write(frame(nil))
		return b, err
	case int32(length) < 0:
		return nil, fault.Newf(fault.Input, "Expected the length of an Arrow message's metadata, got %d", int32(length))
	case length > maxMetadata:
		return nil, fault.Newf(fault.Limit, "Expected metadata of at most %d bytes in an Arrow message, got %d", maxMetadata, length)
	}
	e.head = e.head[:0]
	e.length, e.meta, e.state = int(length), nil, atMetadata // batches that are being written have the one before
	return b, nil
}

// message looks at a message whose metadata has come.
func (e *Encoder) message() error {
	g, err := readMessage(&metadata{b: e.meta})
	if err != nil {
		return err
	}
	e.left, e.batch = g.body, nil
	if (g.kind == headerSchema) != (e.schema == nil) {
		return fault.Newf(fault.Input, "Expected an Arrow stream of one schema and then batches, got a message of type %d after %d batches", g.kind, e.batches)
	}
	if g.kind == headerSchema {
		if e.schema, err = readSchema(g); err != nil {
			return err
		}
		return e.pass()
	}
	e.batches++
	r, err := readBatch(g, e.schema)
	if err != nil {
		return err
	}
	pairs, err := g.pairs()
	if err != nil {
		return err
	}
	if r.codec == e.codec {
		return e.pass()
	}
	if err := g.knows(r); err != nil {
		return err
	}
	if err := e.room(g.body); err != nil {
		return err
	}
	e.batch = newBatch(g, r, pairs)
	return e.bodyCame()
}

// pass writes a message as it is; its body follows as it comes.
func (e *Encoder) pass() error {
	if err := e.jobs.Wait(); err != nil {
		return err
	}
	if _, err := e.w.Write(frame(e.meta)); err != nil {
		return err
	}
	return e.bodyCame()
}

// body takes the next bytes of a body.
func (e *Encoder) body(b []byte) error {
	e.left -= int64(len(b))
	if e.batch != nil {
		e.batch.add(b)
	} else if _, err := e.w.Write(b); err != nil {
		return err
	}
	return e.bodyCame()
}

// bodyCame goes on to the next message when nothing of the body is left to come.
func (e *Encoder) bodyCame() error {
	e.state = atBody
	if e.left > 0 {
		return nil
	}
	e.state = atHead
	if b := e.batch; b != nil {
		e.batch = nil
		return e.submit(b)
	}
	return nil
}
