// audit_records.c: do the recorded rows agree with themselves?
//
// Over every output interval the change of what is recorded must be the integral of its recorded
// rate: positions of velocities, velocities of accelerations, work of power, angles that count
// turns of their rates. The trapezoidal rule through the rows says what the rates come to; how far
// it may be off is seen from the rows beside. Where more is missing, the interval is run again from
// the recorded state in steps that are short against it. If that comes to the recorded end, the
// rows are right and merely far apart; if not, the run has missed something on the way.
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 4, FINE = 8, OFTEN = 32 };
static const double half_turn = 3.14159265358979323846;
static const double unsure = 4;  // errors of the trapezoidal rule that are no sign of anything

struct hn_records {
  int n, count;  // numbers in a row: state but the solver's own, then angles; rows kept
  double t[ROWS], *value[ROWS], *rate[ROWS];
  double *turn[ROWS];  // on which turns all angles were, which the state alone does not say
  long located[ROWS];  // events before each row
  long suspected;      // intervals so far
  hn_sim *checker;     // made when it is needed first
  // scratch: angles and their rates on the way through an interval, and what the rates come to
  double *angle, *later, *spin, *spin_later, *turned, *unused;
};

void hn_records_layout(hn_sim *sim, hn_arena *arena) {
  struct hn_records *o = HN_TAKE(arena, struct hn_records, 1);
  struct hn_records r = {.n = sim->state.s + sim->sys->turns};
  for (int i = 0; i < ROWS; i++) {
    r.value[i] = HN_TAKE(arena, double, r.n);
    r.rate[i] = HN_TAKE(arena, double, r.n);
    r.turn[i] = HN_TAKE(arena, double, sim->sys->turns);
  }
  double **const angles[] = {&r.angle, &r.later, &r.spin, &r.spin_later, &r.turned, &r.unused};
  for (int i = 0; i < 6; i++) *angles[i] = HN_TAKE(arena, double, sim->sys->turns);
  if (!arena->base) return;
  *o = r;
  sim->audit.records = o;
}

void hn_records_reset(hn_sim *sim) {
  sim->audit.records->count = 0;
  sim->audit.records->suspected = 0;
}

const void *hn_records_helper(const hn_sim *sim) {
  return sim->audit.records ? &sim->audit.records->checker : NULL;
}

void hn_records_release(hn_sim *sim) {
  if (!sim->audit.records) return;
  hn_sim_destroy(sim->audit.records->checker);
  sim->audit.records->checker = NULL;
}

// what counts as much of number i
static double scale_of(const hn_sim *sim, int i) {
  const hn_system *sys = sim->sys;
  if (i < sys->nq) return sys->angular_q[i] ? 1 : sys->length;
  if (i < sim->state.w) return sim->step.speed[sys->angular_v[i - sys->nq]];
  if (i == sim->state.w) return hn_balance_scale(sim);
  if (i < sim->state.s)
    return fmax(sim->step.size_x[i - sim->state.x], hn_state_floor(sys, i - sim->state.x));
  return 1;
}

// angles that count turns, with their rates, at the state last evaluated
static void read_angles(const hn_sim *sim, double *angle, double *rate) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->measures; i++) {
    int turn = sys->measure[i].turn;
    if (turn < 0) continue;
    angle[turn] = sim->stage.work.mval[i].value;
    rate[turn] = sim->stage.work.mval[i].rate;
  }
}

// those of coordinates, too
static void read_turns(const hn_sim *sim, double *turn) {
  struct hn_records *r = sim->audit.records;
  hn_work work = sim->stage.work;
  work.turn = turn;
  work.turn_rate = work.turn_before = work.rate_before = r->unused;
  hn_accept_turns(&work, false);
}

// makes a run that steps finely over an interval of size h
static hn_sim *make_checker(hn_sim *sim, double h) {
  hn_options o = sim->opt;
  hn_sim *c = NULL;
  char message[HN_MESSAGE];
  snprintf(o.method, sizeof o.method, "default");
  snprintf(o.solver, sizeof o.solver, "lagrange");
  snprintf(o.correction, sizeof o.correction, "mass");
  snprintf(o.integrator, sizeof o.integrator, "dop853");
  o.rtol = fmin(o.rtol, 1e-8);
  o.atol = 0;
  o.step = fmax(h / FINE, 1e-12);
  o.max_steps = 1e4;  // for a part of an interval: spoiled states may take any number
  return hn_sim_create(&c, sim->sys, &o, message, sizeof message) ? NULL : c;
}

// The checker to time t, from where r->spin are the rates of angles. What counts turns wrong does
// so in a repetition, too: the rates by themselves say how far it went round
static bool go_on(hn_sim *c, struct hn_records *r, double t) {
  double h = t - c->state.t;
  if (hn_advance(c, t) || hn_refresh(c)) return false;
  read_angles(c, r->later, r->spin_later);
  for (int i = 0; i < c->sys->turns; i++) {
    r->turned[i] += 0.5 * h * (r->spin[i] + r->spin_later[i]);
    r->spin[i] = r->spin_later[i];
  }
  return true;
}

// runs interval k again and notes by how much its end is missed; false: it could not be run
static bool run_again(hn_sim *sim, int k) {
  // start: energies in the recorded row contain the work so far, the repetition begins at none
  struct hn_records *r = sim->audit.records;
  const hn_system *sys = sim->sys;
  double h = r->t[k + 1] - r->t[k], worst = 0;
  if (!r->checker) r->checker = make_checker(sim, h);
  hn_sim *c = r->checker;
  if (!c) return false;
  c->opt.step = h / FINE;
  hn_live_copy(c, sim);
  // no event lies between the rows: what came, went and broke is as it is now
  hn_contact_follow(c, sim);
  const double *y = r->value[k];
  memcpy(c->stage.work.turn, r->turn[k], (size_t)sys->turns * sizeof(double));
  if (hn_start_from(c, r->t[k], y, y + sys->nq, y + sim->state.x)) return false;
  hn_events_follow(c, sim);
  hn_live_follow(c, sim, true);
  if (hn_refresh(c)) return false;
  read_angles(c, r->angle, r->spin);
  memset(r->turned, 0, (size_t)sys->turns * sizeof(double));
  for (int i = 1; i <= FINE; i++)
    if (!go_on(c, r, i < FINE ? r->t[k] + i * h / FINE : r->t[k + 1])) return false;
  for (int i = 0; i < sim->state.s; i++) {
    double change = c->state.y[i] - (i == sim->state.w ? 0 : r->value[k][i]);
    worst = fmax(worst, fabs(r->value[k + 1][i] - r->value[k][i] - change) / scale_of(sim, i));
  }
  for (int i = 0; i < sys->turns; i++) {
    const double *a = r->value[k] + sim->state.s, *b = r->value[k + 1] + sim->state.s;
    double change = b[i] - a[i], off = fabs(change - r->turned[i]);
    worst = fmax(worst, fabs(change - (r->later[i] - r->angle[i])));
    if (off > half_turn) worst = fmax(worst, off);
  }
  hn_audit_note(sim, HN_AUDIT_RECORDS, worst, r->t[k + 1], -1);
  return true;
}

// judges the interval between the two middle rows
static void judge(hn_sim *sim) {
  struct hn_records *r = sim->audit.records;
  double h = r->t[2] - r->t[1], missed = 0;
  bool even = fabs(r->t[1] - r->t[0] - h) < 1e-6 * h && fabs(r->t[3] - r->t[2] - h) < 1e-6 * h;
  // rates that jump on the way say nothing about its ends
  if (!even || !(h > 0) || r->located[3] != r->located[0]) return;
  hn_audit_note(sim, HN_AUDIT_RECORDS, 0, r->t[2], -1);
  const double *begin = r->value[1], *end = r->value[2];
  const double *r0 = r->rate[0], *r1 = r->rate[1], *r2 = r->rate[2], *r3 = r->rate[3];
  for (int i = 0; i < r->n; i++) {
    double change = end[i] - begin[i], sum = 0.5 * h * (r1[i] + r2[i]);
    double before = r0[i] - 2 * r1[i] + r2[i], after = r1[i] - 2 * r2[i] + r3[i];
    double doubt = unsure * h / 12 * hn_greater(fabs(before), fabs(after));
    double off = fabs(change - sum) - doubt;
    if (off <= 0) continue;  // what it is measured by does not matter
    missed = hn_greater(missed, off / scale_of(sim, i));
  }
  if (!(missed > sim->opt.audit_records)) return;
  // many in a row: a few of them will do
  long k = r->suspected++;
  if (k < OFTEN || (k & (k - 1)) == 0) (void)run_again(sim, 1);
}

// the row just recorded: y at time t with the rates ydot, measures are evaluated
void hn_records_row(hn_sim *sim, double t, const double *y, const double *ydot) {
  struct hn_records *r = sim->audit.records;
  if (r->count == ROWS) {
    double *value = r->value[0], *rate = r->rate[0], *turn = r->turn[0];
    for (int i = 1; i < ROWS; i++)
      r->t[i - 1] = r->t[i], r->value[i - 1] = r->value[i], r->rate[i - 1] = r->rate[i],
               r->turn[i - 1] = r->turn[i], r->located[i - 1] = r->located[i];
    r->value[ROWS - 1] = value, r->rate[ROWS - 1] = rate, r->turn[ROWS - 1] = turn;
    r->count--;
  }
  int at = r->count++;
  r->t[at] = t;
  // rows of a step that an event ended lie before it
  r->located[at] = sim->watch.located - (t < sim->watch.located_t);
  memcpy(r->value[at], y, (size_t)sim->state.s * sizeof(double));
  memcpy(r->rate[at], ydot, (size_t)sim->state.s * sizeof(double));
  read_angles(sim, r->value[at] + sim->state.s, r->rate[at] + sim->state.s);
  read_turns(sim, r->turn[at]);
  if (r->count == ROWS) judge(sim);
}
