// audit.c: what a run must prove about itself.
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

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
};

static double total_energy(const hn_sim *sim, const double *y, double *kinetic, double *potential) {
  hn_work *w = (hn_work *)&sim->work;
  *kinetic = hn_kinetic_energy(w);
  *potential = hn_potential_energy(w);
  return *kinetic + *potential - y[sim->w];
}

void hn_audit_start(hn_sim *sim) {
  const hn_options *o = &sim->opt;
  const double limit[HN_AUDITS] = {o->audit_position, o->audit_velocity, o->audit_acceleration,
                                   o->audit_energy,   o->audit_output,   HN_JUMP_LIMIT,
                                   o->audit_energy};
  for (int i = 0; i < HN_AUDITS; i++) sim->audit[i] = (hn_audit){.limit = limit[i], .row = -1};
  for (int k = 0; k < 2; k++) sim->joint_power[k] = sim->joint_work[k] = 0;
  sim->joint_time = sim->t;
  double T, V;
  sim->energy0 = total_energy(sim, sim->y, &T, &V);
  sim->potential0 = V;
  // weight of the model over its own length: below a millionth of that nothing is at stake
  const hn_system *sys = sim->sys;
  double weight = 0, g = v3_norm(sys->gravity);
  for (int i = 1; i < sys->bodies; i++) weight += sys->body[i].mass * g * sys->length;
  sim->largest_energy = fmax(T, 1e-6 * weight);
}

void hn_audit_note(hn_sim *sim, int which, double value, double t, int row) {
  hn_audit *a = &sim->audit[which];
  if (value <= a->worst || isnan(a->worst)) return;
  a->worst = value;  // also a NaN, which no limit admits
  a->time = t;
  a->row = row;
}

static void note_rows(hn_sim *sim, int which, const double *x, double scale, double t) {
  const hn_system *sys = sim->sys;
  double worst = 0;
  int row = -1;
  for (int i = 0; i < sys->rows; i++)
    if (!(fabs(x[i]) <= worst) && !isnan(worst)) worst = fabs(x[i]), row = i;
  if (row >= 0) hn_audit_note(sim, which, worst / scale, t, row);
}

// J a - gamma relative to the largest acceleration the rows deal with
static void acceleration_residual(hn_sim *sim, double *residual, double *scale) {
  const hn_system *sys = sim->sys;
  hn_jacobian_mul(&sim->work, sim->a, residual);
  *scale = 1;
  for (int i = 0; i < sys->rows; i++) {
    residual[i] -= sim->work.gamma[i];
    *scale = fmax(*scale, fabs(sim->work.gamma[i]));
  }
  for (int i = 0; i < sys->nv; i++) *scale = fmax(*scale, fabs(sim->a[i]));
}

void hn_audit_state(hn_sim *sim, double t, const double *y, bool with_acceleration) {
  note_rows(sim, HN_AUDIT_POSITION, sim->work.phi, 1, t);
  note_rows(sim, HN_AUDIT_VELOCITY, sim->work.psi, 1, t);
  if (with_acceleration && sim->sys->rows) {
    double scale;
    acceleration_residual(sim, sim->x_r2, &scale);
    note_rows(sim, HN_AUDIT_ACCELERATION, sim->x_r2, scale, t);
  }
  hn_energy *e = &sim->energy;
  double E = total_energy(sim, y, &e->kinetic, &e->potential);
  e->work = y[sim->w];
  e->balance = E - sim->energy0;
  sim->largest_energy = fmax(sim->largest_energy, e->kinetic);
  sim->largest_energy = fmax(sim->largest_energy, fabs(e->potential - sim->potential0));
  sim->largest_energy = fmax(sim->largest_energy, fabs(e->work));
  e->scale = sim->largest_energy;
  double relative = e->scale > 0 ? fabs(e->balance) / e->scale : fabs(e->balance);
  hn_audit_note(sim, HN_AUDIT_ENERGY, relative, t, -1);
}

// Constraint forces have the power lambda^T J v = lambda^T (psi - Phi_t). Ideal joints that do not
// depend on time do no work; drivers do -lambda Phi_t; lambda psi comes from the violation.
void hn_audit_constraints(hn_sim *sim, double t) {
  const hn_work *w = &sim->work;
  double power[2] = {0, 0}, h = t - sim->joint_time;
  for (int i = 0; i < sim->sys->rows; i++) {
    power[0] += w->lambda[i] * (w->psi[i] - w->phi_t[i]);
    power[1] += w->lambda[i] * w->psi[i];
  }
  for (int k = 0; k < 2; k++) {
    if (h > 0) sim->joint_work[k] += 0.5 * h * (power[k] + sim->joint_power[k]);
    sim->joint_power[k] = power[k];
  }
  sim->joint_time = t;
  double scale = sim->largest_energy;
  hn_audit_note(sim, HN_AUDIT_LEAK, fabs(sim->joint_work[1]) / (scale > 0 ? scale : 1), t, -1);
}

hn_status hn_sim_residuals(hn_sim *sim, hn_residuals *r) {
  const hn_system *sys = sim->sys;
  hn_status status = hn_refresh(sim);
  if (status) return status;
  *r = (hn_residuals){.position_row = -1, .velocity_row = -1, .acceleration_row = -1};
  double scale;
  acceleration_residual(sim, sim->x_r2, &scale);
  for (int i = 0; i < sys->rows; i++) {
    if (fabs(sim->work.phi[i]) > r->position)
      r->position = fabs(sim->work.phi[i]), r->position_row = i;
    if (fabs(sim->work.psi[i]) > r->velocity)
      r->velocity = fabs(sim->work.psi[i]), r->velocity_row = i;
    if (fabs(sim->x_r2[i]) / scale > r->acceleration)
      r->acceleration = fabs(sim->x_r2[i]) / scale, r->acceleration_row = i;
  }
  return HN_OK;
}

void hn_sim_summary(const hn_sim *sim, hn_summary *s) {
  memset(s, 0, sizeof *s);
  s->method = sim->method->name;
  s->choice = sim->reason;
  s->solver = sim->solver->info.name;
  s->correction = sim->correction->info.name;
  s->integrator = sim->integrator->info.name;
  s->coordinates = sim->sys->check.coordinates;
  s->code = sim->native ? "native" : "library";
  s->time = sim->t;
  s->wall = sim->wall;
  s->steps = sim->steps, s->rejected = sim->rejected;
  s->evaluations = sim->evaluations, s->factorisations = sim->factorisations;
  s->regularised = sim->regularised;
  s->singular = hn_sim_singular_count(sim);
  s->events = sim->located;
  s->switches = sim->switches;
  s->reactions = sim->integrator->compliant ? "those of the springs that stand for the joints"
                                            : sim->sys->check.reactions;
  s->energy_drift = sim->audit[HN_AUDIT_ENERGY].worst;
  s->audit_pass = true;
  for (int i = 0; i < HN_AUDITS; i++) {
    const hn_audit *a = &sim->audit[i];
    hn_audit_item *o = &s->audit[s->audit_count++];
    *o = (hn_audit_item){.name = names[i].name,
                         .unit = names[i].unit,
                         .worst = a->worst,
                         .limit = a->limit,
                         .time = a->time,
                         .where = a->row >= 0 ? sim->sys->row_name[a->row] : "",
                         .pass = a->worst <= a->limit};
    s->audit_pass &= o->pass;
  }
}
