// pool.c: memory in blocks that are released together.
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

struct hn_pool_block {
  struct hn_pool_block *next;
  size_t used, size;
  max_align_t data[];
};

enum { BLOCK_SIZE = 1 << 16 };

void *hn_pool_take(hn_pool *pool, size_t size) {
  size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  struct hn_pool_block *b = pool->blocks;
  if (!b || b->size - b->used < size) {
    size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    b = malloc(sizeof *b + room);
    if (!b) return NULL;
    b->next = pool->blocks, b->used = 0, b->size = room;
    pool->blocks = b;
  }
  void *out = (unsigned char *)b->data + b->used;
  b->used += size;
  return out;
}

char *hn_pool_text(hn_pool *pool, const char *text, size_t length) {
  char *copy = hn_pool_take(pool, length + 1);
  if (copy) memcpy(copy, text, length), copy[length] = 0;
  return copy;
}

void hn_pool_free(hn_pool *pool) {
  while (pool->blocks) {
    struct hn_pool_block *next = pool->blocks->next;
    free(pool->blocks);
    pool->blocks = next;
  }
}
