// embedded.c: embedded projection (Borri, Trainelli & Croce 2006).
//
// The constraints are neither differentiated twice nor restored after the step: projections of
// positions and velocities are part of the equations. Start from the equations with constraints on
// both levels (Gear, Gupta & Leimkuhler),
//
//   q' = N (v + M^-1 J^T eta),   M v' = f + J^T lambda,   Phi(q, t) = 0,   J v + Phi_t = 0,
//
// where eta = 0 in the solution. The multipliers enter by their integrals nu' = eta, mu' = lambda
// and are taken out of the states that are differentiated, modified coordinates and momenta:
//
//   q = q* (+) d,   M d = J^T nu,      p* = M v - J^T mu
//
//   q*' = N* (v - d'),  M d' = J'^T nu,      p*' = f - J'^T mu
//
// J'^T is the rate of J^T along v. What is left are ordinary differential equations in (q*, p*),
// and algebraic equations of index 1 that say which (q, v) belongs to them, solved one after the
// other at every evaluation:
//
//   Phi(q* (+) d, t) = 0,  M d = J^T nu              by Newton's method, J at q
//   [ M  -J^T ] [ v  ]   [ p*     ]
//   [ J    0  ] [ mu ] = [ -Phi_t ]                  linear
//
// so that both levels hold exactly in every stage, and any integrator keeps its order. Bodies that
// turn in space have angular momenta in body axes, f contains their gyroscopic terms, and the
// angular part of v - d' is w + d x w - d' to first order: d is as small as the violation that the
// integrator alone would have caused in a stage. Nonholonomic rows take part in mu only.
//
// nu is constant along the motion and mu grows with the reaction. Both start from zero with every
// step, q* = q and p* = M v. lambda, which the motion does not need, is found from the
// accelerations, J v' = gamma, with the same factors.
//
// Modified coordinates and momenta and differentiated multipliers are terms of the original text.
// The equations were derived anew from what Bauchau & Laulusa (2008) say of it; weight M of the
// positions, treatment of rotations and the new start of every step are ours.
#include "sim/pull.h"
#include "solvers/solvers.h"

#include <string.h>

enum { PASSES = 12 };

typedef struct data {
  double *D;         // rows that take no part in nu
  double *nu, *mu;   // rows
  double *d, *rate;  // nv
  double *J_rate;    // in the layout of J
  bool moved;        // d is not zero
  bool damped;       // rows are dependent at the state last prepared
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  data *own = HN_TAKE(arena, data, 1), place = {0};
  place.D = HN_TAKE(arena, double, sys->rows);
  place.nu = HN_TAKE(arena, double, sys->rows);
  place.mu = HN_TAKE(arena, double, sys->rows);
  place.d = HN_TAKE(arena, double, sys->nv);
  place.rate = HN_TAKE(arena, double, sys->nv);
  place.J_rate = HN_TAKE(arena, double, sys->j_size);
  if (!arena->base) return;
  *own = place;
  sim->method.solver_data = own;
}

static int states(const hn_system *sys) {
  return sys->nq + sys->nv;
}

// ---- positions -------------------------------------------------------------------------------

static const double damping = 1e-6;

// at the state last evaluated; true when rows are damped
static bool factor(hn_sim *sim) {
  const data *own = sim->method.solver_data;
  for (int i = 0; i < sim->sys->rows; i++) {
    bool out = !sim->sys->holonomic[i] || (sim->rows.D && sim->rows.D[i] > 0);
    own->D[i] = out ? HN_LEFT_OUT : 0;
  }
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, own->D);
  sim->count.factorisations++;
  return hn_damp_rows(sim, own->D, damping);
}

// as a length
static double violation(const hn_sim *sim) {
  double worst = 0;
  for (int i = 0; i < sim->sys->rows; i++) {
    double x = fabs(sim->stage.work.phi[i]) * hn_row_arm(sim->sys, i);
    bool out = !sim->sys->holonomic[i] || (sim->rows.D && sim->rows.D[i] > 0);
    if (!out && !(x <= worst) && !isnan(worst)) worst = x;  // a NaN is kept
  }
  return worst;
}

// size of a change of the positions, in metres
static double size_of(const hn_system *sys, const double *d) {
  double worst = 0;
  for (int i = 0; i < sys->nv; i++)
    worst = fmax(worst, (sys->angular_v[i] ? sys->length : 1) * fabs(d[i]));
  return worst;
}

// one step towards M d = J^T nu, Phi = 0; returns its size
static double improve(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  for (int i = 0; i < sys->nv; i++) sim->room.v[i] = -sys->mass[i] * own->d[i];
  hn_jacobian_tmul_add(&sim->stage.work, own->nu, 1, sim->room.v);
  for (int i = 0; i < sys->rows; i++) sim->room.r[i] = own->D[i] > 0 ? 0 : -sim->stage.work.phi[i];
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
  for (int i = 0; i < sys->nv; i++) own->d[i] += sim->room.v[i];
  for (int i = 0; i < sys->rows; i++) own->nu[i] += own->D[i] > 0 ? 0 : sim->room.r[i];
  return size_of(sys, sim->room.v);
}

// q, d and nu from q*; leaves the work space at (t, q, v)
static hn_status positions(hn_sim *sim, double t, const double *star, double *q, const double *v) {
  const hn_system *sys = sim->sys;
  data *own = sim->method.solver_data;
  memset(own->d, 0, (size_t)sys->nv * sizeof(double));
  memset(own->nu, 0, (size_t)sys->rows * sizeof(double));
  memcpy(q, star, (size_t)sys->nq * sizeof(double));
  hn_normalise(sys, q);
  hn_eval_jacobian(&sim->stage.work, t, q, v);
  double now = violation(sim), tol = hn_projection_tolerance(sim);
  own->moved = now > 1e-15 * sys->length;
  if (!own->moved) return HN_OK;
  bool damped = factor(sim);
  for (int pass = 0; pass < PASSES; pass++) {
    double change = improve(sim), before = now;
    memcpy(q, star, (size_t)sys->nq * sizeof(double));
    hn_normalise(sys, q);
    hn_retract(sys, q, own->d);
    hn_eval_jacobian(&sim->stage.work, t, q, v);
    now = violation(sim);
    if (!(now < 1e30))
      return hn_sim_fail(sim, HN_ERR_DIVERGED, "t=%.6g: projection onto the constraints diverged",
                         t);
    // every pass takes the error down by about |d| / length, that of M d = J^T nu as well
    if (now <= tol && change * size_of(sys, own->d) <= tol * sys->length) return HN_OK;
    if (damped && now > 0.3 * before) break;
    // the factorisation is too old for this state
    if (!damped && now > tol && now > 0.1 * before) damped = factor(sim);
  }
  if (now > (damped ? 1e-5 * sys->length : 1e3 * tol))
    return hn_sim_fail(sim, HN_ERR_ASSEMBLY,
                       "t=%.6g: the joints cannot be closed within the step: violation %.3g stays",
                       t, now);
  return HN_OK;
}

// ---- the solver ------------------------------------------------------------------------------

static hn_status prepare(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  data *own = sim->method.solver_data;
  const double *star = y + sim->state.s, *p = star + sys->nq;
  double *v = y + sys->nq;
  hn_status status = positions(sim, t, star, y, v);
  if (status) return status;
  own->damped = hn_factor_saddle(sim);
  for (int i = 0; i < sys->rows; i++) sim->room.rhs[i] = -sim->stage.work.phi_t[i];
  hn_solve_factored(sim, own->damped, p, sim->room.rhs, v, own->mu);
  return HN_OK;
}

// the factors of prepare() belong to this state
static hn_status solve(hn_sim *sim, void *user) {
  const data *own = user;
  hn_solve_factored(sim, own->damped, sim->stage.work.r, sim->stage.work.gamma, sim->stage.a,
                    sim->stage.work.lambda);
  return HN_OK;
}

// x += s J'^T l
static void add_rate(hn_sim *sim, const double *l, double s, double *x) {
  const data *own = sim->method.solver_data;
  double *J = sim->stage.work.J;
  sim->stage.work.J = own->J_rate;
  hn_jacobian_tmul_add(&sim->stage.work, l, s, x);
  sim->stage.work.J = J;
}

// own->rate = v - d', angular parts with d x w
static void position_rate(hn_sim *sim, const double *v) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  double *rate = own->rate;
  memset(rate, 0, (size_t)sys->nv * sizeof(double));
  add_rate(sim, own->nu, 1, rate);
  for (int i = 0; i < sys->nv; i++) rate[i] = v[i] - rate[i] / sys->mass[i];
  for (int i = 1; i < sys->bodies; i++) {
    if (sys->body[i].kind != HN_SPATIAL) continue;
    int at = sys->body[i].v0 + 3;
    double turn[3];
    v3_cross(turn, own->d + at, v + at);
    for (int k = 0; k < 3; k++) rate[at + k] += turn[k];
  }
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  data *own = sim->method.solver_data;
  const double *v = sim->stage.work.gv;
  double *p_rate = sim->stage.s_rate + sys->nq;
  hn_status status = hn_settle(sim, solve, own);
  if (status) return status;
  if (!own->damped) sim->stage.kkt.stamp = sim->stage.work.stamp;  // the same state, evaluated anew
  hn_jacobian_rate(&sim->stage.work, own->J_rate);
  if (own->moved) position_rate(sim, v);
  hn_qdot(sys, sim->stage.s, own->moved ? own->rate : v, sim->stage.s_rate);
  memcpy(p_rate, sim->stage.work.r, (size_t)sys->nv * sizeof(double));
  add_rate(sim, own->mu, -1, p_rate);
  return HN_OK;
}

// q* = q, p* = M v
static void follow(hn_sim *sim, double *y) {
  const hn_system *sys = sim->sys;
  double *star = y + sim->state.s, *p = star + sys->nq;
  memcpy(star, y, (size_t)sys->nq * sizeof(double));
  for (int i = 0; i < sys->nv; i++) p[i] = sys->mass[i] * y[sys->nq + i];
}

const hn_solver_type hn_solver_embedded = {
    .info = {.name = "embedded",
             .help =
                 "modified coordinates and momenta integrated: both projections are part of the "
                 "equations",
             .keys = "projection_tol",
             .required = ""},
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_IS_EXACT | HN_NO_BLOCKS,
    .layout = layout,
    .states = states,
    .prepare = prepare,
    .accelerate = accelerate,
    .follow = follow,
};
