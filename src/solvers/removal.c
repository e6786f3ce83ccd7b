// removal.c: dependent rows are removed until the others are independent, then multipliers.
//
//   [ M  -J_k^T ] [ a        ]   [ f       ]
//   [ J_k   0   ] [ lambda_k ] = [ gamma_k ],   lambda = 0 in the rows removed
//
// Removed are the rows that the joints name (`remove`), or else those a rank-revealing
// factorisation finds to repeat others, at the start and anew where the rows kept come close to
// dependent on the way (redundant.c). The motion does not depend on the choice, the
// multipliers do: those of the rows kept carry everything (F. Gonzalez, J. Kovecses, Use of penalty
// formulations in dynamic simulation and analysis of redundantly constrained multibody systems,
// 2013). They are recorded with `reactions: method`.
#include "solvers/solvers.h"

#include <string.h>

typedef struct removal {
  bool named;
  double *D;  // of the rows named, and where none are redundant
} removal;

static void layout(hn_sim *sim, hn_arena *arena) {
  removal *r = HN_TAKE(arena, removal, 1), place = {0};
  place.D = HN_TAKE(arena, double, sim->sys->rows);
  if (!arena->base) return;
  *r = place;
  sim->method.solver_data = r;
}

// rows that come and go are nobody's to name
static const double *left_out(const hn_sim *sim) {
  const removal *r = sim->method.solver_data;
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->unilaterals; i++)
    r->D[sys->unilateral[i].row] = sim->rows.D[sys->unilateral[i].row];
  return r->named || !sim->rows.D ? r->D : sim->rows.D;
}

// marks the rows that joints name in D; returns how many these are
static int name_rows(const hn_system *sys, double *D) {
  int count = 0;
  for (int i = 0; i < sys->rows; i++) D[i] = 0;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    const double *removed = sys->joint[group->joint].removed;
    for (int r = 0; removed && r < group->rows; r++)
      if (removed[r] > 0) D[group->row0 + r] = HN_LEFT_OUT, count++;
  }
  return count;
}

static hn_status start(hn_sim *sim, double t, double *y) {
  const hn_system *sys = sim->sys;
  removal *r = sim->method.solver_data;
  int named = name_rows(sys, r->D);
  (void)t, (void)y;
  r->named = named > 0;
  int redundant = sys->redundant - sys->unilaterals;
  if (!named || named == redundant) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_MODEL,
                     "%d rows are to be removed, but %d of the model are redundant ('holon check' "
                     "names them)",
                     named, redundant);
}

static hn_status solve(hn_sim *sim, void *user) {
  const double *D = left_out(sim);
  const hn_system *sys = sim->sys;
  (void)user;
  double *lambda = sim->stage.work.lambda;
  memcpy(sim->stage.a, sim->stage.work.r, (size_t)sys->nv * sizeof(double));
  for (int i = 0; i < sys->rows; i++) lambda[i] = D[i] > 0 ? 0 : sim->stage.work.gamma[i];
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->stage.a, lambda);
  for (int i = 0; i < sys->rows; i++)
    if (D[i] > 0) lambda[i] = 0;
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  static const double dependent = 1e-11;  // pivot ratio, the square of a singular value
  const double *D = left_out(sim);
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, D);
  sim->count.factorisations++;
  if (sim->sys->rows && sim->stage.kkt.pivot_ratio < dependent)
    return hn_sim_fail(sim, HN_ERR_SINGULAR,
                       "t=%.6g: the rows that are left after removal depend on each other (remove "
                       "others, or none, so that they are chosen)",
                       sim->stage.work.t);
  return hn_settle(sim, solve, NULL);
}

const hn_solver_type hn_solver_removal = {
    .info = {.name = "removal",
             .help = "multipliers after removal of redundant rows, named by the joints or chosen",
             .keys = "",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE,
    .layout = layout,
    .start = start,
    .accelerate = accelerate,
};
