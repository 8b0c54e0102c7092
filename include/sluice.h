/* sluice: map images, encoded in chunks.
 *
 * Link with, or dlopen, libsluice.so. Any thread may make any call, at any time. All calls but sluice_encode return at
 * once. Events come on threads of the library, one at a time per stream.
 *
 * A stream is one encode. It starts with sluice_open; the input goes in by sluice_write, one part (a strip of pixel rows)
 * per call, until sluice_finish. Output goes into slabs: memory that the caller grants by sluice_grant. A slab is used once,
 * and it is the credit: without one the encoder waits, and a waiting stream costs no processor. */
#ifndef SLUICE_H
#define SLUICE_H

#include <stddef.h>
#include <stdint.h>

#define SLUICE_ABI 1

/* A range of bytes that stays the caller's. */
typedef struct {
	const void *data;
	size_t len;
} sluice_buffer;

/* Kinds of events. */
enum {
	SLUICE_BEGIN = 1, /* once, when the request was found good: before parts or slabs are needed.
	                     data: JSON {"format", "mediaType", "level", "coding", "chunkSize"}. last = 1: parts are there, so
	                     another event follows without further calls but grants */
	SLUICE_CHUNK = 2, /* data: the start of a slab, which is the caller's again. It holds whole chunks, back to back;
	                     only the stream's last chunk may be shorter, and comes with last = 1. data is NULL when nothing
	                     was left to give with last */
	SLUICE_DRAIN = 3, /* the oldest part that was written is not needed any longer. last = 1: it was the last of all, so
	                     another event follows without further calls but grants */
	SLUICE_END = 4,   /* the output is complete. data: the report, JSON */
	SLUICE_IDLE = 6,  /* nothing comes before the next part, finish or abort: all parts were read, and all that could
	                     leave has left */
	SLUICE_FAIL = 5   /* the stream failed. code, data: a message for people; report: the report, JSON */
};
/* Exactly one of END and FAIL comes, and nothing after it. */

/* Codes of errors. sluice_info lists their names. */
enum {
	SLUICE_OK = 0,
	SLUICE_ERR_INTERNAL = 1, /* a bug in the library */
	SLUICE_ERR_ARGUMENT = 2, /* a call of the wrong shape, or a stream that is closed */
	SLUICE_ERR_FORMAT = 3,   /* no such format */
	SLUICE_ERR_OPTION = 4,   /* an option is unknown, ill-typed or out of range */
	SLUICE_ERR_INPUT = 5,    /* a part does not fit the stream */
	SLUICE_ERR_LIMIT = 6,    /* zero or absurd sizes */
	SLUICE_ERR_ABORTED = 7   /* sluice_abort, or the callback said so */
};

typedef struct {
	int32_t kind;
	int32_t code;
	int32_t last;
	const void *data; /* valid during the call, but for slabs, which are the caller's */
	size_t len;
	const char *report; /* not terminated */
	size_t report_len;
} sluice_event;

/* Called for each event. A result other than 0 aborts the stream. It may call sluice_* functions but should not block. */
typedef int (*sluice_event_fn)(void *ctx, const sluice_event *event);

/* One call among several; see sluice_batch. */
typedef struct {
	int32_t call; /* SLUICE_CALL_… */
	void **stream; /* where the handle is, or where OPEN puts it */
	const sluice_buffer *buffers;
	size_t n;
	const char *json;
	size_t json_len;
	uint64_t taken;
	sluice_event_fn fn;
	void *ctx;
} sluice_command;

enum {
	SLUICE_CALL_OPEN = 1,
	SLUICE_CALL_WRITE = 2,
	SLUICE_CALL_GRANT = 3, /* buffers[0] is the slab */
	SLUICE_CALL_FINISH = 4,
	SLUICE_CALL_ABORT = 5,
	SLUICE_CALL_CLOSE = 6,
	SLUICE_CALL_PACE = 7
};

/* Live figures of the library, over all streams. */
typedef struct {
	uint64_t streams;    /* between open and their last event */
	uint64_t parked;     /* of these, waiting for credit */
	uint64_t goroutines; /* of the whole library */
	uint64_t slabs;      /* granted and not given up */
	uint64_t heap_bytes; /* of Go's heap in use */
} sluice_figures;

#ifndef SLUICE_TYPES_ONLY
#ifdef __cplusplus
extern "C" {
#endif

/* JSON: {"version", "abi", "width", "codes", "formats", "codings", "pixelFormats"}. Static; not to be freed. The first call of any
 * function waits until the Go runtime has started. */
const char *sluice_info(void);

/* Starts a stream and returns its handle; NULL only when fn is. What is wrong with the request comes as SLUICE_FAIL.
 *
 * request, JSON: {"kind": "image", "source": {"width", "height" (pixels), "pixelFormat" ("rgba", bgra, rgb, graya, gray,
 * rgba16, gray16; 16-bit samples in native order), "premultiplied", "opaque", "gray" (false), "whole" (false: rows come in
 * any number of parts; true: one part holds them all)}, "format" ("png"), "chunkSize" (bytes, 1 to 2^30; 16384), "exact"
 * (false: chunks are of at most chunkSize and leave early while the consumer waits; true: all but the last are of exactly
 * chunkSize, and every slab must hold at least one), "coding" (a list of what is acceptable, the best first: "identity",
 * "gzip", "deflate" (RFC 1950), "zstd", "br"; ["identity"]. The first is taken, but "identity", if listed, where the format is
 * compressed already. SLUICE_BEGIN tells which. br is only named: the bytes are uncoded, and the caller codes them), "flush"
 * (false; true: all output of the first part that makes any leaves, decodable, before that part's SLUICE_DRAIN, as far as
 * "exact" allows), "options" (the format's own)}. Options that are bytes are written
 * {"$buffer": i} and lie in buffers[i]. Request and buffers are copied.
 *
 * Of kind "bytes" the source is {"type": a media type}, and parts pass as they are. */
void *sluice_open(const char *request, size_t len, const sluice_buffer *buffers, size_t n, sluice_event_fn fn, void *ctx);

/* Queues one part; SLUICE_ERR_ARGUMENT after sluice_finish. The bytes must stay until SLUICE_DRAIN or the stream's last event. meta, JSON or NULL: {"stride":
 * bytes from row to row, "height": rows}. */
int32_t sluice_write(void *stream, const sluice_buffer *buffers, size_t n, const char *meta, size_t len);

/* Grants a slab, which must stay until it is given up or the stream's last event. taken: the bytes of all chunks that
 * were passed on since the stream began; it tells the encoder whether its consumer waits for it. */
int32_t sluice_grant(void *stream, void *slab, size_t len, uint64_t taken);

/* Says that grants follow the speed of whoever gets the bytes, such as a client's connection. Only then may a level that
 * adapts judge by them whether time or bytes count. */
int32_t sluice_pace(void *stream);

/* No more parts come. */
int32_t sluice_finish(void *stream);

/* Gives up. The stream's last event still comes. */
int32_t sluice_abort(void *stream);

/* Forgets the handle; a stream that still runs is aborted. The other calls answer SLUICE_ERR_ARGUMENT then, until the
 * handle's address is given out again. */
int32_t sluice_close(void *stream);

/* Makes several calls in one crossing into Go, in order. */
void sluice_batch(const sluice_command *commands, size_t n);

/* Encodes n_parts parts and returns SLUICE_OK or the code of the error. It blocks, and calls fn on the calling thread: for
 * SLUICE_BEGIN, for every single chunk as SLUICE_CHUNK, and for SLUICE_END or SLUICE_FAIL. A chunk is valid during its call.
 * meta describes every part as for sluice_write. A request without "exact" is exact here; more parts than one need
 * "whole": false. */
int32_t sluice_encode(const char *request, size_t len, const sluice_buffer *buffers, size_t n, const sluice_buffer *parts,
                      size_t n_parts, const char *meta, size_t meta_len, sluice_event_fn fn, void *ctx);

void sluice_stats(sluice_figures *figures);

#ifdef __cplusplus
}
#endif
#endif
#endif
