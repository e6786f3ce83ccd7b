// implicit_start.c: starting values of one-step implicit methods, and what a change of the step
// makes of them.
//
// a belongs to t + D h, D = alpha_m - alpha_f, and the velocities of an index-3 formulation carry
// the error C h^2 v'' across the constraints, C = 1/6 - beta - D/2. Started with a = v' and exact
// velocities, the multipliers would oscillate with amplitude O(h); therefore a = v' + D h v'' and
// v + C h^2 (v'' across the constraints), and the same again whenever the step changes (M. Arnold,
// O. Bruls, A. Cardona, Error analysis of generalized-alpha Lie group time integration methods for
// constrained mechanical systems, 2015).
#include "integrators/implicit/implicit.h"

#include <string.h>

static void copy(double *o, const double *x, int n) {
  memcpy(o, x, (size_t)n * sizeof(double));
}

// v'' by the accelerations a little later and earlier; zero where it would change them by more
// than themselves within a step, as in stiff systems off their equilibrium
static hn_status start_jerk(hn_sim *sim, hn_implicit *s, double h) {
  const hn_system *sys = sim->sys;
  double t = sim->state.t, small = 0.02 * h;
  memset(s->jerk, 0, (size_t)sys->nv * sizeof(double));
  memset(s->bend, 0, (size_t)sys->states * sizeof(double));
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < sim->state.n; i++)
      sim->step.y_stage[i] = sim->state.y[i] + side * small * sim->stage.ydot[i];
    hn_status status = hn_derivative(sim, t + side * small, sim->step.y_stage, sim->step.y_new);
    if (status) return status;
    for (int i = 0; i < sys->nv; i++) s->jerk[i] += side * sim->stage.a[i] / (2 * small);
    for (int i = 0; i < sys->states; i++)
      s->bend[i] += side * sim->step.y_new[sim->state.x + i] / (2 * small);
  }
  for (int i = 0; i < sys->states; i++)
    if (!(h * fabs(s->bend[i]) < fabs(s->start->xdot[i]))) s->bend[i] = 0;
  if (!(h * hn_largest_velocity(sys, s->jerk) < hn_largest_velocity(sys, s->start->vdot)))
    memset(s->jerk, 0, (size_t)sys->nv * sizeof(double));
  return HN_OK;
}

hn_status hn_implicit_start(hn_sim *sim) {
  hn_implicit *s = sim->method.integrator_data;
  s->set = true;
  return HN_OK;
}

// takes the velocities of sim->state.y onto the constraints
static void project_velocities(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double *v = sim->state.y + sys->nq;
  hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, v);
  for (int i = 0; i < sys->rows; i++)
    sim->room.r[i] = sim->rows.D && sim->rows.D[i] > 0 ? 0 : -sim->stage.work.psi[i];
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
  sim->count.factorisations++;
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
  for (int i = 0; i < sys->nv; i++) v[i] += sim->room.v[i];
}

// the state was set from outside, or a force switched: begin with what the state says
hn_status hn_implicit_begin(hn_sim *sim, hn_implicit *s, double limit) {
  const hn_system *sys = sim->sys;
  hn_knot *k = s->start;
  // what the velocities carry across the constraints belonged to the steps before
  if (!s->set && s->form->velocity_free && sys->rows) project_velocities(sim);
  hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  if (status) return status;
  hn_speed_from_rest(sim);
  hn_rate_found(sim);
  s->set = false;
  *k = (hn_knot){.t = sim->state.t,
                 .q = k->q,
                 .v = k->v,
                 .vdot = k->vdot,
                 .a = k->a,
                 .lambda = k->lambda,
                 .shown_a = k->shown_a,
                 .shown_lambda = k->shown_lambda,
                 .x = k->x,
                 .xdot = k->xdot,
                 .b = k->b,
                 .power = sim->stage.ydot[sim->state.w]};
  copy(k->q, sim->state.y, sys->nq);
  copy(k->v, sim->state.y + sys->nq, sys->nv);
  copy(k->vdot, sim->stage.a, sys->nv);
  copy(k->a, sim->stage.a, sys->nv);
  copy(k->shown_a, sim->stage.a, sys->nv);
  copy(k->lambda, sim->stage.work.lambda, sys->rows);
  copy(k->shown_lambda, sim->stage.work.lambda, sys->rows);
  copy(k->x, sim->state.y + sim->state.x, sys->states);
  copy(k->xdot, sim->stage.ydot + sim->state.x, sys->states);
  copy(k->b, k->xdot, sys->states);
  for (int i = 0; i < sys->states; i++) s->fastest[i] = fabs(k->xdot[i]);
  s->steps = 0;
  s->factored_h = s->slipped = 0;
  double h = sim->opt.step;
  if (!(sim->opt.step > 0)) {
    status = hn_first_step(sim, sim->method.integrator->order, limit, &h);
    if (status) return status;
  }
  sim->step.h = s->wanted = h;
  return start_jerk(sim, s, h);
}

// gives s->v0 what velocities of steps of size h carry across the holonomic rows, instead of what
// it carries: h^2 times that part of C v'' and, for bodies that turn in space, of w x w' / 12 (the
// exact increment of a rotation is h w + h^2 w' / 2 + h^3 (w'' / 6 + w x w' / 12) + ...)
static void offset_velocities(hn_sim *sim, hn_implicit *s, double h) {
  const hn_system *sys = sim->sys;
  const hn_knot *k = s->start;
  for (int i = 0; i < sys->nv; i++) sim->room.v[i] = hn_closure_lack(&s->c) * s->jerk[i];
  for (int i = 1; i < sys->bodies; i++) {
    if (sys->body[i].kind != HN_SPATIAL) continue;
    int v0 = sys->body[i].v0 + 3;
    double turn[3];
    v3_cross(turn, k->v + v0, k->shown_a + v0);
    v3_addto(sim->room.v + v0, 1.0 / 12, turn);
  }
  hn_eval_jacobian(&sim->stage.work, k->t, k->q, k->v);
  hn_jacobian_mul(&sim->stage.work, sim->room.v, sim->room.r);
  for (int i = 0; i < sys->rows; i++) {
    bool out = !sys->holonomic[i] || (sim->rows.D && sim->rows.D[i] > 0);
    sim->room.r[i] = out ? 0 : h * h * sim->room.r[i] - sim->stage.work.psi[i];
  }
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
  sim->count.factorisations++;
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
  for (int i = 0; i < sys->nv; i++) s->v0[i] += sim->room.v[i];
}

// b_n of the states for a step of size h, and the rule by which they follow from its end
static void begin_states(hn_implicit *s, const hn_system *sys, double h) {
  const hn_knot *k = s->start;
  const hn_closure *c = &s->c;
  double past = k->t - s->before->t, part = h * c->gamma / (1 - c->am);
  bool known = s->steps && (s->steps == 1 || past > 0.2 * h);
  bool shifted = !(fabs(h - k->h) < 1e-6 * h);
  for (int i = 0; i < sys->states; i++) {
    if (known) s->bend[i] = (k->xdot[i] - s->before->xdot[i]) / past;
    s->b0[i] = k->b[i] + (shifted ? hn_closure_shift(c) * (h - k->h) * s->bend[i] : 0);
    s->constant[i] =
        k->x[i] + h * (1 - c->gamma) * s->b0[i] + part * (c->af * k->xdot[i] - c->am * s->b0[i]);
  }
  s->rule = (hn_state_rule){.keep = 1, .rate = part * (1 - c->af), .constant = s->constant};
}

// v_n and a_n for a step of size h
void hn_implicit_begin_step(hn_sim *sim, hn_implicit *s, double h) {
  const hn_system *sys = sim->sys;
  const hn_knot *k = s->start;
  double past = k->t - s->before->t;
  copy(s->v0, k->v, sys->nv);
  copy(s->a0, k->a, sys->nv);
  // over a step far shorter than this one differences would be noise; the value before will do
  if (s->steps && (s->steps == 1 || past > 0.2 * h))
    for (int i = 0; i < sys->nv; i++) s->jerk[i] = (k->shown_a[i] - s->before->shown_a[i]) / past;
  s->h = h;
  begin_states(s, sys, h);
  if (fabs(h - k->h) < 1e-6 * h) return;
  bool offset = s->form->velocity_free && !s->projects && sys->rows;
  // differences of the scheme's own accelerations would feed its oscillations
  if (offset && s->steps && sim->opt.step > 0) (void)start_jerk(sim, s, h);
  for (int i = 0; i < sys->nv; i++) s->a0[i] += hn_closure_shift(&s->c) * (h - k->h) * s->jerk[i];
  if (offset) offset_velocities(sim, s, h);
}
