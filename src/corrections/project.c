// project.c: projection onto the constraints, whatever norm measures the change.
//
//   positions   d = least change with J d = -Phi,  q <- q (+) d, to tolerance
//   velocities  v <- v + least change with J x = -psi
//
// One factorisation serves all of it: near the constraints a modified Newton step converges in one
// or two iterations. Close to a singular configuration the same violation asks for an ever larger
// change, and round-off would throw the mechanism onto another branch. There a projector damps the
// rows, and what such steps do not take away quickly is left for the steps that follow.
//
// By how much: s is the smallest singular value of the rows, made free of dimensions, and d how far
// the state is off along the direction that they hardly hold. They are violated by s d + d^2.
// Damped by that (Levenberg and Marquardt; Fan and Yuan 2005) Newton's steps go all the way where
// they can be trusted, d < s, and next to nothing where they cannot. What velocities have to be is
// uncertain by d/s: they are damped by the root of the violation that is left, which is d where d >
// s, so that no error larger than d is made. It matters: the rows ask for velocities that are wrong
// by d/s.
#include "code/native.h"
#include "corrections/corrections.h"

enum { POSITIONS = 12, VELOCITIES = 5 };

// the largest, as a length or a speed, of the rows that take part: not those left out as dependent,
// and positions have none of those of velocities alone
static double largest_row(const hn_sim *sim, const double *x, bool holonomic_only) {
  const double *D = sim->rows.D;
  const bool *holonomic = holonomic_only && sim->sys->velocity_rows ? sim->sys->holonomic : NULL;
  double most = 0, sum = 0;
  if (!D && !holonomic) return hn_largest_row(sim->sys, x);
  // which is the largest follows no pattern: no branches
  for (int i = 0; i < sim->sys->rows; i++) {
    bool out = (D && D[i] > 0) || (holonomic && !holonomic[i]);
    double size = out ? 0 : fabs(x[i]) * hn_row_arm(sim->sys, i);
    most = hn_greater(most, size);
    sum += size;
  }
  return isnan(sum) ? NAN : most;  // NaN once is NaN for good
}

void hn_project_rows(hn_sim *sim, const double *residual, bool holonomic_only) {
  const double *D = sim->rows.D;
  const bool *holonomic = holonomic_only && sim->sys->velocity_rows ? sim->sys->holonomic : NULL;
  if (!D && !holonomic) {
    for (int i = 0; i < sim->sys->rows; i++) sim->room.r[i] = -residual[i];
    return;
  }
  for (int i = 0; i < sim->sys->rows; i++)
    sim->room.r[i] = (D && D[i] > 0) || (holonomic && !holonomic[i]) ? 0 : -residual[i];
}

// the largest change so far in units of the tolerance
static void note_change(double *moved, const double *change, const double *scale, int n) {
  double most = moved ? *moved : 0;
  if (!moved) return;
  for (int k = 0; k < n; k++) most = hn_greater(most, fabs(change[k]) / scale[k]);
  *moved = most;
}

// joints that miss each other are not closed but left open by what each is to bear
static void leave_open(hn_sim *sim, const double *gap) {
  for (int i = 0; gap && i < sim->sys->rows; i++) sim->stage.work.phi[i] -= gap[i];
}

// a violation of rows as a part of the model
static double part(const hn_sim *sim, double violation) {
  static const double least = 1e-16;  // rounding
  return fmax(violation / sim->sys->length, least);
}

// what positions tell velocities
typedef struct shown {
  bool turned;  // q was changed, and everything evaluated anew
  bool damps;   // rows are damped here
  double left;  // at most this part of a violation is left by a pull with these factors
} shown;

static hn_status positions(hn_sim *sim, const hn_projector *p, double t, double *q, const double *v,
                           shown *found, double *moved) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  double now = sim->rows.open = largest_row(sim, w->phi, true);
  bool damped = p->factor(sim, part(sim, now));
  const double *gap = damped || p->shares ? NULL : hn_share_gap(sim);
  leave_open(sim, gap);
  double tol = hn_projection_tolerance(sim);
  // what is left out may be others since
  if (gap || sim->rows.D) now = largest_row(sim, w->phi, true);
  if (sys->gap > 0 && !gap) tol = fmax(tol, 4 * sys->gap * sys->length);
  double slow = INFINITY;  // part of the violation that was left where a factorisation was too old
  // at least one iteration: it costs little and takes the violation to round-off
  for (int i = 0; i < POSITIONS && now > (i && !damped ? tol : 1e-15 * sys->length); i++) {
    p->pull(sim, w->phi, true);
    note_change(moved, sim->room.v, sim->step.scale_d, sys->nv);
    hn_retract(sys, q, sim->room.v);
    found->turned = true;
    hn_eval_jacobian(w, t, q, v);  // most often the last time: velocities need J here
    leave_open(sim, gap);
    double next = largest_row(sim, w->phi, true), before = now;
    now = next;
    // rows turn as the state moves: by about the violation, as a part of the model, that was closed
    found->left = damped || gap ? 1 : fmax(next / before, 100 * before / sys->length);
    if (!(next < 1e30))
      return hn_sim_fail(sim, HN_ERR_DIVERGED, "t=%.6g: projection onto the constraints diverged",
                         t);
    // what is small enough elsewhere says little of a state where rows hardly hold it
    if (next <= (damped ? 1e-15 * sys->length : tol)) break;
    if (damped && next > 0.3 * before) break;
    if (damped || !(next > 0.1 * before)) continue;
    // The factorisation is too old for this state. Where it goes on as well with it as before the
    // last new one, it is not its age, and those closer to a singular place only get poorer
    if (next > 0.5 * slow * before && next < 0.3 * before) continue;
    slow = next / before;
    damped = p->factor(sim, part(sim, now));
    found->left = 1;
  }
  found->damps = damped;
  if (now > (damped ? 1e-5 * sys->length : 1e3 * tol))
    return hn_sim_fail(sim, HN_ERR_ASSEMBLY,
                       "t=%.6g: the joints cannot be closed after the step: violation %.3g stays",
                       t, now);
  return HN_OK;
}

// the rows are linear in v; more than one step is needed when the factors are not quite theirs.
// Where positions have shown that they are, nobody looks whether another one is
static void velocities(hn_sim *sim, const hn_projector *p, double *v, const shown *found,
                       double *moved) {
  const hn_system *sys = sim->sys;
  double *psi = sim->stage.work.psi, now = largest_row(sim, psi, false);
  double enough = 0.01 * hn_projection_tolerance(sim) * sim->step.speed[1];
  for (int i = 0; i < VELOCITIES && (i == 0 || now > enough); i++) {
    p->pull(sim, psi, false);
    note_change(moved, sim->room.v, sim->step.scale_y + sys->nq, sys->nv);
    for (int k = 0; k < sys->nv; k++) v[k] += sim->room.v[k];
    if (now * found->left < 0.01 * enough) return;
    hn_jacobian_mul(&sim->stage.work, sim->room.v, sim->room.r);
    for (int k = 0; k < sys->rows; k++) psi[k] += sim->room.r[k];
    double next = largest_row(sim, psi, false);
    if (!(next < 0.5 * now)) return;  // round-off
    now = next;
  }
}

hn_status hn_project(hn_sim *sim, const hn_projector *p, double t, double *q, double *v,
                     double *moved) {
  hn_work *w = &sim->stage.work;
  shown found = {.left = 1};
  if (moved) *moved = 0;
  if (sim->sys->rows == 0) return HN_OK;
  if (!hn_is_factored(sim)) hn_eval_jacobian(w, t, q, v);
  hn_status status = positions(sim, p, t, q, v, &found, moved);
  if (status) return status;
  if (!found.turned && w->v != v) hn_eval_jacobian(w, t, q, v);
  if (found.damps)
    (void)p->factor(sim, sqrt(part(sim, largest_row(sim, w->phi, true)))), found.left = 1;
  velocities(sim, p, v, &found, moved);
  return HN_OK;
}

// the same with machine code written for the system, whose every answer belongs to the state asked
// for. *done stays false where it does not converge at once: the library's own way is safer
static void native(hn_sim *sim, double t, double *q, double *v, double *moved, bool *done) {
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  double tol = hn_projection_tolerance(sim);
  for (int i = 0; i < 3; i++) {
    hn_expect_turns_at(w, t, q);
    // rows see nothing of the states
    hn_native_in(w, t, w->state, sim->room.in);
    double ratio = sim->method.native->projection(t, q, v, w->near, sim->room.side, sim->room.in,
                                                  w->phi, w->psi, sim->room.v, sim->room.pull);
    double now = largest_row(sim, w->phi, true);
    if (!i) sim->rows.open = now;
    if (!(ratio > 1e-3 * fmin(1, sim->watch.firmest)) || !(now < 1e30)) return;
    if (now <= (i ? tol : 1e-15 * sys->length)) {
      note_change(moved, sim->room.pull, sim->step.scale_y + sys->nq, sys->nv);
      for (int k = 0; k < sys->nv; k++) v[k] += sim->room.pull[k];
      *done = true;
      return;
    }
    note_change(moved, sim->room.v, sim->step.scale_d, sys->nv);
    hn_retract(sys, q, sim->room.v);
  }
}

hn_status hn_project_mass(hn_sim *sim, const hn_projector *p, double t, double *q, double *v,
                          double *moved) {
  bool done = false;
  if (!sim->sys->rows || sim->rows.gap || !hn_native_ready(sim))
    return hn_project(sim, p, t, q, v, moved);
  if (moved) *moved = 0;
  native(sim, t, q, v, moved, &done);
  // residuals, and perhaps the state, are others than those last evaluated
  hn_stage_left(sim);
  if (done) return HN_OK;
  double before = moved ? *moved : 0;
  hn_status status = hn_project(sim, p, t, q, v, moved);
  if (moved) *moved += before;
  return status;
}
