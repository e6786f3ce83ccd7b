// compiler.h: C source becomes functions of this process, by the C compiler of the machine.
#ifndef HN_COMPILER_H
#define HN_COMPILER_H

#include "base/base.h"

// Thread-safe: every compilation has a folder of its own, and the cache is written by renaming.
// Compiles and loads a text, or loads what was compiled of the same text by the same compiler with
// the same flags before (cache.h). `usual`: flags that HOLON_CFLAGS takes the place of, NULL: those
// of the library; `more`: flags that stay. dlclose *handle; on failure `message` says why
hn_status hn_compile_text(const char *text, const char *usual, const char *more, void **handle,
                          char *message, size_t size);
// Compiles a text into a shared object, whose bytes are handed out; free() them
hn_status hn_compile_object(const char *text, const char *more, char **bytes, size_t *length,
                            char *message, size_t size);
// as hn_compile_text, but only what was kept: NULL where nothing was
void *hn_compiled_before(const char *text, const char *usual, const char *more);
void hn_unload(void *handle);
// a function by name; false when there is none
bool hn_find_function(void *handle, const char *name, void *function);

#endif
