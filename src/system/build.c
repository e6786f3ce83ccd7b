// build.c: adding mounts, rows and force elements to a system under construction.
//
// Joints and forces build themselves from these calls, one element after the other. The builder
// knows which element that is: its name, for messages and rows, its mounts, its group of rows.
// After the first failure all calls do nothing, so that nobody has to ask after each of them.
// Arrays of the system grow here; where numbers of the Jacobian lie is found when all are there
// (compile/plan.c).
#include "system/builder.h"
#include "system/measure.h"
#include "system/polytope.h"
#include "system/reaction.h"

#include "model/check.h"
#include "system/transmission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first failure is the one that is told: what follows from it would only mislead.
hn_status hn_build_fail(hn_builder *b, hn_status status, const char *format, ...) {
  if (b->status) return b->status;
  char text[HN_MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  b->status = status;
  if (b->element)
    return hn_model_fail(b->model, b->place, status, "%s '%s': %s", b->what, b->element, text);
  return hn_model_fail(b->model, b->place, status, "%s", text);
}

hn_status hn_build_status(const hn_builder *b) {
  return b->status;
}
const hn_system *hn_build_system(const hn_builder *b) {
  return b->sys;
}

// a zeroed entry behind the last one; it counts once the caller says so. NULL: out of memory, or an
// earlier failure
void *hn_builder_room(hn_builder *b, void **array, int *capacity, int count, size_t size) {
  if (b->status) return NULL;
  if (!hn_grow(array, capacity, count, size)) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  unsigned char *at = (unsigned char *)*array + (size_t)count * size;
  memset(at, 0, size);
  return at;
}

// ---- mounts --------------------------------------------------------------------------------

const hn_mount *hn_mount_a(const hn_builder *b) {
  return &b->a;
}
const hn_mount *hn_mount_b(const hn_builder *b) {
  return &b->b;
}

void hn_build_oriented(const hn_builder *b, bool *a_is, bool *b_is) {
  *a_is = b->oriented_a, *b_is = b->oriented_b;
}

void hn_build_frame_axis(const hn_builder *b, int axis, double world[3]) {
  for (int i = 0; b->oriented_a && i < 3; i++) world[i] = b->frame_a[3 * i + axis];
}

static bool is_flat(const hn_sys_body *b) {
  return b->nv == 0 || b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT;
}
bool hn_builder_flat(const hn_builder *b, int body_a, int body_b) {
  return is_flat(&b->sys->body[body_a]) && is_flat(&b->sys->body[body_b]);
}
bool hn_build_planar(const hn_builder *b) {
  return hn_builder_flat(b, b->a.body, b->b.body);
}

// evaluations fill in the three-dimensional state of planar bodies only where somebody reads it
void hn_build_need_kin(hn_builder *b, int body) {
  b->sys->body[body].needs_kin = true;
}

// world axes with z along the given direction; the world's own axes when z is the world's z
static void basis(double R[9], const double axis[3]) {
  double z[3], x[3], y[3];
  v3_scale(z, 1 / v3_norm(axis), axis);
  if (fabs(z[0]) + fabs(z[1]) < 1e-14 && z[2] > 0)
    v3_set(x, 1, 0, 0);
  else
    v3_perpendicular(x, z);
  v3_cross(y, z, x);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
}

// a frame of the model in world axes, described configuration.
// Frames are given in the user's frame of a body; info says how that lies to the inner one (R_user
// = R axes^T, from the centre of mass by -com). A frame whose quaternion is all zero has a place
// only.
static void frame_pose(const hn_builder *b, hn_end end, double p[3], double R[9], bool *oriented) {
  const hn_frame_def *f = &b->model->frame[end.frame.id - 1].def;
  const hn_sys_body *body = &b->sys->body[end.body.id];
  const hn_kin *k = &b->described.kin[end.body.id];
  double user[9], local[9], s[3];
  m3_mult(user, k->R, body->info->axes);
  v3_sub(s, f->position, body->info->com);
  m3_mulv(p, user, s);
  v3_add(p, p, k->p);
  double n = fabs(f->orientation[0]) + fabs(f->orientation[1]) + fabs(f->orientation[2]) +
             fabs(f->orientation[3]);
  *oriented = n > 0;
  if (*oriented) {
    q_matrix(local, f->orientation);
    m3_mul(R, user, local);
  } else {
    m3_identity(R);
  }
}

// from world axes of the described configuration to the inner frame of a body.
// From here on nothing knows the user's frames: mounts are fixed in the inner frame, and that is
// all that rows, measures and forces keep.
static void set_mount(const hn_builder *b, hn_mount *m, int body, const double p[3],
                      const double R[9]) {
  const hn_kin *k = &b->described.kin[body];
  hn_body_kind kind = b->sys->body[body].kind;
  double d[3] = {0, 0, 0};
  m->body = body;
  // a point mass has no extent: its mount is the point itself, wherever the description puts it
  if (kind == HN_SPATIAL || kind == HN_PLANAR) v3_sub(d, p, k->p);
  m3_tmulv(m->s, k->R, d);
  m3_tmul(m->R, k->R, R);
}

static bool is_zero(const double x[3]) {
  return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

// Where a joint or force sits, from frames, `at` and `axis`: see hn_location. Both mounts are the
// same place and axes in the described configuration unless the type has two points or two axes, or
// two frames say otherwise: then assembly brings them together.
void hn_builder_locate(hn_builder *b, const hn_location *l) {
  double pa[3], pb[3], Ra[9], Rb[9], fa[3], fb[3], Fa[9], Fb[9];
  bool oriented_a = false, oriented_b = false;
  if (l->a.frame.id) frame_pose(b, l->a, fa, Fa, &oriented_a);
  if (l->b.frame.id) frame_pose(b, l->b, fb, Fb, &oriented_b);

  // points: a frame of the end itself, else the other end's frame, else the world position
  bool share = !l->two_points;
  v3_copy(pa, l->a.frame.id ? fa : share && l->b.frame.id ? fb : l->at);
  v3_copy(pb, l->b.frame.id ? fb : l->two_points ? l->at_b : l->a.frame.id ? fa : l->at);

  // axes: an explicit axis wins over oriented frames
  if (!is_zero(l->axis)) {
    basis(Ra, l->axis);
    memcpy(Rb, Ra, sizeof Rb);
  } else {
    if (oriented_a)
      memcpy(Ra, Fa, sizeof Ra);
    else if (oriented_b)
      memcpy(Ra, Fb, sizeof Ra);
    else
      m3_identity(Ra);
    memcpy(Rb, oriented_b ? Fb : Ra, sizeof Rb);
  }
  // b has an axis of its own
  if (l->two_axes && !is_zero(l->axis_b))
    basis(Rb, l->axis_b);
  else if (l->two_axes && oriented_b)
    memcpy(Rb, Fb, sizeof Rb);

  // two frames say where zero is: their points for lengths, their axes for angles
  b->shift_length = !(l->a.frame.id && l->b.frame.id);
  b->shift_angle = !(oriented_a && oriented_b && is_zero(l->axis));
  b->oriented_a = oriented_a, b->oriented_b = oriented_b;
  if (oriented_a) memcpy(b->frame_a, Fa, sizeof b->frame_a);
  set_mount(b, &b->a, l->a.body.id, pa, Ra);
  set_mount(b, &b->b, l->b.body.id, pb, Rb);
}

void hn_build_direction(const hn_builder *b, int body, const double world[3], double inner[3]) {
  m3_tmulv(inner, b->described.kin[body].R, world);
}

// R_user = R axes^T and origin = p - R_user com, both seen from the inner frame
hn_mount hn_build_body_frame(const hn_builder *b, int body) {
  const hn_sys_body *of = &b->sys->body[body];
  hn_mount mount = {.body = body};
  m3_identity(mount.R);
  if (body == 0) return mount;
  m3_transpose(mount.R, of->info->axes);
  m3_mulv(mount.s, mount.R, of->info->com);
  v3_scale(mount.s, -1, mount.s);
  return mount;
}

void hn_build_pose(const hn_builder *b, const hn_mount *mount, double p[3], double R[9]) {
  const hn_kin *k = &b->described.kin[mount->body];
  m3_mulv(p, k->R, mount->s);
  v3_add(p, p, k->p);
  m3_mul(R, k->R, mount->R);
}

// axis k + 1 of the mount becomes its x, and so on round
hn_mount hn_mount_cycled(const hn_mount *mount, int k) {
  hn_mount o = *mount;
  for (int axis = 0; axis < 3; axis++)
    for (int i = 0; i < 3; i++) o.R[3 * i + axis] = mount->R[3 * i + (axis + k + 1) % 3];
  return o;
}

// 1e-6 of the axis may leave the plane: digits of the file, and not a slope that is meant.
bool hn_build_axis_in_plane(hn_builder *builder, hn_mount *mount) {
  double *R = mount->R;
  double x = R[2], y = R[5], z = R[8], n = sqrt(x * x + y * y);
  if (fabs(z) > 1e-6 * n) {
    hn_build_fail(builder, HN_ERR_MODEL,
                  "the axis leaves the plane of the bodies (give it as x y 0)");
    return false;
  }
  x /= n, y /= n;
  // columns: normal in the plane, normal of the plane, axis
  R[0] = -y, R[1] = 0, R[2] = x;
  R[3] = x, R[4] = 0, R[5] = y;
  R[6] = 0, R[7] = 1, R[8] = 0;
  return true;
}

bool hn_build_rotates(const hn_builder *builder, int body) {
  hn_body_kind kind = hn_build_system(builder)->body[body].kind;
  return body == 0 || kind == HN_SPATIAL || kind == HN_PLANAR;
}

// ---- rows ----------------------------------------------------------------------------------

// the group of the element gets a block of this body; the ground has none unless `always`
void hn_builder_touch(hn_builder *b, int body, bool always) {
  hn_system *sys = b->sys;
  hn_group *g = &sys->group[b->group];
  if (b->status || (sys->body[body].nv == 0 && !always)) return;
  for (int k = g->first; k < g->first + g->bodies; k++)
    if (sys->group_body[k] == body) return;
  int *slot = hn_builder_room(b, (void **)&sys->group_body, &b->group_body_capacity,
                              g->first + g->bodies, sizeof *slot);
  if (!slot) return;
  *slot = body;
  g->bodies++;
}

// One more row of the element, "element.label". Rows of a group are made one after the other, and
// so lie together; returns its number, -1 after a failure.
int hn_builder_row(hn_builder *b, const char *label, bool holonomic) {
  hn_system *sys = b->sys;
  char **name =
      hn_builder_room(b, (void **)&sys->row_name, &b->row_name_capacity, sys->rows, sizeof *name);
  bool *flag = name ? hn_builder_room(b, (void **)&sys->holonomic, &b->holonomic_capacity,
                                      sys->rows, sizeof *flag)
                    : NULL;
  int *joint = flag ? hn_builder_room(b, (void **)&sys->row_joint, &b->row_joint_capacity,
                                      sys->rows, sizeof *joint)
                    : NULL;
  if (!joint) return -1;
  size_t n = strlen(b->element), m = strlen(label);
  *name = hn_pool_characters(&sys->names, n + m + 2);
  if (!*name) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return -1;
  }
  memcpy(*name, b->element, n);
  (*name)[n] = '.';
  memcpy(*name + n + 1, label, m + 1);
  *flag = holonomic;
  if (!holonomic) sys->velocity_rows++;
  *joint = sys->joints - 1;
  sys->group[b->group].rows++;
  return sys->rows++;
}

// two points meet: rows x, y and, unless both bodies are planar, z, in world axes
void hn_build_point(hn_builder *b, const hn_mount *ma, const hn_mount *mb) {
  hn_system *sys = b->sys;
  if (b->status || b->no_rows) return;
  hn_builder_touch(b, ma->body, false);
  hn_builder_touch(b, mb->body, false);
  bool planar = hn_builder_flat(b, ma->body, mb->body);
  int row = hn_builder_row(b, "x", true);
  hn_builder_row(b, "y", true);
  if (planar) {
    hn_point2 *p =
        hn_builder_room(b, (void **)&sys->point2, &b->point2_capacity, sys->points2, sizeof *p);
    if (!p) return;
    *p = (hn_point2){.row = row, .a = ma->body, .b = mb->body};
    memcpy(p->sa, ma->s, sizeof p->sa);
    memcpy(p->sb, mb->s, sizeof p->sb);
    sys->points2++;
    return;
  }
  hn_builder_row(b, "z", true);
  hn_point3 *p =
      hn_builder_room(b, (void **)&sys->point3, &b->point3_capacity, sys->points3, sizeof *p);
  if (!p) return;
  *p = (hn_point3){.row = row, .a = ma->body, .b = mb->body};
  v3_copy(p->sa, ma->s);
  v3_copy(p->sb, mb->s);
  hn_build_need_kin(b, ma->body);
  hn_build_need_kin(b, mb->body);
  sys->points3++;
}

// the row has the bodies of all its measures.
// sum c m - constant - motion(t) = 0. One measure that is a mere rate (HN_M_SPIN, HN_M_SLIP) makes
// the whole row nonholonomic.
void hn_build_combination(hn_builder *b, const char *label, int count, const int *measure,
                          const double *coefficient, double constant, const char *motion) {
  hn_system *sys = b->sys;
  if (b->status || b->no_rows) return;
  int motion_index = motion ? hn_builder_motion(b, motion) : -1;
  bool holonomic = true;
  for (int k = 0; k < count; k++)
    holonomic &= measure[k] < 0 || (sys->measure[measure[k]].type != HN_M_SPIN &&
                                    sys->measure[measure[k]].type != HN_M_SLIP);
  int row = hn_builder_row(b, label, holonomic);
  hn_row *r = hn_builder_room(b, (void **)&sys->row, &b->row_capacity, sys->rowcount, sizeof *r);
  if (!r) return;
  *r = (hn_row){.row = row,
                .first_term = sys->terms,
                .terms = count,
                .constant = constant,
                .motion = motion_index};
  sys->rowcount++;
  bool ground = false;
  for (int k = 0; k < count; k++) {
    if (measure[k] < 0) return;
    hn_term *t = hn_builder_room(b, (void **)&sys->term, &b->term_capacity, sys->terms, sizeof *t);
    if (!t) return;
    t->measure = measure[k];
    t->coefficient = coefficient[k];
    sys->terms++;
    hn_builder_touch(b, sys->measure[measure[k]].a, false);
    hn_builder_touch(b, sys->measure[measure[k]].b, false);
    ground = ground || !sys->measure[measure[k]].a || !sys->measure[measure[k]].b;
  }
  // coordinates coupled to each other, some of them against the ground
  if (ground && count > 1) sys->group[b->group].grounded = true;
}

void hn_build_row(hn_builder *b, const char *label, int measure, double value) {
  hn_build_combination(b, label, 1, &measure, (double[]){1}, value, NULL);
}

// a row that comes and goes, as far as it differs from others.
// The row is made as any other and noted as one that comes and goes. Trees that have the joint's
// coordinate bring no rows, and nothing is noted.
static void build_unilateral(hn_builder *b, const char *label, int count, const int *measure,
                             const double *coefficient, double constant, hn_unilateral kind) {
  hn_system *sys = b->sys;
  kind.row = sys->rows;
  hn_build_combination(b, label, count, measure, coefficient, constant, NULL);
  if (b->status || sys->rows == kind.row) return;
  hn_unilateral *u = hn_builder_room(b, (void **)&sys->unilateral, &b->unilateral_capacity,
                                     sys->unilaterals, sizeof *u);
  if (!u) return;
  *u = kind;
  sys->unilaterals++;
}

void hn_build_unilateral(hn_builder *b, const char *label, int measure, double coefficient,
                         double constant, double restitution, double pitch) {
  build_unilateral(b, label, 1, &measure, &coefficient, constant,
                   (hn_unilateral){.restitution = restitution, .pitch = pitch});
}

// the tip built last belongs to the meeting of the one before, if that is of the same solids
static void join_meeting(hn_builder *b) {
  hn_system *sys = b->sys;
  const hn_tip *tip = &sys->tip[sys->tips - 1];
  hn_meeting *last = sys->meetings ? &sys->meeting[sys->meetings - 1] : NULL;
  const hn_tip *of = last ? &sys->tip[last->first] : NULL;
  if (of && of->solid == tip->solid && of->other == tip->other) {
    last->count++;
    return;
  }
  hn_meeting *slot =
      hn_builder_room(b, (void **)&sys->meeting, &b->meeting_capacity, sys->meetings, sizeof *slot);
  if (!slot) return;
  *slot = (hn_meeting){.first = sys->tips - 1, .count = 1, .pairs = sys->edge_pairs};
  sys->meetings++;
  sys->edge_pairs += hn_polytope_of(tip->solid).edges * hn_polytope_of(tip->other).edges;
}

void hn_build_tip(hn_builder *b, int measure, const double *solid, const hn_mount *mount,
                  const double *spokes, int spoke_count, const double *other) {
  hn_system *sys = b->sys;
  double *inner = NULL;
  if (b->status || !sys->unilaterals) return;
  hn_tip *tip = hn_builder_room(b, (void **)&sys->tip, &b->tip_capacity, sys->tips, sizeof *tip);
  if (!tip) return;
  if (spoke_count) inner = malloc((size_t)spoke_count * 3 * sizeof *inner);
  if (spoke_count && !inner) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  for (int i = 0; i < spoke_count; i++) m3_mulv(inner + 3 * i, mount->R, spokes + 3 * i);
  *tip = (hn_tip){.measure = measure,
                  .gap = sys->unilaterals - 1,
                  .solid = solid,
                  .spokes = inner ? hn_build_keep(b, inner, 3 * spoke_count) : NULL,
                  .spoke_count = spoke_count,
                  .other = other};
  free(inner);
  sys->measure[measure].tip = ++sys->tips;
  if (other) join_meeting(b);
}

void hn_build_unilateral_sum(hn_builder *b, const char *label, int count, const int *measure,
                             const double *coefficient, double constant, double restitution) {
  build_unilateral(b, label, count, measure, coefficient, constant,
                   (hn_unilateral){.restitution = restitution});
}

void hn_build_hold_row(hn_builder *b, const char *label, int count, const int *measure,
                       const double *coefficient) {
  int row = b->sys->rows;
  build_unilateral(b, label, count, measure, coefficient, 0, (hn_unilateral){.hold = -1});
  if (b->status || b->sys->rows == row) return;
  for (int k = 0; k < count; k++) b->sys->measure[measure[k]].used_by_force = true;
}

// one number for all that read it
static int build_load(hn_builder *b, hn_load load) {
  hn_system *sys = b->sys;
  for (int i = 0; i < sys->loads; i++)
    if (sys->load[i].joint == load.joint && sys->load[i].row == load.row) return i;
  hn_load *slot =
      hn_builder_room(b, (void **)&sys->load, &b->load_capacity, sys->loads, sizeof *slot);
  if (!slot) return 0;
  *slot = load;
  return sys->loads++;
}

// a number for the reaction of a joint, which friction and others read
int hn_build_load(hn_builder *b, int joint) {
  return build_load(b, (hn_load){joint, -1});
}

// the reaction of a joint has one direction.
// Such a reaction is a number with a sign, times a direction: friction has a kink where it goes
// through zero, and steps must end there. One of two or three components misses zero, generally.
static bool presses_along_line(const hn_system *sys, const hn_sys_joint *joint) {
  bool turns = strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "spherical") == 0;
  return joint->coupler || (hn_joint_is_flat(sys, joint) && !turns);
}

// the measure of a row, counted from one
static int spin_of(const hn_system *sys, int row) {
  int i = 0;
  while (sys->row[i].row != row) i++;
  return sys->term[sys->row[i].first_term].measure + 1;
}

// how many of the rows that come and go belong to a joint, and the first of them; gaps only, or
// rows that hold. Those of a joint that is switched hold both ways and are neither
static int rows_that_come(const hn_system *sys, int joint, bool hold, int *first) {
  int count = 0;
  for (int i = 0; i < sys->unilaterals; i++) {
    if (sys->row_joint[sys->unilateral[i].row] != joint) continue;
    if ((sys->unilateral[i].hold != 0) != hold || sys->unilateral[i].gate) continue;
    if (!count++) *first = i;
  }
  return count;
}

int hn_build_holds(const hn_builder *b, int presses) {
  int first, gaps = rows_that_come(b->sys, presses, false, &first);
  return gaps > 0 ? gaps : 1;
}

// Friction that holds: rows of its joint (rows_of) come while it sticks, with at most `sticking`
// times what presses. That is a gap of the joint `presses` where it has any, a given force, or its
// reaction. Of several gaps each has a friction of its own, and its part of the rows.
int hn_build_hold(hn_builder *b, int rows_of, int presses, int which, const hn_force_def *def,
                  double sticking) {
  hn_system *sys = b->sys;
  hn_hold h = {.joint = rows_of,
               .normal = -1,
               .sticking = sticking,
               .sliding = def->coulomb,
               .press = def->press};
  int gap = 0, gaps = rows_that_come(sys, presses, false, &gap);
  h.first = -1;
  h.rows = rows_that_come(sys, rows_of, true, &h.first) / (gaps > 0 ? gaps : 1);
  h.first += which * h.rows;
  if (gaps) h.normal = gap + which;
  for (int i = 0; i < h.rows; i++) sys->unilateral[h.first + i].hold = sys->holds + 1;
  if (h.rows == 3) h.spin = spin_of(sys, sys->unilateral[h.first].row), h.radius = def->radius;
  if (h.rows) {
    int first = spin_of(sys, sys->unilateral[h.first].row);
    const hn_measure *m = &sys->measure[first - 1];
    // what rolls leaves its place; in the plane it is known where it is by then
    bool stays = m->arm == 0 && !(m->rim > 0);
    if (m->type == HN_M_SLIP && (stays || hn_slip_rolls(m))) h.anchor = first;
  }
  for (int i = 0; i < h.rows && (h.spin || h.anchor); i++) {
    bool *holonomic = &sys->holonomic[sys->unilateral[h.first + i].row];
    if (!*holonomic) sys->velocity_rows--;
    *holonomic = true;  // while they are there
  }
  bool teeth_press = gaps && sys->joint[presses].coupler;
  h.load = gaps && !teeth_press ? build_load(b, (hn_load){presses, sys->unilateral[h.normal].row})
                                : hn_build_load(b, presses);
  h.line = h.normal < 0 && !(h.press > 0) && presses_along_line(sys, &sys->joint[presses]);
  hn_tooth_slide teeth;
  if (sys->joint[presses].coupler &&
      hn_tooth_slip(sys, presses, def->radius, def->radius_a, &teeth))
    h.by_torque = teeth.by_torque;
  h.per_row = teeth_press ? hn_tooth_force(sys, presses, h.by_torque) : 1;
  hn_hold *slot =
      hn_builder_room(b, (void **)&sys->hold, &b->hold_capacity, sys->holds, sizeof *slot);
  if (!slot) return 0;
  *slot = h;
  return sys->holds++;
}

// data of all elements lie in one block, each at a multiple of 16 bytes.
// Places in custom_data are kept as offsets, since it moves as it grows.
void hn_build_custom(hn_builder *b, const hn_custom_type *type, const void *data,
                     const hn_mount *ma, const hn_mount *mb, const char *const *labels) {
  hn_system *sys = b->sys;
  if (b->status || b->no_rows) return;
  if (type->rows > HN_CUSTOM_ROWS) {
    hn_build_fail(b, HN_ERR_ARGUMENT, "'%s' has %d rows of its own (at most %d)", type->name,
                  type->rows, HN_CUSTOM_ROWS);
    return;
  }
  hn_builder_touch(b, ma->body, false);
  hn_builder_touch(b, mb->body, false);
  hn_build_need_kin(b, ma->body);
  hn_build_need_kin(b, mb->body);
  int row = sys->rows;
  for (int k = 0; k < type->rows; k++) hn_builder_row(b, labels[k], !(type->nonholonomic >> k & 1));
  hn_custom *c =
      hn_builder_room(b, (void **)&sys->custom, &b->custom_capacity, sys->customs, sizeof *c);
  if (!c) return;
  size_t size = (type->data_size + 15) & ~(size_t)15;
  unsigned char *grown = realloc(sys->custom_data, b->custom_data_size + size);
  if (!grown) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  sys->custom_data = grown;
  memcpy(grown + b->custom_data_size, data, type->data_size);
  *c = (hn_custom){
      .type = type, .row = row, .a = ma->body, .b = mb->body, .data = b->custom_data_size};
  b->custom_data_size += size;
  sys->customs++;
  sys->joint[sys->joints - 1].custom = sys->customs;
}

// z and the axis `across` change places with a sign, so that Rb stays a rotation.
void hn_build_alignment(hn_builder *b, hn_alignment_kind kind, const hn_mount *ma,
                        const hn_mount *mb, int across) {
  hn_system *sys = b->sys;
  if (b->status || b->no_rows) return;
  hn_alignment *o = hn_builder_room(b, (void **)&sys->alignment, &b->alignment_capacity,
                                    sys->alignments, sizeof *o);
  if (!o) return;
  *o = (hn_alignment){.kind = kind, .row = sys->rows, .a = ma->body, .b = mb->body};
  memcpy(o->Ra, ma->R, sizeof o->Ra);
  memcpy(o->Rb, mb->R, sizeof o->Rb);
  for (int i = 0; across != HN_AXIS_Z && i < 3; i++)
    o->Rb[3 * i + 2] = mb->R[3 * i + across], o->Rb[3 * i + across] = -mb->R[3 * i + 2];
  sys->alignments++;
}

// ---- forces --------------------------------------------------------------------------------

// Elements of one type lie in one batch, in the order of the model, so that a type is evaluated by
// one call. What an element depends on beside its bodies (formulas, switches, reactions) is noted
// with its ends.
void hn_build_force(hn_builder *b, const hn_force_ops *ops, const void *data) {
  hn_system *sys = b->sys;
  if (b->status) return;
  int i = 0;
  while (i < sys->batches && sys->batch[i].ops != ops) i++;
  if (i == sys->batches) {
    hn_batch *batch =
        hn_builder_room(b, (void **)&sys->batch, &b->batch_capacity, sys->batches, sizeof *batch);
    int *free_room = batch ? hn_builder_room(b, (void **)&b->batch_room, &b->batch_room_capacity,
                                             sys->batches, sizeof *free_room)
                           : NULL;
    if (!free_room) return;
    batch->ops = ops;
    sys->batches++;
  }
  hn_batch *batch = &sys->batch[i];
  int name_room = b->batch_room[i], ends_room = name_room;
  if (!hn_grow((void **)&batch->data, &b->batch_room[i], batch->count, ops->data_size) ||
      !hn_grow((void **)&batch->name, &name_room, batch->count, sizeof(char *)) ||
      !hn_grow((void **)&batch->ends, &ends_room, batch->count, sizeof *batch->ends) ||
      !(batch->name[batch->count] = hn_strdup(b->element))) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  memcpy(batch->data + (size_t)batch->count * ops->data_size, data, ops->data_size);
  batch->ends[batch->count] = (struct hn_batch_ends){
      b->acts[0], b->acts[1],
      sys->expressions > b->expressions || ops->switches != NULL || ops->reactive != NULL};
  batch->count++;
  if (ops->reactive) sys->reactive = true;
}

int hn_build_switches(hn_builder *b, int count) {
  int first = b->sys->switches;
  b->sys->switches += count;
  return first;
}

int hn_build_memories(hn_builder *b, int count) {
  int first = b->sys->memories;
  b->sys->memories += count;
  return first;
}

void hn_build_as_joint(hn_builder *b, const char *joint) {
  hn_system *sys = b->sys;
  hn_sys_joint *own = &sys->joint[sys->joints - 1];
  for (int i = 0; i < sys->joints - 1; i++) {
    if (strcmp(sys->joint[i].name, joint) != 0) continue;
    own->a = sys->joint[i].a;
    own->b = sys->joint[i].b;
    own->components = true;
  }
}

void hn_build_acts_at(hn_builder *b, int joint) {
  b->acts[0] = b->sys->joint[joint].a.body, b->acts[1] = b->sys->joint[joint].b.body;
}

// Copies that live as long as the system: definitions may be gone, or changed, while it runs.
const double *hn_build_keep(hn_builder *b, const double *values, int count) {
  hn_system *sys = b->sys;
  double *copy = malloc((size_t)(count > 0 ? count : 1) * sizeof(double));
  double **slot = copy ? hn_builder_room(b, (void **)&sys->kept, &sys->kept_capacity,
                                         sys->kept_count, sizeof *slot)
                       : NULL;
  if (!slot) {
    free(copy);
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  if (count > 0) memcpy(copy, values, (size_t)count * sizeof(double));
  *slot = copy;
  sys->kept_count++;
  return copy;
}
