// moreau_crowd.c: points in which bodies of a crowd touch become rows of a step.
#include "integrators/moreau/moreau.h"
#include "system/coordinates/coordinates.h"

#include <string.h>

enum { ROWS = 3, NUMBERS = 12 };  // rows of a point, numbers of a row

int hn_moreau_crowd_rows(const hn_moreau *s) {
  return s->crowded ? ROWS * s->near.most : 0;
}

void hn_moreau_crowd_layout(hn_moreau *s, hn_arena *arena) {
  hn_crowd_layout(&s->near, arena, &s->crowd);
  hn_crowd_layout(&s->before, arena, &s->crowd);
}

// how the points of a touch move along a direction, on the velocities of one body
// linear part in world axes, angular in the axes of the body
static void along(const hn_work *w, int body, const double arm[3], const double n[3], double sign,
                  double J[6]) {
  double turn[3];
  v3_cross(turn, arm, n);
  m3_tmulv(J + 3, w->kin[body].R, turn);
  v3_copy(J, n);
  for (int k = 0; k < 6; k++) J[k] *= sign;
}

typedef struct line {
  int count, place[NUMBERS];
  double J[NUMBERS];
} line;

static line line_of(const hn_work *w, const hn_touch *t, const double n[3]) {
  const hn_system *sys = w->sys;
  // in the order of the velocities
  bool swapped = t->body_b < t->body_a;
  line o = {0};
  for (int k = 0; k < 2; k++) {
    bool b = (k == 1) != swapped;
    int body = b ? t->body_b : t->body_a;
    if (!body) continue;
    along(w, body, b ? t->arm_b : t->arm_a, n, b ? 1 : -1, o.J + o.count);
    for (int i = 0; i < 6; i++) o.place[o.count++] = sys->body[body].v0 + i;
  }
  return o;
}

static double times(const line *l, const double *v) {
  double sum = 0;
  for (int k = 0; k < l->count; k++) sum += l->J[k] * v[l->place[k]];
  return sum;
}

static bool put(hn_moreau *s, const line *l) {
  for (int k = 0; k < l->count; k++)
    if (l->J[k] != 0 && !hn_strip_add(&s->pile.gradient, s->pile.rows, l->place[k], l->J[k]))
      return false;
  return true;
}

// two directions across n
static void tangents(const double n[3], double t[2][3]) {
  double x[3] = {0, 0, 0};
  // the axis that n is farthest from: the product cannot vanish
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(n[k]) < fabs(n[least])) least = k;
  x[least] = 1;
  v3_cross(t[0], n, x);
  v3_scale(t[0], 1 / v3_norm(t[0]), t[0]);
  v3_cross(t[1], n, t[0]);
}

static bool add_touch(hn_sim *sim, hn_moreau *s, int i, double h) {
  const hn_work *w = &sim->stage.work;
  const hn_touch *t = &s->near.touch[i];
  const double *v = sim->state.y + sim->sys->nq, *n = t->near.normal;
  line l = line_of(w, t, n);
  hn_moreau_gap g = {.gap = t->near.gap,
                     .rate = times(&l, v),
                     .change = s->span * times(&l, sim->stage.a),
                     .restitution = t->restitution,
                     .coefficient = t->coulomb,
                     .slow = 1e-10 * sim->step.speed[0],
                     .reach = INFINITY,
                     .x = h * v3_dot(t->push, n),
                     .given = v3_dot(t->begun, n),
                     .from = -1 - i,
                     .rubs = t->coulomb > 0 ? 2 : 0};
  double least = hn_moreau_least(sim, &g, h), across[2][3];
  if (least == -INFINITY) return true;
  if (s->pile.rows + ROWS > s->pile.most || !put(s, &l) || !hn_moreau_row(sim, s, &g, least))
    return false;
  tangents(n, across);
  for (int k = 0; k < g.rubs; k++) {
    line r = line_of(w, t, across[k]);
    hn_moreau_gap f = {.rate = times(&r, v),
                       .change = s->span * times(&r, sim->stage.a),
                       .x = h * v3_dot(t->push, across[k]),
                       .given = v3_dot(t->begun, across[k]),
                       .from = g.from,
                       .rubs = -1};
    if (!put(s, &r) || !hn_moreau_row(sim, s, &f, 0)) return false;
  }
  return true;
}

static void forget(hn_touch *t) {
  memset(t->push, 0, sizeof t->push);
  memset(t->begun, 0, sizeof t->begun);
}

// What points pushed in the last step is where those nearest to them start from: corners of what is
// cut off a face come and go, but the pair bears what it bore. What is to be taken back is so only
// in the place where it was given
static void remember(hn_moreau *s, double margin) {
  const hn_touch *old = s->before.touch, *end = old + s->before.count;
  hn_touch *list = s->near.touch;
  for (int i = 0; i < s->near.count; i++) forget(&list[i]);
  // both lists are in the order of pairs: one walk
  for (int i = 0; old < end; old++) {
    while (i < s->near.count && hn_touch_order(&list[i], old) < 0) i++;
    int best = -1;
    double least = INFINITY;
    for (int k = i; k < s->near.count && list[k].a == old->a && list[k].b == old->b; k++) {
      double d[3];
      v3_sub(d, list[k].arm_b, old->arm_b);
      if (v3_dot(d, d) < least) least = v3_dot(d, d), best = k;
    }
    if (best < 0) continue;
    v3_add(list[best].push, list[best].push, old->push);
    if (least <= margin * margin) v3_add(list[best].begun, list[best].begun, old->begun);
  }
}

static hn_status too_many(hn_sim *sim, const hn_moreau *s) {
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "t=%.6g: pile '%s': more than %d points touch at once, which is more than a "
                     "heap of so many bodies has (a step that is too long?)",
                     sim->state.t, s->crowd.name, s->near.most);
}

hn_status hn_moreau_crowd_gather(hn_sim *sim, hn_moreau *s, double h) {
  // what may close within the step
  double margin = 2 * h * sim->step.speed[0] + 1e-6 * sim->sys->length;
  for (int i = 0; i < s->crowd.members; i++) margin = fmin(margin, s->crowd.member[i].solid.reach);
  if (!hn_crowd_find(&s->crowd, &s->near, &sim->stage.work, margin)) return too_many(sim, s);
  remember(s, margin);
  for (int i = 0; i < s->near.count; i++)
    if (!add_touch(sim, s, i, h)) return too_many(sim, s);
  return HN_OK;
}

void hn_moreau_crowd_unbegun(hn_moreau *s) {
  for (int i = 0; i < s->before.count; i++)
    memset(s->before.touch[i].begun, 0, sizeof s->before.touch[i].begun);
}

void hn_moreau_crowd_take(hn_moreau *s, double h) {
  for (int i = 0; i < s->near.count; i++) forget(&s->near.touch[i]);
  for (int k = 0; k < s->pile.rows; k++) {
    if (s->from[k] >= 0 || s->pile.rubs[k] < 0) continue;
    hn_touch *t = &s->near.touch[-1 - s->from[k]];
    double across[2][3];
    tangents(t->near.normal, across);
    bool goes_on = hn_moreau_goes_on(s, k, t->restitution);
    // in world axes: directions across a normal are not those of the next step
    for (int c = 0; c <= s->pile.rubs[k]; c++) {
      const double *along = c ? across[c - 1] : t->near.normal;
      for (int i = 0; i < 3; i++) {
        t->push[i] += hn_moreau_net(s, k + c) * along[i] / h;
        if (goes_on) t->begun[i] += s->pile.x[k + c] * along[i];
      }
    }
  }
  s->before.count = s->near.count;
  memcpy(s->before.touch, s->near.touch, (size_t)s->near.count * sizeof *s->near.touch);
}

hn_status hn_moreau_crowd_start(hn_sim *sim, hn_moreau *s) {
  const hn_system *sys = sim->sys;
  s->before.count = 0;
  if (!sys->coordinates->of_bodies || sys->mass_entries)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "pile '%s' needs coordinates of bodies with mass (set 'coordinates' to "
                       "reference)",
                       s->crowd.name);
  hn_eval_motion(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  if (!hn_crowd_find(&s->crowd, &s->near, &sim->stage.work, 0)) return too_many(sim, s);
  for (int i = 0; i < s->near.count; i++) {
    const hn_touch *t = &s->near.touch[i];
    if (t->near.gap > -HN_STOP_VIOLATED * sys->length) continue;
    return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                       "pile '%s': '%s' is inside of '%s' by %.3g m at the start", s->crowd.name,
                       sys->body[t->body_b].info->name,
                       t->a < 0 ? "the plane" : sys->body[t->body_a].info->name, -t->near.gap);
  }
  return HN_OK;
}
