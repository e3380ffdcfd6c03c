#pragma once
#include <sqlite3.h>
#include <stddef.h>

/* Binds text with SQLITE_TRANSIENT: SQLite copies the bytes before it returns. The constant is a
   cast of -1 to a function pointer, which Swift does not import. */

static inline int reactord_bind_text(sqlite3_stmt *_Nonnull statement, int index,
                                     const void *_Nullable bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes == NULL ? "" : (const char *)bytes, count,
                           SQLITE_TRANSIENT);
}
