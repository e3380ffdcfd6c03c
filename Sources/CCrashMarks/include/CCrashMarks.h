// Marks of the actions whose code threads execute, in memory that outlives the process, and the
// quarantine of those that have crashed it.
//
// The memory is a shared mapping of a file. A thread takes a mark before it runs code of a reactor and
// releases it afterwards, without a system call. The signal handler flags the marks of the thread that
// crashes. The next process moves the flagged marks to the quarantine.

#ifndef CCRASHMARKS_H
#define CCRASHMARKS_H

#include <stddef.h>
#include <stdint.h>

// The longest texts; longer ones are cut.
#define REACTORD_MARK_NAME 128
#define REACTORD_MARK_ACTION 256
// The capacity of the quarantine; beyond it the oldest entry is replaced.
#define REACTORD_QUARANTINE_CAPACITY 256

// A session and an action.
struct reactord_marked {
  uint64_t digest;  // of the action's JSON; 0 for a session as a whole
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

// The crash of the process before.
struct reactord_crash {
  int32_t signal;  // 0 for none
  int32_t quarantined;  // the number of new entries
  uint32_t frame_count;
  uint64_t frames[48];  // offsets in the executable; 0 for those of libraries
};

// Maps a file, which becomes as large as necessary; NULL on failure. The mapping is never removed.
void *reactord_marks_map(int descriptor);

// A descriptor of a file without a name, closed by exec; -1 on failure.
int reactord_marks_anonymous_file(void);

// Moves the marks that the process before has left to the quarantine, and returns its crash. Without a
// handler, as after a stack overflow, `signal` is the signal that ended it; 0 if that is unknown.
struct reactord_crash reactord_marks_collect(void *region, int signal, int64_t now);

// Handles the signals of crashes from now on; the handlers before are called afterwards.
//
// If the thread that crashes has no mark, `attribute` is called on it, which may take one. It must not
// allocate memory and must not wait for a lock.
void reactord_marks_install(void *region, void (*attribute)(void *region));

// Reserves a mark for the calling thread; -1 if all are reserved.
int reactord_mark_begin(
  void *region, uint64_t digest, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length, const char *action, size_t action_length);

// Releases a mark; ignores -1.
void reactord_mark_end(void *region, int mark);

// The number of entries.
int reactord_quarantine_count(void *region);

// The number of crashes that were collected.
uint64_t reactord_crash_count(void *region);

// Whether an action of a session, or with the digest 0 the session itself, is quarantined.
int reactord_quarantine_contains(
  void *region, uint64_t digest, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length);

// Copies the entry at a place below the capacity; returns 0 if there is none.
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
