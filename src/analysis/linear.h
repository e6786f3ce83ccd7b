// linear.h: linearisation and its eigenvalues, for the analyses that need them.
#ifndef HN_LINEAR_H
#define HN_LINEAR_H

#include "analysis/carrier.h"
#include "analysis/manifold.h"

// Linearisation is one function of a state, hn_linearise_at. What a state is (an equilibrium, a
// kink, a steady motion) and whether its eigenvalues mean anything is decided around it:
// linearise.c for states of rest, steady.c for motions. Both fill the same matrices by the same
// parts below.
// at any state, as it is in this instant; `still`: motions of drivers stand still (statics)
hn_status hn_linearise_at(hn_manifold *m, double t, const double *q, const double *v, bool still,
                          hn_linear **out);

// ---- its parts -----------------------------------------------------------------------------

// work space of one linearisation
typedef struct hn_linear_work {
  hn_manifold *m;
  hn_arena arena;
  int n, k;          // vectors in Z and U
  double *Z, *U;     // bases, vector after vector
  double *F, *C;     // nv x nv: derivatives of all forces by q and v
  double *V, *slip;  // d(J v)/dq in the layout of J, rows
  double *N;         // -N B Z, vector after vector
  double *a;         // nv: accelerations last evaluated
  double *by_state;  // nv x states, nv x inputs: derivatives of all forces
  double *by_input;
  double *gradient, *turning;  // nv each, of a measured quantity: by v (or q), and of its rate by q
  double force, most;          // largest acceleration by forces alone, and of all [m/s^2]
} hn_linear_work;

hn_status hn_linear_work_create(hn_linear_work *s, hn_manifold *m);
void hn_linear_work_release(hn_linear_work *s);
// accelerations and all derivatives at a state
hn_status hn_linear_evaluate(hn_linear_work *s, double t, const double *q, const double *v,
                             bool still);
// bases of what the rows leave free at the state last evaluated
void hn_linear_bases(hn_linear_work *s);
// A, K, C in the bases at hand; carrier: as seen from its axes, NULL: in this instant
void hn_linear_fill(hn_linear_work *s, const hn_carrier *carrier, const double *v, hn_linear *l);
// room for n and k directions and so many states; NULL: out of memory
hn_linear *hn_linear_create(const hn_system *sys, int n, int k, int states);
// rows and columns of A
static inline int hn_linear_size(const hn_linear *l) {
  return l->n + l->m + l->states;
}

// largest difference of two state matrices, relative to their fastest rate, or `rate`
double hn_linear_difference(const hn_linear *a, const hn_linear *b, double rate);

// steady.c: as seen from axes in which nothing changes; *out is NULL and `why` says so when the
// state is not one of a steady motion
hn_status hn_linearise_steady(hn_manifold *m, double t, const double *q, const double *v,
                              hn_linear **out, char *why, size_t size);

#endif
