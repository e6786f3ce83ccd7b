// arena.h: one block holds everything an object needs.
//
// A layout function runs twice: first on an arena without a base, which only counts, then on the
// allocated block, which hands out the addresses. No size is ever written in two places.
#ifndef HN_ARENA_H
#define HN_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct hn_arena {
  unsigned char *base;  // NULL while measuring
  size_t used;
} hn_arena;

enum { HN_ALIGN = 64 };

static inline void *hn_take(hn_arena *a, size_t count, size_t size) {
  size_t at = (a->used + (HN_ALIGN - 1)) & ~(size_t)(HN_ALIGN - 1);
  a->used = at + count * size;
  return a->base ? a->base + at : NULL;
}
#define HN_TAKE(arena, type, count) ((type *)hn_take((arena), (size_t)(count), sizeof(type)))

// allocate what the measuring pass counted, zeroed; false when out of memory
static inline int hn_arena_allocate(hn_arena *a) {
  size_t size = (a->used + (HN_ALIGN - 1)) & ~(size_t)(HN_ALIGN - 1);
  if (size == 0) size = HN_ALIGN;
  a->base = (unsigned char *)aligned_alloc(HN_ALIGN, size);
  if (!a->base) return 0;
  memset(a->base, 0, size);
  a->used = 0;
  return 1;
}

#endif
