// augmented_lagrangian.c: penalty with multipliers by iteration (Bayo & Ledesma 1996).
//
//   M a_0 = f,   (M + J^T A J) a_i+1 = M a_i - J^T A (-gamma + 2 Omega mu psi + Omega^2 Phi)
//
// until |a_i+1 - a_i| is small. With the multipliers gathered on the way,
//   lambda_i+1 = lambda_i - A (J a_i+1 - gamma + 2 Omega mu psi + Omega^2 Phi),  lambda_0 = 0,
// and D = 1/A, each pass is a solution of one and the same factorised system
//   [ M  -J^T ] [ a_i+1      ]   [ f                                                   ]
//   [ J   D   ] [ lambda_i+1 ] = [ gamma - 2 Omega mu psi - Omega^2 Phi + D lambda_i ]
// The error falls by about 1/(A J M^-1 J^T) a pass: two or three passes reach round-off, whatever
// the penalty. In rows that depend on each other the multipliers of least norm (by stiffness) are
// found, and close to singular configurations the iteration slows down, but nothing breaks: it ends
// when the accelerations settle, or when the passes no longer help.
#include "solvers/solvers.h"

#include <string.h>

enum { PASSES = 20 };

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  sim->method.solver_data = HN_TAKE(arena, double, sys->rows + sys->nv);
  if (arena->base) hn_penalty_compliance(sim, sim->method.solver_data);
}

// largest change of the accelerations relative to their size, angles by the length of the model.
// The size is the largest of all passes: what comes to rest would never be near enough to nothing
static double change_of(const hn_sim *sim, const double *before, double *most) {
  const hn_system *sys = sim->sys;
  double change = 0, size = *most;
  for (int i = 0; i < sys->nv; i++) {
    double unit = sys->angular_v[i] ? sys->length : 1;
    change = fmax(change, unit * fabs(sim->stage.a[i] - before[i]));
    size = fmax(size, unit * fmax(fabs(sim->stage.a[i]), fabs(before[i])));
  }
  *most = size;
  return size > 0 ? change / size : 0;
}

static hn_status solve(hn_sim *sim, void *user) {
  const hn_system *sys = sim->sys;
  const double *D = sim->method.solver_data;
  double *lambda = sim->stage.work.lambda, *before = (double *)sim->method.solver_data + sys->rows;
  double last = 1e300, size = 0;
  size_t bytes = (size_t)sys->nv * sizeof(double);
  (void)user;
  memset(lambda, 0, (size_t)sys->rows * sizeof(double));
  for (int pass = 0; pass < PASSES; pass++) {
    memcpy(before, sim->stage.a, bytes);
    memcpy(sim->stage.a, sim->stage.work.r, bytes);
    for (int i = 0; i < sys->rows; i++) lambda[i] = sim->room.rhs[i] + D[i] * lambda[i];
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->stage.a, lambda);
    if (pass == 0) continue;
    double change = change_of(sim, before, &size);
    if (change <= sim->opt.iteration_tol) return HN_OK;
    // rows that contradict each other in the last digits feed the multipliers without end
    if (change > 0.5 * last) return HN_OK;
    last = change;
  }
  return HN_OK;
}

static hn_status accelerate(hn_sim *sim) {
  return hn_penalty_accelerate(sim, sim->method.solver_data, solve);
}

const hn_solver_type hn_solver_augmented_lagrangian = {
    .info = {.name = "augmented-lagrangian",
             .help = "penalty whose multipliers are iterated until the constraints are met",
             .keys = "penalty omega mu iteration_tol",
             .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .layout = layout,
    .accelerate = accelerate,
};
