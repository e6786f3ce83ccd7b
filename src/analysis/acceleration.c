// acceleration.c: accelerations as columns beside those of a run.
//
// A body's frame sits at r from its centre of mass: its origin accelerates by
//   a + alpha x r + w x (w x r),
// a joint coordinate m by grad(m) . v' plus the part that comes from velocities alone.
#include "analysis/follow.h"
#include "record/columns.h"
#include "record/result.h"
#include "system/measure.h"
#include "system/reaction.h"

#include <stdio.h>
#include <string.h>

static const char *const linear[3] = {"ax", "ay", "az"};
static const char *const angular[3] = {"alphax", "alphay", "alphaz"};

static int count_columns(const hn_system *sys) {
  int count = sys->nv;
  for (int i = 0; i < sys->joints; i++) count += sys->joint[i].coordinates;
  return count;
}

static bool name_columns(const hn_system *sys, hn_result *r) {
  char name[160];
  int c = sys->columns;
  bool ok = true;
  for (int i = 1; ok && i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int axes = hn_flat(b) ? 2 : 3;
    for (int k = 0; ok && k < b->nv; k++) {
      const char *what = k < axes ? linear[k] : hn_flat(b) ? "alpha" : angular[k - axes];
      snprintf(name, sizeof name, "%s.%s", b->info->name, what);
      ok = !hn_result_set_column(r, c++, name, k < axes ? "m/s^2" : "rad/s^2");
    }
  }
  for (int i = 0; ok && i < sys->joints; i++)
    for (int k = 0; ok && k < sys->joint[i].coordinates; k++) {
      const hn_coordinate *q = &sys->joint[i].coordinate[k];
      snprintf(name, sizeof name, "%s.%s_acceleration", sys->joint[i].name, q->name);
      ok = !hn_result_set_column(r, c++, name, q->angular ? "rad/s^2" : "m/s^2");
    }
  return ok;
}

hn_result *hn_accelerated_result(const hn_sim *sim, int rows) {
  const hn_system *sys = sim->sys;
  hn_result *r = hn_result_create(sys->name, sys->columns + count_columns(sys));
  bool ok = r && !hn_result_reserve(r, rows);
  for (int i = 0; ok && i < sys->columns; i++)
    ok = !hn_result_set_column(r, i, sys->column[i].name, sys->column[i].unit);
  if (ok && name_columns(sys, r)) return r;
  hn_result_destroy(r);
  return NULL;
}

// a body's acceleration as a twist: linear in world axes, angular in body axes
static void twist(const hn_sys_body *b, const double *a, double u[6]) {
  memset(u, 0, 6 * sizeof(double));
  int axes = hn_flat(b) ? 2 : 3;
  for (int k = 0; k < b->nv; k++) u[k < axes ? k : hn_flat(b) ? 5 : k] = a[b->v0 + k];
}

// of the user's frame, world axes: linear, then angular
static void of_frame(const hn_sim *sim, int body, double linear_out[3], double angular_out[3]) {
  const hn_sys_body *b = &sim->sys->body[body];
  hn_pose pose;
  double u[6], R[9], axes[9], r[3], x[3], y[3];
  twist(b, sim->stage.a, u);
  hn_user_pose(sim->sys, body, sim->stage.work.q, sim->stage.work.v, &pose);
  q_matrix(R, pose.orientation);
  m3_mulv(r, R, b->info->com);
  v3_scale(r, -1, r);
  m3_mul(axes, R, b->info->axes);  // inner axes
  m3_mulv(angular_out, axes, u + 3);
  v3_cross(x, angular_out, r);
  v3_centripetal(y, pose.angular_velocity, r);
  for (int k = 0; k < 3; k++) linear_out[k] = u[k] + x[k] + y[k];
}

static double of_measure(const hn_sim *sim, int measure) {
  const hn_measure *m = &sim->sys->measure[measure];
  hn_mval value;
  double a[6], b[6], sum;
  hn_eval_measure(m, &sim->stage.work, &value, 2);
  twist(&sim->sys->body[m->a], sim->stage.a, a);
  twist(&sim->sys->body[m->b], sim->stage.a, b);
  sum = value.bias;
  for (int k = 0; k < 6; k++) sum += value.ja[k] * a[k] + value.jb[k] * b[k];
  return sum;
}

hn_status hn_accelerated_row(hn_sim *sim, hn_result *result, double t, const double *y) {
  const hn_system *sys = sim->sys;
  hn_status status = hn_record_row(sim, result, t, y, true);
  if (status) return status;
  double *row = (double *)hn_result_row(result, hn_result_rows(result) - 1) + sys->columns;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    double v[3], w[3];
    int axes = hn_flat(b) ? 2 : 3;
    of_frame(sim, i, v, w);
    for (int k = 0; k < b->nv; k++) *row++ = k < axes ? v[k] : hn_flat(b) ? w[2] : w[k - axes];
  }
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < sys->joint[i].coordinates; k++)
      *row++ = of_measure(sim, sys->joint[i].coordinate[k].measure);
  return HN_OK;
}
