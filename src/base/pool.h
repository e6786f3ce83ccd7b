// pool.h: memory in blocks that are released together; addresses never change.
#ifndef HN_POOL_H
#define HN_POOL_H

#include <stddef.h>

typedef struct hn_pool {
  struct hn_pool_block *blocks;  // the newest; zeroed is an empty pool
} hn_pool;

// aligned for pointers and numbers (double, long long); NULL: out of memory
// each of the three: NULL when out of memory, and everything taken before stays
void *hn_pool_take(hn_pool *pool, size_t size);
char *hn_pool_characters(hn_pool *pool, size_t count);               // room for them, not aligned
char *hn_pool_text(hn_pool *pool, const char *text, size_t length);  // a terminated copy
void hn_pool_empty(hn_pool *pool);  // what was taken is taken back, the first block is kept
void hn_pool_free(hn_pool *pool);

#endif
