#ifndef STREAM_LOAD_EVENTS_H
#define STREAM_LOAD_EVENTS_H

#include "line.h"

/* An incremental parser of server-sent events. */
struct events {
  struct line line;
  bool has_data, has_value, has_name;
  uint64_t value;
};

/* Consumes input up to the end of the next event that has data.

   `member` is the text before the number in an event's data, including quotes and colon, such as
   "value":. */
bool events_take(struct events *events, struct piece *input, struct piece member);

/* Resets the parser for the next event. */
void events_next(struct events *events);

#endif
