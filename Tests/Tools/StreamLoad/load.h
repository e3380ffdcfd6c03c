#ifndef STREAM_LOAD_LOAD_H
#define STREAM_LOAD_LOAD_H

#include "response.h"
#include "events.h"
#include "histogram.h"
#include "options.h"
#include "processes.h"

/* The actions of a session. They share a connection, so the n-th action produces the number that
   its events show n steps later. */
struct session {
  uint64_t *sent; /* when the n-th action was sent, from index 0 */
  uint32_t count, capacity;
  uint32_t measured, measured_responses; /* actions of the window */
  uint32_t subscribers;                /* that were there when the first action was sent */
};

/* A stream. */
struct subscriber {
  int socket;
  enum { STREAM_CLOSED, STREAM_CONNECTING, STREAM_OPEN } phase;
  bool is_stalled, is_counted;
  uint32_t session;
  uint64_t shown; /* the number of its last event */
  struct response response;
  struct events events;
};

/* The growth of a server: a count, the time to reach it and the resources held at that point. */
struct growth {
  struct growth_step {
    uint64_t count, resident;
    double seconds;
  } steps[40];
  int count;
};

/* The results of a run. */
struct outcome {
  uint64_t established, rejected, lost;
  uint64_t sent, completed, failed, measured, measured_responses;
  int failed_status;
  char failure[120];
  uint64_t events, window_events, matched, repeated, skipped, unreadable, named, window_bytes;
  double acting, draining, own_processor, server_processor;
  uint64_t resident_before, resident_connected, resident_peak, resident_after;
  struct growth streams, actions;
  struct histogram responses, due, receipts;
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

/* The kind of object behind a poller event. */
enum subject { SUBJECT_SUBSCRIBER, SUBJECT_PUBLISHER, SUBJECT_TIMER };

/* Registers a socket with the poller or changes its events. */
void load_watch(struct load *load, int socket, uint32_t events, enum subject subject, long index,
                bool is_new);

/* Source addresses of the load. Streams have an address of their own, because connecting from the
   usual one would try every port that a stream uses before it finds a free one: wrk took 2 ms per
   connection beside 15,000 streams. They are of several networks, each of which is a client. */
enum { PUBLISHERS_ADDRESS = 0x7F000001, SUBSCRIBERS_ADDRESS = 0x7F000002, SUBSCRIBERS_NETWORKS = 16 };

/* Creates a socket that connects to the server from an address. */
int load_connect(const struct load *load, uint32_t from, bool waits);

/* Fills in the placeholders of a path or body and returns its length. */
size_t load_fill(char *text, size_t capacity, const char *pattern, long session, uint64_t number);

/* Handles the pending socket events once, waiting at most `timeout` milliseconds. */
void load_turn(struct load *load, int milliseconds);

/* Records a size and the server's resources at that size. */
void load_note_growth(const struct load *load, struct growth *growth, uint64_t count,
                      double seconds);

/* The sizes at which growth is recorded: 1, 2, 5, 10, 20, 50 and so on. */
uint64_t load_next_size(uint64_t size);

/* Opens all streams, recording the server's resources at the sizes above. */
void subscribers_connect(struct load *load);
void subscriber_ready(struct load *load, long index, uint32_t events);
/* Resumes reading from the stalled streams. */
void subscribers_resume(struct load *load);
/* Whether every stream has received the last number of its session. */
bool subscribers_are_done(const struct load *load, bool with_stalled);
void subscribers_close(struct load *load);

void publishers_connect(struct load *load);
/* Sends actions for the configured time or count. */
void publishers_act(struct load *load);
void publisher_ready(struct load *load, long index, uint32_t events);
void publishers_timer_ready(struct load *load);
/* The number of due actions that are not sent yet. */
uint64_t publishers_backlog(const struct load *load);
void publishers_close(struct load *load);

/* Prints the results as one line of JSON. */
void report(const struct load *load);

#endif
