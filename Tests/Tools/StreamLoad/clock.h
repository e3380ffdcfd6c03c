#ifndef STREAM_LOAD_CLOCK_H
#define STREAM_LOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NANOSECONDS 1000000000ull

/* The monotonic time in nanoseconds. */
static inline uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * NANOSECONDS + (uint64_t)time.tv_nsec;
}

static inline uint64_t nanoseconds(double seconds) {
  return (uint64_t)(seconds * (double)NANOSECONDS);
}

#endif
