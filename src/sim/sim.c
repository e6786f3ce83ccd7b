// sim.c: creating a run, setting its state, stepping it.
//
// Life. A plan says system, options and parts of the method. Everybody who needs memory while the
// run lasts has a layout function; hn_sim_layout calls them all, twice: over an empty arena, which
// counts, and over the one block that is then allocated. The run itself lies at its beginning. What
// a part needs beyond that (KLU's factors, SUNDIALS) it makes in `create` and gives back in
// `release`. Nothing is allocated by steps.
//
// State. hn_start_from is the only way in, for a new run as for hn_set_state. Its order matters:
// coordinates, then the model's states of first order, controllers, which sample what these say,
// the solver's own states, speeds, by which contacts are judged, contacts, and at last
// accelerations, which follow from what touches.
//
// Step. An integrator evaluates derivatives where it likes (hn_derivative) and ends with
// hn_accept_step, which corrects the state and makes it the current one. Whatever was found of the
// state before (derivative, factors, what readers were told) carries the number of that state and
// is void from then on; nobody has to tell anybody. hn_undo_step takes the last step back, for
// events.
#include "base/elementary.h"
#include "code/native.h"
#include "model/options.h"
#include "sim/control.h"
#include "sim/occurrence.h"
#include "sim/outside.h"
#include "sim/pull.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hn_status hn_sim_fail(hn_sim *sim, hn_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(sim->message, sizeof sim->message, format, args);
  va_end(args);
  return status;
}

const char *hn_sim_error(const hn_sim *sim) {
  return sim->message;
}

// Runs twice, see above: no branch in it may depend on anything but system, options and parts, or
// the two runs would differ. Integrators come behind solvers and corrections, which they call.
void hn_sim_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int rows = sys->rows, nv = sys->nv, n = sim->state.n;
  sim->state.y = HN_TAKE(arena, double, n);
  sim->state.y_old = HN_TAKE(arena, double, n);
  sim->step.y_new = HN_TAKE(arena, double, n);
  sim->step.y_stage = HN_TAKE(arena, double, n);
  sim->record.y = HN_TAKE(arena, double, n);
  sim->record.accelerations = HN_TAKE(arena, double, sys->bv);
  sim->record.forces = HN_TAKE(arena, double, sys->bv);
  sim->stage.ydot = HN_TAKE(arena, double, n);
  hn_work_layout(&sim->stage.work, arena, sys);
  hn_kkt_layout(&sim->stage.kkt, arena, sys);
  sim->rows.D = NULL;
  if (sys->redundant) sim->rows.D = HN_TAKE(arena, double, rows);
  sim->rows.D_soft = HN_TAKE(arena, double, rows);
  sim->stage.a = HN_TAKE(arena, double, nv);
  sim->stage.a_kept = HN_TAKE(arena, double, nv);
  sim->stage.lambda_kept = HN_TAKE(arena, double, rows);
  sim->room.v = HN_TAKE(arena, double, nv);
  sim->room.r = HN_TAKE(arena, double, rows);
  sim->room.r2 = HN_TAKE(arena, double, rows);
  sim->room.rhs = HN_TAKE(arena, double, rows);
  sim->stage.base_force = HN_TAKE(arena, double, sys->bv);
  hn_settle_layout(sim, arena);
  sim->step.scale_y = HN_TAKE(arena, double, n);
  sim->step.scale_d = HN_TAKE(arena, double, nv);
  sim->step.size_x = HN_TAKE(arena, double, sys->states);
  if (sys->native) {
    sim->room.side = HN_TAKE(arena, double, sys->switches + sys->memories);
    sim->room.pull = HN_TAKE(arena, double, nv);
    sim->room.in = HN_TAKE(arena, double, hn_native_ins(sys));
  }
  hn_contact_layout(sim, arena);
  hn_redundant_layout(sim, arena);
  hn_share_layout(sim, arena);
  hn_leave_layout(sim, arena);
  hn_beside_layout(sim, arena);
  hn_reactions_layout(sim, arena);
  hn_watch_layout(sim, arena);
  if (sim->method.solver->layout) sim->method.solver->layout(sim, arena);
  if (sim->method.correction->layout) sim->method.correction->layout(sim, arena);
  sim->method.integrator->layout(sim, arena);
  hn_events_layout(sim, arena);
  hn_live_layout(sim, arena);
  hn_control_layout(sim, arena);
  hn_occurrence_layout(sim, arena);
  hn_audit_layout(sim, arena);
  hn_narrow_layout(sim, arena);
  hn_corners_layout(sim, arena);
  hn_tally_layout(sim, arena);
}

hn_status hn_sim_create(hn_sim **out, const hn_system *sys, const hn_options *options,
                        char *message, size_t size) {
  hn_sim plan = {.sys = sys, .opt = options ? *options : hn_options_default()};
  *out = NULL;
  if (size) message[0] = 0;
  hn_status status = hn_options_check(&plan.opt, plan.message, sizeof plan.message);
  if (!status) status = hn_sim_choose_parts(&plan);
  if (!status) return hn_sim_build(out, &plan, message, size);
  snprintf(message, size, "%s", plan.message);
  return status;
}

// The plan is a run without memory; it is copied to the beginning of the arena once that is there.
// What the structs hold after creation is kept (save.c), so that saved bytes need not hold
// addresses.
hn_status hn_sim_build(hn_sim **out, hn_sim *plan, char *message, size_t size) {
  const hn_system *sys = plan->sys;
  hn_sim_method *m = &plan->method;
  hn_status status = HN_OK;
  *out = NULL;
  if (!m->integrator->stands_alone && strcmp(m->solver->info.name, "lagrange") == 0)
    m->native = sys->native;
  plan->state.w = sys->nq + sys->nv;
  plan->state.x = plan->state.w + 1;
  plan->state.s = plan->state.x + sys->states;
  plan->state.n = plan->state.s + (m->solver->states ? m->solver->states(sys) : 0);
  // measure, allocate once, place
  hn_arena arena = {0};
  HN_TAKE(&arena, hn_sim, 1);
  hn_sim_layout(plan, &arena);
  HN_TAKE(&arena, char, arena.structs);
  hn_reading_layout(plan, &arena);
  if (!hn_arena_allocate(&arena)) {
    snprintf(message, size, "out of memory (%zu bytes)", arena.used);
    return HN_ERR_MEMORY;
  }
  hn_sim *sim = HN_TAKE(&arena, hn_sim, 1);
  *sim = *plan;
  hn_sim_layout(sim, &arena);
  sim->size = arena.used;
  sim->created = (unsigned char *)HN_TAKE(&arena, char, arena.structs);
  hn_reading_layout(sim, &arena);
  sim->arena = arena;
  for (int i = 0; sim->rows.D && i < sys->rows; i++)
    sim->rows.D[i] = sys->active[i] ? 0 : HN_LEFT_OUT;
  if (!hn_reading_create(sim) || !hn_kkt_create(&sim->stage.kkt, sys))
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  if (!status && m->integrator->create) status = m->integrator->create(sim);
  if (!status) status = hn_set_state(sim, 0, sys->q0, sys->v0);
  if (!status) status = hn_library_load(sim);
  if (status) {
    snprintf(message, size, "%s", sim->message);
    hn_sim_destroy(sim);
    return status;
  }
  hn_sim_keep_created(sim);
  *out = sim;
  return HN_OK;
}

void hn_sim_destroy(hn_sim *sim) {
  if (!sim) return;
  if (sim->method.integrator->release) sim->method.integrator->release(sim);
  hn_records_release(sim);
  hn_reading_release(sim);
  hn_kkt_release(&sim->stage.kkt);
  hn_library_close(sim);
  free(sim->functions), free(sim->pushers), free(sim->listeners);
  free(sim->arena.base);  // the sim itself lies in the arena
}

// angles of a state from outside count turns from the last state; those that are driven count
// them as their motion does
static void count_turns(hn_sim *sim, double t) {
  if (!sim->sys->turns) return;
  sim->stage.work.turn_t = t;
  hn_eval_motion(&sim->stage.work, t, sim->state.y, sim->state.y + sim->sys->nq);
  hn_accept_turns(&sim->stage.work, true);
}

// nothing that is no number gets in; y_stage and x_v are scratch
static hn_status check_state(hn_sim *sim, double t, const double *q, const double *v) {
  const hn_system *sys = sim->sys;
  if (!isfinite(t)) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "the time of a state must be finite");
  for (int i = 0; i < sys->nq; i++)
    if (!isfinite(q[i]))
      return hn_sim_fail(sim, HN_ERR_ARGUMENT, "coordinate %d of the state is not a finite number",
                         i);
  for (int i = 0; i < sys->nv; i++)
    if (!isfinite(v[i]))
      return hn_sim_fail(sim, HN_ERR_ARGUMENT, "velocity %d of the state is not a finite number",
                         i);
  // quaternions of length zero say nothing
  memcpy(sim->step.y_stage, q, (size_t)sys->nq * sizeof(double));
  hn_normalise(sys, sim->step.y_stage);
  for (int i = 0; i < sys->nq; i++)
    if (!isfinite(sim->step.y_stage[i]))
      return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                         "coordinate %d of the state belongs to a quaternion "
                         "of length zero",
                         i);
  return HN_OK;
}

// the values of the states that belong to the start
static hn_status start_states(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  double *x = sim->state.y + sim->state.x;
  bool steady = false, settled = true;
  for (int i = 0; i < sys->states; i++) {
    x[i] = sys->state[i].start;
    steady |= sys->state[i].steady;
  }
  hn_give_states(work, x);
  if (!steady) return HN_OK;
  hn_eval_signals(work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  work->rule = &(hn_state_rule){.rate = 1, .begin = true};
  settled = hn_follow_states(work);
  work->rule = NULL;
  memcpy(x, work->state, (size_t)sys->states * sizeof(double));
  return settled ? HN_OK
                 : hn_sim_fail(sim, HN_ERR_ASSEMBLY,
                               "t=%.6g: there are no values at which the rates of all states with "
                               "'steady' are zero (an integrator has none: give its 'start')",
                               sim->state.t);
}

// states of first order begin where the model says
hn_status hn_set_state(hn_sim *sim, double t, const double *q, const double *v) {
  return hn_start_from(sim, t, q, v, NULL);
}

// Arrays given may be those of the run itself (memmove).
hn_status hn_start_from(hn_sim *sim, double t, const double *q, const double *v, const double *x) {
  const hn_system *sys = sim->sys;
  hn_status wrong = check_state(sim, t, q, v);
  if (wrong) return wrong;
  memmove(sim->state.y, q, (size_t)sys->nq * sizeof(double));
  memmove(sim->state.y + sys->nq, v, (size_t)sys->nv * sizeof(double));
  sim->state.y[sim->state.w] = 0;
  for (int i = 0; i < sys->states; i++) {
    if (x) sim->state.y[sim->state.x + i] = x[i];
    sim->step.size_x[i] = 0;
  }
  for (int i = sim->state.s; i < sim->state.n; i++) sim->state.y[i] = 0;
  sim->state.t = sim->state.t_old = t;
  hn_state_moved(sim);
  sim->stage.looked_at = false;
  sim->step.h = sim->step.h_last = sim->step.h_most = sim->step.h_error = 0;
  sim->step.error_last = 1e-4;
  sim->step.creeping = 0;
  sim->rows.tried = 1;
  sim->rows.firm = 0;
  sim->watch.located_t = -INFINITY;
  hn_leave_reset(sim);
  sim->watch.weakest = sim->watch.sigma[0] = sim->watch.sigma[1] = 1;
  sim->watch.firmest = 0;
  memset(sim->stage.work.memory, 0, (size_t)sys->memories * sizeof(double));
  count_turns(sim, t);
  // states first: controllers sample what they say
  hn_status status = x ? HN_OK : start_states(sim);
  if (!status) status = hn_control_start(sim);
  if (!status && sim->method.solver->start)
    status = sim->method.solver->start(sim, t, sim->state.y);
  if (sim->method.solver->follow) sim->method.solver->follow(sim, sim->state.y);
  // what touches rests by these, accelerations follow from what touches
  hn_forget_speed(sim);
  hn_watch_speed(sim, sim->state.y);
  sim->step.own_time = fmin(hn_own_time(sim), sim->opt.duration);
  if (!status) status = hn_contact_start(sim);
  if (!status) status = hn_derivative(sim, t, sim->state.y, sim->stage.ydot);
  if (!status && sys->check.singular_rows) {
    status = hn_leave_singular(sim);
    // the first call found what leaves the place, this one what the run begins with
    if (!status) status = hn_derivative(sim, t, sim->state.y, sim->stage.ydot);
  }
  if (status) return status;
  memcpy(sim->state.y_old, sim->state.y, (size_t)sim->state.n * sizeof(double));
  hn_rate_found(sim);
  for (int i = 0; i < sim->state.n; i++)
    if (!isfinite(sim->stage.ydot[i]))
      return hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the accelerations of the initial state are not finite", t);
  hn_start_speed(sim);
  hn_watch_speed(sim, sim->state.y);
  sim->step.own_time = fmin(hn_own_time(sim), sim->opt.duration);
  hn_audit_start(sim);
  hn_events_reset(sim);
  hn_live_reset(sim);
  hn_narrow_reset(sim);
  hn_corners_reset(sim);
  hn_watch_reset(sim);
  hn_tally_reset(sim);
  status = hn_ground_kept(sim);
  if (status) return status;
  return sim->method.integrator->start ? sim->method.integrator->start(sim) : HN_OK;
}

int hn_state_count(const hn_system *sys) {
  return sys->states;
}

const char *hn_state_name(const hn_system *sys, int state) {
  return state >= 0 && state < sys->states ? sys->state[state].name : NULL;
}

int hn_state_find(const hn_system *sys, const char *name) {
  for (int i = 0; name && i < sys->states; i++)
    if (strcmp(sys->state[i].name, name) == 0) return i;
  return -1;
}

const double *hn_states(const hn_sim *sim) {
  return sim->state.y + sim->state.x;
}

hn_status hn_set_states(hn_sim *sim, const double *states) {
  for (int i = 0; i < sim->sys->states; i++)
    if (!isfinite(states[i]))
      return hn_sim_fail(sim, HN_ERR_ARGUMENT, "state '%s' must be a finite number",
                         sim->sys->state[i].name);
  return hn_start_from(sim, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq, states);
}

// ---- stepping ------------------------------------------------------------------------------

// feedback with gains of the size 1/h asks for this; adaptive integrators know it from the second
// step
double hn_current_step(const hn_sim *sim) {
  double h = sim->method.integrator->adaptive ? sim->step.h : 0, most = sim->opt.step;
  return h > 0 && !(most > 0 && most < h) ? h : most;
}

// energy comes last: it moves velocities along the constraints only
hn_status hn_correct(hn_sim *sim, double t, double *y, double *moved) {
  if (moved) *moved = 0;
  hn_status status = HN_OK;
  if (sim->method.solver->prepare) {
    status = sim->method.solver->prepare(sim, t, y);
    hn_stage_left(sim);
  }
  if (!status) status = sim->method.correction->apply(sim, t, y, y + sim->sys->nq, moved);
  if (!status && strcmp(sim->opt.correction_energy, "on") == 0)
    status = hn_restore_energy(sim, t, y, moved);
  return status;
}

hn_status hn_accept_step(hn_sim *sim, double h, double *y_new, const double *ydot_new) {
  hn_stage_left(sim);
  return hn_accept_evaluated(sim, h, y_new, ydot_new);
}

// The order: nothing that is no number gets further; quaternions have length one before constraints
// are looked at; the state is moved once it is corrected, so that a failure leaves the last good
// one.
hn_status hn_accept_evaluated(hn_sim *sim, double h, double *y_new, const double *ydot_new) {
  const hn_system *sys = sim->sys;
  double t = sim->state.t + h, moved = 0;
  // (work may be as large as it likes: planets have much of it)
  for (int i = 0; i < sim->state.n; i++)
    if (!(fabs(y_new[i]) < 1e15) && !(i == sim->state.w && isfinite(y_new[i])))
      return hn_sim_fail(sim, HN_ERR_DIVERGED,
                         "t=%.6g: the motion became unbounded (step %.3g s; a smaller step or "
                         "tolerance may help)",
                         t, h);
  hn_normalise(sys, y_new);
  hn_status status = hn_correct(sim, t, y_new, &moved);
  if (status) return status;
  memcpy(sim->state.y_old, sim->state.y, (size_t)sim->state.n * sizeof(double));
  memcpy(sim->state.y, y_new, (size_t)sim->state.n * sizeof(double));
  sim->state.t_old = sim->state.t;
  sim->state.t = t;
  sim->audit.squares += h * h;
  hn_balance_step(sim);
  hn_state_moved(sim);
  sim->step.h_last = h;
  sim->count.steps++;
  if (hn_turns_lag(sys)) {
    hn_eval_motion(&sim->stage.work, t, sim->state.y, sim->state.y + sys->nq);
    hn_accept_turns(&sim->stage.work, true);
  }
  hn_watch_speed(sim, sim->state.y);
  // the correction moved the state by less than the error control could see
  if (ydot_new && moved < 0.1) {
    memcpy(sim->stage.ydot, ydot_new, (size_t)sim->state.n * sizeof(double));
    hn_rate_found(sim);
  }
  if (sim->rows.D) hn_redundant_choose(sim);
  // what factorisations saw in this step, for hn_watch_step; the next step begins without
  sim->watch.dip = sqrt(fmax(sim->watch.weakest, 0)), sim->watch.dip_t = sim->watch.weakest_t;
  sim->watch.weakest = 1;
  if (sim->method.solver->follow && !sim->method.integrator->multistep) {
    sim->method.solver->follow(sim, sim->state.y);
    hn_state_moved(sim);
  }
  return sim->method.solver->accepted ? sim->method.solver->accepted(sim) : HN_OK;
}

// The derivative at the start of a step is its vector 0 and need not be found again. Turns, counted
// with each state, are taken back with it.
void hn_undo_step(hn_sim *sim) {
  memcpy(sim->state.y, sim->state.y_old, (size_t)sim->state.n * sizeof(double));
  sim->state.t = sim->state.t_old;
  if (hn_turns_lag(sim->sys)) hn_take_back_turns(&sim->stage.work);
  sim->watch.sigma[1] = sim->watch.sigma[0];
  hn_state_moved(sim);
  if (sim->step.k[0]) {
    memcpy(sim->stage.ydot, sim->step.k[0], (size_t)sim->state.n * sizeof(double));
    hn_rate_found(sim);
  }
  sim->count.steps--;
  sim->count.rejected++;
  if (sim->method.solver->taken_back) sim->method.solver->taken_back(sim);
}

hn_status hn_step(hn_sim *sim) {
  hn_status status = hn_take_step(sim, 1e300);
  if (!status) hn_halts_keep(sim);
  return status ? status : hn_audit_passing(sim);
}

static long events_so_far(const hn_sim *sim) {
  return sim->watch.located + hn_sim_event_count(sim, -1);
}

hn_status hn_outside_advance(hn_sim *sim, double t, bool *event, const hn_listener *listener) {
  double eps = 1e-12 * fmax(fabs(t), fabs(sim->state.t));
  if (!isfinite(t)) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "the time to reach must be finite");
  if (t < sim->state.t - eps)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "t=%.9g: time does not run backwards to %.9g",
                       sim->state.t, t);
  hn_pace pace = hn_pace_begin(sim, t);
  hn_occurrence_go_on(sim);
  long before = events_so_far(sim);
  if (event) *event = false;
  while (sim->state.t < t - eps && !hn_sim_ended(sim) && !(event && *event)) {
    double left = t - sim->state.t;
    hn_status status = hn_take_step(sim, left);
    if (event) *event = events_so_far(sim) != before;
    if (!status) status = hn_audit_passing(sim);
    if (!status) status = hn_pace_keep(sim, &pace);
    if (status) return status;
    if (listener) t = listener->tell(listener->who, t);
  }
  hn_halts_keep(sim);
  return HN_OK;
}

hn_status hn_advance(hn_sim *sim, double t) {
  return hn_outside_advance(sim, t, NULL, NULL);
}

// cubic by values and slopes at both ends; h = 0 (no step yet): the state itself
void hn_dense_hermite(hn_sim *sim, double t, double *y) {
  double h = sim->state.t - sim->state.t_old, s = h > 0 ? (t - sim->state.t_old) / h : 1;
  double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * s * (3 - 2 * s);
  double c = h * s * (1 - s) * (1 - s), d = -h * s * s * (1 - s);
  const double *k0 = sim->step.k[0], *k1 = sim->stage.ydot;
  if (!hn_rate_known(sim)) {
    // the derivative at the end of the step is the first one of the next
    if (hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot)) {
      memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
      return;
    }
    hn_rate_found(sim);
  }
  for (int i = 0; i < sim->state.n; i++)
    y[i] = a * sim->state.y_old[i] + b * sim->state.y[i] + c * k0[i] + d * k1[i];
  hn_normalise(sim->sys, y);
}

// what half a swing takes over the model's length, at the speed of the start or what accelerates it
// here; of what rests, the run
static double swing_time(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double a = 0;
  for (int i = 0; i < sys->nv; i++)
    a = fmax(a, fabs(sim->stage.ydot[sys->nq + i]) * hn_velocity_arm(sys, i));
  return hn_pi * fmin(sim->step.own_time, a > 0 ? sqrt(sys->length / a) : INFINITY);
}

// Hairer, Norsett, Wanner: a step for which the second derivative is small. First and second
// derivatives compare in the time of half a swing
hn_status hn_first_step(hn_sim *sim, int order, double limit, double *h) {
  double d0 = 0, d1 = 0, d2 = 0, own = swing_time(sim);
  for (int i = 0; i < sim->state.s; i++) {
    if (i == sim->state.w) continue;
    d0 = fmax(d0, fabs(sim->state.y[i]) / sim->step.scale_y[i]);
    d1 = fmax(d1, fabs(sim->stage.ydot[i]) / sim->step.scale_y[i]);
  }
  // h0 makes the state change by a hundredth of its own size, in units of the tolerance
  double h0 = d0 < 1e-5 || d1 * own < 1e-5 ? 1e-6 * own : 0.01 * d0 / d1;
  h0 = fmin(h0, limit);
  // one Euler step of that size shows how fast the rate itself changes
  for (int i = 0; i < sim->state.n; i++)
    sim->step.y_stage[i] = sim->state.y[i] + h0 * sim->stage.ydot[i];
  hn_status status = hn_derivative(sim, sim->state.t + h0, sim->step.y_stage, sim->step.y_new);
  if (status) return status;
  for (int i = 0; i < sim->state.s; i++)
    if (i != sim->state.w)
      d2 = fmax(d2, fabs(sim->step.y_new[i] - sim->stage.ydot[i]) / sim->step.scale_y[i] / h0);
  double m = fmax(d1 * own, d2 * own * own);
  double h1 = m <= 1e-15 ? fmax(1e-6 * own, h0 * 1e-3) : own * hn_pow(0.01 / m, 1.0 / order);
  *h = fmin(fmin(100 * h0, h1), limit);
  return HN_OK;
}

// ---- state ---------------------------------------------------------------------------------

double hn_time(const hn_sim *sim) {
  return sim->state.t;
}
const double *hn_positions(const hn_sim *sim) {
  return sim->state.y;
}
const double *hn_velocities(const hn_sim *sim) {
  return sim->state.y + sim->sys->nq;
}
