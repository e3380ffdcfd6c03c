#ifndef STREAM_LOAD_OPTIONS_H
#define STREAM_LOAD_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>

/* The command-line options. */
struct options {
  struct sockaddr_in address;
  long port, subscribers, sessions, publishers, stalled, count, step, pid;
  const char *events, *actions, *method, *body, *member;
  double rate, seconds, warm_up, pause, drain;
  bool is_rate_given, holds;
};

/* Parses the command line; exits if it is invalid. */
struct options options_read(int count, char **arguments);

/* Whether the run sends actions. */
static inline bool options_act(const struct options *options) {
  return options->is_rate_given || options->count > 0;
}

/* Whether each action is sent as soon as the previous one has its response. */
static inline bool options_closed_loop(const struct options *options) {
  return options->rate == 0;
}

#endif
