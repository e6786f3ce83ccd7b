// index1.c: constraints on positions, velocities and accelerations at the end of the step, with
// further multipliers that pull positions and velocities.
//
//   M v' = f + J^T lambda,   J v' = gamma,   J v + Phi_t = 0,   Phi(q, t) = 0
//   W e = J_n^T eta,   W g = J_n^T zeta
//
// where e and g correct the positions and velocities of the closure (implicit.h) and J_n belongs to
// the start of the step. With W = M (its size, where M is no constant diagonal) these are the
// multipliers of Gear's index-1 form. With W = 1 the closure holds for the components of d and v
// along the tangent space at the start of the step, which is the tangent-space parametrisation of
// Potra and Yen.
//
// Unknowns, all in units of position: w = beta h^2 da, u = s dv, the change of d, beta h^2 lambda,
// s zeta, eta. With the letters of index3.c and ggl.c the iteration matrix is
//
//   [ k M   -gamma h C       -beta h^2 K T  -J^T    0        0    ]
//   [ -W     W                0              0     -J_n^T    0    ]
//   [ -W     0                W              0      0     -J_n^T  ]
//   [ J      2 gamma h V / k  0              0      0        0    ]   beta h^2 (J v' - gamma) / k
//   [ 0      J                s V T          0      0        0    ]   s (J v + Phi_t)
//   [ 0      0                J T            0      0        0    ]   Phi
//
// where K contains the change of M v' with q that inertia depending on the state brings.
// The change of J v' - gamma with q is left out: it is smaller than J by (h w)^2, w being the
// frequency of the motion, and costs that much of the rate of convergence, not of the solution.
//
// C. W. Gear, Differential-algebraic equation index transformations (1988). F. A. Potra, J. Yen,
// Implicit numerical integration for Euler-Lagrange equations via tangent space parametrization
// (1991).
#include "integrators/implicit/implicit.h"

#include <string.h>

static void matrix_with(hn_sim *sim, hn_implicit *s, const double *weight) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  hn_work *work = &sim->stage.work;
  hn_newton *n = s->newton;
  double h = s->h, k = (1 - c->am) / (1 - c->af),
         *kept = sim->room.r2;  // holonomic rows solved for
  hn_newton_target by_v, by_q;
  hn_newton_turns(sys, s->d, s->turn);
  hn_newton_clear(n);
  hn_newton_tangent(n, 0, 1, 0, -c->gamma * h, NULL, &by_v);
  hn_newton_tangent(n, 0, 2, -c->beta * h * h, 0, s->turn, &by_q);
  hn_force_tangent(work, &by_v.tangent);
  hn_force_tangent(work, &by_q.tangent);
  hn_constraint_tangent(work, s->end->lambda, &by_q.tangent);
  hn_mass_tangent(work, s->end->vdot, &by_q.tangent);
  hn_newton_mass(n, 0, 0, work, k);
  hn_newton_jacobian(n, 0, 3, work->J, -1, s->kept);
  for (int part = 1; part < 3; part++) {
    hn_newton_diagonal(n, part, 0, weight, -1);
    hn_newton_diagonal(n, part, part, weight, 1);
  }
  hn_velocity_tangent(work, s->V);
  hn_newton_jacobian(n, 1, 4, s->J0, -1, s->kept);
  hn_newton_jacobian(n, 3, 0, work->J, 1, s->kept);
  hn_newton_jacobian(n, 3, 1, s->V, 2 * c->gamma * h / k, s->kept);
  hn_newton_jacobian(n, 4, 1, work->J, 1, s->kept);
  hn_newton_turn_rows(sys, s->V, s->turn, s->rows);
  hn_newton_jacobian(n, 4, 2, s->rows, c->beta * h / c->gamma, s->kept);
  hn_newton_diagonal(n, 3, 3, s->diagonal, 1);
  hn_newton_diagonal(n, 4, 4, s->diagonal, 1);
  for (int i = 0; i < sys->rows; i++) {
    kept[i] = sys->holonomic[i] ? s->kept[i] : 0;
    if (!sys->holonomic[i]) s->diagonal[i] = 1;
  }
  hn_newton_jacobian(n, 2, 5, s->J0, -1, kept);
  hn_newton_turn_rows(sys, work->J, s->turn, s->rows);
  hn_newton_jacobian(n, 5, 2, s->rows, 1, kept);
  hn_newton_diagonal(n, 5, 5, s->diagonal, 1);
}

// x = J_n^T l - W y
static void pull(hn_sim *sim, const hn_implicit *s, const double *weight, const double *y,
                 const double *l, double scale, double *x) {
  double *J = sim->stage.work.J;
  for (int i = 0; i < sim->sys->nv; i++) x[i] = -scale * (weight ? weight[i] : 1) * y[i];
  sim->stage.work.J = s->J0;
  hn_jacobian_tmul_add(&sim->stage.work, l, scale, x);
  sim->stage.work.J = J;
}

static void residual_with(hn_sim *sim, hn_implicit *s, const double *weight) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  hn_work *work = &sim->stage.work;
  int nv = sys->nv, rows = sys->rows;
  double *g = s->x + nv, *e = g + nv, *gamma = e + nv, *psi = gamma + rows, *phi = psi + rows;
  double h = s->h, speed = c->beta * h / c->gamma;
  double acceleration = c->beta * h * h * (1 - c->af) / (1 - c->am);
  hn_implicit_dynamics(sim, s, s->x);
  pull(sim, s, weight, s->g, s->zeta, speed, g);
  pull(sim, s, weight, s->e, s->eta, 1, e);
  hn_jacobian_mul(work, s->end->vdot, gamma);
  for (int i = 0; i < rows; i++) {
    gamma[i] = s->kept[i] * acceleration * (work->gamma[i] - gamma[i]);
    psi[i] = -s->kept[i] * speed * work->psi[i];
    phi[i] = sys->holonomic[i] ? -s->kept[i] * work->phi[i] : 0;
  }
}

void hn_index1_update_motion(hn_sim *sim, hn_implicit *s) {
  int nv = sim->sys->nv;
  double scale = 1 / (s->c.beta * s->h * s->h), speed = s->c.beta * s->h / s->c.gamma;
  double *w = s->x;
  const double *u = w + nv, *d = u + nv;
  for (int i = 0; i < nv; i++) {
    s->end->a[i] += scale * w[i];
    // what velocities and positions change by beyond w is their correction
    s->g[i] += (u[i] - w[i]) / speed;
    s->e[i] += d[i] - w[i];
    // all count when convergence is judged
    if (fabs(u[i]) > fabs(w[i])) w[i] = u[i];
    if (fabs(d[i]) > fabs(w[i])) w[i] = d[i];
  }
}

void hn_index1_update(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  int rows = sys->rows;
  double scale = 1 / (s->c.beta * s->h * s->h), speed = s->c.beta * s->h / s->c.gamma;
  const double *lambda = s->x + 3 * sys->nv, *zeta = lambda + rows, *eta = zeta + rows;
  hn_index1_update_motion(sim, s);
  for (int i = 0; i < rows; i++) {
    s->end->lambda[i] += s->kept[i] * scale * lambda[i];
    s->zeta[i] += s->kept[i] * zeta[i] / speed;
    s->eta[i] += sys->holonomic[i] ? s->kept[i] * eta[i] : 0;
  }
}

static void matrix_mass(hn_sim *sim, hn_implicit *s) {
  matrix_with(sim, s, sim->sys->mass);
}
void hn_index1_matrix_plain(hn_sim *sim, hn_implicit *s) {
  matrix_with(sim, s, NULL);
}
static void residual_mass(hn_sim *sim, hn_implicit *s) {
  residual_with(sim, s, sim->sys->mass);
}
void hn_index1_residual_plain(hn_sim *sim, hn_implicit *s) {
  residual_with(sim, s, NULL);
}

// clang-format off
const hn_cell hn_index1_cells[] = {
    HN_CELL_MASS,     HN_CELL_BODIES,   HN_CELL_BODIES,   HN_CELL_JT,       HN_CELL_EMPTY,    HN_CELL_EMPTY,
    HN_CELL_DIAGONAL, HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_JT,       HN_CELL_EMPTY,
    HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_JT,
    HN_CELL_J,        HN_CELL_J,        HN_CELL_EMPTY,    HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_EMPTY,
    HN_CELL_EMPTY,    HN_CELL_J,        HN_CELL_J,        HN_CELL_EMPTY,    HN_CELL_DIAGONAL, HN_CELL_EMPTY,
    HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_J,        HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_DIAGONAL,
};
// clang-format on

const hn_formulation hn_form_index1 = {
    .parts = "vvvrrr",
    .cell = hn_index1_cells,
    .keeps_J0 = true,
    .matrix = matrix_mass,
    .residual = residual_mass,
    .update = hn_index1_update,
};

const hn_formulation hn_form_tangent_space = {
    .parts = "vvvrrr",
    .cell = hn_index1_cells,
    .keeps_J0 = true,
    .matrix = hn_index1_matrix_plain,
    .residual = hn_index1_residual_plain,
    .update = hn_index1_update,
};
