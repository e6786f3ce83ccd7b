// vibration.c: which part of the accelerations is worth following (option `vibrations: damp`).
//
// A vibration of angular frequency w whose accelerations have the size a moves by a / w^2 to either
// side, however wrong it is followed. Steps of size h, each with the error C h^3 a w, have lost
// its phase within the time T when C T h^2 w^3 > 2. Beyond the w where this is so, p, errors are
// therefore taken from accelerations filtered by
//
//   F = (1 - K / (M p^2))^-1 within the constraints,      a w  ->  a w / (1 + (w / p)^2),
//
// which for w > p is 2 a / (C T h^2 p w) or less: more than the vibration can be wrong by, and
// little enough for steps to pass over vibrations that stay below the tolerance.
//
// What such vibrations carried when the motion was set going is told: from rest with accelerations
// a they have the energy a^2 M / (2 w^2) each, all above p together at most a (K + p^2 M)^-1 a / 2,
// a in units of force.
#include "integrators/implicit/implicit.h"

#include <string.h>

static const hn_cell cells[] = {
    HN_CELL_BODIES, HN_CELL_JT,   //
    HN_CELL_J, HN_CELL_DIAGONAL,  //
};

static const double least_motion = 1e-5;  // of the model's length: nothing smaller is a motion

void hn_vibration_layout(hn_vibration *x, hn_arena *arena, const hn_system *sys) {
  x->once = HN_TAKE(arena, double, sys->nv + sys->rows);
  x->twice = HN_TAKE(arena, double, sys->nv + sys->rows);
}

hn_status hn_vibration_create(hn_sim *sim, hn_implicit *s) {
  bool damped = strcmp(sim->opt.vibrations, "damp") == 0 && !(sim->opt.step > 0);
  if (!damped) return HN_OK;
  s->vibration.newton = hn_newton_create(&sim->stage.work, "vr", cells);
  return s->vibration.newton ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

// factors of M - K / limit^2 beside the rows, at the state last evaluated
static bool factorise(hn_sim *sim, hn_implicit *s, double limit) {
  hn_vibration *x = &s->vibration;
  hn_work *work = &sim->stage.work;
  hn_newton_target target;
  hn_newton_clear(x->newton);
  hn_newton_tangent(x->newton, 0, 0, -1 / (limit * limit), 0, NULL, &target);
  hn_constraint_tangent(work, work->lambda, &target.tangent);
  hn_force_tangent(work, &target.tangent);
  hn_newton_mass(x->newton, 0, 0, work, 1);
  hn_newton_jacobian(x->newton, 0, 1, work->J, -1, s->kept);
  hn_newton_diagonal(x->newton, 1, 1, s->diagonal, 1);
  hn_newton_jacobian(x->newton, 1, 0, work->J, 1, s->kept);
  sim->count.factorisations++;
  x->travel = 0;
  x->limit = hn_sparse_factor(hn_newton_matrix(x->newton)) ? limit : 0;
  return x->limit > 0;
}

// x = F x at the state last evaluated
static void filter(hn_sim *sim, hn_implicit *s, double *x) {
  const hn_system *sys = sim->sys;
  memcpy(sim->room.v, x, (size_t)sys->nv * sizeof(double));
  hn_mass_mul(&sim->stage.work, sim->room.v, x);
  memset(x + sys->nv, 0, (size_t)sys->rows * sizeof(double));
  hn_sparse_solve(hn_newton_matrix(s->vibration.newton), x);
}

// factors for the limit at hand, or near it
static bool ready(hn_sim *sim, hn_implicit *s, double limit) {
  static const double near = 1.3, far = 0.05;
  const hn_vibration *x = &s->vibration;
  bool fresh = x->limit > limit / near && x->limit < limit * near && x->travel < far;
  return fresh || factorise(sim, s, limit);
}

void hn_vibration_moved(hn_sim *sim, hn_vibration *x, double moved) {
  const double *from = sim->audit.y_start, *to = sim->state.y;
  if (!x->newton) return;
  x->travel += moved;
  for (int i = 0; i < sim->sys->nq; i++)
    if (!sim->sys->angular_q[i]) x->range = fmax(x->range, fabs(to[i] - from[i]));
}

// how far the motion will go, as far as its beginning tells: with the velocities it has, and to
// where forces that changed at the beginning balance, (K + M / T^2)^-1 M a, T the time of the run
static void foresee(hn_sim *sim, hn_implicit *s) {
  const hn_system *sys = sim->sys;
  hn_vibration *x = &s->vibration;
  double time = fmax(sim->opt.duration - s->start->t, s->h), *a = x->once;
  memcpy(a, s->start->vdot, (size_t)sys->nv * sizeof(double));
  if (factorise(sim, s, 1 / time)) filter(sim, s, a);
  for (int i = 0; i < sys->nv; i++)
    if (!sys->angular_v[i])
      x->range = fmax(x->range, time * fmax(fabs(s->start->v[i]), time * fabs(a[i])));
}

// what of the tolerance is left where the whole motion is small: its audit judges errors by it
static double small_motion(const hn_sim *sim, const hn_vibration *x) {
  double L = sim->sys->reach, range = fmax(x->range, least_motion * L);
  return fmin(1, sim->opt.audit_motion * range / (sim->opt.atol + sim->opt.rtol * L));
}

double hn_vibration_error(hn_sim *sim, hn_implicit *s, double lack, double time) {
  const hn_system *sys = sim->sys;
  double h = s->h, worst = 0, *once = s->vibration.once, *twice = s->vibration.twice;
  double limit = fmin(cbrt(2 / (lack * time * h * h)), 1 / h);
  if (!s->steps) foresee(sim, s);
  for (int i = 0; i < sys->nv; i++) once[i] = s->end->shown_a[i] - s->start->shown_a[i];
  bool filtered = ready(sim, s, limit);
  if (filtered) filter(sim, s, once);
  memcpy(twice, once, (size_t)sys->nv * sizeof(double));
  if (filtered) filter(sim, s, twice);
  for (int i = 0; i < sys->nv; i++)
    worst = fmax(worst, h * h * lack * sqrt(fabs(once[i] * twice[i])) / sim->step.scale_d[i]);
  return worst * fmax(1, time / h) / small_motion(sim, &s->vibration);
}
