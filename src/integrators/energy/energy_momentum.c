// energy_momentum.c: steppers that keep energy and momentum, or let energy only fall.
//
//   energy-momentum       q1 - q0 = h (v0 + v1) / 2,  M (v1 - v0) / h = f + DPhi^T lambda,
//                         Phi(q1, t1) = 0
//   energy-momentum-index2  the same from v0 - c e to v1 - d in place of v0 to v1, with impulses on
//                         the rows, M e = J0^T l0 and M d = J1^T l1, so that v1 meets the rows
//   energy-decaying       see energy_decaying.c
//   discrete-null-space   energy-momentum without lambda: P^T (M (v1 - v0) / h - f) = 0 with
//                         DPhi P = 0
//
// D are the discrete derivatives of discrete.h, so that DPhi (q1 - q0) = 0 and f . (q1 - q0) =
// -(V1 - V0) hold exactly. Multiplied by q1 - q0 the equations of motion say
//
//   T1 - T0 + V1 - V0 = 0
//
// whatever the step. In energy-momentum-index2 the rates that both impulses make in the rows are
// the same, J0 e = J1 d: a normal velocity turns round in a step, so half of what the end lacks,
// taken away at the start and added at the end, is right. Impulses on the rows change no momentum.
// One takes the energy d.M d / 2, the other gives c^2 e.M e / 2, and c, near one, makes them equal.
//
// O. Gonzalez, Mechanical systems subject to holonomic constraints: differential-algebraic
// formulations and conservative integration, Physica D 132 (1999); P. Betsch, The discrete null
// space method for the energy consistent integration of constrained mechanical systems, Comput.
// Methods Appl. Mech. Engrg. 194 (2005).
#include "base/vec.h"
#include "integrators/energy/discrete_null.h"
#include "integrators/energy/energy_decaying.h"
#include "integrators/integrators.h"

#include <string.h>

enum { ITERATIONS = 25 };

typedef struct stepper {
  hn_decaying decaying;        // its first member, the step, serves all
  double *a_old, *lambda_old;  // before the last step
  hn_null_space null;          // discrete-null-space
  double *v, *e, *d, *rows;    // energy-momentum-index2: velocity after the first impulse, the
                               // changes by both, the rates they make
} stepper;

static hn_energy_step *step_of(stepper *st) {
  return &st->decaying.step;
}

// ---- Newton steps --------------------------------------------------------------------------

// solves for the change of q1, in s->x, and the multipliers l
static bool solve_saddle(hn_sim *sim, stepper *st) {
  hn_energy_step *s = step_of(st);
  const hn_system *sys = sim->sys;
  hn_energy_matrix(s, sim);
  sim->count.factorisations++;
  if (!hn_sparse_factor(s->sparse)) return false;
  for (int i = 0; i < sys->nv; i++) s->x[i] = -s->r[i];
  for (int i = 0; i < sys->rows; i++)
    s->x[sys->nv + i] = sim->rows.D && sim->rows.D[i] > 0 ? 0 : -s->phi[i];
  hn_sparse_solve(s->sparse, s->x);
  memcpy(s->l, s->x + sys->nv, (size_t)sys->rows * sizeof(double));
  return true;
}

// in the null space of discrete_null.h. Multipliers are by-products that serve the tangent; where
// points shared around loops hide some of them, they are asked of the whole system
static bool solve_reduced(hn_sim *sim, stepper *st) {
  hn_energy_step *s = step_of(st);
  hn_null_space *null = &st->null;
  hn_null_update(null, s, sim->state.y);
  hn_energy_matrix(s, sim);
  sim->count.factorisations++;
  if (!hn_null_solve(null, s)) return false;
  if (null->hidden && !solve_saddle(sim, st)) return false;
  memcpy(s->x, null->x, (size_t)sim->sys->nv * sizeof(double));
  return true;
}

// largest change in units of the model's own size
static double change_of(const hn_sim *sim, const double *x) {
  const hn_system *sys = sim->sys;
  double most = 0;
  for (int i = 0; i < sys->nv; i++) {
    double c = fabs(x[i]) / (sys->angular_q[i] ? 1 : sys->length);
    most = hn_worse(most, c);  // a NaN is kept
  }
  return most;
}

// until the next change would be round-off; quadratic convergence makes that three or four
static hn_status iterate(hn_sim *sim, stepper *st, bool (*solve)(hn_sim *, stepper *)) {
  static const double round_off = 1e-15, small = 1e-10;
  hn_energy_step *s = step_of(st);
  double last = 0;
  for (int i = 0; i < ITERATIONS; i++) {
    hn_energy_evaluate(s, sim);
    if (!solve(sim, st))
      return hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the equations of the step have no unique solution (step %.3g s)",
                         sim->state.t, s->h);
    // w = v1 - v0 changes by dq / kappa
    for (int k = 0; k < sim->sys->nv; k++) s->w[k] += s->x[k] / s->kappa;
    double now = change_of(sim, s->x), ratio = i ? now / last : 1;
    if (!(now < 1e30)) break;
    if (now <= round_off || (ratio < 0.5 && now * ratio / (1 - ratio) <= round_off)) return HN_OK;
    if (i > 2 && ratio > 0.5 && now < small) return HN_OK;  // round-off decides
    last = now;
  }
  return hn_sim_fail(sim, HN_ERR_STEP,
                     "t=%.6g: the iteration of the step does not converge (step %.3g s; a smaller "
                     "one may help)",
                     sim->state.t, s->h);
}

// ---- the step ------------------------------------------------------------------------------

// a first guess of the next step from sim->stage.ydot and work.lambda
static hn_status start(hn_sim *sim) {
  hn_energy_step *s = step_of(sim->method.integrator_data);
  memcpy(s->a, sim->stage.ydot + sim->sys->nq, (size_t)sim->sys->nv * sizeof(double));
  memcpy(s->lambda, sim->stage.work.lambda, (size_t)sim->sys->rows * sizeof(double));
  return HN_OK;
}

// takes the state at the end of the step from v0 and w
static void take_end(hn_sim *sim, hn_energy_step *s, double *y) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->nv; i++) {
    s->a[i] = s->w[i] / s->h;
    // part is what positions really got of the way; the rest is carried to the next step
    double way = hn_energy_way(s, i), q0 = sim->state.y[i], q1 = q0 + way, part = q1 - q0;
    y[i] = q1;
    s->carry_left[i] = (q0 - (q1 - part)) + (way - part);
    y[sys->nq + i] = s->v0[i] + s->w[i];
  }
  memcpy(s->q_left, y, (size_t)sys->nq * sizeof(double));
  for (int i = 0; i < sys->rows; i++) s->lambda[i] = s->l[i] / s->factor;
  y[sim->state.w] = sim->state.y[sim->state.w] + hn_energy_work(s, sim);
}

static hn_status solve_momentum(hn_sim *sim, stepper *st, double h, double *y,
                                bool (*solve)(hn_sim *, stepper *)) {
  hn_energy_step *s = step_of(st);
  hn_energy_begin(s, sim, h);
  hn_status status = iterate(sim, st, solve);
  if (status) return status;
  if (s->forces || s->others || sim->stage.work.pushed)
    hn_energy_evaluate(s, sim);  // the work of the last change counts
  take_end(sim, s, y);
  return HN_OK;
}

// the change x of velocities by impulses on the rows at the state last evaluated that makes the
// rates `rows`; returns its energy. *power: of the rows' own motion against the impulses
static double impulse(hn_sim *sim, const double *rows, double *x, double *power) {
  const hn_system *sys = sim->sys;
  double energy = 0;
  *power = 0;
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  bool damped = hn_factor_saddle(sim);
  hn_solve_factored(sim, damped, sim->room.v, rows, x, sim->room.r);
  hn_mass_mul(&sim->stage.work, x, sim->room.v);
  for (int i = 0; i < sys->nv; i++) energy += 0.5 * x[i] * sim->room.v[i];
  for (int i = 0; i < sys->rows; i++) *power -= sim->room.r[i] * sim->stage.work.phi_t[i];
  return energy;
}

static hn_status solve_index2(hn_sim *sim, stepper *st, double h, double *y) {
  enum { PASSES = 25 };
  hn_energy_step *s = step_of(st);
  const hn_system *sys = sim->sys;
  const double *v = sim->state.y + sys->nq;
  double given = 0, taken = 0, last = INFINITY, power[2] = {0, 0};
  memcpy(st->v, v, (size_t)sys->nv * sizeof(double));
  memset(st->rows, 0, (size_t)sys->rows * sizeof(double));
  hn_energy_begin(s, sim, h);
  for (int pass = 0; pass < PASSES; pass++) {
    s->v0 = st->v;
    hn_status status = iterate(sim, st, solve_saddle);
    if (status) return status;
    if (s->forces || s->others || sim->stage.work.pushed) hn_energy_evaluate(s, sim);
    take_end(sim, s, y);
    hn_eval_jacobian(&sim->stage.work, sim->state.t + h, y, y + sys->nq);
    for (int i = 0; i < sys->rows; i++) sim->room.rhs[i] = -sim->stage.work.psi[i];
    taken = impulse(sim, sim->room.rhs, st->d, &power[1]);
    double change = 0, end = 0, begin = 0;  // squares of the rates both impulses make
    for (int i = 0; i < sys->rows; i++) {
      if (sim->rows.D && sim->rows.D[i] > 0) continue;
      double lack = sim->room.rhs[i] - st->rows[i];
      change = fmax(change, fabs(lack));
      // half of what the end lacks is taken away at the start, see above
      st->rows[i] += 0.5 * lack;
      end += sim->room.rhs[i] * sim->room.rhs[i];
      begin += st->rows[i] * st->rows[i];
    }
    double fine = 1e-15 * sim->step.speed[0];
    bool settled = change <= fine || (change <= 1e4 * fine && change > 0.5 * last);
    last = change;
    if (settled) break;
    hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, v);
    given = impulse(sim, st->rows, st->e, &power[0]);
    // so that one impulse gives the energy that the other takes
    double c = given * end > 0 ? sqrt(taken * begin / (given * end)) : 1;
    for (int i = 0; i < sys->nv; i++) st->v[i] = v[i] - c * st->e[i];
    power[0] *= c;
  }
  for (int i = 0; i < sys->nv; i++) y[sys->nq + i] += st->d[i];
  y[sim->state.w] += power[1] - power[0];
  return HN_OK;
}

static hn_status solve_decaying(hn_sim *sim, stepper *st, double h, double *y) {
  // less would drown in round-off
  if (sim->opt.dissipation < 1e-3) return solve_momentum(sim, st, h, y, solve_saddle);
  hn_decaying_begin(&st->decaying, sim, h);
  hn_status status = hn_decaying_solve(&st->decaying, sim);
  if (!status) hn_decaying_finish(&st->decaying, sim, y);
  return status;
}

static hn_status solve_plain(hn_sim *sim, stepper *st, double h, double *y) {
  return solve_momentum(sim, st, h, y, solve_saddle);
}
static hn_status solve_null(hn_sim *sim, stepper *st, double h, double *y) {
  return solve_momentum(sim, st, h, y, solve_reduced);
}

typedef hn_status (*step_fn)(hn_sim *sim, stepper *st, double h, double *y);

static hn_status advance(hn_sim *sim, double limit, step_fn solve) {
  stepper *st = sim->method.integrator_data;
  hn_energy_step *s = step_of(st);
  const hn_system *sys = sim->sys;
  double h = fmin(sim->opt.step, limit);
  // a force switched, or an input was set, and with it the accelerations
  if (!(sim->step.h > 0) && !hn_rate_known(sim)) {
    hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
    if (!status) status = start(sim);
    if (status) return status;
  }
  memcpy(st->a_old, s->a, (size_t)sys->nv * sizeof(double));
  memcpy(st->lambda_old, s->lambda, (size_t)sys->rows * sizeof(double));
  // too short for Newton's iteration to find more than rounding
  if (hn_is_short(sim, h)) {
    sim->step.h = sim->opt.step;
    return hn_short_step(sim, h);
  }
  hn_energy_states(s, sim, h);
  hn_status status = solve(sim, st, h, sim->step.y_new);
  hn_energy_states_settled(s, sim, sim->step.y_new);
  if (status) return status;
  sim->step.h = h;
  return hn_accept_step(sim, h, sim->step.y_new, NULL);
}

static hn_status step_momentum(hn_sim *sim, double limit) {
  return advance(sim, limit, solve_plain);
}
static hn_status step_index2(hn_sim *sim, double limit) {
  return advance(sim, limit, solve_index2);
}
static hn_status step_decaying(hn_sim *sim, double limit) {
  return advance(sim, limit, solve_decaying);
}
static hn_status step_null_space(hn_sim *sim, double limit) {
  return advance(sim, limit, solve_null);
}

static void undo(hn_sim *sim) {
  stepper *st = sim->method.integrator_data;
  memcpy(step_of(st)->a, st->a_old, (size_t)sim->sys->nv * sizeof(double));
  memcpy(step_of(st)->lambda, st->lambda_old, (size_t)sim->sys->rows * sizeof(double));
  hn_undo_step(sim);
}

// the acceleration is constant over a step
static void dense(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  double h = sim->state.t - sim->state.t_old, s = h > 0 ? (t - sim->state.t_old) / h : 1;
  const double *q0 = sim->state.y_old, *q1 = sim->state.y, *v0 = q0 + sys->nq, *v1 = q1 + sys->nq;
  for (int i = 0; i < sys->nv; i++) {
    double start = h * v0[i];
    y[i] = q0[i] + s * start + s * s * (q1[i] - q0[i] - start);
    y[sys->nq + i] = (1 - s) * v0[i] + s * v1[i];
  }
  for (int i = sim->state.w; i < sim->state.n; i++)
    y[i] = (1 - s) * sim->state.y_old[i] + s * sim->state.y[i];
}

// ---- the run -------------------------------------------------------------------------------

static stepper *layout_any(hn_sim *sim, hn_arena *arena, stepper *place) {
  stepper *st = HN_TAKE(arena, stepper, 1);
  // where sizes are only counted there is no block to lie in
  if (!arena->base) st = place;
  st->a_old = HN_TAKE(arena, double, sim->sys->nv);
  st->lambda_old = HN_TAKE(arena, double, sim->sys->rows);
  if (arena->base) sim->method.integrator_data = st;
  return st;
}

static void layout(hn_sim *sim, hn_arena *arena) {
  stepper place = {0}, *st = layout_any(sim, arena, &place);
  hn_energy_layout(step_of(st), sim, arena);
}

static void layout_decaying(hn_sim *sim, hn_arena *arena) {
  stepper place = {0}, *st = layout_any(sim, arena, &place);
  hn_decaying_layout(&st->decaying, sim, arena);
}

static void layout_index2(hn_sim *sim, hn_arena *arena) {
  stepper place = {0}, *st = layout_any(sim, arena, &place);
  hn_energy_layout(step_of(st), sim, arena);
  st->v = HN_TAKE(arena, double, sim->sys->nv);
  st->e = HN_TAKE(arena, double, sim->sys->nv);
  st->d = HN_TAKE(arena, double, sim->sys->nv);
  st->rows = HN_TAKE(arena, double, sim->sys->rows);
}

static hn_status create(hn_sim *sim) {
  return hn_energy_create(step_of(sim->method.integrator_data), sim);
}

static hn_status create_decaying(hn_sim *sim) {
  stepper *st = sim->method.integrator_data;
  return hn_decaying_create(&st->decaying, sim);
}

static hn_status create_null_space(hn_sim *sim) {
  stepper *st = sim->method.integrator_data;
  hn_status status = hn_energy_create(step_of(st), sim);
  if (status) return status;
  hn_eval_jacobian(&sim->stage.work, 0, sim->sys->q0, sim->sys->v0);
  bool ok = hn_null_create(&st->null, step_of(st), hn_natural_at(&sim->stage.work)->J);
  return ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

static void release(hn_sim *sim) {
  stepper *st = sim->method.integrator_data;
  // it was refused before anything was made
  if (!st || !hn_natural_of(sim->sys)) return;
  hn_decaying_release(&st->decaying);
  if (st->null.sys) hn_null_release(&st->null);
}

static void outside(hn_sim *sim, hn_outside *o) {
  stepper *st = sim->method.integrator_data;
  o->sparse(o, step_of(st)->sparse);
  if (st->decaying.sparse) o->sparse(o, st->decaying.sparse);
}

enum {
  CAN = HN_CAN_STIFF | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NATURAL | HN_NEEDS_NATURAL |
        HN_CAN_STATES
};

const hn_integrator_type hn_integrator_energy_momentum = {
    .info = {.name = "energy-momentum",
             .help = "implicit, order 2, natural coordinates: keeps energy and momentum exactly",
             .keys = "step",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step_momentum,
    .dense = dense,
    .undo = undo,
    .stands_alone = true,
    .can = CAN,
    .create = create,
    .release = release,
    .outside = outside,
    .start = start,
};

const hn_integrator_type hn_integrator_energy_momentum_index2 = {
    .info = {.name = "energy-momentum-index2",
             .help = "the same, velocities meet the constraints as well",
             .keys = "step",
             .required = "step"},
    .order = 2,
    .layout = layout_index2,
    .step = step_index2,
    .dense = dense,
    .undo = undo,
    .stands_alone = true,
    .can = CAN,
    .create = create,
    .release = release,
    .outside = outside,
    .start = start,
};

const hn_integrator_type hn_integrator_energy_decaying = {
    .info = {.name = "energy-decaying",
             .help = "implicit, order 2, natural coordinates: the energy never rises, fast motion "
                     "vanishes",
             .keys = "step dissipation",
             .required = "step"},
    .order = 2,
    .layout = layout_decaying,
    .step = step_decaying,
    .dense = dense,
    .undo = undo,
    .stands_alone = true,
    .can = CAN,
    .create = create_decaying,
    .release = release,
    .outside = outside,
    .start = start,
};

const hn_integrator_type hn_integrator_discrete_null_space = {
    .info = {.name = "discrete-null-space",
             .help = "energy-momentum without multipliers: equations in the null space of the rows",
             .keys = "step",
             .required = "step"},
    .order = 2,
    .layout = layout,
    .step = step_null_space,
    .dense = dense,
    .undo = undo,
    .stands_alone = true,
    .can = CAN,
    .create = create_null_space,
    .release = release,
    .outside = outside,
    .start = start,
};
