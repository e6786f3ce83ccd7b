// fake_cuda.h: CUDA on the processor (fake_cuda.c), built for a test and put in place of the real
// one.
#ifndef HN_FAKE_CUDA_H
#define HN_FAKE_CUDA_H

#include "test.h"

// false: it cannot be compiled, and what it takes is said. `path` gets the library, which
// fake_cuda_end removes
static inline int fake_cuda_begin(char *path, size_t size, const char *name) {
  char command[1400];
  const char *root = getenv("HN_SOURCE_DIR");
  test_scratch(path, size, name);
  snprintf(command, sizeof command,
           "cc -w -shared -fPIC -D_GNU_SOURCE -o '%s' '%s/tests/fake_cuda.c' -ldl", path,
           root ? root : ".");
  setenv("HOLON_NVRTC", path, 1);
  setenv("HOLON_CUDA", path, 1);
  if (system(command) == 0) return 1;
  printf("CUDA on the processor was not built from '%s/tests/fake_cuda.c': start the test in the\n"
         "root of the repository, or let HN_SOURCE_DIR name it; a C compiler 'cc' must be there\n",
         root ? root : ".");
  return 0;
}

static inline void fake_cuda_end(const char *path) {
  unsetenv("HOLON_CUDA"), unsetenv("HOLON_NVRTC");
  remove(path);
}

#endif
