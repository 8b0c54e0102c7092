#include "addon.h"
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

library go;

// libuv is Node's own; other runtimes may have none, and need no pin then.
#pragma weak uv_loop_init
#pragma weak uv_signal_init
#pragma weak uv_signal_start

static void ignore(uv_signal_t *handle, int number) {
  (void)handle;
  (void)number;
}

// pin_signal makes libuv's handler for a signal run on the alternate signal stack, for good.
//
// Go unblocks SIGCHLD on its threads whatever the mask says, and libuv installs its handler without SA_ONSTACK: it would run
// on a goroutine's stack of a few KB and overrun it. libuv installs a handler when its first uv_signal_t for the number
// starts and not again while one lives, so one of ours, on a loop that is never run or closed, keeps our flag in place.
// It is not on Node's loop: that would tie it to the thread that happens to load first.
#ifndef SLUICE_CONTROL_WORKER_LOOP
static void pin_signal(int number) {
#ifdef SLUICE_CONTROL_NO_PIN
  return;
#endif
  static uv_loop_t loop;
  static uv_signal_t handle;
  if (!uv_loop_init || !uv_signal_init || !uv_signal_start) return;
  if (uv_loop_init(&loop) || uv_signal_init(&loop, &handle) || uv_signal_start(&handle, ignore, number)) return;
  struct sigaction action;
  if (sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_ONSTACK)) {
    action.sa_flags |= SA_ONSTACK;
    sigaction(number, &action, NULL);
  }
}
#else
// The pin on the loop of the environment that loads first, and gone with it.
static void unpin(void *handle) { uv_close(handle, NULL); }

void library_pin_on_loop_of(napi_env env) {
  static uv_signal_t handle;
  static atomic_bool done;
  uv_loop_t *loop;
  struct sigaction action;
  if (atomic_exchange(&done, true) || napi_get_uv_event_loop(env, &loop) != napi_ok) return;
  if (uv_signal_init(loop, &handle) || uv_signal_start(&handle, ignore, SIGCHLD)) return;
  uv_unref((uv_handle_t *)&handle);
  sigaction(SIGCHLD, NULL, &action);
  action.sa_flags |= SA_ONSTACK;
  sigaction(SIGCHLD, &action, NULL);
  napi_add_env_cleanup_hook(env, unpin, &handle);
}
#endif

// open_library looks for the Go library beside this file. It is opened at run time, not linked: linked, Go would start its
// threads in a constructor, before anything could block signals for them.
static const char *open_library(void) {
  static char message[PATH_MAX + 256];
  Dl_info self;
  if (!dladdr((void *)open_library, &self)) return "cannot find the addon's own folder";
  const char *slash = strrchr(self.dli_fname, '/');
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*slibsluice.so", slash ? (int)(slash - self.dli_fname + 1) : 0, self.dli_fname);

  int flags = RTLD_NOW | RTLD_LOCAL;
#ifndef SLUICE_CONTROL_NO_NODELETE
  flags |= RTLD_NODELETE; // a Go runtime cannot be unloaded
#endif
  void *so = dlopen(path, flags);
  if (!so) {
    snprintf(message, sizeof message, "%s", dlerror());
    return message;
  }
  struct {
    const char *name;
    void **to;
  } symbols[] = {
      {"sluice_info", (void **)&go.info}, {"sluice_batch", (void **)&go.batch}, {"sluice_stats", (void **)&go.stats}};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    *symbols[i].to = dlsym(so, symbols[i].name);
    if (!*symbols[i].to) {
      snprintf(message, sizeof message, "%s has no %s: addon and library are of different versions", path, symbols[i].name);
      return message;
    }
  }
  return NULL;
}

// Go installs a handler for SIGURG, by which it would preempt goroutines, but the library is linked so that it does not. What
// the handler still does on a thread of Node's, to pass a signal on to the one before it, borrows a Go thread and changes
// errno under whatever it interrupts: libuv aborts when epoll_pwait seems to fail with EINVAL. So the handler goes.
static void restore_signal(int number, const struct sigaction *before) {
#ifdef SLUICE_CONTROL_NO_RESTORE
  return;
#endif
  sigaction(number, before, NULL);
}

// Signals that Go leaves unblocked as it does SIGCHLD, but whose first action is not ours to take: by default SIGTRAP and
// SIGSTKFLT end the process, and SIGPROF is V8's when it profiles.
static const int unblocked[] = {SIGPROF, SIGTRAP, SIGSTKFLT};

void library_check_signals(void) {
#ifdef SLUICE_CONTROL_NO_CHECK
  return;
#endif
  for (size_t i = 0; i < sizeof unblocked / sizeof *unblocked; i++) {
    struct sigaction action;
    if (sigaction(unblocked[i], NULL, &action) || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
    if (action.sa_flags & SA_ONSTACK) continue;
    action.sa_flags |= SA_ONSTACK;
    sigaction(unblocked[i], &action, NULL);
  }
}

static const char *load(void) {
#ifndef SLUICE_CONTROL_WORKER_LOOP
  pin_signal(SIGCHLD);
#endif
  struct sigaction urgent;
  sigaction(SIGURG, NULL, &urgent);
  // All threads that Go ever starts inherit the mask of this one. Node's signal handlers must never run on them.
  sigset_t all, before;
  sigfillset(&all);
#ifdef SLUICE_CONTROL_NO_MASK
  sigemptyset(&all);
#endif
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const char *error = open_library();
  if (!error) go.info(); // waits until the Go runtime has started its threads
  restore_signal(SIGURG, &urgent);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

const char *library_load(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool loaded;
  const char *error = NULL;
  pthread_mutex_lock(&mutex);
  if (!loaded) {
    error = load();
    loaded = !error;
  }
  pthread_mutex_unlock(&mutex);
  return error;
}
