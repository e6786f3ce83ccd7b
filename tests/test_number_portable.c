// test_number_portable.c: the text of a number is the same where the compiler has neither vectors
// nor whole numbers of 128 bits.
#undef __SSE2__
#undef __SIZEOF_INT128__
#define hn_number_text portable_number_text
#include "../src/base/number.c"
#undef hn_number_text

#include "test.h"

int hn_number_text(char out[HN_NUMBER_SIZE], double x);

static void test_same_text(void) {
  int other = 0;
  char ours[HN_NUMBER_SIZE], portable[HN_NUMBER_SIZE];
  for (int i = 0; i < 300000; i++) {
    // all sizes, few digits as well as many, powers of two and their neighbours
    double x = ldexp(test_random(-1, 1), (int)test_random(-1070, 1020));
    if (i % 3 == 1) x = floor(test_random(0, 1e6)) / 1000;
    if (i % 3 == 2) x = ldexp(1, (int)test_random(-1070, 1020));
    if (i % 6 == 5) x = nextafter(x, i % 12 == 5 ? 0 : INFINITY);
    int n = hn_number_text(ours, x);
    other += portable_number_text(portable, x) != n || strcmp(ours, portable) != 0;
  }
  CHECK(other == 0);
}

int main(void) {
  RUN(test_same_text);
  return test_end();
}
