// implicit.c: what all one-step implicit methods share: Newton's iteration with factors kept as
// long as they serve, step-size control, reactions; starting values are in implicit_start.c.
//
// Without any damping (rho_inf = 1) what rounding and changes of the step leave of oscillations of
// the multipliers would grow. There velocities and accelerations of an index-3 formulation are
// projected onto the constraints after every step (J. Cuadrado, J. Cardenal, E. Bayo, Modeling and
// solution methods for efficient real-time simulation of multibody dynamics, 1997).
#include "integrators/implicit/implicit.h"
#include "base/elementary.h"

#include <float.h>
#include <string.h>

enum { MOST_ITERATIONS = 12 };
static const double slow = 0.1;  // rates of convergence above this ask for new factors
static const double unknown_rate = 0.3, least_rate = 0.05;
static const double far = 0.05;       // and so do larger motions since the last ones
static const double diverging = 0.8;  // and above this the iteration has failed
static const double softness = 1e-9, weakest_pivot = 1e-15;

static void copy(double *o, const double *x, int n) {
  memcpy(o, x, (size_t)n * sizeof(double));
}

// ---- memory --------------------------------------------------------------------------------

static void knot_layout(hn_knot *k, hn_arena *arena, const hn_system *sys) {
  k->q = HN_TAKE(arena, double, sys->nq);
  k->v = HN_TAKE(arena, double, sys->nv);
  k->vdot = HN_TAKE(arena, double, sys->nv);
  k->a = HN_TAKE(arena, double, sys->nv);
  k->lambda = HN_TAKE(arena, double, sys->rows);
  k->shown_a = HN_TAKE(arena, double, sys->nv);
  k->shown_lambda = HN_TAKE(arena, double, sys->rows);
  k->x = HN_TAKE(arena, double, sys->states);
  k->xdot = HN_TAKE(arena, double, sys->states);
  k->b = HN_TAKE(arena, double, sys->states);
}

void hn_implicit_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int nv = sys->nv, rows = sys->rows;
  const hn_scheme *scheme = sim->method.integrator->variant;
  hn_stage_layout(sim, arena, 1);
  hn_implicit *s = HN_TAKE(arena, hn_implicit, 1), place = {.form = scheme->form};
  for (int i = 0; i < 3; i++) knot_layout(&place.memory[i], arena, sys);
  int unknowns = 0;
  for (const char *p = place.form->parts; *p; p++) unknowns += *p == 'v' ? nv : rows;
  double **const of_v[] = {&place.v0, &place.a0, &place.jerk, &place.d,
                           &place.e,  &place.g,  &place.grain};
  for (int i = 0; i < 7; i++) *of_v[i] = HN_TAKE(arena, double, nv);
  double **const of_states[] = {&place.b0, &place.bend, &place.constant, &place.fastest};
  for (int i = 0; i < 4; i++) *of_states[i] = HN_TAKE(arena, double, sys->states);
  double **const of_rows[] = {&place.eta, &place.zeta, &place.kept, &place.diagonal};
  for (int i = 0; i < 4; i++) *of_rows[i] = HN_TAKE(arena, double, rows);
  double **const of_J[] = {&place.J0, &place.rows, &place.V};
  for (int i = 0; i < 3; i++) *of_J[i] = HN_TAKE(arena, double, sys->j_size);
  place.x = HN_TAKE(arena, double, unknowns);
  place.turn = HN_TAKE(arena, double, 9 * sys->bodies);
  if (place.form->layout) place.form->layout(&place, arena, sys);
  if (!arena->base) return;
  place.c = scheme->closure(sim->opt.rho_inf);
  place.projects = place.form->velocity_free && !(place.c.gamma > 0.5 + 1e-9) &&
                   strcmp(sim->opt.undamped_projection, "on") == 0;
  *s = place;
  s->before = &s->memory[0], s->start = &s->memory[1], s->end = &s->memory[2];
  sim->method.integrator_data = s;
}

hn_status hn_implicit_create(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_implicit *s = sim->method.integrator_data;
  hn_eval_all(&sim->stage.work, 0, sys->q0, sys->v0);
  if (s->form->cell) {
    s->newton = hn_newton_create(&sim->stage.work, s->form->parts, s->form->cell);
    if (!s->newton) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  // a position is known to s->noise, an angle to that over the radius of gyration
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    for (int k = b->v0; k < b->v0 + b->nv; k++)
      s->grain[k] = !sys->angular_v[k] ? 1
                    : b->mass > 0      ? sqrt(b->mass / sys->mass[k])
                                       : 1 / sys->length;
  }
  if (!s->newton) return HN_OK;
  // factors of the initial state bring the memory the later ones will need
  s->h = sim->opt.step > 0 ? sim->opt.step : 1e-3;
  copy(s->J0, sim->stage.work.J, sys->j_size);
  hn_implicit_rows(sim, s);
  s->form->matrix(sim, s);
  (void)hn_sparse_factor(hn_newton_matrix(s->newton));
  return HN_OK;
}

void hn_implicit_release(hn_sim *sim) {
  hn_implicit *s = sim->method.integrator_data;
  if (s) hn_newton_destroy(s->newton);
}

void hn_implicit_outside(hn_sim *sim, hn_outside *o) {
  hn_implicit *s = sim->method.integrator_data;
  if (s->newton) o->sparse(o, hn_newton_matrix(s->newton));
}

// ---- the iteration -------------------------------------------------------------------------

void hn_implicit_follow(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  hn_knot *k = s->end;
  double h = s->h;
  for (int i = 0; i < sys->nv; i++) {
    // the closure, see implicit.h
    s->d[i] = h * s->v0[i] + h * h * ((0.5 - c->beta) * s->a0[i] + c->beta * k->a[i]) + s->e[i];
    k->v[i] = s->v0[i] + h * ((1 - c->gamma) * s->a0[i] + c->gamma * k->a[i]) + s->g[i];
    k->vdot[i] =
        ((1 - c->am) * k->a[i] + c->am * s->a0[i] - c->af * s->start->vdot[i]) / (1 - c->af);
  }
  copy(k->q, s->start->q, sys->nq);
  hn_retract(sys, k->q, s->d);
}

void hn_implicit_evaluate(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  hn_eval_all(&sim->stage.work, s->end->t, s->end->q, s->end->v);
  sim->count.evaluations++;
  if (!sys->reactive) return;
  copy(sim->stage.work.lambda, s->end->lambda, sys->rows);
  hn_add_reactive(sim);
}

void hn_implicit_rows(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  if (s->soft > 0) hn_row_sizes(&sim->stage.work, sim->room.r);
  for (int i = 0; i < sys->rows; i++) {
    bool out = sim->rows.D && sim->rows.D[i] > 0;
    s->kept[i] = out ? 0 : 1;
    s->diagonal[i] = out ? 1 : s->soft > 0 ? s->soft * sim->room.r[i] : 0;
  }
}

void hn_implicit_dynamics(const hn_sim *sim, const hn_implicit *s, double *x) {
  const hn_system *sys = sim->sys;
  const hn_knot *k = s->end;
  double scale = s->c.beta * s->h * s->h;
  hn_mass_mul(&sim->stage.work, k->vdot, x);
  for (int i = 0; i < sys->nv; i++) x[i] = sim->stage.work.r[i] - x[i];
  hn_jacobian_tmul_add(&sim->stage.work, k->lambda, 1, x);
  for (int i = 0; i < sys->nv; i++) x[i] *= scale;
}

static bool factor(hn_sim *sim, hn_implicit *s) {
  if (s->form->factor) return s->form->factor(sim, s);
  hn_sparse *matrix = hn_newton_matrix(s->newton);
  s->form->matrix(sim, s);
  return hn_sparse_factor(matrix) && hn_sparse_rcond(matrix) > weakest_pivot;
}

// factors at the iterate last evaluated; where rows are dependent for an instant all yield a little
static bool factorise(hn_sim *sim, hn_implicit *s) {
  for (int pass = 0; pass < 2; pass++) {
    s->soft = pass ? softness : 0;
    hn_implicit_rows(sim, s);
    sim->count.factorisations++;
    if (pass) sim->count.regularised++;
    if (factor(sim, s)) {
      s->factored_h = s->h;
      s->rate = s->travel = 0;
      return true;
    }
  }
  s->factored_h = 0;
  return false;
}

// over which errors of steps add up
static double natural_time(const hn_sim *sim) {
  return fmin(hn_own_time(sim), sim->opt.duration);
}

// size of a change of d in units of what may be left, and in units of rounding. Errors left in
// positions and velocities may add up to newton_tol in the model's natural time.
static double change_size(const hn_sim *sim, const hn_implicit *s, const double *change,
                          double *rounding) {
  const hn_system *sys = sim->sys;
  double tol = sim->opt.newton_tol, worst = 0;
  if (!(sim->opt.step > 0)) tol = fmin(tol, 1e-2 * sim->opt.rtol);
  tol *= fmin(1, s->h / natural_time(sim));
  // from positions to velocities, as the closure relates them
  double per_speed = s->c.beta * s->h / s->c.gamma;
  *rounding = 0;
  for (int i = 0; i < sys->nv; i++) {
    bool angular = sys->angular_v[i];
    double position = angular ? 1 : sys->length, x = fabs(change[i]);
    double size = x / (tol * fmin(position, per_speed * sim->step.speed[angular]));
    if (isnan(size)) return NAN;
    worst = fmax(worst, size);
    *rounding =
        fmax(*rounding, x / (angular ? fmax(DBL_EPSILON, s->noise * s->grain[i]) : s->noise));
  }
  return worst;
}

static void predict(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  hn_knot *k = s->end;
  k->t = s->start->t + s->h;
  k->h = s->h;
  // a smooth motion goes on as it did
  bool smooth = s->h * hn_largest_velocity(sys, s->jerk) < hn_largest_velocity(sys, s->start->vdot);
  for (int i = 0; i < sys->nv; i++) k->a[i] = s->a0[i] + (smooth ? s->h * s->jerk[i] : 0);
  copy(k->lambda, s->start->lambda, sys->rows);
  hn_give_states(&sim->stage.work, s->start->x);
  // corrections begin anew with every step
  memset(s->e, 0, (size_t)sys->nv * sizeof(double));
  memset(s->g, 0, (size_t)sys->nv * sizeof(double));
  memset(s->eta, 0, (size_t)sys->rows * sizeof(double));
  memset(s->zeta, 0, (size_t)sys->rows * sizeof(double));
  hn_implicit_follow(sim, s);
}

// one iteration; the size of the change it made, NAN when there are no factors
static double iterate(hn_sim *sim, hn_implicit *s, bool *renew, double *rounding) {
  hn_implicit_evaluate(sim, s);
  if (*renew && !factorise(sim, s)) return NAN;
  *renew = false;
  s->form->residual(sim, s);
  if (s->form->solve)
    s->form->solve(s);
  else
    hn_sparse_solve(hn_newton_matrix(s->newton), s->x);
  s->form->update(sim, s);
  hn_implicit_follow(sim, s);
  s->iterations++;
  return change_size(sim, s, s->x, rounding);
}

// one pass of Newton's method from the prediction; renew: with new factors
static bool iteration(hn_sim *sim, hn_implicit *s, bool renew) {
  double last = 0, rounding = 0;
  predict(sim, s);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double size = iterate(sim, s, &renew, &rounding);
    if (!isfinite(size)) return false;
    // the first pass has no rate of its own: that of the last steps with these factors serves
    double rate = k > 0 && last > 0 ? size / last : fmax(s->rate, unknown_rate);
    // changes that stay as small as this are rounding
    if (k > 0 && rate > 0.3 && rounding < 1e3) return true;
    if (k > 0) s->rate = fmax(s->rate, fmin(rate, 1));
    // what is left, when it goes on like this; a lucky rate is not believed
    double cautious = fmax(rate, least_rate);
    double left = cautious < 0.5 ? size * cautious / (1 - cautious) : size;
    if (left <= 1) return true;
    if (k > 1 && rate > diverging) return false;
    last = size;
  }
  return false;
}

// states, their rates and b at the end of the step; false: they are not known
static bool keep_states(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  hn_work *work = &sim->stage.work;
  hn_knot *k = s->end;
  if (!sys->states) return true;
  // the last iteration has moved them
  hn_eval_signals(work, k->t, k->q, k->v);
  if (!hn_follow_states(work)) return false;
  copy(k->x, work->state, sys->states);
  hn_state_rates(work, k->xdot);
  for (int i = 0; i < sys->states; i++)
    k->b[i] =
        ((1 - c->af) * k->xdot[i] + c->af * s->start->xdot[i] - c->am * s->b0[i]) / (1 - c->am);
  return true;
}

static bool solve_motion(hn_sim *sim, hn_implicit *s) {
  if (s->form->keeps_J0) {
    hn_eval_jacobian(&sim->stage.work, s->start->t, s->start->q, s->start->v);
    copy(s->J0, sim->stage.work.J, sim->sys->j_size);
    if (s->form->begin) s->form->begin(sim, s);
  }
  // rounding of positions far from the origin
  s->noise = DBL_EPSILON * sim->sys->length;
  for (int i = 0; i < sim->sys->nq; i++)
    if (!sim->sys->angular_q[i]) s->noise = fmax(s->noise, DBL_EPSILON * fabs(s->start->q[i]));
  // old factors serve while they converge, the model has not moved far and the step is the same
  bool renew = s->rate > slow || s->travel > far || !(fabs(s->factored_h - s->h) < 1e-3 * s->h);
  if (iteration(sim, s, renew)) return true;
  // with old factors it failed: once more with new ones before the step is made shorter
  if (!renew && iteration(sim, s, true)) return true;
  s->factored_h = 0;
  return false;
}

static bool solve(hn_sim *sim, hn_implicit *s) {
  sim->stage.work.rule = sim->sys->states ? &s->rule : NULL;
  bool solved = solve_motion(sim, s) && keep_states(sim, s);
  sim->stage.work.rule = NULL;
  return solved;
}

// ---- the step ------------------------------------------------------------------------------

// accelerations (sim->stage.a) and multipliers (work.lambda) that meet the constraints at the new
// positions and at velocities projected onto them, which are left in v
static hn_status consistent(hn_sim *sim, const hn_knot *k, double *v) {
  const hn_system *sys = sim->sys;
  hn_eval_jacobian(&sim->stage.work, k->t, k->q, k->v);
  for (int i = 0; i < sys->rows; i++)
    sim->room.r[i] = sim->rows.D && sim->rows.D[i] > 0 ? 0 : -sim->stage.work.psi[i];
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
  sim->count.factorisations++;
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
  for (int i = 0; i < sys->nv; i++) v[i] = k->v[i] + sim->room.v[i];
  hn_eval_all(&sim->stage.work, k->t, k->q, v);
  sim->count.evaluations++;
  return hn_solve_saddle(sim, sim->stage.work.gamma);
}

// Accelerations and multipliers for others to see. Rounding of the positions comes back in the
// scheme's own, divided by h^2. Where that would show (unless `reactions: method` asks for them),
// and where steps are chosen by them, those consistent with the new state are taken; the two differ
// by O(h^2).
static hn_status show(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  hn_knot *k = s->end;
  hn_status status = HN_OK;
  if (s->projects && sys->rows) {
    status = consistent(sim, k, k->v);
    copy(k->vdot, sim->stage.a, sys->nv);
    copy(k->a, sim->stage.a, sys->nv);
    copy(k->lambda, sim->stage.work.lambda, sys->rows);
  }
  // what rounding of positions makes in accelerations over h^2
  double a = 0, noise = s->noise / (s->c.beta * s->h * s->h);
  for (int i = 0; i < sys->nv; i++)
    if (!sys->angular_v[i])
      a = fmax(a, fmax(fabs(k->vdot[i]), fabs(sim->stage.work.r[i]) / sys->mass[i]));
  copy(k->shown_a, k->vdot, sys->nv);
  copy(k->shown_lambda, k->lambda, sys->rows);
  bool own = strcmp(sim->opt.reactions, "method") == 0;  // they are asked for as they are
  bool noisy = s->form->velocity_free && noise > 1e-8 * a && !own;
  bool adaptive = !(sim->opt.step > 0);
  if (s->projects || !sys->rows || !(noisy || adaptive)) return status;
  status = consistent(sim, k, sim->step.y_stage + sys->nq);
  copy(k->shown_a, sim->stage.a, sys->nv);
  copy(k->shown_lambda, sim->stage.work.lambda, sys->rows);
  return status;
}

// rows were chosen anew: the same forces by the multipliers of the new ones
static void move_multipliers(hn_sim *sim, const hn_knot *k, double *lambda) {
  const hn_system *sys = sim->sys;
  hn_eval_jacobian(&sim->stage.work, k->t, k->q, k->v);
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  // J^T lambda as a load that the new rows alone have to balance
  hn_jacobian_tmul_add(&sim->stage.work, lambda, -1, sim->room.v);
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
  sim->count.factorisations++;
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
  copy(lambda, sim->room.r, sys->rows);
}

static void rate_of(const hn_sim *sim, const hn_knot *k, double *ydot) {
  memset(ydot, 0, (size_t)sim->state.n * sizeof(double));
  hn_qdot(sim->sys, k->q, k->v, ydot);
  copy(ydot + sim->sys->nq, k->vdot, sim->sys->nv);
  ydot[sim->state.w] = k->power;
  copy(ydot + sim->state.x, k->xdot, sim->sys->states);
}

static hn_status accept(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  hn_knot *k = s->end;
  double *y = sim->step.y_new, moved = 0;
  k->power = sim->stage.work.power;
  for (int i = 0; sys->rheonomic && i < sys->rows; i++)
    k->power -= k->lambda[i] * sim->stage.work.phi_t[i];
  rate_of(sim, s->start, sim->step.k[0]);
  rate_of(sim, k, sim->step.y_stage);
  copy(y, sim->state.y, sim->state.n);
  copy(y, k->q, sys->nq);
  copy(y + sys->nq, k->v, sys->nv);
  copy(y + sim->state.x, k->x, sys->states);
  y[sim->state.w] += 0.5 * s->h * (s->start->power + k->power);
  if (sim->rows.D) {
    // the pivots of this state, by which rows are chosen anew
    hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
    sim->count.factorisations++;
    sim->watch.weakest = fmin(sim->watch.weakest, sim->stage.kkt.pivot_ratio);
  }
  long chosen = sim->rows.reselected;
  hn_status status = hn_accept_step(sim, s->h, y, sim->step.y_stage);
  if (status) return status;
  // three knots in a ring: the oldest is written next
  s->end = s->before, s->before = s->start, s->start = k;
  s->steps++;
  s->slipped = 0;
  for (int i = 0; i < sys->states; i++) s->fastest[i] = fmax(s->fastest[i], fabs(k->xdot[i]));
  for (int i = 0; i < sys->nv; i++)
    moved = fmax(moved, fabs(s->d[i]) / (sys->angular_v[i] ? 1 : sys->length));
  s->travel += moved;
  if (sim->rows.reselected != chosen) {
    hn_knot *both[] = {s->before, s->start};
    for (int i = 0; i < 2; i++) {
      move_multipliers(sim, both[i], both[i]->lambda);
      move_multipliers(sim, both[i], both[i]->shown_lambda);
    }
    s->factored_h = 0;
  }
  return HN_OK;
}

// A step far shorter than wanted, as the search for an event makes them, would bring rounding over
// h and h^2 into velocities and multipliers. It is taken by Taylor's formula, whose error is
// smaller than anything by which the other steps could be judged; the stepper goes on as if it had
// been part of the step before. It must not go on for long like this: `slipped` counts.
static hn_status glide(hn_sim *sim, hn_implicit *s, double h) {
  const hn_system *sys = sim->sys;
  hn_knot *k = s->start;
  // the knot that is free keeps where the short step began, for undo
  copy(s->end->q, k->q, sys->nq);
  copy(s->end->v, k->v, sys->nv);
  copy(s->end->x, k->x, sys->states);
  s->glided = true;
  s->slipped += h;
  rate_of(sim, k, sim->step.k[0]);
  for (int i = 0; i < sys->nv; i++) {
    sim->room.v[i] = h * (k->v[i] + 0.5 * h * k->vdot[i]);
    k->v[i] += h * k->vdot[i];
  }
  hn_retract(sys, k->q, sim->room.v);
  for (int i = 0; i < sys->states; i++) k->x[i] += h * k->xdot[i];
  k->t += h;
  copy(sim->step.y_new, sim->state.y, sim->state.n);
  copy(sim->step.y_new, k->q, sys->nq);
  copy(sim->step.y_new + sys->nq, k->v, sys->nv);
  copy(sim->step.y_new + sim->state.x, k->x, sys->states);
  sim->step.y_new[sim->state.w] += h * k->power;
  rate_of(sim, k, sim->step.y_stage);
  return hn_accept_step(sim, h, sim->step.y_new, sim->step.y_stage);
}

// the same of a state, which moves by its own size in a time of its own
static double state_error(const hn_sim *sim, const hn_implicit *s, int i, double first,
                          double second) {
  double h = s->h, change = s->end->xdot[i] - s->start->xdot[i], bend = 0;
  if (s->steps)
    bend = 2 * h / (h + s->start->h) *
           (change - h / s->start->h * (s->start->xdot[i] - s->before->xdot[i]));
  double size = hn_state_size(sim, i, s->end->x[i]);
  double fastest = fmax(s->fastest[i], fabs(s->end->xdot[i]));
  double time = fmin(size / fmax(fastest, 1e-300), sim->opt.duration);
  double error = h * (first * fabs(change) + second * fabs(bend)) /
                 (0.2 * (sim->opt.atol + sim->opt.rtol * size));
  return error * fmax(1, time / h);
}

// error of the step in units of the tolerance, from differences of the accelerations; so many steps
// are taken during the time in which the model moves by its own length that their errors add up
static double error_of(const hn_sim *sim, const hn_implicit *s) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  double h = s->h, D = hn_closure_shift(c), worst = 0;
  double first = fabs(0.5 - D - c->gamma), position = fabs(hn_closure_lack(c));
  double second = fabs(1.0 / 6 - 0.5 * D * D - c->gamma * (0.5 + D));
  for (int i = 0; i < sys->nv; i++) {
    double change = s->end->shown_a[i] - s->start->shown_a[i], bend = 0;
    if (s->steps)
      bend = 2 * h / (h + s->start->h) *
             (change - h / s->start->h * (s->start->shown_a[i] - s->before->shown_a[i]));
    double in_q = h * h * position * fabs(change) / sim->step.scale_d[i];
    double in_v = h * (first * fabs(change) + second * fabs(bend)) / sim->step.scale_y[sys->nq + i];
    worst = fmax(worst, fmax(in_q, in_v));
  }
  worst *= fmax(1, natural_time(sim) / h);
  for (int i = 0; i < sys->states; i++) worst = fmax(worst, state_error(sim, s, i, first, second));
  return worst;
}

// the size of the next step; small changes are not worth new factors
static double next_size(const hn_sim *sim, double h, double error) {
  double grow = 0.9 * hn_pow(fmax(error, 1e-6), -1.0 / sim->method.integrator->order);
  grow = fmin(2, fmax(0.2, grow));
  return grow > 1 && grow < 1.2 ? h : h * grow;
}

// the step below which rounding of the positions, that comes back in the velocities over h, exceeds
// the tolerance: smaller ones would only make it worse. Tolerances follow the largest speed so far;
// that at the end of the step counts too, or a start from rest would not be controlled at all
static double useful_step(const hn_sim *sim, const hn_implicit *s, const double *v) {
  double speed = sim->step.speed[0];
  if (!s->form->velocity_free || s->projects) return 0;
  for (int i = 0; v && i < sim->sys->nv; i++)
    if (!sim->sys->angular_v[i]) speed = fmax(speed, fabs(v[i]));
  // 0.2 rtol: what a step may be off by, see tolerance.c
  return 50 * s->noise / (0.2 * fmax(sim->opt.rtol, 1e-8) * speed);
}

hn_status hn_implicit_step(hn_sim *sim, double limit) {
  hn_implicit *s = sim->method.integrator_data;
  bool fixed = sim->opt.step > 0;
  if (s->set || !(sim->step.h > 0)) {
    hn_status status = hn_implicit_begin(sim, s, limit);
    if (status) return status;
  }
  s->glided = false;
  s->slipped_before = s->slipped;
  s->wanted_before = sim->step.h;
  double useful = fixed ? 0 : useful_step(sim, s, NULL);
  double wanted = fixed ? sim->opt.step : fmax(sim->step.h, fmin(useful, 2 * sim->step.h));
  for (;;) {
    if (!(wanted > hn_smallest_step(sim)))
      return hn_sim_fail(sim, HN_ERR_DIVERGED,
                         "t=%.6g: Newton's iteration does not converge, however small the step "
                         "(%.3g s)",
                         sim->state.t, wanted);
    // what would be left before the limit is no step of its own
    bool cut = wanted * (fixed ? 1 + 1e-6 : 1.01) >= limit;
    double h = cut ? limit : wanted;
    if (h + s->slipped < 1e-3 * s->wanted) {
      sim->step.h = s->wanted;
      return glide(sim, s, h);
    }
    hn_implicit_begin_step(sim, s, h);
    if (!solve(sim, s)) {
      sim->count.rejected++;
      wanted = 0.4 * h;
      continue;
    }
    hn_status status = show(sim, s);
    if (status) return status;
    double error = fixed ? 0 : error_of(sim, s);
    if (!fixed) useful = useful_step(sim, s, s->end->v);
    if (!(error <= 1) && h > useful) {
      sim->count.rejected++;
      wanted = fmax(useful, fmin(0.9 * h, next_size(sim, h, error)));
      continue;
    }
    status = accept(sim, s);
    if (status) return status;
    // a step shortened by the limit says nothing against the size wanted before; errors of one that
    // was accepted because shorter ones are of no use are those of rounding, and fall with its size
    double next = fixed       ? sim->opt.step
                  : error > 1 ? fmin(useful, 2 * h)
                              : next_size(sim, h, error);
    sim->step.h = s->wanted = cut ? fmax(wanted, next) : next;
    return HN_OK;
  }
}

void hn_implicit_undo(hn_sim *sim) {
  hn_implicit *s = sim->method.integrator_data;
  hn_undo_step(sim);
  sim->step.h = s->wanted = s->wanted_before;
  s->slipped = s->slipped_before;
  // it was no step of the scheme: its start is put back
  if (s->glided) {
    copy(s->start->q, s->end->q, sim->sys->nq);
    copy(s->start->v, s->end->v, sim->sys->nv);
    copy(s->start->x, s->end->x, sim->sys->states);
    s->start->t = sim->state.t;
    return;
  }
  hn_knot *taken = s->start;
  s->start = s->before, s->before = s->end, s->end = taken;
  s->steps--;
}

// a row inside a step lies between its ends
void hn_implicit_reactions(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const hn_implicit *s = sim->method.integrator_data;
  const hn_knot *x = s->before, *y = s->start;
  // no step was taken since the start: the solver's stand
  if (!(sim->step.h > 0) || !s->steps) return;
  double part = fmin(1, fmax(0, (sim->stage.work.t - x->t) / (y->t - x->t)));
  for (int i = 0; i < sys->nv; i++)
    sim->stage.a[i] = (1 - part) * x->shown_a[i] + part * y->shown_a[i];
  for (int i = 0; i < sys->rows; i++)
    sim->stage.work.lambda[i] = (1 - part) * x->shown_lambda[i] + part * y->shown_lambda[i];
}
