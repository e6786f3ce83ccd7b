// slip.c: how fast a ball or wheel slips along a surface: rates that friction can hold at zero.
//
// With d the point of b in the axes of the surface on a, n the gradient of the distance there, w
// the angular velocity of b against a, and c from d to where it rubs (c = -arm n; of a wheel r -
// arm n, see rim.h), the rate along the tangent t is
//
//   u = t . (d' + w x c)
//
// d', w and t being in axes of a. Where c is and which way t goes changes with the place:
//
//   u' = [t fixed in a, c fixed in b] + t' . (d' + w x c) + t . (w x (c' - w x c))
//
// The bracket is that of a product (hn_eval_along). Tangents are x and y of the surface, brought
// into its plane by the shortest turn of z (or -z, where that is nearer) to n; of cylinders z and
// z x n; in plane machines n turned about their normal. No function has these rates: the value is
// zero.
#include "base/elementary.h"
#include "system/edges.h"
#include "system/rim.h"
#include "system/surface.h"

#include <string.h>

enum { FLAT = 2 };
static const double pi = 3.14159265358979323846;

typedef struct slip {
  double axis[3][3];     // of the surface in the world, as rows
  double p[3], rate[3];  // of the point of b
  double n[3], c[3], t[3];
  hn_rim rim;  // of balls all zero but s
} slip;

// faces of solids look to all sides
static bool underside(const hn_measure *m, const double n[3]) {
  return m->tip ? n[2] < 0 : m->below;
}

// t_k = e_k - n_k (n + z) / (1 + n_z), or e x n. There is none where n = -z: what touches the
// underside of a surface, or lies in the bottom of a hollow, has -z in place of z
static void tangent(const hn_measure *m, const slip *s, double t[3]) {
  const double *n = s->n;
  if (m->way == FLAT) {
    const double e[3] = {s->axis[0][2], s->axis[1][2], s->axis[2][2]};
    v3_cross(t, e, n);
    return;
  }
  if (m->surface == &hn_surface_axis) {
    // along the cylinder and around it: what holds a shaft at both ends twice, the way along it, is
    // a row by itself then
    v3_cross(t, (double[]){0, 0, 1}, n);
    if (m->way == 0) v3_set(t, 0, 0, 1);
    return;
  }
  double z = underside(m, n) ? -1 : 1, part = n[m->way] / (1 + z * n[2]);
  for (int i = 0; i < 3; i++) t[i] = (i == m->way) - part * (n[i] + (i == 2 ? z : 0));
}

static void tangent_change(const hn_measure *m, const slip *s, const double dn[3], double dt[3]) {
  const double *n = s->n;
  if (m->way == FLAT) {
    const double e[3] = {s->axis[0][2], s->axis[1][2], s->axis[2][2]};
    v3_cross(dt, e, dn);
    return;
  }
  if (m->surface == &hn_surface_axis) {
    v3_cross(dt, (double[]){0, 0, 1}, dn);
    if (m->way == 0) v3_set(dt, 0, 0, 0);
    return;
  }
  double z = underside(m, n) ? -1 : 1, part = n[m->way] / (1 + z * n[2]);
  double change = (dn[m->way] - part * z * dn[2]) / (1 + z * n[2]);
  for (int i = 0; i < 3; i++) dt[i] = -change * (n[i] + (i == 2 ? z : 0)) - part * dn[i];
}

static void look(const hn_measure *m, const hn_kin *a, const hn_kin *b, slip *s) {
  double w[3], axis[3];
  hn_surface_point(m, a, b, s->axis, s->p, s->rate);
  memset(&s->rim, 0, sizeof s->rim);
  if (m->rim > 0) {
    m3_mulv(w, b->R, m->wb);
    for (int i = 0; i < 3; i++) axis[i] = v3_dot(s->axis[i], w);
    hn_rim_find(m->surface, m->size, s->p, axis, m->rim, &s->rim);
  } else {
    m->surface->eval(m->size, s->p, 2, &s->rim.s);
  }
  v3_copy(s->n, s->rim.s.gradient);
  for (int i = 0; i < 3; i++) s->c[i] = s->rim.arm[i] - m->arm * s->n[i];
  tangent(m, s, s->t);
}

// axes of the surface to the world
static void to_world(const slip *s, const double x[3], double o[3]) {
  for (int i = 0; i < 3; i++)
    o[i] = x[0] * s->axis[0][i] + x[1] * s->axis[1][i] + x[2] * s->axis[2][i];
}

// changes of tangent and arm where the point of b moves by dp and b turns against a
static void change(const hn_measure *m, const slip *s, const double dp[3], const double turn[3],
                   double dt[3], double dc[3]) {
  double de[3], dn[3];
  hn_rim_change(&s->rim, dp, turn, de, dc);
  m3_mulv(dn, s->rim.s.hessian, de);
  tangent_change(m, s, dn, dt);
  for (int i = 0; i < 3; i++) dc[i] -= m->arm * dn[i];
}

// the measure with its point where b rubs
static hn_measure moved(const hn_measure *m, const slip *s, const hn_kin *b) {
  hn_measure o = *m;
  double world[3], inner[3];
  to_world(s, s->c, world);
  m3_tmulv(inner, b->R, world);
  v3_add(o.sb, m->sb, inner);
  return o;
}

void hn_eval_slip(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b, int level) {
  slip s;
  double t[3], w[3], spin[3], u[3], dt[3], dc[3], x[3], y[3];
  if (m->other) {
    hn_eval_edge_slip(o, m, a, b, level);
    return;
  }
  if (level >= 1) {
    look(m, a, b, &s);
    to_world(&s, s.t, t);
    hn_measure at = moved(m, &s, b);
    hn_eval_along(o, &at, t, a, b, level);
  }
  o->value = 0;
  if (level < 2) return;
  v3_sub(w, b->w, a->w);
  for (int i = 0; i < 3; i++) spin[i] = v3_dot(s.axis[i], w);
  v3_cross(x, spin, s.c);
  v3_add(u, s.rate, x);
  change(m, &s, s.rate, spin, dt, dc);
  v3_sub(dc, dc, x);
  v3_cross(y, spin, dc);
  o->bias += v3_dot(dt, u) + v3_dot(s.t, y);
}

void hn_slip_place(const hn_measure *m, const hn_kin *a, const hn_kin *b, double place[3]) {
  double axis[3][3], rate[3];
  hn_surface_point(m, a, b, axis, place, rate);
}

double hn_slip_since(const hn_measure *m, const hn_kin *a, const hn_kin *b, const double place[3]) {
  slip s;
  double way[3];
  look(m, a, b, &s);
  v3_sub(way, s.p, place);
  return v3_dot(s.t, way);
}

// In the plane the slip of what rolls has an integral, too, where the surface is a line or a
// circle: the way along it, less that over the own surface. s is that of the point, and the size of
// the circle it goes along
bool hn_slip_rolls(const hn_measure *m) {
  bool round = m->surface == &hn_surface_centre || m->surface == &hn_surface_axis;
  return m->way == FLAT && m->arm != 0 && (round || m->surface == &hn_surface_plane);
}

// turned: by what b turned against a. The circle may have been gone round many times: of what that
// leaves open the way is the least, as nothing slips
double hn_slip_rolled(const hn_measure *m, const hn_kin *a, const hn_kin *b, const double place[3],
                      double turned) {
  slip s;
  hn_surface_at from;
  double way[3], across[3];
  look(m, a, b, &s);
  if (m->surface == &hn_surface_plane) {
    v3_sub(way, s.p, place);
    return v3_dot(s.t, way) - m->arm * turned;
  }
  m->surface->eval(m->size, place, 1, &from);
  v3_cross(across, s.n, s.t);  // the normal of the plane
  v3_cross(way, from.gradient, s.n);
  double angle = hn_atan2(v3_dot(across, way), v3_dot(from.gradient, s.n));
  return remainder(from.value * angle - m->arm * turned, 2 * pi * from.value);
}

// gradients of the point's coordinates, of relative turns about the axes, over the twists of a and
// b
static void gradients(const hn_measure *m, const slip *s, const hn_kin *a, const hn_kin *b,
                      double place[3][12], double turn[3][12]) {
  hn_mval along;
  memset(turn, 0, 3 * sizeof turn[0]);
  for (int i = 0; i < 3; i++) {
    double inner[3];
    hn_eval_along(&along, m, s->axis[i], a, b, 1);
    memcpy(place[i], along.ja, sizeof along.ja);
    memcpy(place[i] + 6, along.jb, sizeof along.jb);
    m3_tmulv(inner, a->R, s->axis[i]);
    for (int k = 0; k < 3; k++) turn[i][3 + k] = -inner[k];
    m3_tmulv(inner, b->R, s->axis[i]);
    for (int k = 0; k < 3; k++) turn[i][9 + k] = inner[k];
  }
}

// The gradient is linear in t, and in c by its levers t x c and c x t; beside what a product with t
// fixed in a and c fixed in b brings
void hn_hessian_slip(const hn_measure *m, const hn_kin *a, const hn_kin *b, double block[4][36]) {
  slip s;
  double t[3], place[3][12], turn[3][12], by_t[3][12], by_c[3][12], row[12] = {0};
  if (m->other) {
    hn_hessian_edge_slip(m, a, b, block);
    return;
  }
  look(m, a, b, &s);
  to_world(&s, s.t, t);
  hn_measure at = moved(m, &s, b);
  hn_hessian_along(&at, t, a, b, block);
  gradients(m, &s, a, b, place, turn);
  for (int k = 0; k < 12; k++) {
    double dp[3] = {place[0][k], place[1][k], place[2][k]};
    double by[3] = {turn[0][k], turn[1][k], turn[2][k]}, dt[3], dc[3], x[3];
    change(m, &s, dp, by, dt, dc);
    v3_cross(x, by, s.c);
    for (int i = 0; i < 3; i++) by_t[i][k] = dt[i], by_c[i][k] = dc[i] - x[i];
  }
  for (int i = 0; i < 3; i++) {
    hn_mval along;
    double lever[3], inner[3];
    hn_eval_along(&along, &at, s.axis[i], a, b, 1);
    memcpy(row, along.ja, sizeof along.ja);
    memcpy(row + 6, along.jb, sizeof along.jb);
    hn_add_outer(block, 1, row, by_t[i]);
    memset(row, 0, sizeof row);
    v3_cross(lever, t, s.axis[i]);
    m3_tmulv(inner, a->R, lever);
    v3_copy(row + 3, inner);
    m3_tmulv(inner, b->R, lever);
    v3_scale(row + 9, -1, inner);
    hn_add_outer(block, 1, row, by_c[i]);
  }
}
