// cones.c: one contact after the other is brought to rest, to slide or to part, with what the
// others do held, round after round (M. Jean, The non-smooth contact dynamics method, Comput.
// Methods Appl. Mech. Engrg. 177, 1999). Every contact's own problem is solved exactly. Rounds end
// when no unknown changes any more.
#include "linalg/cones.h"

#include <math.h>
#include <stddef.h>

enum { ROUNDS = 20000, NEWTON = 60 };
static const double nothing = 1e-11;

typedef struct problem {
  const double *A, *b;
  int apart, m;
  double *x;
  double dead;    // a diagonal that is round-off: x does nothing there
  double size;    // largest of what y is made of, or could be
  double change;  // of y by what changed in this round
} problem;

static double residual(problem *p, int i) {
  const double *row = p->A + (long)i * p->apart;
  double sum = p->b[i];
  for (int k = 0; k < p->m; k++) sum += row[k] * p->x[k];
  return sum;
}

static double own(const problem *p, int i, int k) {
  return p->A[(long)i * p->apart + k];
}

static void set(problem *p, int i, double x) {
  double moved = fabs(own(p, i, i) * (x - p->x[i]));
  p->change = fmax(p->change, moved);
  p->size = fmax(p->size, fabs(own(p, i, i) * x));
  p->x[i] = x;
}

// the sliding friction that follows from a normal unknown; NULL: there is none
static const hn_cone *slider_of(const hn_cone *cone, int cones, int normal) {
  for (int k = 0; k < cones; k++)
    if (cone[k].normal == normal && cone[k].slides) return &cone[k];
  return NULL;
}

static void slide(problem *p, const hn_cone *c) {
  double r = hn_cone_radius(c, p->x);
  for (int k = 0; k < c->size; k++) set(p, c->first + k, -r * c->direction[k]);
}

// false: paradox
static bool press(problem *p, int i, const hn_cone *slider) {
  double diagonal = own(p, i, i);
  if (slider)
    for (int k = 0; k < slider->size; k++)
      diagonal -= slider->coefficient * slider->direction[k] * own(p, i, slider->first + k);
  if (!(own(p, i, i) > p->dead)) return true;
  if (!(diagonal > 1e-9 * own(p, i, i))) return false;
  set(p, i, fmax(0, p->x[i] - residual(p, i) / diagonal));
  if (slider) slide(p, slider);
  return true;
}

static void rub_line(problem *p, const hn_cone *c, double r) {
  int i = c->first;
  double y = residual(p, i), diagonal = own(p, i, i);
  if (diagonal > p->dead)
    set(p, i, fmin(fmax(p->x[i] - y / diagonal, -r), r));
  else
    p->x[i] = fabs(y) > nothing * p->size ? copysign(r, -y) : 0;
}

// (B + s) x = -c with |x| = r, or s = 0 and |x| < r; B is [a o; o d], c is (u, v)
void hn_cone_disc(double a, double d, double o, double u, double v, double r, double x[2]) {
  double s = 0;
  x[0] = x[1] = 0;
  // alike in all directions, as with balls: at once
  if (fabs(a - d) <= 1e-15 * a && fabs(o) <= 1e-15 * a && a > 0) {
    double n = sqrt(u * u + v * v), part = n > a * r ? r / n : 1 / a;
    x[0] = -part * u, x[1] = -part * v;
    return;
  }
  for (int pass = 0; pass < NEWTON; pass++) {
    double det = (a + s) * (d + s) - o * o;
    // B alone may be singular
    if (!(det > 1e-14 * a * d)) {
      s = 1e-12 * (a + d);
      continue;
    }
    x[0] = (-(d + s) * u + o * v) / det, x[1] = (o * u - (a + s) * v) / det;
    double n = hypot(x[0], x[1]);
    if (n <= r * (1 + 1e-15) && (s <= 1e-11 * (a + d) || n >= r * (1 - 1e-15))) break;
    // d(1/|x|)/ds is nearly constant
    double tx = (-(d + s) * x[0] + o * x[1]) / det, ty = (o * x[0] - (a + s) * x[1]) / det;
    double slope = (x[0] * tx + x[1] * ty) / n;
    double next = s - (n - r) / slope * (n / r);
    if (!(fabs(next - s) > 1e-16 * fabs(s)) || !(next >= 0)) break;
    s = next;
  }
  double n = hypot(x[0], x[1]), part = n > r ? r / n : 1;
  x[0] *= part, x[1] *= part;
}

static void rub_disc(problem *p, const hn_cone *c, double r) {
  int i = c->first, k = i + 1;
  double a = own(p, i, i), d = own(p, k, k), o = own(p, i, k), x[2] = {0, 0};
  double u = residual(p, i) - a * p->x[i] - o * p->x[k];
  double v = residual(p, k) - o * p->x[i] - d * p->x[k];
  if (a > p->dead && d > p->dead && r > 0) hn_cone_disc(a, d, o, u, v, r, x);
  set(p, i, x[0]), set(p, k, x[1]);
}

static void judge_size(problem *p, const hn_cone *cone, int cones) {
  double most = 0;
  for (int i = 0; i < p->m; i++) {
    p->size = fmax(p->size, fabs(p->b[i]));
    most = fmax(most, own(p, i, i));
  }
  for (int k = 0; k < cones; k++)
    for (int i = cone[k].first; i < cone[k].first + cone[k].size; i++)
      p->size = fmax(p->size, hn_cone_radius(&cone[k], p->x) * own(p, i, i));
  p->dead = 1e-13 * most;
}

static void rub(problem *p, const hn_cone *c) {
  double r = hn_cone_radius(c, p->x);
  if (c->slides)
    slide(p, c);
  else if (c->size == 1)
    rub_line(p, c, r);
  else
    rub_disc(p, c, r);
}

hn_cones_end hn_cones_solve(const double *A, int apart, const double *b, int n, int m,
                            const hn_cone *cone, int cones, double *x, double *y, int *which,
                            double *size) {
  problem p = {.A = A, .b = b, .apart = apart, .m = m, .x = x};
  hn_cones_end end = HN_CONES_NONE;
  judge_size(&p, cone, cones);
  for (int round = 0; round < ROUNDS && end == HN_CONES_NONE; round++) {
    p.change = 0;
    for (int i = 0; i < n; i++) {
      const hn_cone *slider = slider_of(cone, cones, i);
      if (press(&p, i, slider)) continue;
      *which = (int)(slider - cone);
      return HN_CONES_PARADOX;
    }
    for (int k = 0; k < cones; k++) rub(&p, &cone[k]);
    if (p.change <= 1e-15 * p.size) end = HN_CONES_FOUND;
  }
  // rounds that creep may still have come close enough
  if (p.change <= nothing * p.size) end = HN_CONES_FOUND;
  for (int i = 0; i < m; i++) y[i] = residual(&p, i);
  *size = p.size;
  return end;
}
