// dependency.h: what a rank says in words.
#ifndef HN_DEPENDENCY_H
#define HN_DEPENDENCY_H

#include "system/kkt.h"

// the saddle-point system for questions of rank, which do not depend on the mass matrix: its
// diagonal will do, and where that is zero, one
typedef struct hn_elimination {
  hn_kkt kkt;
  double *weight;
} hn_elimination;
void hn_elimination_layout(hn_elimination *e, hn_arena *arena, const hn_system *sys);
void hn_elimination_factor(hn_elimination *e, const hn_work *work, const double *D);
void hn_elimination_solve(const hn_elimination *e, const hn_work *work, double *x, double *l);

// which rows are independent at the state last evaluated
typedef struct hn_rank {
  int rank;
  double tolerance;  // relative singular value that counts as zero
  double smallest_kept, largest_dropped;
  bool *active;  // per row: part of the independent set
} hn_rank;

// fills `out` (its array `active` is the caller's); false when out of memory
bool hn_find_rank(const hn_work *work, hn_elimination *e, hn_rank *out);

// what the rows that are not active repeat, and which reactions that leaves open
hn_status hn_find_dependencies(hn_work *work, hn_elimination *e, const hn_rank *rank,
                               hn_redundancy **out);

#endif
