// inverse.c: what drivers must do for the motion they prescribe.
//
// The multiplier of a driver's row is the effort along its coordinate: M v' = f + J^T lambda. Where
// everything is driven the motion follows from geometry (kinematics.c), otherwise what is free
// moves by the laws of dynamics and the run is a usual one, looked at through its drivers.
#include "analysis/follow.h"
#include "io/result.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUE, RATE, ACCELERATION, EFFORT, POWER, QUANTITIES };
static const char *const quantity[QUANTITIES] = {"value", "rate", "acceleration", "effort",
                                                 "power"};
static const char *const unit[2][QUANTITIES] = {{"m", "m/s", "m/s^2", "N", "W"},
                                                {"rad", "rad/s", "rad/s^2", "N m", "W"}};

static bool is_angular(const hn_system *sys, const hn_row *row) {
  hn_measure_type type = sys->measure[sys->term[row->first_term].measure].type;
  return type == HN_M_ANGLE || type == HN_M_ASIN || type == HN_M_PLANAR_ANGLE;
}

static int driver_count(const hn_system *sys) {
  int count = 0;
  for (int i = 0; i < sys->rowcount; i++) count += sys->row[i].motion >= 0;
  return count;
}

static hn_result *create(const hn_system *sys) {
  char name[160];
  int c = 0;
  hn_result *r = hn_result_create(sys->name, 1 + QUANTITIES * driver_count(sys));
  bool ok = r && !hn_result_set_column(r, c++, "time", "s");
  for (int i = 0; ok && i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    if (row->motion < 0) continue;
    for (int k = 0; ok && k < QUANTITIES; k++) {
      const char *driver = sys->joint[sys->row_joint[row->row]].name;
      snprintf(name, sizeof name, "%s.%s", driver, quantity[k]);
      ok = !hn_result_set_column(r, c++, name, unit[is_angular(sys, row)][k]);
    }
  }
  if (ok) return r;
  hn_result_destroy(r);
  return NULL;
}

// a row from the state last evaluated
static hn_status read_drivers(hn_sim *sim, hn_result *result, double t) {
  const hn_system *sys = sim->sys;
  double *out = hn_result_append(result);
  if (!out) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  *out++ = t;
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    if (row->motion < 0) continue;
    const double *f = sim->work.motion + 3 * row->motion;
    double effort = sim->work.lambda[row->row];
    out[VALUE] = f[0], out[RATE] = f[1], out[ACCELERATION] = f[2];
    out[EFFORT] = effort, out[POWER] = effort * f[1];
    out += QUANTITIES;
  }
  return HN_OK;
}

static hn_status visit(hn_manifold *m, void *user, double t, double *y) {
  (void)y;
  return read_drivers(m->sim, user, t);
}

// something is free: run, and look at the drivers on the way
static hn_status run(hn_sim *sim, hn_manifold *m, hn_result *result) {
  int rows;
  double interval = hn_output_interval(&sim->opt, &rows), t0 = sim->t;
  double end = t0 + sim->opt.duration;
  hn_status status = HN_OK;
  for (int i = 0; i <= rows && !status; i++) {
    status = hn_advance(sim, fmin(t0 + i * interval, end));
    if (!status) status = hn_refresh(sim);
    if (status) break;
    hn_manifold_share(m, sim->work.lambda);
    status = read_drivers(sim, result, sim->t);
  }
  return status;
}

hn_status hn_inverse(hn_sim *sim, hn_result **out) {
  const hn_system *sys = sim->sys;
  hn_manifold *m;
  *out = NULL;
  hn_status status = hn_manifold_create(&m, sim);
  if (status) return status;
  if (!driver_count(sys))
    status = hn_sim_fail(sim, HN_ERR_MODEL,
                         "nothing is prescribed: inverse dynamics needs a driver (joint type "
                         "'driver')");
  if (!status) {
    *out = create(sys);
    if (!*out) status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  if (!status) {
    hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sys->nq);
    hn_manifold_factor(m, false);
    bool rolls = false;
    for (int i = 0; i < sys->rows; i++) rolls |= !sys->holonomic[i];
    status = m->free > 0 || rolls ? run(sim, m, *out) : hn_follow(sim, NULL, visit, *out);
  }
  hn_manifold_destroy(m);
  return status;
}
