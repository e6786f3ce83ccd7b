// saddle.h: block-sparse factorisation of the one matrix every constraint method needs.
//
//   [ W  -J^T ] [ x ]   [ r ]      W  symmetric positive definite, one block per body node
//   [ J    D  ] [ l ] = [ s ]      D  compliance of each constraint row, >= 0 (NULL: zero)
//
// With W = M and D = 0 this gives accelerations and multipliers; with r = 0 a mass-weighted
// projection; with W = 1 the Euclidean one; with D = 1/alpha penalty and augmented Lagrangian
// steps; with D = 1/(h (d + h k)) compliant velocity stepping. The graph of bodies and
// constraint groups is ordered once (plan); a step only runs the plan in place.
//
// The symmetric form actually factorised is [W J^T; J -D] (unknowns x, -l), a block L P L^T with
// small pivot blocks P. Bodies give positive, groups negative pivots.
#ifndef HN_SADDLE_H
#define HN_SADDLE_H

#include "base/arena.h"

#include <stdbool.h>

// the graph: body nodes 0..nbody-1 and constraint groups 0..ngroup-1
typedef struct hn_saddle_graph {
  int nbody;
  const int *body_size;  // velocities of each body node (0 allowed: takes no part)
  int ngroup;
  const int *group_size;    // rows of each group
  const int *group_start;   // ngroup + 1: bodies of group g are group_body[group_start[g] ...]
  const int *group_body;    // distinct within a group; a body of size 0 stands for the ground
  const int *block_offset;  // same indexing: where the rows x size block of J lies, row by row
  // same indexing, may be NULL: 2 x 3 blocks that are always [s 0 a; 0 s b] with s = 1 or -1, as a
  // pin in the plane gives them
  const bool *pin;
  // spanning tree; may be NULL, then hubs are dear. The order relies on one thing: rows of two or
  // more bodies do not change when these move together (as joints do not). Rows of one body act on
  // the ground; others that do, or have no such symmetry, must be grounded, or list a body of size
  // 0
  const int *parent;        // parent body, -1 for the ground
  const int *parent_group;  // the group that joins the body to its parent; not needed
  const bool *grounded;     // may be NULL: per group, it acts on the ground besides its bodies
} hn_saddle_graph;

typedef struct hn_saddle_plan hn_saddle_plan;

// chooses the elimination order and lays out the storage; NULL when out of memory.
// cost of the plan and of each factorisation is linear in the bodies for chains, trees, ladders
// of loops and stars; a body with k loop joints that lead elsewhere than to its own subtree costs
// k^2 to k^3
hn_saddle_plan *hn_saddle_plan_create(const hn_saddle_graph *graph);
void hn_saddle_plan_destroy(hn_saddle_plan *plan);
int hn_saddle_plan_nv(const hn_saddle_plan *plan);
int hn_saddle_plan_rows(const hn_saddle_plan *plan);
// doubles stored and multiply-adds of one numeric factorisation, for reports
long hn_saddle_plan_storage(const hn_saddle_plan *plan);
// the nv + rows unknowns (x, then l) in the order of elimination; those of size 0 take no part
void hn_saddle_plan_unknowns(const hn_saddle_plan *plan, int *order);
long hn_saddle_plan_flops(const hn_saddle_plan *plan);

// the numbers of one factorisation, in the caller's arena
typedef struct hn_saddle {
  const hn_saddle_plan *plan;
  double *block;       // collected blocks, pivots and L
  double *work;        // how much the pivot of each row shrank
  const double *lost;  // rows, may be NULL: what was taken from the natural size of each row (the
                       // square of its length on the free bodies) before it was written into J
  double pivot_ratio;  // smallest |pivot| / (its natural size) of all rows: sin^2 of the angle to
                       // the rows before it. 0 when rows are left out
} hn_saddle;
void hn_saddle_layout(hn_saddle *saddle, hn_arena *arena, const hn_saddle_plan *plan);

// W = diag(weight) (nv numbers, all > 0); J holds the blocks of the graph's block_offset;
// D (rows numbers) may be NULL. A vanishing pivot (redundant rows, D = 0; below 1e-13 of the row's
// natural size) does not blow up: the row is left out, its multiplier is 0, and pivot_ratio tells.
// J, weight and D are not needed any more afterwards.
void hn_saddle_factor(hn_saddle *saddle, const double *weight, const double *J, const double *D);

// the row that had the smallest pivot in the last factorisation, -1 when there are no rows
int hn_saddle_weakest_row(const hn_saddle *saddle);

// how many rows the last factorisation left out; active[row] (may be NULL) becomes false for those
int hn_saddle_dropped(const hn_saddle *saddle, bool *active);

// log of |determinant| of the matrix last factorised, rows left out not counted
double hn_saddle_log_determinant(const hn_saddle *saddle);

// solves in place: on entry x = r (nv), l = s (rows); on return x and l. Changes nothing else, so
// threads may share a factorisation
void hn_saddle_solve(const hn_saddle *saddle, double *x, double *l);

// hn_saddle_factor, then hn_saddle_solve, with half of the solution done on the way
void hn_saddle_factor_solve(hn_saddle *saddle, const double *weight, const double *J,
                            const double *D, double *x, double *l);

#endif
