// velocity_free.c: v*, the unconstrained velocity at the end of a step.
//
// Explicit formulas by their coefficients; implicit ones, with theta = 1/2 (Crank-Nicolson) or 1
// (Euler), solve
//
//   M(q1) a1 = f(t1, q1, v1),  v1 = v0 + h ((1 - theta) a0 + theta a1),
//   q1 = q0 (+) d,  d = h ((1 - theta) v0 + theta v1)
//
// for a1 by Newton's iteration with the matrix M - theta h C - theta^2 h^2 K T. Formulas with
// memory (abm, BDF) have no place here: the past of the unconstrained motion would be one that the
// constraints bent. Formulas that only differ in the positions (symplectic Euler) give the same v*.
#include "integrators/velocity/velocity.h"

#include <string.h>

// coefficients of the formulas, row by row of hn_tableau
static const double nodes[] = {0, 0.5, 0.5, 1}, end_nodes[] = {0, 1}, whole[] = {0, 0, 1, 0};
static const double one[] = {1}, last[] = {0, 1}, mean[] = {0.5, 0.5};
static const double simpson[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const double half_rows[] = {0, 0, 0.5, 0};
static const double rk4_rows[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
static const hn_tableau euler = {1, 1, nodes, nodes, one};
static const hn_tableau midpoint = {2, 2, nodes, half_rows, last};
static const hn_tableau heun = {2, 2, end_nodes, whole, mean};
static const hn_tableau rk4 = {4, 4, nodes, rk4_rows, simpson};

static const struct {
  const char *name;
  const hn_tableau *tableau;
  double theta;
} table[] = {
    {"euler", &euler, 0},
    {"midpoint", &midpoint, 0},
    {"heun", &heun, 0},
    {"rk4", &rk4, 0},
    {"dopri5", &hn_tableau_dopri5, 0},
    {"dop853", &hn_tableau_dop853, 0},
    {"crank-nicolson", NULL, 0.5},
    {"implicit-euler", NULL, 1},
};
enum { COUNT = sizeof table / sizeof *table, MOST_ITERATIONS = 20 };

static int find(const hn_options *o) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(table[i].name, o->stepper_free) == 0) return i;
  return 0;
}

unsigned hn_free_without(const hn_options *o) {
  // tangents of forces are known in the coordinates of bodies
  return table[find(o)].tableau ? 0 : HN_CAN_RELATIVE;
}

void hn_free_layout(hn_sim *sim, hn_free_motion *f, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int which = find(&sim->opt);
  f->tableau = table[which].tableau;
  f->theta = table[which].theta;
  // an implicit formula keeps the derivative at the start only
  hn_stage_layout(sim, arena, f->tableau ? f->tableau->stages : 1);
  f->loose = HN_TAKE(arena, double, sys->rows);
  for (int i = 0; arena->base && i < sys->rows; i++) f->loose[i] = HN_LEFT_OUT;
  f->constant = HN_TAKE(arena, double, sys->states);
  if (f->tableau) return;
  double **const of_v[] = {&f->a0, &f->a1, &f->d, &f->change};
  for (int i = 0; i < 4; i++) *of_v[i] = HN_TAKE(arena, double, sys->nv);
  hn_iteration_layout(&f->it, arena, sys);
}

hn_status hn_free_create(hn_sim *sim, hn_free_motion *f) {
  if (!f->tableau && !hn_iteration_create(&f->it, sim))
    return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  return HN_OK;
}

bool hn_free_is_euler(const hn_free_motion *f) {
  return f->tableau == &euler;
}

// ydot without constraints
static void rate(hn_sim *sim, const hn_free_motion *f, double t, const double *y, double *ydot) {
  const hn_system *sys = sim->sys;
  const double *q = y, *v = y + sys->nq;
  hn_give_states(&sim->stage.work, y + sim->state.x);
  hn_eval_all(&sim->stage.work, t, q, v);
  sim->count.evaluations++;
  // all rows out: M alone
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, f->loose);
  sim->count.factorisations++;
  memset(ydot, 0, (size_t)sim->state.n * sizeof(double));
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  memcpy(ydot + sys->nq, sim->stage.work.r, (size_t)sys->nv * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, ydot + sys->nq, sim->room.r);
  hn_qdot(sys, q, v, ydot);
  ydot[sim->state.w] = sim->stage.work.power;
  if (sys->states) hn_state_rates(&sim->stage.work, ydot + sim->state.x);
}

static void explicit_step(hn_sim *sim, const hn_free_motion *f, double h) {
  const hn_tableau *m = f->tableau;
  double *const *k = sim->step.k, *y = sim->step.y_stage;
  for (int s = 0; s < m->stages; s++) {
    hn_stage_sum(y, sim->state.y, h, m->a + s * m->width, k, s, sim->state.n);
    rate(sim, f, sim->state.t + m->c[s] * h, y, k[s]);
  }
  hn_stage_sum(y, sim->state.y, h, m->b, k, m->stages, sim->state.n);
}

// the state that a1 leads to, in y
static void arrive(const hn_sim *sim, const hn_free_motion *f, double h, double *y) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->state.y + sys->nq;
  double *v = y + sys->nq, s = f->theta;
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  for (int i = 0; i < sys->nv; i++) {
    v[i] = v0[i] + h * ((1 - s) * f->a0[i] + s * f->a1[i]);
    f->d[i] = h * ((1 - s) * v0[i] + s * v[i]);
  }
  hn_retract(sys, y, f->d);
}

// one step of Newton's iteration at the state last evaluated; returns the change of a1 relative to
// its size
static double improve(hn_sim *sim, hn_free_motion *f, double h) {
  const hn_system *sys = sim->sys;
  double change = 0, size = 0, c = f->theta * h;
  hn_mass_mul(&sim->stage.work, f->a1, f->change);
  for (int i = 0; i < sys->nv; i++) f->change[i] = sim->stage.work.r[i] - f->change[i];
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  hn_iteration_increments(&f->it, sys, f->d);
  hn_iteration_diagonal(&f->it, sys, NULL);
  bool regular = hn_iteration_factor(&f->it, &sim->stage.work, sim->room.r, c, c * c,
                                     HN_ROWS_POSITION, f->loose);
  sim->count.factorisations++;
  if (!regular) return NAN;
  hn_iteration_solve(&f->it, sys, f->change, sim->room.r);
  for (int i = 0; i < sys->nv; i++) {
    double unit = sys->angular_v[i] ? sys->length : 1;
    f->a1[i] += f->change[i];
    change = fmax(change, unit * fabs(f->change[i]));
    size = fmax(size, unit * fmax(fabs(f->a1[i]), fabs(f->a0[i])));
    if (!isfinite(f->change[i])) return NAN;
  }
  return size > 0 ? change / size : 0;
}

static hn_status implicit_step(hn_sim *sim, hn_free_motion *f, double h) {
  static const double settled = 1e-12, rounded = 1e-8;
  const hn_system *sys = sim->sys;
  double *y = sim->step.y_stage, before = INFINITY;
  rate(sim, f, sim->state.t, sim->state.y, sim->step.k[0]);
  memcpy(f->a0, sim->step.k[0] + sys->nq, (size_t)sys->nv * sizeof(double));
  memcpy(f->a1, f->a0, (size_t)sys->nv * sizeof(double));
  double power = sim->stage.work.power;
  hn_states_follow(sim, &f->rule, f->constant, h, 1 - f->theta, sim->state.y, sim->step.k[0],
                   f->theta);
  for (int i = 0; i < MOST_ITERATIONS; i++) {
    arrive(sim, f, h, y);
    hn_eval_all(&sim->stage.work, sim->state.t + h, y, y + sys->nq);
    sim->count.evaluations++;
    double change = improve(sim, f, h);
    // what does not fall any more is round-off
    if (change <= settled || (change <= rounded && change > 0.5 * before)) {
      double end = sim->stage.work.power;
      // states go back to the start: the stepper itself takes them on (take_states)
      hn_states_stand(sim, sim->state.y);
      arrive(sim, f, h, y);
      y[sim->state.w] += h * ((1 - f->theta) * power + f->theta * end);
      return HN_OK;
    }
    before = change;
    if (isnan(change)) break;
  }
  hn_states_stand(sim, sim->state.y);
  return hn_sim_fail(sim, HN_ERR_STEP,
                     "t=%.6g: Newton's iteration for the unconstrained motion does not converge "
                     "(step %.3g s; a smaller 'step' may help, or another 'stepper_free')",
                     sim->state.t, h);
}

hn_status hn_free_step(hn_sim *sim, hn_free_motion *f, double h) {
  if (!f->tableau) return implicit_step(sim, f, h);
  explicit_step(sim, f, h);
  return HN_OK;
}
