// Faults of the machine for a process that preloads this library, see FaultyMachine.swift.
//
// The folder in FAULTS contains a file for each active fault:
//   sync   fsync and fdatasync fail with the error number in the file
//   write  pwrite fails with it
//   clock  the wall clock is off by this number of seconds
// Only files below the folder in FAULTY_FILES fail.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The number in a fault's file; 0 without one.
static long fault(const char *name) {
  const char *folder = getenv("FAULTS");
  char path[4096];
  if (!folder || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
  int saved = errno;
  long number = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    char text[32];
    ssize_t count = read(file, text, sizeof text - 1);
    text[count > 0 ? count : 0] = 0;
    number = strtol(text, NULL, 10);
    close(file);
  }
  errno = saved;
  return number;
}

// Whether a call on a file fails; then errno says why.
static int fails(const char *name, int descriptor) {
  const char *folder = getenv("FAULTY_FILES");
  char link[64], path[4096];
  long number = fault(name);
  if (!number || !folder) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path);
  if (count < (ssize_t)strlen(folder) || strncmp(path, folder, strlen(folder))) return 0;
  errno = (int)number;
  return 1;
}

int fsync(int descriptor) {
  return fails("sync", descriptor) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  return fails("sync", descriptor) ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  if (fails("write", descriptor)) return -1;
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (!result && clock == CLOCK_REALTIME) time->tv_sec += fault("clock");
  return result;
}
