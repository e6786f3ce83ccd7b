// moreau.c: time-stepping through contacts (J. J. Moreau, Unilateral contact and dry friction in
// finite freedom dynamics, 1988; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical
// Systems, 2008). Order 1.
//
//   q* = q0 (+) (1 - theta) h v0                   all is evaluated there, at t0 + (1 - theta) h
//   M (v1 - v0) = h f + J^T L + N^T p
//   J ((1 - theta) v0 + theta v1) + Phi_t = 0      lasting rows
//   N v1 + g_t >= rho,  p >= 0, one of them equal   gaps; frictions in the cones of cones.h
//   q1 = q* (+) theta h v1
//
// Steps do not end where a gap closes: impulses p of a step are those of impacts and of forces
// alike. What the rate of a gap has to reach, rho, is -e times the rate before where a gap that is
// closed at q* is met faster than what forces change in two steps (e: restitution, Newton's law);
// elsewhere the end of the step must not lie behind the stop: -g / (theta h), or 0 where g < 0.
// Bodies that rest and are behind a stop by what q* went too far are moved out by the least motion,
// a second problem with the same rows.
//
// With theta = 1/2 kinetic energy and constant forces balance exactly, and what contacts take is
// p (N v0 + N v1) / 2, which is counted as work.
#include "integrators/integrators.h"
#include "linalg/pile.h"
#include "sim/contact.h"

#include <string.h>

enum { SWEEPS = 2000 };

typedef struct stepper {
  hn_pile pile;
  double *v, *out;     // velocity at the end of the step; what moves bodies out
  double *a, *lambda;  // of the last step
  double *force;       // at q*, generalized
  double *warm;        // impulse of every row that comes and goes in the last step, over its size
  int *row_of;         // of the rows in the pile: which of those
  bool *met;           // it closes faster than forces would make it
  bool *presses;       // of those that come and go: its impulse is not zero
  double h;            // step they belong to; 0: none
  double work;         // done in the step by forces, drivers and contacts
  bool plain;          // nothing but contacts joins the bodies
} stepper;

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  stepper *s = HN_TAKE(arena, stepper, 1), place = {0};
  int n = sys->unilaterals;
  hn_pile_layout(&place.pile, arena, n, n * sys->nv, n * sys->nv);
  double **const of_v[] = {&place.v, &place.out, &place.a, &place.force};
  for (int i = 0; i < 4; i++) *of_v[i] = HN_TAKE(arena, double, sys->nv);
  place.lambda = HN_TAKE(arena, double, sys->rows);
  place.warm = HN_TAKE(arena, double, n);
  place.row_of = HN_TAKE(arena, int, n);
  place.met = HN_TAKE(arena, bool, n);
  place.presses = HN_TAKE(arena, bool, n);
  place.plain = !hn_lasting_rows(sys) && !sys->mass_entries && !sys->body_q0;
  if (!arena->base) return;
  *s = place;
  sim->method.integrator_data = s;
}

// ---- the rows of a step --------------------------------------------------------------------

// writes row i of those that come and go into the pile: what it does, and what a unit of impulse
// along it does to the velocities while lasting rows hold
static void write_row(hn_sim *sim, stepper *s, int i, bool damped) {
  struct hn_contacts *c = sim->contacts;
  const hn_system *sys = sim->sys;
  hn_pile *p = &s->pile;
  int at = p->rows;
  memset(c->l, 0, (size_t)sys->rows * sizeof(double));
  memset(c->top, 0, (size_t)sys->nv * sizeof(double));
  c->l[hn_contact_row(sim, i)] = 1;
  hn_jacobian_tmul_add(&sim->stage.work, c->l, 1, c->top);
  if (!s->plain) hn_contact_respond(sim, damped, c->x, c->l);
  for (int k = 0; k < sys->nv; k++) {
    double J = c->top[k], R = s->plain ? J / sys->mass[k] : c->x[k];
    if (J != 0) (void)hn_strip_add(&p->gradient, at, k, J);
    if (R != 0) (void)hn_strip_add(&p->response, at, k, R);
  }
  s->row_of[at] = i;
}

// the rate a gap must reach; `met`: it closes faster than forces would make it
static double least_rate(const hn_sim *sim, int i, bool met, double h) {
  const struct hn_contacts *c = sim->contacts;
  double e = sim->sys->unilateral[i].restitution;
  if (met && e > 0) return c->gap[i] > 0 ? -INFINITY : -e * c->rate[i];
  return -fmax(c->gap[i], 0) / (sim->opt.stepper_theta * h);
}

static int friction_on(const hn_system *sys, int gap) {
  for (int h = 0; h < sys->holds; h++)
    if (sys->hold[h].normal == gap) return h;
  return -1;
}

// a gap that may be met in this step, and the friction on it; returns the size of its rates
static double add_contact(hn_sim *sim, stepper *s, int i, double h, double least, bool damped) {
  const hn_system *sys = sim->sys;
  const struct hn_contacts *c = sim->contacts;
  const double *g_t = sim->stage.work.phi_t;
  int hold = friction_on(sys, i), rubs = hold < 0 ? 0 : sys->hold[hold].rows;
  bool stuck = hold >= 0 && hn_stick_speed(sim, hold) <= hn_stick_still(sim);
  double mu = hold < 0 ? 0 : stuck ? sys->hold[hold].sticking : sys->hold[hold].sliding;
  double size = fmax(fabs(least), fabs(c->rate[i]));
  write_row(sim, s, i, damped);
  hn_pile_row(&s->pile, g_t[hn_contact_row(sim, i)] - least, h * s->warm[i], rubs, mu);
  for (int k = 0; k < rubs; k++) {
    int row = sys->hold[hold].first + k;
    write_row(sim, s, row, damped);
    hn_pile_row(&s->pile, g_t[hn_contact_row(sim, row)], h * s->warm[row], -1, 0);
    size = fmax(size, fabs(c->rate[row]));
  }
  return size;
}

// gaps that may close in this step; room.r has the rates of all rows by the forces alone, over h
static double gather(hn_sim *sim, stepper *s, double h, bool damped) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  double size = 0;
  hn_pile_clear(&s->pile);
  for (int i = 0; i < c->count; i++) {
    if (sys->unilateral[i].hold) continue;
    int row = hn_contact_row(sim, i);
    double change = h * sim->room.r[row];
    double reach = h * (2 * sim->step.speed[sys->angular_row[row]] + fabs(change));
    bool met = -c->rate[i] > 2 * fabs(change) + hn_contact_slow(sim, i);
    double least = least_rate(sim, i, met, h);
    if (c->gap[i] > reach || least == -INFINITY) continue;
    s->met[s->pile.rows] = met;
    size = fmax(size, fmax(fabs(change), add_contact(sim, s, i, h, least, damped)));
  }
  return size;
}

// ---- impulses ------------------------------------------------------------------------------

// impulses as they are in the pile become forces of the step, and work
static void take_impulses(hn_sim *sim, stepper *s, double h, bool damped) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  memset(c->l, 0, (size_t)sys->rows * sizeof(double));
  memset(s->warm, 0, (size_t)c->count * sizeof(double));
  for (int k = 0; k < s->pile.rows; k++) {
    int i = s->row_of[k], row = hn_contact_row(sim, i);
    double p = s->pile.x[k], after = hn_pile_rate(&s->pile, k, s->v) - s->pile.b[k];
    c->l[row] = p;
    s->warm[i] = p / h;
    s->work += 0.5 * p * (c->rate[i] - sim->stage.work.phi_t[row] + after);
  }
  if (!s->plain) {
    // what lasting rows answer
    for (int i = 0; i < sys->rows; i++) sim->room.rhs[i] = c->l[i];
    hn_contact_respond(sim, damped, c->x, sim->room.rhs);
    for (int i = 0; i < sys->rows; i++)
      if (c->l[i] == 0) c->l[i] = sim->room.rhs[i];
  }
  for (int i = 0; i < sys->rows; i++) s->lambda[i] += c->l[i] / h;
  for (int i = 0; i < c->count; i++) s->presses[i] = s->warm[i] != 0;
}

// which frictions stick from here on, and which gaps were met
static void note_contacts(hn_sim *sim, const stepper *s) {
  struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++) c->grip[h] = HN_LOOSE;
  for (int k = 0; k < s->pile.rows; k++) {
    int i = s->row_of[k], rubs = s->pile.rubs[k];
    double p = s->pile.x[k];
    if (rubs < 0 || !(p > 0)) continue;
    double x = rubs > 0 ? hypot(s->pile.x[k + 1], rubs > 1 ? s->pile.x[k + 2] : 0) : 0;
    bool sticks = x < s->pile.coefficient[k] * p * (1 - 1e-9);
    if (rubs > 0) c->grip[friction_on(sim->sys, i)] = sticks ? HN_STICKS : HN_SLIDES;
    if (!s->met[k]) continue;
    c->before[i] = c->rate[i], c->impulse[i] = p;
    c->until[i] = sim->state.t + s->h;
    double g_t = sim->stage.work.phi_t[hn_contact_row(sim, i)];
    hn_contact_log(sim, i, c->until[i], hn_pile_rate(&s->pile, k, s->v) - s->pile.b[k] + g_t);
  }
}

// what rests behind a stop is moved out by the least motion, in s->out; false: there is nothing
static bool move_out(hn_sim *sim, stepper *s, double h) {
  const struct hn_contacts *c = sim->contacts;
  hn_pile *p = &s->pile;
  double deepest = 0;
  int sweeps = SWEEPS;
  for (int k = 0; k < p->rows; k++) {
    int i = s->row_of[k];
    double g_t = sim->stage.work.phi_t[hn_contact_row(sim, i)];
    double rate = hn_pile_rate(p, k, s->v) - p->b[k] + g_t, unit = hn_contact_unit(sim, i);
    bool leaves = p->rubs[k] < 0 || rate > hn_contact_slow(sim, i);
    p->coefficient[k] = p->x[k] = 0;
    p->b[k] = leaves ? INFINITY : c->gap[i] + sim->opt.stepper_theta * h * rate;
    if (p->b[k] < -1e-12 * unit) deepest = fmax(deepest, -p->b[k]);
  }
  if (!(deepest > 0)) return false;
  memset(s->out, 0, (size_t)sim->sys->nv * sizeof(double));
  (void)hn_pile_solve(p, s->out, deepest, 1e-6, &sweeps);
  return true;
}

// ---- the step ------------------------------------------------------------------------------

typedef struct job {
  bool damped;
} job;

static hn_status without_contacts(hn_sim *sim, void *user) {
  const job *j = user;
  hn_solve_factored(sim, j->damped, sim->stage.work.r, sim->room.rhs, sim->stage.a,
                    sim->stage.work.lambda);
  return HN_OK;
}

// everything at q*, which is left in sim->step.y_stage
static void evaluate(hn_sim *sim, double h) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  hn_work *w = &sim->stage.work;
  const double *v = sim->state.y + sys->nq;
  double part = (1 - sim->opt.stepper_theta) * h, t = sim->state.t + part, *y = sim->step.y_stage;
  memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  for (int i = 0; i < sys->nv; i++) sim->room.v[i] = part * v[i];
  hn_retract(sys, y, sim->room.v);
  if (sys->states) hn_give_states(w, y + sim->state.x);
  if (c) w->on = c->all;
  hn_eval_all(w, t, y, v);
  if (c) w->on = c->on;
  sim->count.evaluations++;
  for (int i = 0; c && i < c->count; i++) {
    c->gap[i] = w->phi[hn_contact_row(sim, i)];
    c->rate[i] = w->psi[hn_contact_row(sim, i)];
  }
  if (c) hn_contact_teeth(sim);
}

// contacts take part: s->v changes
static void contacts(hn_sim *sim, stepper *s, double h, bool damped) {
  int sweeps = SWEEPS;
  hn_jacobian_mul(&sim->stage.work, sim->stage.a, sim->room.r);
  double size = gather(sim, s, h, damped);
  double off = hn_pile_solve(&s->pile, s->v, size, sim->opt.iteration_tol, &sweeps);
  // sweeps that creep leave a rate
  if (sweeps == SWEEPS) hn_audit_note(sim, HN_AUDIT_VELOCITY, off * size, sim->state.t + h, -1);
  take_impulses(sim, s, h, damped);
}

// velocity and forces of a step h from the current state: s->v, s->a, s->lambda, s->work
static hn_status solve(hn_sim *sim, stepper *s, double h) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  const double *v = sim->state.y + sys->nq;
  evaluate(sim, h);
  for (int i = 0; i < sys->rows; i++) sim->room.rhs[i] = -w->psi[i] / (sim->opt.stepper_theta * h);
  job j = {hn_factor_saddle(sim)};
  hn_status status = hn_settle(sim, without_contacts, &j);
  if (status) return status;
  for (int i = 0; i < sys->nv; i++) s->v[i] = v[i] + h * sim->stage.a[i];
  memcpy(s->lambda, w->lambda, (size_t)sys->rows * sizeof(double));
  memcpy(s->force, w->r, (size_t)sys->nv * sizeof(double));
  s->work = h * w->power;
  s->h = h;
  if (sim->contacts) contacts(sim, s, h, j.damped);
  // drivers work through the rows that depend on time
  for (int i = 0; sys->rheonomic && i < sys->rows; i++)
    if (!hn_comes_and_goes(sys, i)) s->work -= h * s->lambda[i] * w->phi_t[i];
  for (int i = 0; i < sys->nv; i++) s->a[i] = (s->v[i] - v[i]) / h;
  return HN_OK;
}

static hn_status step(hn_sim *sim, double limit) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  double h = fmin(sim->opt.step, limit), *y = sim->step.y_new, *v = y + sys->nq;
  if (sim->contacts) hn_contact_rows_off(sim);
  hn_status status = solve(sim, s, h);
  if (status) return status;
  if (sim->contacts) note_contacts(sim, s);
  memcpy(y, sim->step.y_stage, (size_t)sim->state.n * sizeof(double));
  if (sys->states) {
    hn_state_rates(&sim->stage.work, sim->step.y_stage);
    for (int i = 0; i < sys->states; i++) y[sim->state.x + i] += h * sim->step.y_stage[i];
  }
  bool out = sim->contacts && move_out(sim, s, h);
  for (int i = 0; i < sys->nv; i++) {
    v[i] = s->v[i];
    sim->room.v[i] = sim->opt.stepper_theta * h * v[i] + (out ? s->out[i] : 0);
    if (out) s->work -= s->force[i] * s->out[i];
  }
  hn_retract(sys, y, sim->room.v);
  y[sim->state.w] += s->work;
  sim->step.h = h;
  return hn_accept_step(sim, h, y, NULL);
}

static void dense(hn_sim *sim, double t, double *y) {
  double h = sim->state.t - sim->state.t_old, s = h > 0 ? (t - sim->state.t_old) / h : 1;
  for (int i = 0; i < sim->state.n; i++) y[i] = (1 - s) * sim->state.y_old[i] + s * sim->state.y[i];
  hn_normalise(sim->sys, y);
  // what corrections do is about lasting rows
  if (sim->contacts) hn_contact_rows_off(sim);
}

static hn_status refuse(hn_sim *sim, const char *joint, const char *why) {
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "integrator 'moreau' cannot deal with '%s', %s (integrators that end steps at "
                     "events can)",
                     joint, why);
}

// forces at the start are those of a step from there
static hn_status start(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  stepper *s = sim->method.integrator_data;
  s->h = 0;
  if (sys->unilaterals && strcmp(sim->opt.impact_law, "newton") != 0)
    return hn_sim_fail(
        sim, HN_ERR_UNSUPPORTED,
        "integrator 'moreau' knows restitution by Newton's law (impact_law: newton), "
        "not by '%s'",
        sim->opt.impact_law);
  if (sys->gates)
    return refuse(sim, sys->joint[sys->gate[0].joint].name, "a joint that is switched or breaks");
  for (int h = 0; h < sys->holds; h++)
    if (sys->hold[h].normal < 0)
      return refuse(sim, sys->joint[sys->hold[h].joint].name, "friction that holds in a joint");
  if (!sim->contacts) return HN_OK;
  memset(s->warm, 0, (size_t)sim->contacts->count * sizeof(double));
  return solve(sim, s, sim->opt.step);
}

// rows that press are there in what is read, and their gap counts where it is behind the stop
static void reactions(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const stepper *s = sim->method.integrator_data;
  hn_work *w = &sim->stage.work;
  if (!(s->h > 0)) return;
  if (sim->contacts) {
    struct hn_contacts *c = sim->contacts;
    memcpy(c->on, s->presses, (size_t)c->count * sizeof(bool));
    hn_eval_jacobian(w, w->t, w->gq, w->gv);
    for (int i = 0; i < c->count; i++) {
      int row = hn_contact_row(sim, i);
      w->phi[row] = sys->unilateral[i].hold ? 0 : fmin(w->phi[row], 0);
      w->psi[row] = w->phi_t[row] = 0;
    }
    sim->stage.yielding = true;  // which of the rows that repeat each other bears what is found
  }
  memcpy(sim->stage.a, s->a, (size_t)sys->nv * sizeof(double));
  memcpy(w->lambda, s->lambda, (size_t)sys->rows * sizeof(double));
}

const hn_integrator_type hn_integrator_moreau = {
    .info = {.name = "moreau",
             .help = "time-stepping through contacts, order 1: no step ends where a gap closes",
             .keys = "step stepper_theta iteration_tol",
             .required = "step"},
    .order = 1,
    .layout = layout,
    .start = start,
    .step = step,
    .dense = dense,
    .reactions = reactions,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_RELATIVE | HN_CAN_BLOCKS |
           HN_CAN_STATES | HN_CAN_UNILATERAL | HN_STEPS_OVER,
};
