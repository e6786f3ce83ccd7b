// rim.c: see rim.h.
#include "system/rim.h"

#include "base/elementary.h"
#include "base/vec.h"

#include <math.h>

enum { SAMPLES = 16 };
static const double pi = 3.14159265358979323846;

typedef struct circle {
  const hn_surface *surface;
  const double *size, *p;
  double x[3], y[3];  // radii across each other
} circle;

static void stand(const circle *c, double phi, int level, hn_rim *o) {
  double cosine = hn_cos(phi), sine = hn_sin(phi), at[3];
  for (int i = 0; i < 3; i++) {
    o->arm[i] = cosine * c->x[i] + sine * c->y[i];
    o->along[i] = cosine * c->y[i] - sine * c->x[i];
    at[i] = c->p[i] + o->arm[i];
  }
  c->surface->eval(c->size, at, level, &o->s);
}

// s_phi, and s_phiphi
static double slope(hn_rim *o) {
  double across[3];
  m3_mulv(across, o->s.hessian, o->along);
  o->bend = v3_dot(o->along, across) - v3_dot(o->s.gradient, o->arm);
  return v3_dot(o->s.gradient, o->along);
}

// the root of the slope within a sample about phi: Newton's steps, halved intervals where these
// lead out
static void refine(const circle *c, double phi, hn_rim *o) {
  double a = phi - 2 * pi / SAMPLES, b = phi + 2 * pi / SAMPLES;
  for (int i = 0; i < 60; i++) {
    stand(c, phi, 2, o);
    double rise = slope(o);
    *(rise < 0 ? &a : &b) = phi;
    double next = o->bend > 0 ? phi - rise / o->bend : a;
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    if (fabs(next - phi) <= 1e-15) return;
    phi = next;
  }
}

void hn_rim_find(const hn_surface *surface, const double *size, const double p[3],
                 const double axis[3], double radius, hn_rim *o) {
  circle c = {.surface = surface, .size = size, .p = p};
  // from the coordinate axis that is farthest from the wheel's
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) < fabs(axis[k])) k = i;
  double unit[3] = {k == 0, k == 1, k == 2}, least = INFINITY, best = 0;
  v3_cross(c.x, axis, unit);
  v3_scale(c.x, radius / v3_norm(c.x), c.x);
  v3_cross(c.y, axis, c.x);
  for (int i = 0; i < SAMPLES; i++) {
    stand(&c, 2 * pi * i / SAMPLES, 0, o);
    if (o->s.value < least) least = o->s.value, best = 2 * pi * i / SAMPLES;
  }
  refine(&c, best, o);
  if (!(o->bend > 1e-9 * radius)) o->bend = 0;
}

void hn_rim_change(const hn_rim *o, const double dp[3], const double turn[3], double de[3],
                   double arm[3]) {
  double across[3], turned[3];
  v3_cross(arm, turn, o->arm);
  v3_add(de, dp, arm);
  if (!(o->bend > 0)) return;
  m3_mulv(across, o->s.hessian, de);
  v3_cross(turned, turn, o->along);
  double by = -(v3_dot(o->along, across) + v3_dot(o->s.gradient, turned)) / o->bend;
  for (int i = 0; i < 3; i++) {
    de[i] += by * o->along[i];
    arm[i] += by * o->along[i];
  }
}
