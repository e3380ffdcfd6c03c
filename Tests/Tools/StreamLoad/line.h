#ifndef STREAM_LOAD_LINE_H
#define STREAM_LOAD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A borrowed slice of bytes. */
struct piece {
  const char *bytes;
  size_t length;
};

static inline void piece_skip(struct piece *piece, size_t count) {
  piece->bytes += count;
  piece->length -= count;
}

/* Whether a slice starts with a text, ignoring case. */
bool piece_begins(struct piece piece, const char *text);

/* An incomplete line. */
struct line {
  char *kept;
  uint32_t length, capacity;
};

/* Consumes input up to the end of a line, or all of it if the line is incomplete.

   The line excludes its terminator and is valid until the next call. */
bool line_take(struct line *line, struct piece *input, struct piece *found);

void line_free(struct line *line);

#endif
