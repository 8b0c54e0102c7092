package main

/*
#define SLUICE_TYPES_ONLY
#include "include/sluice.h"
#include <stdlib.h>

static inline int sluice_emit(sluice_event_fn fn, void *ctx, int32_t kind, int32_t code, int32_t last,
                              const void *data, size_t len, const char *report, size_t report_len) {
	sluice_event event = {kind, code, last, data, len, report, report_len};
	return fn(ctx, &event);
}
*/
import "C"

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
	"unsafe"

	pointer "github.com/mattn/go-pointer"

	"github.com/sluice-js/sluice/internal/coding"
	"github.com/sluice-js/sluice/internal/fault"
	"github.com/sluice-js/sluice/internal/flow"
	"github.com/sluice-js/sluice/internal/format"
	"github.com/sluice-js/sluice/internal/raster"
)

// spareProcs are Go processors beyond the admission slots. A call from C needs one, and must not wait until an encoder
// yields its own: with none to spare a tile waited 34 to 48 ms beside two busy encoders, with two 0.14 ms.
const spareProcs = 2

// gcPercent is GOGC unless the environment sets it. Streams that wait for slow consumers are most of a busy server's heap,
// and garbage beside them would be as much again; collecting more often costs little, because few pointers are in it.
const gcPercent = 50

// ballast counts as heap and is never touched, so that it takes no memory. Without it the collector would run whenever 2 MB
// were allocated, several times in one large encode: half of the time of a stored one. With it, every 16 MB at least.
var ballast []byte

const ballastBytes = 32 << 20

func init() {
	runtime.GOMAXPROCS(slots.Width() + spareProcs)
	// Go opens its poller, two file descriptors, with the first timer, which would be one of its collector's some time under
	// load. Opened here, descriptors that come later are a leak.
	time.AfterFunc(0, func() {})
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		if os.Getenv("GOMEMLIMIT") == "" { // in which it would count
			ballast = make([]byte, ballastBytes)
		}
	}
}

func main() {}

// crossings bounds how many goroutines call C at once. Each that waits there, for a lock whose holder has lost its processor,
// keeps a thread, and Go starts others for those that could run: 50 streams on a busy machine made 50 threads.
var crossings = make(chan struct{}, slots.Width()+spareProcs)

// cSink passes a stream's events to C.
type cSink struct {
	fn      C.sluice_event_fn
	ctx     unsafe.Pointer
	bounded bool // not where the callback may take as long as it likes
}

func (c cSink) Begin(b Begin, more bool) {
	c.emit(C.SLUICE_BEGIN, fault.OK, flag(more), encode(b), nil)
}
func (c cSink) Chunk(run []byte, last bool) bool {
	return c.emit(C.SLUICE_CHUNK, fault.OK, flag(last), run, nil)
}
func (c cSink) Idle()           { c.emit(C.SLUICE_IDLE, fault.OK, 0, nil, nil) }
func (c cSink) Drain(more bool) { c.emit(C.SLUICE_DRAIN, fault.OK, flag(more), nil, nil) }
func (c cSink) End(r Report)    { c.emit(C.SLUICE_END, fault.OK, 0, encode(r), nil) }
func (c cSink) Fail(err *fault.Error, r Report) {
	c.emit(C.SLUICE_FAIL, err.Code, 0, []byte(err.Message), encode(r))
}

func (c cSink) emit(kind C.int32_t, code fault.Code, last C.int32_t, data, report []byte) bool {
	if c.bounded {
		crossings <- struct{}{}
		defer func() { <-crossings }()
	}
	return C.sluice_emit(c.fn, c.ctx, kind, C.int32_t(code), last, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(report))), C.size_t(len(report))) == 0
}

func flag(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// info is in C memory, and stays.
var info = C.CString(string(encode(map[string]any{
	"version":      version,
	"abi":          C.SLUICE_ABI,
	"width":        slots.Width(),
	"codes":        fault.Names(),
	"formats":      format.Describe(),
	"codings":      coding.Names(),
	"pixelFormats": pixelBytes(),
})))

// version is the package's; package.json is held against it by a test.
const version = "0.1.0"

// pixelBytes returns the bytes of a pixel by the name of its format.
func pixelBytes() map[string]int {
	m := map[string]int{}
	for _, f := range raster.PixelFormats() {
		m[f.String()] = f.BytesPerPixel()
	}
	return m
}

//export sluice_info
func sluice_info() *C.char { return info }

//export sluice_open
func sluice_open(request *C.char, n C.size_t, buffers *C.sluice_buffer, count C.size_t, fn C.sluice_event_fn, ctx unsafe.Pointer) unsafe.Pointer {
	if fn == nil {
		return nil
	}
	return pointer.Save(Open(bytesOf(request, n), copied(buffers, count), cSink{fn, ctx, true}))
}

//export sluice_write
func sluice_write(handle unsafe.Pointer, buffers *C.sluice_buffer, count C.size_t, meta *C.char, n C.size_t) C.int32_t {
	code := C.int32_t(fault.Argument)
	with(handle, func(s *Stream) {
		if s.Write(flow.Part{Buffers: borrowed(buffers, count), Meta: bytesOf(meta, n)}) {
			code = C.int32_t(fault.OK)
		}
	})
	return code
}

//export sluice_grant
func sluice_grant(handle, slab unsafe.Pointer, n C.size_t, taken C.uint64_t) C.int32_t {
	return with(handle, func(s *Stream) { s.Grant(bytesAt(slab, n), uint64(taken)) })
}

//export sluice_pace
func sluice_pace(handle unsafe.Pointer) C.int32_t { return with(handle, (*Stream).Pace) }

//export sluice_finish
func sluice_finish(handle unsafe.Pointer) C.int32_t { return with(handle, (*Stream).Finish) }

//export sluice_abort
func sluice_abort(handle unsafe.Pointer) C.int32_t { return with(handle, (*Stream).Abort) }

//export sluice_close
func sluice_close(handle unsafe.Pointer) C.int32_t {
	return with(handle, func(s *Stream) {
		s.Abort()
		pointer.Unref(handle)
	})
}

//export sluice_batch
func sluice_batch(commands *C.sluice_command, n C.size_t) {
	for _, c := range unsafe.Slice(commands, int(n)) {
		switch c.call {
		case C.SLUICE_CALL_OPEN:
			*c.stream = sluice_open(c.json, c.json_len, c.buffers, c.n, c.fn, c.ctx)
		case C.SLUICE_CALL_WRITE:
			sluice_write(*c.stream, c.buffers, c.n, c.json, c.json_len)
		case C.SLUICE_CALL_GRANT:
			sluice_grant(*c.stream, c.buffers.data, c.buffers.len, c.taken)
		case C.SLUICE_CALL_PACE:
			sluice_pace(*c.stream)
		case C.SLUICE_CALL_FINISH:
			sluice_finish(*c.stream)
		case C.SLUICE_CALL_ABORT:
			sluice_abort(*c.stream)
		case C.SLUICE_CALL_CLOSE:
			sluice_close(*c.stream)
		}
	}
}

//export sluice_encode
func sluice_encode(request *C.char, n C.size_t, buffers *C.sluice_buffer, count C.size_t, parts *C.sluice_buffer, partCount C.size_t, meta *C.char, metaLen C.size_t, fn C.sluice_event_fn, ctx unsafe.Pointer) C.int32_t {
	if fn == nil {
		return C.int32_t(fault.Argument)
	}
	var in []flow.Part
	for _, b := range borrowed(parts, partCount) {
		in = append(in, flow.Part{Buffers: [][]byte{b}, Meta: bytesOf(meta, metaLen)})
	}
	return C.int32_t(Encode(bytesOf(request, n), copied(buffers, count), in, cSink{fn, ctx, false}))
}

//export sluice_stats
func sluice_stats(out *C.sluice_figures) {
	f := live.figures()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	out.streams = C.uint64_t(f.Streams)
	out.parked = C.uint64_t(f.Parked)
	out.slabs = C.uint64_t(f.Slabs)
	out.goroutines = C.uint64_t(runtime.NumGoroutine())
	out.heap_bytes = C.uint64_t(heap[0].Value.Uint64() - uint64(len(ballast)))
}

// with calls f on the stream behind a handle, if there is one.
func with(handle unsafe.Pointer, f func(*Stream)) C.int32_t {
	s, ok := pointer.Restore(handle).(*Stream)
	if !ok {
		return C.int32_t(fault.Argument)
	}
	f(s)
	return C.int32_t(fault.OK)
}

func bytesOf(p *C.char, n C.size_t) []byte {
	if p == nil || n == 0 {
		return nil
	}
	return C.GoBytes(unsafe.Pointer(p), C.int(n))
}

func borrowed(buffers *C.sluice_buffer, count C.size_t) [][]byte {
	var list [][]byte
	if buffers == nil {
		return nil
	}
	for _, b := range unsafe.Slice(buffers, int(count)) {
		list = append(list, bytesAt(b.data, b.len))
	}
	return list
}

// bytesAt returns n bytes of C memory; none when there is no memory.
func bytesAt(p unsafe.Pointer, n C.size_t) []byte {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), int(n))
}

func copied(buffers *C.sluice_buffer, count C.size_t) [][]byte {
	list := borrowed(buffers, count)
	for i := range list {
		list[i] = append([]byte(nil), list[i]...)
	}
	return list
}
