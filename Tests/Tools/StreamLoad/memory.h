#ifndef STREAM_LOAD_MEMORY_H
#define STREAM_LOAD_MEMORY_H

#include <stddef.h>

/* Allocates or exits: a run without part of its load would measure something else. */
void *allocate(size_t count, size_t size);
void *reallocate(void *memory, size_t size);

/* Prints why the run failed and exits. */
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
