// energy_decaying.h: a step whose energy only falls, for energy_momentum.c.
#ifndef HN_ENERGY_DECAYING_H
#define HN_ENERGY_DECAYING_H

#include "integrators/energy/energy.h"

typedef struct hn_decaying {
  hn_energy_step step;  // looks at one way after the other
  double a;             // dissipation
  double *x, *y;        // q_f - q_i, (q_j - q_i)/a
  double *qf, *qj;
  double *rate, *r;       // scratch: nv; right-hand side and solution
  double *l, *n;          // h^2 times the multipliers, and times the force of the springs at j
  double *phi[2];         // rows at f and at j
  double *stiffness;      // of these springs
  double *force[2];       // of the way, of the jump
  double *value[3];       // of every function at i, j and f
  double *change[2];      // of every function in the jump and on the way
  double (*moved[2])[6];  // the same of forces between two bodies
  double *u, (*g)[2];     // forms at the end, derivatives of functions
  double done;            // work of forces without potential
  hn_sparse *sparse;      // the Newton matrix of all unknowns; heap
  int *place;             // per entry of the small matrix: places in the four blocks
} hn_decaying;

void hn_decaying_layout(hn_decaying *d, hn_sim *sim, hn_arena *arena);
hn_status hn_decaying_create(hn_decaying *d, hn_sim *sim);
void hn_decaying_release(hn_decaying *d);
// a first guess from the last step, the solution, and the state at the end
void hn_decaying_begin(hn_decaying *d, hn_sim *sim, double h);
// the Newton matrix at x, y and the multipliers s->l, and the right-hand side r without these
void hn_decaying_evaluate(hn_decaying *d, hn_sim *sim);
hn_status hn_decaying_solve(hn_decaying *d, hn_sim *sim);
void hn_decaying_finish(hn_decaying *d, hn_sim *sim, double *y);

#endif
