// baumgarte_step.c: Baumgarte's feedback with gains that follow from the step.
//
// The violation at the start of a step, Phi_n and psi_n, is fed back through the whole step:
//   J a = gamma - A psi_n / h - B Phi_n / h^2     (holonomic rows: 2 alpha = A/h, beta^2 = B/h^2)
//   J a = gamma - psi_n / h                       (nonholonomic rows)
// As in a digital controller (Lin & Hong 1998) the feedback is sampled: a constant, which a scheme
// of order two or more integrates exactly. The violation then obeys
//   [ Phi   ]      [ 1 - B/2   1 - A/2 ] [ Phi   ]
//   [ h psi ]n+1 = [  -B        1 - A  ] [ h psi ]n
// whatever the scheme, and A = 3/2, B = 1 make this matrix nilpotent: two steps after a violation
// nothing is left of it. Euler's method needs A = 2, B = 1 for that, the symplectic one A = B = 1.
// Methods of several steps mix the samples of their past; they get the milder A = 2/5, B = 1/25,
// abm A = 1/2, B = 1/16.
//
// Sampling leaves the order of the integrator alone, which gains of this size do not when they act
// on its stages (see baumgarte.c).
#include "solvers/solvers.h"

#include <math.h>
#include <string.h>

typedef struct data {
  double velocity, position;  // A and B
  double *phi, *psi;          // of the last accepted state
  double *before;             // both of the one before it, rows each
} data;

static void choose_gains(const hn_sim *sim, data *own) {
  const char *name = sim->method.integrator->info.name;
  own->velocity = 1.5, own->position = 1;
  if (strcmp(name, "euler") == 0) own->velocity = 2;
  if (strcmp(name, "symplectic-euler") == 0) own->velocity = 1;
  if (sim->method.integrator->multistep) own->velocity = 0.4, own->position = 0.04;
  if (strcmp(name, "abm") == 0) own->velocity = 0.5, own->position = 0.0625;
}

static void layout(hn_sim *sim, hn_arena *arena) {
  data *own = HN_TAKE(arena, data, 1), plan = {0};
  plan.phi = HN_TAKE(arena, double, sim->sys->rows);
  plan.psi = HN_TAKE(arena, double, sim->sys->rows);
  plan.before = HN_TAKE(arena, double, 2 * sim->sys->rows);
  if (!arena->base) return;
  choose_gains(sim, &plan);
  *own = plan;
  sim->method.solver_data = own;
}

static void sample(hn_sim *sim, double t, const double *y) {
  // round-off, and what corrections leave: over h^2 of a small step it would be a force
  static const double nothing = 2e-12;
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  hn_feedback_sample(sim, t, y);
  for (int i = 0; i < sys->rows; i++) {
    double phi = sim->stage.work.phi[i], psi = sim->stage.work.psi[i];
    own->phi[i] = fabs(phi) > nothing * sys->length ? phi : 0;
    own->psi[i] = fabs(psi) > nothing * sim->step.speed[0] ? psi : 0;
  }
}

static hn_status start(hn_sim *sim, double t, double *y) {
  sample(sim, t, y);
  return HN_OK;
}

static hn_status accepted(hn_sim *sim) {
  const data *own = sim->method.solver_data;
  size_t rows = (size_t)sim->sys->rows;
  memcpy(own->before, own->phi, rows * sizeof(double));
  memcpy(own->before + rows, own->psi, rows * sizeof(double));
  sample(sim, sim->state.t, sim->state.y);
  // the derivative at hand was computed with the feedback of the step before
  hn_state_moved(sim);
  return HN_OK;
}

// what is fed back in a step belongs to its start, however often it is made
static void taken_back(hn_sim *sim) {
  const data *own = sim->method.solver_data;
  size_t rows = (size_t)sim->sys->rows;
  memcpy(own->phi, own->before, rows * sizeof(double));
  memcpy(own->psi, own->before + rows, rows * sizeof(double));
}

static hn_status accelerate(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const data *own = sim->method.solver_data;
  double h = hn_current_step(sim), rate = h > 0 ? 1 / h : 0;  // no feedback before the first step
  double velocity = own->velocity * rate, position = own->position * rate * rate;
  for (int i = 0; i < sys->rows; i++)
    sim->room.rhs[i] =
        sim->stage.work.gamma[i] -
        (sys->holonomic[i] ? velocity * own->psi[i] + position * own->phi[i] : rate * own->psi[i]);
  return hn_solve_saddle(sim, sim->room.rhs);
}

const hn_solver_type hn_solver_baumgarte_step = {
    .info = {.name = "baumgarte-step",
             .help = "feedback sampled once a step, gains from the step and the integrator",
             .keys = "",
             .required = ""},
    .can = HN_FEEDBACK_CAN,
    .layout = layout,
    .start = start,
    .accelerate = accelerate,
    .accepted = accepted,
    .taken_back = taken_back,
};
