// Marks of the actions that threads execute, in memory that outlives the process, and the
// quarantine of the actions that have crashed it.
//
// The memory is a shared mapping of a file. A thread reserves a mark before it runs code of a
// reactor and releases it afterwards, without a system call. The signal handler flags the marks of
// the thread that crashes. The next process moves the flagged marks to the quarantine.

#ifndef CCRASHMARKS_H
#define CCRASHMARKS_H

#include <stddef.h>
#include <stdint.h>

// The maximum lengths of texts, in bytes; longer texts are truncated.
#define REACTORD_MARK_NAME 128
#define REACTORD_MARK_ACTION 256
// The capacity of the quarantine; when it is full, a new entry replaces the oldest one.
#define REACTORD_QUARANTINE_CAPACITY 256

// A session and an action.
struct reactord_marked {
  uint64_t digest;  // the digest of the action's JSON; 0 for a session as a whole, or for a reactor without session
  uint32_t reactor_length;
  uint32_t session_length;
  uint32_t action_length;
  char reactor[REACTORD_MARK_NAME];
  char session[REACTORD_MARK_NAME];
  char action[REACTORD_MARK_ACTION];
};

// An entry of the quarantine.
struct reactord_quarantined {
  struct reactord_marked marked;
  int64_t at;  // milliseconds since 1970
  int32_t signal;
};

// The crash of the previous process.
struct reactord_crash {
  int32_t signal;  // 0 for none
  int32_t quarantined;  // the number of new entries
  uint32_t frame_count;
  uint64_t frames[48];  // offsets in the executable; 0 for those of libraries
};

// Maps a file and enlarges it to the necessary size; NULL on failure. The mapping is never removed.
void *reactord_marks_map(int descriptor);

// Creates a file without a name and returns its descriptor, which exec closes; -1 on failure.
int reactord_marks_anonymous_file(void);

// Moves the marks of the crash of the previous process to the quarantine, and returns the crash. A reactor
// that crashed three times within a minute is quarantined as a whole: an entry without a session.
//
// `signal` is the signal that ended the previous process, or 0 if it is unknown. It is used if the
// handler did not run, as after a stack overflow.
struct reactord_crash reactord_marks_collect(void *region, int signal, int64_t now);

// Installs a handler for the signals of crashes. After it has run, the previous handlers are
// restored and receive the signal.
//
// If the thread that crashes has no mark, the handler calls `attribute` on this thread, which can
// reserve one. `attribute` must not allocate memory and must not wait for a lock.
void reactord_marks_install(void *region, void (*attribute)(void *region));

// Reserves a mark for the calling thread and returns its index; -1 if all are reserved.
int reactord_mark_begin(
  void *region, uint64_t digest, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length, const char *action, size_t action_length);

// Releases a mark; ignores -1.
void reactord_mark_end(void *region, int mark);

// The number of entries of the quarantine.
int reactord_quarantine_count(void *region);

// The number of crashes that were collected.
uint64_t reactord_crash_count(void *region);

// Whether an action of a session, or with the digest 0 the session itself, is quarantined.
int reactord_quarantine_contains(
  void *region, uint64_t digest, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length);

// Copies the entry at an index below the capacity; returns 0 if the index has no entry.
int reactord_quarantine_read(void *region, int place, struct reactord_quarantined *entry);

// Removes all entries.
void reactord_quarantine_clear(void *region);

// Removes the entries of a session.
void reactord_quarantine_remove(
  void *region, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length);

// Writes the name of the function at an offset in the executable; returns 0 if it is unknown.
int reactord_function_name(uint64_t offset, char *name, size_t size);

#endif
