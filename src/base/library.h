// library.h: shared libraries that are loaded when they are needed first, so that programs start
// without them. Functions are looked up by name in the library that was found when holon was built
// (cmake/loaded.cmake); whoever calls them has names that stand for what was found.
#ifndef HN_LIBRARY_H
#define HN_LIBRARY_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef struct hn_wanted {
  const char *name;
  void *place;  // of a pointer to it
} hn_wanted;

// by name as the linker would, then where it was found; `trouble` says what is wrong, empty:
// nothing
// `path` is known from the build and covers libraries that no search path leads to.
static inline void hn_library_load(const char *name, const char *path, const hn_wanted *wanted,
                                   size_t count, char trouble[256]) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  // taken now: the next call of dlopen() forgets it
  const char *why = library ? NULL : dlerror();
  // what the second try has to say is left out: the plain name is what a user can install
  snprintf(trouble, 256, "%s", library ? "" : why ? why : "it was not found");
  if (!library) library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  // all places stay as they are; callers look at `trouble` first
  if (!library) return;
  *trouble = 0;
  for (size_t i = 0; i < count && !*trouble; i++) {
    void *symbol = dlsym(library, wanted[i].name);
    // by bytes: C has no cast from an object's address to a function's
    memcpy(wanted[i].place, &symbol, sizeof symbol);
    if (!symbol) snprintf(trouble, 256, "it has no %s", wanted[i].name);
  }
}

#endif
