// test_order.c: the library's own order of elimination, of builds without SuiteSparse, beside
// AMD's.
#include "linalg/order.h"
#include "test.h"

#include <stdlib.h>

// ---- the own one, under another name, with allocations that can fail -----------------------

static int until = -1;  // allocations before the one that fails, alone; negative: none does
static int blocks;      // handed out and not yet given back

static bool granted(void) {
  return until-- != 0;
}
static void *some_calloc(size_t count, size_t size) {
  void *p = granted() ? calloc(count, size) : NULL;
  blocks += p != NULL;
  return p;
}
static void *some_realloc(void *old, size_t size) {
  void *p = granted() ? realloc(old, size) : NULL;
  blocks += p && !old;
  return p;
}
static void some_free(void *p) {
  blocks -= p != NULL;
  free(p);
}

#define calloc              some_calloc
#define realloc             some_realloc
#define free                some_free
#define hn_order_least_fill own_order
#ifndef HN_MINIMAL
#define HN_MINIMAL
#define ALONE 0
#else
#define ALONE 1
#endif
bool own_order(int n, const int *start, const int *other, int *order);
#include "linalg/order.c"
#undef calloc
#undef realloc
#undef free
#undef hn_order_least_fill

// ---- graphs --------------------------------------------------------------------------------

enum { MOST = 120 };
static bool joined[MOST][MOST];
static int start[MOST + 1], other[MOST * MOST];

static void list_neighbours(int n) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    start[i] = count;
    for (int j = 0; j < n; j++)
      if (joined[i][j]) other[count++] = j;
  }
  start[n] = count;
}

static void join(int i, int j) {
  joined[i][j] = joined[j][i] = true;
}

static void random_tree(int n) {
  memset(joined, 0, sizeof joined);
  for (int i = 1; i < n; i++) join(i, (int)test_random(0, i));
  list_neighbours(n);
}

static void random_graph(int n, double density) {
  random_tree(n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)  // a node may be its own neighbour
      if (test_random(0, 1) < density) join(i, j);
  list_neighbours(n);
}

// how many pairs an elimination in this order joins anew; -1: some node is not in it once
static int fill_of(int n, const int *order) {
  static bool now[MOST][MOST];
  bool gone[MOST] = {false};
  int fill = 0;
  memcpy(now, joined, sizeof now);
  for (int k = 0; k < n; k++) {
    int node = order[k];
    if (node < 0 || node >= n || gone[node]) return -1;
    gone[node] = true;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        if (!gone[i] && !gone[j] && now[node][i] && now[node][j] && !now[i][j])
          now[i][j] = now[j][i] = true, fill++;
  }
  return fill;
}

// ---- tests ---------------------------------------------------------------------------------

static void trees_fill_nothing(void) {
  for (int n = 1; n <= MOST; n += 7) {
    int order[MOST];
    random_tree(n);
    CHECK(own_order(n, start, other, order));
    CHECK(fill_of(n, order) == 0);
  }
}

static void as_little_as_amd(void) {
  long ours = 0, theirs = 0;
  for (int k = 0; k < 60; k++) {
    int n = (int)test_random(5, 60), order[MOST];
    random_graph(n, test_random(0, 0.15));
    CHECK(own_order(n, start, other, order));
    int fill = fill_of(n, order);
    CHECK(fill >= 0);
    ours += fill;
    if (ALONE) continue;
    CHECK(hn_order_least_fill(n, start, other, order));
    theirs += fill_of(n, order);
  }
  if (ALONE) return;
  printf("fill: %ld, by AMD %ld\n", ours, theirs);
  CHECK((double)ours < 1.15 * (double)theirs);
}

// every allocation fails once: it is told, and nothing is kept
static void out_of_memory(void) {
  int order[MOST], failures = 0;
  random_graph(40, 0.1);
  for (bool done = false; !done && failures < 10000; failures += !done) {
    until = failures;
    done = own_order(40, start, other, order);
    CHECK(blocks == 0);
  }
  until = -1;
  CHECK(failures > 8 && failures < 10000 && fill_of(40, order) >= 0);
}

int main(void) {
  RUN(trees_fill_nothing);
  RUN(as_little_as_amd);
  RUN(out_of_memory);
  return test_end();
}
