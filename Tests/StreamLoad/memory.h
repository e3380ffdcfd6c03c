#ifndef STREAM_LOAD_MEMORY_H
#define STREAM_LOAD_MEMORY_H

#include <stddef.h>

/* Memory or the end of the program: a load that lacks a part of itself measures something else. */
void *allocate(size_t count, size_t size);
void *reallocate(void *memory, size_t size);

/* Says why the load cannot be run, and ends the program. */
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
