// pool.c: memory in blocks that are released together.
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

// What is aligned is taken from the beginning of a block, text from its end, so that the one needs
// no room because of the other.
struct hn_pool_block {
  struct hn_pool_block *next;  // the one before it; they are released from the newest on
  size_t size;                 // bytes of data
  size_t used, end;            // bytes between them are free
  double data[];
};

// Blocks grow with the pool. The first is for those that stay small. Large ones are mappings of
// their own, of which only what is written takes memory, and which go back to the system once they
// are released; small ones would stay, under what was allocated behind them.
enum { FIRST = 1 << 12, LEAST = 1 << 16, MOST = 1 << 26, GROWTH = 8, ALIGN = sizeof(double) };

// a block with that much room
static struct hn_pool_block *block_for(hn_pool *pool, size_t size) {
  // only the newest block is tried: looking through all of them would cost more than what is left
  // at their ends
  struct hn_pool_block *b = pool->blocks;
  if (b && b->end - b->used >= size) return b;
  size_t room = b ? GROWTH * b->size : FIRST;
  if (b && room < LEAST) room = LEAST;
  if (room > MOST) room = MOST;
  // what is larger than any block gets one of its own size
  if (room < size) room = size;
  b = malloc(sizeof *b + room);
  if (!b) return NULL;
  b->next = pool->blocks, b->size = b->end = room, b->used = 0;
  pool->blocks = b;
  return b;
}

void *hn_pool_take(hn_pool *pool, size_t size) {
  size = (size + ALIGN - 1) / ALIGN * ALIGN;  // whoever comes next begins aligned
  struct hn_pool_block *b = block_for(pool, size);
  if (!b) return NULL;
  void *out = (unsigned char *)b->data + b->used;
  b->used += size;
  return out;
}

char *hn_pool_characters(hn_pool *pool, size_t count) {
  struct hn_pool_block *b = block_for(pool, count);
  if (!b) return NULL;
  b->end -= count;
  return (char *)b->data + b->end;
}

char *hn_pool_text(hn_pool *pool, const char *text, size_t length) {
  char *copy = hn_pool_characters(pool, length + 1);
  if (copy) memcpy(copy, text, length), copy[length] = 0;
  return copy;
}

void hn_pool_empty(hn_pool *pool) {
  struct hn_pool_block *b = pool->blocks;
  while (b && b->next) {
    struct hn_pool_block *next = b->next;
    free(b);
    b = next;
  }
  if (b) b->used = 0, b->end = b->size;
  pool->blocks = b;
}

void hn_pool_free(hn_pool *pool) {
  while (pool->blocks) {
    struct hn_pool_block *next = pool->blocks->next;
    free(pool->blocks);
    pool->blocks = next;
  }
}
