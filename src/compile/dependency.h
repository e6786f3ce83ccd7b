// dependency.h: what a rank says in words.
#ifndef HN_DEPENDENCY_H
#define HN_DEPENDENCY_H

#include "system/kkt.h"

// the saddle-point system for questions of rank, which do not depend on masses: weights are 1 for
// lengths and (the model's length)^2 for angles, in relative coordinates those of the bodies
typedef struct hn_elimination {
  hn_kkt kkt;
  double *weight;
} hn_elimination;
void hn_elimination_layout(hn_elimination *e, hn_arena *arena, const hn_system *sys);
void hn_elimination_factor(hn_elimination *e, const hn_work *work, const double *D);
// natural sizes of the rows in the norm of these weights
void hn_elimination_sizes(const hn_elimination *e, const hn_work *work, double *size);
void hn_elimination_solve(const hn_elimination *e, const hn_work *work, double *x, double *l);

// rows up to which a dense decomposition costs next to nothing; sparse factors are asked first
// where there are more
enum { HN_FEW_ROWS = 60 };

// which rows are independent at the state last evaluated
typedef struct hn_rank {
  int rank;
  bool known;  // the rank was known beforehand: `redundant` rows are to be left out
  int redundant;
  double tolerance;  // relative singular value that counts as zero
  double smallest_kept, largest_dropped;
  bool *active;  // per row: part of the independent set
} hn_rank;

// fills `out` (its array `active` is the caller's, and so is a tolerance that is not 0); false when
// out of memory
bool hn_find_rank(const hn_work *work, hn_elimination *e, hn_rank *out);

// what the rows that are not active repeat, and which reactions that leaves open
hn_status hn_find_dependencies(hn_work *work, hn_elimination *e, const hn_rank *rank,
                               hn_redundancy **out);

#endif
