// kinematics.c: all degrees of freedom are driven; geometry alone says how the mechanism moves.
//
//   positions      Phi(q, t) = 0 by Newton's method from q (+) (h v + h^2 a / 2)
//   velocities     J v = -Phi_t
//   accelerations  J v' = gamma, multipliers from M v' = f + J^T lambda (inverse dynamics)
// Steps between recorded rows are kept short and a correction must be small against the step, so
// the mechanism stays on its branch. In a singular position J loses rank: velocities there are the
// nearest to those before, which carries the motion through; the determinant of J changes sign and
// tells that one was passed between two rows. Where the drivers ask for what the mechanism cannot
// do, the velocities grow without bound and the step falls below its least: a dead position.
// Everything is sparse: the cost of a row is linear in the bodies. Where the motions do something
// between rows (scan.h), these instants are looked at too.
#include "analysis/follow.h"

#include "analysis/manifold.h"
#include "analysis/orientation.h"
#include "record/result.h"
#include "sim/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double longest_step = 0.1;   // of the model's length, or radians
static const double near_singular = 0.1;  // singular values between which one may vanish

// one motion; lengths are those of the system's q and v
typedef struct path {
  hn_sim *sim;
  hn_manifold *m;
  const hn_system *sys;
  hn_kinematics_info *info;
  hn_visit_fn visit;
  void *user;
  double t;
  double *q, *v, *a;  // state reached
  double *q1, *v1;    // tried
  double *d;          // displacement
  hn_orientation *orientation;
  int sign;         // of the determinant at the state reached; 0: not known
  double weakest;   // smallest singular value there
  double shortest;  // step below which there is no way on
  double interval;  // between rows
  int parts;        // in which it is looked at
  hn_scan scan;     // instants to look at between them
  double energy;    // at the start
} path;

static void layout(path *p, hn_arena *arena) {
  size_t nv = (size_t)p->sys->nv, nq = (size_t)p->sys->nq;
  p->q = HN_TAKE(arena, double, nq);
  p->q1 = HN_TAKE(arena, double, nq);
  p->v = HN_TAKE(arena, double, nv);
  p->v1 = HN_TAKE(arena, double, nv);
  p->a = HN_TAKE(arena, double, nv);
  p->d = HN_TAKE(arena, double, nv);
}

// without output_step there are 500 rows; the last interval may be cut short by the end
double hn_output_interval(const hn_options *o, int *rows) {
  double interval, asked = hn_rows_asked(o, &interval);
  // hn_check_rows has refused what is too much to be looked at
  *rows = (int)ceil(fmin(asked, 2e9) - 1e-9);
  return interval;
}

static int orientation(path *p) {
  return hn_orientation_sign(p->orientation, &p->sim->stage.work);
}

// the joint whose rows are nearest to depending on the others
static const char *weakest_joint(const path *p) {
  return p->sys->joint[p->sys->row_joint[hn_manifold_weakest_row(p->m)]].name;
}

// counted on beyond those that are listed
static void note_singular(path *p, double t) {
  hn_kinematics_info *info = p->info;
  int most = (int)(sizeof info->singular / sizeof *info->singular);
  if (info->singular_count < most) {
    info->singular[info->singular_count].time = t;
    info->singular[info->singular_count].joint = weakest_joint(p);
  }
  info->singular_count++;
}

// positions h after the state reached, in p->q1; HN_ERR_STEP when the branch may have been left
// Second order in h, so that Newton's method starts within the square of the step from the branch.
// What is open before it by more than 2 % of the model may close on another branch: shorter.
static hn_status predict(path *p, double h) {
  const hn_system *sys = p->sys;
  memcpy(p->q1, p->q, (size_t)sys->nq * sizeof(double));
  for (int i = 0; i < sys->nv; i++) p->d[i] = h * (p->v[i] + 0.5 * h * p->a[i]);
  double step = hn_displacement_size(sys, p->d);
  if (step > 2 * longest_step) return HN_ERR_STEP;
  hn_retract(sys, p->q1, p->d);
  double before = 0;
  hn_eval_position(&p->sim->stage.work, p->t + h, p->q1);
  for (int i = 0; i < sys->rows; i++)
    if (sys->holonomic[i])
      before = fmax(before, fabs(p->sim->stage.work.phi[i]) * hn_row_arm(sys, i));
  // Newton's method from there; what it does not close within its iterations is another branch
  hn_status status = hn_manifold_close(p->m, p->t + h, p->q1);
  if (status) return HN_ERR_STEP;
  return before > 0.02 * sys->length ? HN_ERR_STEP : HN_OK;
}

// accelerations and multipliers at (p->t, p->q, p->v)
static hn_status evaluate(path *p) {
  hn_status status = hn_manifold_accelerate(p->m, p->t, p->q, p->v, false);
  if (status) return status;
  memcpy(p->a, p->sim->stage.a, (size_t)p->sys->nv * sizeof(double));
  return HN_OK;
}

// when between the state reached and h later the determinant changes its sign
// bisection: only the sign is known, and where it fails to be the middle is good enough to be told
static double crossing(path *p, double h) {
  double low = 0, high = h;
  for (int i = 0; i < 60 && high - low > 1e-12 * fmax(1, fabs(p->t)); i++) {
    double middle = 0.5 * (low + high);
    if (predict(p, middle)) break;
    int sign = orientation(p);
    if (sign == 0) return p->t + middle;
    if (sign == p->sign)
      low = middle;
    else
      high = middle;
  }
  return p->t + 0.5 * (low + high);
}

// smallest singular value h after the state reached
static double weakest_at(path *p, double h) {
  if (predict(p, h)) return INFINITY;
  hn_eval_jacobian(&p->sim->stage.work, p->t + h, p->q1, p->v1);
  hn_manifold_factor(p->m, false);
  return p->m->free > 0 ? 0 : hn_manifold_weakest(p->m);
}

// when between the state reached and h later the smallest singular value vanishes, NAN: it does
// not. The determinant is that of some rows only; where these fail twice at a time it keeps its
// sign
// golden section: singular values touch zero like |x|, so that no derivative would help
static double dip(path *p, double h) {
  static const double golden = 0.6180339887498949, nothing = 1e-5;
  double low = 0, high = h, a = h - golden * h, b = golden * h;
  double at_a = weakest_at(p, a), at_b = weakest_at(p, b);
  while (high - low > 1e-9 * fmax(1, fabs(p->t)) && fmin(at_a, at_b) > 1e-9) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = weakest_at(p, a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = weakest_at(p, b);
    }
  }
  if (!(fmin(at_a, at_b) < nothing)) return NAN;
  return p->t + (at_a < at_b ? a : b);
}

// the step fell below its least: the joint whose rows are nearest to dependent is named
static hn_status stuck(path *p) {
  hn_eval_jacobian(&p->sim->stage.work, p->t, p->q, p->v);
  hn_manifold_factor(p->m, false);
  return hn_sim_fail(p->sim, HN_ERR_SINGULAR,
                     "t=%.6g: the drivers cannot move the mechanism any further: dead position of "
                     "joint '%s' (smallest singular value %.2g)",
                     p->t, weakest_joint(p), hn_manifold_weakest(p->m));
}

// one step of at most h
// The length of a step is limited by speed and by acceleration: neither may move the mechanism by
// more than a tenth of its length, or radian.
static hn_status step(path *p, double *h) {
  const hn_system *sys = p->sys;
  // no step is longer than the tenth of the model or of a radian
  double speed = hn_displacement_size(sys, p->v), bend = hn_displacement_size(sys, p->a);
  double limit = fmin(longest_step / fmax(speed, 1e-300), sqrt(longest_step / fmax(bend, 1e-300)));
  *h = fmin(*h, limit);
  while (predict(p, *h)) {
    *h *= 0.5;
    if (*h < p->shortest) return stuck(p);
  }
  double t1 = p->t + *h;
  for (int i = 0; i < sys->nv; i++) p->v1[i] = p->v[i] + *h * p->a[i];
  hn_manifold_velocity(p->m, t1, p->q1, p->v1);
  double open = hn_largest_row(sys, p->sim->stage.work.psi);
  double fast = hn_largest_velocity(sys, p->v1), span = fmax(p->interval, *h);
  // rates that cannot be met grow without bounds just before a dead position
  if (!(open <= 1e-7 * fmax(fast, sys->length / span)) || limit < p->shortest) return stuck(p);
  bool lost = p->m->free > 0;
  double weakest = lost ? 0 : hn_manifold_weakest(p->m);
  int sign = lost ? 0 : orientation(p);
  if (weakest < p->info->weakest) {
    p->info->weakest = weakest;
    p->info->weakest_time = t1;
  }
  if (lost) {
    note_singular(p, t1);
  } else if (sign && p->sign && sign != p->sign) {
    double t = crossing(p, *h);
    hn_eval_jacobian(&p->sim->stage.work, t, p->q1, p->v1);
    hn_manifold_factor(p->m, false);
    // Signs of determinants are those of the independent rows that compile chose
    // rows left out may serve where those chosen do not
    if (p->m->free > 0 || hn_manifold_weakest(p->m) < 1e-3) note_singular(p, t);
    // crossing() tried other positions
    hn_status status = predict(p, *h);
    if (status) return stuck(p);
  } else if (weakest < near_singular && p->weakest < near_singular) {
    double t = dip(p, *h);
    if (!isnan(t)) note_singular(p, t);
    if (predict(p, *h)) return stuck(p);
  }
  p->weakest = lost ? 1 : weakest;  // a place that was hit is not found again
  // just after an exact hit the sign may be the other one: that was counted
  p->sign = sign;
  memcpy(p->q, p->q1, (size_t)sys->nq * sizeof(double));
  memcpy(p->v, p->v1, (size_t)sys->nv * sizeof(double));
  p->t = t1;
  hn_eval_motion(&p->sim->stage.work, p->t, p->q, p->v);
  hn_accept_turns(&p->sim->stage.work, true);
  p->info->steps++;
  return evaluate(p);
}

// the drivers' accelerations, which may be largest between rows
// largest is what motors are chosen by: instants between rows count
static void note_fastest(path *p) {
  const hn_system *sys = p->sys;
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    if (row->motion < 0) continue;
    double a = p->sim->stage.work.motion[3 * row->motion + 2];
    if (p->info->fastest_driver && !(fabs(a) > fabs(p->info->fastest))) continue;
    p->info->fastest = a;
    p->info->fastest_time = p->t;
    p->info->fastest_driver = sys->joint[sys->row_joint[row->row]].name;
  }
}

// where a row that comes and goes would have to pull, the motion is another one
static hn_status check_held(const path *p) {
  const char *pulls = hn_manifold_pulling(p->m);
  if (!pulls) return HN_OK;
  return hn_sim_fail(p->sim, HN_ERR_UNSUPPORTED,
                     "t=%.6g: this motion needs '%s' to pull, which only pushes (a rope: the other "
                     "way round): it would let go, which 'run' follows",
                     p->t, pulls);
}

// the state reached, as a row or as an instant between rows
// between rows only peaks are looked for
static hn_status record(path *p, bool row) {
  hn_sim *sim = p->sim;
  const hn_system *sys = p->sys;
  double *y = sim->record.y;
  hn_status status = evaluate(p);
  if (status) return status;
  p->info->sharing = hn_manifold_share(p->m, sim->stage.work.lambda);
  status = check_held(p);
  if (status) return status;
  memcpy(y, p->q, (size_t)sys->nq * sizeof(double));
  memcpy(y + sys->nq, p->v, (size_t)sys->nv * sizeof(double));
  for (int i = sim->state.w; i < sim->state.n; i++) y[i] = 0;
  // what drivers and lossy forces did is what the energy grew by
  double energy = hn_kinetic_energy(&sim->stage.work) + hn_potential_energy(&sim->stage.work);
  if (p->info->rows == 0) p->energy = energy;
  note_fastest(p);
  y[sim->state.w] = energy - p->energy;
  for (int i = 0; i < sys->rows; i++) {
    p->info->position = fmax(p->info->position, fabs(sim->stage.work.phi[i]));
    p->info->velocity = fmax(p->info->velocity, fabs(sim->stage.work.psi[i]));
  }
  if (row)
    p->info->rows++;
  else
    p->info->looked++;
  return p->visit(p->m, p->user, p->t, y, row);
}

// refuses what geometry does not decide, and names it
static hn_status start(path *p) {
  hn_sim *sim = p->sim;
  const hn_system *sys = p->sys;
  for (int i = 0; i < sys->rows; i++)
    if (!sys->holonomic[i])
      return hn_sim_fail(
          sim, HN_ERR_UNSUPPORTED,
          "joint '%s' rolls or slides: its positions follow from the motion, not from "
          "geometry (use 'holon run')",
          sys->joint[sys->row_joint[i]].name);
  p->t = sim->state.t;
  memcpy(p->q, sim->state.y, (size_t)sys->nq * sizeof(double));
  memcpy(p->v, sim->state.y + sys->nq, (size_t)sys->nv * sizeof(double));
  hn_status status = hn_manifold_close(p->m, p->t, p->q);
  if (status) return status;
  hn_manifold_velocity(p->m, p->t, p->q, p->v);
  if (p->m->free > 0) {
    char names[400];
    int free = p->m->free;
    if (sys->nv - sys->rows + sys->redundant == 0)
      return hn_sim_fail(sim, HN_ERR_SINGULAR,
                         "t=%.6g: the start is a singular position of joint '%s': the drivers do "
                         "not say which way it goes on",
                         p->t, weakest_joint(p));
    hn_manifold_free_names(p->m, names, sizeof names);
    if (hn_has_beams(sys))
      return hn_sim_fail(
          sim, HN_ERR_MODEL,
          "%d degrees of freedom are not driven: beams bend as forces have it, which "
          "geometry does not know. 'holon inverse' and 'holon run' let what is not "
          "driven move freely (not driven: %s)",
          free, names);
    return hn_sim_fail(sim, HN_ERR_MODEL,
                       "%d degree%s of freedom %s not driven: %s (add a driver for each)", free,
                       free == 1 ? "" : "s", free == 1 ? "is" : "are", names);
  }
  p->sign = orientation(p);
  p->info->weakest = hn_manifold_weakest(p->m);
  p->info->weakest_time = p->t;
  return evaluate(p);
}

// moves on to t
// a motion that jumps cannot be followed: refused before the jump, not found out after it
static hn_status reach(path *p, double t) {
  const hn_kinks *kinks = &p->info->kinks;
  hn_status status = HN_OK;
  for (int i = 0; i < kinks->count && i < (int)(sizeof kinks->kink / sizeof *kinks->kink); i++)
    if (kinks->kink[i].order == 0 && kinks->kink[i].time > p->t && kinks->kink[i].time < t)
      return hn_scan_refuse(p->sim, &kinks->kink[i]);
  while (!status && p->t < t) {
    double h = t - p->t;
    status = step(p, &h);
    // no tiny step for the sake of round-off
    if (t - p->t < 1e-12 * fmax(p->interval, fabs(t))) p->t = t;
  }
  return status;
}

// `parts` instants in each interval between rows, and those where motions do something (scan.h)
static hn_status run(path *p) {
  int rows, next = 0;
  double t0 = p->sim->state.t, end = t0 + p->sim->opt.duration;
  p->interval = hn_output_interval(&p->sim->opt, &rows);
  p->shortest = 1e-9 * p->interval;
  hn_status status = start(p);
  if (!status && !hn_scan_motions(&p->scan, p->sys, t0, end, p->interval, rows))
    status = hn_sim_fail(p->sim, HN_ERR_MEMORY, "out of memory");
  p->info->kinks = hn_scan_kinks(&p->scan);
  p->info->seen_through = p->scan.complete;
  if (!status) status = record(p, true);
  for (int i = 1; i <= rows * p->parts && !status; i++) {
    double part = (double)(i % p->parts) / p->parts;
    double t = fmin(t0 + (i / p->parts + part) * p->interval, end);
    for (; next < p->scan.count && p->scan.time[next] < t && !status; next++) {
      if (!(p->scan.time[next] > p->t)) continue;
      status = reach(p, p->scan.time[next]);
      if (!status) status = record(p, false);
    }
    if (!status) status = reach(p, t);
    if (!status) status = record(p, i % p->parts == 0);
  }
  return status ? status : hn_set_state(p->sim, p->t, p->q, p->v);
}

hn_status hn_follow(hn_sim *sim, int parts, hn_kinematics_info *info, hn_visit_fn visit,
                    void *user) {
  hn_kinematics_info scratch;
  if (!info) info = &scratch;
  memset(info, 0, sizeof *info);
  info->sharing = "";
  path p = {.sim = sim,
            .sys = sim->sys,
            .info = info,
            .visit = visit,
            .user = user,
            .weakest = 1,
            .parts = parts};
  hn_status status = hn_manifold_create_driven(&p.m, sim);
  if (status) return status;
  hn_arena arena = {0};
  layout(&p, &arena);
  p.orientation = hn_orientation_create(sim->sys);
  if (p.orientation && hn_arena_allocate(&arena)) {
    layout(&p, &arena);
    status = run(&p);
  } else {
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  info->factorisations = p.m->count[0];
  info->dense = p.m->count[1];
  free(arena.base);
  hn_orientation_destroy(p.orientation);
  hn_scan_release(&p.scan);
  hn_manifold_destroy(p.m);
  return status;
}

static hn_status keep_row(hn_manifold *m, void *user, double t, double *y, bool row) {
  if (!row) return HN_OK;
  return hn_accelerated_row(m->sim, user, t, y);
}

hn_status hn_kinematics(hn_sim *sim, hn_kinematics_info *info, hn_result **out) {
  int rows;
  *out = NULL;
  // also of what is refused: callers look at it
  if (info) *info = (hn_kinematics_info){.sharing = ""};
  hn_status status = hn_refuse_programs(sim, "kinematics");
  if (!status) status = hn_refuse_states(sim, "kinematics");
  if (!status) status = hn_check_rows(sim);
  if (status) return status;
  (void)hn_output_interval(&sim->opt, &rows);
  *out = hn_accelerated_result(sim, rows + 1);
  if (!*out) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  return hn_follow(sim, 1, info, keep_row, *out);
}
