// small.h: up to which size linear algebra is the library's own in all builds.
#ifndef HN_SMALL_H
#define HN_SMALL_H

// unknowns, or rows and columns. Beyond it LAPACK, KLU and AMD do the work where they are there,
// whose sums have another order: results then differ by round-off from those of minimal builds
enum { HN_SMALL = 64 };

#endif
