#ifndef STREAM_LOAD_PROCESSES_H
#define STREAM_LOAD_PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

/* The resources of a process and its descendants. */
struct holdings {
  uint64_t resident; /* bytes of memory */
  double processor;  /* seconds */
};

/* Reads the resources; zero if there is no such process. */
struct holdings holdings_of(pid_t process);

/* The CPU seconds of this program. */
double own_processor(void);

#endif
