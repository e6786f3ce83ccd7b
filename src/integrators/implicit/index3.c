// index3.c: constraints on the positions at the end of the step, multipliers beside them.
//
//   M v' = f + J^T lambda,   Phi(q, t) = 0,   A v + b = 0 (nonholonomic rows)
//
// Unknowns: the increment d of the positions and beta h^2 lambda. With s = beta h / gamma,
// k = (1 - alpha_m) / (1 - alpha_f), T the turn of q (+) d with d, K and C the tangents of
// f + J^T lambda, V = d(J v)/dq, the iteration matrix is
//
//   [ k M - beta h^2 K T - gamma h C   -J^T ]      rows of J T for Phi,
//   [ J T  or  A + s V T                 0  ]      A + s V T for s (A v + b)
//
// With the option scaling: left the unknown is lambda itself, with none the dynamics are not
// multiplied by beta h^2 either. The matrix then has rows (first) and columns (last) multiplied by
// `row` and `column` below, and its condition grows as h falls: this is to be seen, nothing else.
//
// A. Cardona, M. Geradin, Time integration of the equations of motion in mechanism analysis
// (1989); O. Bruls, A. Cardona, M. Arnold, Lie group generalized-alpha time integration of
// constrained flexible multibody systems (2012).
#include "integrators/implicit/implicit.h"

typedef struct scales {
  double row, column;
} scales;

static scales scales_of(const hn_sim *sim, const hn_implicit *s) {
  double square = s->c.beta * s->h * s->h;
  char kind = sim->opt.scaling[0];
  // the first letter tells none, left and full apart
  return (scales){kind == 'n' ? 1 / square : 1, kind == 'f' ? 1 : square};
}

static void matrix(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  hn_work *work = &sim->stage.work;
  scales z = scales_of(sim, s);
  double h = s->h, speed = c->beta * h / c->gamma;
  hn_newton_target target;
  hn_newton_turns(sys, s->d, s->turn);
  hn_newton_clear(s->newton);
  hn_newton_tangent(s->newton, 0, 0, -z.row * c->beta * h * h, -z.row * c->gamma * h, s->turn,
                    &target);
  hn_constraint_tangent(work, s->end->lambda, &target.tangent);
  hn_force_tangent(work, &target.tangent);
  hn_mass_tangent(work, s->end->vdot, &target.tangent);
  hn_newton_mass(s->newton, 0, 0, work, z.row * (1 - c->am) / (1 - c->af));
  hn_newton_jacobian(s->newton, 0, 1, work->J, -z.row * z.column, s->kept);
  hn_newton_diagonal(s->newton, 1, 1, s->diagonal, z.column);
  // holonomic rows, then the others
  hn_newton_turn_rows(sys, work->J, s->turn, s->rows);
  double *factor = sim->room.r2;
  bool all = true;
  for (int i = 0; i < sys->rows; i++) {
    factor[i] = sys->holonomic[i] ? s->kept[i] : 0;
    all = all && sys->holonomic[i];
  }
  hn_newton_jacobian(s->newton, 1, 0, s->rows, 1, factor);
  if (all) return;
  for (int i = 0; i < sys->rows; i++) factor[i] = sys->holonomic[i] ? 0 : s->kept[i];
  hn_velocity_tangent(work, s->V);
  hn_newton_turn_rows(sys, s->V, s->turn, s->rows);
  hn_newton_jacobian(s->newton, 1, 0, work->J, 1, factor);
  hn_newton_jacobian(s->newton, 1, 0, s->rows, speed, factor);
}

static void residual(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  double *r = s->x + sys->nv, speed = s->c.beta * s->h / s->c.gamma;
  scales z = scales_of(sim, s);
  hn_implicit_dynamics(sim, s, s->x);
  for (int i = 0; i < sys->nv; i++) s->x[i] *= z.row;
  for (int i = 0; i < sys->rows; i++)
    r[i] =
        -s->kept[i] * (sys->holonomic[i] ? sim->stage.work.phi[i] : speed * sim->stage.work.psi[i]);
}

static void update(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  double scale = 1 / (s->c.beta * s->h * s->h), column = scales_of(sim, s).column;
  const double *r = s->x + sys->nv;
  for (int i = 0; i < sys->nv; i++) s->end->a[i] += scale * s->x[i];
  for (int i = 0; i < sys->rows; i++) s->end->lambda[i] += s->kept[i] * scale * column * r[i];
}

static const hn_cell cells[] = {
    HN_CELL_BODIES, HN_CELL_JT,   //
    HN_CELL_J, HN_CELL_DIAGONAL,  //
};

const hn_formulation hn_form_index3 = {
    .parts = "vr",
    .cell = cells,
    .velocity_free = true,
    .matrix = matrix,
    .residual = residual,
    .update = update,
};
