// yardstick.c: how large a motion is, and errors by that measure.
//
// Bodies are measured against the centre of mass of the part of the model they belong to, these
// centres by themselves: a train that drives a mile does not hide that a door in it swings wrong by
// a degree. Each is judged by the range it goes through, but by no less than a small part of what
// moves in its part of the model: what rests while others move is not asked for digits of nothing.
#include "sim/yardstick.h"
#include "base/elementary.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double slight = 1e-3;  // part of the model's size below which motions are not told
                                    // apart

// a body's motion in parts: place and speed relative to its part, turn, spin
typedef struct motion {
  double x[HN_KINDS][3];
  double turn;  // rotation since the start, by size
} motion;

static int linear_of(const hn_sys_body *b) {
  return b->kind == HN_SCALAR ? 1 : hn_body_linear(b);
}

static void centres(const hn_yardstick *y, const double *state, double (*centre)[2][3]) {
  const hn_system *sys = y->sys;
  memset(centre, 0, (size_t)sys->parts * sizeof *centre);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int p = sys->part[i];
    // massless parts have no centre: places in them are those in the world
    if (b->kind == HN_SCALAR || !(y->mass[p] > 0)) continue;
    for (int c = 0; c < linear_of(b); c++) {
      centre[p][0][c] += b->mass / y->mass[p] * state[b->q0 + c];
      centre[p][1][c] += b->mass / y->mass[p] * state[sys->bq + b->v0 + c];
    }
  }
}

// angle between two orientations: by the chord, whose digits last for small angles; q and -q turn
// alike
static double angle_between(const double p[4], const double q[4]) {
  double dot = 0, gap = 0;
  for (int k = 0; k < 4; k++) dot += p[k] * q[k];
  for (int k = 0; k < 4; k++) {
    double d = q[k] - (dot < 0 ? -p[k] : p[k]);
    gap += d * d;
  }
  return 4 * hn_asin(fmin(1, 0.5 * sqrt(gap)));
}

static motion motion_of(const hn_yardstick *y, int body, const double *state, const double *first) {
  const hn_system *sys = y->sys;
  const hn_sys_body *b = &sys->body[body];
  const double *q = state + b->q0, *v = state + sys->bq + b->v0;
  int linear = linear_of(b), p = sys->part[body];
  motion m = {0};
  for (int c = 0; c < linear; c++) {
    bool own = b->kind == HN_SCALAR;
    m.x[HN_PLACE][c] = q[c] - (own ? 0 : y->centre[p][0][c]);
    m.x[HN_SPEED][c] = v[c] - (own ? 0 : y->centre[p][1][c]);
  }
  if (b->kind == HN_PLANAR) {
    m.x[HN_TURN][0] = q[2];
    m.x[HN_SPIN][0] = v[2];
  } else if (b->kind == HN_SPATIAL) {
    m.turn = angle_between(first + b->q0 + 3, q + 3);
    memcpy(m.x[HN_SPIN], v + 3, sizeof m.x[HN_SPIN]);
  }
  return m;
}

static void see(hn_extent *e, const double x[3], bool first) {
  for (int c = 0; c < 3; c++) {
    e->low[c] = first ? x[c] : fmin(e->low[c], x[c]);
    e->high[c] = first ? x[c] : fmax(e->high[c], x[c]);
  }
}

static double range(const hn_extent *e) {
  double d[3];
  v3_sub(d, e->high, e->low);
  return v3_norm(d);
}

// range of a state of first order; what stays as it is has a thousandth of itself
static double state_range(const hn_yardstick *y, const struct hn_track *k, int state) {
  const hn_system *sys = y->sys;
  double low = INFINITY, high = -INFINITY;
  // the better of the two motions where both are known
  for (int i = 0; i < k->count; i++) {
    if (i >= k->covered && !k->own[i]) continue;
    const double *x = (i < k->covered ? k->other : k->state) + (size_t)i * (size_t)k->n;
    low = fmin(low, x[sys->bq + sys->bv + state]), high = fmax(high, x[sys->bq + sys->bv + state]);
  }
  return fmax(fmax(high - low, slight * fmax(fabs(high), fabs(low))), hn_state_floor(sys, state));
}

static void measure_motion(hn_yardstick *y, const struct hn_track *k) {
  const hn_system *sys = y->sys;
  for (int i = 0; i < sys->states; i++) y->state[i] = state_range(y, k, i);
  for (int i = 0; i < k->count; i++) {
    if (i >= k->covered && !k->own[i]) continue;
    const double *state = (i < k->covered ? k->other : k->state) + (size_t)i * (size_t)k->n;
    centres(y, state, y->centre);
    for (int p = 0; p < sys->parts; p++)
      for (int side = 0; side < 2; side++)
        see(&y->seen[sys->bodies + p][side ? HN_SPEED : HN_PLACE], y->centre[p][side], i == 0);
    for (int body = 1; body < sys->bodies; body++) {
      motion m = motion_of(y, body, state, k->other);
      for (int kind = 0; kind < HN_KINDS; kind++) see(&y->seen[body][kind], m.x[kind], i == 0);
      y->size[body][HN_TURN] = fmax(y->size[body][HN_TURN], m.turn);
    }
  }
  for (int i = 1; i < sys->bodies + sys->parts; i++) {
    int p = i < sys->bodies ? sys->part[i] : i - sys->bodies;
    for (int kind = 0; kind < HN_KINDS; kind++) {
      y->size[i][kind] = fmax(y->size[i][kind], range(&y->seen[i][kind]));
      y->largest[p][kind] = fmax(y->largest[p][kind], y->size[i][kind]);
    }
  }
}

// what errors of body (or part) i are measured by.
// Of places and turns, lengths of the model tie both together: a body that only turns is judged by
// what its turn moves in the model; of speeds likewise
static double scale_of(const hn_yardstick *y, int i, int kind) {
  const hn_system *sys = y->sys;
  const double *largest = y->largest[i < sys->bodies ? sys->part[i] : i - sys->bodies];
  double L = sys->length;
  double far = fmax(largest[HN_PLACE], L * fmin(largest[HN_TURN], 1));
  double fast = fmax(largest[HN_SPEED], L * largest[HN_SPIN]);
  // what moves steadily has no range of speeds: a part of how fast it goes counts
  double way = fmax(y->size[i][HN_PLACE], L * y->size[i][HN_TURN]);
  fast = fmax(fast, way / y->duration);
  // what rests is measured by the model itself, and its speeds by that in the time of the run:
  // rounding of its places over a step is no motion
  far = far > 1e-9 * L ? fmin(far, slight * L) : slight * L;
  fast = slight * (fast > 1e-9 * L / y->duration ? fast : L / y->duration);
  switch (kind) {
  case HN_PLACE: return fmax(y->size[i][kind], far);
  case HN_TURN: return fmin(fmax(y->size[i][kind], far / L), 1);
  case HN_SPEED: return fmax(y->size[i][kind], fast);
  default: return fmax(y->size[i][kind], fast / L);
  }
}

void hn_yardstick_free(hn_yardstick *y) {
  free(y->mass), free(y->centre), free(y->of_run), free(y->size), free(y->largest), free(y->seen);
  free(y->scale), free(y->state);
}

bool hn_yardstick_make(hn_yardstick *y, const hn_system *sys, const struct hn_track *k) {
  size_t parts = (size_t)sys->parts + 1, all = parts + (size_t)sys->bodies;
  *y = (hn_yardstick){.sys = sys, .duration = fmax(k->time[k->count - 1] - k->t0, 1e-300)};
  y->mass = calloc(parts, sizeof *y->mass);
  y->centre = calloc(parts, sizeof *y->centre);
  y->of_run = calloc(parts, sizeof *y->of_run);
  y->size = calloc(all, sizeof *y->size);
  y->largest = calloc(parts, sizeof *y->largest);
  y->seen = calloc(all, sizeof *y->seen);
  y->scale = calloc(all, sizeof *y->scale);
  y->state = calloc((size_t)sys->states + 1, sizeof *y->state);
  if (!y->mass || !y->centre || !y->of_run || !y->size || !y->largest || !y->seen || !y->scale ||
      !y->state) {
    hn_yardstick_free(y);
    return false;
  }
  for (int i = 1; i < sys->bodies; i++) y->mass[sys->part[i]] += sys->body[i].mass;
  measure_motion(y, k);
  for (int i = 1; i < sys->bodies + sys->parts; i++)
    for (int kind = 0; kind < HN_KINDS; kind++) y->scale[i][kind] = scale_of(y, i, kind);
  return true;
}

// written so that a NaN is the largest of all
static void find_relative(hn_finding *f, int side, int what, double relative) {
  f->now = hn_worse(f->now, relative);
  if (relative <= f->relative[side] || isnan(f->relative[side])) return;
  f->relative[side] = relative;
  f->time[side] = f->t;
  f->what[side] = what;
}

// kinds alternate: place, turn, speed, spin; absolute errors of places and speeds are noted
// elsewhere (find_place)
static void find(hn_finding *f, const hn_yardstick *y, int i, int kind, double error) {
  double *absolute[HN_KINDS] = {&f->e->position, &f->e->angle, &f->e->velocity, &f->e->spin};
  error *= f->factor;
  // of places and speeds the whole error counts, not that against the centre
  if (kind % 2 && !(error <= *absolute[kind])) *absolute[kind] = error;
  find_relative(f, kind >= HN_SPEED ? HN_VELOCITIES : HN_POSITIONS, i, error / y->scale[i][kind]);
}

static double gap(const double *a, const double *b, int n) {
  double sum = 0;
  for (int c = 0; c < n; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(sum);
}

static void find_body(hn_finding *f, const hn_yardstick *y, int i, const double *a,
                      const double *b) {
  const hn_sys_body *body = &y->sys->body[i];
  int q = body->q0, v = y->sys->bq + body->v0, linear = linear_of(body);
  double turn = 0;
  if (body->kind == HN_PLANAR) turn = fabs(a[q + 2] - b[q + 2]);
  if (body->kind == HN_SPATIAL) turn = angle_between(a + q + 3, b + q + 3);
  find(f, y, i, HN_TURN, turn);
  find(f, y, i, HN_SPIN, gap(a + v + linear, b + v + linear, body->nv - linear));
}

// place and speed of body i against the centre of its part: differences of these are linear
static void find_place(hn_finding *f, const hn_yardstick *y, int i, const double *a,
                       const double *b) {
  const hn_system *sys = y->sys;
  const hn_sys_body *body = &sys->body[i];
  int p = sys->part[i], linear = linear_of(body), at[2] = {body->q0, sys->bq + body->v0};
  double *whole[2] = {&f->e->position, &f->e->velocity};
  for (int side = 0; side < 2; side++) {
    double e[3] = {0};
    *whole[side] = fmax(*whole[side], f->factor * gap(a + at[side], b + at[side], linear));
    for (int c = 0; c < linear; c++) {
      e[c] = a[at[side] + c] - b[at[side] + c];
      if (body->kind != HN_SCALAR) e[c] -= y->of_run[p][side][c] - y->centre[p][side][c];
    }
    find(f, y, i, side ? HN_SPEED : HN_PLACE, v3_norm(e));
  }
}

void hn_find_sample(hn_finding *f, hn_yardstick *y, const struct hn_track *k, int sample) {
  const hn_system *sys = y->sys;
  const double *a = k->state + (size_t)sample * (size_t)k->n;
  const double *b = k->other + (size_t)sample * (size_t)k->n;
  f->t = k->time[sample];
  f->now = 0;
  centres(y, a, y->of_run);
  centres(y, b, y->centre);
  for (int p = 0; p < sys->parts; p++)
    for (int side = 0; side < 2; side++)
      find(f, y, sys->bodies + p, side ? HN_SPEED : HN_PLACE,
           gap(y->of_run[p][side], y->centre[p][side], 3));
  for (int i = 1; i < sys->bodies; i++) {
    find_body(f, y, i, a, b);
    find_place(f, y, i, a, b);
  }
  for (int i = 0, at = sys->bq + sys->bv; i < sys->states; i++)
    find_relative(f, HN_STATES, i, f->factor * fabs(a[at + i] - b[at + i]) / y->state[i]);
}
