// acceleration.c: accelerations of bodies and measures.
//
// A body's frame sits at r from its centre of mass: its origin accelerates by
//   a + alpha x r + w x (w x r),
// a joint coordinate m by grad(m) . v' plus the part that comes from velocities alone.
#include "system/measure.h"
#include "system/reaction.h"

#include <string.h>

// a body's acceleration as a twist: linear in world axes, angular in body axes
static void twist(const hn_sys_body *b, const double *a, double u[6]) {
  memset(u, 0, 6 * sizeof(double));
  int axes = hn_flat(b) ? 2 : 3;
  for (int k = 0; k < b->nv; k++) u[k < axes ? k : hn_flat(b) ? 5 : k] = a[b->v0 + k];
}

// a is that of the centre of mass in world axes and of the angular velocity in principal axes, as
// everywhere inside; what is told is that of the frame the model describes, world axes.
void hn_body_acceleration(const hn_system *sys, int body, const double *q, const double *v,
                          const double *a, double linear[3], double angular[3]) {
  const hn_sys_body *b = &sys->body[body];
  hn_pose pose;
  double u[6], R[9], axes[9], r[3], x[3], y[3];
  twist(b, a, u);
  hn_user_pose(sys, body, q, v, &pose);
  q_matrix(R, pose.orientation);
  m3_mulv(r, R, b->info->com);
  v3_scale(r, -1, r);
  m3_mul(axes, R, b->info->axes);  // inner axes
  m3_mulv(angular, axes, u + 3);
  v3_cross(x, angular, r);
  v3_centripetal(y, pose.angular_velocity, r);
  for (int k = 0; k < 3; k++) linear[k] = u[k] + x[k] + y[k];
}

double hn_measure_acceleration(const hn_work *work, int measure, const double *a) {
  const hn_measure *m = &work->sys->measure[measure];
  hn_mval value;
  double at_a[6], at_b[6], sum;
  hn_eval_measure(m, work, &value, 2);
  twist(&work->sys->body[m->a], a, at_a);
  twist(&work->sys->body[m->b], a, at_b);
  sum = value.bias;
  for (int k = 0; k < 6; k++) sum += value.ja[k] * at_a[k] + value.jb[k] * at_b[k];
  return sum;
}
