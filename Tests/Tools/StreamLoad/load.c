#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "memory.h"

void load_watch(struct load *load, int socket, uint32_t events, enum subject subject, long index,
                bool is_new) {
  struct epoll_event event = {.events = events};
  event.data.u64 = ((uint64_t)subject << 32) | (uint64_t)index;
  if (epoll_ctl(load->poller, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) != 0) {
    give_up("epoll: %s", strerror(errno));
  }
}

int load_connect(const struct load *load, uint32_t from, bool waits) {
  int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | (waits ? 0 : SOCK_NONBLOCK), 0);
  if (made < 0) give_up("socket: %s", strerror(errno));
  int yes = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    /* Reset instead of FIN, so that no socket in TIME_WAIT occupies the ports of the next run. */
  struct linger reset = {.l_onoff = 1};
  setsockopt(made, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  /* Connect chooses the port: a port bound earlier could not be shared between destinations. */
  setsockopt(made, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(from)};
  if (bind(made, (const struct sockaddr *)&own, sizeof own) != 0) {
    give_up("bind: %s", strerror(errno));
  }
  const struct sockaddr *address = (const struct sockaddr *)&load->options.address;
  if (connect(made, address, sizeof load->options.address) != 0 && errno != EINPROGRESS) {
    close(made);
    return -1;
  }
  return made;
}

size_t load_fill(char *text, size_t capacity, const char *pattern, long session, uint64_t number) {
  size_t length = 0;
  while (*pattern != 0 && length + 24 < capacity) {
    if (strncmp(pattern, "{session}", 9) == 0) {
      length += (size_t)snprintf(text + length, capacity - length, "%ld", session);
      pattern += 9;
    } else if (strncmp(pattern, "{number}", 8) == 0) {
      length +=
        (size_t)snprintf(text + length, capacity - length, "%llu", (unsigned long long)number);
      pattern += 8;
    } else {
      text[length++] = *pattern++;
    }
  }
  if (*pattern != 0) give_up("a path or a body is too long");
  text[length] = 0;
  return length;
}

void load_turn(struct load *load, int milliseconds) {
  struct epoll_event events[256];
  int count = epoll_wait(load->poller, events, 256, milliseconds);
  for (int index = 0; index < count; index++) {
    long which = (long)(events[index].data.u64 & 0xFFFFFFFF);
    switch ((enum subject)(events[index].data.u64 >> 32)) {
    case SUBJECT_SUBSCRIBER: subscriber_ready(load, which, events[index].events); break;
    case SUBJECT_PUBLISHER: publisher_ready(load, which, events[index].events); break;
    case SUBJECT_TIMER: publishers_timer_ready(load); break;
    }
  }
}

void load_note_growth(const struct load *load, struct growth *growth, uint64_t count,
                      double seconds) {
  if (growth->count == sizeof growth->steps / sizeof growth->steps[0]) return;
  growth->steps[growth->count++] = (struct growth_step){
    count, holdings_of((pid_t)load->options.pid).resident, seconds,
  };
}

uint64_t load_next_size(uint64_t size) {
  uint64_t power = 1;
  while (power * 10 <= size) power *= 10;
  if (size < power) return power;
  return size < 2 * power ? 2 * power : size < 5 * power ? 5 * power : 10 * power;
}
