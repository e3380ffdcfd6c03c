#pragma once
/* Linux interfaces that the toolchain's Glibc module leaves out. */
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

/* glibc declares it only if _GNU_SOURCE is defined, which a module cannot do for another one. */
struct sockaddr;
extern int accept4(int socket, struct sockaddr *_Nullable address, unsigned int *_Nullable size,
                   int flags);

/* prctl has variable arguments, which Swift cannot pass. */
static inline int end_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }
