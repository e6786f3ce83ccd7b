// complementarity.h: linear complementarity problems of contacts.
#ifndef HN_COMPLEMENTARITY_H
#define HN_COMPLEMENTARITY_H

#include "base/arena.h"

#include <stdbool.h>

// x >= 0, y = A x + b >= 0, x^T y = 0, with A symmetric and positive semidefinite. Several x may
// serve where A is singular, y is unique; `in` marks a set of independent columns with x > 0
typedef struct hn_lcp {
  int size;  // largest n
  double *A, *b, *x;
  bool *in;
  // work space
  double *L, *z, *y;
  int *set;
} hn_lcp;

void hn_lcp_layout(hn_lcp *p, hn_arena *arena, int size);
// the problem's first n unknowns; A row by row, n apart. What is below `tolerance` in y, relative
// to the largest of b and A x, is zero. False: there is no solution (or it was not found)
bool hn_lcp_solve(hn_lcp *p, int n, double tolerance);
// A x = -b over as many columns as are independent, in their order; x is zero in the others
void hn_lcp_balance(hn_lcp *p, int n);

// is column j independent of the first `count` of p->set? It is put behind them
bool hn_lcp_join(hn_lcp *p, int n, int count, int j);
// column j by the first `count` of p->set, which are independent: sum of z times theirs
void hn_lcp_express(hn_lcp *p, int n, int count, int j, double *z);

#endif
