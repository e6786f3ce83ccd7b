// push.c: what the caller pushes bodies with, and how that changes with the motion.
//
// The caller's function knows a body's own frame: its origin, its orientation, their rates, all in
// world axes. The equations know the centre of mass p in world axes and rotations d in body axes.
// With the arm a = R com from the origin to the centre, and u = R d,
//
//   origin = p - a      changes by  dp - u x a
//   velocity            changes by  dv - (R dw + u x w) x a - w x (u x a)
//   angular velocity    changes by  R dw + u x w
//
// Torques act in body axes, R^T T, which changes by R^T dT + (R^T T) x d.
#include "base/elementary.h"
#include "system/system.h"

#include <string.h>

// bodies of the plane have no such motion where no joint in space looks at them
static hn_kin motion_of(const hn_work *work, int body) {
  const hn_sys_body *b = &work->sys->body[body];
  const double *q = work->q + b->q0, *v = work->v + b->v0;
  hn_kin kin = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (b->kind != HN_PLANAR && b->kind != HN_PLANAR_POINT) return work->kin[body];
  for (int k = 0; k < 2; k++) kin.p[k] = q[k], kin.v[k] = v[k];
  if (b->kind == HN_PLANAR_POINT) return kin;
  hn_sincos(q[2], &kin.R[3], &kin.R[0]);
  kin.R[4] = kin.R[0], kin.R[1] = -kin.R[3];
  kin.w[2] = v[2];
  return kin;
}

// pose and velocities of a body's own frame, by its centre of mass; its arm
static void frame_of(const hn_sys_body *b, const hn_kin *kin, hn_pose *pose, double arm[3]) {
  double R[9], turn[3];
  m3_mult(R, kin->R, b->info->axes);
  q_from_matrix(pose->orientation, R);
  m3_mulv(arm, R, b->info->com);
  v3_cross(turn, kin->w, arm);
  for (int k = 0; k < 3; k++) {
    pose->position[k] = kin->p[k] - arm[k];
    pose->velocity[k] = kin->v[k] - turn[k];
    pose->angular_velocity[k] = kin->w[k];
  }
}

static void wrench_on(const hn_work *work, int body, double wrench[6]) {
  memcpy(wrench, work->wrench_set + 6 * body, 6 * sizeof(double));
  if (!work->pusher || !work->pusher[body].function) return;
  hn_pose pose;
  double arm[3];
  hn_kin kin = motion_of(work, body);
  frame_of(&work->sys->body[body], &kin, &pose, arm);
  work->pusher[body].function(work->pusher[body].user, work->t, &pose, wrench, wrench + 3);
}

// The power of a push is what it adds to f.v: found as the difference, since points and bodies of
// the plane feel only a part of it.
void hn_eval_pushes(hn_work *work) {
  const hn_system *sys = work->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    double wrench[6], *f = work->f + b->v0;
    const double *v = work->v + b->v0;
    if (b->kind == HN_SCALAR) continue;
    wrench_on(work, i, wrench);
    for (int k = 0; k < b->nv; k++) work->power -= f[k] * v[k];
    hn_apply_wrench(sys, work, i, wrench, wrench + 3);
    for (int k = 0; k < b->nv; k++) work->power += f[k] * v[k];
  }
}

// what the frame does where the body's coordinate k (or its rate) changes by one: origin and
// orientation (or their rates); by a coordinate also the rates.
// Column k of the four derivatives at the head of the file; u = R e_k.
static void moved(const hn_kin *kin, const double arm[3], int k, double place[6], double rate[6]) {
  double u[3] = {0, 0, 0}, x[3], turned[3];
  memset(place, 0, 6 * sizeof(double));
  memset(rate, 0, 6 * sizeof(double));
  if (k < 3) {
    place[k] = 1;
    return;
  }
  for (int i = 0; i < 3; i++) u[i] = kin->R[3 * i + k - 3];
  v3_cross(x, u, arm);
  for (int i = 0; i < 3; i++) place[i] = -x[i], place[3 + i] = u[i];
  v3_cross(turned, u, kin->w);
  v3_copy(rate + 3, turned);
  double first[3], second[3];
  v3_cross(first, turned, arm);
  v3_cross(second, kin->w, x);
  for (int i = 0; i < 3; i++) rate[i] = -first[i] - second[i];
}

// adds what 6 numbers on a frame do to force and torque, the latter in body axes, as column k
static void add_column(const hn_kin *kin, const double given[36], const double on[6], int k,
                       double block[36]) {
  double change[6] = {0}, local[3];
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++) change[r] += given[6 * r + c] * on[c];
  m3_tmulv(local, kin->R, change + 3);
  for (int r = 0; r < 3; r++) {
    block[6 * r + k] += change[r];
    block[6 * (3 + r) + k] += local[r];
  }
}

void hn_push_tangent(const hn_work *work, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  for (int i = 1; work->pusher && i < sys->bodies; i++) {
    const hn_pusher *p = &work->pusher[i];
    if (sys->body[i].kind == HN_SCALAR || !p->function || !p->tangent) continue;
    const hn_kin kin = motion_of(work, i);
    double K[36] = {0}, C[36] = {0}, by_place[36] = {0}, by_rate[36] = {0}, wrench[6], arm[3], T[3];
    hn_pose pose;
    frame_of(&sys->body[i], &kin, &pose, arm);
    p->tangent(p->user, work->t, &pose, K, C);
    wrench_on(work, i, wrench);
    m3_tmulv(T, kin.R, wrench + 3);
    for (int k = 0; k < 6; k++) {
      double place[6], rate[6], d[3] = {k == 3, k == 4, k == 5}, turned[3];
      moved(&kin, arm, k, place, rate);
      add_column(&kin, K, place, k, by_place);
      add_column(&kin, C, rate, k, by_place);
      add_column(&kin, C, place, k, by_rate);  // rates of the frame answer those of the body alike
      v3_cross(turned, T, d);
      for (int r = 0; r < 3; r++) by_place[6 * (3 + r) + k] += turned[r];
    }
    hn_tangent_add(sys, tangent, HN_TANGENT_K, i, i, 1, by_place);
    hn_tangent_add(sys, tangent, HN_TANGENT_C, i, i, 1, by_rate);
  }
}
