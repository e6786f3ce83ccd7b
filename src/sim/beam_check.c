// beam_check.c: what the number of elements of beams does to a result.
//
// The same is computed with every element as two, and columns of the same name are held against
// each other: those of bodies and joints, nodes among them, of forces, and of sections, where the
// mean of the two halves stands for the whole. Errors of order 2 are four thirds of the difference;
// those of a higher order are less than that. Both have the same method and steps, so that errors
// in time are much the same on both sides.
#include "sim/sim.h"

#include "forces/beam.h"
#include "record/columns.h"
#include "record/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS, VELOCITIES, FORCES, KINDS, UNITS = 6 };

// what columns are about; what has another unit says nothing that these do not
static const struct {
  const char *unit;
  int kind;
} units[UNITS] = {{"m", POSITIONS},      {"rad", POSITIONS}, {"m/s", VELOCITIES},
                  {"rad/s", VELOCITIES}, {"N", FORCES},      {"N m", FORCES}};

static const double slight = 1e-3;  // of forces by torques over the model's length, and the like
static const double tiny = 1e-9;    // part of the model, of a radian, that is nothing

typedef struct comparison {
  const hn_system *sys;
  const hn_result *rows, *other;
  int *column, *half;   // per column of rows: those of `other`; -1: none
  int *unit;            // -1: not compared
  double size[UNITS];   // by which differences are judged
  double apart[UNITS];  // the largest of them
  double time[UNITS];   // of these
  int worst[UNITS];     // columns of these
} comparison;

bool hn_beam_check_wanted(const hn_sim *sim) {
  return sim->sys->halved && strcmp(sim->opt.beam_check, "on") == 0;
}

bool hn_beam_check_fresh(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  return sim->state.t == 0 && !hn_live_changes(sim) &&
         memcmp(sim->state.y, sys->q0, (size_t)sys->nq * sizeof(double)) == 0 &&
         memcmp(sim->state.y + sys->nq, sys->v0, (size_t)sys->nv * sizeof(double)) == 0;
}

// "arm.element3.normal" -> "arm.element3__half.normal"
static int find_half(const hn_result *r, const char *name) {
  char half[256];
  const char *dot = strrchr(name, '.');
  if (!dot) return -1;
  snprintf(half, sizeof half, "%.*s__half%s", (int)(dot - name), name, dot);
  return hn_result_find(r, half);
}

// loads per length are given; a node of halved elements carries half as much
static bool is_given(const hn_system *sys, int column) {
  const hn_column *c = column < sys->columns ? &sys->column[column] : NULL;
  return c && c->kind == HN_COL_ELEMENT && strcmp(sys->batch[c->batch].ops->name, "force") == 0;
}

static void match(comparison *c, int i) {
  const char *name = hn_result_name(c->rows, i), *unit = hn_result_unit(c->rows, i);
  c->unit[i] = -1;
  for (int u = 0; u < UNITS && i > 0; u++)
    if (strcmp(unit, units[u].unit) == 0) c->unit[i] = u;
  if (c->unit[i] < 0) return;
  c->column[i] = hn_result_find(c->other, name);
  c->half[i] = find_half(c->other, name);
  // lengths of elements are others
  bool parted = c->half[i] >= 0 && units[c->unit[i]].kind != FORCES;
  if (c->column[i] < 0 || parted || is_given(c->sys, i)) c->unit[i] = -1;
}

static double value(const hn_result *r, int row, int column) {
  return r->data[(size_t)row * (size_t)r->columns + (size_t)column];
}

// force that strains the stiffest section by as much as it can be strained
static double stiffest(const hn_system *sys) {
  double most = 0;
  for (int i = 0; i < sys->batches; i++) {
    const hn_beam_element *e = (const void *)sys->batch[i].data;
    if (sys->batch[i].ops->data_size != sizeof *e ||
        strcmp(sys->batch[i].ops->name, "beam-element") != 0)
      continue;
    for (int k = 0; k < sys->batch[i].count; k++) most = fmax(most, e[k].section[0]);
  }
  return most;
}

// ranges of positions and velocities, largest forces; not less than what round-off may be
static void measure(comparison *c, const hn_sim *sim, double moved) {
  const double length = c->sys->length, speed = sim->step.speed[0];
  const double least[UNITS] = {fmax(moved, tiny * length),
                               fmax(moved, tiny),
                               1e3 * tiny * speed,
                               1e3 * tiny * speed / length,
                               0.1 * tiny * stiffest(c->sys),
                               0};
  memcpy(c->size, least, sizeof least);
  for (int i = 0; i < c->rows->columns; i++) {
    int u = c->unit[i];
    if (u < 0 || c->rows->rows == 0) continue;
    double low = value(c->rows, 0, i), high = low;
    if (units[u].kind == FORCES) low = fmin(low, 0), high = fmax(high, 0);
    for (int r = 1; r < c->rows->rows; r++) {
      low = fmin(low, value(c->rows, r, i));
      high = fmax(high, value(c->rows, r, i));
    }
    c->size[u] = fmax(c->size[u], high - low);
  }
  // what goes round many times would hide any error: an angle is judged by a radian at most
  c->size[1] = fmin(c->size[1], 1);
  // what is small in one unit is not judged by its own round-off
  for (int u = 0; u < UNITS; u += 2) {
    double lever = units[u].kind == FORCES ? 1 / length : length;
    double linear = c->size[u], angular = c->size[u + 1];
    c->size[u] = fmax(linear, slight * angular * lever);
    c->size[u + 1] = fmax(angular, slight * linear / lever);
  }
}

static void compare_row(comparison *c, int row, int other) {
  for (int i = 0; i < c->rows->columns; i++) {
    int u = c->unit[i];
    if (u < 0) continue;
    double there = value(c->other, other, c->column[i]);
    if (c->half[i] >= 0) there = 0.5 * (there + value(c->other, other, c->half[i]));
    double apart = 4.0 / 3 * fabs(there - value(c->rows, row, i));
    if (apart <= c->apart[u]) continue;
    c->apart[u] = apart, c->worst[u] = i;
    c->time[u] = value(c->rows, row, 0);
  }
}

// rows of the same times, or the last ones only; false: there are none
static bool compare(comparison *c, bool last) {
  int found = 0;
  double span = c->rows->rows ? fabs(value(c->rows, c->rows->rows - 1, 0)) : 0;
  if (last && c->rows->rows && c->other->rows) {
    compare_row(c, c->rows->rows - 1, c->other->rows - 1);
    return true;
  }
  // both lists ascend in time: one walk through them
  for (int i = 0, k = 0; i < c->rows->rows && k < c->other->rows;) {
    double ahead = value(c->rows, i, 0) - value(c->other, k, 0);
    if (fabs(ahead) <= 1e-9 * span)
      compare_row(c, i++, k++), found++;
    else if (ahead < 0)
      i++;
    else
      k++;
  }
  // a single row is the initial state, which says nothing
  return found > 1;
}

static void tell(hn_sim *sim, const comparison *c, hn_beam_error *e) {
  double *absolute[UNITS] = {&e->position, &e->angle, &e->velocity,
                             &e->spin,     &e->force, &e->torque};
  double time[KINDS] = {0};
  for (int u = 0; u < UNITS; u++) {
    int kind = units[u].kind;
    double relative = c->size[u] > 0 ? c->apart[u] / c->size[u] : 0;
    *absolute[u] = c->apart[u];
    if (relative <= e->relative[kind]) continue;
    e->relative[kind] = relative;
    time[kind] = c->time[u];
    snprintf(e->where[kind], sizeof e->where[kind], "%s", hn_result_name(c->rows, c->worst[u]));
  }
  e->known = true;
  for (int k = 0; k < KINDS; k++) {
    sim->audit.item[HN_AUDIT_BEAMS + k].worst = 0;
    hn_audit_note(sim, HN_AUDIT_BEAMS + k, e->relative[k], time[k], -1);
  }
}

void hn_beam_compare(hn_sim *sim, const hn_result *rows, const hn_result *other, double moved,
                     bool last) {
  hn_beam_error *e = &sim->audit.beams;
  size_t columns = (size_t)rows->columns;
  int *room = calloc(3 * columns + 1, sizeof *room);
  comparison c = {.sys = sim->sys, .rows = rows, .other = other};
  c.column = room;
  snprintf(e->how, sizeof e->how, "every element as two");
  if (room) {
    c.half = room + columns, c.unit = room + 2 * columns;
    for (int i = 0; i < rows->columns; i++) match(&c, i);
    measure(&c, sim, moved);
  }
  if (room && compare(&c, last))
    tell(sim, &c, e);
  else
    snprintf(e->how, sizeof e->how, room ? "not known: no rows of the same time" : "out of memory");
  free(room);
}

// the same parts of the method, whatever would be chosen for shorter elements
hn_sim *hn_beam_check_other(hn_sim *sim) {
  hn_beam_error *e = &sim->audit.beams;
  hn_options o = sim->opt;
  hn_sim *other = NULL;
  char message[HN_MESSAGE];
  const hn_sim_method *m = &sim->method;
  snprintf(o.verify, sizeof o.verify, "off");
  snprintf(o.beam_check, sizeof o.beam_check, "off");
  snprintf(o.solver, sizeof o.solver, "%s", m->solver->info.name);
  snprintf(o.correction, sizeof o.correction, "%s", m->correction->info.name);
  snprintf(o.integrator, sizeof o.integrator, "%s", m->integrator->info.name);
  *e = (hn_beam_error){0};
  if (hn_sim_create(&other, sim->sys->halved, &o, message, sizeof message))
    snprintf(e->how, sizeof e->how, "not known: %.80s", message);
  return other;
}

static void not_as_described(hn_sim *sim) {
  sim->audit.beams = (hn_beam_error){.how = "not known: the run did not begin as described"};
  for (int k = 0; k < KINDS; k++) sim->audit.item[HN_AUDIT_BEAMS + k].known = false;
}

void hn_beam_check(hn_sim *sim, bool fresh, const hn_result *rows, hn_progress_fn progress,
                   void *user) {
  hn_beam_error *e = &sim->audit.beams;
  hn_result *result = NULL;
  hn_sim *other = fresh ? hn_beam_check_other(sim) : NULL;
  if (!fresh) not_as_described(sim);
  if (!other) return;
  hn_status status = hn_run(other, &result, progress, user);
  // twice the elements, twice the work of an evaluation
  double mine = (double)(sim->count.evaluations + sim->count.factorisations);
  double work = 2 * (double)(other->count.evaluations + other->count.factorisations);
  if (status)
    snprintf(e->how, sizeof e->how, "not known: with every element as two %.50s", other->message);
  else
    hn_beam_compare(sim, rows, result, 0, false);
  e->share = work / fmax(mine, 1);
  hn_result_destroy(result);
  hn_sim_destroy(other);
}
