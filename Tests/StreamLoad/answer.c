#include "answer.h"

#include <stdlib.h>
#include <string.h>

void answer_begin(struct answer *answer) {
  struct line line = answer->line;
  *answer = (struct answer){.line = line};
}

bool answer_has_head(const struct answer *answer) {
  return answer->phase > ANSWER_FIELDS && answer->phase != ANSWER_MALFORMED;
}

static void take_status(struct answer *answer, struct piece line) {
  bool is_right = piece_begins(line, "HTTP/1.1 ") && line.length >= 12;
  for (size_t index = 9; is_right && index < 12; index++) {
    is_right = line.bytes[index] >= '0' && line.bytes[index] <= '9';
    answer->status = answer->status * 10 + (line.bytes[index] - '0');
  }
  answer->phase = is_right ? ANSWER_FIELDS : ANSWER_MALFORMED;
}

/* A number at the begin of a piece, after spaces. */
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

static void take_field(struct answer *answer, struct piece line) {
  if (piece_begins(line, "content-length:")) {
    piece_skip(&line, strlen("content-length:"));
    answer->has_length = take_number(line, 10, &answer->left);
  } else if (piece_begins(line, "transfer-encoding: chunked")) {
    answer->is_chunked = true;
  } else if (piece_begins(line, "connection: close")) {
    answer->closes = true;
  }
}

static enum answer_phase after_head(const struct answer *answer) {
  if (answer->status < 200) return ANSWER_STATUS;
  if (answer->status == 204 || answer->status == 304) return ANSWER_COMPLETE;
  if (answer->is_chunked) return ANSWER_CHUNK_SIZE;
  if (!answer->has_length) return ANSWER_UNTIL_CLOSE;
  return answer->left > 0 ? ANSWER_LENGTH : ANSWER_COMPLETE;
}

static void take_line(struct answer *answer, struct piece line) {
  switch (answer->phase) {
  case ANSWER_STATUS:
    take_status(answer, line);
    break;
  case ANSWER_FIELDS:
    if (line.length > 0) {
      take_field(answer, line);
    } else {
      answer->phase = after_head(answer);
      if (answer->phase == ANSWER_STATUS) answer_begin(answer);
    }
    break;
  case ANSWER_CHUNK_SIZE:
    if (!take_number(line, 16, &answer->left)) {
      answer->phase = ANSWER_MALFORMED;
    } else {
      answer->phase = answer->left > 0 ? ANSWER_CHUNK : ANSWER_TRAILER;
    }
    break;
  case ANSWER_CHUNK_END:
    answer->phase = line.length == 0 ? ANSWER_CHUNK_SIZE : ANSWER_MALFORMED;
    break;
  default:
    if (line.length == 0) answer->phase = ANSWER_COMPLETE;
  }
}

void answer_take(struct answer *answer, struct piece *input, struct piece *body) {
  *body = (struct piece){input->bytes, 0};
  while (input->length > 0) {
    struct piece line;
    switch (answer->phase) {
    case ANSWER_COMPLETE:
    case ANSWER_MALFORMED:
      return;
    case ANSWER_UNTIL_CLOSE:
      *body = *input;
      piece_skip(input, input->length);
      return;
    case ANSWER_CHUNK:
    case ANSWER_LENGTH:
      *body = *input;
      if (body->length > answer->left) body->length = (size_t)answer->left;
      piece_skip(input, body->length);
      answer->left -= body->length;
      if (answer->left == 0) {
        answer->phase = answer->phase == ANSWER_CHUNK ? ANSWER_CHUNK_END : ANSWER_COMPLETE;
      }
      return;
    default:
      if (line_take(&answer->line, input, &line)) take_line(answer, line);
    }
  }
}
