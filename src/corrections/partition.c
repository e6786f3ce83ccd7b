// partition.c: corrections that change dependent coordinates only (Terze, Lefeber & Muftic 2001).
//
// The independent positions and velocities, chosen as in solvers/chart.c, stay what the integrator
// made them; Phi = 0 and psi = 0 are solved for the others. `hybrid` does so only in steps after
// which the violation exceeds `violation_bound`: with Baumgarte's feedback in between this is the
// method of Park & Haug (1986).
#include "corrections/corrections.h"
#include "solvers/chart.h"

static void layout(hn_sim *sim, hn_arena *arena) {
  hn_chart *own = HN_TAKE(arena, hn_chart, 1), plan = {0};
  hn_chart_layout(&plan, arena, sim->sys);
  if (!arena->base) return;
  *own = plan;
  sim->method.correction_data = own;
}

static hn_status apply(hn_sim *sim, double t, double *q, double *v, double *moved) {
  hn_chart *own = sim->method.correction_data;
  if (moved) *moved = 0;
  if (!sim->sys->rows) return HN_OK;
  if (!own->chosen)
    (void)hn_chart_choose(sim, own, t, q, v);
  else if (hn_chart_weak(sim->sys, own) && hn_chart_choose(sim, own, t, q, v))
    sim->count.switches++;
  return hn_chart_recover(sim, own, t, q, v, moved);
}

static hn_status apply_when_needed(hn_sim *sim, double t, double *q, double *v, double *moved) {
  const hn_system *sys = sim->sys;
  const hn_work *w = &sim->stage.work;
  double bound = sim->opt.violation_bound, worst = 0;
  if (moved) *moved = 0;
  hn_eval_jacobian(&sim->stage.work, t, q, v);
  for (int i = 0; i < sys->rows; i++) {
    double violation = sys->holonomic[i] ? fabs(w->phi[i]) : fabs(w->psi[i]);
    if (!(violation <= worst) && !isnan(worst)) worst = violation;  // a NaN is kept
  }
  return worst <= bound ? HN_OK : apply(sim, t, q, v, moved);
}

const hn_correction_type hn_correction_partition = {
    .info = {.name = "partition",
             .help = "dependent positions and velocities from the independent ones",
             .keys = "projection_tol",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .apply = apply,
    .projects = true,
};

const hn_correction_type hn_correction_hybrid = {
    .info = {.name = "hybrid",
             .help = "the same, only after steps whose violation exceeds a bound",
             .keys = "violation_bound projection_tol",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .apply = apply_when_needed,
};
