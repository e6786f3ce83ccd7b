// own_joint.h: a joint of our own: a point of b stays on a cylinder about an axis of a.
//
// In the axes of a, with l from its centre of mass to the point, e = l - s_a from the mount, and Q
// taking away the part along the axis,
//   phi = (e^T Q e - r^2) / (2 r),   h = Q e / r,   phi' = h . e',   e' = u - w x l
// where u is the velocity of the point relative to a's centre of mass, seen from a. So
//   J_a = [-R_a h, h x l],   J_b = [R_a h, s_b x R_b^T R_a h],
//   phi'' = h . (u' - w x u - w x e' - w' x l) + e'^T Q e' / r.
#ifndef OWN_JOINT_H
#define OWN_JOINT_H

#include <holon/extend.h>
#include <string.h>

typedef struct cylinder {
  double axis[3], s_a[3], s_b[3];  // in the inner frames of the bodies
  double radius;
} cylinder;

typedef double vector[3];

static inline double own_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void own_cross(double *o, const double *a, const double *b) {
  o[0] = a[1] * b[2] - a[2] * b[1];
  o[1] = a[2] * b[0] - a[0] * b[2];
  o[2] = a[0] * b[1] - a[1] * b[0];
}
static inline void own_to_world(double *o, const double *R, const double *x) {
  for (int i = 0; i < 3; i++) o[i] = own_dot(R + 3 * i, x);
}
static inline void own_to_body(double *o, const double *R, const double *x) {
  for (int i = 0; i < 3; i++) o[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}
// the part of x across the axis, over the radius
static inline void own_across(double *o, const cylinder *c, const double *x) {
  double along = own_dot(c->axis, x);
  for (int i = 0; i < 3; i++) o[i] = (x[i] - along * c->axis[i]) / c->radius;
}

// everything that does not depend on velocities; g = R_a h, gb = R_b^T g
typedef struct contact {
  vector arm, l, e, h, g, gb;
} contact;

static inline void own_locate(contact *x, const cylinder *c, const hn_kin *a, const hn_kin *b) {
  vector d;
  own_to_world(x->arm, b->R, c->s_b);
  for (int i = 0; i < 3; i++) d[i] = b->p[i] + x->arm[i] - a->p[i];
  own_to_body(x->l, a->R, d);
  for (int i = 0; i < 3; i++) x->e[i] = x->l[i] - c->s_a[i];
  own_across(x->h, c, x->e);
  own_to_world(x->g, a->R, x->h);
  own_to_body(x->gb, b->R, x->g);
}

static inline double own_bias(const contact *x, const cylinder *c, const hn_kin *a,
                              const hn_kin *b) {
  vector w, V, u, swing, turn, rate, centripetal, y, across;
  own_to_body(w, a->R, a->w);
  own_cross(swing, b->w, x->arm);
  for (int i = 0; i < 3; i++) V[i] = b->v[i] + swing[i] - a->v[i];
  own_to_body(u, a->R, V);
  own_cross(turn, w, x->l);
  for (int i = 0; i < 3; i++) rate[i] = u[i] - turn[i];
  own_cross(centripetal, b->w, swing);
  double bias = own_dot(x->g, centripetal);
  own_cross(y, w, u);
  bias -= own_dot(x->h, y);
  own_cross(y, w, rate);
  bias -= own_dot(x->h, y);
  own_across(across, c, rate);
  return bias + own_dot(across, rate);
}

static inline void own_eval(const void *data, double t, const hn_kin *a, const hn_kin *b,
                            hn_custom_out *out) {
  const cylinder *c = (const cylinder *)data;
  contact x;
  (void)t;
  own_locate(&x, c, a, b);
  out->phi[0] = 0.5 * (own_dot(x.h, x.e) - c->radius);
  out->phi_t[0] = 0;
  for (int i = 0; out->ja && i < 3; i++) out->ja[i] = -x.g[i];
  if (out->ja) own_cross(out->ja + 3, x.h, x.l);
  if (out->jb) memcpy(out->jb, x.g, sizeof x.g);
  if (out->jb) own_cross(out->jb + 3, c->s_b, x.gb);
  if (out->gamma) out->gamma[0] = -own_bias(&x, c, a, b);
}

// one column after the other: how the force on both bodies changes when one of them is moved
static inline void own_tangent(const void *data, double t, const hn_kin *a, const hn_kin *b,
                               const double *lambda, double block[4][36]) {
  const cylinder *c = (const cylinder *)data;
  contact x;
  (void)t;
  own_locate(&x, c, a, b);
  for (int j = 0; j < 12; j++) {
    const vector move = {j % 6 == 0, j % 6 == 1, j % 6 == 2};
    const vector turn = {j % 6 == 3, j % 6 == 4, j % 6 == 5};
    const vector still = {0, 0, 0};
    const double *turn_a = j < 6 ? turn : still, *turn_b = j < 6 ? still : turn;
    vector y, z, d, de, dh, dg, dgb, torque_a, torque_b;
    own_cross(y, turn_b, c->s_b);
    own_to_world(z, b->R, y);
    for (int i = 0; i < 3; i++) d[i] = j < 6 ? -move[i] : move[i] + z[i];
    own_to_body(de, a->R, d);
    own_cross(y, turn_a, x.l);
    for (int i = 0; i < 3; i++) de[i] -= y[i];
    own_across(dh, c, de);
    own_cross(y, turn_a, x.h);
    for (int i = 0; i < 3; i++) y[i] += dh[i];
    own_to_world(dg, a->R, y);
    own_to_body(dgb, b->R, dg);
    own_cross(y, turn_b, x.gb);
    for (int i = 0; i < 3; i++) dgb[i] -= y[i];
    own_cross(y, dh, x.l);
    own_cross(z, x.h, de);
    for (int i = 0; i < 3; i++) torque_a[i] = y[i] + z[i];
    own_cross(torque_b, c->s_b, dgb);
    double *on_a = block[j / 6] + j % 6, *on_b = block[2 + j / 6] + j % 6;
    for (int i = 0; i < 3; i++) {
      on_a[6 * i] = -lambda[0] * dg[i], on_a[6 * (i + 3)] = lambda[0] * torque_a[i];
      on_b[6 * i] = lambda[0] * dg[i], on_b[6 * (i + 3)] = lambda[0] * torque_b[i];
    }
  }
}

static const hn_custom_type own_row = {
    .name = "point-on-cylinder",
    .rows = 1,
    .data_size = sizeof(cylinder),
    .eval = own_eval,
    .tangent = own_tangent,
};

static inline hn_status own_build(hn_builder *builder, const hn_joint_def *def) {
  static const char *const labels[] = {"radial"};
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  cylinder c = {.radius = def->radius};
  for (int i = 0; i < 3; i++) c.axis[i] = a->R[3 * i + 2], c.s_a[i] = a->s[i], c.s_b[i] = b->s[i];
  hn_build_custom(builder, &own_row, &c, a, b, labels);
  return hn_build_status(builder);
}

static const hn_joint_type own_joint = {
    .info = {.name = "point-on-cylinder",
             .help = "the point `at_b` of b stays at the distance `radius` from an axis of a",
             .keys = "at at_b axis radius",
             .required = "radius"},
    .needs_rotation = true,
    .build = own_build,
};

#endif
