// audit.c: what a run must prove about itself.
//
// Every item is the worst value of a run, with the time and place it was met at; it passes when
// that is below its limit, an option for all but one. Some are looked at in every recorded row
// (violations, balances), some in rows against each other (audit_records.c), some need a second run
// (verify.c, beam_check.c). Nothing here changes the motion: a failed audit is a verdict, not an
// error, and a number that is none fails every limit.
//
// Steps from C are not recorded; hn_audit_passing looks at the ends of some of them, as often as
// costs next to nothing.
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

// what tables of the audit show of every item
static const struct {
  const char *name, *unit;
} names[HN_AUDITS] = {
    [HN_AUDIT_POSITION] = {"position violation", "m, rad"},
    [HN_AUDIT_VELOCITY] = {"velocity violation", "m/s, rad/s"},
    [HN_AUDIT_ACCELERATION] = {"acceleration residual", "relative"},
    [HN_AUDIT_ENERGY] = {"energy imbalance", "relative"},
    [HN_AUDIT_OUTPUT] = {"recorded rows off the constraints", "m, rad"},
    [HN_AUDIT_JUMP] = {"velocity jump at singular places", "relative"},
    [HN_AUDIT_LEAK] = {"work of joints that should do none", "relative"},
    [HN_AUDIT_FORCES] = {"forces on a body against m a", "relative"},
    [HN_AUDIT_RECORDS] = {"rows against their own rates", "relative"},
    [HN_AUDIT_MOTION] = {"error of positions", "relative"},
    [HN_AUDIT_SPEED] = {"error of velocities", "relative"},
    [HN_AUDIT_STATES] = {"error of states", "relative"},
    [HN_AUDIT_ABSOLUTE] = {"error of the motion", "m, rad, m/s, rad/s"},
    [HN_AUDIT_BEAMS] = {"elements of beams: positions", "relative"},
    [HN_AUDIT_BEAMS + 1] = {"elements of beams: velocities", "relative"},
    [HN_AUDIT_BEAMS + 2] = {"elements of beams: forces", "relative"},
};

void hn_audit_layout(hn_sim *sim, hn_arena *arena) {
  hn_balance_layout(sim, arena);
  hn_newton_law_layout(sim, arena);
  hn_records_layout(sim, arena);
  sim->audit.y_start = HN_TAKE(arena, double, sim->state.s);
  sim->audit.turn_start = HN_TAKE(arena, double, sim->sys->turns);
  hn_halts_layout(sim, arena);
}

// a state was set: what was found of the motion before it does not count any more
void hn_audit_start(hn_sim *sim) {
  const hn_options *o = &sim->opt;
  const double limit[HN_AUDITS] = {
      o->audit_position,        o->audit_velocity, o->audit_acceleration, o->audit_energy,
      o->audit_output,          HN_JUMP_LIMIT,     o->audit_energy,       o->audit_forces,
      o->audit_records,         o->audit_motion,   o->audit_motion,       o->audit_motion,
      o->audit_motion_absolute, o->audit_beams,    o->audit_beams,        o->audit_beams};
  for (int i = 0; i < HN_AUDITS; i++) sim->audit.item[i] = (hn_audit){.limit = limit[i], .row = -1};
  const hn_options usual = hn_options_default();
  sim->audit.as_parts[0] = o->audit_position == usual.audit_position;
  sim->audit.as_parts[1] = o->audit_velocity == usual.audit_velocity;
  if (o->audit_output == usual.audit_output)
    sim->audit.item[HN_AUDIT_OUTPUT].limit *= sim->sys->length;
  // joints out of line share forces along directions that differ by as much
  sim->audit.item[HN_AUDIT_FORCES].limit += 4 * sim->sys->gap;
  for (int k = 0; k < 2; k++) sim->record.joint_power[k] = sim->record.joint_work[k] = 0;
  sim->record.joint_time = sim->audit.t_start = sim->state.t;
  sim->audit.audited = NAN;
  sim->audit.motion = (hn_motion_error){.how = "not verified"};
  sim->audit.beams = (hn_beam_error){0};
  memcpy(sim->audit.y_start, sim->state.y, (size_t)sim->state.s * sizeof(double));
  memcpy(sim->audit.turn_start, sim->stage.work.turn, (size_t)sim->sys->turns * sizeof(double));
  hn_records_reset(sim);
  hn_halts_reset(sim);
  sim->audit.audited_at = sim->count.evaluations;
  sim->audit.steps_before = sim->count.steps;
  hn_balance_start(sim);
}

// keeps the worst; `known` says that the item was looked at at all
void hn_audit_note(hn_sim *sim, int which, double value, double t, int row) {
  hn_audit *a = &sim->audit.item[which];
  a->known = true;
  if (value <= a->worst || isnan(a->worst)) return;
  a->worst = value;  // also a NaN, which no limit admits
  a->time = t;
  a->row = row;
}

// joints out of line stay open, wherever the mechanism moves, by a few times what was foreseen: as
// a part of what rows are measured by
static double known_gap(const hn_sim *sim, int which, const double unit[2], double scale) {
  double gap = 4 * sim->sys->gap, w = sim->step.speed[1];
  return which == HN_AUDIT_POSITION   ? gap * sim->sys->length / unit[0]
         : which == HN_AUDIT_VELOCITY ? gap * w * sim->sys->length / unit[0]
                                      : gap * (w * w * sim->sys->length + scale) / unit[0];
}

// what violations of rows about lengths, and about angles, are measured by. Limits as they stand
// are parts of the model's length and its speed, or of a radian; one that was given is in metres
// and radians
static void units_of(const hn_sim *sim, int which, double unit[2]) {
  bool position = which == HN_AUDIT_POSITION;
  unit[0] = unit[1] = 1;
  if (!sim->audit.as_parts[!position]) return;
  unit[0] = position ? sim->sys->length : sim->step.speed[0];
  if (!position) unit[1] = sim->step.speed[1];
}

// The worst of all rows. What the joints are open by since assembly is taken off: it has been told
// there, and no step could close it
static void note_rows(hn_sim *sim, int which, const double *x, double t) {
  const hn_system *sys = sim->sys;
  hn_audit *a = &sim->audit.item[which];
  double part = which == HN_AUDIT_POSITION ? sim->opt.audit_position : sim->opt.audit_velocity;
  double unit[2], worst = 0;
  int row = -1;
  units_of(sim, which, unit);
  for (int i = 0; i < sys->rows; i++)
    worst = hn_worse(worst, fabs(x[i]) / unit[sys->angular_row[i]]);
  double known = sys->gap > 0 ? known_gap(sim, which, unit, 0) : 0;
  if (worst <= known) return;
  // whose it is matters only where it is worse than what was before
  if ((worst - known) / part <= a->worst / a->limit || isnan(a->worst)) {
    a->known = true;
    return;
  }
  for (int i = 0; row < 0; i++) {
    double size = fabs(x[i]) / unit[sys->angular_row[i]];
    if (isnan(worst) ? isnan(size) : size >= worst) row = i;
  }
  double of = unit[sys->angular_row[row]];
  a->limit = part * of;
  a->worst = 0;
  hn_audit_note(sim, which, (worst - known) * of, t, row);
}

// accelerations: relative to `scale`, in lengths
static void note_residual(hn_sim *sim, const double *x, double scale, double t) {
  const hn_system *sys = sim->sys;
  const double unit[2] = {1, 1};
  double known = sys->gap > 0 ? known_gap(sim, HN_AUDIT_ACCELERATION, unit, scale) : 0;
  double worst = hn_largest(x, (size_t)sys->rows);
  int row = 0;
  if (worst <= known) return;
  while (isnan(worst) ? !isnan(x[row]) : fabs(x[row]) < worst) row++;
  hn_audit_note(sim, HN_AUDIT_ACCELERATION, (worst - known) / scale, t, row);
}

// J a - gamma, as lengths per second squared, relative to the largest acceleration the rows deal
// with; at least that of the model's length in its own time: accelerations of next to nothing are
// not judged by their own round-off
static void acceleration_residual(hn_sim *sim, double *residual, double *scale) {
  const hn_system *sys = sim->sys;
  hn_jacobian_mul(&sim->stage.work, sim->stage.a, residual);
  double own = fmin(hn_own_time(sim), 0.1 * sim->opt.duration);  // what rests: a tenth of the run
  *scale = hn_greater(sys->length / (own * own), hn_largest_velocity(sys, sim->stage.a));
  for (int i = 0; i < sys->rows; i++) {
    double arm = hn_row_arm(sys, i);
    residual[i] = (residual[i] - sim->stage.work.gamma[i]) * arm;
    *scale = hn_greater(*scale, fabs(sim->stage.work.gamma[i]) * arm);
  }
}

void hn_audit_state(hn_sim *sim, double t, const double *y, bool with_acceleration) {
  note_rows(sim, HN_AUDIT_POSITION, sim->stage.work.phi, t);
  note_rows(sim, HN_AUDIT_VELOCITY, sim->stage.work.psi, t);
  if (with_acceleration && sim->sys->rows) {
    double scale;
    acceleration_residual(sim, sim->room.r2, &scale);
    note_residual(sim, sim->room.r2, scale, t);
  }
  hn_balance_note(sim, t, y);
  sim->audit.audited = t;
  sim->audit.audited_at = sim->count.evaluations;
}

// the state as it stands, without an evaluation that the method would count
static hn_status look(hn_sim *sim) {
  hn_status status = hn_refresh(sim);
  // accelerations meet the rows only where the solver found them; integrators with reactions of
  // their own are judged by violations
  if (!status)
    hn_audit_state(sim, sim->state.t, sim->state.y, sim->method.integrator->reactions == NULL);
  return status;
}

// one evaluation in so many
enum { SELDOM = 128 };

hn_status hn_audit_passing(hn_sim *sim) {
  if (sim->count.evaluations - sim->audit.audited_at < SELDOM) return HN_OK;
  if (strcmp(sim->opt.audit_steps, "off") == 0) return HN_OK;
  return look(sim);
}

// Constraint forces have the power lambda^T J v = lambda^T (psi - Phi_t). Ideal joints that do not
// depend on time do no work; drivers do -lambda Phi_t; lambda psi comes from the violation.
void hn_audit_constraints(hn_sim *sim, double t) {
  const hn_work *w = &sim->stage.work;
  double power[2] = {0, 0}, h = t - sim->record.joint_time;
  for (int i = 0; i < sim->sys->rows; i++) {
    power[0] += w->lambda[i] * (w->psi[i] - w->phi_t[i]);
    power[1] += w->lambda[i] * w->psi[i];
  }
  for (int k = 0; k < 2; k++) {
    if (h > 0) sim->record.joint_work[k] += 0.5 * h * (power[k] + sim->record.joint_power[k]);
    sim->record.joint_power[k] = power[k];
  }
  sim->record.joint_time = t;
  // what it is measured by is known at the end
  hn_audit_note(sim, HN_AUDIT_LEAK, fabs(sim->record.joint_work[1]), t, -1);
}

static hn_status residuals(hn_sim *sim, hn_residuals *r) {
  const hn_system *sys = sim->sys;
  hn_status status = hn_refresh(sim);
  if (status) return status;
  *r = (hn_residuals){.position_row = -1, .velocity_row = -1, .acceleration_row = -1};
  double scale;
  acceleration_residual(sim, sim->room.r2, &scale);
  for (int i = 0; i < sys->rows; i++) {
    if (fabs(sim->stage.work.phi[i]) > r->position)
      r->position = fabs(sim->stage.work.phi[i]), r->position_row = i;
    if (fabs(sim->stage.work.psi[i]) > r->velocity)
      r->velocity = fabs(sim->stage.work.psi[i]), r->velocity_row = i;
    if (fabs(sim->room.r2[i]) / scale > r->acceleration)
      r->acceleration = fabs(sim->room.r2[i]) / scale, r->acceleration_row = i;
  }
  return HN_OK;
}

hn_status hn_sim_residuals(hn_sim *sim, hn_residuals *r) {
  hn_reading_begin(sim);
  hn_status status = residuals(sim, r);
  hn_reading_end(sim);
  return status;
}

// an item as it is told: energies are relative to what the run turned over
static hn_audit judged(const hn_sim *sim, int which) {
  hn_audit a = which == HN_AUDIT_ENERGY ? hn_balance_verdict(sim) : sim->audit.item[which];
  if (which == HN_AUDIT_LEAK) a.worst /= hn_balance_scale(sim);
  return a;
}

static const char *place_name(const hn_system *sys, const hn_audit *a) {
  const hn_body_info *body = a->body > 0 ? sys->body[a->body].info : NULL;
  if (body && body->name) return body->name;
  if (a->state > 0) return sys->state[a->state - 1].name;
  return a->row >= 0 ? sys->row_name[a->row] : "";
}

static void fill_audit(const hn_sim *sim, hn_summary *s) {
  bool pass = true;
  for (int i = 0; i < HN_AUDITS; i++) {
    hn_audit a = judged(sim, i);
    a.known |= i < HN_AUDIT_LEAK;                            // nothing met is nothing wrong
    if (i == HN_AUDIT_ABSOLUTE && !(a.limit > 0)) continue;  // nobody asked
    if (i == HN_AUDIT_STATES && !sim->sys->states) continue;
    if (i >= HN_AUDIT_BEAMS && !hn_beam_check_wanted(sim)) continue;
    hn_audit_item *o = &s->audit[s->audit_count++];
    *o = (hn_audit_item){.name = names[i].name,
                         .unit = names[i].unit,
                         .worst = a.worst,
                         .limit = a.limit,
                         .time = a.time,
                         .where = i >= HN_AUDIT_BEAMS ? sim->audit.beams.where[i - HN_AUDIT_BEAMS]
                                                      : place_name(sim->sys, &a),
                         .known = a.known,
                         .pass = !a.known || a.worst <= a.limit};
    pass &= o->pass;
  }
  // items before it are never left out, so that its place in the list is its number
  s->energy_drift = s->audit[HN_AUDIT_ENERGY].worst;
  // no step since the state was set: there is nothing to judge
  s->verdict = sim->count.steps == sim->audit.steps_before ? HN_NOT_AUDITED
               : pass                                      ? HN_AUDIT_PASSED
                                                           : HN_AUDIT_FAILED;
  s->audit_pass = s->verdict == HN_AUDIT_PASSED;
  s->motion = sim->audit.motion;
  s->beams = sim->audit.beams;
}

// after steps without recording the present state counts too. It is looked at for this answer only.
// a question about a run must not change what the next one is told: everything the audit keeps is
// put back
static void audit_with_present(hn_sim *sim, hn_summary *s) {
  hn_audit kept[HN_AUDITS];
  hn_energy energy = sim->audit.energy;
  double largest = sim->audit.largest_energy, audited = sim->audit.audited;
  double squares = sim->audit.squares;
  long at = sim->audit.audited_at, noted = sim->audit.steps_noted;
  size_t bytes = ((size_t)sim->sys->parts + 1) * sizeof *sim->audit.part;
  memcpy(kept, sim->audit.item, sizeof kept);
  memcpy(sim->audit.part_kept, sim->audit.part, bytes);
  (void)look(sim);
  fill_audit(sim, s);
  memcpy(sim->audit.item, kept, sizeof kept);
  memcpy(sim->audit.part, sim->audit.part_kept, bytes);
  sim->audit.energy = energy, sim->audit.largest_energy = largest;
  sim->audit.audited = audited, sim->audit.audited_at = at;
  sim->audit.squares = squares, sim->audit.steps_noted = noted;
}

static const char *reactions_in_words(const hn_sim *sim) {
  if (sim->method.integrator->compliant) return "those of the springs that stand for the joints";
  bool own = sim->sys->check.redundant_count &&
             (strcmp(sim->opt.reactions, "method") == 0 || sim->sys->rigid_coupled);
  return own ? "undetermined ones as the method divides them" : sim->sys->check.reactions;
}

// as for hn_options: later versions fill what is `reserved` now
_Static_assert(sizeof(void *) != 8 || sizeof(hn_summary) == 3072,
               "the size of hn_summary is fixed");

void hn_sim_summary(hn_sim *sim, hn_summary *s) {
  hn_reading_begin(sim);
  memset(s, 0, sizeof *s);
  s->method = sim->method.info->name;
  s->choice = sim->method.reason[0] ? sim->method.reason : NULL;
  s->solver = sim->method.solver->info.name;
  s->correction = sim->method.correction->info.name;
  s->integrator = sim->method.integrator->info.name;
  s->coordinates = sim->sys->check.coordinates;
  s->code = sim->method.native ? "native" : "library";
  // what was chosen is told unless the method itself has no use for it
  if (sim->sys->code_choice && !sim->method.native == !sim->sys->native)
    s->code = sim->sys->code_choice;
  s->time = sim->state.t;
  s->wall = sim->record.wall;
  if (sim->record.beyond[0])
    snprintf(s->tables, sizeof s->tables,
             "force '%.63s': its table ends at %.6g and was asked for %.6g at t = %.6g s; the last "
             "line goes on straight",
             sim->sys->batch[sim->record.beyond[0] - 1].name[sim->record.beyond[1]],
             sim->record.beyond_end, sim->record.beyond_at, sim->record.beyond_time);
  s->steps = sim->count.steps, s->rejected = sim->count.rejected;
  s->evaluations = sim->count.evaluations, s->factorisations = sim->count.factorisations;
  s->regularised = sim->count.regularised;
  s->singular = hn_sim_singular_count(sim);
  s->events = sim->watch.located;
  s->switches = sim->count.switches;
  s->reactions = reactions_in_words(sim);
  if (sim->count.steps == sim->audit.steps_before || sim->audit.audited == sim->state.t)
    fill_audit(sim, s);
  else
    audit_with_present(sim, s);
  hn_reading_end(sim);
}
