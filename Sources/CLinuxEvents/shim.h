#pragma once
/* What Linux has and the toolchain's Glibc module leaves out. */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* Declared by <pthread.h> under _GNU_SOURCE only, which a module cannot set for another. */
extern int pthread_setname_np(pthread_t thread, const char *_Nonnull name);
