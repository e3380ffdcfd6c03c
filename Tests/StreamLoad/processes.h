#ifndef STREAM_LOAD_PROCESSES_H
#define STREAM_LOAD_PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

/* What a process and all that it started hold. */
struct holdings {
  uint64_t resident; /* bytes of memory */
  double processor;  /* seconds */
};

/* Asks the system; nothing where there is no such process. */
struct holdings holdings_of(pid_t process);

/* The seconds that this program was on a processor. */
double own_processor(void);

#endif
