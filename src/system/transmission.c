// transmission.c: forces of gears, racks and other couplings of joint coordinates as vectors.
#include "system/transmission.h"

#include "base/elementary.h"
#include "linalg/dense.h"
#include "system/builder.h"
#include "system/measure.h"

#include <string.h>

static const double parallel = 1e-9;
static const double in_line = 1e-8;  // axes, by a part of what the wheels' places and sizes say

// ---- building ------------------------------------------------------------------------------

// one side of a transmission, seen from the carrier (its inner frame)
typedef struct side {
  int joint, wheel;
  bool slides;     // a rack
  double c, sign;  // coefficient; how the coordinate counts the wheel's motion against the carrier
  double o[3], u[3];  // joint and axis
  double level;       // of the wheel's centre of mass along the axis, from o
  double size;        // of the wheel, by its inertia
} side;

static int joint_named(const hn_system *sys, const char *name) {
  for (int i = 0; i < sys->joints; i++)
    if (strcmp(sys->joint[i].name, name) == 0) return i;
  return -1;
}

// the only body that both joints have, -1: none
static int common_body(const hn_sys_joint *a, const hn_sys_joint *b) {
  int found = -1, count = 0;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      int x = i ? a->b.body : a->a.body, y = k ? b->b.body : b->a.body;
      if (x == y) found = x, count++;
    }
  return count == 1 ? found : -1;
}

// Coordinates count b against a. Where the carrier is b, the wheel a turns the other way against
// it, hence the sign.
static bool look_from(side *s, const hn_system *sys, int carrier) {
  const hn_sys_joint *j = &sys->joint[s->joint];
  bool on_b = j->a.body == carrier;  // the wheel is b of its joint
  const hn_mount *near = on_b ? &j->a : &j->b, *far = on_b ? &j->b : &j->a;
  s->slides = strcmp(j->type, "prismatic") == 0;
  if (!s->slides && strcmp(j->type, "revolute") != 0 && strcmp(j->type, "cylindrical") != 0)
    return false;
  s->wheel = far->body;
  s->sign = on_b ? 1 : -1;
  v3_copy(s->o, near->s);
  for (int i = 0; i < 3; i++) s->u[i] = near->R[3 * i + 2];  // z of the mount: the axis
  // the centre of mass lies at -z.s from the mount
  s->level = 0;
  for (int i = 0; i < 3; i++) s->level -= far->R[3 * i + 2] * far->s[i];
  const hn_sys_body *wheel = &sys->body[far->body];
  s->size = wheel->mass > 0 ? sqrt(hn_largest(wheel->inertia, 3) / wheel->mass) : 0;
  return true;
}

// by which lengths of a transmission are told from none
static double size_of(const side *a, const side *b) {
  return v3_norm(a->o) + v3_norm(b->o) + fabs(a->level) + fabs(b->level) + a->size + b->size;
}

static void centre_on_axis(const side *s, double p[3]) {
  v3_copy(p, s->o);
  v3_addto(p, s->level, s->u);
}

// motions of both sides that the row allows: turns (or the slide's speed) against the carrier
static void speeds(const side *a, const side *b, double wa[3], double wb[3]) {
  // c_a q_a' + c_b q_b' = 0
  v3_scale(wa, a->sign * b->c, a->u);
  v3_scale(wb, -b->sign * a->c, b->u);
}

// wheels on parallel axes: where wa x (P - oa) = wb x (P - ob).
// On the line between the axes, at the part beta / (beta - alpha) of it; beyond one of them for
// inner teeth. Equal turns have no such point.
static bool pitch_point(const side *a, const side *b, double p[3], double t[3], double line[3]) {
  double wa[3], wb[3], d[3], ca[3], cb[3];
  speeds(a, b, wa, wb);
  // along the axis of a, both: they are parallel
  double alpha = v3_dot(wa, a->u), beta = v3_dot(wb, a->u);
  v3_sub(d, b->o, a->o);
  // from axis to axis, square to both
  v3_addto(d, -v3_dot(d, a->u), a->u);
  double distance = v3_norm(d);
  centre_on_axis(a, ca);
  centre_on_axis(b, cb);
  if (!(distance > in_line * size_of(a, b)) ||
      fabs(alpha - beta) <= 1e-6 * fmax(fabs(alpha), fabs(beta)))
    return false;
  v3_sub(cb, cb, ca);
  v3_copy(p, ca);
  // half way between the wheels
  v3_addto(p, 0.5 * v3_dot(cb, a->u), a->u);
  v3_addto(p, beta / (beta - alpha), d);
  // across the line between the axes, in the plane of the wheels
  v3_cross(t, a->u, d);
  v3_scale(t, 1 / distance, t);
  v3_copy(line, a->u);
  return true;
}

// wheels on axes that meet: on the line along wa - wb, level with the wheels.
// Axes that pass each other by (worm gears) have none. Along the line the point is chosen by least
// squares between the levels of both wheels.
static bool cone_point(const side *a, const side *b, double p[3], double t[3], double line[3]) {
  double n[3], d[3], x[3], wa[3], wb[3], apex[3], ca[3], cb[3];
  v3_cross(n, a->u, b->u);
  double sine = v3_norm(n);
  v3_sub(d, b->o, a->o);
  double scale = v3_norm(d) + fabs(a->level) + fabs(b->level);
  // d.n over the sine is how far the axes pass each other by
  if (fabs(v3_dot(d, n)) > 1e-9 * sine * scale) return false;
  v3_cross(x, d, b->u);
  v3_copy(apex, a->o);
  v3_addto(apex, v3_dot(x, n) / (sine * sine), a->u);
  speeds(a, b, wa, wb);
  v3_sub(line, wa, wb);
  centre_on_axis(a, ca);
  centre_on_axis(b, cb);
  v3_sub(ca, ca, apex);
  v3_sub(cb, cb, apex);
  double la = v3_dot(line, a->u), lb = v3_dot(line, b->u);
  double s = (v3_dot(ca, a->u) * la + v3_dot(cb, b->u) * lb) / (la * la + lb * lb);
  // teeth in the apex would have no lever
  if (!(fabs(s) * v3_norm(line) > 1e-6 * scale)) return false;
  v3_copy(p, apex);
  v3_addto(p, s, line);
  v3_scale(t, 1 / sine, n);
  v3_scale(line, 1 / v3_norm(line), line);
  return true;
}

// where a pinion's point moves as the rack does: w x r = v
static bool rack_point(const side *pinion, const side *rack, double p[3], double t[3],
                       double line[3]) {
  double w[3], v[3], r[3];
  if (fabs(v3_dot(pinion->u, rack->u)) > parallel) return false;
  speeds(pinion, rack, w, v);
  // square to the axis: v x w / w^2
  v3_cross(r, v, w);
  centre_on_axis(pinion, p);
  v3_addto(p, 1 / v3_dot(w, w), r);
  v3_copy(t, rack->u);
  v3_copy(line, pinion->u);
  return true;
}

// p where teeth meet, t along their force, line about which the wheels turn against each other
static bool find_teeth(const side *a, const side *b, double p[3], double t[3], double line[3]) {
  if (a->slides && b->slides) return false;
  if (a->slides) return rack_point(b, a, p, t, line);
  if (b->slides) return rack_point(a, b, p, t, line);
  double n[3];
  v3_cross(n, a->u, b->u);
  return v3_norm(n) < parallel ? pitch_point(a, b, p, t, line) : cone_point(a, b, p, t, line);
}

// from the teeth to the axis of a wheel, along n; a rack has none.
// Signed: which side of the teeth the axis is on.
static double inward(const side *s, const double p[3], const double n[3]) {
  double r[3];
  if (s->slides) return 0;
  v3_sub(r, s->o, p);
  // the distance is counted across the axis
  v3_addto(r, -v3_dot(r, s->u), s->u);
  return v3_dot(r, n);
}

// Which way flanks push wheel b, across their line: away from the teeth. Where both wheels lie on
// one side of the teeth the larger one has them inside, and is pushed the other way
static void push_apart(const side *a, const side *b, const double p[3], const double t[3],
                       const double line[3], double n[3]) {
  v3_cross(n, t, line);
  double of_a = inward(a, p, n), of_b = inward(b, p, n);
  bool inside = of_a * of_b > 0 && fabs(of_a) < fabs(of_b);
  double way = b->slides || inside ? -of_a : of_b;
  v3_scale(n, way < 0 ? -1 : 1, n);
}

// what a unit force along t at p does along the coordinate
static double lever(const side *s, const double p[3], const double t[3]) {
  double r[3], turn[3];
  if (s->slides) return s->sign * v3_dot(s->u, t);
  // how the point moves per unit of the coordinate
  v3_sub(r, p, s->o);
  v3_cross(turn, s->u, r);
  return s->sign * v3_dot(turn, t);
}

void hn_build_coupler(hn_builder *builder, bool first_is_a) {
  hn_system *sys = builder->sys;
  hn_sys_joint *joint = &sys->joint[sys->joints - 1];
  if (builder->status) return;
  joint->coupler = sys->rowcount;  // one more than its number
  joint->first_is_a = first_is_a;
}

// A unit multiplier does the work c_b along the coordinate of b: the tooth force times its lever,
// hence force = c_b / lever. For a the same force must give c_a, which is how the point was found.
void hn_build_transmission(hn_builder *builder, const hn_joint_def *def, double c_a, double c_b,
                           bool first_is_a) {
  hn_system *sys = builder->sys;
  if (builder->status) return;
  hn_sys_joint *joint = &sys->joint[sys->joints - 1];
  hn_build_coupler(builder, first_is_a);
  if (!(def->pressure_angle >= 0) || !(def->pressure_angle < 0.785)) {
    hn_build_fail(builder, HN_ERR_MODEL,
                  "pressure_angle is that of flanks: from 0 to less than 45 deg, mostly 20 deg");
    return;
  }
  side a = {.joint = joint_named(sys, def->joint_a), .c = c_a};
  side b = {.joint = joint_named(sys, def->joint_b), .c = c_b};
  if (a.joint < 0 || b.joint < 0) return;
  int carrier = common_body(&sys->joint[a.joint], &sys->joint[b.joint]);
  double p[3], t[3], line[3], n[3];
  bool found = carrier >= 0 && look_from(&a, sys, carrier) && look_from(&b, sys, carrier) &&
               find_teeth(&a, &b, p, t, line);
  double by_a = found ? lever(&a, p, t) : 0, by_b = found ? lever(&b, p, t) : 0;
  double least = in_line * size_of(&a, &b);
  if (!found || !(fabs(by_a) > (a.slides ? in_line : least)) ||
      !(fabs(by_b) > (b.slides ? in_line : least))) {
    if (def->pressure_angle > 0)
      hn_build_fail(builder, HN_ERR_MODEL,
                    "pressure_angle has no effect: '%s' and '%s' are no wheels whose pitch "
                    "surfaces touch (hinges on one body, axes parallel or meeting)",
                    def->joint_a, def->joint_b);
    return;
  }
  hn_mesh *mesh = hn_builder_room(builder, (void **)&sys->mesh, &builder->mesh_capacity,
                                  sys->meshes, sizeof *mesh);
  if (!mesh) return;
  *mesh = (hn_mesh){.joint = sys->joints - 1,
                    .carrier = carrier,
                    .wheel = {a.wheel, b.wheel},
                    .bearing = {a.joint, b.joint}};
  v3_copy(mesh->point, p);
  v3_scale(mesh->force, c_b / by_b, t);
  push_apart(&a, &b, p, t, line, n);
  v3_scale(mesh->apart, fabs(c_b / by_b) * hn_tan(def->pressure_angle), n);
  mesh->roll[0] = a.slides ? 0 : a.sign * v3_dot(a.u, line);
  mesh->roll[1] = b.slides ? 0 : -b.sign * v3_dot(b.u, line);
  joint->mesh = ++sys->meshes;
}

// ---- rows ----------------------------------------------------------------------------------

bool hn_tooth_slip(const hn_system *sys, int joint, double radius, double radius_a,
                   hn_tooth_slide *out) {
  const hn_sys_joint *j = &sys->joint[joint];
  const hn_term *term = &sys->term[sys->row[j->coupler - 1].first_term];
  int a = j->first_is_a ? 0 : 1;
  out->measure[0] = term[a].measure, out->measure[1] = term[1 - a].measure;
  out->by_torque = 0;
  if (j->mesh) {
    const hn_mesh *m = &sys->mesh[j->mesh - 1];
    for (int k = 0; k < 2; k++) out->coefficient[k] = radius * m->roll[k];
    return !(radius_a > 0);
  }
  // thread and wheel: along the thread r q_a' and R q_b' are as r and R times the ratio
  double ratio = -term[a].coefficient / term[1 - a].coefficient;
  double h = hn_hypot(radius_a, radius * ratio);
  out->coefficient[0] = radius_a * radius_a / h;
  out->coefficient[1] = radius * radius * ratio / h;
  out->by_torque = h / (radius_a * radius);
  return radius_a > 0;
}

double hn_tooth_force(const hn_system *sys, int joint, double by_torque) {
  const hn_sys_joint *j = &sys->joint[joint];
  const hn_term *term = &sys->term[sys->row[j->coupler - 1].first_term];
  if (!j->mesh) return by_torque * fabs(term[j->first_is_a ? 1 : 0].coefficient);
  const hn_mesh *m = &sys->mesh[j->mesh - 1];
  double F[3];
  v3_add(F, m->force, m->apart);
  return v3_norm(F);
}

// point and force per multiplier of teeth, world; which flanks press follows from its sign
static void teeth_at(const hn_work *work, const hn_mesh *m, double lambda, double p[3],
                     double F[3]) {
  double R[9], c[3], f[3];
  hn_body_place(work, m->carrier, c, R);
  m3_mulv(p, R, m->point);
  v3_add(p, p, c);
  v3_copy(f, m->force);
  v3_addto(f, lambda < 0 ? -1 : 1, m->apart);
  m3_mulv(F, R, f);
}

// a flank that has left the other one is not there
static bool touches(const hn_work *work, int row) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->unilateral[i].row == row) return work->on && work->on[i];
  return true;
}

void hn_teeth_rows(const hn_work *work, const double *lambda, double *teeth) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->meshes; i++, teeth += HN_TEETH) {
    const hn_mesh *m = &sys->mesh[i];
    const hn_group *g = &sys->group[sys->joint[m->joint].group];
    double p[3], F[3], *o = teeth;
    teeth_at(work, m, lambda[g->row0], p, F);
    if (!touches(work, g->row0)) v3_set(F, 0, 0, 0);
    for (int k = g->first; k < g->first + g->bodies; k++) {
      int body = sys->group_body[k];
      // the carrier, which holds both, feels nothing of it
      double sign = body == m->wheel[1] ? 1 : body == m->wheel[0] ? -1 : 0;
      double c[3], R[9], arm[3], T[3], f[3];
      hn_body_place(work, body, c, R);
      v3_scale(f, sign, F);
      v3_sub(arm, p, c);
      v3_cross(T, arm, f);
      o += hn_wrench_to_body(&sys->body[body], R, f, T, o);
    }
  }
}

void hn_teeth_swap(hn_work *work, double *teeth) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->meshes; i++, teeth += HN_TEETH) {
    const hn_group *g = &sys->group[sys->joint[sys->mesh[i].joint].group];
    double *o = teeth;
    for (int k = g->first; k < g->first + g->bodies; k++) {
      double *J = work->J + sys->block_offset[k];
      for (int c = 0; c < sys->body[sys->group_body[k]].nv; c++, o++) {
        double keep = J[c];
        J[c] = *o, *o = keep;
      }
    }
  }
}

// the bearing takes over d on one of its bodies: J^T x = d there, added to lambda.
// Least squares J J^T x = J d, exact where d is in the range of J^T: the bearing can bear all that
// teeth put on the wheel beside the torque about its axis.
static void take_over(const hn_work *work, int joint, const bool *given, int body, const double *d,
                      double *lambda) {
  const hn_system *sys = work->sys;
  if (sys->joint[joint].group < 0) return;
  const hn_group *bearing = &sys->group[sys->joint[joint].group];
  int n = bearing->rows, nv = sys->body[body].nv, block = -1;
  double A[36], x[6];
  for (int k = bearing->first; k < bearing->first + bearing->bodies; k++)
    if (sys->group_body[k] == body) block = sys->block_offset[k];
  if (block < 0 || n > 6 || (given && !given[bearing->row0])) return;
  const double *J = work->J + block;
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    for (int c = 0; c < nv; c++) x[i] += J[i * nv + c] * d[c];
    for (int k = 0; k < n; k++) {
      A[i * n + k] = 0;
      for (int c = 0; c < nv; c++) A[i * n + k] += J[i * nv + c] * J[k * nv + c];
    }
  }
  if (!hn_dense_cholesky(n, A)) return;
  hn_dense_cholesky_solve(n, A, x);
  for (int i = 0; i < n; i++) lambda[bearing->row0 + i] += x[i];
}

// what is left for the carrier when the bearing of a wheel has taken over d there: the opposite
static void pass_on(const hn_work *work, int wheel, const double *d, int carrier, double *rest) {
  const hn_system *sys = work->sys;
  const hn_sys_body *b = &sys->body[wheel];
  double p[3], c[3], R[9], F[3] = {0}, T[3] = {0}, arm[3], moment[3], f[6];
  hn_body_place(work, wheel, p, R);
  // d as a wrench about the wheel's centre of mass, world axes
  memcpy(F, d, (size_t)hn_body_linear(b) * sizeof(double));
  if (b->kind == HN_PLANAR) T[2] = d[2];
  if (b->kind == HN_SPATIAL) m3_mulv(T, R, d + 3);
  // moved to that of the carrier
  hn_body_place(work, carrier, c, R);
  v3_sub(arm, p, c);
  v3_cross(moment, arm, F);
  v3_add(T, T, moment);
  int nv = hn_wrench_to_body(&sys->body[carrier], R, F, T, f);
  for (int i = 0; i < nv; i++) rest[i] += f[i];
}

// The row as it is puts couples on the joints; teeth put a force between the wheels. The
// difference, on each body, is what the bearings bear in addition, and what comes from there to the
// carrier balances.
static void convert(const hn_work *work, const hn_mesh *m, const double *teeth, const bool *given,
                    double way, double *lambda) {
  const hn_system *sys = work->sys;
  const hn_group *g = &sys->group[sys->joint[m->joint].group];
  double l = way * lambda[g->row0], rest[6] = {0}, d[6];
  for (int k = g->first; k < g->first + g->bodies; k++) {
    int body = sys->group_body[k], nv = sys->body[body].nv;
    const double *J = work->J + sys->block_offset[k];
    for (int c = 0; c < nv; c++) d[c] = l * (J[c] - teeth[c]);
    teeth += nv;
    if (body == m->carrier) {
      for (int c = 0; c < nv; c++) rest[c] += d[c];
      continue;
    }
    int s = body == m->wheel[1];
    take_over(work, m->bearing[s], given, body, d, lambda);
    pass_on(work, body, d, m->carrier, rest);
  }
  // a wheel that is the ground: its bearing is known by what it does to the carrier
  for (int s = 0; s < 2; s++)
    if (sys->body[m->wheel[s]].nv == 0)
      take_over(work, m->bearing[s], given, m->carrier, rest, lambda);
}

void hn_teeth_convert(const hn_work *work, const double *teeth, const bool *given, double way,
                      double *lambda) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->meshes; i++, teeth += HN_TEETH)
    convert(work, &sys->mesh[i], teeth, given, way, lambda);
}

// ---- what is reported ----------------------------------------------------------------------

int hn_actions_of(const hn_told *told, int joint, hn_action out[2]) {
  const hn_work *work = told->work;
  const hn_system *sys = work->sys;
  const hn_sys_joint *j = &sys->joint[joint];
  double l = told->lambda[sys->group[j->group].row0];
  memset(out, 0, 2 * sizeof *out);
  if (j->mesh) {
    const hn_mesh *m = &sys->mesh[j->mesh - 1];
    double F[3];
    out->from = m->wheel[0], out->on = m->wheel[1];
    teeth_at(work, m, l, out->point, F);
    v3_scale(out->force, l, F);
    return 1;
  }
  const hn_row *row = &sys->row[j->coupler - 1];
  for (int k = 0; k < row->terms && k < 2; k++) {
    const hn_term *term = &sys->term[row->first_term + k];
    const hn_measure *m = &sys->measure[term->measure];
    hn_mval x;
    double R[9], c[3], arm[3], T[3], moment[3];
    hn_eval_measure(m, work, &x, 1);
    // on b, or on a with the opposite sign when b is the ground
    bool on_a = sys->body[m->b].nv == 0;
    int body = on_a ? m->a : m->b;
    const double *g = on_a ? x.ja : x.jb;
    double s = l * term->coefficient * (on_a ? -1 : 1);
    hn_action *o = &out[k];
    o->from = m->a, o->on = m->b;
    hn_body_place(work, body, c, R);
    v3_scale(o->force, s, g);
    m3_mulv(T, R, g + 3);
    m3_mulv(o->point, R, on_a ? m->sa : m->sb);
    v3_add(o->point, o->point, c);
    v3_sub(arm, o->point, c);
    v3_cross(moment, arm, o->force);
    for (int i = 0; i < 3; i++) o->torque[i] = s * T[i] - moment[i];
  }
  return row->terms < 2 ? row->terms : 2;
}

void hn_transmitted(const hn_told *told, int joint, hn_reaction *o) {
  const hn_sys_joint *j = &told->work->sys->joint[joint];
  hn_action action[2];
  int count = hn_actions_of(told, joint, action);
  const hn_action *x = &action[count > 1 && j->first_is_a ? 1 : 0];
  memset(o, 0, sizeof *o);
  v3_copy(o->point, x->point);
  v3_copy(o->force, x->force);
  v3_copy(o->torque, x->torque);
  // it has no axes of its own
  v3_copy(o->local_force, x->force);
  v3_copy(o->local_torque, x->torque);
}
