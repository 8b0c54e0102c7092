// flood PID process|threads SIGNAL...: sends signals to a process, or to each of its threads, until standard input ends or
// the process does. Prints how many were sent.
#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long sent;

static int post(int pid, int thread, int number) {
  int failed = thread ? syscall(SYS_tgkill, pid, thread, number) : kill(pid, number);
  if (!failed) sent++;
  return failed;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int pid = atoi(argv[1]), per_thread = strcmp(argv[2], "threads") == 0;
  char tasks[64];
  snprintf(tasks, sizeof tasks, "/proc/%d/task", pid);
  struct pollfd input = {0, POLLIN, 0};
  while (poll(&input, 1, 0) == 0 && kill(pid, 0) == 0) {
    if (per_thread) {
      DIR *threads = opendir(tasks);
      if (!threads) break;
      for (struct dirent *d; (d = readdir(threads));) {
        for (int i = 3; i < argc && d->d_name[0] != '.'; i++) post(pid, atoi(d->d_name), atoi(argv[i]));
      }
      closedir(threads);
    } else {
      for (int n = 0; n < 25; n++) {
        for (int i = 3; i < argc; i++) post(pid, 0, atoi(argv[i]));
      }
    }
    usleep(300); // the process shall also get some work done
  }
  printf("%ld\n", sent);
  return 0;
}
