// The bridge between Node and the Go library, in four files:
//   library.c  loads the Go library so that Node's signals cannot harm it
//   mailbox.c  the one thread that calls Go
//   stream.c   who owns a stream and its memory, and how events hop from Go's threads to JavaScript's
//   addon.c    the functions that JavaScript sees
//
// Each SLUICE_CONTROL_… switch takes one guard away. Only `make controls` sets them, for tests that must fail then.
#ifndef SLUICE_ADDON_H
#define SLUICE_ADDON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define NAPI_VERSION 8
#define SLUICE_TYPES_ONLY
#include <node_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "../include/sluice.h"

// ---- library.c ---------------------------------------------------------------------------------

typedef struct {
  const char *(*info)(void);
  void (*batch)(const sluice_command *commands, size_t n);
  void (*stats)(sluice_figures *figures);
} library;

extern library go; // complete after library_load

// library_load opens the Go library once per process, from any thread. It returns NULL or what went wrong (static).
const char *library_load(void);

// library_check_signals sees to it that handlers which were registered since for signals that Go leaves unblocked run on the
// alternate signal stack: a goroutine's is too small. Any thread.
void library_check_signals(void);

#ifdef SLUICE_CONTROL_WORKER_LOOP
void library_pin_on_loop_of(napi_env env);
#endif

// ---- stream.c ----------------------------------------------------------------------------------

typedef struct stream stream;
typedef struct environment environment;
typedef struct event event;
typedef struct input input;
typedef struct slab slab;

// A stream belongs to three: to JavaScript's handle until that is collected, to Go until its last event, and to each
// command and each ready list it stands in. The last one frees it.
struct stream {
  atomic_int refs;
  atomic_int lent; // slabs that Go has or is about to get
  environment *env;
  void *handle; // Go's; only the mailbox thread touches it

  // Only the environment's JavaScript thread touches these.
  napi_ref owner; // the object with onEvents: strong while held, else weak
  bool held, ended;
  input *inputs, **inputs_tail; // written parts that Go may read
  slab *slabs, **slabs_tail;    // granted memory that Go may write to

  // Under env->mutex.
  event *events, **events_tail;
  bool ready;               // stands in env->ready
  stream *next_ready;
  stream *previous, *next; // in env->live
};

// What one Node environment (the main thread or a worker) shares among its streams.
struct environment {
  atomic_int refs; // the environment itself, and each of its streams
  napi_env napi;
  napi_threadsafe_function wake;
  int holds;    // of the threadsafe function; JavaScript thread only
  bool opening; // a stream was opened and has not been granted a slab, which comes at once; JavaScript thread only

  pthread_mutex_t mutex;
  pthread_cond_t changed; // alive fell
  bool closed;            // the environment is being torn down: JavaScript is gone
  bool woken;             // a call of wake is under way
  int alive;              // streams whose last event has not come, and stats that have not been answered
  stream *live;
  stream *ready, **ready_tail;
  struct reply *replies, **replies_tail;
};

// The answer to stats().
typedef struct reply {
  struct reply *next;
  environment *env;
  napi_ref callback;
  sluice_figures figures;
} reply;

environment *environment_new(napi_env napi);
void environment_release(environment *env);

// environment_hold and _drop count reasons to keep Node's event loop alive. JavaScript thread.
void environment_hold(environment *env);
void environment_drop(environment *env);

// environment_answer takes a reply from the mailbox thread to JavaScript's.
void environment_answer(reply *r);

// stream_new makes a stream that Go and JavaScript's handle own.
stream *stream_new(environment *env, napi_ref owner);
void stream_retain(stream *s);
void stream_release(stream *s);
void stream_hold(stream *s);
void stream_drop(stream *s);

// stream_lend keeps n values alive until Go has read the part, stream_grant one until Go has given the slab up.
void stream_lend(stream *s, napi_ref *refs, size_t n);
void stream_grant(stream *s, napi_ref ref);

// stream_event is the sluice_event_fn. Any thread; never blocks.
int stream_event(void *ctx, const sluice_event *e);

// ---- mailbox.c ---------------------------------------------------------------------------------

// A call for Go. Everything it points to lies in the same allocation, but for bytes that the stream keeps alive.
typedef struct command {
  struct command *next;
  sluice_command call;
  stream *stream;
  reply *reply; // instead of a stream: fill in the figures
} command;

// command_new returns a command with room for n buffers and extra bytes; *room points to these.
command *command_new(int call, stream *s, size_t n, size_t extra, char **room);

// mailbox_start starts the thread once per process. It returns false when there can be none.
bool mailbox_start(void);

// mailbox_post hands a command over. Any thread; never blocks for long. Commands are carried out in order.
void mailbox_post(command *c);

// mailbox_hold hands over what may wait for the next command: waking the thread for it would take longer than carrying it out.
// Not many are kept waiting.
void mailbox_hold(command *c);

#endif
