// newton.h: sparse iteration matrices of implicit methods, in reference coordinates.
//
// A matrix is a square of cells over a few unknown vectors, each as long as the velocities (v) or
// the constraint rows (r). Its pattern is planned once; filling it and factorising it costs O(n)
// for mechanisms whose bodies have few neighbours. For example
//
//   [ M - h^2 K   -J^T ]   parts "vr", cells  { HN_CELL_BODIES, HN_CELL_JT,
//   [ J             D  ]                        HN_CELL_J, HN_CELL_DIAGONAL }
#ifndef HN_NEWTON_H
#define HN_NEWTON_H

#include "linalg/sparse.h"
#include "system/system.h"

// One such matrix is planned for a run and filled again and again. Filling and factorising write to
// it: it is nothing for several threads
typedef struct hn_newton hn_newton;

typedef enum hn_cell {
  HN_CELL_EMPTY,
  HN_CELL_BODIES,    // v x v: a block for every pair of bodies the tangents connect
  HN_CELL_DIAGONAL,  // v x v or r x r
  HN_CELL_MASS,      // v x v: the nonzeros of M; for bodies its diagonal
  HN_CELL_J,         // r x v
  HN_CELL_JT,        // v x r
  HN_CELL_ROWS,      // r x r: the diagonal, and all pairs of rows that are coupled
} hn_cell;

enum { HN_MOST_PARTS = 6 };

// parts: a string of 'v' and 'r', cell: row by row. `work` is scratch; its state must have been
// evaluated. NULL: out of memory
hn_newton *hn_newton_create(hn_work *work, const char *parts, const hn_cell *cell);
void hn_newton_destroy(hn_newton *a);

hn_sparse *hn_newton_matrix(hn_newton *a);
// where an unknown vector begins
int hn_newton_start(const hn_newton *a, int part);

// pairs of bodies that tangents connect in any state, and the number of one of them
int hn_newton_pairs(const hn_newton *a);
int hn_newton_pair(const hn_newton *a, int i, int j);

// fill: everything adds to cell (i, j)
void hn_newton_clear(hn_newton *a);
// a target for tangents that adds K by_q + C by_v. When `turn` is given (3x3 per body), columns of
// K that belong to the turning of a spatial body are multiplied by its matrix from the right
typedef struct hn_newton_target {
  hn_tangent tangent;
  hn_newton *newton;
  int cell;
  double weight[2];
  const double *turn;
} hn_newton_target;
void hn_newton_tangent(hn_newton *a, int i, int j, double by_q, double by_v, const double *turn,
                       hn_newton_target *target);
// the same for rows in the layout of work->J: out = J diag(turn)
void hn_newton_turn_rows(const hn_system *sys, const double *J, const double *turn, double *out);
// for every spatial body how its orientation follows its part of a change of d in q (+) d:
// (q (+) d) (+) T e = q (+) (d + e) to first order; identities for the others
void hn_newton_turns(const hn_system *sys, const double *d, double *turn);
// s diag(x), also in a cell of bodies; x NULL: ones
void hn_newton_diagonal(hn_newton *a, int i, int j, const double *x, double s);
// s M in a cell of masses or bodies, at the state last evaluated
void hn_newton_mass(hn_newton *a, int i, int j, const hn_work *work, double s);
// s diag(factor) J, or its transpose in a cell JT; J in the layout of work->J, factor NULL: ones
void hn_newton_jacobian(hn_newton *a, int i, int j, const double *J, double s,
                        const double *factor);

// numbers of a cell of rows: the diagonal, then the matrices of the couplings one after the other,
// whose diagonals are not looked at
int hn_newton_row_numbers(const hn_system *sys);
void hn_newton_rows(hn_newton *a, int i, int j, const double *numbers);

#endif
