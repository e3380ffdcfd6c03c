#define _GNU_SOURCE
#include "events.h"

#include <string.h>

static void take_data(struct events *events, struct piece data, struct piece member) {
  events->has_data = true;
  const char *found = memmem(data.bytes, data.length, member.bytes, member.length);
  if (found == NULL) return;
  const char *end = data.bytes + data.length;
  for (const char *digit = found + member.length;
       digit < end && *digit >= '0' && *digit <= '9'; digit++) {
    events->value = events->value * 10 + (uint64_t)(*digit - '0');
    events->has_value = true;
  }
}

bool events_take(struct events *events, struct piece *input, struct piece member) {
  struct piece line;
  while (line_take(&events->line, input, &line)) {
    if (line.length == 0) {
      if (events->has_data) return true;
      events_next(events);
    } else if (piece_begins(line, "data:")) {
      take_data(events, line, member);
    } else if (piece_begins(line, "event:")) {
      events->has_name = true;
    }
  }
  return false;
}

void events_next(struct events *events) {
  struct line line = events->line;
  *events = (struct events){.line = line};
}
