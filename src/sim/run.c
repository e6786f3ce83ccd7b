// run.c: a whole run with recording.
//
// The integrator takes its own steps; rows come from its dense output, are pulled onto the
// constraints by the method's own correction, and evaluated there, so that recorded reactions
// belong to recorded positions. How far joints were apart before is part of the audit.
#include "base/elementary.h"
#include "sim/occurrence.h"

#include "record/columns.h"
#include "record/result.h"
#include "system/coordinates/coordinates.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// how far joints were apart in a state that was corrected since, as a length; where the
// correction tells nothing of that, how far it moved the state
static double apart(const hn_sim *sim, const double *a, const double *b) {
  double m = 0;
  if (!isnan(sim->rows.open)) return sim->rows.open;
  for (int i = 0; i < sim->sys->nq; i++)
    m = hn_greater(m, fabs(a[i] - b[i]) * (sim->sys->angular_q[i] ? sim->sys->length : 1));
  return m;
}

// one row at time t inside the last step (or at its end).
// Order: integrals up to t, the state, its correction, an evaluation there, reactions of steppers
// that have their own, then everything that is told. Rows at the end of a step are evaluated as the
// next step begins: behind what switched there
static hn_status record_at(hn_sim *sim, hn_result *result, struct hn_track *track, double t) {
  double *y = sim->record.y;
  size_t bytes = (size_t)sim->state.n * sizeof(double);
  bool at_end = t >= sim->state.t, first = at_end && !hn_rate_known(sim);
  hn_status status = hn_tally_row(sim, t);
  if (status) return status;
  // the run goes on from what it found itself (frictions settle from there), whatever is recorded
  if (first)
    hn_look_away(sim);
  else
    hn_look(sim);
  if (at_end)
    memcpy(y, sim->state.y, bytes);
  else
    hn_dense_shown(sim, t, y);
  if (!at_end) {
    hn_live_look_back(sim, true);
    memcpy(sim->step.y_stage, y, bytes);
    status = hn_correct_inside(sim, t, y);
    if (status) return status;
    hn_audit_note(sim, HN_AUDIT_OUTPUT, apart(sim, y, sim->step.y_stage), t, -1);
  }
  hn_events_look(sim, !at_end);
  status = hn_derivative_shown(sim, t, y, sim->step.y_new);
  if (status) return status;
  if (first) {
    memcpy(sim->stage.ydot, sim->step.y_new, bytes);  // the first evaluation of the next step
    hn_rate_found(sim);
  } else {
    sim->count.evaluations--;  // recording is not part of the method's work
  }
  // a stepper that knows no accelerations is not judged by them
  bool own = sim->method.integrator->reactions != NULL;
  if (own) sim->method.integrator->reactions(sim);
  // in a singular place multipliers are anything; what the motion does there is known
  bool singular = hn_leave_here(sim, t);
  status = hn_record_row(sim, result, t, y, !own && !singular);
  if (status) return status;
  hn_track_row(track, sim, t, y);
  hn_records_row(sim, t, y, sim->step.y_new);
  return HN_OK;
}

static hn_status record(hn_sim *sim, hn_result *result, struct hn_track *track, double t) {
  bool inside = t < sim->state.t;
  if (inside) hn_live_look_back(sim, true);
  hn_status status = record_at(sim, result, track, t);
  hn_events_look_away(sim);
  if (inside) hn_live_look_back(sim, false);
  return status;
}

// tables go on straight beyond their ends, but not in silence
static void watch_tables(hn_sim *sim, double t) {
  const hn_system *sys = sim->sys;
  for (int i = 0; !sim->record.beyond[0] && i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    for (int k = 0; b->ops->beyond && !sim->record.beyond[0] && k < b->count; k++) {
      const void *data = b->data + (size_t)k * b->ops->data_size;
      double at, end;
      if (!b->ops->beyond(sys, &sim->stage.work, data, &at, &end)) continue;
      sim->record.beyond[0] = i + 1, sim->record.beyond[1] = k;
      sim->record.beyond_at = at, sim->record.beyond_end = end, sim->record.beyond_time = t;
    }
  }
}

void hn_read_row(hn_sim *sim, double *row) {
  const hn_coordinates *c = sim->sys->coordinates;
  hn_instant now = {
      .work = &sim->stage.work,
      .told = &sim->reaction.told,
      .energy = &sim->audit.energy,
      .joint_power = sim->record.joint_power[0],
      .joint_work = sim->record.joint_work[0],
      .a = sim->stage.a,
      .forces = sim->record.forces,
      .integrals = hn_tally_integrals(sim),
  };
  if (c->accelerations && sim->sys->column_accelerations) {
    c->accelerations(&sim->stage.work, sim->stage.a, sim->record.accelerations);
    now.a = sim->record.accelerations;
  }
  hn_columns_read(&now, row);
}

hn_status hn_record_row(hn_sim *sim, hn_result *result, double t, const double *y,
                        bool with_acceleration) {
  hn_audit_state(sim, t, y, with_acceleration);
  hn_newton_law_start(sim, with_acceleration);
  hn_share_reactions(sim);
  hn_newton_law_check(sim, t);
  hn_audit_constraints(sim, t);
  hn_eval_measures(&sim->stage.work);
  watch_tables(sim, t);
  double *row = hn_result_append(result);
  if (!row) return hn_sim_fail(sim, HN_ERR_MEMORY, "t=%.6g: out of memory while recording", t);
  hn_read_row(sim, row);
  return HN_OK;
}

hn_result *hn_record_create(const hn_sim *sim, double rows) {
  const hn_system *sys = sim->sys;
  hn_result *r = hn_result_create(sys->name, sys->columns);
  if (!r) return NULL;
  for (int i = 0; i < sys->columns; i++)
    if (hn_result_set_column(r, i, sys->column[i].name, sys->column[i].unit)) {
      hn_result_destroy(r);
      return NULL;
    }
  // a wish only: absurd sizes are met row by row
  if (rows * sys->columns < 1e8) (void)hn_result_reserve(r, (int)rows + 2);
  return r;
}

double hn_rows_asked(const hn_options *o, double *interval) {
  *interval = o->output_step > 0 ? o->output_step : o->duration / 500;
  return o->duration / *interval;
}

// A slip of the pen (1e-9 for 1e-3) would write for hours and fill the disk. A hundred million rows
// are a day at a kilohertz, some minutes of writing and some gigabytes for each ten columns
hn_status hn_check_rows(hn_sim *sim) {
  static const double usual = 1e8;
  const hn_options *o = &sim->opt;
  double interval, rows = hn_rows_asked(o, &interval), most = o->max_rows > 0 ? o->max_rows : usual;
  if (rows <= most * (1 + 1e-9)) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                     "a row every %g s for %g s makes %.3g rows of %d columns, %.3g GB of numbers, "
                     "more than the %g that are recorded (a larger output_step? max_rows=%.3g "
                     "allows it)",
                     interval, o->duration, rows, sim->sys->columns,
                     8e-9 * rows * sim->sys->columns, most, hn_pow(10, ceil(hn_log10(rows))));
}

// what must be known to read the reactions
static hn_status add_notes(hn_sim *sim, hn_result *result) {
  const hn_check *check = &sim->sys->check;
  const hn_redundancy *r = check->redundancy;
  char text[512];
  if (!check->redundant_count) return HN_OK;
  hn_summary s;
  hn_sim_summary(sim, &s);
  snprintf(text, sizeof text, "reactions: %s", s.reactions);
  hn_status status = hn_result_add_note(result, text);
  if (!status && *check->preload) {
    snprintf(text, sizeof text, "preload: %s", check->preload);
    status = hn_result_add_note(result, text);
  }
  for (int i = 0; i < r->dependency_count && !status; i++)
    status = hn_result_add_note(result, r->dependency[i].text);
  for (int i = 0; i < r->undetermined_count && !status; i++) {
    snprintf(text, sizeof text, "undetermined: %s", r->undetermined[i]);
    status = hn_result_add_note(result, text);
  }
  return status;
}

// singular configurations are known afterwards
static hn_status add_places(const hn_sim *sim, hn_result *result) {
  const hn_singular_place *p;
  hn_status status = HN_OK;
  for (int i = 0; !status && (p = hn_sim_singular(sim, i)); i++) {
    char text[320];
    snprintf(text, sizeof text, "singular configuration at t = %.9g s, %s: joints %s", p->time,
             p->passed ? "passed" : "the motion jumps", p->joints);
    status = hn_result_add_note(result, text);
  }
  return status;
}

// impacts are no rows: they are told beside them, the first few one by one
static hn_status add_impacts(const hn_sim *sim, hn_result *result) {
  enum { SHOWN = 64 };
  int count = hn_sim_impact_count(sim);
  hn_status status = HN_OK;
  hn_impact p;
  char text[320];
  for (int i = 0; !status && i < SHOWN && hn_sim_impact(sim, i, &p); i++) {
    bool angular = sim->sys->angular_row[p.row];
    snprintf(text, sizeof text,
             "impact at t = %.12g s: joint %s, %.6g %s before, %.6g after, impulse %.6g %s", p.time,
             sim->sys->joint[sim->sys->row_joint[p.row]].name, p.before, angular ? "rad/s" : "m/s",
             p.after, p.impulse, angular ? "N m s" : "N s");
    status = hn_result_add_note(result, text);
  }
  if (!status && count > SHOWN) {
    snprintf(text, sizeof text, "impacts: %d in all, the first %d are listed", count, SHOWN);
    status = hn_result_add_note(result, text);
  }
  return status;
}

// nor are jumps of velocities where the rate of a driver's motion jumps
static hn_status add_corners(const hn_sim *sim, hn_result *result) {
  hn_corner c;
  hn_status status = HN_OK;
  for (int i = 0; !status && hn_sim_corner(sim, i, &c); i++) {
    char text[320];
    snprintf(
        text, sizeof text,
        "corner at t = %.12g s: the rate of driver %s jumps by %.6g %s, by impulses that bring "
        "in %.6g J",
        c.time, c.driver, c.jump, c.angular ? "rad/s" : "m/s", c.work);
    status = hn_result_add_note(result, text);
  }
  return status;
}

// *out has the rows recorded so far also where the run fails; the caller destroys it. Rows lie at
// start + k interval; the end is always one. It may be called again: then the run goes on, with a
// result of its own.
hn_status hn_run_unverified(hn_sim *sim, hn_result **out, hn_track **states,
                            hn_progress_fn progress, void *user) {
  double end = sim->state.t + sim->opt.duration, start = sim->state.t, began = clock_now();
  double interval, rows_asked = hn_rows_asked(&sim->opt, &interval);
  // the k-th row and the end of a step that was aimed at it differ by rounding
  double eps = 1e-9 * interval;
  long row = 1;
  hn_status refused = hn_check_rows(sim);
  *states = NULL;
  *out = hn_record_create(sim, refused ? 1 : rows_asked);
  if (!*out) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  if (refused) return refused;
  if (add_notes(sim, *out)) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  struct hn_track *track = *states = hn_track_begin(sim);
  hn_pace pace = hn_pace_begin(sim, end);
  hn_status status = record(sim, *out, track, sim->state.t);
  hn_occurrence_go_on(sim);
  while (!status && sim->state.t < end - 1e-13 * hn_time_size(sim, end) && !hn_sim_ended(sim)) {
    status = hn_take_step(sim, end - sim->state.t);
    if (status) break;
    // what is left is rounding, and no step is worth it
    if (fabs(end - sim->state.t) < 1e-12 * hn_time_size(sim, end)) sim->state.t = end;
    while (!status) {
      double t = start + (double)row * interval;
      if (t > sim->state.t + eps || t > end + eps) break;
      // where a step ends on an instant of its own (a sample, a table) the row is the one behind it
      status = record(sim, *out, track, t < sim->state.t - eps ? t : sim->state.t);
      row++;
    }
    if (!status && sim->state.t < end) status = hn_pace_keep(sim, &pace);
    if (!status && progress && !progress(user, sim->state.t - start, end - start))
      status = hn_sim_fail(sim, HN_ERR_INTERRUPTED, "t=%.6g: stopped by the caller", sim->state.t);
  }
  // the last instant is always recorded
  int rows = hn_result_rows(*out);
  if (!status && rows > 0 && hn_result_row(*out, rows - 1)[0] < sim->state.t - eps)
    status = record(sim, *out, track, sim->state.t);
  if ((add_places(sim, *out) || add_impacts(sim, *out) || add_corners(sim, *out) ||
       hn_occurrence_tell(sim, *out) || hn_tally_tell(sim, *out)) &&
      !status)
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "t=%.6g: out of memory while recording", sim->state.t);
  if (status) {
    char text[HN_MESSAGE + 16];
    snprintf(text, sizeof text, "incomplete: %s", sim->message);
    (void)hn_result_add_note(*out, text);  // without memory the caller knows by the status
  }
  sim->record.wall += clock_now() - began;
  return status;
}

hn_status hn_run(hn_sim *sim, hn_result **out, hn_progress_fn progress, void *user) {
  bool fresh = hn_beam_check_fresh(sim);
  hn_track *track;
  hn_status status = hn_run_unverified(sim, out, &track, progress, user);
  if (!status) hn_verify_track(sim, track, progress, user);
  if (!status && hn_beam_check_wanted(sim)) hn_beam_check(sim, fresh, *out, progress, user);
  hn_track_end(track);
  return status;
}
