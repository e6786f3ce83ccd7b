// gates.c: joints that come and go: switched by conditions, caught, released, broken.
//
// Rows of such a joint are planned like all others and left out while it is not there. Where its
// condition changes, or its reaction exceeds what it bears, steps end. A joint that goes leaves
// positions and velocities as they are. One that comes holds where it is, or, where its rows mean a
// place, must be there; the rates of its rows are taken away by impulses p along them,
//
//   A p + r = 0     A = N K^-1 N^T, as in contact.c
//
// which is the velocity nearest to the one before in the sense of the kinetic energy. What that
// takes is work of the ledger. Of rows that repeat others only independent ones are solved for.
#include "sim/contact.h"

#include <string.h>

enum { KEPT = 1000 };
static const double off_place = 1e-6;  // in units of the model: a joint that comes is there
static const double same_rate = 1e-9;  // part of the largest speed that needs no impulse

// what has happened is kept for the first KEPT changes; all are counted
void hn_gates_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena) {
  int gates = sim->sys->gates;
  if (!gates) return;
  place->there = HN_TAKE(arena, bool, gates);
  place->broken = HN_TAKE(arena, bool, gates);
  place->yields = HN_TAKE(arena, bool, gates);
  place->change = HN_TAKE_NUMBERS(arena, hn_gate_change, KEPT);
}

// joints that another run has there, and has broken, at the same state
static void follow(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < c->count; i++) {
    const hn_unilateral *u = &sim->sys->unilateral[i];
    if (u->gate || u->pitch > 0) c->shift[i] = c->like->shift[i];
    if (u->gate) c->on[i] = c->like->on[i];
  }
  for (int g = 0; g < sim->sys->gates; g++) {
    c->there[g] = c->like->there[g];
    c->broken[g] = c->like->broken[g];
  }
}

void hn_gates_start(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int g = 0; g < sim->sys->gates; g++) c->there[g] = c->broken[g] = c->yields[g] = false;
  c->changes = 0;
  if (c->like) follow(sim);
}

static const char *name_of(const hn_sim *sim, int g) {
  return sim->sys->joint[sim->sys->gate[g].joint].name;
}

// ---- what should be there ------------------------------------------------------------------

static bool holds(hn_sim *sim, int expression) {
  return hn_run_expression(sim->sys, &sim->stage.work, expression, NULL) != 0;
}

// the signals have been evaluated.
// `active` is a switch, on while it is true. `catches` and `releases` are a latch: it stays as it
// is while neither is true, and where both are it is open. What broke never comes back
static bool wanted(hn_sim *sim, int g) {
  const struct hn_contacts *c = sim->contacts;
  const hn_gate *gate = &sim->sys->gate[g];
  if (c->broken[g] || c->yields[g]) return false;
  if (gate->active >= 0) return holds(sim, gate->active);
  if (gate->catches < 0) return true;
  if (gate->releases >= 0 && holds(sim, gate->releases)) return false;
  return c->there[g] || holds(sim, gate->catches);
}

static void look_at_signals(hn_sim *sim) {
  const double *y = sim->state.y;
  hn_give_states(&sim->stage.work, y + sim->state.x);
  hn_eval_signals(&sim->stage.work, sim->state.t, y, y + sim->sys->nq);
}

bool hn_gates_pending(hn_sim *sim) {
  if (!sim->sys->gates) return false;
  look_at_signals(sim);
  hn_stage_left(sim);
  for (int g = 0; g < sim->sys->gates; g++)
    if (wanted(sim, g) != sim->contacts->there[g]) return true;
  return false;
}

// ---- loads ---------------------------------------------------------------------------------

bool hn_gates_need_forces(const hn_sim *sim) {
  for (int g = 0; g < sim->sys->gates; g++)
    if (sim->contacts->there[g] && sim->sys->gate[g].load >= 0) return true;
  return false;
}

// what is left of the strength, as a part of it; the loads are known.
// Force and torque are judged apart: whichever is exceeded first breaks it
static double reserve(const hn_sim *sim, int g) {
  const hn_gate *gate = &sim->sys->gate[g];
  const double *load = sim->stage.work.load + 6 * gate->load;
  double left = 1;
  if (gate->force > 0) left = fmin(left, 1 - v3_norm(load) / gate->force);
  if (gate->torque > 0) left = fmin(left, 1 - v3_norm(load + 3) / gate->torque);
  return left;
}

void hn_gates_values(hn_sim *sim, bool known, double *value) {
  if (!known || !hn_gates_need_forces(sim)) return;
  hn_find_loads(sim);
  for (int g = 0; g < sim->sys->gates; g++)
    if (sim->contacts->there[g] && sim->sys->gate[g].load >= 0)
      value[sim->sys->gate[g].first] = reserve(sim, g);
}

// negative: it is overloaded at the end of a step, and breaks before the next
void hn_gates_note(hn_sim *sim, const double *value) {
  struct hn_contacts *c = sim->contacts;
  for (int g = 0; g < sim->sys->gates; g++)
    c->yields[g] |= c->there[g] && value[sim->sys->gate[g].first] < -HN_CONTACT_NOTHING;
}

void hn_gates_look(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  if (!hn_gates_need_forces(sim)) return;
  memcpy(c->y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  if (hn_derivative(sim, sim->state.t, c->y, c->ydot)) return;
  hn_find_loads(sim);
  // it may break at once, under what switching just loaded it with
  for (int g = 0; g < sim->sys->gates; g++)
    if (c->there[g] && sim->sys->gate[g].load >= 0)
      c->yields[g] |= reserve(sim, g) < -HN_CONTACT_NOTHING;
  hn_stage_left(sim);
}

// ---- switching -----------------------------------------------------------------------------

// shift makes the present place the one that is held: for joints that hold anywhere all of the gap,
// for others the round-off they may be off by. Nonholonomic rows have no place
static hn_status come(hn_sim *sim, int g) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  const hn_gate *gate = &sys->gate[g];
  for (int i = gate->first; i < gate->first + gate->rows; i++) {
    int row = hn_contact_row(sim, i);
    bool angle = sys->angular_row[row];
    double off = sys->holonomic[row] ? c->gap[i] : 0;
    if (!gate->anywhere && fabs(off) > off_place * (angle ? 1 : sys->length))
      return hn_sim_fail(sim, HN_ERR_MODEL,
                         "t=%.6g: joint '%s' comes while '%s' is off its place by %.3g %s (let its "
                         "condition be true where it fits, or lock the coordinate of a joint, "
                         "which holds anywhere)",
                         sim->state.t, name_of(sim, g), sys->row_name[row], fabs(off),
                         angle ? "rad" : "m");
    c->shift[i] += off;
    c->on[i] = true;
  }
  return HN_OK;
}

static void go(hn_sim *sim, int g) {
  struct hn_contacts *c = sim->contacts;
  const hn_gate *gate = &sim->sys->gate[g];
  for (int i = gate->first; i < gate->first + gate->rows; i++) c->on[i] = c->bears[i] = false;
  c->broken[g] |= c->yields[g];
  c->yields[g] = false;
}

// c->pick: rows of the joints that are there; of these the independent ones bear. Returns how many
// there are.
// a row that no force moves (A_ii is nothing against its size) is held by lasting joints already;
// it is there, but not solved for
static int choose(hn_sim *sim, int *bearing, bool *damped) {
  struct hn_contacts *c = sim->contacts;
  int n = 0;
  for (int i = 0; i < c->count; i++) {
    if (!sim->sys->unilateral[i].gate) continue;
    c->bears[i] = false;
    if (c->on[i]) c->pick[n++] = i;
  }
  *bearing = 0;
  *damped = hn_contact_couple(sim, n);
  hn_row_sizes(&sim->stage.work, c->l);
  // hn_lcp_join factorises in place
  memcpy(c->lcp.A, c->A, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    bool moves = c->A[i * n + i] > 1e-11 * c->l[hn_contact_row(sim, c->pick[i])];
    c->chosen[i] = moves && hn_lcp_join(&c->lcp, n, *bearing, i);
    *bearing += c->chosen[i];
  }
  for (int i = 0; i < n; i++) c->bears[c->pick[i]] = c->chosen[i];
  return n;
}

// whether the n rows in c->pick stand still as far as numbers tell
static bool stand(const hn_sim *sim, int n) {
  const hn_system *sys = sim->sys;
  const struct hn_contacts *c = sim->contacts;
  const double *v = sim->state.y + sys->nq;
  double speed = 0, most = 0;
  for (int i = 0; i < sys->nv; i++)
    speed = fmax(speed, fabs(v[i]) * (sys->angular_v[i] ? sys->length : 1));
  for (int i = 0; i < n; i++) {
    bool angle = sys->angular_row[hn_contact_row(sim, c->pick[i])];
    most = fmax(most, fabs(c->rate[c->pick[i]]) * (angle ? sys->length : 1));
  }
  return most <= same_rate * speed;
}

// the rates of the n rows in c->pick are taken away; returns the work of that
static hn_status strike(hn_sim *sim, int n, bool damped, double *work) {
  struct hn_contacts *c = sim->contacts;
  int m = hn_contact_pose(sim, n, c->chosen, c->rate);
  hn_lcp_balance(&c->lcp, m);
  // spread from those chosen over all, backwards so that nothing is overwritten before it is read
  for (int i = n - 1, k = m - 1; i >= 0; i--) c->lcp.x[i] = c->chosen[i] ? c->lcp.x[k--] : 0;
  *work = hn_contact_strike(sim, n, damped, c->lcp.x);
  for (int i = 0; i < n; i++) {
    int row = hn_contact_row(sim, c->pick[i]);
    double unit = sim->step.speed[sim->sys->angular_row[row]];
    if (fabs(c->rate[c->pick[i]]) > 1e-6 * unit)
      return hn_sim_fail(sim, HN_ERR_MODEL,
                         "t=%.6g: '%s' comes while other joints, or drivers, hold its rate at %.3g",
                         sim->state.t, sim->sys->row_name[row], c->rate[c->pick[i]]);
  }
  return HN_OK;
}

static void note(hn_sim *sim, int g, bool on, bool broke) {
  struct hn_contacts *c = sim->contacts;
  if (c->changes < KEPT)
    c->change[c->changes] =
        (hn_gate_change){.time = sim->state.t, .gate = g, .on = on, .broke = broke};
  c->changes++;
}

// from change number `first` on: what all of them bring about
// All of one instant share one impact: its work stands with the first of them
static void complete(hn_sim *sim, int first, int rows, int bearing, double work) {
  struct hn_contacts *c = sim->contacts;
  for (int i = first; i < c->changes && i < KEPT; i++) {
    c->change[i].freedom = sim->sys->check.dof - bearing;
    c->change[i].redundant = rows - bearing;
    c->change[i].work = i == first ? work : 0;
  }
}

// switches what is not as it should be; how many came
static hn_status turn(hn_sim *sim, int *came) {
  // Conditions are judged one after the other on the same signals; what one switch makes of others
  // is met in the next pass of hn_events_happen
  struct hn_contacts *c = sim->contacts;
  *came = 0;
  for (int g = 0; g < sim->sys->gates; g++) {
    bool on = wanted(sim, g), broke = c->yields[g];
    if (on == c->there[g]) continue;
    hn_status status = HN_OK;
    if (on)
      status = come(sim, g), ++*came;
    else
      go(sim, g);
    if (status) return status;
    c->there[g] = on;
    note(sim, g, on, broke);
  }
  return HN_OK;
}

hn_status hn_gates_switch(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  int first = c->changes, came, bearing;
  bool damped;
  double work = 0;
  if (!sim->sys->gates) return HN_OK;
  look_at_signals(sim);
  hn_status status = turn(sim, &came);
  if (status || c->changes == first) return status;
  hn_contact_look(sim, sim->state.t, sim->state.y);
  int n = choose(sim, &bearing, &damped);
  if (came) status = strike(sim, n, damped, &work);
  complete(sim, first, n, bearing, work);
  hn_contact_look(sim, sim->state.t, sim->state.y);
  return status;
}

// at a start that already obeys them joints are simply there; where rates would have to be struck
// away that is left to the first step, which counts the work
hn_status hn_gates_begin(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  int came, bearing;
  bool damped;
  if (!sim->sys->gates) return HN_OK;
  look_at_signals(sim);
  hn_status status = turn(sim, &came);
  c->changes = 0;
  if (status) return status;
  hn_contact_look(sim, sim->state.t, sim->state.y);
  int n = choose(sim, &bearing, &damped);
  if (stand(sim, n)) return HN_OK;
  // what has to be struck comes with the first step
  for (int g = 0; g < sim->sys->gates; g++) {
    if (c->there[g]) go(sim, g);
    c->there[g] = false;
  }
  return HN_OK;
}

// ---- from outside --------------------------------------------------------------------------

int hn_sim_change_count(const hn_sim *sim) {
  return sim->contacts ? sim->contacts->changes : 0;
}

bool hn_sim_change(const hn_sim *sim, int index, hn_change *out) {
  const struct hn_contacts *c = sim->contacts;
  if (!c || index < 0 || index >= c->changes || index >= KEPT) return false;
  const hn_gate_change *change = &c->change[index];
  *out = (hn_change){.time = change->time,
                     .joint = name_of(sim, change->gate),
                     .how = change->on      ? "comes"
                            : change->broke ? "breaks"
                                            : "goes",
                     .freedom = change->freedom,
                     .redundant = change->redundant,
                     .work = change->work};
  return true;
}
