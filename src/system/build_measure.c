// build_measure.c: measures of a system under construction (measure.c evaluates them).
//
// A measure is a scalar function of two bodies: it keeps points and directions of its mounts in the
// bodies' own axes, so that nothing of the model's frames is left to look up when it is evaluated.
// Angles in space count their turns (`turn`), those in the plane are differences of coordinates and
// need not.
#include "base/elementary.h"
#include "system/builder.h"
#include "system/measure.h"
#include "system/surface.h"

// The caller counts it (sys->measures++) when it is complete. What is made outside joints is for
// forces and formulas, and evaluated with these.
static hn_measure *new_measure(hn_builder *b, hn_measure_type type, int body_a, int body_b) {
  hn_system *sys = b->sys;
  hn_measure *m =
      hn_builder_room(b, (void **)&sys->measure, &b->measure_capacity, sys->measures, sizeof *m);
  if (!m) return NULL;
  m->type = type;
  m->a = body_a, m->b = body_b;
  m->turn = -1;
  m->used_by_force = b->group < 0;
  if (type != HN_M_PLANAR_ANGLE) {
    hn_build_need_kin(b, body_a);
    hn_build_need_kin(b, body_b);
  }
  return m;
}
static void column(double o[3], const double R[9], int j) {
  o[0] = R[j], o[1] = R[3 + j], o[2] = R[6 + j];
}

int hn_build_dot1(hn_builder *b, const hn_mount *ma, int axis_a, const hn_mount *mb, int axis_b) {
  hn_measure *m = new_measure(b, HN_M_DOT1, ma->body, mb->body);
  if (!m) return -1;
  column(m->ua, ma->R, axis_a);
  column(m->wb, mb->R, axis_b);
  return b->sys->measures++;
}

int hn_build_dot2(hn_builder *b, const hn_mount *ma, int axis_a, const hn_mount *mb) {
  hn_measure *m = new_measure(b, HN_M_DOT2, ma->body, mb->body);
  if (!m) return -1;
  column(m->ua, ma->R, axis_a);
  v3_copy(m->sa, ma->s);
  v3_copy(m->sb, mb->s);
  return b->sys->measures++;
}

int hn_build_distance(hn_builder *b, const hn_mount *ma, const hn_mount *mb) {
  hn_measure *m = new_measure(b, HN_M_DISTANCE, ma->body, mb->body);
  if (!m) return -1;
  v3_copy(m->sa, ma->s);
  v3_copy(m->sb, mb->s);
  return b->sys->measures++;
}

int hn_build_surface(hn_builder *b, const hn_mount *ma, const hn_surface *surface,
                     const double *size, const hn_mount *mb, double rim) {
  hn_measure *m = new_measure(b, HN_M_SURFACE, ma->body, mb->body);
  if (!m) return -1;
  m->rim = rim;
  column(m->wb, mb->R, HN_AXIS_Z);
  column(m->ua, ma->R, HN_AXIS_X);
  column(m->u2a, ma->R, HN_AXIS_Y);
  v3_copy(m->sa, ma->s);
  v3_copy(m->sb, mb->s);
  m->surface = surface;
  m->size = size;
  return b->sys->measures++;
}

int hn_build_edges(hn_builder *b, const hn_mount *ma, const double *solid, const hn_mount *mb,
                   const double *other) {
  hn_measure *m = new_measure(b, HN_M_EDGES, ma->body, mb->body);
  if (!m) return -1;
  column(m->ua, ma->R, HN_AXIS_X), column(m->u2a, ma->R, HN_AXIS_Y);
  column(m->wb, mb->R, HN_AXIS_X), column(m->w2b, mb->R, HN_AXIS_Y);
  v3_copy(m->sa, ma->s), v3_copy(m->sb, mb->s);
  m->size = solid, m->other = other;
  m->pair = -1;
  return b->sys->measures++;
}

int hn_build_spin(hn_builder *b, const hn_mount *ma, int axis_a, const hn_mount *mb) {
  hn_measure *m = new_measure(b, HN_M_SPIN, ma->body, mb->body);
  if (!m) return -1;
  column(m->ua, ma->R, axis_a);
  return b->sys->measures++;
}

void hn_build_arm(hn_builder *b, int measure, double arm) {
  if (measure >= 0) b->sys->measure[measure].arm = arm;
}

// whether a point of b touches the side of a surface that looks along its -z: as described, or
// where that tells nothing, as in the middle of a hollow, where gravity takes it
static bool is_below(const hn_builder *b, const hn_measure *m) {
  double axis[3][3], p[3], rate[3];
  hn_surface_at at;
  hn_surface_point(m, &b->described.kin[m->a], &b->described.kin[m->b], axis, p, rate);
  m->surface->eval(m->size, p, 1, &at);
  if (v3_dot(at.gradient, at.gradient) > 0.5) return at.gradient[2] < 0;
  return v3_dot(axis[2], b->model->gravity) < 0;
}

// Gaps before planes and about points are products and distances, which have no axes: any will do
int hn_build_slip(hn_builder *b, int gap, int way) {
  hn_measure from = b->sys->measure[gap], *m = new_measure(b, HN_M_SLIP, from.a, from.b);
  if (!m) return -1;
  bool plane = from.type == HN_M_DOT2;
  if (plane) {
    double n[3] = {from.ua[0], from.ua[1], from.ua[2]};
    int k = fabs(n[0]) < 0.7 ? 0 : 1;
    v3_cross(from.u2a, n, (double[3]){k == 0, k == 1, 0});
    v3_scale(from.u2a, 1 / v3_norm(from.u2a), from.u2a);
    v3_cross(from.ua, from.u2a, n);
    from.surface = &hn_surface_plane;
  } else if (from.type == HN_M_DISTANCE) {
    v3_set(from.ua, 1, 0, 0), v3_set(from.u2a, 0, 1, 0);
    from.surface = &hn_surface_centre;
  }
  from.type = HN_M_SLIP, from.way = way, from.offset = 0, from.turn = -1;
  from.used_by_force = m->used_by_force;
  from.below = way < 2 && !from.tip && is_below(b, &from);
  *m = from;
  return b->sys->measures++;
}

// About z of a, from x of a to x of b. In space by two products, x_a.x_b and y_a.x_b; in the plane
// by the difference of the bodies' own angles, which count turns by themselves.
int hn_build_angle(hn_builder *b, const hn_mount *ma, const hn_mount *mb) {
  // about the other side of the plane b turns against a as a turns against b about this one
  if (hn_builder_flat(b, ma->body, mb->body) && ma->R[8] < 0) {
    const hn_mount *of_b = mb;
    mb = ma, ma = of_b;
  }
  const hn_sys_body *A = &b->sys->body[ma->body], *B = &b->sys->body[mb->body];
  bool planar = hn_builder_flat(b, ma->body, mb->body);
  hn_measure *m = new_measure(b, planar ? HN_M_PLANAR_ANGLE : HN_M_ANGLE, ma->body, mb->body);
  if (!m) return -1;
  if (planar) {
    // a point mass in the plane has no angle
    if ((A->nv && A->kind == HN_PLANAR_POINT) || (B->nv && B->kind == HN_PLANAR_POINT)) {
      hn_build_fail(b, HN_ERR_MODEL, "a point mass has no orientation");
      return -1;
    }
    // zero when the x axes of the mounts coincide
    m->offset = hn_atan2(mb->R[3], mb->R[0]) - hn_atan2(ma->R[3], ma->R[0]);
    return b->sys->measures++;
  }
  column(m->ua, ma->R, HN_AXIS_X);
  column(m->wb, mb->R, HN_AXIS_X);
  column(m->u2a, ma->R, HN_AXIS_Y);
  column(m->w2b, mb->R, HN_AXIS_X);
  m->turn = b->sys->turns++;
  return b->sys->measures++;
}

// z-y-x sequence: R = Rz(yaw) Ry(pitch) Rx(roll), read off the matrix of b in the axes of a
int hn_build_euler(hn_builder *b, const hn_mount *ma, const hn_mount *mb, int which) {
  hn_measure *m = new_measure(b, which == 1 ? HN_M_ASIN : HN_M_ANGLE, ma->body, mb->body);
  if (!m) return -1;
  switch (which) {
  case 0:  // roll = atan2(z_a.y_b, z_a.z_b)
    column(m->ua, ma->R, HN_AXIS_Z);
    column(m->wb, mb->R, HN_AXIS_Z);
    column(m->u2a, ma->R, HN_AXIS_Z);
    column(m->w2b, mb->R, HN_AXIS_Y);
    break;
  case 1:  // pitch = asin(-z_a.x_b)
    column(m->ua, ma->R, HN_AXIS_Z);
    column(m->wb, mb->R, HN_AXIS_X);
    v3_scale(m->ua, -1, m->ua);
    break;
  default:  // yaw = atan2(y_a.x_b, x_a.x_b)
    column(m->ua, ma->R, HN_AXIS_X);
    column(m->wb, mb->R, HN_AXIS_X);
    column(m->u2a, ma->R, HN_AXIS_Y);
    column(m->w2b, mb->R, HN_AXIS_X);
    break;
  }
  if (which != 1) m->turn = b->sys->turns++;
  return b->sys->measures++;
}

int hn_builder_point_coordinate(hn_builder *b, int body, const double inner[3], int axis) {
  hn_mount ground = {.body = 0}, point = {.body = body};
  m3_identity(ground.R);
  m3_identity(point.R);
  v3_copy(point.s, inner);
  return hn_build_dot2(b, &ground, axis, &point);
}

int hn_builder_scalar(hn_builder *b, int body) {
  return new_measure(b, HN_M_COORDINATE, 0, body) ? b->sys->measures++ : -1;
}

// The measure is copied, with a turn memory of its own: none belongs to the system yet.
double hn_build_value(const hn_builder *b, int measure) {
  if (measure < 0) return 0;
  const hn_measure *m = &b->sys->measure[measure];
  hn_mval x;
  double near[1] = {m->offset};
  hn_work described = b->described;
  hn_measure copy = *m;
  copy.turn = 0;  // nearest to zero turns
  described.near = near;
  hn_eval_measure(&copy, &described, &x, 0);
  return x.value;
}

void hn_build_shift(hn_builder *b, int measure, double offset) {
  if (measure >= 0) b->sys->measure[measure].offset += offset;
}
