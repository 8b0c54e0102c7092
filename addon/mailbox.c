#include "addon.h"
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// JavaScript's threads never call Go: an exported call waits for one of Go's processors, which was 10 to 35 ms (p99) of a
// blocked event loop with two encoders busy. One thread with all signals blocked makes every call instead.

enum { BATCH = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static command *first, **last = &first;
static bool idle;
static int held; // commands that nobody was woken for

enum { HELD = 16 };

command *command_new(int call, stream *s, size_t n, size_t extra, char **room) {
  size_t head = sizeof(command) + n * sizeof(sluice_buffer);
  command *c = calloc(1, head + extra);
  if (!c) abort(); // as Node does when memory ends
  c->call.call = call;
  c->call.n = n;
  c->call.buffers = (sluice_buffer *)(c + 1);
  c->stream = s;
  if (s) {
    stream_retain(s);
    c->call.stream = &s->handle;
    c->call.fn = stream_event;
    c->call.ctx = s;
  }
  if (room) *room = (char *)c + head;
  return c;
}

static void finish(command *c) {
  if (c->reply) {
    go.stats(&c->reply->figures);
    environment_answer(c->reply);
  } else {
    if (c->call.call == SLUICE_CALL_CLOSE) c->stream->handle = NULL; // later commands find nothing
    stream_release(c->stream);
  }
  free(c);
}

static void *run(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (!first) {
      idle = true;
      pthread_cond_wait(&posted, &mutex);
    }
    idle = false;
    held = 0;
    command *c = first;
    first = NULL;
    last = &first;
    pthread_mutex_unlock(&mutex);

    while (c) {
      sluice_command calls[BATCH];
      command *begin = c;
      size_t n = 0;
      for (; c && n < BATCH; c = c->next) {
        if (!c->reply) calls[n++] = c->call;
        if (c->reply || c->call.call == SLUICE_CALL_CLOSE) { // what comes after these must see their effect
          c = c->next;
          break;
        }
      }
      if (n) go.batch(calls, n);
      while (begin != c) {
        command *next = begin->next;
        finish(begin);
        begin = next;
      }
    }
  }
  return NULL;
}

bool mailbox_start(void) {
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  static bool started;
  pthread_mutex_lock(&once);
  if (!started) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
#ifdef SLUICE_CONTROL_NO_MASK
    sigemptyset(&all);
#endif
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&thread, &attributes, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
  }
  bool ok = started;
  pthread_mutex_unlock(&once);
  return ok;
}

static void post(command *c, bool waits) {
#ifdef SLUICE_CONTROL_DIRECT // the calling thread enters Go itself
  if (!c->reply) go.batch(&c->call, 1);
  finish(c);
  return;
#endif
  c->next = NULL;
  pthread_mutex_lock(&mutex);
  *last = c;
  last = &c->next;
  bool wake = idle && (!waits || ++held == HELD);
  if (wake) idle = false;
  pthread_mutex_unlock(&mutex);
  if (wake) pthread_cond_signal(&posted);
}

void mailbox_post(command *c) { post(c, false); }

void mailbox_hold(command *c) { post(c, true); }
