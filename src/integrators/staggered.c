// staggered.c: explicit-implicit staggered procedure (Park & Chiou 1988; Park, Chiou & Downer
// 1990). Order 2.
//
// Joints have a small compliance epsilon, lambda = -Phi/epsilon, or -psi/epsilon in nonholonomic
// rows. Differentiated once, this is an equation for the multipliers beside that of the motion,
//
//   M v' = f + J^T lambda,   epsilon lambda' = -psi     (holonomic rows)
//                            epsilon lambda  = -psi     (nonholonomic rows)
//
// Two modules take turns. The explicit one is the central difference formula: it knows the
// multipliers,
//
//   v(n+1) = v(n) + h M^-1 (f + J^T lambda(n+1/2)),   q(n+1) = q(n) (+) h v(n+1/2)
//
// with f, J and M in the middle of the step, which the acceleration of the last one predicts. The
// implicit one knows the motion: with theta = h/2 and v(n+1/2) = v(n) + theta M^-1 (f + J^T lambda)
// put into the equation of the multipliers,
//
//   (epsilon + theta^2 J M^-1 J^T) lambda(n+1/2) = epsilon lambda(n)
//                                                  - theta (J v(n) + Phi_t + theta J M^-1 f)
//   lambda(n+1) = 2 lambda(n+1/2) - lambda(n)
//
// and in nonholonomic rows
//
//   (epsilon + theta J M^-1 J^T) lambda(n+1/2) = -(J v(n) + Phi_t + theta J M^-1 f),
//   lambda(n+1) = lambda(n+1/2)
//
// Disturbances decay at the rates that are eigenvalues of J M^-1 J^T/epsilon, a property of the
// mechanism. The matrix is regular whatever J is. As a saddle-point system
//
//   [ M  -J^T ] [ a            ]   [ f                                  ]
//   [ J   D   ] [ lambda(n+1/2) ] = [ D lambda(n) - (J v(n) + Phi_t)/theta ],   D = epsilon/theta^2
//
// nothing of it is formed. The compliance of a row is the option epsilon over its stiffness weight.
// With 0 it is a ten-thousandth of theta^2 J M^-1 J^T of the row: enough to pass dependent rows,
// and an error of the order of the step's.
//
// States of first order obey the midpoint rule, x(n+1/2) = x(n) + theta x'(x(n+1/2), motion).
#include "integrators/integrators.h"

#include <string.h>

static const double part = 1e-4;

// multipliers and accelerations somewhere on the way
typedef struct moment {
  double t, *a, *lambda;
  double *rate;  // of the states of first order
} moment;

typedef struct stepper {
  moment memory[3], *before, *last, *next;  // in the middle of steps, or at a start
  double *lambda, *lambda_old;              // at the end of the step and at its start
  double *epsilon, *D;                      // per row
  double *v;                                // in the middle of the step, then at its end
  hn_state_rule rule;
  double *constant;
} stepper;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  hn_stage_layout(sim, arena, 1);
  stepper *s = HN_TAKE(arena, stepper, 1), place = {0};
  for (int i = 0; i < 3; i++) {
    place.memory[i].a = HN_TAKE(arena, double, sys->nv);
    place.memory[i].lambda = HN_TAKE(arena, double, sys->rows);
    place.memory[i].rate = HN_TAKE(arena, double, sys->states);
  }
  place.lambda = HN_TAKE(arena, double, sys->rows);
  place.lambda_old = HN_TAKE(arena, double, sys->rows);
  place.epsilon = HN_TAKE(arena, double, sys->rows);
  place.D = HN_TAKE(arena, double, sys->rows);
  place.v = HN_TAKE(arena, double, sys->nv);
  place.constant = HN_TAKE(arena, double, sys->states);
  if (!arena->base) return;
  *s = place;
  sim->method.integrator_data = s;
}

// sizes of rows, for the compliance that follows from the step, are those of the state last
// evaluated
static void set_epsilon(const hn_sim *sim, stepper *s) {
  const hn_system *sys = sim->sys;
  double theta = 0.5 * sim->opt.step, largest = 0;
  if (sim->opt.epsilon > 0) {
    for (int i = 0; i < sys->rows; i++) s->epsilon[i] = sim->opt.epsilon / hn_row_weight(sys, i);
    return;
  }
  hn_row_sizes(&sim->stage.work, s->epsilon);
  for (int i = 0; i < sys->rows; i++) largest = fmax(largest, s->epsilon[i]);
  for (int i = 0; i < sys->rows; i++)
    // rows that next to nothing moves would be rigid: a millionth of the firmest
    s->epsilon[i] = part * theta * (sys->holonomic[i] ? theta : 1) *
                    fmax(s->epsilon[i], largest > 0 ? 1e-6 * largest : 1);
}

// the exact multipliers
static hn_status start(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  s->before = &s->memory[0], s->last = &s->memory[1], s->next = &s->memory[2];
  // no moments yet: the past is the start
  for (int i = 0; i < 3; i++) {
    s->memory[i].t = sim->state.t;
    memcpy(s->memory[i].a, sim->stage.ydot + sys->nq, (size_t)sys->nv * sizeof(double));
    memcpy(s->memory[i].lambda, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
    memcpy(s->memory[i].rate, sim->stage.ydot + sim->state.x, (size_t)sys->states * sizeof(double));
  }
  memcpy(s->lambda, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
  set_epsilon(sim, s);
  return HN_OK;
}

// the straight line through the last two moments; the same at any time right after a start
static double weight_at(const stepper *s, double t) {
  double span = s->last->t - s->before->t;
  return span > 0 ? (t - s->before->t) / span : 1;
}

// everything in the middle of the step, as the motion so far predicts it
static void predict(hn_sim *sim, stepper *s, double h) {
  const hn_system *sys = sim->sys;
  const double *v0 = sim->state.y + sys->nq;
  double theta = 0.5 * h, *q = sim->step.y_stage;
  memcpy(q, sim->state.y, (size_t)sys->nq * sizeof(double));
  // half a step on with the last acceleration
  for (int i = 0; i < sys->nv; i++) {
    s->v[i] = v0[i] + theta * s->last->a[i];
    sim->room.v[i] = theta * (v0[i] + 0.5 * theta * s->last->a[i]);
  }
  hn_retract(sys, q, sim->room.v);
  hn_states_follow(sim, &s->rule, s->constant, h, 0, sim->state.y, NULL, 0.5);
  hn_eval_all(&sim->stage.work, sim->state.t + theta, q, s->v);
  sim->count.evaluations++;
  hn_states_settled(sim, q, NULL);  // and so they are in the rest of the step
}

static hn_status solve(hn_sim *sim, void *user) {
  (void)user;
  memcpy(sim->stage.a, sim->stage.work.r, (size_t)sim->sys->nv * sizeof(double));
  memcpy(sim->stage.work.lambda, sim->room.rhs, (size_t)sim->sys->rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->stage.a, sim->stage.work.lambda);
  return HN_OK;
}

// the implicit module: sim->stage.a and work.lambda in the middle of the step
static hn_status multipliers(hn_sim *sim, stepper *s, double h) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  double theta = 0.5 * h;
  // what the rows have without the step's own acceleration: J v(n) + Phi_t
  hn_jacobian_mul(work, s->last->a, sim->room.r);
  for (int i = 0; i < sys->rows; i++) {
    double rate = work->psi[i] - theta * sim->room.r[i];
    s->D[i] = s->epsilon[i] / (sys->holonomic[i] ? theta * theta : theta);
    sim->room.rhs[i] = -rate / theta + (sys->holonomic[i] ? s->D[i] * s->lambda[i] : 0);
  }
  // friction begins to settle with the last ones
  memcpy(work->lambda, s->last->lambda, (size_t)sys->rows * sizeof(double));
  hn_kkt_factor(&sim->stage.kkt, work, HN_WEIGHT_MASS, s->D);
  sim->count.factorisations++;
  return hn_settle(sim, solve, NULL);
}

// derivative at the end of the step, for dense output
static void end_rate(hn_sim *sim, const stepper *s, double t, const double *y, double *rate) {
  const hn_system *sys = sim->sys;
  double part_last = weight_at(s, t);
  memset(rate, 0, (size_t)sim->state.n * sizeof(double));
  hn_qdot(sys, y, y + sys->nq, rate);
  for (int i = 0; i < sys->nv; i++)
    rate[sys->nq + i] = (1 - part_last) * s->before->a[i] + part_last * s->last->a[i];
  for (int i = 0; i < sys->states; i++)
    rate[sim->state.x + i] = (1 - part_last) * s->before->rate[i] + part_last * s->last->rate[i];
  rate[sim->state.w] = sim->stage.work.power;
}

static hn_status step(hn_sim *sim, double limit) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  hn_work *work = &sim->stage.work;
  double h = fmin(sim->opt.step, limit), *y = sim->step.y_new, *v = y + sys->nq;
  size_t row_bytes = (size_t)sys->rows * sizeof(double);
  // a force switched, or an input was set
  bool switched = !(sim->step.h > 0) && !hn_rate_known(sim);
  hn_status status = hn_first_stage(sim);
  if (!status && switched) status = start(sim);
  if (status) return status;
  predict(sim, s, h);
  status = multipliers(sim, s, h);
  if (status) return status;
  moment *made = s->next;
  made->t = sim->state.t + 0.5 * h;
  memcpy(made->a, sim->stage.a, (size_t)sys->nv * sizeof(double));
  memcpy(made->lambda, work->lambda, row_bytes);
  // the explicit module
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  for (int i = 0; i < sys->states; i++) {
    // x is in the middle: the end lies as far behind it
    double x = y[sim->state.x + i], middle = sim->step.y_stage[sim->state.x + i];
    y[sim->state.x + i] = 2 * middle - x;
    made->rate[i] = (middle - x) / (0.5 * h);
  }
  for (int i = 0; i < sys->nv; i++) {
    sim->room.v[i] = h * (v[i] + 0.5 * h * made->a[i]);
    v[i] += h * made->a[i];
  }
  hn_retract(sys, y, sim->room.v);
  for (int i = 0; sys->rheonomic && i < sys->rows; i++)
    work->power -= made->lambda[i] * work->phi_t[i];
  y[sim->state.w] += h * work->power;
  memcpy(s->lambda_old, s->lambda, row_bytes);
  for (int i = 0; i < sys->rows; i++)
    // of holonomic rows the mean of both ends is in the middle
    s->lambda[i] = sys->holonomic[i] ? 2 * made->lambda[i] - s->lambda[i] : made->lambda[i];
  s->next = s->before, s->before = s->last, s->last = made;
  end_rate(sim, s, sim->state.t + h, y, sim->step.y_stage);
  sim->step.h = h;
  memcpy(s->v, v, (size_t)sys->nv * sizeof(double));
  status = hn_accept_step(sim, h, y, sim->step.y_stage);
  // a correction is for positions: velocities are tangent in the middle of steps, not at their ends
  if (!status) memcpy(sim->state.y + sys->nq, s->v, (size_t)sys->nv * sizeof(double));
  return status;
}

static void undo(hn_sim *sim) {
  stepper *s = sim->method.integrator_data;
  moment *gone = s->last;
  hn_undo_step(sim);
  s->last = s->before, s->before = s->next, s->next = gone;
  memcpy(s->lambda, s->lambda_old, (size_t)sim->sys->rows * sizeof(double));
}

static void reactions(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  double w = weight_at(s, sim->stage.work.t);
  for (int i = 0; i < sys->nv; i++) sim->stage.a[i] = (1 - w) * s->before->a[i] + w * s->last->a[i];
  for (int i = 0; i < sys->rows; i++)
    sim->stage.work.lambda[i] = (1 - w) * s->before->lambda[i] + w * s->last->lambda[i];
}

const hn_integrator_type hn_integrator_staggered = {
    .info = {.name = "staggered",
             .help = "central differences and implicit multipliers in turns, order 2",
             .keys = "step epsilon",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .start = start,
    .step = step,
    .dense = hn_dense_hermite,
    .undo = undo,
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE |
           HN_CAN_NATURAL | HN_CAN_BLOCKS | HN_CAN_STATES,
};
