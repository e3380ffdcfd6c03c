#ifndef STREAM_LOAD_RESPONSE_H
#define STREAM_LOAD_RESPONSE_H

#include "line.h"

/* The parser's position in an HTTP/1.1 response. */
enum response_phase {
  RESPONSE_STATUS,
  RESPONSE_FIELDS,
  RESPONSE_CHUNK_SIZE,
  RESPONSE_CHUNK,
  RESPONSE_CHUNK_END,
  RESPONSE_TRAILER,
  RESPONSE_LENGTH,
  RESPONSE_UNTIL_CLOSE,
  RESPONSE_COMPLETE,
  RESPONSE_MALFORMED,
};

/* An incremental parser of HTTP/1.1 responses. */
struct response {
  enum response_phase phase;
  int status;
  bool is_chunked, has_length, closes;
  uint64_t left;
  struct line line;
};

/* Resets the parser for the next response of the connection. */
void response_begin(struct response *response);

/* Whether the head is complete and valid. */
bool response_has_head(const struct response *response);

/* Consumes input up to the next piece of the body, which may be empty.

   Stops when the response is complete or malformed; the rest of the input is not consumed. */
void response_take(struct response *response, struct piece *input, struct piece *body);

#endif
