#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* libmicrohttpd 0.9.75 has no hook between its socket and its parser, and the parser accepts requests
   that are no HTTP (RFC 9112). This library defines recv(), which the dynamic and the static linker
   prefer to the one of the C library, so that a filter sees received bytes before the parser does. */

/* Inspects bytes that were received, and may shorten them.

   Returns the number of bytes that the caller of recv() receives; 0 is the end of the connection. */
typedef ssize_t (*reactord_receive_filter)(void *_Nullable context, int descriptor,
                                           const uint8_t *_Nonnull bytes, size_t count);

/* Sets the filter of the calling thread; NULL removes it. Other threads are not affected. */
void reactord_set_receive_filter(reactord_receive_filter _Nullable filter, void *_Nullable context);
