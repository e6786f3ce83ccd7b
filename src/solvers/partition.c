// partition.c: coordinate partitioning (Wehage & Haug 1982).
//
// Only as many coordinates as there are degrees of freedom are integrated. At every stage the
// others are computed from them, positions from Phi = 0 by Newton's method and velocities from psi
// = 0, so that the constraints hold everywhere and the stages are those of an integrator for the
// independent coordinates alone; accelerations come from the multipliers. See chart.h for the
// coordinates.
//
// When the equations for the dependent coordinates become ill-conditioned, others are chosen, at
// the end of a step: the state lies on the manifold there, and it makes no difference to what
// follows which of its entries are called independent. So no accuracy is lost by a change.
#include "solvers/chart.h"
#include "solvers/solvers.h"

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_chart *own = HN_TAKE(arena, hn_chart, 1), plan = {0};
  hn_chart_layout(&plan, arena, sim->sys);
  if (!arena->base) return;
  *own = plan;
  sim->method.solver_data = own;
}

static hn_status start(hn_sim *sim, double t, double *y) {
  hn_chart *own = sim->method.solver_data;
  own->chosen = false;
  (void)hn_chart_choose(sim, own, t, y, y + sim->sys->nq);
  return HN_OK;
}

static hn_status prepare(hn_sim *sim, double t, double *y) {
  return hn_chart_recover(sim, sim->method.solver_data, t, y, y + sim->sys->nq, NULL);
}

static hn_status accelerate(hn_sim *sim) {
  return hn_solve_saddle(sim, sim->stage.work.gamma);
}

static hn_status accepted(hn_sim *sim) {
  hn_chart *own = sim->method.solver_data;
  if (hn_chart_weak(sim->sys, own) &&
      hn_chart_choose(sim, own, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq))
    sim->count.switches++;
  return HN_OK;
}

const hn_solver_type hn_solver_partition = {
    .info = {.name = "partition",
             .help = "independent coordinates integrated, the others computed from the constraints",
             .keys = "projection_tol",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL | HN_IS_EXACT,
    .layout = layout,
    .start = start,
    .prepare = prepare,
    .accelerate = accelerate,
    .accepted = accepted,
};
