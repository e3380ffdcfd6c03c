#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* libmicrohttpd 0.9.75 has no hook between its socket and its parser, and the parser accepts requests
   that are no HTTP (RFC 9112). This library defines recv(), which the dynamic and the static linker
   prefer to the one of the C library, so that a filter sees received bytes before the parser does. */

/* Inspects bytes that were received, and may replace them by fewer bytes if there is room for more. The
   caller takes a result below the size of its buffer for the end of the received bytes: a full buffer with
   replaced bytes would hide the rest from it.

   Returns the number of bytes that the caller of recv() receives; 0 is the end of the connection. */
typedef ssize_t (*reactord_receive_filter)(void *_Nullable context, int descriptor,
                                           uint8_t *_Nonnull bytes, size_t count, bool has_room);

/* Decides whether a descriptor is read now; otherwise recv() fails with EAGAIN and reads nothing. */
typedef bool (*reactord_receive_gate)(void *_Nullable context, int descriptor);

/* Sets the gate and the filter of the calling thread; NULL removes them. Other threads are not
   affected. */
void reactord_set_receive_filter(reactord_receive_gate _Nullable gate,
                                 reactord_receive_filter _Nullable filter, void *_Nullable context);
