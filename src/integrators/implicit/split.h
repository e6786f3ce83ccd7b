// split.h: the coordinate split, by which implicit steppers do without multipliers.
//
// Rows of J that are independent, and as many coordinates Y that these rows tell apart best, are
// chosen by elimination with full pivoting; X are the other coordinates. Then
//
//   P^T r = r_X - (J_X)^T l,   (J_Y)^T l = r_Y,   P^T J^T = 0
//
// and when P^T (M v' - f) = 0 the l of r = M v' - f are the multipliers. With a fixed choice P is a
// smooth function of the positions, and d(P^T r) = P^T (dr - d(J^T) l). Its rows are the unit
// matrix for X and -(J_Y)^-1 J_X for Y.
//
// J. Yen, L. Petzold, S. Raha, A time integration algorithm for flexible mechanism dynamics: the
// DAE alpha-method (1998).
#ifndef HN_SPLIT_H
#define HN_SPLIT_H

#include "integrators/implicit/implicit.h"
#include "linalg/dense_step.h"

typedef struct hn_split {
  int n, m;         // coordinates, rows chosen
  int *row;         // the rows chosen
  int *coordinate;  // Y (m of them), then X
  const double *J;  // all rows, dense, as given to hn_split_at
  double *S;        // factors of (J_Y)^T
  int *swap;
  double *lambda;  // of the last projection, for the rows chosen
  double *P;       // n x (n - m), filled by hn_split_write_out
  hn_lu choice;
} hn_split;

void hn_split_layout(hn_split *p, hn_arena *arena, const hn_system *sys);
// a new choice among the rows with keep[i] > 0; J: all rows x nv. Rows may depend on each other
void hn_split_choose(hn_split *p, const hn_system *sys, const double *J, const double *keep);
// P belongs to J from now on, which must stay. false: these coordinates do not serve any more
bool hn_split_at(hn_split *p, const double *J);
// out (n - m) = P^T r, and p->lambda
void hn_split_project(hn_split *p, const double *r, double *out);
// P as a matrix, for the J given last
void hn_split_write_out(hn_split *p);
// s P^T A for that P and columns of A (n x n), into rows of B that are `width` long
void hn_split_project_matrix(const hn_split *p, const double *A, double s, double *B, int width);

// what the formulations of this kind share: dense matrices, and the splits of all rows (velocities,
// accelerations) and of the holonomic ones (positions)
typedef struct hn_split_stepper {
  hn_split all, positions;
  hn_split *holonomic;  // `positions`, or `all` where there are no other rows
  double *J;            // at the iterate last evaluated
  double *JT, *VT;      // rows for changes of d: of positions, of velocities
  double *V;            // d(J v)/dq
  double *M;            // mass matrix at the factors
  double *C;            // dynamics by velocities and accelerations: k M - gamma h C
  double *K;            // dynamics by positions: -beta h^2 K T
  double *W;            // diag(sys->mass), which weighs corrections
  double *r, *z;        // scratch, nv
} hn_split_stepper;

void hn_split_stepper_layout(hn_split_stepper *o, hn_arena *arena, const hn_system *sys);
// at the iterate last evaluated: chooses, and fills everything. false: no split is possible
bool hn_split_linearise(hn_sim *sim, hn_implicit *s, hn_split_stepper *o);
// the same iterate's splits with the choice as it is, multipliers into s->end->lambda, and
// x (n - m) = -beta h^2 P^T (M v' - f)
void hn_split_dynamics(hn_sim *sim, hn_implicit *s, hn_split_stepper *o, double *x);
// x (n - m) = -s P^T W y
void hn_split_weigh(hn_split_stepper *o, hn_split *p, double s, const double *y, double *x);
// smallest over largest pivot of factors in place
double hn_split_rcond(int n, const double *LU);

#endif
