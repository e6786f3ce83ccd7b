// test.h: the whole test framework.
//
// A test program is a list of void functions run by RUN(); checks count themselves, print what
// failed with all digits, and go on. The closing line is "N passed, N failed".
#ifndef HN_TEST_H
#define HN_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_passed, test_failed;
static const char *test_name = "";

static inline int test_check(int ok, const char *what, const char *file, int line) {
  if (ok) {
    test_passed++;
  } else {
    test_failed++;
    printf("%s:%d: %s: failed: %s\n", file, line, test_name, what);
  }
  return ok;
}

static inline int test_near(double a, double b, double tol, const char *what, const char *file,
                            int line) {
  int ok = fabs(a - b) <= tol;  // false for NaN
  if (ok) {
    test_passed++;
  } else {
    test_failed++;
    printf("%s:%d: %s: %s: %.17g and %.17g differ by %.3g, more than %.3g\n", file, line, test_name,
           what, a, b, fabs(a - b), tol);
  }
  return ok;
}

#define CHECK(cond) test_check((cond) ? 1 : 0, #cond, __FILE__, __LINE__)
// absolute tolerance
#define CHECK_NEAR(a, b, tol) test_near((a), (b), (tol), #a " == " #b, __FILE__, __LINE__)
// tolerance relative to the larger of |b| and `scale`
#define CHECK_REL(a, b, scale, rel)                                                                \
  test_near((a), (b), (rel)*fmax(fabs(b), (scale)), #a " == " #b, __FILE__, __LINE__)
#define CHECK_STR(a, b)                                                                            \
  do {                                                                                             \
    const char *test_a = (a), *test_b = (b);                                                       \
    if (!test_check(strcmp(test_a, test_b) == 0, #a " == " #b, __FILE__, __LINE__))                \
      printf("  got:      %s\n  expected: %s\n", test_a, test_b);                                  \
  } while (0)
#define RUN(fn) (test_name = #fn, fn())

static inline int test_end(void) {
  printf("%d passed, %d failed\n", test_passed, test_failed);
  return test_failed ? 1 : 0;
}

// the path of a file a test may write: in the folder the tests were given, which is in the build
static inline void test_scratch(char *path, size_t size, const char *name) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/%s", folder && folder[0] ? folder : "/tmp", name);
}

// sanitizers are slow: there, or when asked to, less is run
static inline int run_quickly(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 1;
#endif
#endif
  return getenv("HN_TEST_QUICK") != NULL;
}

// repeatable pseudo-random numbers in [lo, hi)
static unsigned long long test_seed = 0x9e3779b97f4a7c15ull;
static inline double test_random(double lo, double hi) {
  test_seed ^= test_seed << 13;
  test_seed ^= test_seed >> 7;
  test_seed ^= test_seed << 17;
  return lo + (hi - lo) * (double)(test_seed >> 11) / 9007199254740992.0;
}

#endif
