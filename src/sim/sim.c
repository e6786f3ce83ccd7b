// sim.c: creating a run, stepping it.
#include "code/native.h"
#include "corrections/corrections.h"
#include "model/options.h"
#include "sim/control.h"
#include "sim/occurrence.h"
#include "sim/outside.h"
#include "system/crowd.h"
#include "system/measure.h"
#include "system/reaction.h"
#include "system/transmission.h"

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
    sim->room.side = HN_TAKE(arena, double, sys->switches);
    sim->room.pull = HN_TAKE(arena, double, nv);
    sim->room.in = HN_TAKE(arena, double, hn_native_ins(sys));
  }
  hn_contact_layout(sim, arena);
  hn_redundant_layout(sim, arena);
  hn_share_layout(sim, arena);
  hn_leave_layout(sim, arena);
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

// what a method must cope with to run the system, as bits
static unsigned needs_of(const hn_system *sys) {
  unsigned needed = sys->coordinates->ability;
  if (sys->redundant > sys->unilaterals) needed |= HN_CAN_REDUNDANT;
  if (sys->unilaterals) needed |= HN_CAN_UNILATERAL;
  for (int i = 0; i < sys->rows; i++)
    if (!sys->holonomic[i]) needed |= HN_CAN_NONHOLONOMIC;
  if (sys->singular_mass) needed |= HN_CAN_SINGULAR_MASS;
  return needed;
}

static hn_status refuse_needs(hn_sim *sim, unsigned needed) {
  static const struct {
    unsigned what;
    const char *words;
  } reasons[] = {
      {HN_CAN_REDUNDANT, "redundant constraints, which this model has (see 'holon check')"},
      {HN_CAN_RELATIVE, "relative coordinates (set 'coordinates' to reference)"},
      {HN_CAN_NATURAL, "natural coordinates (set 'coordinates' to reference)"},
      {HN_CAN_NONHOLONOMIC, "nonholonomic joints, which this model has"},
      {HN_CAN_SINGULAR_MASS, "coordinates without inertia, which this model has"},
      {HN_CAN_UNILATERAL, "limits, ropes, stops, or joints that come and go, which this model has"},
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    unsigned missing = needed & reasons[i].what;
    if (missing & ~sim->method.solver->can)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "solver '%s' cannot deal with %s",
                         sim->method.solver->info.name, reasons[i].words);
    unsigned able = sim->method.integrator->can;
    if (sim->method.integrator->without) able &= ~sim->method.integrator->without(&sim->opt);
    if (sim->method.integrator->stands_alone && (missing & ~able))
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "integrator '%s' cannot deal with %s",
                         sim->method.integrator->info.name, reasons[i].words);
    if (missing & ~sim->method.correction->can)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "correction '%s' cannot deal with %s",
                         sim->method.correction->info.name, reasons[i].words);
  }
  return HN_OK;
}

// what the model has beyond constraints
static hn_status refuse_contents(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->unilateral[i].hold < 0)
      return hn_sim_fail(sim, HN_ERR_MODEL,
                         "joint '%s' holds nothing: no friction is at work in it (give a force of "
                         "type friction with law: coulomb, which makes its own)",
                         sys->joint[sys->row_joint[sys->unilateral[i].row]].name);
  bool over = sim->method.integrator->can & HN_STEPS_OVER;
  if (sys->unilaterals && !over &&
      (!sim->method.integrator->undo || strcmp(sim->opt.events, "off") == 0))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "%s '%s' does not end steps where a limit, rope or stop is met, or a joint "
                       "comes or goes, which this "
                       "model has",
                       sim->method.integrator->undo ? "events" : "integrator",
                       sim->method.integrator->undo ? "off" : sim->method.integrator->info.name);
  hn_crowd crowd;
  if (!over && hn_crowd_of(sys, &crowd))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' does not step through the contacts of pile '%s' ('moreau' "
                       "does: set 'method' to moreau, and a 'step')",
                       sim->method.integrator->info.name, crowd.name);
  if (sys->memories && (!sim->method.integrator->undo || strcmp(sim->opt.events, "off") == 0))
    return hn_sim_fail(
        sim, HN_ERR_UNSUPPORTED,
        "%s '%s' does not end steps where a contact begins, and so does not know the "
        "speed its law with a restitution needs (laws without, as 'hertz' and "
        "'kelvin-voigt', do not)",
        sim->method.integrator->undo ? "events" : "integrator",
        sim->method.integrator->undo ? "off" : sim->method.integrator->info.name);
  // masses of both depend on the state
  const char *varying = sys->flexibles ? "flexible bodies" : sys->blocks ? "blocks" : NULL;
  if (varying && (sim->method.solver->can & HN_NO_BLOCKS))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "solver '%s' cannot deal with %s, which this model has",
                       sim->method.solver->info.name, varying);
  if (varying && sim->method.integrator->stands_alone &&
      !(sim->method.integrator->can & HN_CAN_BLOCKS))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' cannot deal with %s, which this model has",
                       sim->method.integrator->info.name, varying);
  if (sys->states && sim->method.integrator->stands_alone &&
      !(sim->method.integrator->can & HN_CAN_STATES))
    return hn_sim_fail(
        sim, HN_ERR_UNSUPPORTED,
        "integrator '%s' cannot integrate states, which this model has (all of holon's own can)",
        sim->method.integrator->info.name);
  if (sys->states && sys->check.singular_rows)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "a model with states cannot start from a singular configuration");
  return HN_OK;
}

// parts that leave each other nothing to do, or undo each other's work
static hn_status refuse_pairs(hn_sim *sim) {
  const hn_type_info *solver = &sim->method.solver->info,
                     *correction = &sim->method.correction->info;
  bool exact = sim->method.solver->can & HN_IS_EXACT;
  if (sim->method.integrator->stands_alone && strcmp(solver->name, "lagrange") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' solves the equations of motion itself and leaves solver "
                       "'%s' nothing to do (set 'solver' to lagrange)",
                       sim->method.integrator->info.name, solver->name);
  if (exact && strcmp(correction->name, "none") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "solver '%s' meets the constraints at every stage and leaves correction "
                       "'%s' nothing to do (set 'correction' to none)",
                       solver->name, correction->name);
  if (sim->method.integrator->compliant && strcmp(correction->name, "none") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' lets the constraints yield, which correction '%s' would "
                       "undo (set 'correction' to none)",
                       sim->method.integrator->info.name, correction->name);
  return HN_OK;
}

hn_status hn_sim_check_parts(hn_sim *sim) {
  hn_status status = refuse_needs(sim, needs_of(sim->sys));
  if (!status) status = refuse_contents(sim);
  return status ? status : refuse_pairs(sim);
}

// finds the parts the options name; the preset fills what they leave open
static hn_status choose_parts(hn_sim *sim) {
  hn_options *o = &sim->opt;
  sim->method.info = hn_method_find(o->method);
  if (!sim->method.info) {
    const char *names[64], *near;
    int count = 0;
    for (; hn_method_at(count) && count < 63; count++) names[count] = hn_method_at(count)->name;
    names[count] = NULL;
    near = hn_nearest(o->method, names);
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no method '%s'%s%s%s", o->method,
                       near ? " (did you mean '" : " (see 'holon methods')", near ? near : "",
                       near ? "'?)" : "");
  }
  if (hn_method_chooses(o->method))
    snprintf(sim->method.reason, sizeof sim->method.reason, "%s", hn_auto_choose(sim->sys, o));
  const char *solver = o->solver[0] ? o->solver : sim->method.info->solver;
  const char *correction = o->correction[0] ? o->correction : sim->method.info->correction;
  const char *integrator = o->integrator[0] ? o->integrator : sim->method.info->integrator;
  sim->method.solver = hn_solver_find(solver);
  sim->method.correction = hn_correction_find(correction);
  sim->method.integrator = hn_integrator_find(integrator);
  if (!sim->method.solver)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no solver '%s' (see 'holon methods')", solver);
  if (!sim->method.correction)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no correction '%s' (see 'holon methods')",
                       correction);
  if (!sim->method.integrator)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no integrator '%s' (see 'holon methods')",
                       integrator);
  if (!sim->method.integrator->adaptive && !(o->step > 0))
    return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                       "integrator '%s' needs a fixed step (set 'step', for example 1e-3)",
                       integrator);
  return hn_sim_check_parts(sim);
}

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

static const double least_speed = 1e-6;  // lengths of the model in a second

// largest speeds so far; scales follow when they have grown
static void watch_speed(hn_sim *sim, const double *y) {
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

// speed the model would reach from rest over its own length, so that a start at rest does not
// ask for absolute precision
static void start_speed(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double a = fmax(fastest_start(sim, NULL), states_bring(sim));
  sim->step.speed[0] = fmax(0.1 * sqrt(a * sys->length), least_speed * sys->length);
  sim->step.speed[1] = sim->step.speed[0] / sys->length;
  set_scales(sim);
}

hn_status hn_sim_create(hn_sim **out, const hn_system *sys, const hn_options *options,
                        char *message, size_t size) {
  hn_sim plan = {.sys = sys, .opt = options ? *options : hn_options_default()};
  *out = NULL;
  if (size) message[0] = 0;
  hn_status status = hn_options_check(&plan.opt, plan.message, sizeof plan.message);
  if (!status) status = choose_parts(&plan);
  if (!status) return hn_sim_build(out, &plan, message, size);
  snprintf(message, size, "%s", plan.message);
  return status;
}

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

hn_status hn_set_state(hn_sim *sim, double t, const double *q, const double *v) {
  return hn_start_from(sim, t, q, v, NULL);
}

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
  hn_leave_reset(sim);
  sim->watch.weakest = sim->watch.sigma[0] = sim->watch.sigma[1] = 1;
  sim->watch.firmest = 0;
  memset(sim->stage.work.memory, 0, (size_t)sys->memories * sizeof(double));
  count_turns(sim, t);
  hn_status status = x ? HN_OK : start_states(sim);
  if (!status) status = hn_control_start(sim);
  if (!status && sim->method.solver->start)
    status = sim->method.solver->start(sim, t, sim->state.y);
  if (sim->method.solver->follow) sim->method.solver->follow(sim, sim->state.y);
  // what touches rests by these, accelerations follow from what touches
  sim->step.speed[0] = least_speed * sys->length, sim->step.speed[1] = least_speed;
  watch_speed(sim, sim->state.y);
  if (!status) status = hn_contact_start(sim);
  if (!status) status = hn_derivative(sim, t, sim->state.y, sim->stage.ydot);
  if (!status && sys->check.singular_rows) {
    status = hn_leave_singular(sim);
    if (!status) status = hn_derivative(sim, t, sim->state.y, sim->stage.ydot);
  }
  if (status) return status;
  memcpy(sim->state.y_old, sim->state.y, (size_t)sim->state.n * sizeof(double));
  hn_rate_found(sim);
  for (int i = 0; i < sim->state.n; i++)
    if (!isfinite(sim->stage.ydot[i]))
      return hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the accelerations of the initial state are not finite", t);
  start_speed(sim);
  watch_speed(sim, sim->state.y);
  hn_audit_start(sim);
  hn_events_reset(sim);
  hn_live_reset(sim);
  hn_narrow_reset(sim);
  hn_corners_reset(sim);
  hn_watch_reset(sim);
  hn_tally_reset(sim);
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
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double e = fabs(error[i]) / scale[i];
    if (!(e <= worst) && !isnan(worst)) worst = e;  // a NaN is kept
  }
  return worst;
}

// across the constraints a step may be off by this part of the model's size and speed
static const double most_across = 1e-2;

// error tolerated in the work of a step to sim->step.y_new: a small part of what the audit admits.
// It matters where the motion is so simple that nothing else limits the step
static double work_scale(const hn_sim *sim) {
  double work = fmax(fabs(sim->state.y[sim->state.w]), fabs(sim->step.y_new[sim->state.w]));
  double part = fmax(0.01 * sim->opt.audit_energy, sim->opt.rtol);
  return part * fmax(fmax(sim->audit.largest_energy, work), sim->audit.least_energy);
}

double hn_error_norm(hn_sim *sim, const double *error) {
  const hn_system *sys = sim->sys;
  sim->step.scale_y[sim->state.w] = work_scale(sim);
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

double hn_current_step(const hn_sim *sim) {
  double h = sim->method.integrator->adaptive ? sim->step.h : 0, most = sim->opt.step;
  return h > 0 && !(most > 0 && most < h) ? h : most;
}

hn_status hn_correct(hn_sim *sim, double t, double *y, double *moved) {
  *moved = 0;
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

hn_status hn_accept_evaluated(hn_sim *sim, double h, double *y_new, const double *ydot_new) {
  const hn_system *sys = sim->sys;
  double t = sim->state.t + h, moved = 0;
  // (work may be as large as it likes: planets have much of it)
  for (int i = 0; i < sim->state.n; i++)
    if (!(fabs(y_new[i]) < (i == sim->state.w ? INFINITY : 1e15)))
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
  hn_state_moved(sim);
  sim->step.h_last = h;
  sim->count.steps++;
  if (hn_turns_lag(sys)) {
    hn_eval_motion(&sim->stage.work, t, sim->state.y, sim->state.y + sys->nq);
    hn_accept_turns(&sim->stage.work, true);
  }
  watch_speed(sim, sim->state.y);
  // the correction moved the state by less than the error control could see
  if (ydot_new && moved < 0.1) {
    memcpy(sim->stage.ydot, ydot_new, (size_t)sim->state.n * sizeof(double));
    hn_rate_found(sim);
  }
  if (sim->rows.D) hn_redundant_choose(sim);
  sim->watch.dip = sqrt(fmax(sim->watch.weakest, 0)), sim->watch.dip_t = sim->watch.weakest_t;
  sim->watch.weakest = 1;
  if (sim->method.solver->follow && !sim->method.integrator->multistep) {
    sim->method.solver->follow(sim, sim->state.y);
    hn_state_moved(sim);
  }
  return sim->method.solver->accepted ? sim->method.solver->accepted(sim) : HN_OK;
}

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
}

hn_status hn_step(hn_sim *sim) {
  hn_status status = hn_take_step(sim, 1e300);
  return status ? status : hn_audit_passing(sim);
}

static long events_so_far(const hn_sim *sim) {
  return sim->watch.located + hn_sim_event_count(sim, -1);
}

// event: NULL where none is waited for
static hn_status advance(hn_sim *sim, double t, bool *event) {
  double eps = 1e-12 * fmax(fabs(t), fabs(sim->state.t));
  if (!isfinite(t)) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "the time to reach must be finite");
  if (t < sim->state.t - eps)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "t=%.9g: time does not run backwards to %.9g",
                       sim->state.t, t);
  hn_pace pace = hn_pace_begin(sim, t);
  hn_occurrence_go_on(sim);
  long before = events_so_far(sim);
  while (sim->state.t < t - eps && !hn_sim_ended(sim) && !(event && *event)) {
    double left = t - sim->state.t;
    hn_status status = hn_take_step(sim, left);
    if (event) *event = events_so_far(sim) != before;
    if (!status) status = hn_audit_passing(sim);
    if (!status) status = hn_pace_keep(sim, &pace);
    if (status) return status;
  }
  return HN_OK;
}

hn_status hn_advance(hn_sim *sim, double t) {
  return advance(sim, t, NULL);
}

hn_status hn_outside_advance(hn_sim *sim, double t, bool *event) {
  *event = false;
  return advance(sim, t, event);
}

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

// Hairer, Norsett, Wanner: a step for which the second derivative is small
hn_status hn_first_step(hn_sim *sim, int order, double limit, double *h) {
  double d0 = 0, d1 = 0, d2 = 0;
  for (int i = 0; i < sim->state.s; i++) {
    if (i == sim->state.w) continue;
    d0 = fmax(d0, fabs(sim->state.y[i]) / sim->step.scale_y[i]);
    d1 = fmax(d1, fabs(sim->stage.ydot[i]) / sim->step.scale_y[i]);
  }
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h0 = fmin(h0, limit);
  for (int i = 0; i < sim->state.n; i++)
    sim->step.y_stage[i] = sim->state.y[i] + h0 * sim->stage.ydot[i];
  hn_status status = hn_derivative(sim, sim->state.t + h0, sim->step.y_stage, sim->step.y_new);
  if (status) return status;
  for (int i = 0; i < sim->state.s; i++)
    if (i != sim->state.w)
      d2 = fmax(d2, fabs(sim->step.y_new[i] - sim->stage.ydot[i]) / sim->step.scale_y[i] / h0);
  double m = fmax(d1, d2);
  double h1 = m <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : pow(0.01 / m, 1.0 / order);
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

hn_status hn_refuse_programs(hn_sim *sim, const char *what) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->joints && sys->programmed; i++)
    if (sys->joint[i].by)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                         "driver '%s' prescribes what '%s' brings about, which %s cannot deal with "
                         "(use 'holon inverse')",
                         sys->joint[i].name, sys->joint[i].by, what);
  return HN_OK;
}

hn_status hn_refuse_states(hn_sim *sim, const char *what) {
  if (!sim->sys->states) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "%s cannot deal with states, as '%s', which only a run integrates", what,
                     sim->sys->state[0].name);
}
