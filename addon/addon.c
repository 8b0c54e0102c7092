#include "addon.h"
#include <stdlib.h>
#include <string.h>

// A stream's handle in JavaScript is an external that holds one reference to the stream. The functions below run on the
// JavaScript thread, check nothing but types (js/ is their only caller) and leave everything to the mailbox.

static environment *environment_of(napi_env napi) {
  environment *env = NULL;
  napi_get_instance_data(napi, (void **)&env);
  return env;
}

// arguments reads up to n arguments and returns the stream that the first is a handle of, or throws.
static stream *arguments(napi_env napi, napi_callback_info info, size_t n, napi_value *values) {
  stream *s = NULL;
  if (napi_get_cb_info(napi, info, &n, values, NULL, NULL) != napi_ok ||
      napi_get_value_external(napi, values[0], (void **)&s) != napi_ok) {
    napi_throw_type_error(napi, "ERR_SLUICE_ARGUMENT", "Expected the handle of a stream");
    return NULL;
  }
  return s;
}

// LOAN is the count of the references that hold what Go reads and writes; with 0 they are weak.
#ifdef SLUICE_CONTROL_NO_LOAN
enum { LOAN = 0 };
#else
enum { LOAN = 1 };
#endif

// text returns a string's bytes in a new allocation, or NULL for null.
static char *text(napi_env napi, napi_value v, size_t *len) {
  *len = 0;
  if (napi_get_value_string_utf8(napi, v, NULL, 0, len) != napi_ok) return NULL;
  char *s = malloc(*len + 1);
  if (!s) abort();
  napi_get_value_string_utf8(napi, v, s, *len + 1, len);
  return s;
}

static bool bytes(napi_env napi, napi_value v, const void **data, size_t *len) {
  bool is_view = false;
  void *p = NULL;
  *len = 0;
  napi_typedarray_type type;
  if (napi_is_typedarray(napi, v, &is_view) != napi_ok || !is_view ||
      napi_get_typedarray_info(napi, v, &type, len, &p, NULL, NULL) != napi_ok ||
      (type != napi_uint8_array && type != napi_uint8_clamped_array)) {
    napi_throw_type_error(napi, "ERR_SLUICE_ARGUMENT", "Expected a Uint8Array");
    return false;
  }
  *data = p;
  return true;
}

// post hands over a command of an input. What comes between open and the first grant goes with that.
static void post(stream *s, command *c) { (s->env->opening ? mailbox_hold : mailbox_post)(c); }

// collected is called when JavaScript has lost a stream's handle: nobody will read it any more.
static void collected(napi_env napi, void *data, void *hint) {
  (void)napi;
  (void)hint;
  stream *s = data;
  if (!s->ended) mailbox_post(command_new(SLUICE_CALL_ABORT, s, 0, 0, NULL));
  stream_release(s);
}

// open(owner, request, buffers) → handle. The buffers are small, and copied.
static napi_value open_stream(napi_env napi, napi_callback_info info) {
  napi_value values[3], handle = NULL;
  size_t n = 3, len, total = 0;
  uint32_t count = 0;
  napi_ref owner;
  if (napi_get_cb_info(napi, info, &n, values, NULL, NULL) != napi_ok) return NULL;
  napi_get_array_length(napi, values[2], &count);
  for (uint32_t i = 0; i < count; i++) {
    napi_value v;
    const void *data;
    if (napi_get_element(napi, values[2], i, &v) != napi_ok || !bytes(napi, v, &data, &len)) return NULL;
    total += len;
  }
  char *request = text(napi, values[1], &len);
  if (!request || napi_create_reference(napi, values[0], 0, &owner) != napi_ok) {
    free(request);
    napi_throw_type_error(napi, "ERR_SLUICE_ARGUMENT", "Expected an owner, a request and buffers");
    return NULL;
  }
  stream *s = stream_new(environment_of(napi), owner);
  char *room;
  command *c = command_new(SLUICE_CALL_OPEN, s, count, len + total, &room);
  memcpy(room, request, len);
  free(request);
  c->call.json = room;
  c->call.json_len = len;
  room += len;
  for (uint32_t i = 0; i < count; i++) {
    napi_value v;
    const void *data = NULL;
    if (napi_get_element(napi, values[2], i, &v) != napi_ok || !bytes(napi, v, &data, &len)) len = 0;
    if (len) memcpy(room, data, len);
    ((sluice_buffer *)c->call.buffers)[i] = (sluice_buffer){room, len};
    room += len;
  }
  s->env->opening = true;
  library_check_signals();
  mailbox_hold(c);
  stream_hold(s);
  if (napi_create_external(napi, s, collected, NULL, &handle) != napi_ok) collected(napi, s, NULL);
  return handle;
}

// write(handle, buffers, meta). Each buffer is kept alive until Go has read the part.
static napi_value write_part(napi_env napi, napi_callback_info info) {
  napi_value values[3];
  stream *s = arguments(napi, info, 3, values);
  if (!s || s->ended) return NULL;
  uint32_t count = 0;
  size_t len;
  napi_get_array_length(napi, values[1], &count);
  char *meta = text(napi, values[2], &len), *room;
  napi_ref *refs = calloc(count + 1, sizeof *refs);
  if (!refs) abort();
  command *c = command_new(SLUICE_CALL_WRITE, s, count, len, &room);
  if (len) memcpy(room, meta, len);
  free(meta);
  c->call.json = room;
  c->call.json_len = len;
  uint32_t n = 0;
  for (; n < count; n++) {
    napi_value v;
    sluice_buffer *b = (sluice_buffer *)c->call.buffers + n;
    if (napi_get_element(napi, values[1], n, &v) != napi_ok || !bytes(napi, v, &b->data, &b->len) ||
        napi_create_reference(napi, v, LOAN, &refs[n]) != napi_ok) {
      break;
    }
  }
  if (n == count) {
    stream_lend(s, refs, n);
    post(s, c);
  } else {
    while (n > 0) napi_delete_reference(napi, refs[--n]);
    stream_release(s);
    free(c);
  }
  free(refs);
  return NULL;
}

// grant(handle, slab, taken). The slab is kept alive until Go has given it up.
static napi_value grant(napi_env napi, napi_callback_info info) {
  napi_value values[3];
  stream *s = arguments(napi, info, 3, values);
  if (!s || s->ended) return NULL;
  command *c = command_new(SLUICE_CALL_GRANT, s, 1, 0, NULL);
  sluice_buffer *b = (sluice_buffer *)c->call.buffers;
  double taken = 0;
  napi_ref ref;
  napi_get_value_double(napi, values[2], &taken);
  c->call.taken = (uint64_t)taken;
  if (bytes(napi, values[1], &b->data, &b->len) && napi_create_reference(napi, values[1], LOAN, &ref) == napi_ok) {
    stream_grant(s, ref);
    s->env->opening = false;
    mailbox_post(c);
  } else {
    stream_release(s);
    free(c);
  }
  return NULL;
}

static napi_value simple(napi_env napi, napi_callback_info info, int call) {
  napi_value values[1];
  stream *s = arguments(napi, info, 1, values);
  if (s && !s->ended) post(s, command_new(call, s, 0, 0, NULL));
  return NULL;
}

static napi_value finish_parts(napi_env napi, napi_callback_info info) { return simple(napi, info, SLUICE_CALL_FINISH); }

// pace(handle): grants follow the speed of whoever gets the bytes.
static napi_value pace(napi_env napi, napi_callback_info info) { return simple(napi, info, SLUICE_CALL_PACE); }

static napi_value abort_stream(napi_env napi, napi_callback_info info) {
  environment_of(napi)->opening = false; // no grant comes
  return simple(napi, info, SLUICE_CALL_ABORT);
}

static napi_value hold(napi_env napi, napi_callback_info info) {
  napi_value values[1];
  stream *s = arguments(napi, info, 1, values);
  if (s) stream_hold(s);
  return NULL;
}

static napi_value drop(napi_env napi, napi_callback_info info) {
  napi_value values[1];
  stream *s = arguments(napi, info, 1, values);
  if (s) stream_drop(s);
  return NULL;
}

// stats(callback): the callback gets an object of figures.
static napi_value stats(napi_env napi, napi_callback_info info) {
  napi_value callback;
  size_t n = 1;
  environment *env = environment_of(napi);
  reply *r = calloc(1, sizeof *r);
  if (!r) abort();
  if (napi_get_cb_info(napi, info, &n, &callback, NULL, NULL) != napi_ok ||
      napi_create_reference(napi, callback, 1, &r->callback) != napi_ok) {
    free(r);
    return NULL;
  }
  r->env = env;
  environment_hold(env);
  pthread_mutex_lock(&env->mutex);
  env->alive++; // the reply must not reach an environment that is gone
  pthread_mutex_unlock(&env->mutex);
  command *c = command_new(0, NULL, 0, 0, NULL);
  c->reply = r;
  mailbox_post(c);
  return NULL;
}

NAPI_MODULE_INIT() {
#ifdef SLUICE_CONTROL_WORKER_LOOP
  library_pin_on_loop_of(env);
#endif
  const char *error = library_load();
  if (!error && !mailbox_start()) error = "cannot start a thread";
  environment *e = error ? NULL : environment_new(env);
  if (!error && !e) error = "cannot create a threadsafe function";
  if (error) {
    napi_throw_error(env, "ERR_SLUICE_LOAD", error);
    return NULL;
  }
  napi_set_instance_data(env, e, NULL, NULL);

  const struct {
    const char *name;
    napi_callback function;
  } functions[] = {{"open", open_stream},    {"write", write_part}, {"grant", grant}, {"finish", finish_parts},
                   {"abort", abort_stream}, {"pace", pace},        {"hold", hold},   {"drop", drop},   {"stats", stats}};
  const struct {
    const char *name;
    int32_t value;
  } kinds[] = {{"BEGIN", SLUICE_BEGIN}, {"CHUNK", SLUICE_CHUNK}, {"DRAIN", SLUICE_DRAIN}, {"IDLE", SLUICE_IDLE}, {"END", SLUICE_END}, {"FAIL", SLUICE_FAIL}};
  napi_value v;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &v) == napi_ok) {
      napi_set_named_property(env, exports, functions[i].name, v);
    }
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (napi_create_int32(env, kinds[i].value, &v) == napi_ok) napi_set_named_property(env, exports, kinds[i].name, v);
  }
  if (napi_create_string_utf8(env, go.info(), NAPI_AUTO_LENGTH, &v) == napi_ok) {
    napi_set_named_property(env, exports, "info", v); // JSON
  }
  return exports;
}
