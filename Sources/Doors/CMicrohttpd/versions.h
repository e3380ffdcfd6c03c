#pragma once
#include <microhttpd.h>
#include <string.h>

/* The differences between the versions of libmicrohttpd: Debian 12 and Ubuntu 22.04 have 0.9.75, Debian 13 and
   Ubuntu 24.04 have 1.0.1. All of them have the same soname, so that the version is the one of the library
   that the process has loaded, and not the one of the headers.

   - 1.0 has MHD_USE_NO_THREAD_SAFETY. Without it, MHD_add_connection only queues a connection, for the
     thread of the daemon to open it later. 0.9 opens the connection if the daemon has no thread.
   - 1.0 rejects a request of HTTP/1.1 without `Host`. Substitutes of repeated heads have it for both.
   - 1.0.1 leaves the LF of a line with chunk extensions to the data of the chunk, and responds with 400 at
     the end of the chunk. RequestScanner removes the extensions for both.
   - 1.0 rejects NUL, bare CR and fields without a name, but accepts bare LF and folded lines, and reads the
     first of two `Content-Length` and of two `Host`, so that RequestScanner is needed for both. */

/* Whether the parser and the use of epoll of this version are known. */
static inline int reactord_is_known(void) {
  return strncmp(MHD_get_version(), "0.9.", 4) == 0 || strncmp(MHD_get_version(), "1.0.", 4) == 0;
}

/* The flags of a daemon whose connections are added, suspended and resumed on the thread that runs the
   daemon. */
static inline unsigned int reactord_single_thread_flags(void) {
  if (strncmp(MHD_get_version(), "0.", 2) != 0) {
    const unsigned int no_thread_safety = 1u << 19; /* MHD_USE_NO_THREAD_SAFETY of newer headers */
    return MHD_ALLOW_SUSPEND_RESUME | no_thread_safety;
  }
  /* MHD_ALLOW_SUSPEND_RESUME includes MHD_USE_ITC, a channel between threads. */
  return MHD_ALLOW_SUSPEND_RESUME & ~MHD_USE_ITC;
}
