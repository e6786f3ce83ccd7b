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
// explicit inverses of the small pivot blocks P. Bodies give positive, groups negative pivots.
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
  const int *group_body;    // distinct within a group; entries of size-0 bodies are skipped
  const int *block_offset;  // same indexing: where the rows x size block of J lies, row by row
  // a group may be a pivot only after these bodies (beyond its own rows' structural need):
  // see hn_saddle_plan_create for the rule derived from parent[]
  const int *parent;        // spanning tree over bodies: parent body, -1 for a root (ground)
  const int *parent_group;  // the group that joins the body to its parent, -1 for a root
} hn_saddle_graph;

typedef struct hn_saddle_plan hn_saddle_plan;

// chooses the elimination order and lays out the storage; NULL when out of memory.
// cost of the plan and of each factorisation is linear in the bodies for chains, trees, ladders
// of loops and stars.
hn_saddle_plan *hn_saddle_plan_create(const hn_saddle_graph *graph);
void hn_saddle_plan_destroy(hn_saddle_plan *plan);
int hn_saddle_plan_nv(const hn_saddle_plan *plan);
int hn_saddle_plan_rows(const hn_saddle_plan *plan);
// doubles stored and multiply-adds of one numeric factorisation, for reports
long hn_saddle_plan_storage(const hn_saddle_plan *plan);
long hn_saddle_plan_flops(const hn_saddle_plan *plan);

// the numbers of one factorisation, in the caller's arena
typedef struct hn_saddle {
  const hn_saddle_plan *plan;
  double *block;       // pivot inverses and L blocks
  double *work;        // permuted right-hand side and scratch
  double pivot_ratio;  // smallest |pivot| / (its value before elimination) met among the rows
  int weakest_row;     // the row that had it, -1 when there are no rows
} hn_saddle;
void hn_saddle_layout(hn_saddle *saddle, hn_arena *arena, const hn_saddle_plan *plan);

// W = diag(weight) (nv numbers, all > 0); J holds the blocks of the graph's block_offset;
// D (rows numbers) may be NULL. A vanishing pivot (redundant rows, D = 0) does not blow up: the
// row is left out (its multiplier is 0) and pivot_ratio tells.
void hn_saddle_factor(hn_saddle *saddle, const double *weight, const double *J, const double *D);

// how many rows the last factorisation left out; active[row] (may be NULL) becomes false for those
int hn_saddle_dropped(const hn_saddle *saddle, bool *active);

// solves in place: on entry x = r (nv), l = s (rows); on return x and l
void hn_saddle_solve(const hn_saddle *saddle, double *x, double *l);

#endif
