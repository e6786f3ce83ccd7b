// acceleration.c: accelerations as columns beside those of a run.
// Kinematics is asked for accelerations, which runs do not record: they have columns of their own
// behind those of hn_columns, in world axes for bodies, along the coordinate for joints. Names
// follow those of positions: crank.ax, crank.alpha, hinge.angle_acceleration.
#include "analysis/follow.h"
#include "record/columns.h"
#include "record/result.h"
#include "system/measure.h"
#include "system/reaction.h"

#include <stdio.h>
#include <string.h>

static const char *const linear[3] = {"ax", "ay", "az"};
static const char *const angular[3] = {"alphax", "alphay", "alphaz"};

// one for each velocity of the bodies, one for each joint coordinate
static int count_columns(const hn_system *sys) {
  int count = sys->nv;
  for (int i = 0; i < sys->joints; i++) count += sys->joint[i].coordinates;
  return count;
}

// in the order in which hn_accelerated_row fills them
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

// the row is the result's own and was appended just now: it may be written to
hn_status hn_accelerated_row(hn_sim *sim, hn_result *result, double t, const double *y) {
  const hn_system *sys = sim->sys;
  hn_status status = hn_record_row(sim, result, t, y, true);
  if (status) return status;
  double *row = (double *)hn_result_row(result, hn_result_rows(result) - 1) + sys->columns;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    double v[3], w[3];
    int axes = hn_flat(b) ? 2 : 3;
    hn_body_acceleration(sys, i, sim->stage.work.q, sim->stage.work.v, sim->stage.a, v, w);
    for (int k = 0; k < b->nv; k++) *row++ = k < axes ? v[k] : hn_flat(b) ? w[2] : w[k - axes];
  }
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < sys->joint[i].coordinates; k++)
      *row++ = hn_measure_acceleration(&sim->stage.work, sys->joint[i].coordinate[k].measure,
                                       sim->stage.a);
  return HN_OK;
}
