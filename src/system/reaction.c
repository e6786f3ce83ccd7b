// reaction.c: what a state says of bodies and joints: poses, forces and torques.
//
// The rows of a joint put the generalized force J_b^T lambda on its body b: a force and a torque
// about the centre of mass. Moved to the joint this is the reaction of a on b.
#include "system/reaction.h"

#include "base/elementary.h"
#include "system/coordinates/coordinates.h"

#include <string.h>

bool hn_joint_is_flat(const hn_system *sys, const hn_sys_joint *joint) {
  const hn_sys_body *a = &sys->body[joint->a.body], *b = &sys->body[joint->b.body];
  return (a->nv == 0 || hn_flat(a)) && (b->nv == 0 || hn_flat(b));
}

// rotation of a body, also of planar ones
static void rotation(const hn_work *work, int body, double R[9]) {
  const hn_sys_body *b = &work->sys->body[body];
  m3_identity(R);
  if (b->nv && b->kind == HN_PLANAR) {
    const hn_kin2 *k = &work->kin2[body];
    R[0] = R[4] = k->c, R[1] = -k->s, R[3] = k->s;
  } else if (b->nv && b->kind == HN_SPATIAL) {
    memcpy(R, work->kin[body].R, 9 * sizeof(double));
  }
}

// wrench of a joint's rows on a body about its centre of mass, world axes.
// J^T lambda on the velocities of the body: force along world axes, moment in principal axes, which
// is turned to world axes.
static void wrench_of_rows(const hn_work *work, const hn_group *g, int body, const double *lambda,
                           double F[3], double T[3]) {
  const hn_system *sys = work->sys;
  const hn_sys_body *b = &sys->body[body];
  double f[6] = {0}, R[9];
  for (int k = g->first; k < g->first + g->bodies; k++) {
    if (sys->group_body[k] != body) continue;
    const double *J = work->J + sys->block_offset[k];
    for (int r = 0; r < g->rows; r++, J += b->nv)
      for (int c = 0; c < b->nv; c++) f[c] += J[c] * lambda[g->row0 + r];
  }
  v3_set(F, f[0], f[1], hn_flat(b) ? 0 : f[2]);
  v3_set(T, 0, 0, b->kind == HN_PLANAR ? f[2] : 0);
  if (b->kind == HN_SPATIAL) {
    rotation(work, body, R);
    m3_mulv(T, R, f + 3);
  }
}

void hn_body_centre(const hn_work *work, int body, double p[3]) {
  const hn_sys_body *b = &work->sys->body[body];
  const double *x = work->q + b->q0;
  v3_set(p, 0, 0, 0);
  if (b->nv) v3_set(p, x[0], x[1], hn_flat(b) ? 0 : x[2]);
}

void hn_body_place(const hn_work *work, int body, double p[3], double R[9]) {
  rotation(work, body, R);
  hn_body_centre(work, body, p);
}

// the opposite way: a wrench about the centre of mass, world axes, along the velocities of the body
int hn_wrench_to_body(const hn_sys_body *b, const double R[9], const double F[3], const double T[3],
                      double *f) {
  if (b->nv == 0 || b->kind == HN_SCALAR) return 0;
  int linear = hn_flat(b) ? 2 : 3;
  memcpy(f, F, (size_t)linear * sizeof(double));
  if (b->kind == HN_PLANAR) f[2] = T[2];
  if (b->kind == HN_SPATIAL) m3_tmulv(f + 3, R, T);
  return b->nv;
}

// world position of a mount
static void place(const hn_work *work, const hn_mount *m, double p[3]) {
  const hn_sys_body *b = &work->sys->body[m->body];
  double R[9], arm[3];
  if (b->nv && b->kind == HN_PLANAR) {
    const hn_kin2 *k = &work->kin2[m->body];
    const double *x = work->q + b->q0;
    v3_set(p, x[0] + (k->c * m->s[0] - k->s * m->s[1]), x[1] + (k->s * m->s[0] + k->c * m->s[1]),
           m->s[2]);
    return;
  }
  rotation(work, m->body, R);
  m3_mulv(arm, R, m->s);
  hn_body_centre(work, m->body, p);
  v3_add(p, p, arm);
}

// The wrench about a centre of mass becomes one at the joint: the force stays, the torque loses
// what the force makes of the arm between the two points.
static void from_wrench(const hn_work *work, int joint, bool on_a, const double F[3],
                        const double T[3], hn_reaction *o) {
  const hn_system *sys = work->sys;
  const hn_sys_joint *j = &sys->joint[joint];
  // where it acts: on b, also when the wrench is known on a; on a when b is the ground
  const hn_mount *at = sys->body[j->b.body].nv ? &j->b : &j->a;
  double arm[3], moment[3], torque[3], centre[3];
  memset(o, 0, sizeof *o);
  const hn_custom *custom = j->custom ? &sys->custom[j->custom - 1] : NULL;
  if (custom && custom->type->contact)
    custom->type->contact(sys->custom_data + custom->data, &work->kin[custom->a],
                          &work->kin[custom->b], o->point);
  else
    place(work, at, o->point);
  hn_body_centre(work, on_a ? j->a.body : j->b.body, centre);
  v3_sub(arm, o->point, centre);
  v3_cross(moment, arm, F);
  v3_sub(torque, T, moment);
  v3_scale(o->force, on_a ? -1 : 1, F);
  v3_scale(o->torque, on_a ? -1 : 1, torque);
}

void hn_reaction_along_axes(const hn_work *work, int joint, hn_reaction *o) {
  const hn_sys_joint *j = &work->sys->joint[joint];
  double R[9], axes[9];
  // joint axes ride on a
  rotation(work, j->a.body, R);
  m3_mul(axes, R, j->a.R);
  m3_tmulv(o->local_force, axes, o->force);
  m3_tmulv(o->local_torque, axes, o->torque);
}

// a joint on a body of the plane, which is most of them: no rotation but one cosine and one sine
static void from_flat_rows(const hn_work *work, int joint, int body, bool on_a,
                           const double *lambda, hn_reaction *o) {
  const hn_system *sys = work->sys;
  const hn_sys_joint *j = &sys->joint[joint];
  const hn_sys_body *b = &sys->body[body];
  const hn_group *g = &sys->group[j->group];
  const hn_kin2 *kin = &work->kin2[body];
  const double *x = work->q + b->q0, *at = on_a ? j->a.s : j->b.s;
  double f[3] = {0, 0, 0}, sign = on_a ? -1 : 1;
  for (int k = g->first; k < g->first + g->bodies; k++) {
    if (sys->group_body[k] != body) continue;
    const double *J = work->J + sys->block_offset[k], *l = lambda + g->row0;
    for (int r = 0; r < g->rows; r++, J += 3)
      f[0] += J[0] * l[r], f[1] += J[1] * l[r], f[2] += J[2] * l[r];
  }
  memset(o, 0, sizeof *o);
  o->point[0] = x[0] + (kin->c * at[0] - kin->s * at[1]);
  o->point[1] = x[1] + (kin->s * at[0] + kin->c * at[1]);
  o->point[2] = at[2];
  double arm[2] = {o->point[0] - x[0], o->point[1] - x[1]};
  o->force[0] = sign * f[0], o->force[1] = sign * f[1];
  o->torque[0] = sign * (at[2] * f[1]);
  o->torque[1] = -sign * (at[2] * f[0]);
  o->torque[2] = sign * (f[2] - (arm[0] * f[1] - arm[1] * f[0]));
}

// Transmissions touch three bodies and are no joint between two: they are told by transmission.c.
static void from_rows(const hn_work *work, int joint, const double *lambda, hn_reaction *o) {
  const hn_system *sys = work->sys;
  const hn_sys_joint *j = &sys->joint[joint];
  // the side that moves: b, or a when b is the ground (then with the opposite sign)
  bool on_a = sys->body[j->b.body].nv == 0;
  int body = on_a ? j->a.body : j->b.body;
  if (sys->body[body].kind == HN_PLANAR && !j->custom) {
    from_flat_rows(work, joint, body, on_a, lambda, o);
    return;
  }
  double F[3], T[3];
  wrench_of_rows(work, &sys->group[j->group], body, lambda, F, T);
  from_wrench(work, joint, on_a, F, T, o);
}

void hn_reaction_of_wrench(const hn_work *work, int joint, bool on_a, const double F[3],
                           const double T[3], hn_reaction *o) {
  from_wrench(work, joint, on_a, F, T, o);
  hn_reaction_along_axes(work, joint, o);
}

void hn_reaction_of_rows(const hn_work *work, int joint, const double *lambda, hn_reaction *o) {
  from_rows(work, joint, lambda, o);
  hn_reaction_along_axes(work, joint, o);
}

// From inner frames (centre of mass, principal axes) to those the model describes: `info` says how
// they lie to each other.
void hn_user_pose(const hn_system *sys, int body, const double *q, const double *v, hn_pose *pose) {
  const hn_sys_body *b = &sys->body[body];
  const double *x = q + b->q0, *u = v + b->v0;
  double R[9], user[9], r[3], w[3] = {0, 0, 0}, s[3];
  memset(pose, 0, sizeof *pose);
  m3_identity(R);
  pose->orientation[0] = 1;
  int linear = hn_flat(b) ? 2 : 3;
  if (b->kind == HN_PLANAR) {
    double half = x[2] / 2;
    pose->orientation[0] = hn_cos(half), pose->orientation[3] = hn_sin(half);
    q_matrix(R, pose->orientation);
    w[2] = u[2];
  } else if (b->kind == HN_SPATIAL) {
    double axes_q[4], back[4];
    q_matrix(R, x + 3);
    q_from_matrix(axes_q, b->info->axes);
    for (int k = 0; k < 4; k++) back[k] = k ? -axes_q[k] : axes_q[k];
    q_mul(pose->orientation, x + 3, back);
    m3_mulv(w, R, u + 3);
  }
  m3_mult(user, R, b->info->axes);
  m3_mulv(r, user, b->info->com);
  v3_cross(s, w, r);
  for (int k = 0; k < linear; k++) {
    pose->position[k] = x[k] - r[k];
    pose->velocity[k] = u[k] - s[k];
  }
  v3_copy(pose->angular_velocity, w);
}

// Joints stand in the order in which they were built, those that couple others last: handles of the
// model are not their numbers.
int hn_system_joint(const hn_system *sys, hn_joint joint) {
  for (int i = 0; i < sys->joints; i++)
    if (sys->joint[i].handle == joint.id) return i;
  return -1;
}

// joints without rows, of a spanning tree, have their wrench from the balance of the bodies behind
// them
void hn_reaction_on_body(const hn_told *told, int joint, hn_reaction *o) {
  const hn_work *work = told->work;
  const hn_sys_joint *j = &work->sys->joint[joint];
  if (told->found && told->found_at == work->stamp && !j->coupler && hn_joint_is_placed(j)) {
    *o = told->found[joint];
    return;
  }
  if (j->group >= 0) {
    from_rows(work, joint, told->lambda, o);
    return;
  }
  bool on_a;
  double F[3], T[3];
  work->sys->coordinates->wrench(work, joint, &on_a, F, T);
  from_wrench(work, joint, on_a, F, T, o);
}

void hn_reaction_of(const hn_told *told, int joint, hn_reaction *o) {
  hn_reaction_on_body(told, joint, o);
  hn_reaction_along_axes(told->work, joint, o);
}
