/*
  * Counts allocations by interposition: definitions of malloc in an executable replace glibc's for
  * all loaded libraries.
 */
#include "allocation_counter.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool is_counting;
static atomic_long count;

__attribute__((unused)) static void note(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  }
}

void allocation_counter_start(void) {
  atomic_store(&count, 0);
  atomic_store(&is_counting, 1);
}

long allocation_counter_stop(void) {
  atomic_store(&is_counting, 0);
  return atomic_load(&count);
}

/*
  * Disabled under sanitizers, which bring their own allocator, and in test bundles, which are linked
  * into every program that the tests start.
 */
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  note();
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

#endif
