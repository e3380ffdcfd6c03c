#pragma once
#include <zlib.h>

/* deflateInit2 is a macro, which Swift does not import. A window size increased by 16 selects the gzip
   format. */
static inline int reactord_gzip_init(z_stream *_Nonnull stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/* Without a format around the blocks: a negative window size. */
static inline int reactord_deflate_init(z_stream *_Nonnull stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
