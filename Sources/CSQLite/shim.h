#pragma once
#include <sqlite3.h>
#include <stddef.h>

/* SQLITE_TRANSIENT is a cast of -1 to a function, which Swift does not import: SQLite copies the
   bytes before it returns. */

static inline int reactord_bind_text(sqlite3_stmt *_Nonnull statement, int index,
                                     const void *_Nullable bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes == NULL ? "" : (const char *)bytes, count,
                           SQLITE_TRANSIENT);
}
