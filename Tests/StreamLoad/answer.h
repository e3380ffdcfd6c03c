#ifndef STREAM_LOAD_ANSWER_H
#define STREAM_LOAD_ANSWER_H

#include "line.h"

/* Where the reading of an HTTP/1.1 answer is. */
enum answer_phase {
  ANSWER_STATUS,
  ANSWER_FIELDS,
  ANSWER_CHUNK_SIZE,
  ANSWER_CHUNK,
  ANSWER_CHUNK_END,
  ANSWER_TRAILER,
  ANSWER_LENGTH,
  ANSWER_UNTIL_CLOSE,
  ANSWER_COMPLETE,
  ANSWER_MALFORMED,
};

/* An HTTP/1.1 answer that is read as it comes. */
struct answer {
  enum answer_phase phase;
  int status;
  bool is_chunked, has_length, closes;
  uint64_t left;
  struct line line;
};

/* Makes ready for the next answer of the connection. */
void answer_begin(struct answer *answer);

/* Whether the head is complete and right. */
bool answer_has_head(const struct answer *answer);

/* Takes bytes from the input up to the next piece of the body, which may be empty.

   Stops where the answer is complete or malformed; what is left of the input then is not its. */
void answer_take(struct answer *answer, struct piece *input, struct piece *body);

#endif
