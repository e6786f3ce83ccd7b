// chart.c: choosing independent coordinates and solving for the others.
//
// Choice: the rows of J, each of unit length, are ordered by QR with column pivoting of J^T; the
// first of them are used, as many as are independent. With a basis R of the null space, the motions
// q' = N R z are possible; QR with column pivoting of (N R)^T finds the entries of q that tell them
// apart best, and likewise those of v. In all this lengths are measured by the size of the model.
//
// Recovery: Newton's method for Phi = 0 with the independent entries of q held, d in velocity
// coordinates:
//   [ J   ]     [ -Phi            ]
//   [ N_i ] d = [ target - q_i    ],   q <- q (+) d
// For quaternions this keeps the chosen components and the unit length at once. Velocities obey the
// same with J dv = -psi and unit rows. Factors are kept from step to step and renewed when they no
// longer take most of a residual away: the matrix changes as slowly as the mechanism moves.
#include "solvers/chart.h"
#include "base/vec.h"

#include "linalg/dense.h"

#include <string.h>

// a state that violates by less (times the length of the model) is taken as it is
static const double exact = 1e-12;
// dependent coordinates that move so much faster than at the choice ask for another one
static const double worse = 1.5;
// an iteration that leaves more of a residual asks for new factors
static const double slow = 0.03;
enum { ITERATIONS = 15 };

static void level_layout(hn_chart_level *l, hn_arena *arena, const hn_system *sys) {
  size_t square = (size_t)sys->nv * (size_t)sys->nv;
  l->row = HN_TAKE(arena, int, sys->rows + 1);
  l->coordinate = HN_TAKE(arena, int, sys->nq + 1);
  l->row_size = HN_TAKE(arena, double, sys->rows + 1);
  l->A = HN_TAKE(arena, double, square);
  l->swap = HN_TAKE(arena, int, sys->nv);
}

void hn_chart_layout(hn_chart *c, hn_arena *arena, const hn_system *sys) {
  int nq = sys->nq, nv = sys->nv;
  size_t wide = (size_t)sys->rows * (size_t)nv, square = (size_t)nv * (size_t)nv;
  size_t rates = nq == nv ? 0 : (size_t)nq * (size_t)nv;
  level_layout(&c->position, arena, sys);
  level_layout(&c->velocity, arena, sys);
  c->plain = nq == nv;
  c->J = HN_TAKE(arena, double, wide);
  c->N = HN_TAKE(arena, double, rates);
  c->unit_q = HN_TAKE(arena, double, nq);
  c->unit_v = HN_TAKE(arena, double, nv);
  c->basis = HN_TAKE(arena, double, square);
  c->target = HN_TAKE(arena, double, nv);
  c->x = HN_TAKE(arena, double, nv);
  c->rate = HN_TAKE(arena, double, nq);
  c->candidate = HN_TAKE(arena, int, sys->rows);
  c->there = HN_TAKE(arena, bool, sys->unilaterals);
  c->size = HN_TAKE(arena, double, sys->rows);
  hn_cod_layout(&c->rank, arena, sys->nv, sys->rows);
  hn_cod_layout(&c->pick, arena, sys->nv, sys->nq);
  c->shared = c->plain;
  for (int i = 0; i < sys->rows; i++) c->shared &= sys->holonomic[i];
  if (!arena->base) return;
  for (int i = 0; i < sys->nq; i++) c->unit_q[i] = sys->angular_q[i] ? 1 : sys->length;
  for (int i = 0; i < sys->nv; i++) c->unit_v[i] = sys->angular_v[i] ? 1 : sys->length;
}

// ---- matrices ------------------------------------------------------------------------------

// q' for unit velocities
static void fill_N(const hn_system *sys, const hn_chart *c, const double *q) {
  if (c->plain) return;
  memset(c->x, 0, (size_t)sys->nv * sizeof(double));
  for (int k = 0; k < sys->nv; k++) {
    c->x[k] = 1;
    hn_qdot(sys, q, c->x, c->N + (size_t)k * (size_t)sys->nq);
    c->x[k] = 0;
  }
}

// factorises [J; N_i] (or [J; unit rows]) in scaled coordinates at the state last evaluated
static void factor(hn_sim *sim, hn_chart *c, hn_chart_level *l, const double *q) {
  const hn_system *sys = sim->sys;
  size_t nv = (size_t)sys->nv;
  hn_jacobian_scaled(&sim->stage.work, HN_METRIC_LENGTHS, c->J, c->size);
  for (int i = 0; i < l->rows; i++) {
    const double *row = c->J + (size_t)l->row[i] * nv;
    l->row_size[i] = c->size[l->row[i]];
    memcpy(l->A + (size_t)i * nv, row, nv * sizeof(double));
  }
  bool unit_rows = c->plain || l == &c->velocity;
  if (!unit_rows) fill_N(sys, c, q);
  for (int i = 0; i < l->free; i++) {
    double *row = l->A + (size_t)(l->rows + i) * nv;
    int at = l->coordinate[i];
    for (size_t k = 0; k < nv; k++)
      row[k] = unit_rows ? (int)k == at
                         : c->N[k * (size_t)sys->nq + (size_t)at] * c->unit_v[k] / c->unit_q[at];
  }
  (void)hn_dense_lu(sys->nv, l->A, l->swap);
  sim->count.factorisations++;
}

// how far some coordinate moves when an independent one moves by one, in scaled coordinates
static double steepness(const hn_system *sys, const hn_chart *c, const hn_chart_level *l) {
  double most = 0;
  for (int i = 0; i < l->free; i++) {
    for (int k = 0; k < sys->nv; k++) c->x[k] = k == l->rows + i;
    hn_dense_lu_solve(sys->nv, l->A, l->swap, c->x);
    for (int k = 0; k < sys->nv; k++) most = hn_worse(most, fabs(c->x[k]));  // a NaN is kept
  }
  return most;
}

// c->x = solution for the residuals of the rows and, of positions, of the independent entries
static void solve(const hn_system *sys, const hn_chart *c, const hn_chart_level *l,
                  const double *residual, const double *q) {
  for (int i = 0; i < l->rows; i++) c->x[i] = -residual[l->row[i]] / l->row_size[i];
  for (int i = 0; i < l->free; i++) {
    int at = l->coordinate[i];
    c->x[l->rows + i] = q && !c->plain ? (c->target[i] - q[at]) / c->unit_q[at] : 0;
  }
  hn_dense_lu_solve(sys->nv, l->A, l->swap, c->x);
  for (int k = 0; k < sys->nv; k++) c->x[k] *= c->unit_v[k];
  // nothing at all, not even round-off
  if (c->plain || !q)
    for (int i = 0; i < l->free; i++) c->x[l->coordinate[i]] = 0;
}

// ---- choice --------------------------------------------------------------------------------

// orders the rows, of which at most `limit` are used
static void order_rows(const hn_system *sys, hn_chart *c, bool holonomic_only, int limit) {
  size_t nv = (size_t)sys->nv;
  int count = 0;
  for (int i = 0; i < sys->rows; i++) {
    if (holonomic_only && !sys->holonomic[i]) continue;
    const double *row = c->J + (size_t)i * nv;
    memcpy(c->rank.a + (size_t)count * nv, row, nv * sizeof(double));
    c->candidate[count++] = i;
  }
  c->rank.n = count;
  hn_cod_factor(&c->rank, 0, limit);
}

static bool bears(const hn_sim *sim, int unilateral) {
  return !(sim->rows.D[sim->sys->unilateral[unilateral].row] > 0);
}

// whether rows have come or gone since
static bool outdated(const hn_sim *sim, const hn_chart *c) {
  for (int i = 0; i < sim->sys->unilaterals; i++)
    if (c->there[i] != bears(sim, i)) return true;
  return false;
}

// how many rows are independent was found when the model was compiled, where a violation, however
// small, and joints out of line were told from rows of their own; rows that come and go are where
// they bear
static void count_rows(const hn_sim *sim, hn_chart *c) {
  const hn_system *sys = sim->sys;
  c->position.rows = c->velocity.rows = 0;
  for (int i = 0; i < sys->rows; i++) {
    if (!sys->active[i]) continue;
    c->velocity.rows++;
    if (sys->holonomic[i]) c->position.rows++;
  }
  for (int i = 0; i < sys->unilaterals; i++) {
    c->there[i] = bears(sim, i);
    if (!c->there[i]) continue;
    c->velocity.rows++;
    if (sys->holonomic[sys->unilateral[i].row]) c->position.rows++;
  }
  c->position.free = sys->nv - c->position.rows;
  c->velocity.free = sys->nv - c->velocity.rows;
}

// rows used, and the basis of the motions they leave
static void choose_rows(const hn_system *sys, hn_chart *c, hn_chart_level *l, bool holonomic_only) {
  order_rows(sys, c, holonomic_only, l->rows);
  for (int k = 0; k < l->rows; k++) l->row[k] = c->candidate[c->rank.pivot[k]];
  for (int k = 0; k < l->free; k++) {
    double *r = c->basis + (size_t)k * (size_t)sys->nv;
    hn_cod_null(&c->rank, k + l->rows - c->rank.rank, r);
    for (int i = 0; i < sys->nv; i++) r[i] *= c->unit_v[i];
  }
}

// picks l->free entries out of `count`; the motions are in c->basis
static bool choose_entries(const hn_system *sys, hn_chart *c, hn_chart_level *l, const double *q) {
  const double *unit = q ? c->unit_q : c->unit_v;
  int count = q ? sys->nq : sys->nv, free = l->free;
  bool changed = false;
  c->pick.m = free;
  c->pick.n = count;
  for (int k = 0; k < free; k++) {
    const double *r = c->basis + (size_t)k * (size_t)sys->nv;
    if (q) {
      hn_qdot(sys, q, r, c->rate);
      r = c->rate;
    }
    for (int j = 0; j < count; j++)
      c->pick.a[(size_t)j * (size_t)free + (size_t)k] = r[j] / unit[j];
  }
  hn_cod_factor(&c->pick, 0, free);
  for (int k = 0; k < free; k++) {
    bool known = false;
    for (int i = 0; i < free; i++) known |= l->coordinate[i] == c->pick.pivot[k];
    changed |= !known;
  }
  for (int k = 0; k < free; k++) l->coordinate[k] = c->pick.pivot[k];
  return changed;
}

static bool choose_level(hn_sim *sim, hn_chart *c, hn_chart_level *l, const double *q) {
  const hn_system *sys = sim->sys;
  choose_rows(sys, c, l, q != NULL);
  return choose_entries(sys, c, l, q);
}

bool hn_chart_choose(hn_sim *sim, hn_chart *c, double t, const double *q, const double *v) {
  count_rows(sim, c);
  hn_eval_jacobian(&sim->stage.work, t, q, v);
  hn_jacobian_scaled(&sim->stage.work, HN_METRIC_LENGTHS, c->J, c->size);
  bool changed = choose_level(sim, c, &c->position, q);
  factor(sim, c, &c->position, q);
  c->position.reference = steepness(sim->sys, c, &c->position);
  if (!c->shared) {
    changed |= choose_level(sim, c, &c->velocity, NULL);
    factor(sim, c, &c->velocity, q);
    c->velocity.reference = steepness(sim->sys, c, &c->velocity);
  }
  c->chosen = true;
  return changed;
}

static bool steeper(const hn_system *sys, const hn_chart *c, const hn_chart_level *l) {
  return !(steepness(sys, c, l) <= worse * l->reference);
}

bool hn_chart_weak(const hn_system *sys, const hn_chart *c) {
  return steeper(sys, c, &c->position) || (!c->shared && steeper(sys, c, &c->velocity));
}

// ---- recovery ------------------------------------------------------------------------------

// as a length, or a speed
static double worst_row(const hn_system *sys, const hn_chart_level *l, const double *x) {
  double m = 0;
  for (int i = 0; i < l->rows; i++) {
    double size = fabs(x[l->row[i]]) * hn_row_arm(sys, l->row[i]);
    if (!(size <= m) && !isnan(m)) m = size;  // a NaN is kept
  }
  return m;
}

// how far the independent entries are from where they belong, as a length
static double strayed(const hn_sim *sim, const hn_chart *c, const double *q) {
  double m = 0;
  for (int i = 0; !c->plain && i < c->position.free; i++) {
    int at = c->position.coordinate[i];
    m = fmax(m, fabs(c->target[i] - q[at]) / c->unit_q[at] * sim->sys->length);
  }
  return m;
}

static hn_status recover_positions(hn_sim *sim, hn_chart *c, double t, double *q, double *v,
                                   double *moved) {
  const hn_system *sys = sim->sys;
  const hn_chart_level *l = &c->position;
  hn_work *w = &sim->stage.work;
  double enough = exact * sys->length, tol = fmax(enough, hn_projection_tolerance(sim));
  double now = fmax(worst_row(sys, l, w->phi), strayed(sim, c, q));
  for (int i = 0; i < ITERATIONS && now > enough; i++) {
    solve(sys, c, l, w->phi, q);
    for (int k = 0; k < sys->nv; k++) *moved = fmax(*moved, fabs(c->x[k]) / sim->step.scale_d[k]);
    hn_retract(sys, q, c->x);
    hn_eval_position(w, t, q);
    double next = fmax(worst_row(sys, l, w->phi), strayed(sim, c, q));
    if (!(next < 1e30)) {
      now = next;
      break;
    }
    // round-off decides from here
    if (next > 0.5 * now && now <= tol) return HN_OK;
    if (next > slow * now && next > enough) {
      hn_eval_jacobian(w, t, q, v);
      factor(sim, c, &c->position, q);
    }
    now = next;
  }
  if (now <= tol) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_ASSEMBLY,
                     "t=%.6g: the dependent coordinates cannot be found: violation %.3g stays (a "
                     "singular configuration, or too large a step)",
                     t, now);
}

// the rows are linear in v: iterations are needed only because the factors belong to a state close
// by
static void recover_velocities(hn_sim *sim, hn_chart *c, const double *q, double *v, double enough,
                               double *moved) {
  const hn_system *sys = sim->sys;
  hn_chart_level *l = c->shared ? &c->position : &c->velocity;
  double *psi = sim->stage.work.psi, now = worst_row(sys, l, psi);
  bool renewed = false;
  for (int i = 0; i < ITERATIONS && now > enough; i++) {
    solve(sys, c, l, psi, NULL);
    for (int k = 0; k < sys->nv; k++) {
      *moved = fmax(*moved, fabs(c->x[k]) / sim->step.scale_y[sys->nq + k]);
      v[k] += c->x[k];
    }
    hn_jacobian_mul(&sim->stage.work, c->x, sim->room.r);
    for (int k = 0; k < sys->rows; k++) psi[k] += sim->room.r[k];
    double next = worst_row(sys, l, psi);
    if (next > slow * now && next > enough) {
      if (renewed) break;  // round-off
      factor(sim, c, l, q);
      renewed = true;
    }
    now = next;
  }
}

hn_status hn_chart_recover(hn_sim *sim, hn_chart *c, double t, double *q, double *v,
                           double *moved) {
  const hn_system *sys = sim->sys;
  double unused = 0;
  if (!moved) moved = &unused;
  if (!sys->rows) return HN_OK;
  if (outdated(sim, c)) (void)hn_chart_choose(sim, c, t, q, v);
  for (int i = 0; i < c->position.free; i++) c->target[i] = q[c->position.coordinate[i]];
  hn_normalise(sys, q);
  hn_eval_position(&sim->stage.work, t, q);
  hn_status status = recover_positions(sim, c, t, q, v, moved);
  if (status) return status;
  hn_eval_jacobian(&sim->stage.work, t, q, v);
  double speed = 1e-3 * sys->length / sim->opt.duration;  // what hardly moves
  for (int i = 0; i < sys->nv; i++)
    speed = fmax(speed, fabs(v[i]) * (sys->angular_v[i] ? sys->length : 1));
  recover_velocities(sim, c, q, v, exact * speed, moved);
  return HN_OK;
}
