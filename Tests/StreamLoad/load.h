#ifndef STREAM_LOAD_LOAD_H
#define STREAM_LOAD_LOAD_H

#include "answer.h"
#include "events.h"
#include "histogram.h"
#include "options.h"
#include "processes.h"

/* What was sent to a session. Its actions are on one connection, so the n-th one makes the number
   that its events show n steps. */
struct session {
  uint64_t *sent; /* when the n-th action was sent, from index 0 */
  uint32_t count, capacity;
  uint32_t measured, measured_answers; /* actions of the window */
  uint32_t subscribers;                /* that were there when the first action was sent */
};

/* A stream. */
struct subscriber {
  int socket;
  enum { STREAM_CLOSED, STREAM_CONNECTING, STREAM_OPEN } phase;
  bool is_stalled, is_counted;
  uint32_t session;
  uint64_t shown; /* the number of its last event */
  struct answer answer;
  struct events events;
};

/* How a server grew: how many of something there were, after how long, and what it held then. */
struct growth {
  struct growth_step {
    uint64_t count, resident;
    double seconds;
  } steps[40];
  int count;
};

/* All that came of it. */
struct outcome {
  uint64_t established, refused, lost;
  uint64_t sent, answered, failed, measured, measured_answers;
  int failed_status;
  char failure[120];
  uint64_t events, window_events, matched, repeated, skipped, unreadable, named, window_bytes;
  double acting, draining, own_processor, server_processor;
  uint64_t resident_before, resident_connected, resident_peak, resident_after;
  struct growth streams, actions;
  struct histogram answers, due, receipts;
};

struct publishers;

struct load {
  struct options options;
  int poller;
  struct piece member;
  struct session *sessions;
  struct subscriber *subscribers;
  long connecting;
  struct publishers *publishers;
  uint64_t window_begin, window_end; /* actions that are sent in between are measured */
  bool is_stopping;
  struct outcome outcome;
};

/* What a notice of the poller is about. */
enum subject { SUBJECT_SUBSCRIBER, SUBJECT_PUBLISHER, SUBJECT_TIMER };

/* Adds a socket to what the poller watches, or changes what is watched of it. */
void load_watch(struct load *load, int socket, uint32_t events, enum subject subject, long index,
                bool is_new);

/* The addresses that the load comes from. With streams on an address of their own, a new connection
   from the usual one need not try each port that a stream has before it finds a free one: that
   took wrk 2 ms a connection beside 15,000 streams, which are not the server's. */
enum { PUBLISHERS_ADDRESS = 0x7F000001, SUBSCRIBERS_ADDRESS = 0x7F000002 };

/* A socket that connects to the server from an address, or has. */
int load_connect(const struct load *load, uint32_t from, bool waits);

/* Writes a path or a body with its placeholders filled in, and gives its length. */
size_t load_fill(char *text, size_t capacity, const char *pattern, long session, uint64_t number);

/* Handles what the sockets have, once, waiting at most some milliseconds. */
void load_turn(struct load *load, int milliseconds);

/* Notes a size and what the server holds at it. */
void load_note_growth(const struct load *load, struct growth *growth, uint64_t count,
                      double seconds);

/* The sizes at which growth is noted: 1, 2, 5, 10, 20, 50 and so on. */
uint64_t load_next_size(uint64_t size);

/* Opens all streams, and stops at some sizes to see what the server holds. */
void subscribers_connect(struct load *load);
void subscriber_ready(struct load *load, long index, uint32_t events);
/* Lets those that stalled read again. */
void subscribers_resume(struct load *load);
/* Whether every stream has shown the last number of its session. */
bool subscribers_are_done(const struct load *load, bool with_stalled);
void subscribers_close(struct load *load);

void publishers_connect(struct load *load);
/* Sends actions for the time or the count that was asked for. */
void publishers_act(struct load *load);
void publisher_ready(struct load *load, long index, uint32_t events);
void publishers_timer_ready(struct load *load);
/* How many actions were due and could not be sent yet. */
uint64_t publishers_backlog(const struct load *load);
void publishers_close(struct load *load);

/* Prints all that came of it, as one line of JSON. */
void report(const struct load *load);

#endif
