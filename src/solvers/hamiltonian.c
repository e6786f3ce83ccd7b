// hamiltonian.c: augmented Lagrangian in momenta (Bayo & Avello 1994).
//
// Momenta that contain the impulse sigma of the constraints so far,
//
//   p = M v - J^T sigma,   p' = f - J'^T sigma,   J v = -Phi_t - 2 Omega mu Phi,
//
// follow from M v' = f + J^T lambda with sigma' = lambda: the constraints are differentiated once
// only. The states integrated are q and p; velocities and sigma are recovered at every stage by
// penalty with iterated multipliers, D = 1/(penalty * stiffness):
//
//   [ M  -J^T ] [ v          ]   [ p                                          ]
//   [ J   D   ] [ sigma_i+1  ] = [ -Phi_t - 2 Omega mu Phi + D sigma_i ]
//
// J' is the rate of J along v. After every step the
// momenta start anew from p = M v, so that sigma stays small. Accelerations and reactions, which
// the motion does not need, come from the same factors and J v' = gamma.
#include "solvers/solvers.h"

#include <string.h>

enum { PASSES = 20 };

typedef struct data {
  double *D;       // compliance, rows
  double *sigma;   // rows
  double *before;  // nv
  double *J_rate;  // in the layout of J
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  data *own = HN_TAKE(arena, data, 1), place;
  place.D = HN_TAKE(arena, double, sys->rows);
  place.sigma = HN_TAKE(arena, double, sys->rows);
  place.before = HN_TAKE(arena, double, sys->nv);
  place.J_rate = HN_TAKE(arena, double, sys->j_size);
  if (!arena->base) return;
  *own = place;
  hn_penalty_compliance(sim, own->D);
  sim->method.solver_data = own;
}

static int states(const hn_system *sys) {
  return sys->nv;
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
  const data *own = sim->method.solver_data;
  hn_work *work = &sim->stage.work;
  double *v = y + sys->nq, gain = 2 * sim->opt.omega * sim->opt.mu;
  // after a correction nothing is left to feed back but its tolerance
  if (strcmp(sim->method.correction->info.name, "none") != 0) gain = 0;
  hn_eval_jacobian(work, t, y, v);
  hn_kkt_factor(&sim->stage.kkt, work, HN_WEIGHT_MASS, own->D);
  sim->count.factorisations++;
  for (int i = 0; i < sys->rows; i++)
    sim->room.rhs[i] = -work->phi_t[i] - (sys->holonomic[i] ? gain * work->phi[i] : 0);
  iterate(sim, y + sim->state.s, sim->room.rhs, v, own->sigma);
  return HN_OK;
}

static hn_status solve(hn_sim *sim, void *user) {
  (void)user;
  iterate(sim, sim->stage.work.r, sim->stage.work.gamma, sim->stage.a, sim->stage.work.lambda);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  // the factors of prepare() belong to this state
  hn_status status = hn_settle(sim, solve, NULL);
  double *J = sim->stage.work.J;
  hn_jacobian_rate(&sim->stage.work, own->J_rate);
  memcpy(sim->stage.s_rate, sim->stage.work.r, (size_t)sys->nv * sizeof(double));
  sim->stage.work.J = own->J_rate;
  hn_jacobian_tmul_add(&sim->stage.work, own->sigma, -1, sim->stage.s_rate);
  sim->stage.work.J = J;
  return status;
}

// momenta that belong to the velocities
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
