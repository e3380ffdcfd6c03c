#ifndef STREAM_LOAD_OPTIONS_H
#define STREAM_LOAD_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>

/* What to do, as it stands on the command line. */
struct options {
  struct sockaddr_in address;
  long port, subscribers, sessions, publishers, stalled, count, step, pid;
  const char *events, *actions, *method, *body, *member;
  double rate, seconds, warm_up, settle, drain;
  bool is_rate_given, holds;
};

/* Reads the command line; ends the program where it is wrong. */
struct options options_read(int count, char **arguments);

/* Whether actions are sent at all. */
static inline bool options_act(const struct options *options) {
  return options->is_rate_given || options->count > 0;
}

/* Whether an action is sent as soon as the one before is answered. */
static inline bool options_closed_loop(const struct options *options) {
  return options->rate == 0;
}

#endif
