// stick.c: Coulomb friction that holds.
//
// A friction (hn_hold) sticks or slides. While it sticks, its rows are there like those of any
// joint, and nothing creeps; steps end where the force they need exceeds static N. While it slides,
// coulomb N acts against the slip (forces/holding.c), its direction held during a step; steps end
// where the slip has come to zero. There, all that rests is judged at once: which gaps bear, which
// frictions hold and which give way, and in what direction, is the solution of
//
//   A x + b = y     x along gaps and frictions, y their accelerations, b those without x
//
// over the cones of linalg/cones.h. Normal forces of joints follow from the solution, and so the
// radii of their cones: both are repeated until they agree. What then slides does so with the
// coefficient of motion, which may let others give way, too.
//
// More frictions on stops than the motion can tell apart may hold it, as all feet of a box do. Of
// these some bear; the others carry a part in proportion to their normal force. In joints that
// would be a guess, and is refused.
#include "sim/contact.h"

#include <string.h>

enum { AGREE = 200 };
static const double at_limit = 1e-8;  // part of a limit by which one is passed for certain
static const double agreed = 1e-10;   // normal forces, relative to the largest
static const double standing = 1e-9;  // part of the largest speed at which a slip in a plane ends

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
}

static const hn_hold *hold_at(const hn_sim *sim, int h) {
  return &sim->sys->hold[h];
}

static double still(const hn_sim *sim) {
  return standing * sim->step.speed[0];
}

// size of the slip
static double speed_of(const hn_sim *sim, int h) {
  const hn_hold *hold = hold_at(sim, h);
  double sum = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++)
    sum += sim->contacts->rate[i] * sim->contacts->rate[i];
  return sqrt(sum);
}

void hn_stick_start(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hold_at(sim, h);
    c->grip[h] = HN_LOOSE;
    c->press[h] = c->most[h] = 0;
    c->held[h] = (hn_hold_state){.slow = INFINITY, .bearer = -1};
    for (int i = hold->first; i < hold->first + hold->rows; i++) c->slip[i] = 0;
  }
  c->slips = false;
  c->fresh = true;
}

// ---- switching functions -------------------------------------------------------------------

bool hn_stick_needs_forces(const hn_sim *sim) {
  const struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++)
    if (c->grip[h] == HN_STICKS || (c->grip[h] == HN_SLIDES && hold_at(sim, h)->line)) return true;
  return false;
}

static bool bears(const hn_sim *sim, int h) {
  const hn_hold *hold = hold_at(sim, h);
  bool any = false;
  for (int i = hold->first; i < hold->first + hold->rows; i++) any |= sim->contacts->on[i];
  return any;
}

// what is left until it gives way
static double reserve(const hn_sim *sim, int h) {
  const struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hold_at(sim, h);
  const hn_work *w = &sim->stage.work;
  double N = hn_hold_press(w, h), sum = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++) {
    double F = c->on[i] ? w->lambda[hn_contact_row(sim, i)] : -c->slip[i] * N;
    sum += F * F;
  }
  return hold->sticking * fabs(N) - sqrt(sum);
}

// the slip along the direction in which it was
static double advance(const hn_sim *sim, int h) {
  const struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hold_at(sim, h);
  double along = 0, size = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++)
    along += c->slip[i] * c->rate[i], size += c->slip[i] * c->slip[i];
  return along / sqrt(size) - (hold->rows > 1 ? still(sim) : 0);
}

void hn_stick_values(hn_sim *sim, bool known, double *value) {
  const struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hold_at(sim, h);
    double *own = value + hold->first, *facing = value + c->count + h;
    for (int i = 0; i < hold->rows; i++) own[i] = 1;
    *facing = 1;
    if (c->grip[h] == HN_STICKS && bears(sim, h))
      own[0] = known ? reserve(sim, h) : 1;
    else if (c->grip[h] == HN_STICKS)
      own[0] = 10 * hn_contact_slow(sim, hold->first) + still(sim) - speed_of(sim, h);
    else if (c->grip[h] == HN_SLIDES)
      own[0] = advance(sim, h);
    if (c->grip[h] == HN_SLIDES && hold->line && known)
      *facing = hn_hold_press(&sim->stage.work, h);
  }
}

double hn_stick_noise(const hn_sim *sim, int i) {
  const struct hn_contacts *c = sim->contacts;
  if (i >= c->count) return HN_CONTACT_NOTHING * c->most[i - c->count];
  int h = sim->sys->unilateral[i].hold - 1;
  if (c->grip[h] == HN_SLIDES) return c->away[i] ? 0 : 2 * hn_contact_slow(sim, i) + still(sim);
  return HN_CONTACT_NOTHING * hold_at(sim, h)->sticking * c->most[h];
}

// the direction of a slip in a plane follows it
static void turn(hn_sim *sim, int h) {
  struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hold_at(sim, h);
  double speed = speed_of(sim, h);
  if (hold->rows == 1 || !(speed > still(sim))) return;
  for (int i = hold->first; i < hold->first + hold->rows; i++)
    c->slip[i] = hold->sliding * c->rate[i] / speed;
}

void hn_stick_note(hn_sim *sim, const double *value) {
  struct hn_contacts *c = sim->contacts;
  bool looked = false;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hold_at(sim, h);
    int i = hold->first;
    if (c->grip[h] == HN_STICKS && bears(sim, h) && value[i] < -hn_stick_noise(sim, i))
      c->slips = true;
    if (c->grip[h] != HN_SLIDES) continue;
    c->away[i] |= value[i] > 20 * hn_contact_slow(sim, i) + 10 * still(sim);
    if (hold->line) c->most[h] = fmax(c->most[h], value[c->count + h]);
    if (hold->rows == 1) continue;
    if (!looked) hn_contact_look(sim, sim->state.t, sim->state.y);
    looked = true;
    if (value[i] > 0) turn(sim, h);
  }
}

// steps shrink with a slip in a plane, whose direction may turn ever faster as it ends
double hn_stick_limit(hn_sim *sim, double limit) {
  struct hn_contacts *c = sim->contacts;
  bool planes = false;
  for (int h = 0; h < sim->sys->holds; h++)
    planes |= c->grip[h] == HN_SLIDES && hold_at(sim, h)->rows > 1;
  if (!planes) return limit;
  memcpy(c->y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  if (hn_derivative(sim, sim->state.t, c->y, c->ydot)) return limit;
  hn_contact_look(sim, sim->state.t, sim->state.y);
  hn_jacobian_mul(&sim->stage.work, c->ydot + sim->sys->nq, sim->room.r);
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hold_at(sim, h);
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

static int place_of(const int *list, int n, int what) {
  for (int i = 0; i < n; i++)
    if (list[i] == what) return i;
  return -1;
}

// c->order: of the n gaps in c->pick those that `rest` (NULL: all), rows of the frictions that
// touch, the other gaps; c->cone over these. Returns how many rows there are
static int gather(hn_sim *sim, int n, const bool *rest) {
  struct hn_contacts *c = sim->contacts;
  int m = 0, gaps;
  c->cones = 0;
  for (int i = 0; i < n; i++)
    if (!rest || rest[i]) c->order[m++] = c->pick[i];
  gaps = m;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = hold_at(sim, h);
    int normal = hold->normal < 0 ? -1 : place_of(c->order, gaps, hold->normal);
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

static int gaps_that_rest(const hn_sim *sim) {
  const struct hn_contacts *c = sim->contacts;
  return c->cones ? c->cone[0].first : c->rested;
}

static int *borrow(struct hn_contacts *c) {
  int *pick = c->pick;
  c->pick = c->order;
  return pick;
}

// what slows down so fast may be at rest
static bool nearly(const hn_sim *sim, int h) {
  const struct hn_contacts *c = sim->contacts;
  const hn_hold *hold = hold_at(sim, h);
  double tick = 1e-12 * fmax(1e-3, fabs(sim->state.t)), falls = 0, slow = 0;
  for (int i = hold->first; i < hold->first + hold->rows; i++) {
    falls = fmax(falls, fabs(sim->room.r[hn_contact_row(sim, i)]));
    slow = fmax(slow, hn_contact_slow(sim, i));
  }
  double limit = slow + tick * falls + (hold->rows > 1 ? 2 * still(sim) : 0);
  bool passed = hold->rows == 1 && c->grip[h] == HN_SLIDES && advance(sim, h) <= 0;
  return passed || c->grip[h] == HN_STICKS || speed_of(sim, h) <= limit;
}

void hn_stick_rest(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  hn_jacobian_mul(&sim->stage.work, sim->stage.a, sim->room.r);
  int m = gather(sim, n, NULL), rows = 0;
  for (int k = 0; k < c->cones; k++) {
    const hn_hold *hold = hold_at(sim, c->rubs[k]);
    if (!nearly(sim, c->rubs[k])) continue;
    for (int i = 0; i < hold->rows; i++) c->order[rows++] = hold->first + i;
  }
  (void)m;
  if (!rows) return;
  int *pick = borrow(c);
  bool damped = hn_contact_couple(sim, rows);
  hn_contact_pose(sim, rows, NULL, c->rate);
  hn_lcp_balance(&c->lcp, rows);
  hn_contact_strike(sim, rows, damped, c->lcp.x);
  for (int i = 0; i < rows; i++)
    if (fabs(c->rate[c->order[i]]) <= hn_contact_slow(sim, c->order[i])) c->rate[c->order[i]] = 0;
  c->pick = pick;
}

// ---- impacts -------------------------------------------------------------------------------

bool hn_stick_impacts(const hn_sim *sim) {
  for (int h = 0; h < sim->sys->holds; h++)
    if (hold_at(sim, h)->normal >= 0) return true;
  return false;
}

static hn_status name_paradox(hn_sim *sim, int which) {
  const hn_system *sys = sim->sys;
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: friction '%s' slides in a way that lets its normal force press its "
                     "bodies together: no motion, or several, obey Coulomb's law with rigid bodies "
                     "(Painleve's paradox; a smaller coefficient, or a compliant contact, has one)",
                     sim->state.t, sys->joint[sys->hold[sim->contacts->rubs[which]].joint].name);
}

static hn_status name_end(hn_sim *sim, hn_cones_end end, int which) {
  if (end == HN_CONES_PARADOX) return name_paradox(sim, which);
  return hn_sim_fail(sim, HN_ERR_SINGULAR,
                     "t=%.6g: no motion was found that obeys both the stops and Coulomb's law "
                     "(large coefficients of friction, or stops that contradict each other?)",
                     sim->state.t);
}

hn_status hn_stick_strike(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  int m = gather(sim, n, NULL), which = 0, kept = 0;
  double size;
  if (strcmp(sim->opt.impact_law, "newton") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "impact_law '%s' is not known with friction that holds on stops (newton is)",
                       sim->opt.impact_law);
  for (int k = 0; k < c->cones; k++) {
    if (c->cone[k].normal < 0) continue;  // joints do not rub in an impact
    c->cone[k].coefficient = hold_at(sim, c->rubs[k])->sliding;
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
  int *pick = borrow(c);
  bool damped = hn_contact_couple(sim, m);
  hn_cones_end end =
      hn_cones_solve(c->A, m, c->push, n, m, c->cone, kept, c->f, c->slack, &which, &size);
  double work = end == HN_CONES_FOUND ? hn_contact_strike(sim, m, damped, c->f) : 0;
  c->pick = pick;
  if (end != HN_CONES_FOUND) return name_end(sim, end, which);
  if (work > 1e-9 * hn_balance_scale(sim))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "t=%.6g: Newton's law of impact with this friction would bring energy (%.3g "
                       "J; Kane's paradox): give a smaller restitution",
                       sim->state.t, work);
  return HN_OK;
}

// ---- forces --------------------------------------------------------------------------------

// what moves slides; what rests may hold
static void set_cones(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int k = 0; k < c->cones; k++) {
    int h = c->rubs[k];
    const hn_hold *hold = hold_at(sim, h);
    hn_cone *cone = &c->cone[k];
    double speed = speed_of(sim, h);
    cone->slides = speed > 0;
    for (int i = 0; i < hold->rows; i++)
      cone->direction[i] = cone->slides ? c->rate[hold->first + i] / speed : 0;
  }
}

// what once gives way slides, also if the normal forces that follow would hold it again
static void set_radii(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  double less = c->slips ? 1 - at_limit : 1;
  for (int k = 0; k < c->cones; k++) {
    const hn_hold *hold = hold_at(sim, c->rubs[k]);
    hn_cone *cone = &c->cone[k];
    cone->coefficient = cone->slides ? hold->sliding : less * hold->sticking;
    cone->radius = cone->coefficient * c->press[c->rubs[k]];
  }
}

// of those that should hold the ones that start to slide; returns whether there are any
static bool give_way(hn_sim *sim, double size) {
  struct hn_contacts *c = sim->contacts;
  bool any = false;
  for (int k = 0; k < c->cones; k++) {
    hn_cone *cone = &c->cone[k];
    const hn_hold *hold = hold_at(sim, c->rubs[k]);
    double a = 0;
    for (int i = 0; i < cone->size; i++) a += c->slack[cone->first + i] * c->slack[cone->first + i];
    a = sqrt(a);
    if (cone->slides || !(a > HN_CONTACT_NOTHING * size)) continue;
    for (int i = 0; i < cone->size; i++) cone->direction[i] = c->slack[cone->first + i] / a;
    cone->slides = any = true;
    cone->coefficient = hold->sliding;
    cone->radius = hold->sliding * c->press[c->rubs[k]];
  }
  return any;
}

static hn_status solve(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  int gaps = gaps_that_rest(sim), which = 0;
  double size;
  for (int i = 0; i < m; i++) {
    c->push[i] = c->acceleration[c->order[i]];
    c->f[i] = 0;
  }
  do {
    hn_cones_end end = hn_cones_solve(c->A, m, c->push, gaps, c->rested, c->cone, c->cones, c->f,
                                      c->slack, &which, &size);
    if (end != HN_CONES_FOUND) return name_end(sim, end, which);
  } while (give_way(sim, size));
  return HN_OK;
}

// gaps that bear, given what the frictions do
static hn_status choose_gaps(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  int gaps = gaps_that_rest(sim);
  hn_lcp *p = &c->lcp;
  for (int i = 0; i < gaps; i++) {
    p->b[i] = c->push[i];
    for (int k = gaps; k < c->rested; k++) p->b[i] += c->A[i * m + k] * c->f[k];
    for (int k = 0; k < gaps; k++) p->A[i * gaps + k] = c->A[i * m + k];
  }
  if (!hn_lcp_solve(p, gaps, HN_CONTACT_CLEAN)) return hn_contact_contradict(sim);
  for (int i = 0; i < gaps; i++) {
    int k = c->order[i];
    c->on[k] = c->bears[k] = p->in[i];
    c->force[k] = c->f[i] = p->x[i];
  }
  return HN_OK;
}

static double normal_of(const hn_sim *sim, int k) {
  const struct hn_contacts *c = sim->contacts;
  const hn_cone *cone = &c->cone[k];
  return cone->normal < 0 ? c->press[c->rubs[k]] : c->f[cone->normal];
}

static void let_slide(hn_sim *sim, int k) {
  struct hn_contacts *c = sim->contacts;
  int h = c->rubs[k];
  const hn_hold *hold = hold_at(sim, h);
  if (c->grip[h] != HN_SLIDES) c->away[hold->first] = false;
  c->grip[h] = HN_SLIDES;
  c->held[h].slow = still(sim);
  for (int i = 0; i < hold->rows; i++)
    c->slip[hold->first + i] = hold->sliding * c->cone[k].direction[i];
}

static double limit_of(const hn_sim *sim, int k) {
  return hold_at(sim, sim->contacts->rubs[k])->sticking * normal_of(sim, k);
}

// the cone that row `at` of the order belongs to; -1: a gap
static int cone_of(const struct hn_contacts *c, int at) {
  for (int k = 0; k < c->cones; k++)
    if (at >= c->cone[k].first && at < c->cone[k].first + c->cone[k].size) return k;
  return -1;
}

// of frictions that stick and have not been asked yet, the one that can hold most; -1: none is left
static int strongest(const hn_sim *sim, const bool *asked) {
  const struct hn_contacts *c = sim->contacts;
  int best = -1;
  for (int k = 0; k < c->cones; k++)
    if (!c->cone[k].slides && !asked[k] && (best < 0 || limit_of(sim, k) > limit_of(sim, best)))
      best = k;
  return best;
}

// Row `at` depends on rows that bear. Where that is one of another friction, both hold together,
// each in proportion to what it can: which of them bears then does not matter
static void hold_together(hn_sim *sim, int k, int at, int m, int bearing) {
  struct hn_contacts *c = sim->contacts;
  double *z = c->lcp.z;
  int with = -1;
  hn_lcp_express(&c->lcp, m, bearing, at, z);
  for (int i = 0; i < bearing; i++) {
    int other = cone_of(c, c->lcp.set[i]);
    if (fabs(z[i]) < 1e-9) continue;
    if (with >= 0 || other < 0 || c->cone[other].size > 1 || c->cone[k].size > 1) return;
    with = i;
  }
  if (with < 0) return;
  c->held[c->rubs[k]].bearer = c->order[c->lcp.set[with]];
  c->held[c->rubs[k]].worth = z[with];
  c->carried[c->rubs[k]] = c->f[at];
}

// what no force along the row moves: joints that always hold do not let it slip
static bool fixed(const struct hn_contacts *c, int at, int m) {
  double most = 0;
  for (int i = 0; i < m; i++) most = fmax(most, c->A[i * m + i]);
  return !(c->A[at * m + at] > 1e-12 * most);
}

// How frictions in joints share a motion that each of them could hold follows from no law, and with
// their parts change the normal forces that limit them: when they give way would be a guess
static hn_status name_shared(hn_sim *sim, int h) {
  return hn_sim_fail(
      sim, HN_ERR_UNSUPPORTED,
      "t=%.6g: friction in '%s' and in other joints of its loop hold one and the same "
      "motion; how they share it is not determined (let one of them hold, and give "
      "the others a law with 'speed')",
      sim->state.t, sim->sys->joint[hold_at(sim, h)->joint].name);
}

// rows that are independent of those that bear already bear, too; others hold together with one of
// them, or carry what they have
static hn_status let_stick(hn_sim *sim, int k, int m, int *bearing) {
  struct hn_contacts *c = sim->contacts;
  int h = c->rubs[k];
  const hn_hold *hold = hold_at(sim, h);
  double N = normal_of(sim, k);
  c->grip[h] = HN_STICKS;
  c->held[h].slow = INFINITY;
  for (int i = 0; i < hold->rows; i++) {
    int row = hold->first + i, at = c->cone[k].first + i;
    bool loose = !fixed(c, at, m), bears = loose && hn_lcp_join(&c->lcp, m, *bearing, at);
    c->on[row] = c->bears[row] = bears;
    if (bears) {
      ++*bearing;
      if (!c->was_on[row]) c->shift[row] += c->gap[row];
      sim->stage.work.lambda[hn_contact_row(sim, row)] = c->f[at];
      continue;
    }
    if (loose && hold->normal < 0) return name_shared(sim, h);
    if (loose) hold_together(sim, k, at, m, *bearing);
    if (c->held[h].bearer < 0 && N > 0) c->slip[row] = -c->f[at] / N;
  }
  return HN_OK;
}

static hn_status set_rows(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  int bearing = 0;
  for (int i = 0; i < c->count; i++) c->on[i] = c->bears[i] = false, c->slip[i] = 0;
  for (int h = 0; h < sim->sys->holds; h++) {
    if (place_of(c->rubs, c->cones, h) < 0) c->grip[h] = HN_LOOSE;
    c->held[h].bearer = -1;
  }
  hn_status status = choose_gaps(sim, m);
  if (status) return status;
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++) c->lcp.A[i * m + k] = c->A[i * m + k];
  for (int i = 0; i < gaps_that_rest(sim); i++)
    if (c->bears[c->order[i]]) c->lcp.set[bearing++] = i;
  bool *asked = c->asked;
  memset(asked, 0, (size_t)sim->sys->holds * sizeof(bool));
  for (int k; (k = strongest(sim, asked)) >= 0;) {
    status = let_stick(sim, k, m, &bearing);
    if (status) return status;
    asked[k] = true;
  }
  for (int k = 0; k < c->cones; k++) {
    if (c->cone[k].slides) let_slide(sim, k);
  }
  return HN_OK;
}

// normal forces of the motion as it was found; returns by how much they differ from those used
static hn_status press(hn_sim *sim, double *change) {
  struct hn_contacts *c = sim->contacts;
  hn_work *w = &sim->stage.work;
  double largest = 0;
  *change = 0;
  hn_contact_leave_out(sim, false);
  hn_eval_all(w, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
  hn_status status = hn_solve_saddle(sim, w->gamma);
  if (status) return status;
  for (int h = 0; h < sim->sys->holds; h++) {
    const double *F = w->load + 6 * hold_at(sim, h)->load;
    double N = v3_norm(F);
    if (hold_at(sim, h)->normal < 0) *change = fmax(*change, fabs(N - c->press[h]));
    largest = fmax(largest, N);
    c->press[h] = N;
    c->most[h] = fmax(c->most[h], N);
    if (N > 0) v3_scale(c->held[h].facing, 1 / N, F);
  }
  *change = largest > 0 ? *change / largest : 0;
  return HN_OK;
}

// normal forces of a state that was just set, as if all that rests held
static hn_status begin(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  double change;
  bool joints = false;
  for (int k = 0; k < c->cones; k++) joints |= c->cone[k].normal < 0;
  if (!joints) return HN_OK;
  for (int i = 0; i < m; i++) c->push[i] = c->acceleration[c->order[i]], c->f[i] = 0;
  hn_status status = set_rows(sim, m);
  return status ? status : press(sim, &change);
}

// one round: what holds with the normal forces there are, and what these become
static hn_status settle(hn_sim *sim, int m, double *change) {
  set_radii(sim);
  hn_status status = solve(sim, m);
  if (!status) status = set_rows(sim, m);
  return status ? status : press(sim, change);
}

hn_status hn_stick_find_forces(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  double change = INFINITY;
  for (int i = 0; i < n; i++)
    c->chosen[i] = fabs(c->rate[c->pick[i]]) <= hn_contact_slow(sim, c->pick[i]);
  memcpy(c->was_on, c->on, (size_t)c->count * sizeof(bool));
  int m = gather(sim, n, c->chosen), *pick = borrow(c);
  hn_status status = hn_contact_free(sim, m);
  if (!status) (void)hn_contact_couple(sim, m);
  set_cones(sim);
  if (!status && c->fresh) status = begin(sim, m);
  c->fresh = false;
  for (int pass = 0; pass < AGREE && !status && change > agreed; pass++)
    status = settle(sim, m, &change);
  c->pick = pick;
  c->slips = false;
  if (status) return status;
  if (change > agreed)
    return hn_sim_fail(sim, HN_ERR_SINGULAR,
                       "t=%.6g: friction that holds and the reactions it follows do not agree (a "
                       "self-locking joint, or Painleve's paradox?)",
                       sim->state.t);
  for (int j = 0; j < m; j++)
    for (int i = 0; i < c->rested; i++) c->acceleration[c->order[j]] += c->A[j * m + i] * c->f[i];
  return HN_OK;
}
