// lemke.h: complementarity problems whose matrix is neither symmetric nor definite.
#ifndef HN_LEMKE_H
#define HN_LEMKE_H

#include "base/arena.h"

#include <stdbool.h>

// w = M z + q,  w >= 0, z >= 0, w z = 0
typedef struct hn_lemke {
  int size;         // the most unknowns
  double *M, *q;    // M row by row, n numbers each
  double *z;        // the solution
  double *tableau;  // size x (2 size + 2)
  int *basis;
} hn_lemke;

void hn_lemke_layout(hn_lemke *p, hn_arena *arena, int size);
// for the first n; false: the path of pivots ends in a ray, which of frictions that oppose each
// other means that there is no solution, or that none was found
bool hn_lemke_solve(hn_lemke *p, int n);

#endif
