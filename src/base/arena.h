// arena.h: one block holds everything an object needs.
//
// A layout function runs twice: first on an arena without a base, which only counts, then on the
// allocated block, which hands out the addresses. No size is ever written in two places.
#ifndef HN_ARENA_H
#define HN_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What is taken is either numbers, which mean the same wherever they lie, or structs, which may
// hold addresses. Whoever saves such a block has to tell them apart: `visit` sees every piece.
typedef struct hn_arena {
  unsigned char *base;  // NULL while measuring
  size_t used;
  size_t structs;  // bytes of these so far
  void (*visit)(void *user, size_t at, size_t size, bool numbers);
  void *user;
} hn_arena;

enum { HN_ALIGN = 64 };

static inline void *hn_take(hn_arena *a, size_t count, size_t size, bool numbers) {
  size_t at = (a->used + (HN_ALIGN - 1)) & ~(size_t)(HN_ALIGN - 1);
  a->used = at + count * size;
  if (!numbers) a->structs += count * size;
  if (a->visit) a->visit(a->user, at, count * size, numbers);
  return a->base ? a->base + at : NULL;
}
#define HN_TAKE(arena, type, count)                                                                \
  ((type *)hn_take((arena), (size_t)(count), sizeof(type),                                         \
                   _Generic((type *)0, double * : 1, int * : 1, long * : 1, bool * : 1,            \
                            char * : 1, default : 0)))
// structs without addresses
#define HN_TAKE_NUMBERS(arena, type, count)                                                        \
  ((type *)hn_take((arena), (size_t)(count), sizeof(type), true))

// allocate what the measuring pass counted, zeroed; false when out of memory. Large blocks come as
// the system gives them, zeros that take memory only where something is written; small ones begin
// at a line of the cache, too
static inline int hn_arena_allocate(hn_arena *a) {
  enum { LARGE = 1 << 20 };
  size_t size = (a->used + (HN_ALIGN - 1)) & ~(size_t)(HN_ALIGN - 1);
  if (size == 0) size = HN_ALIGN;
  a->base = (unsigned char *)(size < LARGE ? aligned_alloc(HN_ALIGN, size) : calloc(size, 1));
  if (!a->base) return 0;
  if (size < LARGE) memset(a->base, 0, size);
  a->used = a->structs = 0;
  return 1;
}

#endif
