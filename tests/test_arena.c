// test_arena.c: both passes of a layout agree, and what an arena hands out is aligned, zero and
// apart.
#include "base/arena.h"

#include "test.h"

enum { PIECES = 200 };

static void layout(hn_arena *a, const int *count, unsigned char **piece) {
  for (int i = 0; i < PIECES; i++)
    piece[i] = i % 3 == 0   ? HN_TAKE(a, unsigned char, count[i])
               : i % 3 == 1 ? (unsigned char *)HN_TAKE(a, double, count[i])
                            : (unsigned char *)HN_TAKE(a, int, count[i]);
}

static size_t bytes(const int *count, int i) {
  static const size_t size[3] = {1, sizeof(double), sizeof(int)};
  return size[i % 3] * (size_t)count[i];
}

static void random_layouts(void) {
  for (int trial = 0; trial < 20; trial++) {
    hn_arena a = {0};
    int count[PIECES];
    unsigned char *piece[PIECES];
    for (int i = 0; i < PIECES; i++) count[i] = (int)test_random(0, 30);
    layout(&a, count, piece);
    size_t measured = a.used;
    if (!CHECK(hn_arena_allocate(&a))) return;
    layout(&a, count, piece);
    CHECK(a.used == measured);
    for (int i = 0; i < PIECES; i++) {
      CHECK((uintptr_t)piece[i] % HN_ALIGN == 0);
      for (size_t k = 0; k < bytes(count, i); k++) CHECK(piece[i][k] == 0);
      memset(piece[i], i % 255 + 1, bytes(count, i));
    }
    for (int i = 0; i < PIECES; i++)
      for (size_t k = 0; k < bytes(count, i); k++) CHECK(piece[i][k] == i % 255 + 1);
    free(a.base);
  }
}

int main(void) {
  RUN(random_layouts);
  return test_end();
}
