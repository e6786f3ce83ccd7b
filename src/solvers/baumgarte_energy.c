// baumgarte_energy.c: Baumgarte's feedback with the total energy as one more row.
//
// E(q, v) = T + V - w, w the work of forces without potential, keeps its first value E0 along the
// exact motion. As a nonholonomic row, E - E0 = 0 has the gradient dE/dv = M v; its part x along
// the free motions, M x - J^T l = M v and J x = 0, is what the row may act along:
//   M a = f + J^T lambda + s M x,   J a = gamma - 2 alpha psi - beta^2 Phi
// M x balances itself on the constraints: a changes by s x and lambda not at all, so that drivers
// do the same work with and without it. Its power is s X, X = v.M x = x.M x, and
//   s = -g (E_n - E0) X / (X^2 + d^2)
// makes E' = -g (E_n - E0) while the system moves, and nothing where it stands (X << d), where a
// force along the momentum has no power. E_n belongs to the start of the step: stages are less
// accurate than steps, and near rest their errors of energy are as large as X itself, which would
// cost the integrator its order. g is alpha, at most half of what one step would take. The cost is
// one more solution with the same factors, and one evaluation a step.
#include "solvers/solvers.h"

#include <string.h>

typedef struct data {
  double energy, small;  // E0 and d
  double excess[2];      // E - E0 at the ends of the last two steps,
  double at[2];          // and when that was: a step may be taken back
  double *momentum;      // M x
} data;

static void layout(hn_sim *sim, hn_arena *arena) {
  data *own = HN_TAKE(arena, data, 1);
  double *momentum = HN_TAKE(arena, double, sim->sys->nv);
  if (!arena->base) return;
  own->momentum = momentum;
  sim->method.solver_data = own;
}

// E of a state, with the work so far; *kinetic: T alone
static double energy_at(hn_sim *sim, double t, const double *y, double *kinetic) {
  hn_work *w = &sim->stage.work;
  hn_give_states(w, y + sim->state.x);
  hn_eval_all(w, t, y, y + sim->sys->nq);
  *kinetic = hn_kinetic_energy(w);
  return *kinetic + hn_potential_energy(w) - y[sim->state.w];
}

static hn_status start(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  data *own = sim->method.solver_data;
  double T, weight = 0, g = v3_norm(sys->gravity);
  own->energy = energy_at(sim, t, y, &T);
  own->excess[0] = own->excess[1] = 0;
  own->at[0] = own->at[1] = t;
  for (int i = 1; i < sys->bodies; i++) weight += sys->body[i].mass * g * sys->length;
  own->small = 1e-3 * fmax(T, 1e-3 * weight);
  return HN_OK;
}

static hn_status accepted(hn_sim *sim) {
  data *own = sim->method.solver_data;
  double T;
  int last = own->at[1] < sim->state.t;  // 0: the last one was taken back
  own->excess[0] = own->excess[last], own->at[0] = own->at[last];
  own->at[1] = sim->state.t;
  own->excess[1] = energy_at(sim, sim->state.t, sim->state.y, &T) - own->energy;
  // the derivative at hand was computed with the feedback of the step before
  hn_state_moved(sim);
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  hn_work *w = &sim->stage.work;
  double alpha = sim->opt.alpha, X = 0;
  double excess = own->excess[own->at[1] <= sim->state.t];
  hn_feedback(sim, alpha, sim->opt.beta, alpha, sim->room.rhs);
  hn_status status = hn_solve_saddle(sim, sim->room.rhs);
  if (status) return status;
  // x and the multipliers that belong to it
  hn_mass_mul(w, w->gv, sim->room.v);
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, w, sim->room.v, sim->room.r);
  hn_mass_mul(w, sim->room.v, own->momentum);
  for (int i = 0; i < sys->nv; i++) X += w->gv[i] * own->momentum[i];
  double bottom = X * X + own->small * own->small;
  if (!(bottom > 0)) return HN_OK;
  // a gain beyond this would overshoot within a step
  double h = hn_current_step(sim), gain = h > 0 ? fmin(alpha, 0.5 / h) : alpha;
  double s = -gain * excess * X / bottom;
  for (int i = 0; i < sys->nv; i++) sim->stage.a[i] += s * sim->room.v[i];
  return HN_OK;
}

const hn_solver_type hn_solver_baumgarte_energy = {
    .info = {.name = "baumgarte-energy",
             .help = "feedback of the violation and of the error of the total energy",
             .keys = "alpha beta",
             .required = ""},
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .start = start,
    .accelerate = accelerate,
    .accepted = accepted,
};
