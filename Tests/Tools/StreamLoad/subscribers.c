#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "load.h"
#include "memory.h"

/* Below the accept backlog of every measured server. */
static const long most_connecting = 128;
static const uint64_t connecting_timeout = 60 * NANOSECONDS;

static long subscriber_count(const struct load *load) {
  return load->options.subscribers + load->options.stalled;
}

static void begin(struct load *load, long index) {
  struct subscriber *subscriber = &load->subscribers[index];
  *subscriber = (struct subscriber){.session = (uint32_t)(index % load->options.sessions)};
  subscriber->is_stalled = index >= load->options.subscribers;
  /* One client has at most half of the streams of a server. */
  uint32_t network = (uint32_t)(index % SUBSCRIBERS_NETWORKS) << 8;
  subscriber->socket = load_connect(load, SUBSCRIBERS_ADDRESS + network, false);
  if (subscriber->socket < 0) {
    load->outcome.rejected++;
    return;
  }
  subscriber->phase = STREAM_CONNECTING;
  load->connecting++;
  load_watch(load, subscriber->socket, EPOLLOUT, SUBJECT_SUBSCRIBER, index, true);
}

static void end(struct load *load, struct subscriber *subscriber) {
  if (subscriber->phase == STREAM_CONNECTING) {
    load->connecting--;
    load->outcome.rejected++;
  } else {
    load->outcome.lost++;
  }
  close(subscriber->socket);
  subscriber->phase = STREAM_CLOSED;
}

void subscribers_connect(struct load *load) {
  long count = subscriber_count(load), next = 0;
  uint64_t start = now();
  load->subscribers = allocate((size_t)count, sizeof *load->subscribers);
  uint64_t size = 1;
  while (next < count || load->connecting > 0) {
    /* The last size is the total. */
    long stop = (uint64_t)count < size ? count : (long)size;
    while (next < stop && load->connecting < most_connecting) begin(load, next++);
    if (load->connecting > 0) load_turn(load, 100);
    if (next == stop && load->connecting == 0) {
      load_note_growth(load, &load->outcome.streams, (uint64_t)next,
                       (double)(now() - start) / NANOSECONDS);
      size = load_next_size(size);
    }
    if (now() - start > connecting_timeout) give_up("not all streams were opened in a minute");
  }
}

static void ask(struct load *load, long index) {
  struct subscriber *subscriber = &load->subscribers[index];
  char path[1024], request[1400];
  load_fill(path, sizeof path, load->options.events, subscriber->session,
            (uint64_t)index);
  int length = snprintf(
    request, sizeof request,
    "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%ld\r\nAccept: text/event-stream\r\n\r\n", path,
    load->options.port);
  if (send(subscriber->socket, request, (size_t)length, MSG_NOSIGNAL) != length) {
    end(load, subscriber);
    return;
  }
  load_watch(load, subscriber->socket, EPOLLIN, SUBJECT_SUBSCRIBER, index, false);
}

/* Matches an event with the actions sent. */
static void note(struct load *load, struct subscriber *subscriber, uint64_t time) {
  struct outcome *outcome = &load->outcome;
  struct events *events = &subscriber->events;
  if (events->has_name) {
    outcome->named++;
    return;
  }
  if (!events->has_value) {
    outcome->unreadable++;
    return;
  }
  uint64_t step = (uint64_t)load->options.step;
  outcome->events++;
  if (time >= load->window_begin && time < load->window_end) outcome->window_events++;
  if (subscriber->is_counted) {
    if (events->value <= subscriber->shown) {
      outcome->repeated++;
      return;
    }
    if (!subscriber->is_stalled) outcome->skipped += events->value - subscriber->shown - 1;
  }
  subscriber->shown = events->value;
  uint64_t number = events->value / step;
  const struct session *session = &load->sessions[subscriber->session];
  if (events->value % step != 0 || number == 0 || number > session->count) return;
  uint64_t sent = session->sent[number - 1];
  if (!subscriber->is_counted || subscriber->is_stalled || sent < load->window_begin
      || sent >= load->window_end) {
    return;
  }
  outcome->matched++;
  histogram_add(&outcome->receipts, time - sent);
}

static void take(struct load *load, struct subscriber *subscriber, struct piece input,
                 uint64_t time) {
  struct piece body;
  while (input.length > 0 && subscriber->response.phase < RESPONSE_COMPLETE) {
    response_take(&subscriber->response, &input, &body);
    while (body.length > 0) {
      if (events_take(&subscriber->events, &body, load->member)) {
        note(load, subscriber, time);
        events_next(&subscriber->events);
      }
    }
  }
}

void subscriber_ready(struct load *load, long index, uint32_t events) {
  static char buffer[256 * 1024];
  struct subscriber *subscriber = &load->subscribers[index];
  if (subscriber->phase == STREAM_CLOSED) return;
  if (subscriber->phase == STREAM_CONNECTING && (events & EPOLLOUT) != 0) {
    ask(load, index);
    return;
  }
  ssize_t length = recv(subscriber->socket, buffer, sizeof buffer, 0);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) {
    end(load, subscriber);
    return;
  }
  uint64_t time = now();
  if (time >= load->window_begin && time < load->window_end) {
    load->outcome.window_bytes += (uint64_t)length;
  }
  take(load, subscriber, (struct piece){buffer, (size_t)length}, time);
  if (subscriber->phase == STREAM_CONNECTING && response_has_head(&subscriber->response)) {
    if (subscriber->response.status != 200) {
      end(load, subscriber);
      return;
    }
    subscriber->phase = STREAM_OPEN;
    load->connecting--;
    load->outcome.established++;
    if (subscriber->is_stalled) {
      load_watch(load, subscriber->socket, 0, SUBJECT_SUBSCRIBER, index, false);
    }
  }
  if (subscriber->response.phase >= RESPONSE_COMPLETE) end(load, subscriber);
}

void subscribers_resume(struct load *load) {
  for (long index = load->options.subscribers; index < subscriber_count(load); index++) {
    if (load->subscribers[index].phase != STREAM_OPEN) continue;
    load_watch(load, load->subscribers[index].socket, EPOLLIN, SUBJECT_SUBSCRIBER, index, false);
  }
}

bool subscribers_are_done(const struct load *load, bool with_stalled) {
  long count = with_stalled ? subscriber_count(load) : load->options.subscribers;
  for (long index = 0; index < count; index++) {
    const struct subscriber *subscriber = &load->subscribers[index];
    uint64_t last = load->sessions[subscriber->session].count * (uint64_t)load->options.step;
    if (subscriber->phase == STREAM_OPEN && subscriber->shown < last) return false;
  }
  return true;
}

void subscribers_close(struct load *load) {
  for (long index = 0; index < subscriber_count(load); index++) {
    struct subscriber *subscriber = &load->subscribers[index];
    if (subscriber->phase != STREAM_CLOSED) close(subscriber->socket);
    line_free(&subscriber->response.line);
    line_free(&subscriber->events.line);
  }
  free(load->subscribers);
}
