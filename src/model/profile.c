// profile.c: what the section of a beam amounts to. Shear factors are those of G. R. Cowper, The
// shear coefficient in Timoshenko's beam theory, J. Appl. Mech. 33 (1966); an I takes shear along
// its height with the web, along its width with the flanges.
#include "model/profile.h"
#include "base/elementary.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// Saint-Venant's torsion constant of a rectangle
// Timoshenko and Goodier, Theory of Elasticity, section 109: the series converges as 1/n^5, twenty
// terms are exact to rounding.
static double rectangle_torsion(double a, double b) {
  double wide = fmax(a, b), thin = fmin(a, b), sum = 0;
  for (int n = 1; n < 40; n += 2) sum += hn_tanh(n * pi * wide / (2 * thin)) / hn_pow(n, 5);
  return wide * thin * thin * thin / 3 * (1 - 192 * thin / (hn_pow(pi, 5) * wide) * sum);
}

// Cowper's k = 10 (1 + nu) / (12 + 11 nu), the same in both directions.
static hn_section_values rectangle(const hn_profile *p, double nu) {
  double b = p->width, h = p->height, k = 10 * (1 + nu) / (12 + 11 * nu);
  return (hn_section_values){.area = b * h,
                             .inertia_y = b * h * h * h / 12,
                             .inertia_z = h * b * b * b / 12,
                             .torsion = rectangle_torsion(b, h),
                             .shear_y = k,
                             .shear_z = k};
}

// a circle is a tube without a hole
// Cowper's k of a hollow circle with m the ratio of radii; m = 0 gives the solid one.
static hn_section_values tube(const hn_profile *p, double nu) {
  double r = p->radius, hole = p->kind == HN_PROFILE_TUBE ? r - p->thickness : 0;
  double m = hole / r, s = (1 + m * m) * (1 + m * m), I = pi / 4 * (hn_pow(r, 4) - hn_pow(hole, 4));
  double k = 6 * (1 + nu) * s / ((7 + 6 * nu) * s + (20 + 12 * nu) * m * m);
  return (hn_section_values){.area = pi * (r * r - hole * hole),
                             .inertia_y = I,
                             .inertia_z = I,
                             .torsion = 2 * I,
                             .shear_y = k,
                             .shear_z = k};
}

// Thin-walled torsion: the sum of b t^3 / 3 of the plates, the web up to the middle of the flanges.
static hn_section_values i_profile(const hn_profile *p) {
  double b = p->width, h = p->height, f = p->flange, w = p->web, d = h - 2 * f;
  double flanges = 2 * b * f, web = d * w, area = flanges + web;
  return (hn_section_values){
      .area = area,
      .inertia_y = (b * h * h * h - (b - w) * d * d * d) / 12,
      .inertia_z = (2 * f * b * b * b + d * w * w * w) / 12,
      .torsion = (2 * b * f * f * f + (h - f) * w * w * w) / 3,
      .shear_y = 5 * flanges / (6 * area),
      .shear_z = web / area,
  };
}

// Of no profile: zeros.
hn_section_values hn_profile_values(const hn_profile *p, double poisson) {
  switch (p->kind) {
  case HN_PROFILE_RECTANGLE: return rectangle(p, poisson);
  case HN_PROFILE_CIRCLE:
  case HN_PROFILE_TUBE: return tube(p, poisson);
  case HN_PROFILE_I: return i_profile(p);
  case HN_PROFILE_NUMBERS:
    return (hn_section_values){.area = p->area,
                               .inertia_y = p->inertia_y,
                               .inertia_z = p->inertia_z,
                               .torsion = p->torsion,
                               .shear_y = p->shear_y > 0 ? p->shear_y : 1,
                               .shear_z = p->shear_z > 0 ? p->shear_z : 1};
  case HN_PROFILE_NONE: break;
  }
  return (hn_section_values){0};
}

// Stresses of bending are largest there.
void hn_profile_reach(const hn_profile *p, double reach[3]) {
  bool round = p->kind == HN_PROFILE_CIRCLE || p->kind == HN_PROFILE_TUBE;
  bool square = p->kind == HN_PROFILE_RECTANGLE || p->kind == HN_PROFILE_I;
  reach[0] = square ? 0.5 * p->width : 0;
  reach[1] = square ? 0.5 * p->height : 0;
  reach[2] = round ? p->radius : 0;
}

hn_profile hn_profile_between(const hn_profile *a, const hn_profile *b, double part) {
  hn_profile o = *a;
#define BETWEEN(x) o.x = (1 - part) * a->x + part * b->x
  BETWEEN(width);
  BETWEEN(height);
  BETWEEN(radius);
  BETWEEN(thickness);
  BETWEEN(flange);
  BETWEEN(web);
  BETWEEN(area);
  BETWEEN(inertia_y);
  BETWEEN(inertia_z);
  BETWEEN(torsion);
  BETWEEN(shear_y);
  BETWEEN(shear_z);
#undef BETWEEN
  return o;
}
