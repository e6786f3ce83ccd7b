// discs.c: frictions alone, their normal forces known.
//
// That is a convex problem: the least of x'Ax/2 + b'x over |x_k| <= r_k. Rounds over the frictions
// (cones.c) creep towards it where several hold one body together near the limit of all of them, as
// the feet of a box do on a slope: A has no inverse there, and one foot hands on to the next what
// is left. Here the multipliers s_k >= 0 of the limits are looked for,
//
//   x(s) = -(A + d + s)^-1 (b - d z),   s_k = 0 or |x_k| = r_k
//
// by Newton's method for 1/|x_k| = 1/r_k, which is nearly linear in s (J. J. More, D. C. Sorensen,
// SIAM J. Sci. Stat. Comput. 4, 1983), in all of them at once, with steps that let the dual rise. d
// makes the inverse: what it does to the solution is taken back by z, the solution before it, from
// one to the next (R. T. Rockafellar, Monotone operators and the proximal point algorithm, SIAM J.
// Control Optim. 14, 1976). Of many solutions it is the one nearest to the first guess.
#include "linalg/cones.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { PROXIMAL = 300, STEPS = 60 };
// d as a part of the largest diagonal: it falls from one solution to the next, but what A does not
// see of x is known no better than by the rounding of A over d
static const double first_yielding = 1e-3, last_yielding = 3e-6, falling = 0.3;
// limits are kept by this much of them, and met to a part of that
static const double inside = 3e-9, met = 1e-9;

typedef struct discs {
  const double *A, *b;
  int apart, m;
  const hn_cone *cone;
  double *x, d;
  int n, count;  // unknowns of frictions that may hold, and how many these are
  hn_discs_room *room;
} discs;

void hn_discs_layout(hn_discs_room *room, hn_arena *arena, int cones) {
  size_t n = (size_t)cones * HN_CONE_SIZE, count = (size_t)cones;
  room->cones = cones;
  room->L = HN_TAKE(arena, double, n *n);
  room->N = HN_TAKE(arena, double, count *count);
  room->z = HN_TAKE(arena, double, n);
  room->column = HN_TAKE(arena, double, n);
  room->load = HN_TAKE(arena, double, n);
  room->s = HN_TAKE(arena, double, count);
  double **const of_each[] = {&room->step, &room->slope, &room->own, &room->from};
  for (int i = 0; i < 4; i++) *of_each[i] = HN_TAKE(arena, double, count);
  room->at = HN_TAKE(arena, int, n);
  room->of = HN_TAKE(arena, int, n);
  room->which = HN_TAKE(arena, int, count);
  room->swap = HN_TAKE(arena, int, count);
}

static double radius(const discs *p, int k) {
  return (1 - inside) * hn_cone_radius(&p->cone[p->room->which[k]], p->x);
}

// x(s); L its factors. false: not positive definite, which round-off may make of it
static bool respond(discs *p) {
  hn_discs_room *o = p->room;
  for (int i = 0; i < p->n; i++) {
    const double *row = p->A + (long)o->at[i] * p->apart;
    for (int k = 0; k < p->n; k++) o->L[i * p->n + k] = row[o->at[k]];
    o->L[i * p->n + i] += p->d + o->s[o->of[i]];
    o->column[i] = p->d * o->z[i] - o->load[i];
  }
  if (!hn_dense_cholesky(p->n, o->L)) return false;
  hn_dense_cholesky_solve(p->n, o->L, o->column);
  for (int i = 0; i < p->n; i++) p->x[o->at[i]] = o->column[i];
  return true;
}

static double size_of(const discs *p, int k) {
  const hn_cone *c = &p->cone[p->room->which[k]];
  double sum = 0;
  for (int i = c->first; i < c->first + c->size; i++) sum += p->x[i] * p->x[i];
  return sqrt(sum);
}

// N_kl = x_k . (A + d + s)^-1_kl x_l: how |x_k|^2 / 2 falls with s_l
static void slopes(discs *p) {
  hn_discs_room *o = p->room;
  for (int l = 0; l < p->count; l++) {
    for (int i = 0; i < p->n; i++) o->column[i] = o->of[i] == l ? p->x[o->at[i]] : 0;
    hn_dense_cholesky_solve(p->n, o->L, o->column);
    for (int k = 0; k < p->count; k++) o->N[k * p->count + l] = 0;
    for (int i = 0; i < p->n; i++) o->N[o->of[i] * p->count + l] += p->x[o->at[i]] * o->column[i];
  }
}

// what is made as large as it can be (the dual of the problem), and round-off of it
static double dual(const discs *p, double *grain) {
  const hn_discs_room *o = p->room;
  double sum = 0, most = 0;
  for (int i = 0; i < p->n; i++) {
    double part = 0.5 * (o->load[i] - p->d * o->z[i]) * p->x[o->at[i]];
    sum += part, most += fabs(part);
  }
  for (int k = 0; k < p->count; k++) {
    double r = radius(p, k), part = 0.5 * o->s[k] * r * r;
    sum -= part, most += part;
  }
  *grain = 1e-14 * most;
  return sum;
}

// Newton's step; returns the largest part by which a limit is missed. Frictions below their limits
// without s stay out of it
static double step_of(discs *p) {
  hn_discs_room *o = p->room;
  double most = 0, rises = 0;
  slopes(p);
  for (int k = 0; k < p->count; k++) {
    double r = radius(p, k), size = size_of(p, k), miss = (size - r) / r;
    bool in = o->s[k] > 0 || size > r;
    if (in) most = fmax(most, fabs(miss));
    o->step[k] = in ? size * size * miss : 0;
    o->slope[k] = in ? size * size - r * r : 0;
    o->own[k] = o->N[k * p->count + k];
    for (int l = 0; l < p->count && !in; l++)
      o->N[k * p->count + l] = o->N[l * p->count + k] = k == l;
  }
  bool found = hn_dense_lu(p->count, o->N, o->swap);
  if (found) hn_dense_lu_solve(p->count, o->N, o->swap, o->step);
  for (int k = 0; k < p->count; k++) rises += o->step[k] * o->slope[k];
  if (found && rises > 0) return most;
  for (int k = 0; k < p->count; k++) o->step[k] = o->own[k] > 0 ? o->slope[k] / o->own[k] : 0;
  return most;
}

// goes along the step as far as the dual does not fall
static bool go(discs *p) {
  hn_discs_room *o = p->room;
  double grain, before = dual(p, &grain), part = 1;
  memcpy(o->from, o->s, (size_t)p->count * sizeof(double));
  for (int halves = 0; halves < 40; halves++, part *= 0.5) {
    for (int k = 0; k < p->count; k++) o->s[k] = fmax(0, o->from[k] + part * o->step[k]);
    if (respond(p) && dual(p, &grain) >= before - grain) return true;
  }
  return false;
}

// the solution near z
static bool find(discs *p) {
  double missed = INFINITY, before = INFINITY;
  if (!respond(p)) return false;
  for (int step = 0; step < STEPS; step++) {
    missed = step_of(p);
    // the last steps are round-off
    if (missed <= 1e-12 || (missed <= met && missed > 0.1 * before)) return true;
    before = missed;
    if (!go(p)) return false;
  }
  return missed <= met;
}

// which frictions may hold, and what acts on them but for their own forces. Returns what y is
// judged by: what loads, or the largest frictions, could make of it
static double pose(discs *p, int cones) {
  hn_discs_room *o = p->room;
  double most = 0, size = 0;
  for (int c = 0; c < cones; c++) {
    const hn_cone *cone = &p->cone[c];
    double r = hn_cone_radius(cone, p->x);
    for (int i = 0; i < cone->size; i++) {
      int at = cone->first + i;
      size = fmax(size, r * p->A[(long)at * p->apart + at]);
      if (cone->slides || !(r > 0)) {
        p->x[at] = cone->slides ? -r * cone->direction[i] : 0;
        continue;
      }
      o->at[p->n] = at, o->of[p->n] = p->count;
      o->z[p->n++] = p->x[at];
      most = fmax(most, p->A[(long)at * p->apart + at]);
    }
    if (!cone->slides && r > 0) o->s[p->count] = 0, o->which[p->count++] = c;
  }
  for (int i = 0; i < p->n; i++) {
    const double *row = p->A + (long)o->at[i] * p->apart;
    o->load[i] = p->b[o->at[i]];
    for (int k = 0; k < p->m; k++) o->load[i] += row[k] * p->x[k];
    for (int k = 0; k < p->n; k++) o->load[i] -= row[o->at[k]] * o->z[k];
    size = fmax(size, fabs(o->load[i]));
  }
  p->d = first_yielding * most;
  return size;
}

hn_cones_end hn_cones_hold(const double *A, int apart, const double *b, int m, const hn_cone *cone,
                           int cones, double *x, double *y, double *size, hn_discs_room *room) {
  discs p = {.A = A, .b = b, .apart = apart, .m = m, .cone = cone, .x = x, .room = room};
  if (cones > room->cones) return HN_CONES_NONE;
  double loads = pose(&p, cones), change = INFINITY, least = last_yielding / first_yielding * p.d;
  *size = fmax(*size, loads);
  for (int round = 0; round < PROXIMAL && p.n && change > 1e-15 * *size; round++) {
    if (!find(&p)) return HN_CONES_NONE;
    change = 0;
    for (int i = 0; i < p.n; i++) {
      change = fmax(change, p.d * fabs(x[room->at[i]] - room->z[i]));
      room->z[i] = x[room->at[i]];
    }
    p.d = fmax(falling * p.d, least);
  }
  for (int i = 0; i < m; i++) {
    y[i] = b[i];
    for (int k = 0; k < m; k++) y[i] += A[(long)i * apart + k] * x[k];
  }
  return HN_CONES_FOUND;
}
