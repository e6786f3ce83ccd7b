// ggl.c: constraints on positions and velocities at the end of the step (index 2 after Gear,
// Gupta and Leimkuhler), with further multipliers that pull the positions.
//
//   M v' = f + J^T lambda,   Phi(q, t) = 0,   J v + Phi_t = 0,   M e = J_n^T eta
//
// where e is the correction of the positions (implicit.h) and J_n belongs to the start of the
// step. Unknowns, all in units of position: w = beta h^2 da, the change of d, beta h^2 lambda, eta.
// With the letters of index3.c the iteration matrix is
//
//   [ k M - gamma h C   -beta h^2 K T   -J^T     0    ]
//   [ -M                 M               0    -J_n^T  ]
//   [ J                  s V T           0       0    ]   s (J v + Phi_t)
//   [ 0                  J T             0       0    ]   Phi
//
// C. W. Gear, B. Leimkuhler, G. K. Gupta, Automatic integration of Euler-Lagrange equations with
// constraints (1985).
#include "integrators/implicit/implicit.h"

#include <string.h>

static void matrix(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  hn_work *work = &sim->stage.work;
  hn_newton *n = s->newton;
  double h = s->h, *kept = sim->room.r2;  // holonomic rows solved for
  hn_newton_target by_v, by_q;
  hn_newton_turns(sys, s->d, s->turn);
  hn_newton_clear(n);
  hn_newton_tangent(n, 0, 0, 0, -c->gamma * h, NULL, &by_v);
  hn_newton_tangent(n, 0, 1, -c->beta * h * h, 0, s->turn, &by_q);
  hn_force_tangent(work, &by_v.tangent);
  hn_force_tangent(work, &by_q.tangent);
  hn_constraint_tangent(work, s->end->lambda, &by_q.tangent);
  hn_mass_tangent(work, s->end->vdot, &by_q.tangent);
  hn_newton_mass(n, 0, 0, work, (1 - c->am) / (1 - c->af));
  hn_newton_jacobian(n, 0, 2, work->J, -1, s->kept);
  hn_newton_diagonal(n, 1, 0, sys->mass, -1);
  hn_newton_diagonal(n, 1, 1, sys->mass, 1);
  hn_newton_jacobian(n, 2, 0, work->J, 1, s->kept);
  hn_velocity_tangent(work, s->V);
  hn_newton_turn_rows(sys, s->V, s->turn, s->rows);
  hn_newton_jacobian(n, 2, 1, s->rows, c->beta * h / c->gamma, s->kept);
  hn_newton_diagonal(n, 2, 2, s->diagonal, 1);
  for (int i = 0; i < sys->rows; i++) {
    kept[i] = sys->holonomic[i] ? s->kept[i] : 0;
    if (!sys->holonomic[i]) s->diagonal[i] = 1;
  }
  hn_newton_jacobian(n, 1, 3, s->J0, -1, kept);
  hn_newton_turn_rows(sys, work->J, s->turn, s->rows);
  hn_newton_jacobian(n, 3, 1, s->rows, 1, kept);
  hn_newton_diagonal(n, 3, 3, s->diagonal, 1);
}

static void residual(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  int nv = sys->nv, rows = sys->rows;
  double *e = s->x + nv, *psi = e + nv, *phi = psi + rows, *J = work->J;
  double speed = s->c.beta * s->h / s->c.gamma;
  hn_implicit_dynamics(sim, s, s->x);
  for (int i = 0; i < nv; i++) e[i] = -sys->mass[i] * s->e[i];
  work->J = s->J0;
  hn_jacobian_tmul_add(work, s->eta, 1, e);
  work->J = J;
  for (int i = 0; i < rows; i++) {
    psi[i] = -s->kept[i] * speed * work->psi[i];
    phi[i] = sys->holonomic[i] ? -s->kept[i] * work->phi[i] : 0;
  }
}

static void update(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  int nv = sys->nv, rows = sys->rows;
  double scale = 1 / (s->c.beta * s->h * s->h);
  double *w = s->x, *d = w + nv, *lambda = d + nv, *eta = lambda + rows;
  for (int i = 0; i < nv; i++) {
    s->end->a[i] += scale * w[i];
    s->e[i] += d[i] - w[i];
    // both count when convergence is judged
    if (fabs(d[i]) > fabs(w[i])) w[i] = d[i];
  }
  for (int i = 0; i < rows; i++) {
    s->end->lambda[i] += s->kept[i] * scale * lambda[i];
    s->eta[i] += sys->holonomic[i] ? s->kept[i] * eta[i] : 0;
  }
}

static const hn_cell cells[] = {
    HN_CELL_BODIES,   HN_CELL_BODIES,   HN_CELL_JT,       HN_CELL_EMPTY,     //
    HN_CELL_DIAGONAL, HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_JT,        //
    HN_CELL_J,        HN_CELL_J,        HN_CELL_DIAGONAL, HN_CELL_EMPTY,     //
    HN_CELL_EMPTY,    HN_CELL_J,        HN_CELL_EMPTY,    HN_CELL_DIAGONAL,  //
};

const hn_formulation hn_form_ggl = {
    .parts = "vvrr",
    .cell = cells,
    .keeps_J0 = true,
    .matrix = matrix,
    .residual = residual,
    .update = update,
};
