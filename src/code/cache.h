// cache.h: compiled code that outlasts the run, in a folder of the user's own.
//
// The folder is HOLON_CACHE, or `holon` in XDG_CACHE_HOME or ~/.cache; HOLON_CACHE=off: there is
// none. Code in it is executed, so it is believed only where nobody else can have put it: folder
// and files belong to this user, and nobody else may write to them. What was compiled is found by a
// hash and then compared as a whole: source, compiler and flags.
#ifndef HN_CACHE_H
#define HN_CACHE_H

#include "base/base.h"

// what was kept under this key, loaded; NULL: nothing, or nothing that can be believed
void *hn_cache_load(const char *key);
// keeps the object file under the key; where that cannot be, nothing happens
void hn_cache_keep(const char *key, const char *object);

#endif
