#pragma once
/* Linux interfaces that the toolchain's Glibc module leaves out. */
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* glibc declares it only if _GNU_SOURCE is defined, which a module cannot do for another one. */
struct sockaddr;
extern int accept4(int socket, struct sockaddr *_Nullable address, unsigned int *_Nullable size,
                   int flags);
