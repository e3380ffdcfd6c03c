#pragma once
/* Linux interfaces that the toolchain's Glibc module leaves out. */
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* Declared under _GNU_SOURCE only, which a module cannot set for another. */
struct sockaddr;
extern int accept4(int socket, struct sockaddr *_Nullable address, unsigned int *_Nullable size,
                   int flags);
