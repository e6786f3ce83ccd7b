// tolerance.c: how large an error of a step may be.
//
// Every number of the state is judged by the tolerance times its natural size: positions by the
// length of the model, angles by one radian, velocities by the largest speed there was so far. That
// is what lets one tolerance serve watches and cranes, and keeps a component that passes through
// zero from asking for digits nobody needs.
#include "sim/sim.h"

#include <string.h>

double hn_state_size(const hn_sim *sim, int state, double value) {
  double floor = hn_state_floor(sim->sys, state);
  if (sim->sys->state[state].size > 0) return floor;
  return fmax(floor, fmax(sim->step.size_x[state], fabs(value)));
}

// error tolerated in every state: tolerance times its natural size
static void set_scales(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  // errors of the steps add up over a run: each is held to a part of the tolerance
  double rtol = 0.2 * sim->opt.rtol, atol = 0.2 * sim->opt.atol;
  for (int i = 0; i < sys->nq; i++)
    sim->step.scale_y[i] = atol + rtol * (sys->angular_q[i] ? 1 : sys->length);
  for (int i = 0; i < sys->nv; i++) {
    sim->step.scale_d[i] = atol + rtol * (sys->angular_v[i] ? 1 : sys->length);
    sim->step.scale_y[sys->nq + i] = atol + rtol * sim->step.speed[sys->angular_v[i]];
  }
  // the solver's own states do not steer the step; the work does in hn_error_norm
  for (int i = sim->state.w; i < sim->state.n; i++) sim->step.scale_y[i] = 1e300;
  for (int i = 0; i < sys->states; i++) {
    double size = hn_state_size(sim, i, 0);
    sim->step.scale_y[sim->state.x + i] = atol + rtol * size;
  }
}

// largest states so far; true: some have grown
static bool watch_states(hn_sim *sim, const double *x) {
  bool grown = false;
  for (int i = 0; i < sim->sys->states; i++) {
    if (!(fabs(x[i]) > 1.05 * sim->step.size_x[i])) continue;
    sim->step.size_x[i] = fabs(x[i]);
    grown = true;
  }
  return grown;
}

// what counts as motion: a small part of the model's length in the time of the run
static const double least_part = 1e-3;
static double least_speed(const hn_sim *sim) {
  return least_part * sim->sys->length / sim->opt.duration;
}

void hn_forget_speed(hn_sim *sim) {
  sim->step.speed[0] = least_speed(sim), sim->step.speed[1] = sim->step.speed[0] / sim->sys->length;
}

double hn_own_time(const hn_sim *sim) {
  bool rests = !(sim->step.speed[0] > 10 * least_speed(sim));
  return rests ? sim->opt.duration : sim->sys->length / sim->step.speed[0];
}

void hn_watch_speed(hn_sim *sim, const double *y) {
  // sizes follow in steps of a twentieth, so that tolerances are not set anew with every state
  const hn_system *sys = sim->sys;
  const double *v = y + sys->nq;
  bool grown = watch_states(sim, y + sim->state.x);
  double s[2] = {sim->step.speed[0], sim->step.speed[1]};
  for (int i = 0; i < sys->nv; i++) {
    int k = sys->angular_v[i];
    s[k] = hn_greater(s[k], fabs(v[i]));
  }
  s[1] = fmax(s[1], s[0] / sys->length);
  s[0] = fmax(s[0], s[1] * sys->length);
  if (s[0] > 1.05 * sim->step.speed[0] || s[1] > 1.05 * sim->step.speed[1]) {
    sim->step.speed[0] = s[0], sim->step.speed[1] = s[1];
    grown = true;
  }
  if (grown) set_scales(sim);
}

// largest acceleration, or what it differs by from another
static double fastest_start(const hn_sim *sim, const double *before) {
  const hn_system *sys = sim->sys;
  double most = 0;
  for (int i = 0; i < sys->nv; i++)
    most = fmax(most, fabs(sim->stage.a[i] - (before ? before[i] : 0)) *
                          (sys->angular_v[i] ? sys->length : 1));
  return most;
}

// accelerations that the states may bring about: what a change by their own size would make
static double states_bring(hn_sim *sim) {
  static const double part = 1e-3;
  double most = 0;
  for (int i = 0; i < sim->sys->states; i++) {
    memcpy(sim->step.y_stage, sim->state.y, (size_t)sim->state.n * sizeof(double));
    sim->step.y_stage[sim->state.x + i] += part * hn_state_size(sim, i, hn_states(sim)[i]);
    if (hn_derivative(sim, sim->state.t, sim->step.y_stage, sim->step.y_new)) continue;
    most = fmax(most, fastest_start(sim, sim->stage.ydot + sim->sys->nq) / part);
  }
  if (sim->sys->states) (void)hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  return most;
}

// 0.1 sqrt(a L): about a tenth of the speed after a fall over the model's length
void hn_start_speed(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double a = fmax(fastest_start(sim, NULL), states_bring(sim));
  // also where friction or stops hold it, up to rounding of what they bear
  a = fmax(a, hn_contact_loose(sim));
  sim->step.speed[0] = fmax(0.1 * sqrt(a * sys->length), least_speed(sim));
  sim->step.speed[1] = sim->step.speed[0] / sys->length;
  set_scales(sim);
}

// the same where a model that has rested so far is let go
void hn_speed_from_rest(hn_sim *sim) {
  if (!(sim->step.speed[0] > 10 * least_speed(sim))) hn_start_speed(sim);
}

// the part of a tangent vector that the constraints leave free, in sim->room.v
static void free_part(hn_sim *sim, const double *x) {
  const hn_system *sys = sim->sys;
  hn_jacobian_mul(&sim->stage.work, x, sim->room.r);
  for (int i = 0; i < sys->rows; i++)
    sim->room.r[i] = sim->rows.D && sim->rows.D[i] > 0 ? 0 : -sim->room.r[i];
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
  for (int i = 0; i < sys->nv; i++) sim->room.v[i] += x[i];
}

static double largest_error(const double *error, const double *scale, int n) {
  double worst = 0, sum = 0;
  // which is the largest follows no pattern: no branches
  for (int i = 0; i < n; i++) {
    double e = fabs(error[i]) / scale[i];
    worst = hn_greater(worst, e);
    sum += e;
  }
  return isnan(sum) ? sum : worst;  // a NaN is kept
}

// across the constraints a step may be off by this part of the model's size and speed
static const double most_across = 1e-2;

// error tolerated in the work of a step to sim->step.y_new: a small part of what the audit admits.
// It matters where the motion is so simple that nothing else limits the step. Against rounding
// shorter ones do not help
static double work_scale(const hn_sim *sim, double error) {
  static const double far_above = 100;
  double work = fmax(fabs(sim->state.y[sim->state.w]), fabs(sim->step.y_new[sim->state.w]));
  double part = fmax(0.01 * sim->opt.audit_energy, sim->opt.rtol);
  double scale = part * fmax(fmax(sim->audit.largest_energy, work), sim->audit.least_energy);
  if (fabs(error) <= 0.1 * scale) return scale;
  return fmax(scale, far_above * hn_balance_rounding(sim, sim->step.h));
}

double hn_error_norm(hn_sim *sim, const double *error) {
  const hn_system *sys = sim->sys;
  sim->step.scale_y[sim->state.w] = work_scale(sim, error[sim->state.w]);
  for (int i = 0; i < sys->states; i++) {
    double size = hn_state_size(sim, i, sim->step.y_new[sim->state.x + i]);
    sim->step.scale_y[sim->state.x + i] = 0.2 * (sim->opt.atol + sim->opt.rtol * size);
  }
  double whole = largest_error(error, sim->step.scale_y, sim->state.n);
  // near a singular configuration the stages scatter across the constraints; the correction takes
  // that part away as long as it is small, so the part along them is what counts
  bool projects = sim->method.correction->projects || (sim->method.solver->can & HN_IS_EXACT);
  bool along = sim->watch.sigma[1] < HN_NEAR_SINGULAR && hn_is_factored(sim) &&
               sys->nq == sys->nv && sys->check.dof > 0 && projects;
  if (!along) return whole;
  // the correction takes away what is across the rows, up to a hundredth of the model
  whole *= fmin(1, sim->opt.rtol / most_across);
  free_part(sim, error);
  double position = largest_error(sim->room.v, sim->step.scale_y, sys->nq);
  free_part(sim, error + sys->nq);
  double velocity = largest_error(sim->room.v, sim->step.scale_y + sys->nq, sys->nv);
  double free = position <= velocity ? velocity : position;
  return free <= whole ? whole : free;
}

double hn_projection_tolerance(const hn_sim *sim) {
  double tol = sim->opt.projection_tol;
  if (sim->method.integrator->adaptive) tol = fmin(tol, 0.01 * sim->opt.rtol);
  return fmax(tol, 1e-14) * sim->sys->length;
}
