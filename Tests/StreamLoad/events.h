#ifndef STREAM_LOAD_EVENTS_H
#define STREAM_LOAD_EVENTS_H

#include "line.h"

/* A stream of server-sent events that is read as it comes. */
struct events {
  struct line line;
  bool has_data, has_value, has_name;
  uint64_t value;
};

/* Takes bytes from the input up to the end of the next event that has data.

   `member` is what stands before the number in an event's data, such as "value": with its quotes
   and its colon. */
bool events_take(struct events *events, struct piece *input, struct piece member);

/* Makes ready for the next event. */
void events_next(struct events *events);

#endif
