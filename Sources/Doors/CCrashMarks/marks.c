#define _GNU_SOURCE
#include "CCrashMarks.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKS 64
#define FRAMES 48
#define RECENT 32

// A reactor that crashed within this time as often as this is quarantined as a whole.
#define REACTOR_CRASHES 3
static const int64_t reactor_time = 60000;

struct mark {
  _Atomic uint64_t thread;  // the thread that reserved the mark; 0 while it is free
  _Atomic int32_t signal;   // the signal of the crash of its thread; 0 for none
  struct reactord_marked marked;
};

struct entry {
  _Atomic uint32_t is_used;
  struct reactord_quarantined value;
};

struct region {
  uint64_t magic;
  _Atomic uint32_t count;
  uint32_t next;  // the index of the next entry to write
  _Atomic uint64_t crashes;
  _Atomic int32_t signal;  // the signal of the crash of the process; 0 for none
  uint32_t frame_count;
  uint64_t frames[FRAMES];
  struct mark marks[MARKS];
  struct entry entries[REACTORD_QUARANTINE_CAPACITY];
  // The reactors that crashed last, by the hashes of their names. A file of a former release ends before.
  uint32_t next_recent;
  uint64_t recent[RECENT];
  int64_t recent_at[RECENT];
};

// Identifies the layout of the file; a file with another value is cleared.
static const uint64_t magic = 0x31304b52414d4452;  // RDMARK01

static struct region *installed;
static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
static struct sigaction former[NSIG];
static void (*attribute)(void *region);
static uint64_t executable_start, executable_end;

// MARK: The file

void *reactord_marks_map(int descriptor) {
  // Allocate the disk space now: a write to a mapped page without space raises SIGBUS.
  if (posix_fallocate(descriptor, 0, sizeof(struct region)) != 0) return NULL;
  struct region *region = mmap(
    NULL, sizeof(struct region), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (region == MAP_FAILED) return NULL;
  if (region->magic != magic) {
    memset(region, 0, sizeof *region);
    region->magic = magic;
  }
  return region;
}

int reactord_marks_anonymous_file(void) { return memfd_create("reactord-marks", MFD_CLOEXEC); }

// MARK: Marks

static uint32_t copy(char *target, const char *source, size_t length, size_t limit) {
  size_t count = length < limit ? length : limit;
  if (count > 0) memcpy(target, source, count);
  return (uint32_t)count;
}

static void fill(
  struct reactord_marked *marked, uint64_t digest, const char *reactor, size_t reactor_length,
  const char *session, size_t session_length, const char *action, size_t action_length
) {
  marked->digest = digest;
  marked->reactor_length = copy(marked->reactor, reactor, reactor_length, REACTORD_MARK_NAME);
  marked->session_length = copy(marked->session, session, session_length, REACTORD_MARK_NAME);
  marked->action_length = copy(marked->action, action, action_length, REACTORD_MARK_ACTION);
}

int reactord_mark_begin(
  void *memory, uint64_t digest, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length, const char *action, size_t action_length
) {
  struct region *region = memory;
  uint64_t self = (uint64_t)pthread_self();
  for (int index = 0; index < MARKS; index++) {
    struct mark *mark = &region->marks[index];
    uint64_t none = 0;
    if (atomic_load_explicit(&mark->thread, memory_order_relaxed) != 0) continue;
    if (!atomic_compare_exchange_strong_explicit(
          &mark->thread, &none, self, memory_order_acquire, memory_order_relaxed))
      continue;
    fill(
      &mark->marked, digest, reactor, reactor_length, session, session_length, action,
      action_length);
    return index;
  }
  return -1;
}

void reactord_mark_end(void *memory, int index) {
  if (index < 0) return;
  struct region *region = memory;
  atomic_store_explicit(&region->marks[index].thread, 0, memory_order_release);
}

// MARK: The crash

// Flags the marks of this thread; returns their number.
static int flag(struct region *region, int number) {
  uint64_t self = (uint64_t)pthread_self();
  int count = 0;
  for (int index = 0; index < MARKS; index++) {
    struct mark *mark = &region->marks[index];
    if (atomic_load(&mark->thread) != self) continue;
    atomic_store(&mark->signal, number);
    count++;
  }
  return count;
}

static void crash(int number, siginfo_t *information, void *context) {
  (void)context;
  struct region *region = installed;
  int is_marked = flag(region, number) > 0;
  int32_t none = 0;
  if (atomic_compare_exchange_strong(&region->signal, &none, number)) {
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    region->frame_count = 0;
    // Skip the first two frames: this function and the return from the signal handler.
    for (int index = 2; index < count; index++) {
      uint64_t address = (uint64_t)frames[index];
      int is_own = address >= executable_start && address < executable_end;
      region->frames[region->frame_count++] = is_own ? address - executable_start : 0;
    }
  }
  // Call `attribute` last: the signal is blocked, so that a fault in it ends the process.
  if (!is_marked && attribute != NULL) {
    attribute(region);
    flag(region, number);
  }
  sigaction(number, &former[number], NULL);
  // A fault recurs when the handler returns; a signal that was sent must be raised again.
  if (information->si_code <= 0) raise(number);
}

void reactord_marks_install(void *memory, void (*attributing)(void *region)) {
  installed = memory;
  attribute = attributing;
  void *frames[4];
  // The first call of `backtrace` loads a library, which allocates memory: not in the handler.
  backtrace(frames, 4);
  Dl_info own;
  if (dladdr((void *)&reactord_marks_install, &own) != 0) {
    executable_start = (uint64_t)own.dli_fbase;
    // The executable is smaller than 1 GiB, and libraries are mapped farther away.
    executable_end = executable_start + (1ull << 30);
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++)
    sigaction(signals[index], &action, &former[signals[index]]);
}

// MARK: The quarantine

static int is_equal(
  const struct reactord_marked *marked, uint64_t digest, const char *reactor, size_t reactor_length,
  const char *session, size_t session_length
) {
  return marked->digest == digest && marked->reactor_length == reactor_length
    && marked->session_length == session_length
    && memcmp(marked->reactor, reactor, reactor_length) == 0
    && memcmp(marked->session, session, session_length) == 0;
}

int reactord_quarantine_contains(
  void *memory, uint64_t digest, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length
) {
  struct region *region = memory;
  if (atomic_load_explicit(&region->count, memory_order_relaxed) == 0) return 0;
  for (int place = 0; place < REACTORD_QUARANTINE_CAPACITY; place++) {
    struct entry *entry = &region->entries[place];
    if (atomic_load_explicit(&entry->is_used, memory_order_acquire)
        && is_equal(
          &entry->value.marked, digest, reactor, reactor_length, session, session_length))
      return 1;
  }
  return 0;
}

static int insert(
  struct region *region, const struct reactord_marked *marked, int signal, int64_t now
) {
  if (reactord_quarantine_contains(
        region, marked->digest, marked->reactor, marked->reactor_length, marked->session,
        marked->session_length))
    return 0;
  struct entry *entry = &region->entries[region->next % REACTORD_QUARANTINE_CAPACITY];
  region->next = (region->next + 1) % REACTORD_QUARANTINE_CAPACITY;
  if (!atomic_load(&entry->is_used)) atomic_fetch_add(&region->count, 1);
  entry->value.marked = *marked;
  entry->value.at = now;
  entry->value.signal = signal;
  atomic_store_explicit(&entry->is_used, 1, memory_order_release);
  return 1;
}

static int is_same_reactor(const struct reactord_marked *one, const struct reactord_marked *other) {
  return one->reactor_length == other->reactor_length
    && memcmp(one->reactor, other->reactor, one->reactor_length) == 0;
}

// Counts a crash of a reactor, and quarantines the reactor if it crashed often; returns the number of new entries.
static int count_crash(
  struct region *region, const struct reactord_marked *marked, int signal, int64_t now
) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint32_t index = 0; index < marked->reactor_length; index++)
    hash = (hash ^ (unsigned char)marked->reactor[index]) * 0x100000001b3;
  region->recent[region->next_recent % RECENT] = hash;
  region->recent_at[region->next_recent % RECENT] = now;
  region->next_recent = (region->next_recent + 1) % RECENT;
  int count = 0;
  for (int index = 0; index < RECENT; index++)
    if (region->recent[index] == hash && region->recent_at[index] > now - reactor_time) count++;
  if (count < REACTOR_CRASHES) return 0;
  struct reactord_marked whole;
  memset(&whole, 0, sizeof whole);
  whole.reactor_length = copy(whole.reactor, marked->reactor, marked->reactor_length, REACTORD_MARK_NAME);
  return insert(region, &whole, signal, now);
}

struct reactord_crash reactord_marks_collect(void *memory, int signal, int64_t now) {
  struct region *region = memory;
  struct reactord_crash found;
  memset(&found, 0, sizeof found);
  int handled = atomic_load(&region->signal);
  found.signal = handled ? handled : signal;
  if (handled) {
    found.frame_count = region->frame_count < FRAMES ? region->frame_count : FRAMES;
    memcpy(found.frames, region->frames, sizeof found.frames);
  }
  // The reactor whose code crashed; none if several may have.
  struct reactord_marked crashed;
  int reactors = 0;
  for (int index = 0; index < MARKS; index++) {
    struct mark *mark = &region->marks[index];
    int flagged = atomic_load(&mark->signal);
    // If the handler did not run, any thread with a mark may have crashed.
    int is_suspect = flagged || (!handled && signal);
    struct reactord_marked *marked = &mark->marked;
    int is_sound = marked->reactor_length <= REACTORD_MARK_NAME
      && marked->session_length <= REACTORD_MARK_NAME
      && marked->action_length <= REACTORD_MARK_ACTION;
    if (atomic_load(&mark->thread) && is_suspect && is_sound) {
      found.quarantined += insert(region, marked, found.signal, now);
      if (reactors == 0 || !is_same_reactor(&crashed, marked)) reactors++;
      crashed = *marked;
    }
    atomic_store(&mark->signal, 0);
    atomic_store(&mark->thread, 0);
  }
  if (reactors == 1) found.quarantined += count_crash(region, &crashed, found.signal, now);
  atomic_store(&region->signal, 0);
  region->frame_count = 0;
  if (found.signal) atomic_fetch_add(&region->crashes, 1);
  return found;
}

int reactord_quarantine_count(void *memory) {
  return (int)atomic_load_explicit(&((struct region *)memory)->count, memory_order_relaxed);
}

uint64_t reactord_crash_count(void *memory) {
  return atomic_load_explicit(&((struct region *)memory)->crashes, memory_order_relaxed);
}

int reactord_quarantine_read(void *memory, int place, struct reactord_quarantined *value) {
  struct region *region = memory;
  if (place < 0 || place >= REACTORD_QUARANTINE_CAPACITY) return 0;
  struct entry *entry = &region->entries[place];
  if (!atomic_load_explicit(&entry->is_used, memory_order_acquire)) return 0;
  *value = entry->value;
  return value->marked.reactor_length <= REACTORD_MARK_NAME
    && value->marked.session_length <= REACTORD_MARK_NAME
    && value->marked.action_length <= REACTORD_MARK_ACTION;
}

void reactord_quarantine_clear(void *memory) {
  struct region *region = memory;
  for (int place = 0; place < REACTORD_QUARANTINE_CAPACITY; place++)
    atomic_store(&region->entries[place].is_used, 0);
  atomic_store(&region->count, 0);
  memset(region->recent, 0, sizeof region->recent);
}

void reactord_quarantine_remove(
  void *memory, const char *reactor, size_t reactor_length, const char *session,
  size_t session_length
) {
  struct region *region = memory;
  for (int place = 0; place < REACTORD_QUARANTINE_CAPACITY; place++) {
    struct entry *entry = &region->entries[place];
    uint32_t used = 1;
    if (atomic_load_explicit(&entry->is_used, memory_order_acquire)
        && is_equal(
          &entry->value.marked, entry->value.marked.digest, reactor, reactor_length, session,
          session_length)
        && atomic_compare_exchange_strong(&entry->is_used, &used, 0))
      atomic_fetch_sub(&region->count, 1);
  }
}
