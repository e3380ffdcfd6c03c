#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* libmicrohttpd 0.9.75 has no hook between its socket and its parser, and the parser accepts
   requests that are not valid HTTP (RFC 9112). This library defines recv(), which the dynamic and
   the static linker prefer to that of the C library, so that a filter receives the bytes before the
   parser. */

/* Inspects bytes that were received. If `has_room` is true, it can replace them by fewer bytes.

   The caller of recv() infers from a result below the size of its buffer that the socket has no
   more bytes. If a full buffer were shortened, the caller would not read the rest of the input.

   Returns the number of bytes that the caller of recv() receives; 0 ends the connection. */
typedef ssize_t (*reactord_receive_filter)(void *_Nullable context, int descriptor,
                                           uint8_t *_Nonnull bytes, size_t count, bool has_room);

/* Returns whether to read a descriptor now; if not, recv() fails with EAGAIN and reads nothing. */
typedef bool (*reactord_receive_gate)(void *_Nullable context, int descriptor);

/* Sets the gate and the filter of the calling thread; NULL removes them. Other threads are not
   affected. */
void reactord_set_receive_filter(reactord_receive_gate _Nullable gate,
                                 reactord_receive_filter _Nullable filter, void *_Nullable context);
