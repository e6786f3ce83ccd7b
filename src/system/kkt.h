// kkt.h: the saddle-point system of a work space in whatever coordinates the system has.
//
//   [ W  -J^T ] [ x ]   [ r ]
//   [ J    D  ] [ l ] = [ s ]      W = M, or 1 (HN_WEIGHT_ONE), x and r generalized
//
// Solvers, corrections and steppers use this and never ask which coordinates there are.
#ifndef HN_KKT_H
#define HN_KKT_H

#include "linalg/sparse.h"
#include "system/coordinates/natural.h"
#include "system/coordinates/tree.h"

// compliance of a row that takes no part: its multiplier comes out as zero
#define HN_LEFT_OUT 1e30

typedef enum hn_weight { HN_WEIGHT_MASS, HN_WEIGHT_ONE } hn_weight;

// the whole matrix as one sparse system, for mass matrices that are no constant diagonal
// (kkt_general.c)
typedef struct hn_kkt_general {
  hn_sparse *sparse;
  int *mass, *diagonal;      // places among its values: of M's entries, of the diagonal
  int *J, *JT;               // of the numbers of J, and of the same in -J^T
  double *scale, *x, *rest;  // nv + rows
  bool *out;                 // per row: left out
  double *longest;           // per row: the square of its greatest scaled length so far
} hn_kkt_general;

typedef struct hn_kkt {
  hn_saddle saddle;
  hn_tree_factor tree;
  hn_kkt_general general;
  double *one;         // nv ones
  double pivot_ratio;  // see saddle.h
  bool singular;       // M leaves motions undetermined that the rows leave free: no solution
} hn_kkt;

void hn_kkt_layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys);
// what lies outside the arena, after the layout: false when out of memory
bool hn_kkt_create(hn_kkt *kkt, const hn_system *sys);
void hn_kkt_release(hn_kkt *kkt);
// at the state and Jacobian last evaluated; D (rows) may be NULL
void hn_kkt_factor(hn_kkt *kkt, const hn_work *work, hn_weight weight, const double *D);
// in place: x = r, l = s on entry
void hn_kkt_solve(const hn_kkt *kkt, const hn_work *work, double *x, double *l);
// hn_kkt_factor with the mass matrix, then hn_kkt_solve: as much as possible in one pass
void hn_kkt_factor_solve(hn_kkt *kkt, const hn_work *work, const double *D, double *x, double *l);

// the general back end; factor returns the pivot ratio, or -1 when there is no solution
void hn_kkt_general_layout(hn_kkt_general *g, hn_arena *arena, const hn_system *sys);
bool hn_kkt_general_create(hn_kkt_general *g, const hn_system *sys);
double hn_kkt_general_factor(hn_kkt_general *g, const hn_work *work, hn_weight weight,
                             const double *D);
void hn_kkt_general_solve(const hn_kkt_general *g, const hn_system *sys, double *x, double *l);

#endif
