// iteration_matrix.h: the linear system behind one Newton step of an implicit stepper.
//
//   [ M - c C - k K T   -J^T ] [ x ]   [ r ]     K = d(f + J^T lambda)/dq,  C = df/dv
//   [ J T                D   ] [ l ] = [ s ]     x and r in velocity coordinates
//
// T takes the unknown to a change of the configuration in body axes: the identity but for the
// turning of spatial bodies, where it is a 3 x 3 matrix. D is diagonal but for rows that are
// coupled; a row that is left out has only its diagonal, and l = s there.
#ifndef HN_ITERATION_MATRIX_H
#define HN_ITERATION_MATRIX_H

#include "sim/sim.h"
#include "system/newton.h"

// a block of K as a tangent gave it
typedef struct hn_iteration_block {
  int i, j;  // bodies
  double value[36];
} hn_iteration_block;

typedef struct hn_iteration {
  int n;         // nv + rows
  double *b;     // right-hand side and solution, n
  double *turn;  // T, nine numbers per body
  double *D;     // its diagonal, then the matrices of the couplings (see hn_newton_rows)
  double *J;     // J T, in the layout of work->J
  double *keep;  // per row: 0 when it is left out, otherwise 1
  // sparse, and the blocks of K for products
  hn_newton *newton;
  int blocks;  // one for each pair of bodies
  hn_iteration_block *block;
  hn_newton_target target;
  // mass matrices that are no diagonal: dense
  double *A;  // n x n, then its factors
  int *swap;  // row exchanges
  hn_tangent tangent;
  int *row, *column;  // of the numbers of J
} hn_iteration;

void hn_iteration_layout(hn_iteration *it, hn_arena *arena, const hn_system *sys);
// what lies outside the arena, after the layout; false: out of memory
bool hn_iteration_create(hn_iteration *it, hn_sim *sim);
void hn_iteration_release(hn_iteration *it);
void hn_iteration_outside(hn_iteration *it, hn_outside *o);
// T for unknowns that are rotation vectors d from where the step began: q = q0 (+) d
void hn_iteration_increments(hn_iteration *it, const hn_system *sys, const double *d);
// T for unknowns whose rate is asked for: (1 + s w x)^-1 with angular velocities in v
void hn_iteration_rates(hn_iteration *it, const hn_system *sys, const double *v, double s);
// D from one number per row (NULL: zero)
void hn_iteration_diagonal(hn_iteration *it, const hn_system *sys, const double *D);
// how the rows look at the unknown: J T, or J alone
typedef enum hn_iteration_rows { HN_ROWS_POSITION, HN_ROWS_VELOCITY } hn_iteration_rows;
// assembles and factorises at the state last evaluated by hn_eval_all. Rows with out[i] > 0 (may
// be NULL) are left out. false: singular
bool hn_iteration_factor(hn_iteration *it, hn_work *work, const double *lambda, double c, double k,
                         hn_iteration_rows rows, const double *out);
// in place: x = r, l = s on entry
void hn_iteration_solve(const hn_iteration *it, const hn_system *sys, double *x, double *l);
// x <- T x
void hn_iteration_turn(const hn_iteration *it, const hn_system *sys, double *x);
// y += s K T x, with the K of the last factorisation
void hn_iteration_stiffness(const hn_iteration *it, const hn_system *sys, const double *x, double s,
                            double *y);

#endif
