// A thread that does nothing but look whether its errno stays as it is, as code of Node's expects that a signal interrupts.
#include <errno.h>
#include <node_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static pthread_t thread;
static atomic_bool stop;

static void *watch(void *unused) {
  (void)unused;
  uintptr_t changes = 0;
  while (!stop) {
    errno = 0;
    for (int i = 0; i < 10000; i++) atomic_signal_fence(memory_order_seq_cst); // a handler may write what is read below
    if (errno != 0) changes++;
  }
  return (void *)changes;
}

static napi_value start_watching(napi_env env, napi_callback_info info) {
  (void)info;
  stop = false;
  if (pthread_create(&thread, NULL, watch, NULL)) napi_throw_error(env, NULL, "no thread");
  return NULL;
}

// Returns how often errno changed.
static napi_value stop_watching(napi_env env, napi_callback_info info) {
  (void)info;
  void *changes = NULL;
  stop = true;
  pthread_join(thread, &changes);
  napi_value result;
  napi_create_double(env, (double)(uintptr_t)changes, &result);
  return result;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "start", NAPI_AUTO_LENGTH, start_watching, NULL, &function);
  napi_set_named_property(env, exports, "start", function);
  napi_create_function(env, "stop", NAPI_AUTO_LENGTH, stop_watching, NULL, &function);
  napi_set_named_property(env, exports, "stop", function);
  return exports;
}
