// A library whose streams fill their only slab first and say then that their part was read: nothing follows until a slab is
// granted. The real one does so when threads happen to run in this order.
#define SLUICE_TYPES_ONLY
#include "../../../../include/sluice.h"
#include <string.h>

enum { MAX = 1000 };

static struct stream {
  sluice_event_fn fn;
  void *ctx;
  int grants, ended;
} streams[MAX];
static int opened;

const char *sluice_info(void) { return "{}"; }

static void emit(struct stream *s, int kind, int last, const void *data, size_t len) {
  sluice_event e = {.kind = kind, .last = last, .data = data, .len = len};
  s->fn(s->ctx, &e);
}

static void end(struct stream *s, int kind) {
  if (!s->ended++) emit(s, kind, 0, "{}", 2);
}

void sluice_batch(const sluice_command *commands, size_t n) {
  for (const sluice_command *c = commands; c < commands + n; c++) {
    if (c->call == SLUICE_CALL_OPEN && opened < MAX) {
      struct stream *s = &streams[opened++];
      s->fn = c->fn;
      s->ctx = c->ctx;
      *c->stream = s;
      emit(s, SLUICE_BEGIN, 1, "{}", 2);
    } else if (c->call == SLUICE_CALL_GRANT) {
      struct stream *s = *c->stream;
      emit(s, SLUICE_CHUNK, 0, c->buffers[0].data, c->buffers[0].len);
      if (s->grants++ > 0) end(s, SLUICE_END);
    } else if (c->call == SLUICE_CALL_FINISH) {
      emit(*c->stream, SLUICE_DRAIN, 1, NULL, 0);
    } else if (c->call == SLUICE_CALL_ABORT) {
      end(*c->stream, SLUICE_FAIL);
    }
  }
}

void sluice_stats(sluice_figures *figures) { memset(figures, 0, sizeof *figures); }
