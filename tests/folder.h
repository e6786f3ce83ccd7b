// folder.h: a folder of a test's own where tests may write, never among the sources: also when it
// is started by hand.
#ifndef HN_TEST_FOLDER_H
#define HN_TEST_FOLDER_H

#include "test.h"

#include <stdbool.h>
#include <unistd.h>

static inline bool test_folder(char *path, size_t size, const char *name) {
  char pattern[80];
  snprintf(pattern, sizeof pattern, "%s-XXXXXX", name);
  test_scratch(path, size, pattern);
  return mkdtemp(path) != NULL;
}

// the test goes on in it
static inline bool test_enter_folder(const char *name) {
  char path[1024];
  return test_folder(path, sizeof path, name) && chdir(path) == 0;
}

#endif
