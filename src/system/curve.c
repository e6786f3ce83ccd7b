// curve.c: see curve.h.
//
// With the nearest point C(t), the unit tangent T and the outer normal N there, curvature k
// (positive where the curve bends away from N), p = C + s N:
//
//   gradient of s: N       second derivatives: k / (1 + k s) T T^T
//
// The nearest point is looked for in every segment that may have it; there, between samples of the
// distance's slope (C - p).C', a polynomial of fifth degree.
#include "system/curve.h"
#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a segment: C(t) = c0 + c1 t + c2 t^2 + c3 t^3 in x and y, 0 <= t <= h; in a circle
typedef struct segment {
  double h, c[2][4];
  double middle[2], radius;
} segment;
enum { EACH = sizeof(segment) / sizeof(double), SAMPLES = 8, HEAD = 3 };

// data: number of segments, closed, sign that makes s positive outside; then the segments
static int segments(int count, bool closed) {
  return closed ? count : count - 1;
}

int hn_curve_size(int count, bool closed) {
  return HEAD + EACH * segments(count, closed);
}

// ---- fitting -------------------------------------------------------------------------------

// x <- T^-1 x, T symmetric with `diagonal` and `beside` it, diagonally dominant: no pivots are
// exchanged. room: n
static void solve_tridiagonal(int n, const double *diagonal, const double *beside, double *x,
                              double *room) {
  for (int i = 0; i < n; i++) {
    double left = i ? beside[i - 1] : 0, pivot = diagonal[i] - (i ? left * room[i - 1] : 0);
    room[i] = i + 1 < n ? beside[i] / pivot : 0;
    x[i] = (x[i] - (i ? left * x[i - 1] : 0)) / pivot;
  }
  for (int i = n - 2; i >= 0; i--) x[i] -= room[i] * x[i + 1];
}

// Second derivatives m at n points of a spline over values f with steps h: the equations
//   h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (slope_i - slope_(i-1)),
// with m = 0 at the ends, or periodic. Then c = h_(n-1) stands in the two far corners of a
// tridiagonal matrix T + u v^T, u = (g, 0 ... 0, c), v = (1, 0 ... 0, c / g), and the inverse is
// that of T and a product (Sherman & Morrison 1950); g = -T_00 keeps T dominant. work: 3 n
static void second_derivatives(const double *f, const double *h, int n, bool closed, double *m,
                               double *work) {
  double *diagonal = work, *room = work + n, *z = work + 2 * n;
  for (int i = 0; i < n; i++) {
    int before = (i + n - 1) % n, after = (i + 1) % n;
    m[i] = diagonal[i] = 0;
    if (!closed && (i == 0 || i == n - 1)) continue;
    diagonal[i] = 2 * (h[before] + h[i]);
    m[i] = 6 * ((f[after] - f[i]) / h[i] - (f[i] - f[before]) / h[before]);
  }
  if (!closed) {
    if (n > 2) solve_tridiagonal(n - 2, diagonal + 1, h + 1, m + 1, room);
    return;
  }
  double corner = h[n - 1], g = -diagonal[0];
  diagonal[0] -= g, diagonal[n - 1] -= corner * corner / g;
  for (int i = 0; i < n; i++) z[i] = i == 0 ? g : i == n - 1 ? corner : 0;
  solve_tridiagonal(n, diagonal, h, m, room);
  solve_tridiagonal(n, diagonal, h, z, room);
  double part = (m[0] + corner / g * m[n - 1]) / (1 + z[0] + corner / g * z[n - 1]);
  for (int i = 0; i < n; i++) m[i] -= part * z[i];
}

static void at(const segment *s, double t, double C[2], double D[2], double E[2]) {
  for (int k = 0; k < 2; k++) {
    const double *c = s->c[k];
    C[k] = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
    D[k] = c[1] + t * (2 * c[2] + 3 * t * c[3]);
    E[k] = 2 * c[2] + 6 * t * c[3];
  }
}

// a circle about the control points of the segment as a Bezier curve, which hold it in their hull.
// By it most segments are passed over without a look at their points.
static void enclose(segment *s) {
  double b[4][2];
  for (int k = 0; k < 2; k++) {
    const double *c = s->c[k];
    double h = s->h, one = c[1] * h, two = c[2] * h * h, three = c[3] * h * h * h;
    b[0][k] = c[0];
    b[1][k] = c[0] + one / 3;
    b[2][k] = c[0] + 2 * one / 3 + two / 3;
    b[3][k] = c[0] + one + two + three;
    s->middle[k] = 0.5 * (b[0][k] + b[3][k]);
  }
  s->radius = 0;
  for (int i = 0; i < 4; i++)
    s->radius = fmax(s->radius, hn_hypot(b[i][0] - s->middle[0], b[i][1] - s->middle[1]));
}

static void fill(segment *s, const double *x, const double *m, int i, int next, int k) {
  double h = s->h, slope = (x[next] - x[i]) / h;
  s->c[k][0] = x[i];
  s->c[k][1] = slope - h * (2 * m[i] + m[next]) / 6;
  s->c[k][2] = m[i] / 2;
  s->c[k][3] = (m[next] - m[i]) / (6 * h);
}

hn_status hn_curve_fit(const double *point, int count, bool closed, double *data) {
  int n = segments(count, closed);
  double *room = malloc(6 * (size_t)count * sizeof *room), area = 0;
  if (!room) return HN_ERR_MEMORY;
  double *h = room, *x = room + count, *m = room + 2 * count;
  segment *s = (segment *)(void *)(data + HEAD);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    const double *p = point + 2 * i, *q = point + 2 * ((i + 1) % count);
    s[i].h = h[i] = hn_hypot(q[0] - p[0], q[1] - p[1]);
    area += p[0] * q[1] - p[1] * q[0];
    ok = ok && h[i] > 0;
  }
  for (int k = 0; k < 2 && ok; k++) {
    for (int i = 0; i < count; i++) x[i] = point[2 * i + k];
    second_derivatives(x, h, count, closed, m, room + 3 * (size_t)count);
    for (int i = 0; i < n; i++) fill(&s[i], x, m, i, (i + 1) % count, k);
  }
  for (int i = 0; i < n && ok; i++) enclose(&s[i]);
  data[0] = n, data[1] = closed;
  // left of the way is inside of a closed curve that goes round against the clock
  data[2] = closed && area > 0 ? -1 : 1;
  free(room);
  return ok ? HN_OK : HN_ERR_MODEL;
}

// ---- the nearest point ---------------------------------------------------------------------

typedef struct foot {
  const segment *s;
  double t, square, distance;  // parameter, the distance and its square
} foot;

// Half the derivative of the squared distance by t, and its own derivative.
static double slope(const segment *s, const double p[3], double t, double *change) {
  double C[2], D[2], E[2];
  at(s, t, C, D, E);
  double d[2] = {C[0] - p[0], C[1] - p[1]};
  *change = D[0] * D[0] + D[1] * D[1] + d[0] * E[0] + d[1] * E[1];
  return d[0] * D[0] + d[1] * D[1];
}

// root of the slope between a, where it is below zero, and b: Newton's steps, halved intervals
// where these lead out
static double refine(const segment *s, const double p[3], double a, double b) {
  double t = 0.5 * (a + b), change;
  for (int i = 0; i < 60; i++) {
    double f = slope(s, p, t, &change);
    *(f < 0 ? &a : &b) = t;
    double next = change > 0 ? t - f / change : a;
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    if (fabs(next - t) <= 1e-16 * s->h) return next;
    t = next;
  }
  return t;
}

static void consider(foot *best, const segment *s, const double p[3], double t) {
  double C[2], D[2], E[2];
  at(s, t, C, D, E);
  double square = (C[0] - p[0]) * (C[0] - p[0]) + (C[1] - p[1]) * (C[1] - p[1]);
  // of two that are equally near the first, whichever was looked at first
  if (square < best->square || (square == best->square && s < best->s))
    *best = (foot){s, t, square, sqrt(square)};
}

static double from_middle(const segment *s, const double p[3]) {
  double x = p[0] - s->middle[0], y = p[1] - s->middle[1];
  return x * x + y * y;
}

static void search(foot *best, const segment *s, const double p[3]) {
  double reach = s->radius + best->distance, change;
  if (from_middle(s, p) > reach * reach) return;
  double before = slope(s, p, 0, &change);
  consider(best, s, p, 0);
  for (int k = 1; k <= SAMPLES; k++) {
    double t = s->h * k / SAMPLES, now = slope(s, p, t, &change);
    if (before < 0 && now >= 0) consider(best, s, p, refine(s, p, s->h * (k - 1) / SAMPLES, t));
    before = now;
  }
  consider(best, s, p, s->h);
}

// On the inner side of a bend, beyond its centre of curvature, the nearest point jumps: 1 + k s
// changes its sign there, and there is no smooth distance.
static void curve(const double *data, const double p[3], int level, hn_surface_at *o) {
  const segment *s = (const segment *)(const void *)(data + HEAD);
  int n = (int)data[0];
  bool closed = data[1] != 0;
  double C[2], D[2], E[2], least = INFINITY;
  // the one that seems nearest first: most others are passed over then
  int first = 0;
  for (int i = 0; i < n; i++) {
    double square = from_middle(&s[i], p);
    if (square < least) least = square, first = i;
  }
  foot best = {s, 0, INFINITY, INFINITY};
  search(&best, &s[first], p);
  for (int i = 0; i < n; i++)
    if (i != first) search(&best, &s[i], p);
  at(best.s, best.t, C, D, E);
  double length = hn_hypot(D[0], D[1]), T[2] = {D[0] / length, D[1] / length};
  double N[2] = {-data[2] * T[1], data[2] * T[0]}, d[2] = {p[0] - C[0], p[1] - C[1]};
  // beyond the ends it goes on straight
  bool end =
      !closed && ((best.s == s && best.t == 0) || (best.s == s + n - 1 && best.t == best.s->h));
  *o = (hn_surface_at){.value = d[0] * N[0] + d[1] * N[1], .gradient = {N[0], N[1], 0}};
  if (level < 2 || end) return;
  double k = -(E[0] * N[0] + E[1] * N[1]) / (length * length), bend = k / (1 + k * o->value);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) o->hessian[3 * i + j] = bend * T[i] * T[j];
}

const hn_surface hn_surface_curve = {"curve", curve};
