// polygon.c: moments of areas by the integrals along their edges.
//
// By Green's theorem the integral of x^i y^j over an area is that of x^(i+1) y^j / (i + 1) dy along
// its edge. On a straight edge this is a polynomial of degree i + j + 1, which three points of
// Gauss integrate exactly up to the fifth.
#include "model/polygon.h"

#include <math.h>

// Linear in the holes before it, which are few.
const double *hn_polygon_loop(const hn_polygon *p, int index, int *count) {
  if (index < 0 || index > p->hole_count) return NULL;
  *count = p->count;
  if (index == 0) return p->outline;
  const double *at = p->holes;
  for (int k = 0; k < index - 1; k++) at += 2 * p->hole_corners[k];
  *count = p->hole_corners[index - 1];
  return at;
}

// ---- moments -------------------------------------------------------------------------------

static double power(double x, int n) {
  double out = 1;
  while (n-- > 0) out *= x;
  return out;
}

// Gauss' points on 0 ... 1; weights add up to one. x^(i+1) y^j is of degree 5 at most for i + j =
// 4.
static double along_edge(const double a[2], const double b[2], const double o[2], int i, int j) {
  static const double place[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double u = 0.5 * (1 + place[k]);
    double x = a[0] - o[0] + u * (b[0] - a[0]), y = a[1] - o[1] + u * (b[1] - a[1]);
    sum += weight[k] * power(x, i + 1) * power(y, j);
  }
  return sum * (b[1] - a[1]) / (i + 1);
}

static double loop_moment(const double *p, int count, const double o[2], int i, int j) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += along_edge(p + 2 * k, p + 2 * ((k + 1) % count), o, i, j);
  return sum;
}

// The sign of a loop's area says which way round it runs: either is allowed.
double hn_polygon_moment(const hn_polygon *p, const double origin[2], int i, int j) {
  double sum = 0;
  const double *loop;
  for (int k = 0, count; (loop = hn_polygon_loop(p, k, &count)); k++) {
    // counter-clockwise the outline counts, clockwise a hole
    double sign = loop_moment(loop, count, origin, 0, 0) < 0 ? -1 : 1;
    sum += (k ? -sign : sign) * loop_moment(loop, count, origin, i, j);
  }
  return sum;
}

// ---- is it one? ----------------------------------------------------------------------------

static double side(const double a[2], const double b[2], const double p[2]) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static bool between(const double a[2], const double b[2], const double p[2]) {
  return fmin(a[0], b[0]) <= p[0] && p[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= p[1] &&
         p[1] <= fmax(a[1], b[1]);
}

// do two edges have a point in common?
// By signs of areas: exact for corners that lie on edges, where computed areas are zero.
static bool meet(const double a[2], const double b[2], const double c[2], const double d[2]) {
  double s[4] = {side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)};
  if (((s[0] > 0 && s[1] < 0) || (s[0] < 0 && s[1] > 0)) &&
      ((s[2] > 0 && s[3] < 0) || (s[2] < 0 && s[3] > 0)))
    return true;
  return (s[0] == 0 && between(a, b, c)) || (s[1] == 0 && between(a, b, d)) ||
         (s[2] == 0 && between(c, d, a)) || (s[3] == 0 && between(c, d, b));
}

// neighbours have one corner in common, and no more than that
// An edge without length, or one that goes back over the last.
static bool overlap(const double *p, int count, int k) {
  const double *a = p + 2 * k, *b = p + 2 * ((k + 1) % count), *c = p + 2 * ((k + 2) % count);
  double back = (a[0] - b[0]) * (c[0] - b[0]) + (a[1] - b[1]) * (c[1] - b[1]);
  return (a[0] == b[0] && a[1] == b[1]) || (side(a, b, c) == 0 && back > 0);
}

static hn_status fail_at(const double a[2], const double b[2], char message[HN_MESSAGE]) {
  return hn_fail(message, HN_ERR_MODEL, "the edge from (%g, %g) to (%g, %g) meets another one",
                 a[0], a[1], b[0], b[1]);
}

// All edges against all: 2000 corners make two million pairs, a few milliseconds.
static hn_status check_loops(const double *p, int n, const double *q, int m,
                             char message[HN_MESSAGE]) {
  for (int i = 0; i < n; i++) {
    const double *a = p + 2 * i, *b = p + 2 * ((i + 1) % n);
    if (p == q && overlap(p, n, i)) return fail_at(a, b, message);
    for (int k = p == q ? i + 2 : 0; k < m; k++) {
      if (p == q && (k + 1) % n == i) continue;
      if (meet(a, b, q + 2 * k, q + 2 * ((k + 1) % m))) return fail_at(a, b, message);
    }
  }
  return HN_OK;
}

// Parity of crossings of a ray along x; half-open intervals count a corner once.
static bool contains(const double *p, int count, const double x[2]) {
  bool in = false;
  for (int k = 0; k < count; k++) {
    const double *a = p + 2 * k, *b = p + 2 * ((k + 1) % count);
    if ((a[1] > x[1]) != (b[1] > x[1]) &&
        x[0] < a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
      in = !in;
  }
  return in;
}

// Sum of corners is kept from overflowing: one that is too many is enough.
hn_status hn_polygon_check(const hn_polygon *p, char message[HN_MESSAGE]) {
  int n, m, all = p->count;
  const double *a, *b;
  for (int k = 0; k < p->hole_count; k++) {
    if (p->hole_corners[k] > HN_POLYGON_CORNERS) all = HN_POLYGON_CORNERS;
    all += p->hole_corners[k];
    if (p->hole_corners[k] < 3)
      return hn_fail(message, HN_ERR_MODEL, "hole %d needs three corners", k + 1);
  }
  if (p->count < 3) return hn_fail(message, HN_ERR_MODEL, "the outline needs three corners");
  if (all > HN_POLYGON_CORNERS)
    return hn_fail(message, HN_ERR_MODEL, "there are more than %d corners", HN_POLYGON_CORNERS);
  for (int i = 0; (a = hn_polygon_loop(p, i, &n)); i++)
    for (int k = i; (b = hn_polygon_loop(p, k, &m)); k++) {
      hn_status status = check_loops(a, n, b, m, message);
      if (status) return status;
      if (k == i) continue;
      if (i == 0 && !contains(a, n, b))
        return hn_fail(message, HN_ERR_MODEL, "hole %d is not inside of the outline", k);
      if (i > 0 && (contains(a, n, b) || contains(b, m, a)))
        return hn_fail(message, HN_ERR_MODEL, "hole %d lies in hole %d", k, i);
    }
  const double zero[2] = {0, 0};
  if (!(hn_polygon_moment(p, zero, 0, 0) > 0))
    return hn_fail(message, HN_ERR_MODEL, "the outline encloses no area");
  return HN_OK;
}
