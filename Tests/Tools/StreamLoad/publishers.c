#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "load.h"
#include "memory.h"

/* An action that is due or sent. */
struct action {
  uint32_t session;
  uint64_t due;
};

/* A keep-alive connection for the actions of the sessions whose number, modulo the number of
   connections, is its own. */
struct publisher {
  int socket;
  bool is_open, is_busy;
  struct response response;
  char *request;
  size_t length, written;
  struct action action; /* the one without a response */
  uint64_t sent;
  uint64_t turns; /* in a closed loop */
  /* The queue of due actions; a ring buffer whose size is a power of two. */
  struct action *waiting;
  uint32_t first, waiting_count, capacity;
};

struct publishers {
  struct publisher *each;
  int timer;
  uint64_t begin, next_due, issued;
  uint64_t next_size, next_sample;
};

/* A count that takes longer is abandoned; the report shows how many responses arrived. */
static const uint64_t counting_timeout = 120 * NANOSECONDS;

enum { LARGEST_REQUEST = 1 << 16 };

void publishers_connect(struct load *load) {
  struct publishers *publishers = allocate(1, sizeof *publishers);
  load->publishers = publishers;
  publishers->each = allocate((size_t)load->options.publishers, sizeof *publishers->each);
  for (long index = 0; index < load->options.publishers; index++) {
    struct publisher *publisher = &publishers->each[index];
    publisher->socket = load_connect(load, PUBLISHERS_ADDRESS, true);
    if (publisher->socket < 0) give_up("connect: %s", strerror(errno));
    publisher->is_open = true;
    publisher->request = allocate(1, LARGEST_REQUEST);
    load_watch(load, publisher->socket, EPOLLIN, SUBJECT_PUBLISHER, index, true);
  }
  publishers->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  load_watch(load, publishers->timer, EPOLLIN, SUBJECT_TIMER, 0, true);
}

static void fail(struct load *load, long index) {
  struct publisher *publisher = &load->publishers->each[index];
  close(publisher->socket);
  publisher->is_open = publisher->is_busy = false;
  load->outcome.failed++;
  if (load->outcome.failure[0] == 0) {
    snprintf(load->outcome.failure, sizeof load->outcome.failure, "a connection was lost");
  }
}

/* Writes as much of the request as the socket accepts. */
static void send_on(struct load *load, long index) {
  struct publisher *publisher = &load->publishers->each[index];
  ssize_t count = send(publisher->socket, publisher->request + publisher->written,
                       publisher->length - publisher->written, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0 && errno != EAGAIN && errno != EINTR) {
    fail(load, index);
    return;
  }
  if (count > 0) publisher->written += (size_t)count;
  bool is_rest = publisher->written < publisher->length;
  if (is_rest || count < 0) {
    load_watch(load, publisher->socket, EPOLLIN | EPOLLOUT, SUBJECT_PUBLISHER, index, false);
  }
}

static bool is_measured(const struct load *load, uint64_t time) {
  return time >= load->window_begin && time < load->window_end;
}

static void note_sent(struct load *load, uint32_t number, uint64_t time) {
  struct session *session = &load->sessions[number];
  if (session->count == session->capacity) {
    session->capacity = session->capacity == 0 ? 4 : 2 * session->capacity;
    session->sent = reallocate(session->sent, session->capacity * sizeof *session->sent);
  }
  session->sent[session->count++] = time;
  load->outcome.sent++;
  if (!is_measured(load, time)) return;
  session->measured++;
  load->outcome.measured++;
}

static void act(struct load *load, long index, struct action action) {
  struct publisher *publisher = &load->publishers->each[index];
  static char body[LARGEST_REQUEST / 2];
  char path[1024];
  uint64_t number = load->sessions[action.session].count + 1;
  load_fill(path, sizeof path, load->options.actions, action.session, number);
  size_t length = load_fill(body, sizeof body, load->options.body, action.session, number);
  publisher->length = (size_t)snprintf(
    publisher->request, LARGEST_REQUEST,
    "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%ld\r\n%sContent-Length: %zu\r\n\r\n%s",
    load->options.method, path, load->options.port,
    length > 0 ? "Content-Type: application/json\r\n" : "", length, body);
  publisher->written = 0;
  publisher->is_busy = true;
  publisher->action = action;
  response_begin(&publisher->response);
  publisher->sent = now();
  note_sent(load, action.session, publisher->sent);
  send_on(load, index);
}

static void wait_for_turn(struct publisher *publisher, struct action action) {
  if (publisher->waiting_count == publisher->capacity) {
    uint32_t capacity = publisher->capacity == 0 ? 16 : 2 * publisher->capacity;
    struct action *waiting = allocate(capacity, sizeof *waiting);
    for (uint32_t offset = 0; offset < publisher->waiting_count; offset++) {
      waiting[offset] =
        publisher->waiting[(publisher->first + offset) & (publisher->capacity - 1)];
    }
    free(publisher->waiting);
    publisher->waiting = waiting;
    publisher->first = 0;
    publisher->capacity = capacity;
  }
  uint32_t last = (publisher->first + publisher->waiting_count++) & (publisher->capacity - 1);
  publisher->waiting[last] = action;
}

/* Returns how many actions a connection sends if a count is configured. */
static uint64_t quota(const struct load *load, long index) {
  uint64_t count = (uint64_t)load->options.count, all = (uint64_t)load->options.publishers;
  return count / all + ((uint64_t)index < count % all ? 1 : 0);
}

/* Sends the next action of a connection that is free. */
static void go_on(struct load *load, long index) {
  struct publisher *publisher = &load->publishers->each[index];
  if (!publisher->is_open || publisher->is_busy) return;
  if (!options_closed_loop(&load->options)) {
    if (publisher->waiting_count == 0) return;
    struct action action = publisher->waiting[publisher->first];
    publisher->first = (publisher->first + 1) & (publisher->capacity - 1);
    publisher->waiting_count--;
    act(load, index, action);
    return;
  }
  if (load->is_stopping) return;
  if (load->options.count > 0 && publisher->turns == quota(load, index)) return;
  long sessions = load->options.sessions, publishers = load->options.publishers;
  long own = sessions > publishers ? (sessions - index - 1) / publishers + 1 : 1;
  long session = (index + (long)(publisher->turns++ % (uint64_t)own) * publishers) % sessions;
  act(load, index, (struct action){(uint32_t)session, now()});
}

static void note_response(struct load *load, struct publisher *publisher, struct piece body) {
  struct outcome *outcome = &load->outcome;
  int status = publisher->response.status;
  outcome->completed++;
  if (status < 200 || status > 299) {
    if (outcome->failed++ == 0) {
      outcome->failed_status = status;
      snprintf(outcome->failure, sizeof outcome->failure, "%.*s", (int)body.length, body.bytes);
    }
    return;
  }
  if (!is_measured(load, publisher->sent)) return;
  uint64_t time = now();
  outcome->measured_responses++;
  histogram_add(&outcome->responses, time - publisher->sent);
  histogram_add(&outcome->due, time - publisher->action.due);
}

/* Records how memory grows with the number of actions, if configured. */
static void note_count(struct load *load) {
  struct publishers *publishers = load->publishers;
  if (load->options.count == 0 || load->outcome.completed < publishers->next_size) return;
  load_note_growth(load, &load->outcome.actions, load->outcome.completed,
                   (double)(now() - publishers->begin) / NANOSECONDS);
  publishers->next_size = load_next_size(load->outcome.completed);
}

void publisher_ready(struct load *load, long index, uint32_t events) {
  static char buffer[64 * 1024];
  struct publisher *publisher = &load->publishers->each[index];
  if (!publisher->is_open) return;
  if ((events & EPOLLOUT) != 0) {
    load_watch(load, publisher->socket, EPOLLIN, SUBJECT_PUBLISHER, index, false);
    send_on(load, index);
    if ((events & EPOLLIN) == 0) return;
  }
  ssize_t length = recv(publisher->socket, buffer, sizeof buffer, MSG_DONTWAIT);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) {
    fail(load, index);
    return;
  }
  struct piece input = {buffer, (size_t)length}, body = {0}, last = {0};
  while (input.length > 0 && publisher->response.phase < RESPONSE_COMPLETE) {
    response_take(&publisher->response, &input, &body);
    if (body.length > 0) last = body;
  }
  if (publisher->response.phase == RESPONSE_MALFORMED || input.length > 0) {
    fail(load, index);
    return;
  }
  if (publisher->response.phase != RESPONSE_COMPLETE) return;
  publisher->is_busy = false;
  note_response(load, publisher, last);
  note_count(load);
  if (publisher->response.closes) {
    fail(load, index);
    return;
  }
  go_on(load, index);
}

/* Arms the timer for the next due action. */
static void set_timer(const struct publishers *publishers) {
  struct itimerspec time = {0};
  time.it_value.tv_sec = (time_t)(publishers->next_due / NANOSECONDS);
  time.it_value.tv_nsec = (long)(publishers->next_due % NANOSECONDS);
  timerfd_settime(publishers->timer, TFD_TIMER_ABSTIME, &time, NULL);
}

/* Enqueues every action that is due at its connection. */
void publishers_timer_ready(struct load *load) {
  struct publishers *publishers = load->publishers;
  uint64_t expirations;
  if (read(publishers->timer, &expirations, sizeof expirations) < 0 && errno == EAGAIN) return;
  uint64_t time = now();
  uint64_t most = load->options.count > 0 ? (uint64_t)load->options.count : UINT64_MAX;
  while (!load->is_stopping && publishers->next_due <= time && publishers->issued < most) {
    uint32_t session = (uint32_t)(publishers->issued % (uint64_t)load->options.sessions);
    long index = (long)session % load->options.publishers;
    wait_for_turn(&publishers->each[index], (struct action){session, publishers->next_due});
    go_on(load, index);
    publishers->issued++;
    publishers->next_due =
      publishers->begin + nanoseconds((double)publishers->issued / load->options.rate);
  }
  if (!load->is_stopping && publishers->issued < most) set_timer(publishers);
}

static bool is_anything_pending(const struct load *load) {
  for (long index = 0; index < load->options.publishers; index++) {
    if (load->publishers->each[index].is_busy) return true;
  }
  return false;
}

/* The server's resources are sampled ten times per second. */
static void sample(struct load *load, uint64_t time) {
  struct publishers *publishers = load->publishers;
  if (load->options.pid == 0 || time < publishers->next_sample) return;
  publishers->next_sample = time + NANOSECONDS / 10;
  uint64_t resident = holdings_of((pid_t)load->options.pid).resident;
  if (resident > load->outcome.resident_peak) load->outcome.resident_peak = resident;
}

/* Sends actions until a deadline, or until the configured count is complete. */
static void act_until(struct load *load, uint64_t end) {
  uint64_t time, count = (uint64_t)load->options.count;
  while ((time = now()) < end) {
    sample(load, time);
    if (count > 0 && load->outcome.completed + load->outcome.failed >= count) return;
    load_turn(load, 20);
  }
}

void publishers_act(struct load *load) {
  struct publishers *publishers = load->publishers;
  struct outcome *outcome = &load->outcome;
  bool is_counted = load->options.count > 0;
  publishers->begin = publishers->next_due = now();
  publishers->next_size = 1;
  load->window_begin = load->window_end = UINT64_MAX;
  if (is_counted) load->window_begin = publishers->begin;
  if (options_closed_loop(&load->options)) {
    for (long index = 0; index < load->options.publishers; index++) go_on(load, index);
  } else {
    set_timer(publishers);
  }
  if (!is_counted) {
    act_until(load, publishers->begin + nanoseconds(load->options.warm_up));
    load->window_begin = now();
    load->window_end = load->window_begin + nanoseconds(load->options.seconds);
  }
  double own = own_processor();
  double server = holdings_of((pid_t)load->options.pid).processor;
  uint64_t end = load->window_end;
  if (is_counted) end = publishers->begin + counting_timeout;
  act_until(load, end);
  outcome->acting = (double)(now() - load->window_begin) / NANOSECONDS;
  outcome->own_processor = own_processor() - own;
  outcome->server_processor = holdings_of((pid_t)load->options.pid).processor - server;
  load->is_stopping = true;

  uint64_t deadline = now() + nanoseconds(load->options.drain);
  while (is_anything_pending(load) && now() < deadline) load_turn(load, 20);
}

uint64_t publishers_backlog(const struct load *load) {
  uint64_t count = 0;
  for (long index = 0; index < load->options.publishers; index++) {
    count += load->publishers->each[index].waiting_count;
  }
  return count;
}

void publishers_close(struct load *load) {
  for (long index = 0; index < load->options.publishers; index++) {
    struct publisher *publisher = &load->publishers->each[index];
    if (publisher->is_open) close(publisher->socket);
    line_free(&publisher->response.line);
    free(publisher->request);
    free(publisher->waiting);
  }
  close(load->publishers->timer);
  free(load->publishers->each);
  free(load->publishers);
}
