// grips.c: Coulomb friction that holds: which frictions do, and which give way.
//
// Where one comes to rest or cannot hold any more, all that rests is judged at once: which gaps
// bear, which frictions hold and which give way, and in what direction, is the solution of
//
//   A x + b = y     x along gaps and frictions, y their accelerations, b those without x
//
// over the cones of linalg/cones.h. Normal forces of joints follow from the solution, and so the
// radii of their cones: both are repeated until they agree. What then slides does so with the
// coefficient of motion, which may let others give way, too.
//
// More frictions on stops than the motion can tell apart may hold it, as all feet of a box do. Of
// these some bear; the others carry a part in proportion to their normal force. In joints that
// would be a guess, and is refused: also where it is not certain that they do not hold.
#include "sim/contact.h"

#include <string.h>

enum { AGREE = 200 };
static const double at_limit = 1e-8;  // see `certain`
static const double agreed = 1e-10;   // normal forces, relative to the largest
static const double doubt = 1.5;      // limits of frictions that share are not known any better

// what moves slides; what rests may hold
static void set_cones(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int k = 0; k < c->cones; k++) {
    int h = c->rubs[k];
    const hn_hold *hold = hn_stick_hold(sim, h);
    hn_cone *cone = &c->cone[k];
    double speed = hn_stick_speed(sim, h);
    cone->slides = speed > 0;
    for (int i = 0; i < hold->rows; i++)
      cone->direction[i] = cone->slides ? c->rate[hold->first + i] / speed : 0;
  }
}

// what once gives way slides, also if the normal forces that follow would hold it again.
// Cones of gaps have a coefficient, their normal force being an unknown; those of joints a radius,
// from the normal force last found
static void set_radii(hn_sim *sim, double part) {
  struct hn_contacts *c = sim->contacts;
  for (int k = 0; k < c->cones; k++) {
    const hn_hold *hold = hn_stick_hold(sim, c->rubs[k]);
    hn_cone *cone = &c->cone[k];
    double coefficient = cone->slides ? hold->sliding : part * hold->sticking;
    cone->coefficient = hold->per_row * coefficient;
    cone->radius = coefficient * c->press[c->rubs[k]];
  }
}

// of those that should hold the ones that start to slide; returns whether there are any
static bool give_way(hn_sim *sim, double size) {
  struct hn_contacts *c = sim->contacts;
  bool any = false;
  for (int k = 0; k < c->cones; k++) {
    hn_cone *cone = &c->cone[k];
    const hn_hold *hold = hn_stick_hold(sim, c->rubs[k]);
    double a = 0;
    for (int i = 0; i < cone->size; i++) a += c->slack[cone->first + i] * c->slack[cone->first + i];
    a = sqrt(a);
    if (cone->slides || !(a > HN_CONTACT_NOTHING * size)) continue;
    for (int i = 0; i < cone->size; i++) cone->direction[i] = c->slack[cone->first + i] / a;
    cone->slides = any = true;
    cone->coefficient = hold->per_row * hold->sliding;
    cone->radius = hold->sliding * c->press[c->rubs[k]];
  }
  return any;
}

// forces of the gaps, given what the frictions do; every gap yields by a part.
// With part = 0 rigid gaps; with a small part gaps that repeat each other share as equal springs
// would, which makes the solution unique
static hn_status press_gaps(hn_sim *sim, int m, const double *friction, double part) {
  struct hn_contacts *c = sim->contacts;
  int gaps = hn_stick_gaps(sim);
  hn_lcp *p = &c->lcp;
  double most = 0;
  for (int i = 0; i < gaps; i++) most = fmax(most, c->A[i * m + i]);
  for (int i = 0; i < gaps; i++) {
    p->b[i] = c->push[i];
    for (int k = gaps; k < c->rested; k++) p->b[i] += c->A[i * m + k] * friction[k];
    for (int k = 0; k < gaps; k++) p->A[i * gaps + k] = c->A[i * m + k];
    p->A[i * gaps + i] += part * most;
  }
  return hn_lcp_solve(p, gaps, HN_CONTACT_CLEAN) ? HN_OK : hn_contact_contradict(sim);
}

// the cone that row `at` of the order belongs to; -1: a gap
static int cone_of(const struct hn_contacts *c, int at) {
  for (int k = 0; k < c->cones; k++)
    if (at >= c->cone[k].first && at < c->cone[k].first + c->cone[k].size) return k;
  return -1;
}

// what acts on row `at` but for the frictions that stick.
// The bracket of b: forces of gaps and slips as they stand
static double pushed(const hn_sim *sim, int m, int at) {
  const struct hn_contacts *c = sim->contacts;
  double sum = c->push[at];
  for (int i = 0; i < hn_stick_gaps(sim); i++) sum += c->A[at * m + i] * c->f[i];
  for (int k = 0; k < c->cones; k++)
    for (int i = 0; i < c->cone[k].size && c->cone[k].slides; i++)
      sum -= c->A[at * m + c->cone[k].first + i] * hn_cone_radius(&c->cone[k], c->f) *
             c->cone[k].direction[i];
  return sum;
}

// A first guess of what sticks: all of it yields alike, too. Rounds from nothing would let the
// first friction hold as much as it can, and leave it at its limit
static void hold_alike(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  hn_lcp *p = &c->lcp;
  int n = 0, row = 0;
  double most = 0;
  for (int k = 0; k < c->cones; k++) n += c->cone[k].slides ? 0 : c->cone[k].size;
  for (int at = hn_stick_gaps(sim); at < c->rested; at++) {
    if (c->cone[cone_of(c, at)].slides) continue;
    int column = 0;
    for (int other = hn_stick_gaps(sim); other < c->rested; other++)
      if (!c->cone[cone_of(c, other)].slides) p->A[row * n + column++] = c->A[at * m + other];
    p->b[row] = pushed(sim, m, at);
    most = fmax(most, p->A[row * n + row]);
    row++;
  }
  for (int i = 0; i < n; i++) p->A[i * n + i] += HN_CONTACT_YIELDING * most;
  hn_lcp_balance(p, n);
  row = 0;
  for (int at = hn_stick_gaps(sim); at < c->rested; at++)
    if (!c->cone[cone_of(c, at)].slides) c->f[at] = p->x[row++];
}

// forces of the frictions for the normal forces there are, then those; *change of the latter,
// relative to the largest
static hn_status share_once(hn_sim *sim, int m, double *change, double *size) {
  struct hn_contacts *c = sim->contacts;
  int gaps = hn_stick_gaps(sim), which = 0;
  double largest = 0;
  hold_alike(sim, m);
  hn_cones_end end = hn_cones_hold(c->A, m, c->push, c->rested, c->cone, c->cones, c->f, c->slack,
                                   size, &c->discs);
  if (end == HN_CONES_NONE)
    end = hn_cones_solve(c->A, m, c->push, 0, c->rested, c->cone, c->cones, c->f, c->slack, &which,
                         size);
  if (end != HN_CONES_FOUND) return hn_stick_end(sim, end, which);
  hn_status status = press_gaps(sim, m, c->f, HN_CONTACT_YIELDING);
  if (status) return status;
  *change = 0;
  for (int i = 0; i < gaps; i++) {
    largest = fmax(largest, c->lcp.x[i]);
    *change = fmax(*change, fabs(c->lcp.x[i] - c->f[i]));
    c->f[i] = c->lcp.x[i];
  }
  *change = largest > 0 ? *change / largest : 0;
  return HN_OK;
}

// Gaps that repeat each other, as the feet of a box do, share what they bear as if all yielded a
// little, and what is on them rubs by that: c->f becomes both. *found: they agree
static hn_status share_gaps(hn_sim *sim, int m, bool *found) {
  static const double alike = 1e-7;
  double change, size = 0;
  hn_status status = press_gaps(sim, m, sim->contacts->f, HN_CONTACT_YIELDING);
  if (status) return status;
  memcpy(sim->contacts->f, sim->contacts->lcp.x, (size_t)hn_stick_gaps(sim) * sizeof(double));
  do {
    change = INFINITY;
    for (int pass = 0; pass < AGREE && change > alike; pass++) {
      status = share_once(sim, m, &change, &size);
      if (status) return status;
    }
    *found = change <= alike;
  } while (*found && give_way(sim, size));
  return HN_OK;
}

// They did not agree. In a plane all that slides on a body goes along one line, and it does not
// matter how the load is shared; else it would be a guess
static hn_status share_nothing(hn_sim *sim, double part) {
  struct hn_contacts *c = sim->contacts;
  for (int k = 0; k < c->cones; k++) {
    c->cone[k].slides = c->asked[k];
    if (c->cone[k].size > 1)
      return hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: how stops that repeat each other share their load, and the "
                         "friction on them, do not agree (smaller coefficients may help)",
                         sim->state.t);
  }
  set_radii(sim, part);
  memset(c->f, 0, (size_t)c->count * sizeof(double));
  c->repeat = false;
  return HN_OK;
}

// whether some of the gaps say the same as others
static bool gaps_repeat(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  int gaps = hn_stick_gaps(sim);
  // in place, row by row, until one is a combination of those before
  for (int i = 0; i < gaps; i++)
    for (int k = 0; k < gaps; k++) c->lcp.A[i * gaps + k] = c->A[i * m + k];
  for (int i = 0; i < gaps; i++)
    if (!hn_lcp_join(&c->lcp, gaps, i, i)) return true;
  return false;
}

// `give_way` takes those away that slide at once: with coulomb < static their cones shrink, which
// may let others give way. Each pass has
// at least one slip more, so that it ends
static hn_status solve(hn_sim *sim, int m, double part) {
  struct hn_contacts *c = sim->contacts;
  int gaps = hn_stick_gaps(sim), which = 0;
  double size;
  set_radii(sim, part);
  for (int i = 0; i < m; i++) {
    c->push[i] = c->acceleration[c->order[i]];
    c->f[i] = 0;
  }
  c->repeat = gaps_repeat(sim, m);
  if (c->repeat) {
    bool found;
    for (int k = 0; k < c->cones; k++) c->asked[k] = c->cone[k].slides;
    hn_status status = share_gaps(sim, m, &found);
    if (status || found) return status;
    if ((status = share_nothing(sim, part))) return status;
  }
  do {
    hn_cones_end end = hn_stick_solve(sim, m, gaps, c->rested, &which, &size);
    if (end != HN_CONES_FOUND) return hn_stick_end(sim, end, which);
  } while (give_way(sim, size));
  return HN_OK;
}

// the largest force of the gaps that act on what gap i does
static double force_around(const hn_sim *sim, int m, int i) {
  const struct hn_contacts *c = sim->contacts;
  double most = c->f[i];
  for (int k = 0; k < hn_stick_gaps(sim) && c->repeat; k++)
    if (fabs(c->A[i * m + k]) > 1e-6 * c->A[i * m + i]) most = fmax(most, c->f[k]);
  return most;
}

// gaps that bear, given what the frictions do; of those that repeat each other as many as are
// independent are solved for
static hn_status choose_gaps(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  int gaps = hn_stick_gaps(sim), bearing = 0;
  hn_status status = press_gaps(sim, m, c->f, c->repeat ? HN_CONTACT_YIELDING : 0);
  if (status) return status;
  for (int i = 0; i < gaps; i++) {
    int k = c->order[i];
    c->on[k] = c->lcp.in[i];
    c->f[i] = c->lcp.x[i];
  }
  (void)gaps_repeat(sim, m);  // the problem of rigid gaps again
  for (int i = 0; i < gaps; i++) {
    int k = c->order[i];
    c->force[k] = force_around(sim, m, i);
    c->bears[k] = c->on[k] && hn_lcp_join(&c->lcp, gaps, bearing, i);
    bearing += c->bears[k];
  }
  // neither there nor independent: it is held closed by those that bear
  for (int i = 0; i < gaps && c->repeat; i++)
    c->idle[c->order[i]] = !c->on[c->order[i]] && !hn_lcp_join(&c->lcp, gaps, bearing, i);
  return HN_OK;
}

static double normal_of(const hn_sim *sim, int k) {
  const struct hn_contacts *c = sim->contacts;
  const hn_cone *cone = &c->cone[k];
  if (cone->normal < 0) return c->press[c->rubs[k]];
  return hn_stick_hold(sim, c->rubs[k])->per_row * c->f[cone->normal];
}

static void let_slide(hn_sim *sim, int k) {
  struct hn_contacts *c = sim->contacts;
  int h = c->rubs[k];
  const hn_hold *hold = hn_stick_hold(sim, h);
  // a blow may have stopped it: it slides again, and slower than anything is late by
  if (c->grip[h] != HN_SLIDES || !(hn_stick_speed(sim, h) > 0)) c->away[hold->first] = false;
  c->grip[h] = HN_SLIDES;
  c->held[h].slow = hn_stick_still(sim);
  for (int i = 0; i < hold->rows; i++)
    c->slip[hold->first + i] = hold->sliding * c->cone[k].direction[i];
}

static double limit_of(const hn_sim *sim, int k) {
  return hn_stick_hold(sim, sim->contacts->rubs[k])->sticking * normal_of(sim, k);
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
  // only one partner, and in one direction each, has a share that is a plain number
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

static const char *rubbing_joint(const hn_sim *sim, int h) {
  const hn_system *sys = sim->sys;
  return sys->joint[sys->load[hn_stick_hold(sim, h)->load].joint].name;
}

// How frictions in joints share a motion that each of them could hold follows from no law, and with
// their parts change the normal forces that limit them: when they give way would be a guess. Where
// what presses is given nothing changes, and all give way together
static hn_status name_shared(hn_sim *sim, int h) {
  return hn_sim_fail(
      sim, HN_ERR_UNSUPPORTED,
      "t=%.6g: friction in '%s' and in other joints of its loop hold one and the same "
      "motion; how they share it is not determined (let one of them hold, and give "
      "the others a law with 'speed')",
      sim->state.t, rubbing_joint(sim, h));
}

// Joints around a ball let it turn in fewer than three ways, none of them along an axis of its
// rows: what its friction bears of the others follows from no law, but counts against its limit
static hn_status name_hindered(hn_sim *sim, int h) {
  return hn_sim_fail(
      sim, HN_ERR_UNSUPPORTED,
      "t=%.6g: friction in '%s' comes to rest where other joints leave its ball fewer than three "
      "ways to turn; what it bears is not determined (a revolute or universal joint in its place "
      "has the friction of those ways)",
      sim->state.t, rubbing_joint(sim, h));
}

// What comes to rest holds where it is, from the first round on that has it among its rows:
// reactions are shared with as much doubt as rows are off their places (compile/sharing.c), and a
// row whose place is still that of another foothold would seem off by the way between them. Rows
// that hold a ball have no coordinate that could be kept: the orientation is, and on surfaces the
// place
static void stay_here(hn_sim *sim, int i) {
  struct hn_contacts *c = sim->contacts;
  int h = sim->sys->unilateral[i].hold - 1;
  if (hn_stick_hold(sim, h)->spin)
    hn_hold_turn(&sim->stage.work, hn_stick_hold(sim, h), c->held[h].rest);
  else if (hn_stick_hold(sim, h)->anchor)
    hn_hold_place(&sim->stage.work, hn_stick_hold(sim, h), c->held[h].rest);
  else
    c->shift[i] += c->gap[i], c->gap[i] = 0;
}

// rows that are independent of those that bear already bear, too; others hold together with one of
// them, or carry what they have
static hn_status let_stick(hn_sim *sim, int k, int m, int *bearing) {
  struct hn_contacts *c = sim->contacts;
  int h = c->rubs[k];
  const hn_hold *hold = hn_stick_hold(sim, h);
  double N = normal_of(sim, k);
  c->grip[h] = HN_STICKS;
  c->held[h].slow = INFINITY;
  for (int i = 0; i < hold->rows; i++) {
    int row = hold->first + i, at = c->cone[k].first + i;
    bool loose = !fixed(c, at, m), bears = loose && hn_lcp_join(&c->lcp, m, *bearing, at);
    c->on[row] = c->bears[row] = bears;
    if (bears) {
      ++*bearing;
      if (!c->was_on[row]) stay_here(sim, row);
      sim->stage.work.lambda[hn_contact_row(sim, row)] = c->f[at];
      continue;
    }
    if (loose && hold->normal < 0 && !(hold->press > 0) && !c->fresh)
      return hold->spin ? name_hindered(sim, h) : name_shared(sim, h);
    if (loose) hold_together(sim, k, at, m, *bearing);
    // what depends on rows that bear anyway acts as a force in proportion to the normal force
    if (c->held[h].bearer < 0 && N > 0) c->slip[row] = -c->f[at] / N;
  }
  return HN_OK;
}

// From forces to rows: hn_lcp_join says whether a row depends on those taken so far. Frictions that
// can hold most are asked first
static hn_status set_rows(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  int bearing = 0;
  for (int i = 0; i < c->count; i++)
    if (!sim->sys->unilateral[i].gate) c->on[i] = c->bears[i] = c->idle[i] = false, c->slip[i] = 0;
  for (int h = 0; h < sim->sys->holds; h++) {
    if (hn_stick_place(c->rubs, c->cones, h) < 0) c->grip[h] = HN_LOOSE;
    c->held[h].bearer = -1;
  }
  hn_status status = choose_gaps(sim, m);
  if (status) return status;
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++) c->lcp.A[i * m + k] = c->A[i * m + k];
  for (int i = 0; i < hn_stick_gaps(sim); i++)
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

// normal forces of the motion as it was found; returns by how much they differ from those used.
// a full solution with the rows as they are now; normal forces of joints are sizes of their
// reactions, which friction itself changes
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
    const hn_hold *hold = hn_stick_hold(sim, h);
    double N;
    const double *F = hn_hold_reaction(w, hold, &N);
    if (hold->press > 0) N = hold->press;
    if (hold->normal < 0) *change = fmax(*change, fabs(N - c->press[h]));
    largest = fmax(largest, N);
    c->press[h] = N;
    c->most[h] = fmax(c->most[h], N);
    if (N > 0 && !(hold->press > 0)) v3_scale(c->held[h].facing, 1 / v3_norm(F), F);
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
  c->repeat = gaps_repeat(sim, m);
  hn_status status = set_rows(sim, m);
  return status ? status : press(sim, &change);
}

// Slips that start at a dead centre, where no acceleration makes one: with rates r = 0 and r' = 0,
// r''' is three times what r' would be if the velocities were as the accelerations are. Returns
// whether any starts
static bool start_late(hn_sim *sim, int m) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  hn_work *w = &sim->stage.work;
  bool any = false;
  for (int k = 0; k < c->cones; k++) any |= !c->cone[k].slides && fixed(c, c->cone[k].first, m);
  if (!any || sys->rheonomic) return false;
  memcpy(c->x, sim->stage.a, (size_t)sys->nv * sizeof(double));
  w->on = c->all;
  hn_eval_all(w, sim->state.t, sim->state.y, c->x);
  w->on = c->on;
  memset(c->top, 0, (size_t)sys->nv * sizeof(double));
  double most = 0;
  for (int i = 0; i < sys->nv; i++)
    most = fmax(most, fabs(c->x[i]) * (sys->angular_v[i] ? sys->length : 1));
  hn_solve_factored(sim, hn_factor_saddle(sim), c->top, w->gamma, c->x, c->l);
  hn_jacobian_mul(w, c->x, sim->room.r);
  any = false;
  for (int k = 0; k < c->cones; k++) {
    hn_cone *cone = &c->cone[k];
    int row = hn_contact_row(sim, c->order[cone->first]);
    double r = sim->room.r[row] - w->gamma[row];
    if (cone->slides || cone->size > 1 || !fixed(c, cone->first, m)) continue;
    if (!(fabs(r) > 1e-9 * most * most / sys->length)) continue;
    cone->slides = any = true;
    cone->direction[0] = copysign(1, r);
  }
  return any;
}

// whether one that rested gave way
static bool any_gave_way(const hn_sim *sim) {
  const struct hn_contacts *c = sim->contacts;
  for (int k = 0; k < c->cones; k++)
    if (c->cone[k].slides && !(hn_stick_speed(sim, c->rubs[k]) > 0)) return true;
  return false;
}

// By what part of a limit one is passed for certain. Gaps that repeat each other share here as if
// all yielded a little, and in a step as joints of a stiffness do: both agree no better than that
static double certain(const hn_sim *sim) {
  return sim->contacts->repeat ? 10 * HN_CONTACT_YIELDING : at_limit;
}

// One friction was at its limit, and others beside it take what it cannot hold: there is more than
// one way to share. The one is looked for that stays farthest from all limits, or what is at its
// limit by a hair would give way again at once, and so without end
static hn_status hold_apart(hn_sim *sim, int m) {
  double least = certain(sim);
  for (double left = 0.5; left > least; left *= 0.3) {
    hn_status status = solve(sim, m, 1 - left);
    if (!status && !any_gave_way(sim)) return HN_OK;
    set_cones(sim);
  }
  return solve(sim, m, 1 - least);
}

// one round: what holds with the normal forces there are, and what these become
static hn_status settle(hn_sim *sim, int m, double *change) {
  bool slips = sim->contacts->slips;
  hn_status status = solve(sim, m, slips ? 1 - certain(sim) : 1);
  if (!status && slips && !any_gave_way(sim)) status = hold_apart(sim, m);
  if (!status) status = set_rows(sim, m);
  return status ? status : press(sim, change);
}

// whether frictions in joints rest that move only together
static bool some_share(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  int bearing = 0;
  memcpy(c->lcp.A, c->A, (size_t)m * (size_t)m * sizeof(double));
  for (int k = 0; k < c->cones; k++) {
    const hn_cone *cone = &c->cone[k];
    for (int at = cone->first; at < cone->first + cone->size; at++) {
      if (cone->normal >= 0 || cone->slides || fixed(c, at, m)) continue;
      if (hn_stick_hold(sim, c->rubs[k])->press > 0) continue;
      if (!hn_lcp_join(&c->lcp, m, bearing, at)) return true;
      bearing++;
    }
  }
  return false;
}

// refuses what might hold if its frictions shared the load in another way
static hn_status refuse_doubt(hn_sim *sim, int m) {
  if (!some_share(sim, m)) return HN_OK;
  hn_status status = solve(sim, m, doubt);
  // the trial is over: what gave way in it has not
  if (!status) status = set_rows(sim, m);
  set_cones(sim);
  return status;
}

// whether a friction in a joint other than h sticks, and its normal force has become another
static bool depends(const hn_sim *sim, int h) {
  const struct hn_contacts *c = sim->contacts;
  for (int o = 0; o < sim->sys->holds; o++) {
    const hn_hold *other = hn_stick_hold(sim, o);
    if (o == h || other->normal >= 0 || c->grip[o] != HN_STICKS) continue;
    if (fabs(c->press[o] - c->slack[o]) > 1e-6 * c->press[o]) return true;
  }
  return false;
}

// A friction that rests where joints let nothing slip may carry any part of what they bear. That
// matters if the normal force of another one that sticks changes with it
static hn_status refuse_preload(hn_sim *sim, int m) {
  struct hn_contacts *c = sim->contacts;
  hn_status status = HN_OK;
  double change;
  memcpy(c->slack, c->press, (size_t)sim->sys->holds * sizeof(double));
  for (int k = 0; k < c->cones && !status; k++) {
    int h = c->rubs[k], row = hn_stick_hold(sim, h)->first;
    if (c->cone[k].normal >= 0 || c->grip[h] != HN_STICKS || !fixed(c, c->cone[k].first, m))
      continue;
    c->slip[row] = hn_stick_hold(sim, h)->sticking;
    // press by press: with the friction at its limit, then without it again
    status = press(sim, &change);
    if (!status && depends(sim, h)) return name_shared(sim, h);
    c->slip[row] = 0;
    if (!status) status = press(sim, &change);
  }
  return status;
}

// Rounds: cones with the normal forces known, rows and slips by these, normal forces by those,
// until they agree. c->pick is borrowed for c->order on the way and given back before anything else
// looks.
hn_status hn_stick_find_forces(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  double change = INFINITY;
  for (int i = 0; i < n; i++)
    c->chosen[i] = fabs(c->rate[c->pick[i]]) <= hn_contact_slow(sim, c->pick[i]);
  memcpy(c->was_on, c->on, (size_t)c->count * sizeof(bool));
  int m = hn_stick_gather(sim, n, c->chosen), *pick = hn_stick_borrow(c);
  hn_status status = hn_contact_free(sim, m);
  if (!status) (void)hn_contact_couple(sim, m);
  set_cones(sim);
  if (!status && c->fresh) status = begin(sim, m);
  c->fresh = false;
  if (!status) status = refuse_doubt(sim, m);
  for (int pass = 0; pass < AGREE && !status && change > agreed; pass++) {
    status = settle(sim, m, &change);
    if (!status && change <= agreed && start_late(sim, m)) change = INFINITY;
  }
  c->pick = pick;
  c->slips = false;
  if (status) return status;
  if (change > agreed)
    return hn_sim_fail(sim, HN_ERR_SINGULAR,
                       "t=%.6g: friction that holds and the reactions it follows do not agree (a "
                       "self-locking joint, or Painleve's paradox?)",
                       sim->state.t);
  if ((status = refuse_preload(sim, m))) return status;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < c->rested; i++) c->acceleration[c->order[j]] += c->A[j * m + i] * c->f[i];
  return HN_OK;
}
