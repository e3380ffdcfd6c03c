#ifndef STREAM_LOAD_LINE_H
#define STREAM_LOAD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Some bytes that belong to someone else. */
struct piece {
  const char *bytes;
  size_t length;
};

static inline void piece_skip(struct piece *piece, size_t count) {
  piece->bytes += count;
  piece->length -= count;
}

/* Whether a piece begins with a text, whatever the case of its letters. */
bool piece_begins(struct piece piece, const char *text);

/* The begin of a line whose end has not come yet. */
struct line {
  char *kept;
  uint32_t length, capacity;
};

/* Takes bytes from the input up to the end of a line, or all of them where it has none.

   The line comes without its end, and is there until the next call. */
bool line_take(struct line *line, struct piece *input, struct piece *found);

void line_free(struct line *line);

#endif
