// deflate.h: bytes made shorter, as RFC 1951 describes it.
#ifndef HN_DEFLATE_H
#define HN_DEFLATE_H

#include <stddef.h>

// free() what comes back; NULL: out of memory. The same bytes give the same result everywhere
unsigned char *hn_deflate(const void *bytes, size_t length, size_t *packed);

#endif
