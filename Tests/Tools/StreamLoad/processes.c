#include "processes.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void add(struct holdings *sum, pid_t process) {
  char path[80], text[1024];
  snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
  FILE *file = fopen(path, "r");
  unsigned long pages = 0;
  if (file == NULL) return;
  if (fscanf(file, "%*u %lu", &pages) == 1) {
    sum->resident += (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
  }
  fclose(file);

  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  file = fopen(path, "r");
  if (file == NULL) return;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  /* The program name in brackets may contain any character. */
  const char *fields = strrchr(text, ')');
  unsigned long user = 0, system = 0;
  if (fields != NULL
      && sscanf(fields + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system)
           == 2) {
    sum->processor += (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
  }
}

static void add_family(struct holdings *sum, pid_t process) {
  char path[80];
  int child;
  add(sum, process);
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
  FILE *file = fopen(path, "r");
  if (file == NULL) return;
  while (fscanf(file, "%d", &child) == 1) add_family(sum, child);
  fclose(file);
}

struct holdings holdings_of(pid_t process) {
  struct holdings sum = {0};
  if (process > 0) add_family(&sum, process);
  return sum;
}

double own_processor(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}
