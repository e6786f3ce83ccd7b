// heap.h: counts every heap call of the test program it is included in.
#ifndef HN_TEST_HEAP_H
#define HN_TEST_HEAP_H

#include <stddef.h>

// glibc's own entry points, so that every heap call of the program passes through here
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
static long heap_calls;

#if defined(__SANITIZE_ADDRESS__)
#define COUNT_HEAP 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNT_HEAP 0
#endif
#endif
#ifndef COUNT_HEAP
#define COUNT_HEAP 1
void *malloc(size_t size) {
  heap_calls++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  heap_calls++;
  return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  heap_calls++;
  return __libc_realloc(block, size);
}
#endif

#endif
