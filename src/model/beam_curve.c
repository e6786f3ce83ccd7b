// beam_curve.c: the line that a beam follows, by its length.
//
// Points are joined by cubic Hermite pieces over their chords, with slopes of the parabola through
// three neighbours: local, and exact for straight lines and parabolas. The curve is then measured,
// and asked about by arc length, because nodes are spread along that. Beams need a dozen points;
// nothing here has to be fast.
#include "model/beam_curve.h"

#include "base/elementary.h"
#include "base/vec.h"

#include <stdlib.h>

// The circumcentre of a triangle, from its first corner: (b.b n x a + a.a b x n) / (2 n.n), n = a x
// b. The arc runs from the first point through the second to the third; u points from the centre to
// the first, w along the way, so that angles grow from 0 to `angle`, at most a whole turn. Points
// on a line (1e-9 of their size) have no circle.
static bool find_arc(hn_curve *c) {
  double a[3], b[3], n[3], x[3], y[3];
  v3_sub(a, c->point + 3, c->point);
  v3_sub(b, c->point + 6, c->point);
  v3_cross(n, a, b);
  double nn = v3_dot(n, n), size = v3_dot(a, a) + v3_dot(b, b);
  if (!(sqrt(nn) > 1e-9 * size)) return false;
  // centre from the first point: ((b.b) n x ... ) / (2 n.n)
  v3_cross(x, n, a);
  v3_cross(y, b, n);
  v3_set(c->centre, 0, 0, 0);
  v3_addto(c->centre, v3_dot(b, b) / (2 * nn), x);
  v3_addto(c->centre, v3_dot(a, a) / (2 * nn), y);
  c->radius = v3_norm(c->centre);
  v3_scale(c->u, -1 / c->radius, c->centre);
  v3_add(c->centre, c->centre, c->point);
  v3_scale(n, 1 / sqrt(nn), n);
  v3_cross(c->w, n, c->u);
  v3_sub(x, c->point + 6, c->centre);
  c->angle = hn_atan2(v3_dot(x, c->w), v3_dot(x, c->u));
  if (c->angle <= 0) c->angle += 2 * hn_pi;
  c->length = c->radius * c->angle;
  return true;
}

static double chord(const hn_curve *c, int k) {
  double d[3];
  v3_sub(d, c->point + 3 * (k + 1), c->point + 3 * k);
  return v3_norm(d);
}

// slope at point k of the parabola through it and its neighbours
// Derivative by chord length. At the ends the parabola of the first, or last, three points goes on.
static void set_slopes(hn_curve *c) {
  int n = c->count;
  for (int k = 0; k < n; k++) {
    int m = n == 2 ? 0 : k == 0 ? 1 : k == n - 1 ? n - 2 : k;  // middle of the three
    for (int i = 0; i < 3; i++) {
      const double *p = c->point + i;
      if (n == 2) {
        c->slope[3 * k + i] = (p[3] - p[0]) / chord(c, 0);
        continue;
      }
      double h0 = chord(c, m - 1), h1 = chord(c, m);
      double d0 = (p[3 * m] - p[3 * (m - 1)]) / h0, d1 = (p[3 * (m + 1)] - p[3 * m]) / h1;
      double middle = (h1 * d0 + h0 * d1) / (h0 + h1);
      c->slope[3 * k + i] = k < m ? 2 * d0 - middle : k > m ? 2 * d1 - middle : middle;
    }
  }
}

// place and derivative by u in 0 ... 1 of piece k
// Hermite's polynomials: values a and b, slopes s and e times the chord.
static void piece(const hn_curve *c, int k, double u, double p[3], double d[3]) {
  double h = chord(c, k), v = 1 - u;
  const double *a = c->point + 3 * k, *b = a + 3, *s = c->slope + 3 * k, *e = s + 3;
  for (int i = 0; i < 3; i++) {
    p[i] =
        v * v * (1 + 2 * u) * a[i] + u * u * (1 + 2 * v) * b[i] + h * u * v * (v * s[i] - u * e[i]);
    d[i] = 6 * u * v * (b[i] - a[i]) + h * (v * (v - 2 * u) * s[i] + u * (u - 2 * v) * e[i]);
  }
}

// length of piece k up to u, by Simpson's rule
// 64 parts of Simpson's rule: twelve digits for curves that a beam can follow.
static double length_to(const hn_curve *c, int k, double u) {
  enum { PARTS = 64 };
  double sum = 0, p[3], d[3];
  for (int i = 0; i <= PARTS; i++) {
    piece(c, k, u * i / PARTS, p, d);
    sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * v3_norm(d);
  }
  return sum * u / (3 * PARTS);
}

// `start` has the length before each point; an arc knows its length already.
static void measure(hn_curve *c) {
  if (c->arc) return;
  c->start[0] = 0;
  for (int k = 0; k + 1 < c->count; k++) c->start[k + 1] = c->start[k] + length_to(c, k, 1);
  c->length = c->start[c->count - 1];
}

// Newton's iteration for the u at which the length from the piece's start is `left`; the derivative
// of length by u is |p'|. Straight beams need none.
void hn_curve_at(const hn_curve *c, double s, double p[3], double t[3]) {
  if (c->arc) {
    double angle = s / c->radius;
    for (int i = 0; i < 3; i++) {
      p[i] = c->centre[i] + c->radius * (hn_cos(angle) * c->u[i] + hn_sin(angle) * c->w[i]);
      t[i] = hn_cos(angle) * c->w[i] - hn_sin(angle) * c->u[i];
    }
    return;
  }
  int k = 0;
  while (k + 2 < c->count && s > c->start[k + 1]) k++;
  double whole = c->start[k + 1] - c->start[k], left = s - c->start[k], u = left / whole;
  for (int i = 0; i < 20 && c->count > 2; i++) {
    piece(c, k, u, p, t);
    double step = (left - length_to(c, k, u)) / v3_norm(t);
    u = fmin(fmax(u + step, 0), 1);
    if (fabs(step) < 1e-14) break;
  }
  piece(c, k, u, p, t);
  v3_scale(t, 1 / v3_norm(t), t);
}

hn_curve_fault hn_curve_open(hn_curve *c, const double *points, int count, bool arc) {
  *c = (hn_curve){.point = points, .count = count};
  c->slope = calloc(3 * (size_t)count, sizeof *c->slope);
  c->start = calloc((size_t)count, sizeof *c->start);
  if (!c->slope || !c->start) return HN_CURVE_NO_MEMORY;
  if (arc && !(c->arc = find_arc(c))) return HN_CURVE_NO_ARC;
  if (!arc) set_slopes(c);
  measure(c);
  return HN_CURVE_FINE;
}

void hn_curve_close(hn_curve *c) {
  free(c->slope), free(c->start);
}
