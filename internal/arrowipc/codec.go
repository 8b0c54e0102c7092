package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/pool"
)

// codec is how buffers are compressed: CompressionType of Message.fbs, or none.
type codec int8

const (
	none      codec = -1
	lz4Frame  codec = 0
	zstandard codec = 1
)

// segment is the number of bytes after which a long buffer lets others go first, and looks whether it is still wanted.
const segment = 1 << 20

// prefix precedes a compressed buffer: its uncompressed length, or stored where it lies as it is.
const (
	prefix = 8
	stored = -1
)

// compressor compresses buffers, one at a time.
type compressor interface {
	// append adds src compressed to dst.
	append(w *flow.Writer, dst, src []byte) ([]byte, error)
}

// appendBuffer adds a buffer as a compressed batch holds it ("Compression" of the columnar format): an empty one stays
// empty, and one that does not shrink is stored.
func appendBuffer(w *flow.Writer, dst, src []byte, c compressor) ([]byte, error) {
	if len(src) == 0 {
		return dst, nil
	}
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(src)))
	dst, err := c.append(w, dst, src)
	if err == nil && len(dst)-start-prefix >= len(src) {
		dst = append(dst[:start+prefix], src...)
		binary.LittleEndian.PutUint64(dst[start:], ^uint64(0))
	}
	return dst, err
}

// uncompressedLength returns what a compressed buffer's prefix says. No more can come of so many bytes than limit admits,
// whatever the prefix says, so it is safe to take that much memory.
func uncompressedLength(src []byte, c codec) (int64, error) {
	if len(src) == 0 {
		return 0, nil
	}
	if len(src) < prefix {
		return 0, fault.Newf(fault.Input, "Expected a compressed Arrow buffer with the 8 bytes of its length, got %d bytes", len(src))
	}
	n := int64(binary.LittleEndian.Uint64(src))
	packed := int64(len(src) - prefix)
	if n == stored {
		return packed, nil
	}
	if n < 0 || n > c.limit(packed) {
		return 0, fault.Newf(fault.Input, "Expected a compressed Arrow buffer that says its length, got %d for %d bytes", n, packed)
	}
	return n, nil
}

// limit returns the most that n compressed bytes can stand for.
func (c codec) limit(n int64) int64 {
	if c == lz4Frame {
		return 255 * n // a byte of a match's length adds 255 bytes
	}
	return (n/4 + 1) * (128 << 10) // a block of one repeated byte has 4 bytes and stands for 128 KiB (RFC 8878, 3.1.1.2)
}

// inflate appends the n bytes that src stands for, by uncompressedLength.
func inflate(w *flow.Writer, dst, src []byte, n int, c codec) ([]byte, error) {
	if n == 0 {
		return dst, nil
	}
	if int64(binary.LittleEndian.Uint64(src)) == stored {
		return append(dst, src[prefix:]...), nil
	}
	src = src[prefix:]
	start := len(dst)
	dst = slices.Grow(dst, n)
	var err error
	switch {
	case c == lz4Frame:
		r := lz4Readers.get()
		r.Reset(bytes.NewReader(src))
		dst, err = readAll(w, r, dst, n)
		if err == nil { // what failed is thrown away
			lz4Readers.put(r)
		}
	case n <= 4*segment:
		d := zstdReaders.get()
		var out []byte
		out, err = d.DecodeAll(src, dst[start:start:start+n])
		dst = dst[:start+min(len(out), n)]
		if err == nil && len(out) != n {
			err = io.ErrUnexpectedEOF
		}
		zstdReaders.put(d)
	default: // its window is memory of its own, so it is not kept
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			dst, err = readAll(w, d, dst, n)
			d.Close()
		}
	}
	if err != nil && !errors.Is(err, errAborted) {
		err = fault.Newf(fault.Input, "Expected a compressed Arrow buffer of %d bytes, got one that does not decompress to it: %v", n, err)
	}
	return dst, err
}

// maxWindow is zstd's largest without --long, in bytes.
const maxWindow = 128 << 20

// readAll appends n bytes from r to dst, which has room for them, and makes sure that no more come.
func readAll(w *flow.Writer, r io.Reader, dst []byte, n int) ([]byte, error) {
	for end := len(dst) + n; len(dst) < end; {
		k, err := io.ReadFull(r, dst[len(dst):min(len(dst)+segment, end)])
		dst = dst[:len(dst)+k]
		if err != nil {
			return dst, err
		}
		if err := yield(w); err != nil {
			return dst, err
		}
	}
	var more [1]byte
	switch k, err := io.ReadFull(r, more[:]); {
	case k > 0:
		return dst, errors.New("more comes")
	case err != io.EOF:
		return dst, err
	}
	return dst, nil
}

// yield lets others go first, between segments.
func yield(w *flow.Writer) error {
	if w.Aborted() {
		return errAborted
	}
	w.Yield()
	return nil
}

// kept is a pool of values that take some making.
type kept[T any] struct {
	idle pool.Pool[*T]
	make func() *T
}

func newKept[T any](f func() *T) kept[T] { return kept[T]{pool.New[*T](), f} }

func (k kept[T]) get() *T {
	if v := *k.idle.Get(); v != nil {
		return v
	}
	return k.make()
}

func (k kept[T]) put(v *T) { k.idle.Put(&v) }

var (
	lz4Readers  = newKept(func() *lz4.Reader { return lz4.NewReader(nil) })
	zstdReaders = newKept(func() *zstd.Decoder {
		return must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true)))
	})
	zstdWriters = perLevel(func(l zstd.EncoderLevel) *zstd.Encoder {
		return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(l), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true)))
	})
)

func perLevel(f func(zstd.EncoderLevel) *zstd.Encoder) map[zstd.EncoderLevel]kept[zstd.Encoder] {
	m := map[zstd.EncoderLevel]kept[zstd.Encoder]{}
	for l := zstd.SpeedFastest; l <= zstd.SpeedBestCompression; l++ {
		m[l] = newKept(func() *zstd.Encoder { return f(l) })
	}
	return m
}

// must is for options that are constant.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// zstdCompressor writes one frame per buffer (RFC 8878).
type zstdCompressor zstd.EncoderLevel

func (c zstdCompressor) append(w *flow.Writer, dst, src []byte) ([]byte, error) {
	k := zstdWriters[zstd.EncoderLevel(c)]
	e := k.get()
	if len(src) <= segment {
		dst = e.EncodeAll(src, dst)
		k.put(e)
		return dst, nil
	}
	out := appender{dst}
	e.ResetContentSize(&out, int64(len(src)))
	for len(src) > 0 {
		n := min(segment, len(src))
		if _, err := e.Write(src[:n]); err != nil {
			return out.b, err
		}
		if err := yield(w); err != nil {
			return out.b, err
		}
		src = src[n:]
	}
	err := e.Close()
	e.Reset(nil) // it must not keep dst
	k.put(e)
	return out.b, err
}

type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// lz4Compressor writes one frame per buffer (LZ4 Frame Format 1.6): independent blocks of up to a segment, no checksums, as Arrow's
// C++ library does.
type lz4Compressor struct{ level int }

// lz4Frames are the headers of frames, by the most bytes of a block: magic number, FLG (version 1, independent blocks), BD
// (the block's size) and HC (bits 8 to 15 of the XXH32 of FLG and BD).
var lz4Frames = []struct {
	block  int
	header [7]byte
}{
	{64 << 10, [7]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}},
	{256 << 10, [7]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x50, 0xfb}},
	{1 << 20, [7]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x60, 0x51}},
}

// lz4Uncompressed marks the size of a block that is as it was.
const lz4Uncompressed = 1 << 31

var (
	lz4Fast  = newKept(func() *lz4.Compressor { return new(lz4.Compressor) })
	lz4Small = newKept(func() *lz4.CompressorHC { return new(lz4.CompressorHC) })
)

func (c lz4Compressor) append(w *flow.Writer, dst, src []byte) ([]byte, error) {
	if c.level == 1 {
		k := lz4Fast.get()
		dst, err := appendLZ4(w, dst, src, k.CompressBlock)
		lz4Fast.put(k)
		return dst, err
	}
	k := lz4Small.get()
	k.Level = lz4.CompressionLevel(1 << (7 + min(c.level, 9))) // lz4.Level2 … lz4.Level9
	dst, err := appendLZ4(w, dst, src, k.CompressBlock)
	lz4Small.put(k)
	return dst, err
}

func appendLZ4(w *flow.Writer, dst, src []byte, compress func(src, dst []byte) (int, error)) ([]byte, error) {
	i := 0
	for i < len(lz4Frames)-1 && lz4Frames[i].block < len(src) {
		i++
	}
	dst = append(dst, lz4Frames[i].header[:]...)
	for len(src) > 0 {
		n := min(lz4Frames[i].block, len(src))
		dst = slices.Grow(dst, 4+n+4)
		at := len(dst) + 4
		block := dst[at : at+n : at+n]
		size, err := compress(src[:n], block)
		head := uint32(size)
		if err != nil || size == 0 || size == n { // it does not shrink
			size = copy(block, src)
			head = uint32(size) | lz4Uncompressed
		}
		dst = binary.LittleEndian.AppendUint32(dst, head)[:at+size]
		if src = src[n:]; len(src) > 0 {
			if err := yield(w); err != nil {
				return dst, err
			}
		}
	}
	return append(dst, 0, 0, 0, 0), nil
}
