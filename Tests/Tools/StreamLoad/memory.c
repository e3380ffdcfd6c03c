#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *allocate(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) give_up("out of memory");
  return memory;
}

void *reallocate(void *memory, size_t size) {
  void *moved = realloc(memory, size);
  if (moved == NULL) give_up("out of memory");
  return moved;
}

void give_up(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("StreamLoad: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}
