#include "line.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"

/* Longer lines than any measured server sends. */
static const size_t longest = 1 << 24;

bool piece_begins(struct piece piece, const char *text) {
  size_t length = strlen(text);
  return piece.length >= length && strncasecmp(piece.bytes, text, length) == 0;
}

static void keep(struct line *line, struct piece piece) {
  size_t length = line->length + piece.length;
  if (length > longest) give_up("a line of more than %zu bytes", longest);
  if (length > line->capacity) {
    line->capacity = (uint32_t)(length < 64 ? 64 : 2 * length);
    line->kept = reallocate(line->kept, line->capacity);
  }
  memcpy(line->kept + line->length, piece.bytes, piece.length);
  line->length = (uint32_t)length;
}

bool line_take(struct line *line, struct piece *input, struct piece *found) {
  const char *end = input->length > 0 ? memchr(input->bytes, '\n', input->length) : NULL;
  if (end == NULL) {
    if (input->length > 0) keep(line, *input);
    piece_skip(input, input->length);
    return false;
  }
  struct piece part = {input->bytes, (size_t)(end - input->bytes)};
  piece_skip(input, part.length + 1);
  if (line->length > 0) {
    keep(line, part);
    part = (struct piece){line->kept, line->length};
    line->length = 0;
  }
  if (part.length > 0 && part.bytes[part.length - 1] == '\r') part.length--;
  *found = part;
  return true;
}

void line_free(struct line *line) {
  free(line->kept);
  *line = (struct line){0};
}
