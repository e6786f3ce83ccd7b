// energy_decaying.c: the energy never rises, and what is too fast for the step vanishes.
//
// A step from i to f has a jump from i to j at its start. With x = q_f - q_i, y = (q_j - q_i)/a and
// the part a, the option `dissipation`,
//
//   v_f = (x - 3 y) / h,   v_j = (x + 3 y) / h
//   M (v_f - v_i) = h F,   M (v_j - v_i) = a h/3 (F_j - F)
//
// F belongs to the way from j to f and keeps the energy there, F . (q_f - q_j) = V_j - V_f; F_j
// belongs to the jump and takes energy away, F_j . (q_j - q_i) <= V_i - V_j. Both have the same
// multipliers, F = f + DPhi(j, f)^T lambda and F_j = f_j + DPhi(i, j)^T lambda, whose work over
// both ways is lambda . (Phi_f - Phi_i) = 0. Then the difference of energies is
//
//   E_f - E_i = -(v_j - v_i) . M (v_j - v_i) / 2 - (V_i - V_j - F_j . (q_j - q_i)) <= 0
//
// exactly, whatever the step. F_j has (1 - a) of the force that keeps the energy and a of that at
// q_j. On m u'' + k u = 0 with a = 1 this is the scheme of third order
// v_f - v_i = -h k/m (u_f + u_j)/2, v_j - v_i = h k/6m (u_f - u_j), u_f - u_i = h (v_f + v_j)/2,
// u_j - u_i = -h/6 (v_f - v_j), of which nothing is left as k h^2/m grows; a vibration far too fast
// for the step keeps the part (1 - a)/(1 + a) of its amplitude. At last velocities are projected
// onto the constraints in the metric of the kinetic energy, which cannot rise by that.
//
// The first equation times h, and the second with F taken from the first,
//
//   M (x - 3 y - h v_i) = h^2 F
//   M ((3 + a) (x - h v_i) + (9 - 3 a) y) = a h^2 F_j
//   Phi(q_f, t_f) = 0,   Phi(q_j, t_i) = n / k
//
// are solved for x, h^2 lambda, y and h^2 n by Newton's method. Discrete derivatives are symmetric
// in both ends: the derivative by q_j of what belongs to the way from j to f is that by the end of
// the way back.
//
// O. A. Bauchau, N. J. Theron, Energy decaying schemes for nonlinear elastic multi-body systems,
// Computers & Structures 59 (1996), has the linear scheme; O. A. Bauchau, C. L. Bottasso, On the
// design of energy preserving and decaying schemes for flexible, nonlinear multi-body systems,
// Comput. Methods Appl. Mech. Engrg. 169 (1999), the part a. F_j, the multipliers and the last
// projection are ours.
#include "integrators/energy/energy_decaying.h"
#include "base/vec.h"
#include "integrators/integrators.h"

#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 25, F = 0, J = 1 };  // blocks of unknowns and equations

// ---- the matrix ----------------------------------------------------------------------------

// the pattern of the small matrix in four blocks
static bool make_matrix(hn_decaying *d) {
  const hn_energy_step *s = &d->step;
  const hn_system *sys = s->sys;
  int small = sys->nv + sys->rows, size = 2 * small, entries = s->start[small], kept = 0;
  int *start = calloc((size_t)size + 1, sizeof(int));
  int *row = malloc((4 * (size_t)entries + 1) * sizeof(int));
  int *order = malloc(((size_t)size + 1) * sizeof(int));
  bool ok = start && row && order && hn_natural_order(sys, order);
  for (int c = 0; ok && c < size; c++) {
    for (int b = 0; b < 2; b++)
      for (int k = s->start[c % small]; k < s->start[c % small + 1]; k++)
        row[kept++] = s->row[k] + b * small;
    start[c + 1] = kept;
  }
  // both unknowns of a place side by side; from behind, as the list is written over itself
  for (int k = small - 1; ok && k >= 0; k--) {
    order[2 * k + 1] = order[k] + small;
    order[2 * k] = order[k];
  }
  d->sparse = ok ? hn_sparse_create_ordered(size, start, row, order) : NULL;
  d->place = malloc((4 * (size_t)entries + 1) * sizeof(int));
  ok = d->sparse && d->place;
  if (ok) hn_sparse_prefer_large(d->sparse, 0.1);
  for (int c = 0; ok && c < small; c++)
    for (int k = s->start[c]; k < s->start[c + 1]; k++)
      for (int b = 0; b < 4; b++)
        d->place[4 * k + b] =
            hn_sparse_place(d->sparse, s->row[k] + b / 2 * small, c + b % 2 * small);
  free(start), free(row), free(order);
  return ok;
}

// adds the coordinates' part of the small matrix to the block (equation, unknown), times factor
static void add_small(hn_decaying *d, int equation, int unknown, double factor) {
  const hn_energy_step *s = &d->step;
  const double *from = hn_sparse_values(s->sparse);
  double *to = hn_sparse_values(d->sparse);
  for (int c = 0; c < s->sys->nv; c++)
    for (int k = s->start[c]; k < s->start[c + 1]; k++)
      if (s->row[k] < s->sys->nv) to[d->place[4 * k + 2 * equation + unknown]] += factor * from[k];
}

static void clear_small(hn_energy_step *s) {
  memset(hn_sparse_values(s->sparse), 0,
         (size_t)s->start[s->sys->nv + s->sys->rows] * sizeof(double));
}

static void add_mass(hn_decaying *d, double a) {
  hn_energy_step *s = &d->step;
  const hn_mass_entries *m = s->sys->mass_entries;
  double *value = hn_sparse_values(s->sparse);
  clear_small(s);
  for (int k = 0; k < m->count; k++) value[s->mass_place[k]] += m->value[k];
  add_small(d, F, F, 1), add_small(d, F, J, -3);
  add_small(d, J, F, 3 + a), add_small(d, J, J, 9 - 3 * a);
}

// columns of the multipliers l and n in an equation: -factor DPhi^T (l - part n)
static void add_columns(hn_decaying *d, const hn_sim *sim, int equation, double factor,
                        double part) {
  const hn_energy_step *s = &d->step;
  const hn_natural *n = hn_natural_own(s->sys);
  double *value = hn_sparse_values(d->sparse);
  for (int i = 0; i < s->sys->rows; i++)
    for (int k = n->start[i]; k < n->start[i + 1] && !(sim->rows.D && sim->rows.D[i] > 0); k++) {
      const int *place = d->place + 4 * s->jt_place[k] + 2 * equation;
      value[place[F]] = -factor * s->D[k];
      value[place[J]] = factor * part * s->D[k];
    }
}

// rows of the state at the end of the way looked at: those of f, or of j by y, with the compliance
// of the springs there
static void add_rows(hn_decaying *d, const hn_sim *sim, int state) {
  const hn_energy_step *s = &d->step;
  const hn_natural *n = hn_natural_own(s->sys);
  double *value = hn_sparse_values(d->sparse);
  for (int i = 0; i < s->sys->rows; i++) {
    bool out = sim->rows.D && sim->rows.D[i] > 0;
    value[d->place[4 * s->d_place[i] + 3 * state]] = out ? 1
                                                     : state == J
                                                         ? -1 / (s->factor * d->stiffness[i])
                                                         : 0;
    for (int k = n->start[i]; k < n->start[i + 1] && !out; k++)
      value[d->place[4 * s->j_place[k] + 3 * state]] = (state == J ? d->a : 1) * s->J1[k];
  }
}

// ---- one iteration -------------------------------------------------------------------------

// how measures change in the jump and after it, which dampers in both ask for
static void look_ahead(hn_decaying *d, hn_sim *sim) {
  hn_energy_step *s = &d->step;
  int functions = hn_natural_own(s->sys)->functions;
  const double *way[3] = {sim->state.y, d->qj, d->qf};
  s->view = hn_energy_whole;
  for (int part = 0; part < 2; part++) {
    hn_energy_from(s, sim, way[part], d->value[part]);
    memcpy(s->q1, way[part + 1], (size_t)s->sys->nv * sizeof(double));
    hn_energy_changes(s);
    for (int i = 0; i < functions; i++) {
      d->change[part][i] = s->discrete[i].change;
      d->value[part + 1][i] = d->value[part][i] + s->discrete[i].change;
    }
    for (int i = 0; i < s->pairs; i++)
      memcpy(d->moved[part][i], s->pair[i].step.moved, 6 * sizeof(double));
  }
}

// q1 is given here: both ways are parts of one step, whose unknowns are x and y
static void go(hn_decaying *d, hn_sim *sim, const double *from, const double *value,
               const double *to) {
  hn_energy_from(&d->step, sim, from, value);
  memcpy(d->step.q1, to, (size_t)sim->sys->nv * sizeof(double));
  hn_energy_to(&d->step, sim);
}

// the way from j to f: its equation and rows; then the way back, for the derivative by q_j
static void eval_way(hn_decaying *d, hn_sim *sim) {
  hn_energy_step *s = &d->step;
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->nv; i++) d->rate[i] = d->x[i] / s->h;
  s->view = (hn_energy_view){.place = 0.5,
                             .rate = d->rate,
                             .whole = 1,
                             .slope = 1,
                             .before = d->change[0],
                             .pair_before = (const double(*)[6])d->moved[0]};
  for (int i = 0; i < sys->rows; i++) s->l[i] = d->l[i] - 0.5 * d->n[i];
  go(d, sim, d->qj, d->value[1], d->qf);
  d->done = s->done;
  memcpy(d->force[F], s->f, (size_t)sys->nv * sizeof(double));
  memcpy(d->phi[F], s->phi, (size_t)sys->rows * sizeof(double));
  memcpy(d->u, s->u1, 3 * (size_t)s->forms * sizeof(double));
  for (int i = 0; i < hn_natural_own(sys)->functions; i++)
    memcpy(d->g[i], s->discrete[i].g, sizeof d->g[i]);
  clear_small(s);
  hn_energy_tangent(s, sim);
  add_small(d, F, F, 1);
  add_columns(d, sim, F, 1, 0.5);
  add_rows(d, sim, F);
  s->view.whole = -1, s->view.slope = 0;  // the rate is that of the whole step all the same
  go(d, sim, d->qf, d->value[2], d->qj);
  clear_small(s);
  hn_energy_tangent(s, sim);
  add_small(d, F, J, d->a);
}

// the jump from i to j
static void eval_jump(hn_decaying *d, hn_sim *sim) {
  hn_energy_step *s = &d->step;
  const hn_system *sys = sim->sys;
  const hn_natural_row *row = hn_natural_own(sys)->row;
  double a = d->a, part = 0.5 * (1 + a);
  for (int i = 0; i < sys->rows; i++) s->l[i] = d->l[i] - part * d->n[i];
  for (int i = 0; i < sys->nv; i++) d->rate[i] = (d->x[i] + 3 * d->y[i]) / s->h;
  s->view = (hn_energy_view){.end_part = a,
                             .place = 1,
                             .rate = d->rate,
                             .whole = 1 + 3 / a,
                             .slope = 3 / a,
                             .before = d->change[1],
                             .pair_before = (const double(*)[6])d->moved[1]};
  // the jump takes no time: states are where they were
  double rate = s->rule.rate;
  s->rule.rate = 0;
  go(d, sim, sim->state.y, d->value[0], d->qj);
  d->done += s->done;
  memcpy(d->force[J], s->f, (size_t)sys->nv * sizeof(double));
  // the jump takes no time: what is prescribed still has its first value
  for (int i = 0; i < sys->rows; i++) {
    d->phi[J][i] = s->phi[i];
    if (row[i].motion >= 0)
      d->phi[J][i] += sim->stage.work.motion[3 * row[i].motion] - s->motion0[row[i].motion];
  }
  clear_small(s);
  hn_energy_tangent(s, sim);
  add_small(d, J, J, a * a);
  clear_small(s);
  hn_energy_rate_tangent(s, sim, (const double(*)[2])d->g, d->u);
  add_small(d, J, F, a);
  add_columns(d, sim, J, a, part);
  add_rows(d, sim, J);
  s->rule.rate = rate;
}

static void evaluate(hn_decaying *d, hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->nv; i++) {
    d->qf[i] = sim->state.y[i] + d->x[i];
    d->qj[i] = sim->state.y[i] + d->a * d->y[i];
  }
  memset(hn_sparse_values(d->sparse), 0, (size_t)hn_sparse_entries(d->sparse) * sizeof(double));
  add_mass(d, d->a);
  look_ahead(d, sim);
  eval_way(d, sim);
  eval_jump(d, sim);
}

// minus what is left of the equations, without the multipliers, which are solved for as a whole
static void residual(hn_decaying *d, const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const double *v = sim->state.y + sys->nq;
  double h = d->step.h, a = d->a, *r = d->r;
  int nv = sys->nv, small = nv + sys->rows;
  for (int i = 0; i < nv; i++) d->rate[i] = d->x[i] - 3 * d->y[i] - h * v[i];
  hn_mass_mul(&sim->stage.work, d->rate, r);
  for (int i = 0; i < nv; i++) d->rate[i] = (3 + a) * (d->x[i] - h * v[i]) + (9 - 3 * a) * d->y[i];
  hn_mass_mul(&sim->stage.work, d->rate, r + small);
  for (int i = 0; i < nv; i++) {
    r[i] = h * h * d->force[F][i] - r[i];
    r[small + i] = a * h * h * d->force[J][i] - r[small + i];
  }
  for (int i = 0; i < sys->rows; i++) {
    bool out = sim->rows.D && sim->rows.D[i] > 0;
    r[nv + i] = out ? 0 : -d->phi[F][i];
    r[small + nv + i] = out ? 0 : -d->phi[J][i];
  }
}

// largest change in units of the model's own size
static double change_of(const hn_sim *sim, const double *x) {
  const hn_system *sys = sim->sys;
  double most = 0;
  for (int i = 0; i < sys->nv; i++) {
    double c = fabs(x[i]) / (sys->angular_q[i] ? 1 : sys->length);
    most = hn_worse(most, c);  // a NaN is kept
  }
  return most;
}

void hn_decaying_evaluate(hn_decaying *d, hn_sim *sim) {
  evaluate(d, sim);
  residual(d, sim);
}

static bool iterate(hn_decaying *d, hn_sim *sim, hn_status *status) {
  static const double round_off = 1e-15, small_change = 1e-10;
  const hn_system *sys = sim->sys;
  int nv = sys->nv, small = nv + sys->rows;
  double last = 0;
  for (int pass = 0; pass < ITERATIONS; pass++) {
    hn_decaying_evaluate(d, sim);
    sim->count.factorisations++;
    *status = HN_ERR_SINGULAR;
    if (!hn_sparse_factor(d->sparse)) return false;
    *status = HN_ERR_STEP;
    hn_sparse_solve(d->sparse, d->r);
    for (int i = 0; i < nv; i++) d->x[i] += d->r[i], d->y[i] += d->r[small + i];
    memcpy(d->l, d->r + nv, (size_t)sys->rows * sizeof(double));
    memcpy(d->n, d->r + small + nv, (size_t)sys->rows * sizeof(double));
    double now = fmax(change_of(sim, d->r), change_of(sim, d->r + small));
    double ratio = pass ? now / last : 1;
    if (!(now < 1e30)) break;
    // if changes go on falling by this ratio they add up to less than rounding
    if (now <= round_off || (ratio < 0.5 && now * ratio / (1 - ratio) <= round_off)) return true;
    if (pass > 2 && ratio > 0.5 && now < small_change) return true;  // round-off decides
    last = now;
  }
  return false;
}

hn_status hn_decaying_solve(hn_decaying *d, hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_status status;
  if (iterate(d, sim, &status)) return HN_OK;
  // accelerations of stiff springs lead far away: once more as if nothing acted
  for (int i = 0; i < sys->nv; i++) d->x[i] = d->step.h * sim->state.y[sys->nq + i], d->y[i] = 0;
  memset(d->l, 0, (size_t)sys->rows * sizeof(double));
  memset(d->n, 0, (size_t)sys->rows * sizeof(double));
  if (iterate(d, sim, &status)) return HN_OK;
  return hn_sim_fail(sim, status,
                     status == HN_ERR_SINGULAR
                         ? "t=%.6g: the equations of the step have no unique solution (step %.3g s)"
                         : "t=%.6g: the iteration of the step does not converge (step %.3g s; a "
                           "smaller one may help)",
                     sim->state.t, d->step.h);
}

// ---- the step ------------------------------------------------------------------------------

// the axis across a flat body (the section of a beam) has no mass: no inertia keeps a soft row that
// holds it in place, and it is held firmly
static bool holds_massless(const hn_natural *n, int row, double heaviest) {
  for (int k = n->start[row]; k < n->start[row + 1]; k++)
    if (n->size[n->column[k]] <= 1e-9 * heaviest) return true;
  return false;
}

void hn_decaying_begin(hn_decaying *d, hn_sim *sim, double h) {
  hn_energy_step *s = &d->step;
  const hn_system *sys = sim->sys;
  const double *v = sim->state.y + sys->nq;
  d->a = sim->opt.dissipation;
  hn_energy_from(s, sim, sim->state.y, NULL);
  memcpy(d->value[0], s->value0, (size_t)hn_natural_own(sys)->functions * sizeof(double));
  s->h = h;
  s->factor = h * h;
  for (int i = 0; i < sys->nv; i++) {
    d->x[i] = h * v[i] + 0.5 * h * h * s->a[i];
    d->y[i] = -h * h * s->a[i] / 6;
  }
  for (int i = 0; i < sys->rows; i++) d->l[i] = s->factor * s->lambda[i], d->n[i] = 0;
  // n is of the order h, and so are errors of the multipliers at j, with Phi_j of the order h^2:
  // this needs 1/h, in units of the time the motion takes over the model's length
  double time = sys->length / sim->step.speed[0];
  double heaviest = hn_largest(hn_natural_own(sys)->size, (size_t)sys->nv);
  hn_row_sizes(&sim->stage.work, d->stiffness);
  for (int i = 0; i < sys->rows; i++) {
    double size = d->stiffness[i] > 0 && isfinite(d->stiffness[i]) ? d->stiffness[i] : 1;
    d->stiffness[i] = fmax(1 / (time * h), 1e-9 / (h * h)) / size;
    if (holds_massless(hn_natural_own(sys), i, heaviest)) d->stiffness[i] = INFINITY;
  }
}

// velocities at the end of the step meet the rows; returns what drivers do by that
static double project(hn_sim *sim, double t, const double *q, double *v) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  double done = 0;
  hn_eval_jacobian(work, t, q, v);
  for (int i = 0; i < sys->rows; i++) sim->room.rhs[i] = -work->psi[i];
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  bool damped = hn_factor_saddle(sim);
  hn_solve_factored(sim, damped, sim->room.v, sim->room.rhs, sim->stage.a, sim->room.r);
  for (int i = 0; i < sys->nv; i++) v[i] += sim->stage.a[i];
  for (int i = 0; sys->rheonomic && i < sys->rows; i++) done -= sim->room.r[i] * work->phi_t[i];
  return done;
}

void hn_decaying_finish(hn_decaying *d, hn_sim *sim, double *y) {
  hn_energy_step *s = &d->step;
  const hn_system *sys = sim->sys;
  double h = s->h, *v = y + sys->nq;
  // the work of the last change counts
  if (s->forces || s->others || s->pairs || sim->stage.work.pushed) evaluate(d, sim);
  for (int i = 0; i < sys->rows; i++) s->lambda[i] = d->l[i] / s->factor;
  s->done = d->done;
  y[sim->state.w] = sim->state.y[sim->state.w] + hn_energy_work(s, sim);
  for (int i = 0; i < sys->nv; i++) {
    y[i] = sim->state.y[i] + d->x[i];
    v[i] = (d->x[i] - 3 * d->y[i]) / h;
  }
  if (sys->rows) y[sim->state.w] += project(sim, sim->state.t + h, y, v);
  for (int i = 0; i < sys->nv; i++) s->a[i] = (v[i] - sim->state.y[sys->nq + i]) / h;
}

void hn_decaying_layout(hn_decaying *d, hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  hn_energy_layout(&d->step, sim, arena);
  if (!hn_natural_of(sys)) return;
  int functions = hn_natural_own(sys)->functions, pairs = d->step.pairs;
  d->x = HN_TAKE(arena, double, sys->nv);
  d->y = HN_TAKE(arena, double, sys->nv);
  d->qf = HN_TAKE(arena, double, sys->nv);
  d->qj = HN_TAKE(arena, double, sys->nv);
  d->rate = HN_TAKE(arena, double, sys->nv);
  d->r = HN_TAKE(arena, double, 2 * (sys->nv + sys->rows));
  d->l = HN_TAKE(arena, double, sys->rows);
  d->n = HN_TAKE(arena, double, sys->rows);
  d->stiffness = HN_TAKE(arena, double, sys->rows);
  d->u = HN_TAKE(arena, double, 3 * hn_natural_own(sys)->forms);
  for (int i = 0; i < 2; i++) {
    d->force[i] = HN_TAKE(arena, double, sys->nv);
    d->phi[i] = HN_TAKE(arena, double, sys->rows);
    d->change[i] = HN_TAKE(arena, double, functions);
    d->moved[i] = (double(*)[6])HN_TAKE(arena, double, 6 * pairs);
  }
  for (int i = 0; i < 3; i++) d->value[i] = HN_TAKE(arena, double, functions);
  d->g = (double(*)[2])HN_TAKE(arena, double, 2 * functions);
}

hn_status hn_decaying_create(hn_decaying *d, hn_sim *sim) {
  hn_status status = hn_energy_create(&d->step, sim);
  if (status) return status;
  return make_matrix(d) ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

void hn_decaying_release(hn_decaying *d) {
  hn_sparse_destroy(d->sparse);
  free(d->place);
  hn_energy_release(&d->step);
}
