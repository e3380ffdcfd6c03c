#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* libmicrohttpd has no hook between its sockets and its parser, and the parser accepts
   requests that are not valid HTTP (RFC 9112). It also writes as much as a socket has room for. This
   library defines recv(), send() and sendmsg(), which the dynamic and the static linker prefer to
   those of the C library, so that a filter receives the bytes before the parser, and a gate limits
   the bytes that are read and written. */

/* Returns whether to read a descriptor now; if not, recv() fails with EAGAIN and reads nothing. */
typedef bool (*reactord_receive_gate)(void *_Nullable context, int descriptor);

/* Inspects bytes that were received, and can replace them by fewer bytes.

   The caller of recv() infers from a result below the size of its buffer that the socket has no
   more bytes. If `has_room` is false, the buffer was full: a filter that shortens it has to cause the
   caller to read again.

   Returns the number of bytes that the caller of recv() receives; 0 ends the connection; with -1,
   recv() fails with EAGAIN. */
typedef ssize_t (*reactord_receive_filter)(void *_Nullable context, int descriptor,
                                           uint8_t *_Nonnull bytes, size_t count, bool has_room);

/* Returns how many of the next bytes to write to a descriptor now; with 0, send() and sendmsg() fail
   with EAGAIN and write nothing. */
typedef size_t (*reactord_send_gate)(void *_Nullable context, int descriptor, size_t size);

/* Sets the gates and the filter of the calling thread; NULL removes them. Other threads are not
   affected. */
void reactord_set_socket_filter(reactord_receive_gate _Nullable receive_gate,
                                reactord_receive_filter _Nullable filter,
                                reactord_send_gate _Nullable send_gate, void *_Nullable context);
