// kkt.h: the saddle-point system of a work space in whatever coordinates the system has.
//
//   [ W  -J^T ] [ x ]   [ r ]
//   [ J    D  ] [ l ] = [ s ]      W = M, or 1 (HN_WEIGHT_ONE), x and r generalized
//
// Solvers, corrections and steppers use this and never ask which coordinates there are. Three back
// ends serve it, each a table: blocks of bodies (kkt.c), the articulated bodies of a tree
// (coordinates/tree_kkt.c), one sparse matrix for any mass matrix (kkt_general.c).
#ifndef HN_KKT_H
#define HN_KKT_H

#include "linalg/sparse.h"
#include "system/coordinates/coordinates.h"

// compliance of a row that takes no part: its multiplier comes out as zero
#define HN_LEFT_OUT 1e30

typedef enum hn_weight { HN_WEIGHT_MASS, HN_WEIGHT_ONE } hn_weight;

typedef struct hn_kkt {
  const hn_kkt_ops *ops;
  hn_saddle saddle;     // of blocks; of the loops of a tree
  void *own;            // what the back end keeps beside it
  double *one;          // nv ones
  const double *lost;   // see saddle.h; NULL: rows come as they are on the bodies
  unsigned long stamp;  // of the evaluation whose factors it has, with the masses; 0: it has others
  const double *D;      // and these compliances
  double pivot_ratio;   // see saddle.h
  bool singular;        // M leaves motions undetermined that the rows leave free: no solution
} hn_kkt;

struct hn_kkt_ops {
  void (*layout)(hn_kkt *kkt, hn_arena *arena, const hn_system *sys);
  bool (*create)(hn_kkt *kkt, const hn_system *sys);  // NULL: nothing lies outside the arena
  void (*release)(hn_kkt *kkt);
  void (*outside)(hn_kkt *kkt, hn_outside *o);  // with `create`
  void (*factor)(hn_kkt *kkt, const hn_work *work, hn_weight weight, const double *D);
  void (*solve)(const hn_kkt *kkt, const hn_work *work, double *x, double *l);
  void (*factor_solve)(hn_kkt *kkt, const hn_work *work, const double *D, double *x, double *l);
};
extern const hn_kkt_ops hn_kkt_blocks, hn_kkt_tree, hn_kkt_general;

void hn_kkt_layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys);
// what lies outside the arena, after the layout: false when out of memory
bool hn_kkt_create(hn_kkt *kkt, const hn_system *sys);
void hn_kkt_release(hn_kkt *kkt);
void hn_kkt_outside(hn_kkt *kkt, hn_outside *o);  // hands over what lies there
// at the state and Jacobian last evaluated; D (rows) may be NULL
static inline void hn_kkt_factor(hn_kkt *kkt, const hn_work *work, hn_weight weight,
                                 const double *D) {
  kkt->stamp = weight == HN_WEIGHT_MASS ? work->stamp : 0;
  kkt->D = D;
  kkt->ops->factor(kkt, work, weight, D);
}
// it has the factors of the state last evaluated
static inline bool hn_kkt_holds(const hn_kkt *kkt, const hn_work *work, const double *D) {
  return kkt->stamp == work->stamp && kkt->D == D;
}
// in place: x = r, l = s on entry
static inline void hn_kkt_solve(const hn_kkt *kkt, const hn_work *work, double *x, double *l) {
  kkt->ops->solve(kkt, work, x, l);
}
// hn_kkt_factor with the mass matrix, then hn_kkt_solve: as much as possible in one pass
static inline void hn_kkt_factor_solve(hn_kkt *kkt, const hn_work *work, const double *D, double *x,
                                       double *l) {
  kkt->stamp = work->stamp;
  kkt->D = D;
  kkt->ops->factor_solve(kkt, work, D, x, l);
}

// kkt_rows.c: marks in D (rows) `redundant` rows that repeat others as left out, so that the others
// make good pivots; false when none are found (D is of no use then, and so are the factors)
bool hn_kkt_choose_rows(hn_kkt *kkt, const hn_work *work, int redundant, double *D);

#endif
