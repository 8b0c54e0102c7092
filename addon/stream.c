#include "addon.h"
#include <stdlib.h>
#include <string.h>

struct event {
  event *next;
  int32_t kind, code;
  bool last;
  const void *data; // CHUNK: in a slab; else in this allocation
  size_t len, report_len;
  char text[];
};

struct input {
  input *next;
  size_t n;
  napi_ref refs[];
};

struct slab {
  slab *next;
  napi_ref ref;
};

static void *allocate(size_t size) {
  void *p = calloc(1, size);
  if (!p) abort(); // as Node does when memory ends
  return p;
}

// ---- environment -------------------------------------------------------------------------------

static void drain(napi_env napi, napi_value unused, void *context, void *data);

// cleanup runs when the environment goes: by process.exit, by the end of the program or by worker.terminate. Go may be
// reading pixels and writing to slabs that go with it, so it waits until no stream lives.
static void cleanup(void *data) {
  environment *env = data;
  pthread_mutex_lock(&env->mutex);
  env->closed = true;
  for (stream *s = env->live; s; s = s->next) mailbox_post(command_new(SLUICE_CALL_ABORT, s, 0, 0, NULL));
#ifndef SLUICE_CONTROL_NO_WAIT
  while (env->alive > 0) pthread_cond_wait(&env->changed, &env->mutex);
#endif
  stream *s = env->ready;
  env->ready = NULL;
  env->ready_tail = &env->ready;
  reply *r = env->replies;
  env->replies = NULL;
  env->replies_tail = &env->replies;
  pthread_mutex_unlock(&env->mutex);
  while (s) {
    stream *next = s->next_ready;
    stream_release(s);
    s = next;
  }
  while (r) {
    reply *next = r->next;
    free(r);
    r = next;
  }
}

// finalized is the threadsafe function's: nothing of Node's points to the environment any more.
static void finalized(napi_env napi, void *data, void *hint) {
  (void)napi;
  (void)hint;
  environment_release(data);
}

environment *environment_new(napi_env napi) {
  environment *env = allocate(sizeof *env);
  atomic_init(&env->refs, 1);
  env->napi = napi;
  env->ready_tail = &env->ready;
  env->replies_tail = &env->replies;
  pthread_mutex_init(&env->mutex, NULL);
  pthread_cond_init(&env->changed, NULL);
  napi_value name;
  if (napi_create_string_utf8(napi, "sluice", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_threadsafe_function(napi, NULL, NULL, name, 0, 1, env, finalized, env, drain, &env->wake) != napi_ok) {
    environment_release(env);
    return NULL;
  }
  napi_unref_threadsafe_function(napi, env->wake);
  // Hooks run last in, first out: this one before the threadsafe function's own.
  napi_add_env_cleanup_hook(napi, cleanup, env);
  return env;
}

void environment_release(environment *env) {
  if (atomic_fetch_sub(&env->refs, 1) != 1) return;
  pthread_cond_destroy(&env->changed);
  pthread_mutex_destroy(&env->mutex);
  free(env);
}

void environment_hold(environment *env) {
  if (env->holds++ == 0) napi_ref_threadsafe_function(env->napi, env->wake);
}

void environment_drop(environment *env) {
  if (--env->holds == 0) napi_unref_threadsafe_function(env->napi, env->wake);
}

// wake has drain called on the JavaScript thread, once for all that comes until then. The mutex is held.
static void wake(environment *env) {
  if (env->closed || env->woken) return;
  env->woken = napi_call_threadsafe_function(env->wake, NULL, napi_tsfn_nonblocking) == napi_ok;
}

void environment_answer(reply *r) {
  environment *env = r->env;
  pthread_mutex_lock(&env->mutex);
  *env->replies_tail = r;
  env->replies_tail = &r->next;
  env->alive--;
  pthread_cond_broadcast(&env->changed);
  wake(env);
  pthread_mutex_unlock(&env->mutex);
}

// ---- ownership ---------------------------------------------------------------------------------

stream *stream_new(environment *env, napi_ref owner) {
  stream *s = allocate(sizeof *s);
  atomic_init(&s->refs, 2); // Go's and the handle's
  atomic_init(&s->lent, 0);
  atomic_fetch_add(&env->refs, 1);
  s->env = env;
  s->owner = owner;
  s->inputs_tail = &s->inputs;
  s->slabs_tail = &s->slabs;
  s->events_tail = &s->events;
  pthread_mutex_lock(&env->mutex);
  env->alive++;
  s->next = env->live;
  if (s->next) s->next->previous = s;
  env->live = s;
  pthread_mutex_unlock(&env->mutex);
  return s;
}

void stream_retain(stream *s) { atomic_fetch_add(&s->refs, 1); }

void stream_release(stream *s) {
  if (atomic_fetch_sub(&s->refs, 1) != 1) return;
  while (s->events) {
    event *next = s->events->next;
    free(s->events);
    s->events = next;
  }
  // References of an environment that is gone went with it: only the nodes are left.
  while (s->inputs) {
    input *next = s->inputs->next;
    free(s->inputs);
    s->inputs = next;
  }
  while (s->slabs) {
    slab *next = s->slabs->next;
    free(s->slabs);
    s->slabs = next;
  }
  environment_release(s->env);
  free(s);
}

void stream_hold(stream *s) {
  if (s->held || s->ended) return;
  s->held = true;
  napi_reference_ref(s->env->napi, s->owner, NULL);
  environment_hold(s->env);
}

void stream_drop(stream *s) {
  if (!s->held) return;
  s->held = false;
  napi_reference_unref(s->env->napi, s->owner, NULL);
  environment_drop(s->env);
}

void stream_lend(stream *s, napi_ref *refs, size_t n) {
  input *in = allocate(sizeof *in + n * sizeof *refs);
  in->n = n;
  memcpy(in->refs, refs, n * sizeof *refs);
  *s->inputs_tail = in;
  s->inputs_tail = &in->next;
}

void stream_grant(stream *s, napi_ref ref) {
  slab *granted = allocate(sizeof *granted);
  granted->ref = ref;
  *s->slabs_tail = granted;
  s->slabs_tail = &granted->next;
  atomic_fetch_add(&s->lent, 1);
}

// return_input ends the loan of the oldest part.
static void return_input(stream *s) {
  input *in = s->inputs;
  if (!in) return;
  s->inputs = in->next;
  if (!s->inputs) s->inputs_tail = &s->inputs;
  for (size_t i = 0; i < in->n; i++) napi_delete_reference(s->env->napi, in->refs[i]);
  free(in);
}

// return_slab takes the oldest slab back. Go gives slabs up in the order in which it got them.
static napi_value return_slab(stream *s) {
  slab *oldest = s->slabs;
  napi_value buffer = NULL;
  if (!oldest) return NULL;
  s->slabs = oldest->next;
  if (!s->slabs) s->slabs_tail = &s->slabs;
  napi_get_reference_value(s->env->napi, oldest->ref, &buffer);
  napi_delete_reference(s->env->napi, oldest->ref);
  free(oldest);
  return buffer;
}

// end lets go of everything after the last event.
static void end(stream *s) {
  stream_drop(s);
  s->ended = true;
  while (s->inputs) return_input(s);
  while (s->slabs) return_slab(s);
}

// ---- events ------------------------------------------------------------------------------------

int stream_event(void *ctx, const sluice_event *e) {
  stream *s = ctx;
  environment *env = s->env;
  bool is_last = e->kind == SLUICE_END || e->kind == SLUICE_FAIL;
  bool in_slab = e->kind == SLUICE_CHUNK;
  size_t text = in_slab ? 0 : e->len;
  event *n = allocate(sizeof *n + text + e->report_len);
  n->kind = e->kind;
  n->code = e->code;
  n->last = e->last;
  n->len = e->len;
  n->report_len = e->report_len;
  n->data = in_slab ? e->data : n->text;
  if (text) memcpy(n->text, e->data, text);
  if (e->report_len) memcpy(n->text + text, e->report, e->report_len);

  pthread_mutex_lock(&env->mutex);
  *s->events_tail = n;
  s->events_tail = &n->next;
  if (in_slab && e->data) atomic_fetch_sub(&s->lent, 1);
  // For the next event, which comes by itself only where a slab is left for it: a consumer may not grant one before it is told
  // that its parts were read.
  bool waits = e->last && (e->kind == SLUICE_BEGIN || e->kind == SLUICE_DRAIN);
#ifndef SLUICE_CONTROL_NO_LENT
  waits = waits && atomic_load(&s->lent) > 0;
#endif
  if (!s->ready && !waits) {
    s->ready = true;
    stream_retain(s);
    s->next_ready = NULL;
    *env->ready_tail = s;
    env->ready_tail = &s->next_ready;
    wake(env);
  }
  int gone = env->closed;
  if (is_last) {
    mailbox_hold(command_new(SLUICE_CALL_CLOSE, s, 0, 0, NULL));
    if (s->previous) s->previous->next = s->next;
    else env->live = s->next;
    if (s->next) s->next->previous = s->previous;
    env->alive--;
    pthread_cond_broadcast(&env->changed);
  }
  pthread_mutex_unlock(&env->mutex);
  if (is_last) stream_release(s);
  return gone;
}

// report_exception makes a pending exception an uncaughtException, so that the streams after this one get their events.
static void report_exception(napi_env napi) {
  bool pending = false;
  napi_value error;
  if (napi_is_exception_pending(napi, &pending) == napi_ok && pending &&
      napi_get_and_clear_last_exception(napi, &error) == napi_ok) {
    napi_fatal_exception(napi, error);
  }
}

// list is the flat array of events under construction. Calls fail while the environment ends: ok stays false then.
typedef struct {
  napi_env napi;
  napi_value array;
  uint32_t n;
  bool ok;
} list;

static void push(list *l, napi_value v) { l->ok = l->ok && v && napi_set_element(l->napi, l->array, l->n++, v) == napi_ok; }

static void push_number(list *l, double d) {
  napi_value v = NULL;
  napi_create_double(l->napi, d, &v);
  push(l, v);
}

static void push_text(list *l, const char *text, size_t len) {
  napi_value v = NULL;
  napi_create_string_utf8(l->napi, text, len, &v);
  push(l, v);
}

static void push_event(list *l, stream *s, event *e) {
  napi_value v = NULL;
  push_number(l, e->kind);
  switch (e->kind) {
  case SLUICE_BEGIN:
  case SLUICE_END:
    push_text(l, e->data, e->len);
    break;
  case SLUICE_CHUNK:
    if (e->data) v = return_slab(s);
    else napi_get_null(l->napi, &v);
    push(l, v);
    push_number(l, e->data ? (double)e->len : 0);
    v = NULL;
    napi_get_boolean(l->napi, e->last, &v);
    push(l, v);
    break;
  case SLUICE_DRAIN:
    return_input(s);
    break;
  case SLUICE_FAIL:
    push_number(l, e->code);
    push_text(l, e->data, e->len);
    push_text(l, e->text + e->len, e->report_len);
    break;
  }
  if (e->kind == SLUICE_END || e->kind == SLUICE_FAIL) end(s);
}

static void deliver(napi_env napi, stream *s) {
  environment *env = s->env;
  pthread_mutex_lock(&env->mutex);
  event *e = s->events;
  s->events = NULL;
  s->events_tail = &s->events;
  s->ready = false;
  pthread_mutex_unlock(&env->mutex);

  napi_handle_scope scope;
  if (napi_open_handle_scope(napi, &scope) != napi_ok) scope = NULL;
  napi_value owner = NULL, method = NULL, result;
  napi_get_reference_value(napi, s->owner, &owner); // NULL: collected, nobody listens
  list l = {.napi = napi};
  l.ok = napi_create_array(napi, &l.array) == napi_ok;
  while (e) {
    event *next = e->next;
    push_event(&l, s, e);
    free(e);
    e = next;
  }
  if (l.ok && owner && napi_get_named_property(napi, owner, "onEvents", &method) == napi_ok) {
    napi_call_function(napi, owner, method, 1, &l.array, &result);
    report_exception(napi);
  }
  if (s->ended && s->owner) {
    napi_delete_reference(napi, s->owner);
    s->owner = NULL;
  }
  if (scope) napi_close_handle_scope(napi, scope);
}

static void answer(napi_env napi, reply *r) {
  napi_handle_scope scope;
  if (napi_open_handle_scope(napi, &scope) != napi_ok) scope = NULL;
  napi_value callback = NULL, object = NULL, global, result;
  const struct {
    const char *name;
    uint64_t value;
  } figures[] = {{"streams", r->figures.streams},
                 {"parked", r->figures.parked},
                 {"goroutines", r->figures.goroutines},
                 {"slabs", r->figures.slabs},
                 {"heapBytes", r->figures.heap_bytes}};
  bool ok = napi_get_reference_value(napi, r->callback, &callback) == napi_ok && napi_create_object(napi, &object) == napi_ok;
  for (size_t i = 0; ok && i < sizeof figures / sizeof *figures; i++) {
    napi_value v;
    ok = napi_create_double(napi, (double)figures[i].value, &v) == napi_ok &&
         napi_set_named_property(napi, object, figures[i].name, v) == napi_ok;
  }
  napi_delete_reference(napi, r->callback);
  environment_drop(r->env);
  if (ok && napi_get_global(napi, &global) == napi_ok) {
    napi_call_function(napi, global, callback, 1, &object, &result);
    report_exception(napi);
  }
  free(r);
  if (scope) napi_close_handle_scope(napi, scope);
}

// drain is the threadsafe function's callback: one call per turn of the event loop for all streams.
static void drain(napi_env napi, napi_value unused, void *context, void *data) {
  (void)unused;
  (void)data;
  environment *env = context;
  if (!napi) return; // torn down: cleanup has taken the lists
  pthread_mutex_lock(&env->mutex);
  env->woken = false;
  stream *s = env->ready;
  env->ready = NULL;
  env->ready_tail = &env->ready;
  reply *r = env->replies;
  env->replies = NULL;
  env->replies_tail = &env->replies;
  pthread_mutex_unlock(&env->mutex);
  while (s) {
    stream *next = s->next_ready;
    deliver(napi, s);
    stream_release(s);
    s = next;
  }
  while (r) {
    reply *next = r->next;
    answer(napi, r);
    r = next;
  }
}
