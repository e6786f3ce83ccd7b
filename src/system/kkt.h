// kkt.h: the saddle-point system of a work space in whatever coordinates the system has.
//
//   [ W  -J^T ] [ x ]   [ r ]
//   [ J    D  ] [ l ] = [ s ]      W = M, or 1 (HN_WEIGHT_ONE), x and r generalized
//
// Solvers, corrections and steppers use this and never ask which coordinates there are.
#ifndef HN_KKT_H
#define HN_KKT_H

#include "bodies/tree.h"

typedef enum hn_weight { HN_WEIGHT_MASS, HN_WEIGHT_ONE } hn_weight;

typedef struct hn_kkt {
  hn_saddle saddle;
  hn_tree_factor tree;
  double *one;         // nv ones
  double pivot_ratio;  // see saddle.h
} hn_kkt;

void hn_kkt_layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys);
// at the state and Jacobian last evaluated; D (rows) may be NULL
void hn_kkt_factor(hn_kkt *kkt, const hn_work *work, hn_weight weight, const double *D);
// in place: x = r, l = s on entry
void hn_kkt_solve(const hn_kkt *kkt, const hn_work *work, double *x, double *l);

#endif
