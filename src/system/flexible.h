// flexible.h: a flexible body at work, for the files it is spread over: flexible.c and
// flexible_second.c, geometric stiffening.
#ifndef HN_FLEXIBLE_H
#define HN_FLEXIBLE_H

#include <string.h>

#include "system/system.h"

// a number and its change
typedef struct dual {
  double v, d;
} dual;

typedef struct hn_bending {
  const hn_sys_flexible *x;
  const hn_reduced *o;
  const hn_work *work;
  int n, np;
  double A[9], down[3];    // axes, gravity in them
  double *Q;               // per interface: A^T R_i
  double *turn;            // per interface: its change against the frame
  dual *E;                 // per interface: (tr(Q) 1 - Q)/2
  dual *r;                 // per interface
  dual *p, *rate, *rate2;  // np
  dual *nu, *own, *push;   // n: velocities, accelerations, rates of the velocities
  dual *z, *z_rate;        // size
  dual *g, *h;             // size: G z, G z'
  dual *c;                 // np
  dual *F;                 // n
  double *matrix;          // n x n
  double *product;         // size x n
  // with geometric stiffening (flexible_second.c):
  dual *along, *along_rate;      // 12 x np: matrices of model/stiffen.c times p and its rate
  dual *sum, *sum_rate, *sum_2;  // 12: quadratic forms of these matrices, and their rates
  dual *wide, *load;             // np: what the stiffness is that of; its force
} hn_bending;

// ---- pairs ---------------------------------------------------------------------------------

static inline dual times(dual a, dual b) {
  return (dual){a.v * b.v, a.v * b.d + a.d * b.v};
}
static inline void add(dual *o, double s, dual a) {
  o->v += s * a.v, o->d += s * a.d;
}
static inline void add3(dual o[3], double s, const dual a[3]) {
  for (int k = 0; k < 3; k++) add(&o[k], s, a[k]);
}
// o += s a x b
static inline void add_cross(dual o[3], double s, const dual a[3], const dual b[3]) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    add(&o[k], s, times(a[i], b[j]));
    add(&o[k], -s, times(a[j], b[i]));
  }
}
static inline void set(dual *o, const double *v, int count) {
  for (int k = 0; k < count; k++) o[k] = (dual){v[k], 0};
}
static inline void values(double *o, const dual *a, int count) {
  for (int k = 0; k < count; k++) o[k] = a[k].v;
}
static inline void changes(double *o, const dual *a, int count) {
  for (int k = 0; k < count; k++) o[k] = a[k].d;
}

// ---- geometric stiffening --------------------------------------------------------------------

// the quadratic forms, without rates and with them
void hn_second_place(hn_bending *m);
void hn_second_rates(hn_bending *m);
// add to m->c, and to the balance of the frame
void hn_second_inertia(hn_bending *m);
void hn_second_gravity(hn_bending *m, const dual gravity[3]);
void hn_second_stiffness(hn_bending *m);
void hn_second_frame(hn_bending *m);
// potential energy of stiffness and weight, less that of the modes by themselves
double hn_second_potential(hn_bending *m);
void hn_second_masses(const hn_bending *m, double *M);

#endif
