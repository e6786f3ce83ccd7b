// hamiltonian.c: augmented Lagrangian in momenta (Bayo & Avello 1994).
//
// Momenta that contain the impulse sigma of the constraints so far,
//
//   p = M v - J^T sigma,   p' = f - J'^T sigma,   J v + Phi_t + 2 Omega mu Phi + Omega^2 I = 0,
//
// I the integral of Phi since the start, follow from M v' = f + J^T lambda with sigma' = lambda:
// the constraints are differentiated once only. The states integrated are q, p and I; velocities
// and sigma are recovered at every stage by penalty with iterated multipliers, D = 1/(penalty *
// stiffness), Omega and mu of the row's joint:
//
//   [ M  -J^T ] [ v          ]   [ p                                                    ]
//   [ J   D   ] [ sigma_i+1  ] = [ -Phi_t - 2 Omega mu Phi - Omega^2 I + D sigma_i ]
//
// J' is the rate of J along v. After every step the momenta start anew from p = M v, so that sigma
// stays small. Accelerations and reactions, which the motion does not need, come from the same
// factors and the rate of the rows, J v' = gamma - 2 Omega mu psi - Omega^2 Phi.
//
// Where a correction takes violations away, nothing is left to feed back but its tolerance.
//
// baumgarte-hamiltonian (Baumgarte 1983): the same momenta from a modified principle of Hamilton,
// with exact multipliers and J v + Phi_t + alpha Phi = 0.
#include "solvers/solvers.h"

#include <string.h>

enum { PASSES = 20 };

typedef struct data {
  double *D;       // compliance, rows
  double *sigma;   // rows
  double *before;  // nv
  double *J_rate;  // in the layout of J
  bool feeds;      // violations are fed back: no correction takes them away
  bool exact;      // Baumgarte's form
  bool damped;     // rows are dependent at the state last factorised
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  data *own = HN_TAKE(arena, data, 1), place = {0};
  place.D = HN_TAKE(arena, double, sys->rows);
  place.sigma = HN_TAKE(arena, double, sys->rows);
  place.before = HN_TAKE(arena, double, sys->nv);
  place.J_rate = HN_TAKE(arena, double, sys->j_size);
  if (!arena->base) return;
  place.exact = sim->method.solver == &hn_solver_baumgarte_hamiltonian;
  place.feeds = strcmp(sim->method.correction->info.name, "none") == 0;
  *own = place;
  hn_penalty_compliance(sim, own->D);
  sim->method.solver_data = own;
}

// momenta, then the integrals of the violations
static int states(const hn_system *sys) {
  return sys->nv + sys->rows;
}

// largest change relative to the size, angles by the length of the model
static double change_of(const hn_sim *sim, const double *now, const double *before) {
  const hn_system *sys = sim->sys;
  double change = 0, size = 0;
  for (int i = 0; i < sys->nv; i++) {
    double unit = sys->angular_v[i] ? sys->length : 1;
    change = fmax(change, unit * fabs(now[i] - before[i]));
    size = fmax(size, unit * fabs(now[i]));
  }
  return size > 0 ? change / size : 0;
}

// x and l of the system above with multipliers iterated: `top` on the right, then `rows`
static void iterate(hn_sim *sim, const double *top, const double *rows, double *x, double *l) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  size_t bytes = (size_t)sys->nv * sizeof(double);
  double last = 1e300;
  if (own->exact) {
    hn_solve_factored(sim, own->damped, top, rows, x, l);
    return;
  }
  memset(l, 0, (size_t)sys->rows * sizeof(double));
  for (int pass = 0; pass < PASSES; pass++) {
    memcpy(own->before, x, bytes);
    memcpy(x, top, bytes);
    for (int i = 0; i < sys->rows; i++) l[i] = rows[i] + own->D[i] * l[i];
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, x, l);
    double change = pass ? change_of(sim, x, own->before) : 1e300;
    // rows that contradict each other in the last digits feed the multipliers without end
    if (change <= sim->opt.iteration_tol || (pass > 1 && change > 0.5 * last)) return;
    last = change;
  }
}

// velocities and sigma from the momenta
static hn_status prepare(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  data *own = sim->method.solver_data;
  hn_work *work = &sim->stage.work;
  double *v = y + sys->nq;
  const double *p = y + sim->state.s, *integral = p + sys->nv;
  hn_eval_jacobian(work, t, y, v);
  if (own->exact) {
    own->damped = hn_factor_saddle(sim);
  } else {
    hn_kkt_factor(&sim->stage.kkt, work, HN_WEIGHT_MASS, own->D);
    sim->count.factorisations++;
  }
  for (int i = 0; i < sys->rows; i++) {
    hn_row_gains g = hn_penalty_gains(sim, i);
    sim->room.rhs[i] = -work->phi_t[i];
    if (!own->feeds || !sys->holonomic[i]) continue;
    sim->room.rhs[i] -= own->exact ? sim->opt.alpha * work->phi[i]
                                   : g.omega * (2 * g.mu * work->phi[i] + g.omega * integral[i]);
  }
  iterate(sim, p, sim->room.rhs, v, own->sigma);
  return HN_OK;
}

static hn_status solve(hn_sim *sim, void *user) {
  iterate(sim, sim->stage.work.r, user, sim->stage.a, sim->stage.work.lambda);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  double *rhs = sim->stage.work.gamma;
  if (own->feeds && !own->exact) hn_penalty_feedback(sim, rhs = sim->room.rhs);
  if (own->feeds && own->exact) {
    rhs = sim->room.rhs;
    for (int i = 0; i < sys->rows; i++)
      rhs[i] = sim->stage.work.gamma[i] -
               (sys->holonomic[i] ? sim->opt.alpha * sim->stage.work.psi[i] : 0);
  }
  // the factors of prepare() belong to this state
  hn_status status = hn_settle(sim, solve, rhs);
  double *integral = sim->stage.s_rate + sys->nv, *J = sim->stage.work.J;
  hn_jacobian_rate(&sim->stage.work, own->J_rate);
  memcpy(sim->stage.s_rate, sim->stage.work.r, (size_t)sys->nv * sizeof(double));
  sim->stage.work.J = own->J_rate;
  hn_jacobian_tmul_add(&sim->stage.work, own->sigma, -1, sim->stage.s_rate);
  sim->stage.work.J = J;
  for (int i = 0; i < sys->rows; i++)
    integral[i] = own->feeds && sys->holonomic[i] ? sim->stage.work.phi[i] : 0;
  return status;
}

// momenta that belong to the velocities; the integrals go on
static void follow(hn_sim *sim, double *y) {
  hn_mass_mul(&sim->stage.work, y + sim->sys->nq, y + sim->state.s);
}

const hn_solver_type hn_solver_hamiltonian = {
    .info = {.name = "hamiltonian",
             .help = "momenta integrated: constraints differentiated once, penalty with iterated "
                     "multipliers",
             .keys = "penalty omega mu iteration_tol",
             .required = ""},
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_NO_BLOCKS,
    .layout = layout,
    .states = states,
    .prepare = prepare,
    .accelerate = accelerate,
    .follow = follow,
};

const hn_solver_type hn_solver_baumgarte_hamiltonian = {
    .info = {.name = "baumgarte-hamiltonian",
             .help = "momenta integrated: constraints differentiated once, feedback of positions",
             .keys = "alpha",
             .required = ""},
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_NO_BLOCKS,
    .layout = layout,
    .states = states,
    .prepare = prepare,
    .accelerate = accelerate,
    .follow = follow,
};
