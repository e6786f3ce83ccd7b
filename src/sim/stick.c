// stick.c: Coulomb friction that holds: when it changes.
//
// A friction (hn_hold) sticks or slides. While it sticks, its rows are there like those of any
// joint, and nothing creeps; steps end where the force they need exceeds static N. While it slides,
// coulomb N acts against the slip (forces/holding.c), its direction held during a step; steps end
// where the slip has come to zero. What follows there is decided in grips.c.
#include "sim/contact.h"

#include <string.h>

static const double standing = 2e-8;  // part of the largest speed at which a slip in a plane ends
enum { TURNS = 40 };
// normal forces found in turns, relative to the largest: enough to be the last, and for what is
// decided by them, as rows and slips that follow have forces of their own
static const double turned = 1e-13, decided = 1e-9;
static const double lost = 1e-7;  // part of the largest speed that may be lost where one ends

void hn_stick_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena) {
  int n = sim->sys->unilaterals, holds = sim->sys->holds;
  if (!holds) return;
  place->slip = HN_TAKE(arena, double, n);
  place->held = HN_TAKE_NUMBERS(arena, hn_hold_state, holds);
  place->grip = HN_TAKE_NUMBERS(arena, hn_grip, holds);
  place->press = HN_TAKE(arena, double, holds);
  place->most = HN_TAKE(arena, double, holds);
  place->carried = HN_TAKE(arena, double, holds);
  place->cone = HN_TAKE_NUMBERS(arena, hn_cone, holds);
  place->rubs = HN_TAKE(arena, int, holds);
  place->was_on = HN_TAKE(arena, bool, n);
  place->asked = HN_TAKE(arena, bool, holds);
  place->order = HN_TAKE(arena, int, n);
  place->f = HN_TAKE(arena, double, n);
  place->slack = HN_TAKE(arena, double, n);
  place->push = HN_TAKE(arena, double, n);
  // as many as touch at once in what is not a pile
  bool many = n > 200 || sim->method.integrator->can & HN_STEPS_OVER;
  hn_discs_layout(&place->discs, arena, many ? 0 : holds);
  hn_lemke_layout(&place->lemke, arena, many ? 0 : hn_cones_pivots(n - holds, holds));
}

double hn_stick_still(const hn_sim *sim) {
  return standing * sim->step.speed[0];
}

// size of the slip
double hn_stick_speed(const hn_sim *sim, int h) {
  const hn_hold *hold = hn_stick_hold(sim, h);
  double sum = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++)
    sum += sim->contacts->rate[i] * sim->contacts->rate[i];
  return sqrt(sum);
}

void hn_stick_start(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hn_stick_hold(sim, h);
    c->grip[h] = HN_LOOSE;
    c->press[h] = c->most[h] = 0;
    c->held[h] = (hn_hold_state){.slow = INFINITY, .bearer = -1};
    for (int i = hold->first; i < hold->first + hold->rows; i++) c->slip[i] = 0;
  }
  c->slips = false;
  c->fresh = true;
}

// ---- switching functions -------------------------------------------------------------------

// values of frictions that stick are about forces; so is that of a slip between teeth, which ends
// where these part. Of all others rates will do
bool hn_stick_needs_forces(const hn_sim *sim) {
  const struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++)
    if (c->grip[h] == HN_STICKS || (c->grip[h] == HN_SLIDES && hn_stick_hold(sim, h)->line))
      return true;
  return false;
}

static bool bears(const hn_sim *sim, int h) {
  const hn_hold *hold = hn_stick_hold(sim, h);
  bool any = false;
  for (int i = hold->first; i < hold->first + hold->rows; i++) any |= sim->contacts->on[i];
  return any;
}

// what is left until it gives way.
// Rows that hold say their force themselves; rows beside them that repeat others carry what c->slip
// says per normal force. Force and limit are both of the present, so that a friction whose normal
// force falls gives way although nothing pushes harder
static double reserve(const hn_sim *sim, int h) {
  const struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hn_stick_hold(sim, h);
  const hn_work *w = &sim->stage.work;
  double N = hn_hold_press(w, h), sum = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++) {
    double F = c->on[i] ? w->lambda[hn_contact_row(sim, i)] : -c->slip[i] * N;
    sum += F * F;
  }
  return hold->sticking * fabs(N) - sqrt(sum);
}

// the slip along the direction in which it was.
// One row: its rate, with the sign it began with; several: the part along the direction held in
// this step, less what is called at rest, since a slip in a plane need not pass zero: it may pass
// by it
static double advance(const hn_sim *sim, int h) {
  const struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hn_stick_hold(sim, h);
  double along = 0, size = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++)
    along += c->slip[i] * c->rate[i], size += c->slip[i] * c->slip[i];
  return along / sqrt(size) - (hold->rows > 1 ? hn_stick_still(sim) : 0);
}

void hn_stick_values(hn_sim *sim, bool known, double *value) {
  const struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hn_stick_hold(sim, h);
    double *own = value + hold->first, *facing = value + c->count + h;
    for (int i = 0; i < hold->rows; i++) own[i] = 1;
    *facing = 1;
    if (c->grip[h] == HN_STICKS && bears(sim, h))
      own[0] = known ? reserve(sim, h) : 1;
    else if (c->grip[h] == HN_STICKS)
      // rows that others repeat bear nothing by themselves: it holds until it is seen to move
      own[0] =
          10 * hn_contact_slow(sim, hold->first) + hn_stick_still(sim) - hn_stick_speed(sim, h);
    else if (c->grip[h] == HN_SLIDES)
      own[0] = advance(sim, h);
    if (c->grip[h] == HN_SLIDES && hold->line && known)
      *facing = hn_hold_press(&sim->stage.work, h);
  }
}

// What a unit of the normal row of a slip brings its contact apart by, friction included, as a part
// of what it does without: 1 - coulomb A_nt / A_nn with all else as it is. At zero the normal force
// is without bounds, below it presses (Painleve). l of the normal row is -A_nt / A_nn for a unit
// along the slip
static double outward(hn_sim *sim, bool damped, int h) {
  struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hn_stick_hold(sim, h);
  memset(c->l, 0, (size_t)sim->sys->rows * sizeof(double));
  for (int i = hold->first; i < hold->first + hold->rows; i++)
    c->l[hn_contact_row(sim, i)] = -hold->per_row * c->slip[i];
  hn_contact_respond(sim, damped, c->x, c->l);
  return 1 - c->l[hn_contact_row(sim, hold->normal)];
}

void hn_stick_outward(hn_sim *sim, double t, const double *y, double *value) {
  const struct hn_contacts *c = sim->contacts;
  bool looked = false, damped = false;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hn_stick_hold(sim, h);
    if (c->grip[h] != HN_SLIDES || hold->normal < 0 || !c->bears[hold->normal]) continue;
    if (!looked) {
      // one factorisation for all slips
      hn_contact_look(sim, t, y);
      damped = hn_factor_saddle(sim);
    }
    looked = true;
    value[c->count + h] = outward(sim, damped, h) - 0.5 * HN_CONE_OUTWARD;
  }
}

double hn_stick_noise(const hn_sim *sim, int i) {
  const struct hn_contacts *c = sim->contacts;
  if (i >= c->count && hn_stick_hold(sim, i - c->count)->normal >= 0) return 0;
  if (i >= c->count) return HN_CONTACT_NOTHING * c->most[i - c->count];
  int h = sim->sys->unilateral[i].hold - 1;
  if (c->grip[h] == HN_SLIDES)
    return c->away[i] ? 0 : 2 * hn_contact_slow(sim, i) + hn_stick_still(sim);
  return HN_CONTACT_NOTHING * hn_stick_hold(sim, h)->sticking * c->most[h];
}

// the direction of a slip in a plane follows it
static void turn(hn_sim *sim, int h) {
  struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hn_stick_hold(sim, h);
  double speed = hn_stick_speed(sim, h);
  if (hold->rows == 1 || !(speed > hn_stick_still(sim))) return;
  for (int i = hold->first; i < hold->first + hold->rows; i++)
    c->slip[i] = hold->sliding * c->rate[i] / speed;
}

// the reaction of a stop, or between teeth, turns with the body that has it
static void face(hn_sim *sim, int h) {
  const hn_hold *hold = hn_stick_hold(sim, h);
  double size;
  const double *F = hn_hold_reaction(&sim->stage.work, hold, &size);
  bool presses = hn_hold_press(&sim->stage.work, h) > 0 && size > 0;
  if ((hold->normal >= 0 || hold->line) && presses)
    v3_scale(sim->contacts->held[h].facing, 1 / v3_norm(F), F);
}

void hn_stick_note(hn_sim *sim, const double *value) {
  // the next step begins with what they face at the end of this one
  struct hn_contacts *c = sim->contacts;
  bool looked = false;
  for (int h = 0; h < sim->sys->holds; h++)
    if (c->grip[h] != HN_LOOSE) face(sim, h);
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hn_stick_hold(sim, h);
    int i = hold->first;
    if (c->grip[h] == HN_STICKS && bears(sim, h) && value[i] < -hn_stick_noise(sim, i))
      c->slips = true;
    if (c->grip[h] != HN_SLIDES) continue;
    c->away[i] |= value[i] > 20 * hn_contact_slow(sim, i) + 10 * hn_stick_still(sim);
    if (hold->line) c->most[h] = fmax(c->most[h], value[c->count + h]);
    if (hold->rows == 1) continue;
    if (!looked) hn_contact_look(sim, sim->state.t, sim->state.y);
    looked = true;
    if (value[i] > 0) turn(sim, h);
  }
}

// steps shrink with a slip in a plane, whose direction may turn ever faster as it ends.
// Square / falls, |u|^2 / -(u . u'), is the time in which the slip would vanish if it went on
// slowing down like this
double hn_stick_limit(hn_sim *sim, double limit) {
  struct hn_contacts *c = sim->contacts;
  bool planes = false;
  for (int h = 0; h < sim->sys->holds; h++)
    planes |= c->grip[h] == HN_SLIDES && hn_stick_hold(sim, h)->rows > 1;
  if (!planes) return limit;
  memcpy(c->y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  if (hn_derivative(sim, sim->state.t, c->y, c->ydot)) return limit;
  hn_contact_look(sim, sim->state.t, sim->state.y);
  hn_jacobian_mul(&sim->stage.work, c->ydot + sim->sys->nq, sim->room.r);
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hn_stick_hold(sim, h);
    double square = 0, falls = 0;
    if (c->grip[h] != HN_SLIDES || hold->rows == 1 || !c->away[hold->first]) continue;
    for (int i = hold->first; i < hold->first + hold->rows; i++) {
      square += c->rate[i] * c->rate[i];
      falls -= c->rate[i] * sim->room.r[hn_contact_row(sim, i)];
    }
    if (falls > 0) limit = fmin(limit, 0.5 * square / falls);
  }
  return limit;
}

// ---- who may rub ---------------------------------------------------------------------------

int hn_stick_place(const int *list, int n, int what) {
  for (int i = 0; i < n; i++)
    if (list[i] == what) return i;
  return -1;
}

// Gaps first, then the rows of frictions whose normal gap is among them, or that are in joints;
// gaps that do not rest last, so that their accelerations come out of the same matrix although they
// are not solved for
int hn_stick_gather(hn_sim *sim, int n, const bool *rest) {
  struct hn_contacts *c = sim->contacts;
  int m = 0, gaps;
  c->cones = 0;
  for (int i = 0; i < n; i++)
    if (!rest || rest[i]) c->order[m++] = c->pick[i];
  gaps = m;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hn_stick_hold(sim, h);
    int normal = hold->normal < 0 ? -1 : hn_stick_place(c->order, gaps, hold->normal);
    if (hold->normal >= 0 && normal < 0) continue;
    c->cone[c->cones] = (hn_cone){.first = m, .size = hold->rows, .normal = normal};
    c->rubs[c->cones++] = h;
    for (int i = 0; i < hold->rows; i++) c->order[m++] = hold->first + i;
  }
  c->rested = m;
  for (int i = 0; i < n; i++)
    if (rest && !rest[i]) c->order[m++] = c->pick[i];
  return m;
}

int hn_stick_gaps(const hn_sim *sim) {
  const struct hn_contacts *c = sim->contacts;
  return c->cones ? c->cone[0].first : c->rested;
}

int *hn_stick_borrow(struct hn_contacts *c) {
  int *pick = c->pick;
  c->pick = c->order;
  return pick;
}

// what slows down so fast may be at rest
static bool nearly(const hn_sim *sim, int h) {
  const struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hn_stick_hold(sim, h);
  double tick = 1e-12 * hn_time_size(sim, sim->state.t), falls = 0, slow = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++) {
    falls = fmax(falls, fabs(sim->room.r[hn_contact_row(sim, i)]));
    slow = fmax(slow, hn_contact_slow(sim, i));
    // room.r are the rows' accelerations, left by hn_stick_rest
  }
  // feet of one body come to rest together, and where one does others are about as slow
  double limit = slow + tick * falls + (hold->rows > 1 ? 5 * hn_stick_still(sim) : 0);
  bool passed = hold->rows == 1 && c->grip[h] == HN_SLIDES && advance(sim, h) <= 0;
  return passed || c->grip[h] == HN_STICKS || hn_stick_speed(sim, h) <= limit;
}

// the velocities that may be lost where a slip ends: what events are late by
static double unnoticed(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double tick = 1e-12 * hn_time_size(sim, sim->state.t), most = 0;
  for (int i = 0; i < sys->nv; i++)
    most = fmax(most, fabs(sim->stage.a[i]) / sim->step.speed[sys->angular_v[i]]);
  return lost + 10 * tick * most;
}

// by what part of the largest speeds an impulse along row i would change the velocities
static double jolt(hn_sim *sim, bool damped, int i, double impulse) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  double most = 0;
  memset(c->l, 0, (size_t)sys->rows * sizeof(double));
  c->l[hn_contact_row(sim, i)] = impulse;
  hn_contact_respond(sim, damped, c->x, c->l);
  for (int k = 0; k < sys->nv; k++)
    most = fmax(most, fabs(c->x[k]) / sim->step.speed[sys->angular_v[k]]);
  return most;
}

// Near a dead centre a slip is small however fast the mechanism goes: stopping it would stop all.
// Leaves of the rows in c->order those that can be stopped without that; returns how many
static int leave_moving(hn_sim *sim, int rows, bool damped) {
  struct hn_contacts *c = sim->contacts;
  double limit = unnoticed(sim);
  int kept = 0;
  for (int i = 0; i < rows; i++) {
    double own = c->A[i * rows + i], r = c->rate[c->order[i]];
    // what it takes to stop the row: -r / own; its sign does not matter for the size of the jolt
    int row = c->order[i];
    if (own > 0 && jolt(sim, damped, row, r / own) > limit) continue;
    c->order[i] = c->order[kept];
    c->order[kept++] = row;
  }
  return kept;
}

// rates of the first rows in c->order that are round-off are none: they have no direction
static void clean(hn_sim *sim, int rows) {
  struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < rows; i++)
    if (fabs(c->rate[c->order[i]]) <= hn_contact_slow(sim, c->order[i])) c->rate[c->order[i]] = 0;
}

// Velocities along rows that are to hold are taken away by impulses, which is a loss: unnoticed, as
// it is not more than what the event came late by. Where it would be more the slip is left
void hn_stick_rest(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  hn_jacobian_mul(&sim->stage.work, sim->stage.a, sim->room.r);
  int rows = 0, gaps = 0;
  (void)hn_stick_gather(sim, n, NULL);
  for (int k = 0; k < c->cones; k++) {
    const hn_hold *hold = hn_stick_hold(sim, c->rubs[k]);
    if (!nearly(sim, c->rubs[k])) continue;
    for (int i = 0; i < hold->rows; i++) c->order[rows++] = hold->first + i;
  }
  if (!rows) return;
  int *pick = hn_stick_borrow(c);
  bool damped = hn_contact_couple(sim, rows);
  int stopped = leave_moving(sim, rows, damped);
  // gaps at rest stay so: the stop must not tear them open or strike them
  for (int i = 0; i < n; i++) {
    if (fabs(c->rate[pick[i]]) > hn_contact_slow(sim, pick[i])) continue;
    int moving = c->order[stopped + gaps];
    c->order[rows++] = moving, c->order[stopped + gaps++] = pick[i];
  }
  if (gaps || stopped < rows) damped = hn_contact_couple(sim, stopped + gaps);
  hn_contact_pose(sim, stopped + gaps, NULL, c->rate);
  hn_lcp_balance(&c->lcp, stopped + gaps);
  hn_contact_strike(sim, stopped + gaps, damped, c->lcp.x);
  clean(sim, rows);
  c->pick = pick;
}

// A slip that a rebound too low to be seen brings along is as little: left alone it would make
// another rebound as it ends, and that another slip
static bool rests_with(const hn_sim *sim, const hn_hold *hold, int i) {
  double rate = sim->contacts->rate[i];
  if (fabs(rate) <= hn_contact_slow(sim, i)) return true;
  return hold->normal >= 0 && hn_contact_faint(sim, hold->normal, rate);
}

// stops the gaps that are chosen; what rests in them does not begin to slide by it
void hn_stick_stop(hn_sim *sim, int n, const bool *chosen) {
  struct hn_contacts *c = sim->contacts;
  int gaps = 0, rows;
  for (int i = 0; i < n; i++)
    if (chosen[i]) c->order[gaps++] = c->pick[i];
  rows = gaps;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hn_stick_hold(sim, h);
    if (hold->normal >= 0 && hn_stick_place(c->order, gaps, hold->normal) < 0) continue;
    for (int i = hold->first; i < hold->first + hold->rows; i++)
      if (rests_with(sim, hold, i)) c->order[rows++] = i;
  }
  int *pick = hn_stick_borrow(c);
  bool damped = hn_contact_couple(sim, rows);
  hn_contact_pose(sim, rows, NULL, c->rate);
  hn_lcp_balance(&c->lcp, rows);
  hn_contact_strike(sim, rows, damped, c->lcp.x);
  clean(sim, rows);
  c->pick = pick;
}

// ---- impacts -------------------------------------------------------------------------------

bool hn_stick_impacts(const hn_sim *sim) {
  for (int h = 0; h < sim->sys->holds; h++)
    if (hn_stick_hold(sim, h)->normal >= 0) return true;
  return false;
}

// Normal forces and frictions in turn, each problem solved exactly for what the other found: that
// ends in a few turns where frictions hold together, over which rounds creep. false: it does not
static bool take_turns(hn_sim *sim, int apart, int n, int m, double *size) {
  struct hn_contacts *c = sim->contacts;
  hn_lcp *p = &c->lcp;
  double change = INFINITY;
  for (int turn = 0; turn < TURNS && change > turned; turn++) {
    double most = 0;
    if (hn_cones_hold(c->A, apart, c->push, m, c->cone, c->cones, c->f, c->slack, size,
                      &c->discs) != HN_CONES_FOUND)
      return false;
    for (int i = 0; i < n; i++) {
      p->b[i] = c->push[i];
      for (int k = n; k < m; k++) p->b[i] += c->A[i * apart + k] * c->f[k];
      for (int k = 0; k < n; k++) p->A[i * n + k] = c->A[i * apart + k];
    }
    if (!hn_lcp_solve(p, n, HN_CONTACT_CLEAN)) return false;
    change = 0;
    for (int i = 0; i < n; i++) {
      most = fmax(most, p->x[i]);
      change = fmax(change, fabs(p->x[i] - c->f[i]));
      c->f[i] = p->x[i];
    }
    change = most > 0 ? change / most : 0;
  }
  return change <= decided;
}

hn_cones_end hn_stick_solve(hn_sim *sim, int apart, int n, int m, int *which, double *size) {
  struct hn_contacts *c = sim->contacts;
  hn_cones_end end =
      hn_cones_try(c->A, apart, c->push, n, m, c->cone, c->cones, c->f, c->slack, which, size);
  if (end != HN_CONES_NONE) return end;
  if (take_turns(sim, apart, n, m, size)) return HN_CONES_FOUND;
  memset(c->f, 0, (size_t)m * sizeof(double));
  end = hn_cones_solve(c->A, apart, c->push, n, m, c->cone, c->cones, c->f, c->slack, which, size);
  if (end == HN_CONES_NONE)
    end = hn_cones_pivot(c->A, apart, c->push, n, m, c->cone, c->cones, c->f, c->slack, size,
                         &c->lemke);
  return end;
}

// Without the normal force the contact would close, and none stops it: only an impact without
// collision would. Or it would open, and a force that holds it down obeys the laws as well
static hn_status name_paradox(hn_sim *sim, int which) {
  const hn_system *sys = sim->sys;
  const struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = &sys->hold[c->rubs[which]];
  const char *rows = sys->joint[hold->joint].name;
  bool closes = c->push[c->cone[which].normal] < 0;
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: friction '%.*s' slides in a way that lets the normal force of '%s' "
                     "press its bodies together: %s Coulomb's law with rigid bodies (Painleve's "
                     "paradox%s; a smaller coefficient, or a compliant contact, has one answer)",
                     sim->state.t, (int)(strlen(rows) - strlen(".hold")), rows,
                     sys->joint[sys->load[hold->load].joint].name,
                     closes ? "no acceleration obeys" : "to slide on and to part both obey",
                     closes ? "; only an impact without collision would end it" : "");
}

hn_status hn_stick_end(hn_sim *sim, hn_cones_end end, int which) {
  if (end == HN_CONES_PARADOX) return name_paradox(sim, which);
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: no motion was found that obeys both the stops and Coulomb's law "
                     "(large coefficients of friction, or stops that contradict each other?)",
                     sim->state.t);
}

// Normal and tangential impulses together, Coulomb's law between them as between forces, with the
// coefficient of sliding. Friction in joints does not act in an impact
hn_status hn_stick_strike(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  int m = hn_stick_gather(sim, n, NULL), which = 0, kept = 0;
  double size;
  if (strcmp(sim->opt.impact_law, "newton") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "impact_law '%s' is not known with friction that holds on stops (newton is)",
                       sim->opt.impact_law);
  for (int k = 0; k < c->cones; k++) {
    if (c->cone[k].normal < 0) continue;  // joints do not rub in an impact
    const hn_hold *hold = hn_stick_hold(sim, c->rubs[k]);
    c->cone[k].coefficient = hold->per_row * hold->sliding;
    c->rubs[kept] = c->rubs[k];
    c->cone[kept++] = c->cone[k];
  }
  c->cones = kept;
  for (int i = 0; i < m; i++) {
    int k = c->order[i];
    double e = sim->sys->unilateral[k].restitution;
    c->push[i] = c->rate[k] + (i < n ? e * fmin(c->rate[k], 0) : 0);
    c->f[i] = 0;
  }
  int *pick = hn_stick_borrow(c);
  bool damped = hn_contact_couple(sim, m);
  hn_cones_end end = hn_stick_solve(sim, m, n, m, &which, &size);
  double work = end == HN_CONES_FOUND ? hn_contact_strike(sim, m, damped, c->f) : 0;
  clean(sim, m);
  c->pick = pick;
  if (end != HN_CONES_FOUND) return hn_stick_end(sim, end, which);
  if (work > 1e-9 * hn_balance_scale(sim))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "t=%.6g: Newton's law of impact with this friction would bring energy (%.3g "
                       "J; Kane's paradox): give a smaller restitution",
                       sim->state.t, work);
  return HN_OK;
}
