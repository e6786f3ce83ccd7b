// contact.c: rows that come and go along the motion.
//
// The value of such a row is a gap g >= 0; while the row is there its multiplier must push. Events
// (events.c) end steps where the gap of a row that is off closes, or the force of a row that is on
// vanishes. What follows is decided here, for all rows that touch at once, by complementarity
// problems over A = N K^-1 N^T, what a force along one row does to the others while all lasting
// rows hold (K is the saddle-point system, N the gradients of the gaps):
//
//   positions       A x + g >= 0                  x >= 0: round-off is taken away
//   impact          A p + r + e min(r, 0) >= 0    p >= 0: impulses, r the rates before (impacts.c)
//   accelerations   A l + g'' >= 0                l >= 0: which rows stay on, g'' without them
//
// (J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; F. Pfeiffer,
// Ch. Glocker, Multibody Dynamics with Unilateral Contacts, 1996.)
//
// Impacts that follow each other ever faster come to an end in finite time. A rebound that would
// not rise above what can be resolved is the last: the row stays. When the rebounds left out would
// have ended is known from their geometric series and told with the last impact.
//
// The kinetic energy an impact takes away is counted as work: sum of p times the mean rate.
#include "sim/contact.h"

#include <float.h>
#include <string.h>

static const double nearby = 1e-11;   // gap that touches, in units of the model
static const double nothing_new = 1;  // value of a gap that need not be looked at
static const double hop = 1e-13;      // a rebound less high than this is none
static const double at_rest = 1e-10;  // part of the largest speed that is none

// A is over gaps that touch at once, of which there may be as many as rows: its room is the square
// of that. Steppers that go over contacts (moreau) find impulses without it and have none. Work
// spaces look at `on`, `shift` and the others through pointers, so that what is switched here is
// seen by every evaluation at once.
void hn_contact_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  int n = sys->unilaterals;
  if (!n) return;
  struct hn_contacts *c = HN_TAKE(arena, struct hn_contacts, 1), place = {.count = n};
  bool **const flags[] = {&place.on,   &place.bears, &place.all,
                          &place.away, &place.idle,  &place.chosen};
  for (int i = 0; i < 6; i++) *flags[i] = HN_TAKE(arena, bool, n);
  double **const each[] = {&place.shift,        &place.force,   &place.gap,    &place.rate,
                           &place.acceleration, &place.impulse, &place.before, &place.until};
  for (int i = 0; i < 8; i++) *each[i] = HN_TAKE(arena, double, n);
  place.pick = HN_TAKE(arena, int, n);
  bool over = sim->method.integrator->can & HN_STEPS_OVER;
  size_t size = over ? 0 : (size_t)n;
  place.A = HN_TAKE(arena, double, size *size);
  place.x = HN_TAKE(arena, double, sys->nv);
  place.top = HN_TAKE(arena, double, sys->nv);
  place.l = HN_TAKE(arena, double, sys->rows);
  place.zero = HN_TAKE(arena, double, sys->rows);
  place.y = HN_TAKE(arena, double, sim->state.n);
  place.ydot = HN_TAKE(arena, double, sim->state.n);
  hn_lcp_layout(&place.lcp, arena, (int)size);
  hn_stick_layout(&place, sim, arena);
  hn_gates_layout(&place, sim, arena);
  hn_tips_layout(&place, sim, arena);
  place.log = HN_TAKE_NUMBERS(arena, hn_impact, HN_MOST_IMPACTS);
  if (!arena->base) return;
  place.plain = hn_solver_find("lagrange");
  *c = place;
  for (int i = 0; i < n; i++) c->all[i] = true;
  sim->contacts = c;
  sim->stage.work.on = c->on;
  sim->stage.work.shift = c->shift;
  sim->stage.work.slip = c->slip;
  sim->stage.work.held = c->held;
  sim->stage.work.carried = c->carried;
  sim->stage.work.face = c->face;
}

int hn_contact_functions(const hn_system *sys) {
  return sys->unilaterals + sys->holds + sys->tips + sys->meetings;
}

static bool angular(const hn_sim *sim, int i) {
  return sim->sys->angular_row[hn_contact_row(sim, i)];
}

double hn_contact_unit(const hn_sim *sim, int i) {
  return angular(sim, i) ? 1 : sim->sys->length;
}

// speeds are judged by the largest the run has had: what is slow in a crusher is fast in a watch
double hn_contact_slow(const hn_sim *sim, int i) {
  return at_rest * sim->step.speed[angular(sim, i)];
}

// all: of the rows that come and go only those of switched joints are solved for, which problems
// over gaps take for lasting; else every row that bears
void hn_contact_leave_out(hn_sim *sim, bool all) {
  const struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < c->count; i++)
    sim->rows.D[hn_contact_row(sim, i)] =
        c->bears[i] && (!all || sim->sys->unilateral[i].gate) ? 0 : HN_LEFT_OUT;
  hn_stage_left(sim);
}

void hn_contact_rows_off(hn_sim *sim) {
  memset(sim->contacts->on, 0, (size_t)sim->contacts->count * sizeof(bool));
}

// ---- looking -------------------------------------------------------------------------------

// what gaps cannot be told apart by: of a small model far from the origin more than its size says
static double grain_of(const hn_sim *sim, const double *q) {
  double most = 0;
  for (int i = 0; i < sim->sys->nq; i++)
    if (!sim->sys->angular_q[i]) most = fmax(most, fabs(q[i]));
  return 4 * DBL_EPSILON * most;
}

// part of the model's size, and rounding
static double blur(const hn_sim *sim, int i, double part) {
  return part * hn_contact_unit(sim, i) + (angular(sim, i) ? 0 : sim->contacts->grain);
}

void hn_contact_look(hn_sim *sim, double t, const double *y) {
  struct hn_contacts *c = sim->contacts;
  hn_work *w = &sim->stage.work;
  w->on = c->all;
  hn_eval_jacobian(w, t, y, y + sim->sys->nq);
  w->on = c->on;
  c->grain = grain_of(sim, y);
  for (int i = 0; i < c->count; i++) {
    c->gap[i] = w->phi[hn_contact_row(sim, i)];
    c->rate[i] = w->psi[hn_contact_row(sim, i)];
  }
}

static bool is_gap(const hn_sim *sim, int i) {
  return !sim->sys->unilateral[i].hold && !sim->sys->unilateral[i].gate;
}

static double multiplier(const hn_sim *sim, int row, bool shared) {
  return shared ? hn_shared_multiplier(sim, row) : sim->stage.work.lambda[row];
}

// how far a gap that touches and bears nothing is from bearing a part of what it would share
static double unloaded(hn_sim *sim, double t, const double *y, int i) {
  struct hn_contacts *c = sim->contacts;
  memcpy(c->y, y, (size_t)sim->state.n * sizeof(double));
  c->on[i] = true;
  hn_status status = hn_derivative(sim, t, c->y, c->ydot);
  c->on[i] = false;
  return status ? 1 : -hn_shared_multiplier(sim, hn_contact_row(sim, i));
}

// Forces of the constraints as they are. A solver that feeds violations back, or lets rows yield,
// has forces of its own, which those that are decided by (hn_contact_free) would contradict: most
// of all on dense output, which lies off the constraints by what the feedback makes much of
static bool forces_at(hn_sim *sim, double t) {
  struct hn_contacts *c = sim->contacts;
  const hn_solver_type *own = sim->method.solver;
  sim->method.solver = c->plain;
  hn_status status = hn_derivative(sim, t, c->y, c->ydot);
  sim->method.solver = own;
  return status == HN_OK;
}

// Where nothing rubs it does not matter to the motion how rows that repeat each other share. Else
// they are judged by what each of them bears
void hn_contact_values(hn_sim *sim, double t, const double *y, double *value) {
  struct hn_contacts *c = sim->contacts;
  bool any = hn_stick_needs_forces(sim) || hn_gates_need_forces(sim), known = false;
  bool rubs = sim->sys->holds > 0;
  hn_contact_look(sim, t, y);
  for (int i = 0; i < c->count; i++) {
    value[i] = c->gap[i];
    // what is said by another gap that is closed may shiver with it
    bool said = c->doubled[i] && c->on[c->doubled[i] - 1];
    if (said && c->gap[i] <= 10 * blur(sim, i, nearby)) value[i] = nothing_new;
    // a ratchet may move freely over one pitch: at its end the next tooth falls in
    double pitch = sim->sys->unilateral[i].pitch;
    if (pitch > 0 && !c->on[i]) value[i] = fmin(value[i], pitch - c->gap[i]);
    any |= c->on[i] && !sim->sys->unilateral[i].gate;
  }
  if (any) {
    memcpy(c->y, y, (size_t)sim->state.n * sizeof(double));
    known = forces_at(sim, t);
  }
  for (int i = 0; i < c->count; i++) {
    if (sim->sys->unilateral[i].gate)
      value[i] = 1;
    else if (c->bears[i] || (c->on[i] && rubs))
      value[i] = known ? multiplier(sim, hn_contact_row(sim, i), rubs) : c->force[i];
    // there without being solved for, since others say the same: it must stay closed by these
    else if (c->on[i])
      value[i] = HN_STOP_VIOLATED * hn_contact_unit(sim, i) - fabs(c->gap[i]);
  }
  hn_stick_values(sim, known, value);
  hn_gates_values(sim, known, value);
  hn_stick_outward(sim, t, y, value);
  hn_tips_values(sim, value + c->count + sim->sys->holds);
  for (int i = 0; i < c->count; i++)
    if (c->idle[i]) value[i] = unloaded(sim, t, y, i);
}

// What a value may be below zero by without having passed it. Forces by a part of the largest the
// row has borne; gaps that have been open close at zero exactly, while one that has rested all
// along may shiver by round-off
double hn_contact_noise(const hn_sim *sim, int i) {
  const struct hn_contacts *c = sim->contacts;
  if (i >= c->count + sim->sys->holds + sim->sys->tips) return 1e-13 * sim->sys->length + c->grain;
  if (i >= c->count + sim->sys->holds) return 0;
  if (i < c->count && sim->sys->unilateral[i].gate) return HN_CONTACT_NOTHING;
  if (i >= c->count || !is_gap(sim, i)) return hn_stick_noise(sim, i);
  if (c->bears[i] || c->idle[i] || (c->on[i] && sim->sys->holds))
    return (c->repeat ? HN_CONTACT_YIELDING * 10 : HN_CONTACT_NOTHING) * c->force[i];
  return c->away[i] ? 0 : blur(sim, i, 1e-13);
}

// After a step. c->away must be set well above what counts as touching, or a gap that shivers would
// be one that has been open and strike again
void hn_contact_note(hn_sim *sim, const double *value, bool event) {
  struct hn_contacts *c = sim->contacts;
  c->pending |= event;
  for (int i = 0; i < c->count; i++) {
    if (!is_gap(sim, i)) continue;
    if (value[i] != nothing_new) c->doubled[i] = 0;
    if (c->bears[i])
      c->force[i] = fmax(c->force[i], value[i]);
    else if (!c->on[i] && !c->idle[i] && !c->doubled[i])
      c->away[i] |= value[i] > 10 * blur(sim, i, nearby);
  }
  hn_stick_note(sim, value);
  hn_gates_note(sim, value);
  if (sim->sys->meetings && !event) hn_edges_note(sim);
}

double hn_contact_limit(hn_sim *sim, double limit) {
  double flight = sim->contacts->flight;
  sim->contacts->flight = INFINITY;
  return hn_stick_limit(sim, fmin(limit, flight));
}

bool hn_contact_pending(hn_sim *sim) {
  return sim->contacts && (sim->contacts->pending || hn_gates_pending(sim));
}

// ---- problems ------------------------------------------------------------------------------

// rows that touch at the state last looked at; returns how many.
// Those that are on count whatever their gap: a row that bears keeps its gap at round-off, but
// which of them part is decided with all others
static int touching(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  int n = 0;
  for (int i = 0; i < c->count; i++)
    if (is_gap(sim, i) && !c->doubled[i] && (c->on[i] || c->gap[i] <= blur(sim, i, nearby)))
      c->pick[n++] = i;
  return n;
}

void hn_contact_respond(hn_sim *sim, bool damped, double *x, double *l) {
  struct hn_contacts *c = sim->contacts;
  memset(c->top, 0, (size_t)sim->sys->nv * sizeof(double));
  hn_jacobian_tmul_add(&sim->stage.work, l, 1, c->top);
  hn_solve_factored(sim, damped, c->top, c->zero, x, l);
}

// Column by column: one solution with the factors for every row that touches. Symmetric but for
// rounding, which the problems would take for a direction. Costs one factorisation and n solutions
bool hn_contact_couple(hn_sim *sim, int n) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  hn_contact_leave_out(sim, true);
  bool damped = hn_factor_saddle(sim);
  for (int k = 0; k < n; k++) {
    memset(c->l, 0, (size_t)sys->rows * sizeof(double));
    c->l[hn_contact_row(sim, c->pick[k])] = 1;
    hn_contact_respond(sim, damped, c->x, c->l);
    hn_jacobian_mul(&sim->stage.work, c->x, sim->room.r);
    for (int i = 0; i < n; i++) c->A[i * n + k] = sim->room.r[hn_contact_row(sim, c->pick[i])];
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      c->A[i * n + k] = c->A[k * n + i] = 0.5 * (c->A[i * n + k] + c->A[k * n + i]);
  return damped;
}

// A and b of some of the rows, closed up; p->set says which row of the n each of them is
int hn_contact_pose(hn_sim *sim, int n, const bool *chosen, const double *b) {
  struct hn_contacts *c = sim->contacts;
  hn_lcp *p = &c->lcp;
  int m = 0;
  for (int i = 0; i < n; i++)
    if (!chosen || chosen[i]) p->set[m++] = i;
  for (int i = 0; i < m; i++) {
    p->b[i] = b[c->pick[p->set[i]]];
    for (int k = 0; k < m; k++) p->A[i * m + k] = c->A[p->set[i] * n + p->set[k]];
  }
  return m;
}

hn_status hn_contact_contradict(hn_sim *sim) {
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: the stops contradict each other: no motion keeps all gaps open (two "
                     "limits that meet, or drivers that press against a stop?)",
                     sim->state.t);
}

// gaps below zero are closed to zero by the least motion
static hn_status separate(hn_sim *sim, int n) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  bool any = false, damped;
  for (int i = 0; i < n; i++) any |= c->gap[c->pick[i]] < 0;
  if (!any) return HN_OK;
  damped = hn_contact_couple(sim, n);
  hn_contact_pose(sim, n, NULL, c->gap);
  if (!hn_lcp_solve(&c->lcp, n, HN_CONTACT_CLEAN)) return hn_contact_contradict(sim);
  memset(c->l, 0, (size_t)sys->rows * sizeof(double));
  for (int i = 0; i < n; i++) c->l[hn_contact_row(sim, c->pick[i])] = c->lcp.x[i];
  hn_contact_respond(sim, damped, c->x, c->l);
  hn_retract(sys, sim->state.y, c->x);
  hn_normalise(sys, sim->state.y);
  hn_contact_look(sim, sim->state.t, sim->state.y);
  return HN_OK;
}

// ---- accelerations -------------------------------------------------------------------------

// Sticking rows and slips are left out too (slip NULL): what the problems are about are
// accelerations without any of the forces they look for. Values that are round-off of the largest
// accelerations become zero, since a sign decides
hn_status hn_contact_free(hn_sim *sim, int n) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  hn_work *w = &sim->stage.work;
  double most[2] = {0, 0};
  w->on = c->all;
  w->slip = NULL;
  hn_give_states(w, sim->state.y + sim->state.x);
  hn_eval_all(w, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  w->on = c->on;
  hn_contact_leave_out(sim, true);
  hn_status status = hn_solve_saddle(sim, w->gamma);
  w->slip = c->slip;
  if (status) return status;
  hn_jacobian_mul(w, sim->stage.a, sim->room.r);
  for (int i = 0; i < sys->nv; i++)
    most[sys->angular_v[i]] = fmax(most[sys->angular_v[i]], fabs(sim->stage.a[i]));
  most[0] = fmax(most[0], sys->length * most[1]), most[1] = fmax(most[1], most[0] / sys->length);
  c->loose = most[0];
  for (int i = 0; i < n; i++) {
    int k = c->pick[i];
    c->acceleration[k] = sim->room.r[hn_contact_row(sim, k)] - w->gamma[hn_contact_row(sim, k)];
    if (fabs(c->acceleration[k]) < HN_CONTACT_NOTHING * most[angular(sim, k)])
      c->acceleration[k] = 0;
  }
  return HN_OK;
}

// rows that rest beside those that bear, and would bear as well if all yielded a little, are there,
// too: reactions are shared among them
static void share(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  int m = hn_contact_pose(sim, n, c->chosen, c->acceleration);
  double most = 0;
  for (int i = 0; i < m; i++) most = fmax(most, c->lcp.A[i * m + i]);
  for (int i = 0; i < m; i++) c->lcp.A[i * m + i] += HN_CONTACT_YIELDING * most;
  if (!hn_lcp_solve(&c->lcp, m, HN_CONTACT_CLEAN)) return;
  for (int i = 0, k = 0; i < n; i++)
    if (c->chosen[i]) c->on[c->pick[i]] |= c->lcp.in[k++];
}

// forces of the rows that touch and do not part; the accelerations of all gaps follow.
// Gaps that separate already (rates above zero) have no say. The solution says which rows bear;
// c->force starts anew as what they bear now. Accelerations of all gaps with these forces serve
// `hops` and `part`
static hn_status find_forces(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  bool *resting = c->chosen;
  if (sim->sys->holds) return hn_stick_find_forces(sim, n);
  hn_status status = hn_contact_free(sim, n);
  if (status) return status;
  (void)hn_contact_couple(sim, n);
  for (int i = 0; i < n; i++)
    resting[i] = fabs(c->rate[c->pick[i]]) <= hn_contact_slow(sim, c->pick[i]);
  int m = hn_contact_pose(sim, n, resting, c->acceleration);
  if (!hn_lcp_solve(&c->lcp, m, HN_CONTACT_CLEAN)) return hn_contact_contradict(sim);
  for (int i = 0; i < c->count; i++)
    if (is_gap(sim, i)) c->on[i] = c->bears[i] = false;
  for (int i = 0, k = 0; i < n; i++) {
    if (!resting[i]) continue;
    c->bears[c->pick[i]] = c->on[c->pick[i]] = c->lcp.in[k];
    c->force[c->pick[i]] = c->lcp.x[k];
    k++;
  }
  share(sim, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c->acceleration[c->pick[j]] += c->A[j * n + i] * (resting[i] ? c->force[c->pick[i]] : 0);
  return HN_OK;
}

bool hn_contact_faint(const hn_sim *sim, int i, double rate) {
  double a = sim->contacts->acceleration[i];
  return a < 0 && rate * rate < -2 * a * blur(sim, i, hop);
}

// a rebound that would not rise above round-off
static bool hops(const hn_sim *sim, int i) {
  double r = sim->contacts->rate[i];
  return r > hn_contact_slow(sim, i) && hn_contact_faint(sim, i, r);
}

// stops rebounds that cannot be resolved, together with what rests; true when there are any.
// Until: 2 r / -a is the time of the first rebound left out; the others are e, e^2 ... times as
// long, so that all of them take 1 / (1 - e) times that
static bool settle(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  bool any = false;
  for (int i = 0; i < n; i++) {
    int k = c->pick[i];
    double e = sim->sys->unilateral[k].restitution;
    c->chosen[i] = hops(sim, k) || fabs(c->rate[k]) <= hn_contact_slow(sim, k);
    if (!hops(sim, k)) continue;
    any = true;
    if (e < 1) c->until[k] -= 2 * c->rate[k] / c->acceleration[k] / (1 - e);
  }
  if (!any) return false;
  hn_contact_look(sim, sim->state.t, sim->state.y);
  if (sim->sys->holds) {
    hn_stick_stop(sim, n, c->chosen);
    return true;
  }
  bool damped = hn_contact_couple(sim, n);
  int m = hn_contact_pose(sim, n, c->chosen, c->rate);
  hn_lcp_balance(&c->lcp, m);
  // from those chosen to all
  for (int i = n - 1, k = m - 1; i >= 0; i--) c->lcp.x[i] = c->chosen[i] ? c->lcp.x[k--] : 0;
  hn_contact_strike(sim, n, damped, c->lcp.x);
  return true;
}

// ---- switching -----------------------------------------------------------------------------

static bool approach(const hn_sim *sim, int n) {
  const struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < n; i++)
    if (c->rate[c->pick[i]] < -hn_contact_slow(sim, c->pick[i])) return true;
  return false;
}

void hn_contact_teeth(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < c->count; i++) {
    double pitch = sim->sys->unilateral[i].pitch;
    if (!(pitch > 0) || c->on[i]) continue;
    // all at once, however many teeth a state from outside lies ahead
    double teeth = floor(c->gap[i] / pitch + 1e-12);
    if (teeth > 0) c->gap[i] -= teeth * pitch, c->shift[i] += teeth * pitch;
  }
}

// how the rows that touch go on: which are there, which leave.
// A gap that leaves is away at once, or the next step would find it touching. The flight lasts 2 r
// / -a; steps are kept to a little more, or a rebound might come and go within one
static void part(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  c->flight = INFINITY;
  for (int i = 0; i < n; i++) {
    int k = c->pick[i];
    c->away[k] = !c->on[k] && c->rate[k] > hn_contact_slow(sim, k);
    if (c->away[k] && c->acceleration[k] < 0)
      c->flight = fmin(c->flight, -3 * c->rate[k] / c->acceleration[k]);
  }
  hn_tips_release(sim);
  hn_contact_leave_out(sim, false);
  hn_state_moved(sim);
}

bool hn_contact_refused(const hn_sim *sim) {
  return sim->contacts && sim->contacts->refused;
}

// Rates of gaps that bear are what the method leaves of them, and no approach: they are taken away
static void hold_closed(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  int n = 0;
  for (int i = 0; i < c->count; i++)
    if (is_gap(sim, i) && c->bears[i] && fabs(c->rate[i]) > hn_contact_slow(sim, i))
      c->pick[n++] = i;
  if (!n) return;
  bool damped = hn_contact_couple(sim, n);
  hn_contact_pose(sim, n, NULL, c->rate);
  hn_lcp_balance(&c->lcp, n);
  hn_contact_strike(sim, n, damped, c->lcp.x);
}

// The order matters: what was held is at rest; switched joints come first, as they are lasting for
// all that follows; then gaps below zero are closed, since impacts are of gaps that touch; then
// what slides stops, rates strike, and only then forces are known, which decide who stays. Rebounds
// too low to be seen are stopped, and forces found again without them.
static hn_status switch_rows(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  c->pending = false;
  hn_contact_look(sim, sim->state.t, sim->state.y);
  hn_tips_switch(sim);
  hold_closed(sim);
  hn_contact_teeth(sim);
  hn_status status = hn_gates_switch(sim);
  if (status) return status;
  int n = touching(sim);
  // switched joints, frictions and tips may have changed without any gap that touches
  if (!n && !sim->sys->holds && !sim->sys->gates && !sim->sys->tips) return HN_OK;
  status = separate(sim, n);
  if (status) return status;
  for (int i = 0; i < c->count; i++)
    c->before[i] = c->rate[i], c->impulse[i] = 0, c->until[i] = sim->state.t;
  if (sim->sys->holds) hn_stick_rest(sim, n);
  bool struck = approach(sim, n);
  if (struck) status = hn_impact_all(sim, n);
  bool any = n > 0 || sim->sys->holds;
  if (!status && any) status = find_forces(sim, n);
  if (!status && settle(sim, n)) status = find_forces(sim, n);
  if (status) return status;
  if (struck) hn_impact_note(sim, n);
  part(sim, n);
  hn_gates_look(sim);
  hn_watch_reset(sim);
  return HN_OK;
}

hn_status hn_contact_switch(hn_sim *sim) {
  hn_status status = switch_rows(sim);
  sim->contacts->refused = status != HN_OK;
  return status;
}

// ---- from outside --------------------------------------------------------------------------

static hn_status refuse_violation(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < sys->meetings; i++) {
    double depth = hn_edges_depth(sim, i);
    int row = hn_contact_row(sim, sys->tip[sys->meeting[i].first].gap);
    if (depth > HN_STOP_VIOLATED * sys->length)
      return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                         "joint '%s': the solids lie in each other, by %.3g m",
                         sys->joint[sys->row_joint[row]].name, depth);
  }
  for (int i = 0; i < c->count; i++)
    if (is_gap(sim, i) && c->gap[i] < -HN_STOP_VIOLATED * hn_contact_unit(sim, i))
      return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                         "joint '%s': the state lies behind the stop by %.3g %s",
                         sys->joint[sys->row_joint[hn_contact_row(sim, i)]].name, -c->gap[i],
                         angular(sim, i) ? "rad" : "m");
  return HN_OK;
}

void hn_contact_hide(hn_sim *sim, bool hidden) {
  struct hn_contacts *c = sim->contacts;
  if (!c) return;
  memset(c->chosen, 0, (size_t)c->count * sizeof(bool));
  sim->stage.work.on = hidden ? c->chosen : c->on;
  hn_stage_left(sim);
}

void hn_contact_follow(hn_sim *sim, const hn_sim *other) {
  if (sim->contacts) sim->contacts->like = other->contacts;
}

double hn_contact_loose(const hn_sim *sim) {
  return sim->contacts ? sim->contacts->loose : 0;
}

// A state from outside may touch stops, but lie behind none. Approaching rates are left for the
// first step (`pending`): impacts belong to the run, with time and energy, not to setting it up.
// c->like, if given, is used once.
hn_status hn_contact_start(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  if (!c) return HN_OK;
  memset(c->on, 0, (size_t)c->count * sizeof(bool));
  memset(c->bears, 0, (size_t)c->count * sizeof(bool));
  memset(c->idle, 0, (size_t)c->count * sizeof(bool));
  memset(c->away, 0, (size_t)c->count * sizeof(bool));
  memset(c->shift, 0, (size_t)c->count * sizeof(double));
  c->impacts = 0;
  c->refused = false;
  c->flight = INFINITY;
  hn_stick_start(sim);
  hn_gates_start(sim);
  hn_tips_start(sim);
  hn_contact_leave_out(sim, true);
  hn_contact_look(sim, sim->state.t, sim->state.y);
  hn_status status = refuse_violation(sim);
  if (!status) status = hn_gates_begin(sim);
  c->like = NULL;
  if (status) return status;
  hn_contact_teeth(sim);
  // such a stepper finds impulses and forces by itself, over a whole step
  if (sim->method.integrator->can & HN_STEPS_OVER) return HN_OK;
  hn_tips_switch(sim);
  int n = touching(sim);
  c->pending = approach(sim, n);
  if (sim->sys->holds) hn_stick_rest(sim, n);
  if (n || sim->sys->holds) status = find_forces(sim, n);
  if (!status) part(sim, n);
  if (!status) hn_gates_look(sim);
  return status;
}

bool hn_joint_there(const hn_sim *sim, hn_joint joint) {
  const hn_system *sys = sim->sys;
  int j = hn_system_joint(sys, joint);
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->row_joint[hn_contact_row(sim, i)] == j) return sim->contacts->on[i];
  return j >= 0;
}
