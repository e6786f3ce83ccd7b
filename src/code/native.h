// native.h: machine code for one system: its formulas written as C, compiled by the C compiler of
// the machine, loaded into this process.
//
// Both functions are pure: the same state gives the same answer, nothing is kept. `turn` and `side`
// are those of hn_work, what forces remember following the sides; `in` has the inputs and what
// sampled controllers hold, the states of first order, and value and two derivatives of every table
// (hn_native_in). They return the firmness of the rows (pivot ratio, saddle.h); where it is low the
// answer is worthless, and the library's own way has to be gone.
#ifndef HN_NATIVE_H
#define HN_NATIVE_H

#include "system/system.h"

// Arrays that have no numbers in a model (turn, side, in) may be NULL. Answers must not overlap
// what is read.
// qdot (nq), accelerations (nv), multipliers (rows), power of what has no potential, rates of
// states
typedef double (*hn_motion_fn)(double t, const double *q, const double *v, const double *turn,
                               const double *side, const double *in, double *qdot, double *a,
                               double *lambda, double *power, double *xdot);
// residuals of position and velocity (rows), and the smallest changes (nv, in the norm of the mass
// matrix) that take them away to first order
typedef double (*hn_projection_fn)(double t, const double *q, const double *v, const double *turn,
                                   const double *side, const double *in, double *phi, double *psi,
                                   double *d, double *x);

struct hn_native {
  void *handle;
  hn_motion_fn motion;
  hn_projection_fn projection;
};

// sets sys->native; on failure `message` says why. kept_only: no compiler is started, what an
// earlier run left is taken
hn_status hn_native_create(hn_system *sys, bool kept_only, char *message, size_t size);
void hn_native_destroy(hn_native *native);
// how many numbers `in` has, and what they are at time t with these states
int hn_native_ins(const hn_system *sys);
void hn_native_in(const hn_work *work, double t, const double *states, double *in);

#endif
