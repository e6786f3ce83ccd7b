// augmented_combined.c: augmented Lagrangians of index 3 and index 1 that stand in for each other.
//
// A step is tried with the formulation of index 3 (augmented_index3.c), which is the more
// efficient. Where its iteration does not converge, the formulation of index 1
// (augmented_lagrangian.c), which is the more robust, takes it:
//
//   q1 = q0 (+) h (v0 + v1)/2,   v1 = v0 + h (a0 + a1)/2,
//   M a1 = f + J^T lambda,       J a1 = gamma by penalty and iterated multipliers,
//
// a fixed-point iteration on a1 with steps halved as often as it needs, and the correction
// afterwards. Cuadrado, Cardenal & Bayo (1997) suggested the combination after comparing both. The
// steps that fell back are counted as refused.
#include "base/vec.h"
#include "integrators/augmented/augmented.h"
#include "solvers/solvers.h"

#include <string.h>

enum { PASSES = 20, ITERATIONS = 40, HALVINGS = 8 };

typedef struct combined {
  hn_augmented index3;
  double *D;      // compliance of the rows
  double *start;  // state at the start of a part of the step, n
  double *a;      // accelerations there
  double *rate;   // of the states of first order, there: n
  double *a_end, *v;
} combined;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  combined *s = HN_TAKE(arena, combined, 1), place = {0};
  hn_stage_layout(sim, arena, 1);
  hn_augmented_layout(&place.index3, arena, sys);
  place.D = HN_TAKE(arena, double, sys->rows);
  place.start = HN_TAKE(arena, double, sim->state.n);
  place.a = HN_TAKE(arena, double, sys->nv);
  place.rate = HN_TAKE(arena, double, sim->state.n);
  place.a_end = HN_TAKE(arena, double, sys->nv);
  place.v = HN_TAKE(arena, double, sys->nv);
  if (!arena->base) return;
  *s = place;
  for (int i = 0; i < sys->rows; i++) s->D[i] = 1 / (hn_penalty(sim) * sys->stiffness[i]);
  sim->method.integrator_data = s;
}

// ---- index 1 -------------------------------------------------------------------------------

// angles count by the length of the model; *size: the largest acceleration in these units
static double largest_change(const hn_sim *sim, const double *x, const double *y, double *size) {
  const hn_system *sys = sim->sys;
  double change = 0;
  *size = 0;
  for (int i = 0; i < sys->nv; i++) {
    double unit = sys->angular_v[i] ? sys->length : 1, d = unit * fabs(x[i] - y[i]);
    change = hn_worse(change, d);  // a NaN is kept
    *size = fmax(*size, unit * fabs(x[i]));
  }
  return change;
}

// multipliers iterated with the factors of [M -J^T; J D]
static hn_status multipliers(hn_sim *sim, void *user) {
  const combined *s = user;
  const hn_system *sys = sim->sys;
  double *lambda = sim->stage.work.lambda, last = INFINITY, size;
  memset(lambda, 0, (size_t)sys->rows * sizeof(double));
  // D l on the right-hand side is what the springs carried in the pass before: the fixed point has
  // none of it
  for (int pass = 0; pass < PASSES; pass++) {
    memcpy(s->v, sim->stage.a, (size_t)sys->nv * sizeof(double));
    memcpy(sim->stage.a, sim->stage.work.r, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->rows; i++) lambda[i] = sim->stage.work.gamma[i] + s->D[i] * lambda[i];
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->stage.a, lambda);
    double change = largest_change(sim, sim->stage.a, s->v, &size);
    if (pass && (change <= sim->opt.iteration_tol * size || change > 0.5 * last)) break;
    last = change;
  }
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim, combined *s, double t, const double *y) {
  hn_eval_all(&sim->stage.work, t, y, y + sim->sys->nq);
  sim->count.evaluations++;
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, s->D);
  sim->count.factorisations++;
  return hn_settle(sim, multipliers, s);
}

// power of what has no potential at the state last evaluated
static double power_now(const hn_sim *sim) {
  double power = sim->stage.work.power;
  for (int i = 0; sim->sys->rheonomic && i < sim->sys->rows; i++)
    power -= sim->stage.work.lambda[i] * sim->stage.work.phi_t[i];
  return power;
}

// one part h of the step from s->start, s->a at t; y becomes its end, s->a the accelerations there.
// false: the iteration does not converge
// a fixed point on the accelerations at the end: each evaluation gives those that the trapezoidal
// rule goes on with
static bool part(hn_sim *sim, combined *s, double t, double h, double *power, double *y) {
  const hn_system *sys = sim->sys;
  double *v = y + sys->nq, size, last = INFINITY, moved;
  const double *v0 = s->start + sys->nq;
  memcpy(s->a_end, s->a, (size_t)sys->nv * sizeof(double));
  hn_states_follow(sim, &s->index3.rule, s->index3.constant, h, 0.5, s->start, s->rate, 0.5);
  for (int pass = 0; pass < ITERATIONS; pass++) {
    memcpy(y, s->start, (size_t)sim->state.n * sizeof(double));
    for (int i = 0; i < sys->nv; i++) {
      v[i] = v0[i] + 0.5 * h * (s->a[i] + s->a_end[i]);
      sim->room.v[i] = 0.5 * h * (v0[i] + v[i]);
    }
    hn_retract(sys, y, sim->room.v);
    if (accelerate(sim, s, t + h, y)) return false;
    double change = largest_change(sim, sim->stage.a, s->a_end, &size);
    memcpy(s->a_end, sim->stage.a, (size_t)sys->nv * sizeof(double));
    // accelerations without bounds, or a change that does not fall any more: shorter parts may do
    if (!(size < 1e12) || (pass > 3 && !(change < last))) return false;
    last = change;
    if (change > 1e-10 * size) continue;
    double now = power_now(sim);
    hn_states_settled(sim, y, s->rate);
    y[sim->state.w] += 0.5 * h * (*power + now);
    *power = now;
    memcpy(s->a, s->a_end, (size_t)sys->nv * sizeof(double));
    return !hn_correct(sim, t + h, y, &moved);
  }
  return false;
}

// the whole step in 2^halvings parts
static bool parts(hn_sim *sim, combined *s, double h, int halvings, double *y) {
  // a number of parts that failed leaves nothing behind: state, accelerations and power begin anew
  const hn_system *sys = sim->sys;
  long count = 1L << halvings;
  double power = s->index3.power, size = h / (double)count;
  memcpy(s->start, sim->state.y, (size_t)sim->state.n * sizeof(double));
  memcpy(s->a, s->index3.a, (size_t)sys->nv * sizeof(double));
  memcpy(s->rate, sim->step.k[0], (size_t)sim->state.n * sizeof(double));
  for (long i = 0; i < count; i++) {
    if (!part(sim, s, sim->state.t + (double)i * size, size, &power, y)) return false;
    memcpy(s->start, y, (size_t)sim->state.n * sizeof(double));
  }
  return true;
}

static hn_status fall_back(hn_sim *sim, combined *s, double h, double *y) {
  const hn_system *sys = sim->sys;
  int halvings = 0;
  // what index 3 did was for nothing
  sim->count.rejected++;
  while (halvings <= HALVINGS && !parts(sim, s, h, halvings, y)) halvings++;
  // states of first order do not follow the motion any more: they are numbers of the run again
  hn_states_stand(sim, halvings > HALVINGS ? sim->state.y : y);
  if (halvings > HALVINGS)
    return hn_sim_fail(sim, HN_ERR_STEP,
                       "t=%.6g: neither index 3 nor index 1 converges within the step %.3g s (a "
                       "smaller 'step' may help)",
                       sim->state.t, h);
  // what belongs to the end of the step
  memcpy(s->index3.a_old, s->index3.a, (size_t)sys->nv * sizeof(double));
  memcpy(s->index3.lambda_old, s->index3.lambda, (size_t)sys->rows * sizeof(double));
  s->index3.power_old = s->index3.power;
  hn_status status = accelerate(sim, s, sim->state.t + h, y);
  memcpy(s->index3.a, sim->stage.a, (size_t)sys->nv * sizeof(double));
  memcpy(s->index3.lambda, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
  s->index3.power = power_now(sim);
  if (sys->states) hn_state_rates(&sim->stage.work, sim->step.y_stage + sim->state.x);
  return status;
}

// ---- the stepper ---------------------------------------------------------------------------

static hn_status create(hn_sim *sim) {
  combined *s = sim->method.integrator_data;
  bool ok = hn_iteration_create(&s->index3.matrix, sim);
  return ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

static void release(hn_sim *sim) {
  hn_iteration_release(&((combined *)sim->method.integrator_data)->index3.matrix);
}

static void outside(hn_sim *sim, hn_outside *o) {
  hn_iteration_outside(&((combined *)sim->method.integrator_data)->index3.matrix, o);
}

static hn_status start(hn_sim *sim) {
  return hn_augmented_take(sim, &((combined *)sim->method.integrator_data)->index3);
}

static hn_status step(hn_sim *sim, double limit) {
  combined *s = sim->method.integrator_data;
  double h = fmin(sim->opt.step, limit);
  hn_status status = hn_augmented_begin(sim, &s->index3);
  if (status) return status;
  if (hn_is_short(sim, h)) return hn_augmented_short(sim, &s->index3, h);
  if (hn_augmented_step(sim, &s->index3, h, sim->step.y_new)) {
    status = fall_back(sim, s, h, sim->step.y_new);
    if (status) return status;
  }
  return hn_augmented_accept(sim, &s->index3, h, sim->step.y_new);
}

static void undo(hn_sim *sim) {
  hn_undo_step(sim);
  hn_augmented_undo(&((combined *)sim->method.integrator_data)->index3, sim->sys);
}

static void reactions(hn_sim *sim) {
  hn_augmented_reactions(sim, &((combined *)sim->method.integrator_data)->index3);
}

const hn_integrator_type hn_integrator_augmented_combined = {
    .info = {.name = "augmented-combined",
             .help = "augmented-index3, and where that does not converge steps of index 1",
             .keys = "step penalty iteration_tol",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step,
    .dense = hn_dense_hermite,
    .undo = undo,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_STIFF | HN_CAN_STATES,
    .create = create,
    .release = release,
    .outside = outside,
    .start = start,
    .reactions = reactions,
};
