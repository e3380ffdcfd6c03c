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

/* Appends the checksum of a text to another one; `shift` is reactord_crc32_shift of the length of the text. With
   zlib 1.2.12 or later, the shift is computed once for a text that is appended to many checksums. */
#if ZLIB_VERNUM >= 0x12c0
static inline uLong reactord_crc32_shift(z_off_t count) { return crc32_combine_gen(count); }
static inline uLong reactord_crc32_combine(uLong first, uLong second, uLong shift) {
  return crc32_combine_op(first, second, shift);
}
#else
static inline uLong reactord_crc32_shift(z_off_t count) { return (uLong)count; }
static inline uLong reactord_crc32_combine(uLong first, uLong second, uLong shift) {
  return crc32_combine(first, second, (z_off_t)shift);
}
#endif
