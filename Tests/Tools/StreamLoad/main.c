/* The load generator of `make bench`: thousands of streams, concurrent actions, and the latency from
   an action to each receipt of its event. Single-threaded, so that it occupies one core and disturbs
   the server on the other one as little as possible. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "load.h"
#include "memory.h"

static struct load load;

/* Raises the limit of open files to its maximum. */
static void raise_limits(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static uint64_t resident(void) {
  return holdings_of((pid_t)load.options.pid).resident;
}

static void wait_seconds(double seconds) {
  uint64_t end = now() + nanoseconds(seconds);
  while (now() < end) load_turn(&load, 10);
}

/* From here on every connected subscriber has to receive every event. */
static void count_subscribers(void) {
  for (long index = 0; index < load.options.subscribers + load.options.stalled; index++) {
    struct subscriber *subscriber = &load.subscribers[index];
    subscriber->is_counted = subscriber->phase == STREAM_OPEN;
    if (subscriber->is_counted && !subscriber->is_stalled) {
      load.sessions[subscriber->session].subscribers++;
    }
  }
}

/* Waits for late events: first of the reading streams, then of those that stalled. */
static void drain(void) {
  uint64_t start = now();
  for (int with_stalled = 0; with_stalled <= 1; with_stalled++) {
    uint64_t end = now() + nanoseconds(load.options.drain);
    if (with_stalled) subscribers_resume(&load);
    while (!subscribers_are_done(&load, with_stalled) && now() < end) load_turn(&load, 20);
    if (!with_stalled) load.outcome.draining = (double)(now() - start) / NANOSECONDS;
    if (!with_stalled) load.outcome.resident_after = resident();
  }
}

/* Reports on standard output that all streams are open, and holds them until the input ends. */
static void hold(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char bytes[64];
  while (poll(&input, 1, 0) == 0 || read(STDIN_FILENO, bytes, sizeof bytes) > 0) {
    load_turn(&load, 100);
  }
}

int main(int count, char **arguments) {
  char member[256];
  signal(SIGPIPE, SIG_IGN);
  raise_limits();
  load.options = options_read(count, arguments);
  load.member.bytes = member;
  load.member.length =
    (size_t)snprintf(member, sizeof member, "\"%.200s\":", load.options.member);
  load.sessions = allocate((size_t)load.options.sessions, sizeof *load.sessions);
  load.poller = epoll_create1(EPOLL_CLOEXEC);
  load.window_begin = load.window_end = UINT64_MAX;

  load.outcome.resident_before = resident();
  subscribers_connect(&load);
  wait_seconds(load.options.pause);
  load.outcome.resident_connected = load.outcome.resident_after = resident();
  publishers_connect(&load);
  count_subscribers();
  if (load.options.holds) {
    report(&load);
    fflush(stdout);
    hold();
    return 0;
  }
  if (options_act(&load.options)) {
    publishers_act(&load);
    drain();
  }
  report(&load);
  subscribers_close(&load);
  publishers_close(&load);
  for (long index = 0; index < load.options.sessions; index++) free(load.sessions[index].sent);
  free(load.sessions);
  return 0;
}
