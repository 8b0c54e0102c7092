// Encodes an image with libjpeg-turbo or with this library as often as it is asked to: what test/bench/jpeg.js compares the
// encoders themselves by, without Node around either.
//
//   jpeg FILE WIDTH HEIGHT     FILE holds RGBA
//
// For each line "turbo|sluice QUALITY 420|444" on standard input it writes "MS CPU_MS BYTES" on standard output.

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <turbojpeg.h>

#include "sluice.h"

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static unsigned char *pixels, *out;
static unsigned long bytes, room; /* of out, which is used again */
static int width, height;
static tjhandle encoder;

static int turbo(int quality, int subsampling)
{
	bytes = room;
	if (tjCompress2(encoder, pixels, width, 4 * width, height, TJPF_RGBA, &out, &bytes, subsampling == 444 ? TJSAMP_444 : TJSAMP_420, quality,
	                TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC) == 0)
		return 0;
	fprintf(stderr, "%s\n", tjGetErrorStr2(encoder));
	return 1;
}

static int take(void *ctx, const sluice_event *event)
{
	(void)ctx;
	if (event->kind == SLUICE_CHUNK) {
		memcpy(out + bytes, event->data, event->len);
		bytes += event->len;
	}
	return 0;
}

static int sluice(int quality, int subsampling)
{
	char request[400];
	int n = snprintf(request, sizeof request,
	                 "{\"kind\":\"image\",\"source\":{\"width\":%d,\"height\":%d,\"whole\":true},\"format\":\"jpeg\",\"chunkSize\":65536,"
	                 "\"options\":{\"quality\":%d,\"subsampling\":\"%s\"}}",
	                 width, height, quality, subsampling == 444 ? "4:4:4" : "4:2:0");
	sluice_buffer part = {pixels, 4 * (size_t)width * (size_t)height};
	bytes = 0;
	return sluice_encode(request, (size_t)n, NULL, 0, &part, 1, NULL, 0, take, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	width = atoi(argv[2]);
	height = atoi(argv[3]);
	size_t size = 4 * (size_t)width * (size_t)height;
	room = tjBufSize(width, height, TJSAMP_444);
	pixels = malloc(size);
	out = malloc(room);
	FILE *file = fopen(argv[1], "rb");
	if (pixels == NULL || out == NULL || file == NULL || fread(pixels, 1, size, file) != size)
		return 1;
	fclose(file);
	encoder = tjInitCompress();
	char which[10];
	int quality, subsampling;
	while (scanf("%9s %d %d", which, &quality, &subsampling) == 3) {
		double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
		if ((strcmp(which, "turbo") == 0 ? turbo : sluice)(quality, subsampling) != 0)
			return 1;
		printf("%.4f %.4f %lu\n", now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu, bytes);
		fflush(stdout);
	}
	tjDestroy(encoder);
	return 0;
}
