/* Writes PNGs through include/sluice.h and libsluice.so, with no Node around.
 *
 *   encode raw    PIXELFORMAT WIDTH HEIGHT FILE   the test image itself, as rows of pixels
 *   encode whole  PIXELFORMAT WIDTH HEIGHT FILE   one call of sluice_encode, one part
 *   encode strips PIXELFORMAT WIDTH HEIGHT FILE   one call of sluice_encode, a part per strip
 *   encode stream PIXELFORMAT WIDTH HEIGHT FILE   sluice_open … sluice_close: strips in, slabs out
 *   encode fail   REQUEST                         prints code and message of what is answered to REQUEST, both ways
 *   encode stop   PIXELFORMAT WIDTH HEIGHT        the callback refuses the second chunk
 *
 * Prints how many chunks came and what the first event said. Exits with 1 when anything is not as it should be. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"

#define CHUNK 4096
#define STRIP 16        /* rows */
#define SLABS 4
#define SLAB (4 * CHUNK) /* bytes */

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "encode: %s\n", what);
	exit(1);
}

typedef struct {
	const char *format;
	size_t width, height, stride;
	unsigned char *pixels;
} picture;

/* Bands of flat colour, gradients and noise: something for every filter. */
static picture make_picture(const char *format, const char *width, const char *height)
{
	static const struct {
		const char *name;
		size_t bytes;
	} formats[] = {{"rgba", 4}, {"bgra", 4}, {"rgb", 3}, {"graya", 2}, {"gray", 1}, {"rgba16", 8}, {"gray16", 2}};
	picture p = {format, strtoul(width, NULL, 10), strtoul(height, NULL, 10), 0, NULL};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, format) == 0)
			p.stride = p.width * formats[i].bytes;
	check(p.stride > 0 && p.height > 0, "no such pixel format or size");
	p.pixels = malloc(p.stride * p.height);
	check(p.pixels != NULL, "out of memory");
	uint32_t noise = 1;
	for (size_t y = 0; y < p.height; y++)
		for (size_t x = 0; x < p.stride; x++) {
			noise = noise * 1664525 + 1013904223;
			unsigned char *at = p.pixels + y * p.stride + x;
			*at = y % 48 < 16 ? 200 : y % 48 < 32 ? (unsigned char)(x + y) : (unsigned char)(noise >> 24);
		}
	return p;
}

static int request(char *json, size_t size, const picture *p, int whole)
{
	return snprintf(json, size,
		"{\"kind\":\"image\",\"source\":{\"width\":%zu,\"height\":%zu,\"pixelFormat\":\"%s\",\"whole\":%s},"
		"\"format\":\"png\",\"chunkSize\":%d,\"exact\":true}",
		p->width, p->height, p->format, whole ? "true" : "false", CHUNK);
}

/* The strip that starts at row y. */
static sluice_buffer strip_at(const picture *p, size_t y)
{
	size_t rows = p->height - y < STRIP ? p->height - y : STRIP;
	return (sluice_buffer){p->pixels + y * p->stride, rows * p->stride};
}

/* What was heard so far; the lock is for the stream's events, which come on other threads. */
typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	FILE *out;
	int begun, chunks, lasts, short_chunks, drained;
	int done; /* END or FAIL */
	int32_t code;
	char begin[256], message[512];
	struct {
		unsigned char *slab;
		size_t used;
	} given[SLABS]; /* slabs given up and not yet written out, oldest first */
	int given_count;
	int stop_at; /* the chunk that the callback refuses; 0: none */
} listener;

static listener new_listener(FILE *out)
{
	return (listener){.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .out = out};
}

static void copy_text(char *to, size_t size, const sluice_event *event)
{
	size_t n = event->len < size - 1 ? event->len : size - 1;
	memcpy(to, event->data, n);
	to[n] = '\0';
}

static void note(listener *l, const sluice_event *event)
{
	check(!l->done, "an event came after the last one");
	switch (event->kind) {
	case SLUICE_BEGIN:
		check(!l->begun && l->chunks == 0, "BEGIN came late or twice");
		l->begun = 1;
		copy_text(l->begin, sizeof l->begin, event);
		break;
	case SLUICE_CHUNK:
		check(l->begun, "a chunk came before BEGIN");
		check(l->lasts == 0, "a chunk came after the last one");
		l->chunks += (int)((event->len + CHUNK - 1) / CHUNK);
		l->short_chunks += event->len % CHUNK != 0;
		l->lasts += event->last;
		check(event->len % CHUNK == 0 || event->last, "a chunk is short and not the last");
		break;
	case SLUICE_DRAIN:
		l->drained++;
		break;
	case SLUICE_IDLE:
		break;
	case SLUICE_FAIL:
		l->code = event->code;
		copy_text(l->message, sizeof l->message, event);
		l->done = 1;
		break;
	case SLUICE_END:
		check(l->lasts == 1, "the last chunk was not marked, or more than one");
		l->done = 1;
		break;
	default:
		check(0, "an event of no known kind");
	}
}

/* For sluice_encode: chunks one by one, on this thread. */
static int on_chunk(void *ctx, const sluice_event *event)
{
	listener *l = ctx;
	note(l, event);
	if (event->kind != SLUICE_CHUNK)
		return 0;
	check(event->len <= CHUNK, "a chunk is longer than chunkSize");
	if (l->out && event->len > 0)
		check(fwrite(event->data, 1, event->len, l->out) == event->len, "cannot write");
	return l->stop_at != 0 && l->chunks >= l->stop_at;
}

/* For a stream: slabs with several chunks each, on a thread of the library. */
static int on_event(void *ctx, const sluice_event *event)
{
	listener *l = ctx;
	pthread_mutex_lock(&l->lock);
	note(l, event);
	if (event->kind == SLUICE_CHUNK && event->data != NULL) {
		check(l->given_count < SLABS, "more slabs came back than were granted");
		l->given[l->given_count].slab = (unsigned char *)event->data;
		l->given[l->given_count++].used = event->len;
	}
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return 0;
}

static void encode_at_once(const picture *p, listener *l, int whole)
{
	char json[256];
	int len = request(json, sizeof json, p, whole);
	size_t n = whole ? 1 : (p->height + STRIP - 1) / STRIP;
	sluice_buffer *parts = malloc(n * sizeof *parts);
	check(parts != NULL, "out of memory");
	for (size_t i = 0; i < n; i++)
		parts[i] = whole ? (sluice_buffer){p->pixels, p->stride * p->height} : strip_at(p, i * STRIP);
	int32_t code = sluice_encode(json, (size_t)len, NULL, 0, parts, n, NULL, 0, on_chunk, l);
	check(code == l->code, "sluice_encode returned another code than its last event had");
	free(parts);
}

/* Two strips are under way at a time; a slab is granted again as soon as it is written out. */
static void encode_stream(const picture *p, listener *l)
{
	static unsigned char slabs[SLABS][SLAB];
	char json[256];
	int len = request(json, sizeof json, p, 0);
	uint64_t taken = 0;
	size_t y = 0;
	int written = 0, finished = 0;
	void *stream = sluice_open(json, (size_t)len, NULL, 0, on_event, l);
	for (int i = 0; i < SLABS; i++)
		check(sluice_grant(stream, slabs[i], SLAB, taken) == SLUICE_OK, "sluice_grant failed");

	pthread_mutex_lock(&l->lock);
	for (;;) {
		if (y < p->height && written - l->drained < 2 && !l->done) {
			sluice_buffer strip = strip_at(p, y);
			char meta[64];
			int n = snprintf(meta, sizeof meta, "{\"stride\":%zu,\"height\":%zu}", p->stride, strip.len / p->stride);
			y += strip.len / p->stride;
			written++;
			pthread_mutex_unlock(&l->lock);
			check(sluice_write(stream, &strip, 1, meta, (size_t)n) == SLUICE_OK, "sluice_write failed");
			pthread_mutex_lock(&l->lock);
		} else if (y >= p->height && !finished) {
			finished = 1;
			pthread_mutex_unlock(&l->lock);
			check(sluice_finish(stream) == SLUICE_OK, "sluice_finish failed");
			pthread_mutex_lock(&l->lock);
		} else if (l->given_count > 0) {
			unsigned char *slab = l->given[0].slab;
			size_t used = l->given[0].used;
			memmove(&l->given[0], &l->given[1], (size_t)--l->given_count * sizeof l->given[0]);
			int over = l->lasts > 0;
			pthread_mutex_unlock(&l->lock);
			check(fwrite(slab, 1, used, l->out) == used, "cannot write");
			taken += used;
			if (!over)
				sluice_grant(stream, slab, SLAB, taken);
			pthread_mutex_lock(&l->lock);
		} else if (l->done) {
			break;
		} else {
			pthread_cond_wait(&l->changed, &l->lock);
		}
	}
	pthread_mutex_unlock(&l->lock);
	check(sluice_close(stream) == SLUICE_OK, "sluice_close failed");
	check(l->code != SLUICE_OK || l->drained == written, "not every part was given back");
}

static int encode_to_file(const char *mode, const picture *p, const char *file)
{
	FILE *out = fopen(file, "wb");
	check(out != NULL, "cannot open the file");
	listener l = new_listener(out);
	if (strcmp(mode, "raw") == 0)
		check(fwrite(p->pixels, p->stride, p->height, out) == p->height, "cannot write");
	else if (strcmp(mode, "stream") == 0)
		encode_stream(p, &l);
	else
		encode_at_once(p, &l, strcmp(mode, "whole") == 0);
	check(fclose(out) == 0, "cannot write");
	printf("%d chunks, begin %s\n", l.chunks, l.begin);
	if (l.code != SLUICE_OK)
		fprintf(stderr, "encode: error %d: %s\n", l.code, l.message);
	return l.code == SLUICE_OK ? 0 : 1;
}

/* The one-shot and the stream must agree on what is wrong. */
static int print_failure(const char *json)
{
	static unsigned char pixels[4 * 4 * 4], slab[SLAB];
	sluice_buffer part = {pixels, sizeof pixels};
	listener once = new_listener(NULL), streamed = new_listener(NULL);
	int32_t code = sluice_encode(json, strlen(json), NULL, 0, &part, 1, NULL, 0, on_chunk, &once);
	check(code == once.code && once.done, "the returned code and the last event differ");

	void *stream = sluice_open(json, strlen(json), NULL, 0, on_event, &streamed);
	sluice_grant(stream, slab, sizeof slab, 0);
	sluice_write(stream, &part, 1, NULL, 0);
	sluice_finish(stream);
	pthread_mutex_lock(&streamed.lock);
	while (!streamed.done)
		pthread_cond_wait(&streamed.changed, &streamed.lock);
	pthread_mutex_unlock(&streamed.lock);
	sluice_close(stream);
	check(streamed.code == once.code && strcmp(streamed.message, once.message) == 0, "the stream says something else");

	printf("%d %s\n", code, once.message);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6) {
		picture p = make_picture(argv[2], argv[3], argv[4]);
		return encode_to_file(argv[1], &p, argv[5]);
	}
	if (argc == 5 && strcmp(argv[1], "stop") == 0) {
		picture p = make_picture(argv[2], argv[3], argv[4]);
		listener l = new_listener(NULL);
		l.stop_at = 2;
		encode_at_once(&p, &l, 1);
		printf("%d %d chunks\n", l.code, l.chunks);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "fail") == 0)
		return print_failure(argv[2]);
	fprintf(stderr, "usage: see the top of encode.c\n");
	return 2;
}
