// tolerance.c: what a mechanism does when its joints are not quite where they should be.
//
// A row that is open by e, Phi_i(q) = e, moves the mechanism by the d with J d = e_i, to first
// order. Drivers hold what they drive; of what is free d has as little as the masses allow. Rows
// that repeat others cannot open alone: they share, and d is that of least squares.
#include "analysis/manifold.h"
#include "analysis/shapes.h"

#include <stdlib.h>
#include <string.h>

enum { FIXED = 2 };  // columns before the displacements

// a row of the table for every position row, open by a metre or radian to first order
static hn_status fill(hn_manifold *m, double *d, hn_result *out) {
  hn_sim *sim = m->sim;
  const hn_system *sys = m->sys;
  hn_work *w = &sim->stage.work;
  const double *y = sim->state.y;
  hn_eval_jacobian(w, sim->state.t, y, y + sys->nq);
  hn_manifold_factor(m, true);
  for (int i = 0; i < sys->rows; i++) {
    if (!sys->holonomic[i]) continue;
    double *row = hn_result_append(out);
    if (!row) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
    memset(m->r, 0, (size_t)sys->rows * sizeof(double));
    m->r[i] = 1;
    hn_manifold_pull(m, m->r, d);
    row[0] = i, row[1] = sys->angular_row[i];
    hn_shape_columns(sim, d, NULL, "", FIXED, row);
  }
  return HN_OK;
}

hn_status hn_tolerances(hn_sim *sim, hn_result **out) {
  hn_manifold *m;
  *out = NULL;
  hn_status status = hn_refuse_programs(sim, "an analysis of tolerances");
  if (!status) status = hn_manifold_create(&m, sim);
  if (status) return status;
  double *d = calloc((size_t)sim->sys->nv + 1, sizeof *d);
  hn_result *r = d ? hn_result_create(sim->sys->name, FIXED + hn_shape_size(sim->sys)) : NULL;
  if (!r || hn_result_set_column(r, 0, "row", "") || hn_result_set_column(r, 1, "angular", "") ||
      hn_shape_columns(sim, sim->state.y + sim->sys->nq, r, "", FIXED, NULL) < 0)
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  if (!status) status = fill(m, d, r);
  free(d);
  hn_manifold_destroy(m);
  if (status)
    hn_result_destroy(r);
  else
    *out = r;
  return status;
}
