// audit_energy.c: does energy balance, part by part?
//
// T + V - W stays what it was, in every connected part of the model by itself. Where forces without
// potential work (or rows that depend on time), their work W is integrated with the motion, for all
// such parts together; these are judged together. The imbalance is measured by what its part turned
// over in the whole run, T, V and W alike, and by no less than what could be noticed: a part that
// moves by less than a millionth of the model's length has not moved, and rounding of what was
// summed is no energy. What a motor pushes against a brake for an hour turns over nothing else:
// places are known to a rounding of the length, and forces that are held, to a rounding of what
// they would have made of the velocities in a step.
#include "sim/sim.h"

#include <float.h>
#include <string.h>

static const double unnoticed = 1e-6;  // part of the model's length that nobody would miss
static const double digits = 1e-4;     // to which energies must be known to be judged
static const double few = 8;           // roundings in a step

void hn_balance_layout(hn_sim *sim, hn_arena *arena) {
  int parts = sim->sys->parts;
  sim->audit.part = HN_TAKE_NUMBERS(arena, hn_part_audit, parts + 1);
  sim->audit.part_kept = HN_TAKE_NUMBERS(arena, hn_part_audit, parts + 1);
  sim->audit.part_energy = HN_TAKE(arena, double, 2 * parts);
  sim->audit.part_works = HN_TAKE(arena, bool, parts);
}

// kinetic and potential energy of all parts, at the state last evaluated
static void energies(hn_sim *sim, double **kinetic, double **potential) {
  int parts = sim->sys->parts;
  *kinetic = sim->audit.part_energy, *potential = sim->audit.part_energy + parts;
  // the one part has all there is; where nothing works y[w] stays 0
  if (parts == 1) {
    **kinetic = hn_kinetic_energy(&sim->stage.work);
    **potential = hn_potential_energy(&sim->stage.work);
    sim->audit.part_works[0] = true;
    return;
  }
  hn_part_energies(&sim->stage.work, sim->stage.base_force, *kinetic, *potential,
                   sim->audit.part_works);
}

// What steps under the forces on a body, those last evaluated, leave of its energies by rounding.
// Places are known to a rounding of the model's length, or of one radian; velocities to one of what
// the forces would make of them in a step if nothing held them. squares: sum of those of the steps
static double rounding_at(const hn_sim *sim, int body, double steps, double squares) {
  const hn_system *sys = sim->sys;
  const hn_sys_body *b = &sys->body[body];
  double reach = 0, haste = 0;
  for (int k = 0; k < b->nv; k++) {
    double F = sim->stage.work.f[b->v0 + k], m = sys->mass[b->v0 + k];
    reach += fabs(F) * (k < hn_body_linear(b) ? sys->length : 1);
    haste += m > 0 ? F * F / m : 0;
  }
  double sum = few * DBL_EPSILON * (steps * reach + squares * haste);
  return isfinite(sum) ? sum : 0;
}

double hn_balance_rounding(const hn_sim *sim, double h) {
  double sum = 0;
  for (int i = 1; i < sim->sys->bodies; i++) sum += rounding_at(sim, i, 1, h * h);
  return sum;
}

// that of the steps since the last time
static void note_rounding(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  long now = sim->count.steps;
  if (now == sim->audit.steps_noted) return;
  for (int i = 1; i < sys->bodies; i++) {
    double more = rounding_at(sim, i, (double)(now - sim->audit.steps_noted), sim->audit.squares);
    sim->audit.part[sys->part[i]].rounding += more;
    sim->audit.part[sys->parts].rounding += more;
  }
  sim->audit.steps_noted = now;
  sim->audit.squares = 0;
}

void hn_balance_start(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double *T, *V, g = fmax(v3_norm(sys->gravity), hn_contact_loose(sim));
  memset(sim->audit.part, 0, ((size_t)sys->parts + 1) * sizeof *sim->audit.part);
  memset(sim->audit.part_works, 0, (size_t)sys->parts * sizeof *sim->audit.part_works);
  energies(sim, &T, &V);
  sim->audit.energy0 = sim->audit.potential0 = sim->audit.largest_energy = 0;
  sim->audit.squares = 0, sim->audit.steps_noted = sim->count.steps;
  hn_part_audit *all = &sim->audit.part[sys->parts];
  for (int i = 1; i < sys->bodies; i++) {
    hn_part_audit *p = &sim->audit.part[sys->part[i]];
    // weight of the part, or what stops and friction hold back, over the model's length
    double weight = unnoticed * sys->body[i].mass * g * sys->length;
    p->floor += weight, all->floor += weight;
    p->mass += sys->body[i].mass, all->mass += sys->body[i].mass;
  }
  for (int i = 0; i < sys->parts; i++) {
    hn_part_audit *p = &sim->audit.part[i];
    // differences of large potentials have no more digits than these
    p->floor = fmax(p->floor, 1e-10 * fabs(V[i]));
    all->floor = fmax(all->floor, p->floor);
    p->energy0 = T[i] + V[i];
    p->potential0 = V[i];
    p->turnover = T[i];
    sim->audit.energy0 += p->energy0;
    sim->audit.potential0 += V[i];
    sim->audit.largest_energy += T[i];
  }
  all->turnover = sim->audit.largest_energy;
  double slow = unnoticed * sys->length / sim->opt.duration;
  // never zero, since others are divided by it
  sim->audit.least_energy = 0.5 * all->mass * slow * slow + 1e-300;
  sim->audit.largest_energy = fmax(sim->audit.largest_energy, all->floor);
}

hn_energy hn_balance_here(hn_sim *sim, const double *y) {
  hn_energy e = {.kinetic = hn_kinetic_energy(&sim->stage.work),
                 .potential = hn_potential_energy(&sim->stage.work),
                 .work = y[sim->state.w]};
  e.balance = e.kinetic + e.potential - e.work - sim->audit.energy0;
  e.scale = hn_greater(hn_greater(sim->audit.largest_energy, e.kinetic),
                       hn_greater(fabs(e.potential - sim->audit.potential0), fabs(e.work)));
  return e;
}

static void note(hn_part_audit *p, double imbalance, double kinetic, double potential, double work,
                 double t) {
  p->turnover =
      hn_greater(hn_greater(p->turnover, kinetic), hn_greater(fabs(potential), fabs(work)));
  imbalance = fabs(imbalance);
  if (imbalance <= p->worst || isnan(p->worst)) return;
  p->worst = imbalance;  // also a NaN
  p->time = t;
}

void hn_balance_note(hn_sim *sim, double t, const double *y) {
  int parts = sim->sys->parts;
  double *T, *V, kinetic = 0, potential = 0, imbalance = -y[sim->state.w];
  note_rounding(sim);
  sim->audit.energy = hn_balance_here(sim, y);
  sim->audit.largest_energy = sim->audit.energy.scale;
  sim->audit.item[HN_AUDIT_ENERGY].known = true;
  if (parts == 1) {  // the same once more
    T = &sim->audit.energy.kinetic, V = &sim->audit.energy.potential;
    sim->audit.part_works[0] = true;
  } else {
    energies(sim, &T, &V);
  }
  for (int i = 0; i < parts; i++) {
    hn_part_audit *p = &sim->audit.part[i];
    double change = T[i] + V[i] - p->energy0;
    // parts in which nothing works must balance one by one; those with work share one account, w
    p->works = sim->audit.part_works[i];
    note(p, p->works ? 0 : change, T[i], V[i] - p->potential0, 0, t);
    if (!p->works) continue;
    imbalance += change;
    kinetic += T[i];
    potential += V[i] - p->potential0;
  }
  note(&sim->audit.part[parts], imbalance, kinetic, potential, y[sim->state.w], t);
}

// Rows may be far apart: what jumps up and is down again before the next one shows no energy there,
// though steps and blows in between had it to get wrong.
void hn_balance_step(hn_sim *sim) {
  hn_part_audit *all = &sim->audit.part[sim->sys->parts];
  all->turnover = fmax(all->turnover, fabs(sim->state.y[sim->state.w]));
}

// the least that counts as energy of a part: that of moving by a millionth of the model's length
// in the time of the run, and what has some digits before its rounding
static double scale_of(const hn_sim *sim, const hn_part_audit *p) {
  double time = fmax(sim->state.t - sim->audit.t_start, 1e-9 * sim->step.own_time),
         speed = unnoticed * sim->sys->length / time;
  double least = fmax(p->floor, fmax(0.5 * p->mass * speed * speed, p->rounding / digits));
  return fmax(fmax(p->turnover, least), 1e-300);
}

double hn_balance_scale(const hn_sim *sim) {
  return fmax(sim->audit.largest_energy, scale_of(sim, &sim->audit.part[sim->sys->parts]));
}

hn_audit hn_balance_verdict(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_audit a = sim->audit.item[HN_AUDIT_ENERGY];
  a.worst = 0;
  for (int i = 0; i <= sys->parts; i++) {
    const hn_part_audit *p = &sim->audit.part[i];
    double relative = p->worst / scale_of(sim, p);
    if (relative <= a.worst || isnan(a.worst)) continue;
    a.worst = relative;
    a.time = p->time;
    a.body = 0;
    for (int body = sys->bodies - 1; sys->parts > 1 && i < sys->parts && body > 0; body--)
      if (sys->part[body] == i) a.body = body;
  }
  return a;
}
