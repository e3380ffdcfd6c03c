#include "response.h"

#include <stdlib.h>
#include <string.h>

void response_begin(struct response *response) {
  struct line line = response->line;
  *response = (struct response){.line = line};
}

bool response_has_head(const struct response *response) {
  return response->phase > RESPONSE_FIELDS && response->phase != RESPONSE_MALFORMED;
}

static void take_status(struct response *response, struct piece line) {
  bool is_right = piece_begins(line, "HTTP/1.1 ") && line.length >= 12;
  for (size_t index = 9; is_right && index < 12; index++) {
    is_right = line.bytes[index] >= '0' && line.bytes[index] <= '9';
    response->status = response->status * 10 + (line.bytes[index] - '0');
  }
  response->phase = is_right ? RESPONSE_FIELDS : RESPONSE_MALFORMED;
}

/* Parses a number at the start of a slice, after spaces. */
static bool take_number(struct piece piece, int base, uint64_t *number) {
  char text[24];
  while (piece.length > 0 && piece.bytes[0] == ' ') piece_skip(&piece, 1);
  size_t length = piece.length < sizeof text - 1 ? piece.length : sizeof text - 1;
  memcpy(text, piece.bytes, length);
  text[length] = 0;
  char *end;
  *number = strtoull(text, &end, base);
  return end != text;
}

static void take_field(struct response *response, struct piece line) {
  if (piece_begins(line, "content-length:")) {
    piece_skip(&line, strlen("content-length:"));
    response->has_length = take_number(line, 10, &response->left);
  } else if (piece_begins(line, "transfer-encoding: chunked")) {
    response->is_chunked = true;
  } else if (piece_begins(line, "connection: close")) {
    response->closes = true;
  }
}

static enum response_phase after_head(const struct response *response) {
  if (response->status < 200) return RESPONSE_STATUS;
  if (response->status == 204 || response->status == 304) return RESPONSE_COMPLETE;
  if (response->is_chunked) return RESPONSE_CHUNK_SIZE;
  if (!response->has_length) return RESPONSE_UNTIL_CLOSE;
  return response->left > 0 ? RESPONSE_LENGTH : RESPONSE_COMPLETE;
}

static void take_line(struct response *response, struct piece line) {
  switch (response->phase) {
  case RESPONSE_STATUS:
    take_status(response, line);
    break;
  case RESPONSE_FIELDS:
    if (line.length > 0) {
      take_field(response, line);
    } else {
      response->phase = after_head(response);
      if (response->phase == RESPONSE_STATUS) response_begin(response);
    }
    break;
  case RESPONSE_CHUNK_SIZE:
    if (!take_number(line, 16, &response->left)) {
      response->phase = RESPONSE_MALFORMED;
    } else {
      response->phase = response->left > 0 ? RESPONSE_CHUNK : RESPONSE_TRAILER;
    }
    break;
  case RESPONSE_CHUNK_END:
    response->phase = line.length == 0 ? RESPONSE_CHUNK_SIZE : RESPONSE_MALFORMED;
    break;
  default:
    if (line.length == 0) response->phase = RESPONSE_COMPLETE;
  }
}

void response_take(struct response *response, struct piece *input, struct piece *body) {
  *body = (struct piece){input->bytes, 0};
  while (input->length > 0) {
    struct piece line;
    switch (response->phase) {
    case RESPONSE_COMPLETE:
    case RESPONSE_MALFORMED:
      return;
    case RESPONSE_UNTIL_CLOSE:
      *body = *input;
      piece_skip(input, input->length);
      return;
    case RESPONSE_CHUNK:
    case RESPONSE_LENGTH:
      *body = *input;
      if (body->length > response->left) body->length = (size_t)response->left;
      piece_skip(input, body->length);
      response->left -= body->length;
      if (response->left == 0) {
        response->phase = response->phase == RESPONSE_CHUNK ? RESPONSE_CHUNK_END : RESPONSE_COMPLETE;
      }
      return;
    default:
      if (line_take(&response->line, input, &line)) take_line(response, line);
    }
  }
}
