// inverse.c: what drivers must do for the motion they prescribe.
//
// The multiplier of a driver's row is the effort along its coordinate: M v' = f + J^T lambda. Where
// everything is driven the motion follows from geometry (kinematics.c), otherwise what is free
// moves by the laws of dynamics and the run is a usual one, looked at through its drivers. Drivers
// with `by` have no effort of their own: actuators bring their motion about. Their efforts follow
// instant by instant where geometry determines the motion (actuator.c), and from servo.c where it
// does not; there two runs, one with half the steps, tell the error.
// Peaks, work and mean squares are sums over instants. Sums over every second one tell what they
// are off by; where that is too much everything is done again with more instants between rows.
#include "analysis/follow.h"
#include "analysis/servo.h"
#include "record/columns.h"
#include "record/result.h"
#include "sim/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE, RATE, ACCELERATION, EFFORT, POWER, QUANTITIES };
static const char *const quantity[QUANTITIES] = {"value", "rate", "acceleration", "effort",
                                                 "power"};
static const char *const unit[2][QUANTITIES] = {{"m", "m/s", "m/s^2", "N", "W"},
                                                {"rad", "rad/s", "rad/s^2", "N m", "W"}};

// integrals by the trapezoidal rule, and what was there last
typedef struct sums {
  double t, effort, power;
  double work, squares, turnover;  // turnover: of the size of the power
} sums;

// the efforts of one driver so far: the last two, and sums over all instants and every second one
typedef struct track {
  const char *driver;  // whose motion it is, whoever acts
  int known, instants;
  double t[2], e[2], begin;
  sums all, second;
} track;

// what all three ways share; the servo is there also where no driver has `by`, and then empty
typedef struct job {
  hn_sim *sim;
  hn_manifold *m;
  hn_servo *servo;
  hn_inverse_info *info;
  track track[64];
  hn_result *efforts, *motion;  // motion may be NULL
  double *effort;               // of the actuators beyond their laws, while geometry rules
} job;

// decides between N and N m
static bool is_angular(const hn_system *sys, int measure) {
  hn_measure_type type = sys->measure[measure].type;
  return type == HN_M_ANGLE || type == HN_M_ASIN || type == HN_M_PLANAR_ANGLE;
}

static int driver_count(const hn_system *sys) {
  int count = 0;
  for (int i = 0; i < sys->rowcount; i++) count += sys->row[i].motion >= 0;
  return count;
}

// the actuator of a row, NULL when it has none
static const hn_actuator *actuator_of(const hn_servo *servo, int row, int *number) {
  for (int k = 0; k < servo->count; k++)
    if (servo->row[k] == row) return *number = k, &servo->actuator[k];
  return NULL;
}

// columns of a driver with `by` say what it prescribes, and what its actuator does, under its name
static hn_result *create(const hn_system *sys, const hn_servo *servo) {
  char name[160];
  int c = 0, k;
  hn_result *r = hn_result_create(sys->name, 1 + QUANTITIES * driver_count(sys));
  bool ok = r && !hn_result_set_column(r, c++, "time", "s");
  for (int i = 0; ok && i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    if (row->motion < 0) continue;
    const hn_actuator *actuator = actuator_of(servo, row->row, &k);
    int moved = sys->term[row->first_term].measure;
    for (int j = 0; ok && j < QUANTITIES; j++) {
      bool acts = actuator && j >= EFFORT;
      const char *element = acts ? actuator->name : sys->joint[sys->row_joint[row->row]].name;
      bool angular = is_angular(sys, acts ? actuator->along->measure : moved);
      snprintf(name, sizeof name, "%s.%s", element, quantity[j]);
      ok = !hn_result_set_column(r, c++, name, unit[angular][j]);
    }
  }
  if (ok) return r;
  hn_result_destroy(r);
  return NULL;
}

// the first instant is a peak, too: there is no name yet
static void note_peak(hn_effort *e, double t, double value) {
  if (fabs(value) > fabs(e->peak) || !e->name) e->peak = value, e->peak_time = t;
}

// the parabola through the last three efforts, where the middle one is the largest
// Newton's form of the parabola; only where the middle is no smaller than both ends, or it would
// find peaks outside
static void note_vertex(const track *x, hn_effort *e, double t, double value) {
  double h0 = x->t[1] - x->t[0], h1 = t - x->t[1], tiny = 1e-9 * (t - x->t[0]);
  if (x->known < 2 || !(h0 > tiny) || !(h1 > tiny)) return;
  if (fabs(x->e[1]) < fabs(x->e[0]) || fabs(x->e[1]) < fabs(value)) return;
  double d0 = (x->e[1] - x->e[0]) / h0, d1 = (value - x->e[1]) / h1, c = (d1 - d0) / (h0 + h1);
  double at = c != 0 ? 0.5 * (x->t[0] + x->t[1]) - 0.5 * d0 / c : x->t[1];
  if (!(at > x->t[0]) || !(at < t)) return;
  note_peak(e, at, x->e[0] + d0 * (at - x->t[0]) + c * (at - x->t[0]) * (at - x->t[1]));
}

// trapezoids: instants come at any distance
static void add(sums *x, bool first, double t, double effort, double power) {
  double h = first ? 0 : t - x->t;
  x->work += 0.5 * h * (power + x->power);
  x->squares += 0.5 * h * (effort * effort + x->effort * x->effort);
  x->turnover += 0.5 * h * (fabs(power) + fabs(x->power));
  x->t = t, x->effort = effort, x->power = power;
}

// peaks, mean squares and work, over all instants looked at
static void follow_effort(job *j, int number, const char *name, double t, double effort,
                          double power) {
  // the struct told to the caller has no room for more
  if (number >= (int)(sizeof j->track / sizeof *j->track)) return;
  track *x = &j->track[number];
  hn_effort *e = &j->info->effort[number];
  note_peak(e, t, effort);
  e->name = name;
  note_vertex(x, e, t, effort);
  if (fabs(power) > fabs(e->peak_power)) e->peak_power = power;
  if (!x->instants) x->begin = t;
  add(&x->all, !x->instants, t, effort, power);
  if (x->instants % 2 == 0) add(&x->second, !x->instants, t, effort, power);
  x->instants++;
  e->work = x->all.work;
  e->rms = t > x->begin ? sqrt(x->all.squares / (t - x->begin)) : fabs(effort);
  x->t[0] = x->t[1], x->e[0] = x->e[1];
  x->t[1] = t, x->e[1] = effort;
  if (x->known < 2) x->known++;
}

// whether the sums change too much when every second instant is left out: the trapezoidal rule is
// off by a third of that. The last instant counts in both
// against the turnover, not the work itself, which may be zero by cancellation
static bool is_rough(const job *j) {
  static const double enough = 3e-4;
  int most = (int)(sizeof j->track / sizeof *j->track);
  for (int i = 0; i < j->info->efforts && i < most; i++) {
    sums all = j->track[i].all, second = j->track[i].second;
    add(&second, false, all.t, all.effort, all.power);
    if (fabs(all.work - second.work) > enough * all.turnover ||
        fabs(all.squares - second.squares) > enough * all.squares)
      return true;
  }
  return false;
}

// everything is recorded anew; the efforts that were there before are given back
static hn_status begin_anew(job *j, hn_result **before) {
  hn_sim *sim = j->sim;
  *before = j->efforts;
  j->efforts = create(sim->sys, j->servo);
  memset(j->track, 0, sizeof j->track);
  memset(j->info->effort, 0, sizeof j->info->effort);
  j->info->looked = 0;
  if (j->motion) {
    hn_result_destroy(j->motion);
    j->motion = hn_record_create(sim, 1);
    if (!j->motion) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  return j->efforts ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

// from the state last evaluated, recorded where it is a row; `extra` are efforts beyond the laws
// lambda is the effort along the driver's coordinate: rows of drivers are in units of it
static hn_status read_efforts(job *j, double t, const double *extra, bool recorded) {
  const hn_system *sys = j->sim->sys;
  const hn_work *w = &j->sim->stage.work;
  // rows get a place of their own; instants between them only count in the sums
  double *out = recorded ? hn_result_append(j->efforts) : NULL;
  int number = 0;
  if (recorded && !out) return hn_sim_fail(j->sim, HN_ERR_MEMORY, "out of memory");
  if (out) *out++ = t;
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    if (row->motion < 0) continue;
    const double *f = w->motion + 3 * row->motion;
    int k = 0;
    const hn_actuator *actuator = actuator_of(j->servo, row->row, &k);
    double effort = w->lambda[row->row], rate = f[1];
    if (actuator) {
      effort = hn_actuator_law(actuator, w) + extra[k];
      rate = hn_actuator_rate(actuator, w);
    }
    if (number < (int)(sizeof j->track / sizeof *j->track))
      j->track[number].driver = sys->joint[sys->row_joint[row->row]].name;
    follow_effort(j, number++,
                  actuator ? actuator->name : sys->joint[sys->row_joint[row->row]].name, t, effort,
                  effort * rate);
    if (!out) continue;
    out[VALUE] = f[0], out[RATE] = f[1], out[ACCELERATION] = f[2];
    out[EFFORT] = effort, out[POWER] = effort * rate;
    out += QUANTITIES;
  }
  j->info->efforts = number;
  return HN_OK;
}

// the whole state; forces that act as actuators are recorded with what they do, not with their laws
// a recorded force says what its law says; what was found beyond it is added where the column is
// its own
static hn_status read_motion(job *j, double t, const double *y, const double *extra) {
  hn_sim *sim = j->sim;
  const hn_system *sys = sim->sys;
  if (!j->motion) return HN_OK;
  hn_status status = hn_record_row(sim, j->motion, t, y, false);
  if (status) return status;
  double *row = (double *)hn_result_row(j->motion, hn_result_rows(j->motion) - 1);
  for (int i = 0; i < sys->columns && j->servo->count; i++) {
    const hn_column *c = &sys->column[i];
    if (c->kind != HN_COL_ELEMENT) continue;
    const hn_batch *b = &sys->batch[c->batch];
    const char *dot = strrchr(c->name, '.');
    bool is_effort =
        strcmp(dot, ".effort") == 0 || strcmp(dot, ".force") == 0 || strcmp(dot, ".torque") == 0;
    for (int k = 0; is_effort && k < j->servo->count; k++)
      // data of elements lie one behind the other in their batch: this one is the actuator's
      if (b->data + (size_t)c->element * b->ops->data_size ==
          (const unsigned char *)j->servo->actuator[k].along)
        row[i] += extra[k];
  }
  return HN_OK;
}

// ---- geometry determines the motion ------------------------------------------------------------

// the accelerations are those of kinematics; multipliers and efforts are shared out anew, since
// rows with `by` carry nothing
static hn_status visit(hn_manifold *m, void *user, double t, double *y, bool row) {
  job *j = user;
  hn_sim *sim = j->sim;
  if (j->servo->count) {
    // forces without the friction of the drivers' own reactions
    // evaluating the forces anew would lose them
    memcpy(sim->room.v, sim->stage.a, (size_t)sim->sys->nv * sizeof(double));
    hn_eval_all(&sim->stage.work, t, y, y + sim->sys->nq);
    m->skip = j->servo->skip;
    hn_status status =
        hn_actuator_solve(m, sim->room.v, j->servo->count, j->servo->actuator, j->effort);
    m->skip = NULL;
    if (status) return status;
    for (int k = 0; k < j->servo->count; k++)
      j->effort[k] -= hn_actuator_law(&j->servo->actuator[k], &sim->stage.work);
  }
  hn_status status = read_efforts(j, t, j->effort, row);
  return status || !row ? status : read_motion(j, t, y, j->effort);
}

// ---- something is free: a usual run ------------------------------------------------------------

// moves on to t and reads what acts there
static hn_status look(job *j, double t, bool row) {
  hn_sim *sim = j->sim;
  hn_status status = hn_advance(sim, t);
  if (!status) status = hn_refresh(sim);
  if (!status) status = read_efforts(j, sim->state.t, NULL, row);
  return status || !row ? status : read_motion(j, sim->state.t, sim->state.y, NULL);
}

// the first jump of a motion, NULL: there is none
static const hn_kink *first_jump(const hn_kinks *kinks) {
  for (int i = 0; i < kinks->count && i < (int)(sizeof kinks->kink / sizeof *kinks->kink); i++)
    if (kinks->kink[i].order == 0) return &kinks->kink[i];
  return NULL;
}

// times are computed from the start, not added up: no drift over many rows
static hn_status run_along(job *j, const hn_scan *scan, double interval, int rows, int parts) {
  double t0 = j->sim->state.t, end = t0 + j->sim->opt.duration;
  const hn_kink *jump = first_jump(&j->info->kinks);
  hn_status status = HN_OK;
  for (int i = 0, next = 0; i <= rows * parts && !status; i++) {
    double t = fmin(t0 + (i / parts + (double)(i % parts) / parts) * interval, end);
    for (; next < scan->count && scan->time[next] < t && !status; next++) {
      if (jump && scan->time[next] > jump->time) return hn_scan_refuse(j->sim, jump);
      status = look(j, scan->time[next], false);
      j->info->looked++;
    }
    if (!status) status = look(j, t, i % parts == 0);
  }
  return status;
}

static hn_status run(job *j, int parts) {
  hn_scan scan;
  int rows;
  double interval = hn_output_interval(&j->sim->opt, &rows), t0 = j->sim->state.t;
  if (!hn_scan_motions(&scan, j->sim->sys, t0, t0 + j->sim->opt.duration, interval, rows))
    return hn_sim_fail(j->sim, HN_ERR_MEMORY, "out of memory");
  j->info->kinks = hn_scan_kinks(&scan);
  j->info->seen_through = scan.complete;
  hn_status status = run_along(j, &scan, interval, rows, parts);
  hn_scan_release(&scan);
  return status;
}

// ---- actuators and inertia determine it --------------------------------------------------------

// every instant of the solution is a row, with the efforts found there
static hn_status servo_visit(hn_sim *sim, void *user, double t, const double *y,
                             const double *effort) {
  (void)sim;
  job *j = user;
  hn_status status = read_efforts(j, t, effort, true);
  return status ? status : read_motion(j, t, y, effort);
}

// largest difference of the efforts of two results, relative to the largest effort
// effort by effort against its own largest; rows of both are at the same times
static double difference(const hn_result *a, const hn_result *b) {
  double worst = 0;
  int rows = hn_result_rows(a) < hn_result_rows(b) ? hn_result_rows(a) : hn_result_rows(b);
  for (int c = 1 + EFFORT; c < hn_result_columns(a); c += QUANTITIES) {
    double most = 0, apart = 0;
    for (int i = 0; i < rows; i++) {
      most = fmax(most, fabs(hn_result_row(a, i)[c]));
      apart = fmax(apart, fabs(hn_result_row(a, i)[c] - hn_result_row(b, i)[c]));
    }
    if (most > 0) worst = fmax(worst, apart / most);
  }
  return worst;
}

// one run with `parts` steps between rows, recorded anew; what was there before is given back
static hn_status servo_level(job *j, int parts, hn_result **before) {
  hn_status status = begin_anew(j, before);
  return status ? status : hn_servo_run(j->m, j->servo, parts, servo_visit, j);
}

// steps are halved until the efforts change no more than asked for, or rounding, which grows as the
// fourth power of the steps, begins to show; a step the options give is taken as it is
// The first level has about 200 steps in all, or twice the step given. Errors of order 4 fall by 16
// from level to level until rounding, amplified by h^-4, takes over: then the level before was the
// best.
static hn_status run_servo(job *j, hn_inverse_info *info) {
  enum { LEVELS = 8 };
  static const double enough = 1e-5;
  hn_sim *sim = j->sim;
  int rows;
  double interval = hn_output_interval(&sim->opt, &rows), given = sim->opt.step, last = 1e300;
  int parts = (int)ceil(interval / (given > 0 ? 2 * given : sim->opt.duration / 200) - 1e-9);
  hn_result *before = NULL;
  hn_scan scan;
  info->program = true;
  // what is not smooth is told; the solution has steps of its own
  if (!hn_scan_motions(&scan, sim->sys, sim->state.t, sim->state.t + sim->opt.duration, interval,
                       rows))
    return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  info->kinks = hn_scan_kinks(&scan);
  info->seen_through = scan.complete;
  hn_scan_release(&scan);
  hn_status status = servo_level(j, parts, &before);
  hn_result_destroy(before);
  for (int level = 0; level < LEVELS && !status; level++) {
    parts *= 2;
    status = servo_level(j, parts, &before);
    info->error = before && !status ? difference(before, j->efforts) : 0;
    hn_result_destroy(before);
    // rounding shows: the level before is the answer, and is made once more
    bool worse = !status && info->error > last;
    if (worse) {
      parts /= 2;
      info->error = last;
      status = servo_level(j, parts, &before);
      hn_result_destroy(before);
    }
    info->step = interval / parts;
    if (worse || given > 0 || info->error <= enough) break;
    last = info->error;
  }
  return status;
}

// ---- all together ------------------------------------------------------------------------------

// once, with `parts` instants from one row to the next
static hn_status pass(job *j, bool dynamic, int parts) {
  if (dynamic) return run(j, parts);
  hn_kinematics_info moved;
  hn_status status = hn_follow(j->sim, parts, &moved, visit, j);
  j->info->kinks = moved.kinks;
  j->info->looked = moved.looked;
  j->info->seen_through = moved.seen_through;
  return status;
}

// with as many instants as the sums need
// four times as many instants each time; INSTANTS alone bounds what that may cost: where rows are
// few, a motion much shorter than their distance needs many between them
static hn_status with_enough(job *j, bool dynamic) {
  enum { INSTANTS = 40000 };
  hn_sim *sim = j->sim;
  const hn_system *sys = sim->sys;
  int rows;
  (void)hn_output_interval(&sim->opt, &rows);
  double t0 = sim->state.t, *start = malloc((size_t)(sys->nq + sys->nv) * sizeof(double));
  if (!start) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  memcpy(start, sim->state.y, (size_t)(sys->nq + sys->nv) * sizeof(double));
  hn_status status = pass(j, dynamic, 1);
  for (int parts = 4; rows * parts <= INSTANTS && !status && is_rough(j); parts *= 4) {
    hn_result *before = NULL;
    status = hn_set_state(sim, t0, start, start + sys->nq);
    // a pass has moved the sim to the end: back to where the first one began
    if (!status) status = begin_anew(j, &before);
    hn_result_destroy(before);
    if (!status) status = pass(j, dynamic, parts);
  }
  free(start);
  return status;
}

static hn_status solve(job *j, hn_inverse_info *info) {
  hn_sim *sim = j->sim;
  const hn_system *sys = sim->sys;
  bool rolls = false;
  int free = sys->nv - sys->rows + sys->redundant;
  for (int i = 0; i < sys->rows; i++) rolls |= !sys->holonomic[i];
  if (free > 0 && j->servo->count) return run_servo(j, info);
  return with_enough(j, free > 0 || rolls);
}

// efforts of drivers whose rates jump, and of the forces that act for those with `by`
static void note_impulses(const job *j) {
  hn_inverse_info *info = j->info;
  for (int i = 0; i < info->kinks.count && i < (int)(sizeof info->kinks.kink / sizeof(hn_kink));
       i++)
    for (int k = 0; k < info->efforts && k < (int)(sizeof info->effort / sizeof(hn_effort)); k++)
      if (j->track[k].driver && strcmp(j->track[k].driver, info->kinks.kink[i].driver) == 0)
        info->effort[k].infinite = true;
}

hn_status hn_inverse(hn_sim *sim, hn_inverse_info *info, hn_result **efforts, hn_result **motion) {
  hn_inverse_info scratch;
  job j = {.sim = sim};
  if (!info) info = &scratch;
  memset(info, 0, sizeof *info);
  j.info = info;
  *efforts = NULL;
  if (motion) *motion = NULL;
  hn_status status = hn_refuse_states(sim, "inverse dynamics");
  if (!status) status = hn_check_rows(sim);
  if (!status) status = hn_manifold_create_driven(&j.m, sim);
  if (status) return status;
  status = hn_servo_create(&j.servo, sim);
  if (!status && !driver_count(sim->sys))
    status = hn_sim_fail(sim, HN_ERR_MODEL,
                         "nothing is prescribed: inverse dynamics needs a driver (joint type "
                         "'driver')");
  if (!status) {
    j.efforts = create(sim->sys, j.servo);
    j.effort = calloc((size_t)j.servo->count + 1, sizeof(double));
    if (motion) j.motion = hn_record_create(sim, 1);
    if (!j.efforts || !j.effort || (motion && !j.motion))
      status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  if (!status) status = solve(&j, info);
  note_impulses(&j);
  *efforts = j.efforts;
  if (motion) *motion = j.motion;
  free(j.effort);
  hn_servo_destroy(j.servo);
  hn_manifold_destroy(j.m);
  return status;
}
