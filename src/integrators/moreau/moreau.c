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
// elsewhere -g / h, or 0 where g < 0: the gap is just closed at the q* of the next step. Were it
// closed at the end of this one, q* would go behind the stop, bodies would be moved out again, and
// a heap would never rest. What is behind a stop at the end of a step is moved out by the least
// motion, a second problem with the same rows.
//
// So an impact without restitution takes two steps: one that lets the gap just close, one that
// stops it. Each by itself would rub against the slip at its own end, and together by less than
// Coulomb's law where the slip turns in between, by how much depending on where in a step the gap
// closes. The second step therefore takes back what the first one gave, and gives it anew with its
// own: cones are those of the whole impact (hn_moreau.begun).
//
// With theta = 1/2 kinetic energy and constant forces balance exactly, and what contacts take is
// p (N v0 + N v1) / 2, which is counted as work.
#include "integrators/moreau/moreau.h"
#include "base/elementary.h"
#include "system/coordinates/coordinates.h"

#include <string.h>

enum { SWEEPS = 2000 };
// gaps this small, in units of the model, are closed: what sweeps leave of rates would shake a
// tower
static const double slight = 1e-8;

// velocities of bodies that no joint holds answer impulses by their own inertia
static void find_own(const hn_system *sys, bool *own) {
  bool diagonal = !sys->mass_entries && sys->coordinates->of_bodies;
  for (int i = 0; i < sys->nv; i++) own[i] = diagonal;
  for (int g = 0; g < sys->groups && diagonal; g++) {
    const hn_group *group = &sys->group[g];
    bool lasting = false;
    for (int r = 0; r < group->rows; r++) lasting |= !hn_comes_and_goes(sys, group->row0 + r);
    for (int k = 0; lasting && k < group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[group->first + k]];
      for (int i = 0; i < b->nv; i++) own[b->v0 + i] = false;
    }
  }
}

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  hn_moreau *s = HN_TAKE(arena, hn_moreau, 1), place = {0};
  int n = sys->unilaterals, nv = sys->nv;
  place.crowded = hn_crowd_of(sys, &place.crowd);
  if (place.crowded) hn_moreau_crowd_layout(&place, arena);
  int crowd = hn_moreau_crowd_rows(&place), rows = n + crowd;
  // a body that joints hold answers with all velocities
  bool joined = false;
  for (int i = 0; i < place.crowd.members; i++) joined |= place.crowd.member[i].joined;
  hn_pile_layout(&place.pile, arena, nv, rows, n * nv + 12 * crowd,
                 n * nv + (joined ? nv : 12) * crowd);
  double **const of_rows[] = {&place.gap, &place.rate, &place.g_t, &place.slow, &place.given};
  for (int i = 0; i < 5; i++) *of_rows[i] = HN_TAKE(arena, double, rows);
  place.met = HN_TAKE(arena, bool, rows);
  place.from = HN_TAKE(arena, int, rows);
  double **const of_v[] = {&place.v, &place.out, &place.a, &place.force, &place.top, &place.x};
  for (int i = 0; i < 6; i++) *of_v[i] = HN_TAKE(arena, double, nv);
  double **const each[] = {&place.lambda, &place.l, &place.zero};
  for (int i = 0; i < 3; i++) *each[i] = HN_TAKE(arena, double, sys->rows);
  place.own = HN_TAKE(arena, bool, nv);
  place.warm = HN_TAKE(arena, double, n);
  place.begun = HN_TAKE(arena, double, n);
  place.presses = HN_TAKE(arena, bool, n);
  if (!arena->base) return;
  find_own(sys, place.own);
  *s = place;
  sim->method.integrator_data = s;
}

// ---- the rows of a step --------------------------------------------------------------------

static bool is_met(const hn_moreau_gap *g) {
  return -(g->rate + g->g_t) > 2 * fabs(g->change) + g->slow;
}

double hn_moreau_least(const hn_sim *sim, const hn_moreau_gap *g, double h) {
  if (g->gap > g->reach) return -INFINITY;
  if (is_met(g) && g->restitution > 0)
    // with restitution it waits until it is closed: a bounce starts at the surface
    return g->gap > 0 ? -INFINITY : -g->restitution * (g->rate + g->g_t);
  return g->gap > slight * sim->sys->length ? -g->gap / h : 0;
}

// what a unit of impulse along the row being written does to the velocities while joints hold
static bool respond(hn_sim *sim, hn_moreau *s) {
  const hn_strips *J = &s->pile.gradient;
  int row = s->pile.rows, nv = sim->sys->nv;
  bool own = true, room = true;
  // bodies that only contacts touch answer by their own masses: nothing is to be solved
  for (int k = J->start[row]; k < J->start[row + 1]; k++) own &= s->own[J->place[k]];
  for (int k = J->start[row]; own && k < J->start[row + 1]; k++)
    room &= hn_strip_add(&s->pile.response, row, J->place[k],
                         J->value[k] / sim->sys->mass[J->place[k]]);
  if (own) return room;
  memset(s->top, 0, (size_t)nv * sizeof(double));
  for (int k = J->start[row]; k < J->start[row + 1]; k++) s->top[J->place[k]] = J->value[k];
  hn_solve_factored(sim, s->damped, s->top, s->zero, s->x, s->l);
  for (int k = 0; k < nv; k++)
    if (s->x[k] != 0) room &= hn_strip_add(&s->pile.response, row, k, s->x[k]);
  return room;
}

bool hn_moreau_row(hn_sim *sim, hn_moreau *s, const hn_moreau_gap *g, double least) {
  int at = s->pile.rows;
  if (!respond(sim, s)) return false;
  s->gap[at] = g->gap, s->rate[at] = g->rate, s->g_t[at] = g->g_t, s->slow[at] = g->slow;
  s->met[at] = g->rubs >= 0 && is_met(g);
  s->from[at] = g->from;
  s->given[at] = g->given;
  s->size = fmax(s->size, fabs(g->rate) + fabs(g->change));
  if (g->rubs > 0) s->change = fmax(s->change, fabs(g->change));
  hn_pile_row(&s->pile, g->g_t - least, g->given + g->x, g->rubs, g->coefficient);
  return true;
}

// the friction whose normal force a gap is; -1: nothing rubs there
static int friction_on(const hn_system *sys, int gap) {
  for (int h = 0; h < sys->holds; h++)
    if (sys->hold[h].normal == gap) return h;
  return -1;
}

// the gradient of a row that comes and goes
static void write_gradient(hn_sim *sim, hn_moreau *s, int i) {
  const hn_system *sys = sim->sys;
  memset(s->l, 0, (size_t)sys->rows * sizeof(double));
  memset(s->top, 0, (size_t)sys->nv * sizeof(double));
  s->l[hn_contact_row(sim, i)] = 1;
  hn_jacobian_tmul_add(&sim->stage.work, s->l, 1, s->top);
  for (int k = 0; k < sys->nv; k++)
    if (s->top[k] != 0) (void)hn_strip_add(&s->pile.gradient, s->pile.rows, k, s->top[k]);
}

static hn_moreau_gap row_of(const hn_sim *sim, const hn_moreau *s, int i, double h) {
  int row = hn_contact_row(sim, i);
  const struct hn_contacts *c = sim->contacts;
  const hn_work *w = &sim->stage.work;
  // by forces, and by what turns: gamma is J a where the rate does not change
  double g_t = w->phi_t[row], change = s->span * (sim->room.r[row] - w->gamma[row]);
  return (hn_moreau_gap){
      .gap = c->gap[i],
      .rate = c->rate[i] - g_t,
      .g_t = g_t,
      .change = change,
      .restitution = sim->sys->unilateral[i].restitution,
      .slow = hn_contact_slow(sim, i),
      // twice the fastest so far, and what forces add to it
      .reach = h * (2 * sim->step.speed[sim->sys->angular_row[row]] + fabs(change)),
      .x = h * s->warm[i],
      .given = s->begun[i],
      .from = i,
  };
}

// gaps that may close in this step, with their frictions; room.r has what the accelerations without
// contacts make of all rows
static void gather(hn_sim *sim, hn_moreau *s, double h) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  for (int i = 0; c && i < c->count; i++) {
    if (sys->unilateral[i].hold) continue;
    hn_moreau_gap g = row_of(sim, s, i, h);
    int hold = friction_on(sys, i);
    double least = hn_moreau_least(sim, &g, h);
    if (least == -INFINITY) continue;
    if (hold >= 0) {
      const hn_hold *f = &sys->hold[hold];
      g.rubs = f->rows;
      // at rest it may stick with more than what it slides with; not in an impact
      bool still = g.given == 0 && !is_met(&g) && hn_stick_speed(sim, hold) <= hn_stick_still(sim);
      g.coefficient = f->per_row * (still ? f->sticking : f->sliding);
    }
    write_gradient(sim, s, i);
    (void)hn_moreau_row(sim, s, &g, least);
    for (int k = 0; k < g.rubs; k++) {
      hn_moreau_gap f = row_of(sim, s, sys->hold[hold].first + k, h);
      f.rubs = -1;
      write_gradient(sim, s, f.from);
      (void)hn_moreau_row(sim, s, &f, 0);
    }
  }
}

// ---- impulses ------------------------------------------------------------------------------

// J v at the end of the step
static double after(const hn_moreau *s, int k) {
  return hn_pile_rate(&s->pile, k, s->v) - s->pile.b[k];
}

// the velocity without what the step before gave to impacts that began there
static void take_back(hn_moreau *s) {
  const hn_strips *R = &s->pile.response;
  for (int k = 0; k < s->pile.rows; k++)
    for (int i = R->start[k]; s->given[k] != 0 && i < R->start[k + 1]; i++)
      s->v[R->place[i]] -= s->given[k] * R->value[i];
}

// A gap is met in this step, and will be closed in the next. Between blocks that fall alike forces
// make no rate, and what sweeps leave would be a blow: hence the changes of all
static bool begins_impact(const hn_sim *sim, const hn_moreau *s) {
  for (int k = 0; k < s->pile.rows; k++)
    if (s->met[k] && s->pile.rubs[k] > 0 && s->pile.x[k] > 0 &&
        s->gap[k] > slight * sim->sys->length && -(s->rate[k] + s->g_t[k]) > 2 * s->change)
      return true;
  return false;
}

bool hn_moreau_goes_on(const hn_moreau *s, int k, double restitution) {
  // what bounces is over with its step, what was given anew, too; but a step cut short has not
  // closed the gap yet
  return s->begins && !(restitution > 0) && (s->given[k] == 0 || s->shorter);
}

// what joints answer to the impulses of contacts
static void answer(hn_sim *sim, hn_moreau *s, double h) {
  const hn_system *sys = sim->sys;
  if (!hn_lasting_rows(sys)) return;
  memset(s->top, 0, (size_t)sys->nv * sizeof(double));
  for (int k = 0; k < s->pile.rows; k++)
    for (int i = s->pile.gradient.start[k]; i < s->pile.gradient.start[k + 1]; i++)
      s->top[s->pile.gradient.place[i]] += hn_moreau_net(s, k) * s->pile.gradient.value[i];
  hn_solve_factored(sim, s->damped, s->top, s->zero, s->x, s->l);
  for (int i = 0; i < sys->rows; i++) s->lambda[i] += s->l[i] / h;
}

// impulses as they are in the pile become forces of the step, and work
static void take_impulses(hn_sim *sim, hn_moreau *s, double h) {
  struct hn_contacts *c = sim->contacts;
  int n = sim->sys->unilaterals;
  bool goes_on = false;
  s->begins = begins_impact(sim, s);
  answer(sim, s, h);
  memset(s->warm, 0, (size_t)n * sizeof(double));
  memset(s->begun, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < s->pile.rows; k++) {
    double p = hn_moreau_net(s, k);
    s->work += 0.5 * p * (s->rate[k] + after(s, k));
    if (s->from[k] < 0) continue;
    s->warm[s->from[k]] = p / h;
    s->lambda[hn_contact_row(sim, s->from[k])] = p / h;
    // frictions follow their gap
    if (s->pile.rubs[k] >= 0)
      goes_on = hn_moreau_goes_on(s, k, sim->sys->unilateral[s->from[k]].restitution);
    if (goes_on) s->begun[s->from[k]] = s->pile.x[k];
  }
  // those that press are there for readers, see reactions()
  for (int i = 0; c && i < n; i++) s->presses[i] = s->warm[i] != 0;
  if (s->crowded) hn_moreau_crowd_take(s, h);
}

// which frictions stick from here on, and which gaps were met
static void note_contacts(hn_sim *sim, const hn_moreau *s) {
  struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++) c->grip[h] = HN_LOOSE;
  for (int k = 0; k < s->pile.rows; k++) {
    int i = s->from[k], rubs = s->pile.rubs[k];
    double p = s->pile.x[k];
    if (i < 0 || rubs < 0 || !(p > 0)) continue;
    // the friction rows follow their gap
    double x = rubs > 0 ? hn_hypot(s->pile.x[k + 1], rubs > 1 ? s->pile.x[k + 2] : 0) : 0;
    bool sticks = x < s->pile.coefficient[k] * p * (1 - 1e-9);
    if (rubs > 0) c->grip[friction_on(sim->sys, i)] = sticks ? HN_STICKS : HN_SLIDES;
    // a blow over two steps is told with the second
    bool second = s->given[k] != 0 && c->before[i] < 0;
    if (!second) c->before[i] = s->met[k] ? c->rate[i] : 0;
    if (!s->met[k] && !second) continue;
    c->impulse[i] = p;
    c->until[i] = sim->state.t + s->h;
    if (hn_moreau_goes_on(s, k, sim->sys->unilateral[i].restitution)) continue;
    hn_contact_log(sim, i, c->until[i], after(s, k) + s->g_t[k]);
  }
}

// What rests behind a stop is moved out by the least motion, in s->out; false: there is nothing.
// What leaves comes out by itself, and counts as a violation until then
static bool move_out(hn_sim *sim, hn_moreau *s, double h) {
  hn_pile *p = &s->pile;
  double deepest = 0, left = 0, theta = sim->opt.stepper_theta;
  int sweeps = SWEEPS;
  for (int k = 0; k < p->rows; k++) {
    double rate = after(s, k) + s->g_t[k], end = s->gap[k] + theta * h * rate;
    // where the next step looks at it
    end += (1 - theta) * h * fmin(rate, 0);
    bool friction = p->rubs[k]<0, leaves = rate> s->slow[k];
    p->coefficient[k] = p->x[k] = 0;
    // what leaves is not moved, but nothing is moved into it
    p->b[k] = friction ? INFINITY : leaves ? fmax(end, 0) : end;
    if (!friction && leaves && s->from[k] < 0) left = fmax(left, -end);
    if (!friction && !leaves && end < -slight * sim->sys->length) deepest = fmax(deepest, -end);
  }
  if (left > 0) hn_audit_note(sim, HN_AUDIT_POSITION, left, sim->state.t + h, -1);
  if (!(deepest > 0)) return false;
  memset(s->out, 0, (size_t)sim->sys->nv * sizeof(double));
  // what is left of it is the next step's
  (void)hn_pile_solve(p, s->out, &deepest, 1e-2, &sweeps);
  s->swept += (double)p->rows * sweeps;
  return true;
}

// ---- the step ------------------------------------------------------------------------------

static hn_status without_contacts(hn_sim *sim, void *user) {
  const hn_moreau *s = user;
  hn_solve_factored(sim, s->damped, sim->stage.work.r, sim->room.rhs, sim->stage.a,
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
  // all rows are evaluated, the lasting ones are solved for
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
static hn_status contacts(hn_sim *sim, hn_moreau *s, double h) {
  int sweeps = SWEEPS;
  hn_pile_clear(&s->pile);
  s->size = s->change = 0;
  hn_jacobian_mul(&sim->stage.work, sim->stage.a, sim->room.r);
  gather(sim, s, h);
  hn_status status = s->crowded ? hn_moreau_crowd_gather(sim, s, h) : HN_OK;
  if (status) return status;
  take_back(s);
  double off = hn_pile_solve(&s->pile, s->v, &s->size, sim->opt.iteration_tol, &sweeps);
  s->swept += (double)s->pile.rows * sweeps;
  // sweeps that creep leave a rate
  if (sweeps == SWEEPS) hn_audit_note(sim, HN_AUDIT_VELOCITY, off * s->size, sim->state.t + h, -1);
  take_impulses(sim, s, h);
  return HN_OK;
}

// velocity and forces of a step h from the current state: s->v, s->a, s->lambda, s->work
static hn_status solve(hn_sim *sim, hn_moreau *s, double h) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  const double *v = sim->state.y + sys->nq;
  evaluate(sim, h);
  // J ((1 - theta) v0 + theta v1) = -Phi_t over theta h, as an acceleration
  for (int i = 0; i < sys->rows; i++) sim->room.rhs[i] = -w->psi[i] / (sim->opt.stepper_theta * h);
  s->damped = hn_factor_saddle(sim);
  hn_status status = hn_settle(sim, without_contacts, s);
  if (status) return status;
  for (int i = 0; i < sys->nv; i++) s->v[i] = v[i] + h * sim->stage.a[i];
  memcpy(s->lambda, w->lambda, (size_t)sys->rows * sizeof(double));
  memcpy(s->force, w->r, (size_t)sys->nv * sizeof(double));
  s->work = h * w->power;
  s->shorter = h < s->h * (1 - 1e-9);
  s->span = fmax(h, s->h);
  s->h = h;
  if (s->pile.most) status = contacts(sim, s, h);
  // drivers work through the rows that depend on time
  for (int i = 0; sys->rheonomic && i < sys->rows; i++)
    if (!hn_comes_and_goes(sys, i)) s->work -= h * s->lambda[i] * w->phi_t[i];
  for (int i = 0; i < sys->nv; i++) s->a[i] = (s->v[i] - v[i]) / h;
  return status;
}

static hn_status step(hn_sim *sim, double limit) {
  const hn_system *sys = sim->sys;
  hn_moreau *s = sim->method.integrator_data;
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
  bool out = s->pile.most && move_out(sim, s, h);
  for (int i = 0; i < sys->nv; i++) {
    v[i] = s->v[i];
    sim->room.v[i] = sim->opt.stepper_theta * h * v[i] + (out ? s->out[i] : 0);
    // moving out is done against forces, which count it as work
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
  hn_moreau *s = sim->method.integrator_data;
  s->h = s->swept = 0;
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
  hn_status status = s->crowded ? hn_moreau_crowd_start(sim, s) : HN_OK;
  if (status || !s->pile.most) return status;
  memset(s->warm, 0, (size_t)sys->unilaterals * sizeof(double));
  memset(s->begun, 0, (size_t)sys->unilaterals * sizeof(double));
  status = solve(sim, s, sim->opt.step);
  // nothing has been given yet
  memset(s->begun, 0, (size_t)sys->unilaterals * sizeof(double));
  if (s->crowded) hn_moreau_crowd_unbegun(s);
  return status;
}

// rows that press are there in what is read, and their gap counts where it is behind the stop
static void reactions(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const hn_moreau *s = sim->method.integrator_data;
  hn_work *w = &sim->stage.work;
  if (!(s->h > 0)) return;
  if (sim->contacts) {
    struct hn_contacts *c = sim->contacts;
    memcpy(c->on, s->presses, (size_t)c->count * sizeof(bool));
    hn_eval_jacobian(w, w->t, w->gq, w->gv);
    for (int i = 0; i < c->count; i++) {
      int row = hn_contact_row(sim, i);
      // rows that hold have no place, and a gap that is open is no violation
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
