// sim.c: creating a run, stepping it, asking for its state.
#include "corrections/corrections.h"
#include "model/options.h"
#include "system/measure.h"
#include "system/reaction.h"

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

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int rows = sys->rows, nv = sys->nv, n = sim->n;
  sim->y = HN_TAKE(arena, double, n);
  sim->y_old = HN_TAKE(arena, double, n);
  sim->y_new = HN_TAKE(arena, double, n);
  sim->y_stage = HN_TAKE(arena, double, n);
  sim->y_record = HN_TAKE(arena, double, n);
  sim->ydot = HN_TAKE(arena, double, n);
  hn_work_layout(&sim->work, arena, sys);
  hn_kkt_layout(&sim->kkt, arena, sys);
  sim->D = sys->redundant ? HN_TAKE(arena, double, rows) : NULL;
  sim->D_soft = HN_TAKE(arena, double, rows);
  sim->a = HN_TAKE(arena, double, nv);
  sim->a_kept = HN_TAKE(arena, double, nv);
  sim->lambda_kept = HN_TAKE(arena, double, rows);
  sim->x_v = HN_TAKE(arena, double, nv);
  sim->x_r = HN_TAKE(arena, double, rows);
  sim->x_r2 = HN_TAKE(arena, double, rows);
  sim->x_rhs = HN_TAKE(arena, double, rows);
  sim->base_force = HN_TAKE(arena, double, sys->bv);
  sim->last_load = HN_TAKE(arena, double, 6 * sys->loads);
  sim->scale_y = HN_TAKE(arena, double, n);
  sim->scale_d = HN_TAKE(arena, double, nv);
  if (sys->native) {
    sim->side = HN_TAKE(arena, double, sys->switches);
    sim->pull = HN_TAKE(arena, double, nv);
  }
  hn_redundant_layout(sim, arena);
  hn_share_layout(sim, arena);
  hn_leave_layout(sim, arena);
  hn_reactions_layout(sim, arena);
  hn_watch_layout(sim, arena);
  if (sim->solver->layout) sim->solver->layout(sim, arena);
  if (sim->correction->layout) sim->correction->layout(sim, arena);
  sim->integrator->layout(sim, arena);
  hn_events_layout(sim, arena);
  hn_audit_layout(sim, arena);
  hn_narrow_layout(sim, arena);
}

// refuses parts that cannot deal with the system, or do not go together
static hn_status check_parts(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const hn_type_info *solver = &sim->solver->info, *correction = &sim->correction->info;
  unsigned needed = 0, exact = sim->solver->can & HN_IS_EXACT;
  if (sys->redundant) needed |= HN_CAN_REDUNDANT;
  needed |= sys->coordinates->ability;
  for (int i = 0; i < sys->rows; i++)
    if (!sys->holonomic[i]) needed |= HN_CAN_NONHOLONOMIC;
  if (sys->singular_mass) needed |= HN_CAN_SINGULAR_MASS;
  static const struct {
    unsigned what;
    const char *words;
  } reasons[] = {
      {HN_CAN_REDUNDANT, "redundant constraints, which this model has (see 'holon check')"},
      {HN_CAN_RELATIVE, "relative coordinates (set 'coordinates' to reference)"},
      {HN_CAN_NATURAL, "natural coordinates (set 'coordinates' to reference)"},
      {HN_CAN_NONHOLONOMIC, "nonholonomic joints, which this model has"},
      {HN_CAN_SINGULAR_MASS, "coordinates without inertia, which this model has"},
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    unsigned missing = needed & reasons[i].what;
    if (missing & ~sim->solver->can)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "solver '%s' cannot deal with %s", solver->name,
                         reasons[i].words);
    if (sim->integrator->stands_alone && (missing & ~sim->integrator->can))
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "integrator '%s' cannot deal with %s",
                         sim->integrator->info.name, reasons[i].words);
    if (missing & ~sim->correction->can)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "correction '%s' cannot deal with %s",
                         correction->name, reasons[i].words);
  }
  if (sys->blocks && (sim->solver->can & HN_NO_BLOCKS))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "solver '%s' cannot deal with blocks, which this model has", solver->name);
  if (sys->blocks && sim->integrator->stands_alone && !(sim->integrator->can & HN_CAN_BLOCKS))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' cannot deal with blocks, which this model has",
                       sim->integrator->info.name);
  if (sim->integrator->stands_alone && strcmp(solver->name, "lagrange") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' solves the equations of motion itself and leaves solver "
                       "'%s' nothing to do (set 'solver' to lagrange)",
                       sim->integrator->info.name, solver->name);
  if (exact && strcmp(correction->name, "none") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "solver '%s' meets the constraints at every stage and leaves correction "
                       "'%s' nothing to do (set 'correction' to none)",
                       solver->name, correction->name);
  if (sim->integrator->compliant && strcmp(correction->name, "none") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' lets the constraints yield, which correction '%s' would "
                       "undo (set 'correction' to none)",
                       sim->integrator->info.name, correction->name);
  return HN_OK;
}

// finds the parts the options name; the preset fills what they leave open
static hn_status choose_parts(hn_sim *sim) {
  hn_options *o = &sim->opt;
  sim->method = hn_method_find(o->method);
  if (!sim->method) {
    const char *names[64], *near;
    int count = 0;
    for (; hn_method_at(count) && count < 63; count++) names[count] = hn_method_at(count)->name;
    names[count] = NULL;
    near = hn_nearest(o->method, names);
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no method '%s'%s%s%s", o->method,
                       near ? " (did you mean '" : " (see 'holon methods')", near ? near : "",
                       near ? "'?)" : "");
  }
  if (hn_method_chooses(o->method)) sim->reason = hn_auto_choose(sim->sys, o);
  const char *solver = o->solver[0] ? o->solver : sim->method->solver;
  const char *correction = o->correction[0] ? o->correction : sim->method->correction;
  const char *integrator = o->integrator[0] ? o->integrator : sim->method->integrator;
  sim->solver = hn_solver_find(solver);
  sim->correction = hn_correction_find(correction);
  sim->integrator = hn_integrator_find(integrator);
  if (!sim->solver)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no solver '%s' (see 'holon methods')", solver);
  if (!sim->correction)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no correction '%s' (see 'holon methods')",
                       correction);
  if (!sim->integrator)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no integrator '%s' (see 'holon methods')",
                       integrator);
  if (!sim->integrator->adaptive && !(o->step > 0))
    return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                       "integrator '%s' needs a fixed step (set 'step', for example 1e-3)",
                       integrator);
  return check_parts(sim);
}

// error tolerated in every state: tolerance times its natural size
static void set_scales(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  // errors of the steps add up over a run: each is held to a part of the tolerance
  double rtol = 0.2 * sim->opt.rtol, atol = 0.2 * sim->opt.atol;
  for (int i = 0; i < sys->nq; i++)
    sim->scale_y[i] = atol + rtol * (sys->angular_q[i] ? 1 : sys->length);
  for (int i = 0; i < sys->nv; i++) {
    sim->scale_d[i] = atol + rtol * (sys->angular_v[i] ? 1 : sys->length);
    sim->scale_y[sys->nq + i] = atol + rtol * sim->speed[sys->angular_v[i]];
  }
  // the solver's own states do not steer the step; the work does in hn_error_norm
  for (int i = sim->w; i < sim->n; i++) sim->scale_y[i] = 1e300;
}

// largest speeds so far; scales follow when they have grown
static void watch_speed(hn_sim *sim, const double *v) {
  const hn_system *sys = sim->sys;
  double s[2] = {sim->speed[0], sim->speed[1]};
  for (int i = 0; i < sys->nv; i++) {
    int k = sys->angular_v[i];
    s[k] = fmax(s[k], fabs(v[i]));
  }
  s[1] = fmax(s[1], s[0] / sys->length);
  s[0] = fmax(s[0], s[1] * sys->length);
  if (s[0] > 1.05 * sim->speed[0] || s[1] > 1.05 * sim->speed[1]) {
    sim->speed[0] = s[0], sim->speed[1] = s[1];
    set_scales(sim);
  }
}

// speed the model would reach from rest over its own length, so that a start at rest does not
// ask for absolute precision
static void start_speed(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double a = 0;
  for (int i = 0; i < sys->nv; i++)
    a = fmax(a, fabs(sim->a[i]) * (sys->angular_v[i] ? sys->length : 1));
  sim->speed[0] = fmax(0.1 * sqrt(a * sys->length), 1e-6 * sys->length);
  sim->speed[1] = sim->speed[0] / sys->length;
  set_scales(sim);
}

hn_status hn_sim_create(hn_sim **out, const hn_system *sys, const hn_options *options,
                        char *message, size_t size) {
  hn_sim plan = {.sys = sys, .opt = *options, .w = sys->nq + sys->nv};
  *out = NULL;
  if (size) message[0] = 0;
  hn_status status = hn_options_check(options, plan.message, sizeof plan.message);
  if (!status) status = choose_parts(&plan);
  if (status) {
    snprintf(message, size, "%s", plan.message);
    return status;
  }
  if (!plan.integrator->stands_alone && strcmp(plan.solver->info.name, "lagrange") == 0)
    plan.native = sys->native;
  plan.n = plan.w + 1 + (plan.solver->states ? plan.solver->states(sys) : 0);
  // measure, allocate once, place
  hn_arena arena = {0};
  HN_TAKE(&arena, hn_sim, 1);
  layout(&plan, &arena);
  if (!hn_arena_allocate(&arena)) {
    snprintf(message, size, "out of memory (%zu bytes)", arena.used);
    return HN_ERR_MEMORY;
  }
  hn_sim *sim = HN_TAKE(&arena, hn_sim, 1);
  *sim = plan;
  layout(sim, &arena);
  sim->arena = arena;
  for (int i = 0; sim->D && i < sys->rows; i++) sim->D[i] = sys->active[i] ? 0 : HN_LEFT_OUT;
  if (!hn_kkt_create(&sim->kkt, sys)) status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  if (!status && sim->integrator->create) status = sim->integrator->create(sim);
  if (!status) status = hn_set_state(sim, 0, sys->q0, sys->v0);
  if (status) {
    snprintf(message, size, "%s", sim->message);
    hn_sim_destroy(sim);
    return status;
  }
  *out = sim;
  return HN_OK;
}

void hn_sim_destroy(hn_sim *sim) {
  if (!sim) return;
  if (sim->integrator->release) sim->integrator->release(sim);
  hn_records_release(sim);
  hn_kkt_release(&sim->kkt);
  free(sim->arena.base);  // the sim itself lies in the arena
}

// angles of a state from outside count turns from the last state; those that are driven count
// them as their motion does
static void follow_motions(hn_sim *sim, double t) {
  const hn_system *sys = sim->sys;
  if (!sys->turns) return;
  const double turn = 2 * acos(-1);
  hn_eval_position(&sim->work, t, sim->y);
  hn_accept_turns(&sim->work);
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    if (row->motion < 0 || row->terms != 1) continue;
    const hn_term *term = &sys->term[row->first_term];
    int memory = sys->measure[term->measure].turn;
    if (memory < 0 || !isfinite(sim->work.phi[row->row])) continue;
    sim->work.turn[memory] -= turn * rint(sim->work.phi[row->row] / (turn * term->coefficient));
  }
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
  memcpy(sim->y_stage, q, (size_t)sys->nq * sizeof(double));
  hn_normalise(sys, sim->y_stage);
  for (int i = 0; i < sys->nq; i++)
    if (!isfinite(sim->y_stage[i]))
      return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                         "coordinate %d of the state belongs to a quaternion "
                         "of length zero",
                         i);
  return HN_OK;
}

hn_status hn_set_state(hn_sim *sim, double t, const double *q, const double *v) {
  const hn_system *sys = sim->sys;
  hn_status wrong = check_state(sim, t, q, v);
  if (wrong) return wrong;
  memcpy(sim->y, q, (size_t)sys->nq * sizeof(double));
  memcpy(sim->y + sys->nq, v, (size_t)sys->nv * sizeof(double));
  for (int i = sim->w; i < sim->n; i++) sim->y[i] = 0;
  sim->t = sim->t_old = t;
  sim->looked_at = false;
  sim->h = sim->h_last = sim->h_most = sim->h_error = 0;
  sim->error_last = 1e-4;
  sim->creeping = 0;
  sim->tried = 1;
  sim->weakest = sim->sigma[0] = sim->sigma[1] = 1;
  sim->firmest = 0;
  follow_motions(sim, t);
  hn_status status = sim->solver->start ? sim->solver->start(sim, t, sim->y) : HN_OK;
  if (sim->solver->follow) sim->solver->follow(sim, sim->y);
  if (!status) status = hn_derivative(sim, t, sim->y, sim->ydot);
  if (!status && sys->check.singular_rows) {
    status = hn_leave_singular(sim);
    if (!status) status = hn_derivative(sim, t, sim->y, sim->ydot);
  }
  if (status) return status;
  memcpy(sim->y_old, sim->y, (size_t)sim->n * sizeof(double));
  sim->ydot_valid = true;
  for (int i = 0; i < sim->n; i++)
    if (!isfinite(sim->ydot[i]))
      return hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the accelerations of the initial state are not finite", t);
  start_speed(sim);
  watch_speed(sim, sim->y + sys->nq);
  hn_audit_start(sim);
  hn_events_reset(sim);
  hn_narrow_reset(sim);
  hn_watch_reset(sim);
  return sim->integrator->start ? sim->integrator->start(sim) : HN_OK;
}

// ---- stepping ------------------------------------------------------------------------------

// the part of a tangent vector that the constraints leave free, in sim->x_v
static void free_part(hn_sim *sim, const double *x) {
  const hn_system *sys = sim->sys;
  hn_jacobian_mul(&sim->work, x, sim->x_r);
  for (int i = 0; i < sys->rows; i++) sim->x_r[i] = sim->D && sim->D[i] > 0 ? 0 : -sim->x_r[i];
  memset(sim->x_v, 0, (size_t)sys->nv * sizeof(double));
  hn_kkt_solve(&sim->kkt, &sim->work, sim->x_v, sim->x_r);
  for (int i = 0; i < sys->nv; i++) sim->x_v[i] += x[i];
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

// error tolerated in the work of a step to sim->y_new: a small part of what the audit admits. It
// matters where the motion is so simple that nothing else limits the step
static double work_scale(const hn_sim *sim) {
  double work = fmax(fabs(sim->y[sim->w]), fabs(sim->y_new[sim->w]));
  double part = fmax(0.01 * sim->opt.audit_energy, sim->opt.rtol);
  return part * fmax(fmax(sim->largest_energy, work), sim->least_energy);
}

double hn_error_norm(hn_sim *sim, const double *error) {
  const hn_system *sys = sim->sys;
  sim->scale_y[sim->w] = work_scale(sim);
  double whole = largest_error(error, sim->scale_y, sim->n);
  // near a singular configuration the stages scatter across the constraints; the correction takes
  // that part away as long as it is small, so the part along them is what counts
  bool projects = sim->correction->projects || (sim->solver->can & HN_IS_EXACT);
  bool along = sim->sigma[1] < HN_NEAR_SINGULAR && sim->fresh && sys->nq == sys->nv &&
               sys->check.dof > 0 && projects;
  if (!along) return whole;
  whole *= fmin(1, sim->opt.rtol / most_across);
  free_part(sim, error);
  double position = largest_error(sim->x_v, sim->scale_y, sys->nq);
  free_part(sim, error + sys->nq);
  double velocity = largest_error(sim->x_v, sim->scale_y + sys->nq, sys->nv);
  double free = position <= velocity ? velocity : position;
  return free <= whole ? whole : free;
}

double hn_projection_tolerance(const hn_sim *sim) {
  double tol = sim->opt.projection_tol;
  if (sim->integrator->adaptive) tol = fmin(tol, 0.01 * sim->opt.rtol);
  return fmax(tol, 1e-14) * sim->sys->length;
}

double hn_current_step(const hn_sim *sim) {
  double h = sim->integrator->adaptive ? sim->h : 0, most = sim->opt.step;
  return h > 0 && !(most > 0 && most < h) ? h : most;
}

hn_status hn_correct(hn_sim *sim, double t, double *y, double *moved) {
  *moved = 0;
  hn_status status = HN_OK;
  if (sim->solver->prepare) {
    status = sim->solver->prepare(sim, t, y);
    sim->fresh = false;
  }
  if (!status) status = sim->correction->apply(sim, t, y, y + sim->sys->nq, moved);
  if (!status && strcmp(sim->opt.correction_energy, "on") == 0)
    status = hn_restore_energy(sim, t, y, moved);
  return status;
}

hn_status hn_accept_step(hn_sim *sim, double h, double *y_new, const double *ydot_new) {
  const hn_system *sys = sim->sys;
  double t = sim->t + h, moved = 0;
  for (int i = 0; i < sim->n; i++)
    if (!(fabs(y_new[i]) < 1e15))
      return hn_sim_fail(sim, HN_ERR_DIVERGED,
                         "t=%.6g: the motion became unbounded (step %.3g s; a smaller step or "
                         "tolerance may help)",
                         t, h);
  hn_normalise(sys, y_new);
  hn_status status = hn_correct(sim, t, y_new, &moved);
  if (status) return status;
  sim->fresh = false;
  memcpy(sim->y_old, sim->y, (size_t)sim->n * sizeof(double));
  memcpy(sim->y, y_new, (size_t)sim->n * sizeof(double));
  sim->t_old = sim->t;
  sim->t = t;
  sim->h_last = h;
  sim->steps++;
  if (hn_turns_lag(sys)) {
    hn_eval_position(&sim->work, t, sim->y);
    hn_accept_turns(&sim->work);
  } else if (sim->native && sys->own_turns) {
    sys->coordinates->read_turns(&sim->work, sim->y);  // the code for the model only reads them
  }
  watch_speed(sim, sim->y + sys->nq);
  // the correction moved the state by less than the error control could see
  sim->ydot_valid = ydot_new && moved < 0.1;
  if (sim->ydot_valid) memcpy(sim->ydot, ydot_new, (size_t)sim->n * sizeof(double));
  if (sim->D) hn_redundant_choose(sim);
  sim->dip = sqrt(fmax(sim->weakest, 0)), sim->dip_t = sim->weakest_t;
  sim->weakest = 1;
  if (sim->solver->follow && !sim->integrator->multistep) {
    sim->solver->follow(sim, sim->y);
    sim->ydot_valid = false;
  }
  return sim->solver->accepted ? sim->solver->accepted(sim) : HN_OK;
}

void hn_undo_step(hn_sim *sim) {
  memcpy(sim->y, sim->y_old, (size_t)sim->n * sizeof(double));
  sim->t = sim->t_old;
  sim->sigma[1] = sim->sigma[0];
  sim->ydot_valid = sim->stage[0] != NULL;
  if (sim->ydot_valid) memcpy(sim->ydot, sim->stage[0], (size_t)sim->n * sizeof(double));
  sim->fresh = false;
  sim->steps--;
  sim->rejected++;
}

hn_status hn_step(hn_sim *sim) {
  hn_status status = hn_take_step(sim, 1e300);
  return status ? status : hn_audit_passing(sim);
}

hn_status hn_advance(hn_sim *sim, double t) {
  double eps = 1e-12 * fmax(fabs(t), fabs(sim->t));
  if (!isfinite(t)) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "the time to reach must be finite");
  if (t < sim->t - eps)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "t=%.9g: time does not run backwards to %.9g", sim->t,
                       t);
  while (sim->t < t - eps) {
    double left = t - sim->t;
    hn_status status = hn_take_step(sim, left);
    if (!status) status = hn_audit_passing(sim);
    if (status) return status;
  }
  return HN_OK;
}

void hn_dense_hermite(hn_sim *sim, double t, double *y) {
  double h = sim->t - sim->t_old, s = h > 0 ? (t - sim->t_old) / h : 1;
  double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * s * (3 - 2 * s);
  double c = h * s * (1 - s) * (1 - s), d = -h * s * s * (1 - s);
  const double *k0 = sim->stage[0], *k1 = sim->ydot;
  if (!sim->ydot_valid) {
    // the derivative at the end of the step is the first one of the next
    if (hn_derivative(sim, sim->t, sim->y, sim->ydot)) {
      memcpy(y, sim->y, (size_t)sim->n * sizeof(double));
      return;
    }
    sim->ydot_valid = true;
  }
  for (int i = 0; i < sim->n; i++) y[i] = a * sim->y_old[i] + b * sim->y[i] + c * k0[i] + d * k1[i];
  hn_normalise(sim->sys, y);
}

// Hairer, Norsett, Wanner: a step for which the second derivative is small
hn_status hn_first_step(hn_sim *sim, int order, double limit, double *h) {
  double d0 = 0, d1 = 0, d2 = 0;
  for (int i = 0; i < sim->w; i++) {
    d0 = fmax(d0, fabs(sim->y[i]) / sim->scale_y[i]);
    d1 = fmax(d1, fabs(sim->ydot[i]) / sim->scale_y[i]);
  }
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h0 = fmin(h0, limit);
  for (int i = 0; i < sim->n; i++) sim->y_stage[i] = sim->y[i] + h0 * sim->ydot[i];
  hn_status status = hn_derivative(sim, sim->t + h0, sim->y_stage, sim->y_new);
  if (status) return status;
  for (int i = 0; i < sim->w; i++)
    d2 = fmax(d2, fabs(sim->y_new[i] - sim->ydot[i]) / sim->scale_y[i] / h0);
  double m = fmax(d1, d2);
  double h1 = m <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : pow(0.01 / m, 1.0 / order);
  *h = fmin(fmin(100 * h0, h1), limit);
  return HN_OK;
}

// ---- state ---------------------------------------------------------------------------------

double hn_time(const hn_sim *sim) {
  return sim->t;
}
const double *hn_positions(const hn_sim *sim) {
  return sim->y;
}
const double *hn_velocities(const hn_sim *sim) {
  return sim->y + sim->sys->nq;
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

// everything at the current state, whatever was evaluated last; the run itself is not disturbed
hn_status hn_refresh(hn_sim *sim) {
  hn_look(sim);
  memcpy(sim->y_record, sim->y, (size_t)sim->n * sizeof(double));
  hn_status status = hn_derivative(sim, sim->t, sim->y_record, sim->y_new);
  sim->evaluations--;
  sim->fresh = false;
  if (!status && sim->integrator->reactions) sim->integrator->reactions(sim);
  if (!status) hn_share_reactions(sim);
  if (!status) hn_eval_measures(&sim->work);
  return status;
}

void hn_look(hn_sim *sim) {
  if (sim->looked_at) return;
  memcpy(sim->a_kept, sim->a, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->lambda_kept, sim->work.lambda, (size_t)sim->sys->rows * sizeof(double));
  sim->looked_at = true;
}

void hn_look_away(hn_sim *sim) {
  if (!sim->looked_at) return;
  memcpy(sim->a, sim->a_kept, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->work.lambda, sim->lambda_kept, (size_t)sim->sys->rows * sizeof(double));
  sim->looked_at = false;
}

const double *hn_accelerations(hn_sim *sim) {
  return hn_refresh(sim) ? NULL : sim->a;
}
const double *hn_multipliers(hn_sim *sim) {
  return hn_refresh(sim) ? NULL : sim->work.lambda;
}

// bodies at the current state, and nothing else: what positions and velocities ask for
static hn_status look(hn_sim *sim) {
  if (sim->solver->prepare) return hn_refresh(sim);  // the state itself may be moved
  hn_eval_motion(&sim->work, sim->t, sim->y, sim->y + sim->sys->nq);
  sim->fresh = false;
  return HN_OK;
}

hn_status hn_body_pose(const hn_sim *sim, hn_body body, hn_pose *pose) {
  const hn_system *sys = sim->sys;
  memset(pose, 0, sizeof *pose);
  pose->orientation[0] = 1;
  if (body.id < 0 || body.id >= sys->bodies) return HN_ERR_ARGUMENT;
  if (sys->body[body.id].kind == HN_SCALAR) return HN_ERR_ARGUMENT;
  if (body.id == 0) return HN_OK;
  hn_sim *s = (hn_sim *)sim;  // the work space is scratch: the state itself is not touched
  hn_eval_motion(&s->work, s->t, s->y, s->y + sys->nq);
  s->fresh = false;
  hn_eval_poses(&s->work);
  hn_user_pose(sys, body.id, s->work.q, s->work.v, pose);
  return HN_OK;
}

hn_status hn_joint_reaction(hn_sim *sim, hn_joint joint, hn_reaction *reaction) {
  int j = hn_system_joint(sim->sys, joint);
  if (j < 0) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no such joint");
  hn_status status = hn_refresh(sim);
  if (status) return status;
  if (sim->sys->joint[j].group < 0 && !sim->sys->coordinates->wrench)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "the bodies of joint '%s' share their points, so that it has no reaction "
                       "(set 'natural_points' to joined)",
                       sim->sys->joint[j].name);
  hn_reaction_of(&sim->told, j, reaction);
  return HN_OK;
}

hn_status hn_joint_coordinate(hn_sim *sim, hn_joint joint, const char *name, double *value,
                              double *rate) {
  int j = hn_system_joint(sim->sys, joint);
  if (j < 0) return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no such joint");
  const hn_sys_joint *sj = &sim->sys->joint[j];
  for (int k = 0; k < sj->coordinates; k++)
    if (!name || strcmp(name, sj->coordinate[k].name) == 0) {
      hn_status status = look(sim);
      if (status) return status;
      hn_mval m;
      hn_eval_measure(&sim->sys->measure[sj->coordinate[k].measure], &sim->work, &m, 1);
      if (value) *value = m.value;
      if (rate) *rate = m.rate;
      return HN_OK;
    }
  return hn_sim_fail(sim, HN_ERR_ARGUMENT, "joint '%s' has no coordinate '%s'", sj->name,
                     name ? name : "");
}

hn_status hn_block_coordinate(const hn_sim *sim, hn_block block, const char *name, double *value,
                              double *rate) {
  const hn_system *sys = sim->sys;
  if (block.id < 1 || block.id > sys->blocks) return HN_ERR_ARGUMENT;
  const hn_sys_block *b = &sys->block[block.id - 1];
  for (int k = 0; k < b->n; k++)
    if (!name || strcmp(name, b->label[k]) == 0) {
      const hn_sys_body *body = &sys->body[b->body + k];
      if (value) *value = sim->y[body->q0];
      if (rate) *rate = sim->y[sys->nq + body->v0];
      return HN_OK;
    }
  return HN_ERR_ARGUMENT;
}

hn_status hn_sim_energy(hn_sim *sim, hn_energy *energy) {
  hn_status status = hn_refresh(sim);
  if (status) return status;
  *energy = sim->energy = hn_balance_here(sim, sim->y);
  return HN_OK;
}
