// crowd.c: see crowd.h. A member is compiled by the library, which says what its numbers and its
// start are; the steps are the code's (code/members.h).
#include "study/kinship.h"

#include "compile/workshop.h"
#include "integrators/integrators.h"
#include "record/column_formulas.h"
#include "record/columns.h"
#include "sim/sim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what members must be like ----------------------------------------------------------------

// columns of metrics as formulas of the code; called by hn_arguments_begin, once each
static hn_node column(void *user, hn_formulas *f, int k) {
  const hn_kinship *family = user;
  const char *name = family->column[k];
  for (int i = 0; i < f->sys->columns; i++)
    if (strcmp(f->sys->column[i].name, name) == 0) return hn_column_formula(f, &f->sys->column[i]);
  // the study is refused with the name of what has no formula
  hn_formulas_miss(f, "the column", name);
  return f->zero;
}

static hn_status refuse(char message[HN_MESSAGE], const char *why) {
  return hn_fail(message, HN_ERR_UNSUPPORTED, "%s", why);
}

// explicit methods whose error control is not asked for: their coefficients are all the code needs
static bool find_stepper(const char *integrator, hn_stepper *out) {
  // rows of Butcher's table of four columns
  static const double rk4_c[] = {0, 0.5, 0.5, 1}, rk4_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static const double rk4_a[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
  const hn_tableau *t = strcmp(integrator, "dopri5") == 0   ? &hn_tableau_dopri5
                        : strcmp(integrator, "dop853") == 0 ? &hn_tableau_dop853
                                                            : NULL;
  // b: the weights of the higher order; errors are not estimated here
  if (t) *out = (hn_stepper){t->stages, t->width, t->c, t->a, t->b};
  if (strcmp(integrator, "rk4") == 0) *out = (hn_stepper){4, 4, rk4_c, rk4_a, rk4_b};
  return out->stages > 0;
}

// steps of the length given, rows at their ends
// whole numbers of steps, so that rows of members are at the times of the library's
// fixed steps by the option, or none
static hn_status check_times(hn_kinship *f, const hn_options *o, char message[HN_MESSAGE]) {
  if (!(o->step > 0))
    return refuse(message, "members go in steps of one length: the option 'step' must say which");
  f->h = o->step, f->output_step = o->output_step;
  // rounded here, checked below: 0.1 / 0.001 is not 100 in doubles
  f->every = (long)rint(o->output_step / o->step);
  f->steps = (long)rint(o->duration / o->step);
  bool even = f->every > 0 && fabs((double)f->every * o->step - o->output_step) < 1e-9 * o->step;
  bool whole = f->every > 0 && f->steps % f->every == 0 &&
               // times add up over a run: their rounding may be larger than that of one step
               fabs((double)f->steps * o->step - o->duration) < 1e-6 * o->step;
  if (!even || !whole || f->steps < 1)
    return refuse(message, "'output_step' must be a multiple of 'step', and 'duration' one of it");
  // limits of the audit, which members must keep as runs of the library do
  f->position = o->audit_position, f->velocity = o->audit_velocity, f->energy = o->audit_energy;
  return HN_OK;
}

// a sim is made to ask it: the choice of a method is the business of sim/
static hn_status check_method(hn_kinship *f, const hn_options *o, char message[HN_MESSAGE]) {
  const hn_system *sys = f->base;
  hn_sim *sim = NULL;
  hn_status status = hn_sim_create(&sim, sys, o, message, HN_MESSAGE);
  if (status) return status;
  // asked of the sim, since 'auto' and presets become a method only there
  const hn_sim_method *m = &sim->method;
  bool good = find_stepper(m->integrator->info.name, &f->stepper) &&
              strcmp(m->solver->info.name, "lagrange") == 0 &&
              strcmp(m->correction->info.name, "mass") == 0;
  hn_sim_destroy(sim);
  if (!good)
    return refuse(message,
                  "members are carried by multipliers, mass projection and rk4, dopri5 or dop853");
  // a companion would have to be carried as well
  if (strcmp(o->verify, "off") != 0)
    return refuse(message, "runs are not verified by companions: set the option 'verify' to off");
  // what the code of members has no equations for
  if (sys->states || sys->inputs || sys->controllers)
    return refuse(message, "the model has states, inputs or controllers");
  return check_times(f, o, message);
}

// ---- the code ---------------------------------------------------------------------------------

// Which coordinates are cheapest is a question of joints and bodies, not of numbers: it is answered
// once. A member that has others is none.
hn_status hn_kinship_compile(const hn_kinship *f, hn_model *model, hn_system **sys) {
  hn_options *o = hn_model_options(model);
  // code of its own for each member would cost more than it saves
  hn_copy_text(o->code, sizeof o->code, "library");
  // 'auto' might choose others for another member
  if (f->base) hn_copy_text(o->coordinates, sizeof o->coordinates, f->base->coordinates->name);
  return hn_compile(sys, model);
}

hn_kinship *hn_kinship_create(bool on_device, hn_members_numbers numbers, int columns,
                              const char *const *names) {
  hn_kinship *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->on_device = on_device;
  f->numbers = numbers;
  f->columns = columns;
  // names stay with the caller, who lives longer
  f->column = names;
  return f;
}

void hn_kinship_destroy(hn_kinship *f) {
  if (!f) return;
  hn_system_destroy(f->base);
  hn_members_unload(&f->code);
  hn_device_close(f->device);
  hn_arguments_clear(&f->arguments);
  // after the device was closed: nobody runs any more
  free(f->text.text);
  free(f);
}

// columns without formulas refuse the whole study here, before anything is compiled by the C
// compiler
hn_status hn_kinship_begin(hn_kinship *f, hn_model *model, char message[HN_MESSAGE]) {
  const hn_columns_wanted wanted = {.count = f->columns, .formula = column, .user = f};
  hn_status status = hn_kinship_compile(f, model, &f->base);
  // the base is made first: its coordinates are those of all
  if (status) return hn_fail(message, status, "%s", hn_model_error(model));
  status = check_method(f, hn_model_options(model), message);
  if (!status) status = hn_arguments_begin(&f->arguments, f->base, &wanted, message, HN_MESSAGE);
  return status;
}

void hn_kinship_widen(hn_kinship *f, hn_model *model) {
  hn_system *sys = NULL;
  // who cannot be compiled has no numbers to compare
  if (hn_kinship_compile(f, model, &sys)) return;
  (void)hn_arguments_widen(&f->arguments, sys);
  hn_system_destroy(sys);
}

// for the device: a kernel takes its compiler seconds, so that the processor's code is compiled
// beside it
typedef struct loading {
  hn_kinship *family;
  hn_status status;
  char message[HN_MESSAGE];
} loading;

static void *load(void *user) {
  loading *l = user;
  hn_kinship *f = l->family;
  l->status = hn_device_load(f->device, &f->text, f->numbers, l->message, sizeof l->message);
  return NULL;
}

// steps are the device's, but what numbers members have is computed here
static hn_status compile_code(hn_kinship *f, char message[HN_MESSAGE]) {
  if (!f->on_device)
    return hn_members_compile(&f->code, &f->text, hn_members_lanes(), f->numbers, message,
                              HN_MESSAGE);
  hn_status status = hn_device_open(&f->device, message, HN_MESSAGE);
  if (status) return status;
  loading l = {.family = f};
  pthread_t beside;
  bool started = pthread_create(&beside, NULL, load, &l) == 0;
  status = hn_members_compile(&f->code, &f->text, 1, f->numbers, message, HN_MESSAGE);
  if (started)
    pthread_join(beside, NULL);
  else
    load(&l);
  if (status || !l.status) return status;
  snprintf(message, HN_MESSAGE, "%s", l.message);
  return l.status;
}

hn_status hn_kinship_write(hn_kinship *f, char message[HN_MESSAGE]) {
  // two projections, as the library's: positions, then velocities where they belong
  const hn_members_plan plan = {.sys = f->base,
                                .arguments = &f->arguments,
                                .stepper = f->stepper,
                                .corrections = 2,
                                .leaving = true};
  hn_status status = hn_members_write(&plan, &f->text, message, HN_MESSAGE);
  if (!status && f->on_device && f->numbers == HN_NUMBERS_EXACT && f->text.rounded)
    return hn_fail(message, HN_ERR_UNSUPPORTED,
                   "GPUs round '%s' of the formulas in their own way (gpu does not mind)",
                   f->text.rounded);
  // a device has a thread for each member: lanes of one
  // threads of the study share one device and its code
  return status ? status : compile_code(f, message);
}

long hn_kinship_rows(const hn_kinship *f) {
  // the start is a row
  return f->steps / f->every + 1;
}

double hn_kinship_time(const hn_kinship *f, long row) {
  return (double)row * f->output_step;
}

// ---- members ----------------------------------------------------------------------------------

// number k of member i at [k * room + i]: what lanes load at once lies side by side
struct hn_crowd {
  hn_kinship *family;
  long room;  // members side by side
  double *p, *one, *table, *start, *rows, *end;
  hn_device_queue *queue;  // NULL: they stay on the processor
  hn_workshop *workshop;   // lent to each member while it is compiled
};

static bool take_room(hn_crowd *c) {
  const hn_members_sizes *s = &c->family->text.sizes;
  size_t n = (size_t)c->room;
  // a device without room for a single member
  if (n == 0) return false;
  c->workshop = hn_workshop_create(true);
  c->p = calloc((size_t)c->family->arguments.count + 1, sizeof(double));
  c->one = calloc((size_t)s->table + 1, sizeof(double));
  c->table = calloc(n * (size_t)(s->table + 1), sizeof(double));
  c->start = calloc(n * (size_t)s->start, sizeof(double));
  // rows are by row, column, member: what lanes write at once lies side by side
  c->rows = calloc(n * (size_t)s->columns * (size_t)hn_kinship_rows(c->family) + 1, sizeof(double));
  c->end = calloc(n * (size_t)s->end, sizeof(double));
  return c->workshop && c->p && c->one && c->table && c->start && c->rows && c->end;
}

hn_crowd *hn_crowd_create(hn_kinship *f, long most) {
  hn_crowd *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->family = f;
  long fits = f->on_device ? hn_device_room(f->device, hn_kinship_rows(f)) : most;
  if (most > fits) most = fits;
  // whole vectors: the code knows no half ones
  c->room = most / f->code.lanes * f->code.lanes;
  char message[HN_MESSAGE];
  bool good = take_room(c);
  if (good && f->on_device)
    good = hn_device_queue_open(&c->queue, f->device, c->room, hn_kinship_rows(f), message,
                                sizeof message) == HN_OK;
  if (good) return c;
  hn_crowd_destroy(c);
  return NULL;
}

void hn_crowd_destroy(hn_crowd *c) {
  if (!c) return;
  hn_device_queue_close(c->queue);
  hn_workshop_destroy(c->workshop);
  free(c->p), free(c->one), free(c->table), free(c->start), free(c->rows), free(c->end);
  free(c);
}

long hn_crowd_room(const hn_crowd *c) {
  return c->room;
}

// on which sides forces start, and what they remember, as a run by the library begins
// (sim/events.c)
static bool place_sides(const hn_crowd *c, long i, const hn_system *sys, double *to) {
  hn_work work = {0};
  hn_arena arena = {0};
  int n = sys->switches;
  bool *is = calloc((size_t)n + 1, sizeof *is);
  double *value = calloc((size_t)n + 1, sizeof *value);
  hn_work_layout(&work, &arena, sys);
  bool good = hn_arena_allocate(&arena) && is && value;
  if (good) {
    hn_work_layout(&work, &arena, sys);
    // at the start nothing has been remembered yet: sides come from values alone
    hn_eval_switches(&work, 0, sys->q0, sys->v0, value);
    for (int k = 0; k < n; k++) is[k] = value[k] > 0, to[k * c->room + i] = is[k];
    hn_remember(&work, NULL, is);
    for (int k = 0; k < sys->memories; k++) to[(n + k) * c->room + i] = work.memory[k];
  }
  free(arena.base), free(is), free(value);
  return good;
}

// Columns are named after elements and say which these are: those of the first member are those of
// all that have as many. Formulas among them are a member's own.
static bool lend_columns(const hn_system *base, hn_system *sys, const hn_model *model) {
  bool alike = base->coordinates == sys->coordinates && base->bodies == sys->bodies &&
               base->joints == sys->joints && base->rows == sys->rows &&
               base->measures == sys->measures && base->batches == sys->batches &&
               base->loads == sys->loads && base->named == sys->named &&
               base->blocks == sys->blocks && base->flexibles == sys->flexibles &&
               base->couplings == sys->couplings && model->column_count == 0;
  for (int i = 0; alike && i < base->batches; i++)
    alike = base->batch[i].ops == sys->batch[i].ops && base->batch[i].count == sys->batch[i].count;
  if (!alike) return false;
  sys->columns = base->columns, sys->column = base->column;
  sys->column_frames = base->column_frames, sys->column_frame = base->column_frame;
  sys->column_accelerations = base->column_accelerations;
  return true;
}

static void return_columns(hn_system *sys) {
  sys->columns = sys->column_frames = 0;
  sys->column = NULL, sys->column_frame = NULL;
}

// Assembly, redundancy and start are the library's: only the steps are not. It is what a member
// costs most.
bool hn_crowd_place(hn_crowd *c, long i, hn_model *model) {
  const hn_kinship *f = c->family;
  const hn_members_sizes *s = &f->text.sizes;
  hn_system *sys = NULL;
  model->workshop = c->workshop;
  hn_status status = hn_kinship_compile(f, model, &sys);
  model->workshop = NULL;
  if (status) return false;
  // one that differs in what the code takes for constant is no member
  bool lent = lend_columns(f->base, sys, model);
  if (!lent && hn_columns_create(sys, model)) {
    hn_system_destroy(sys);
    return false;
  }
  bool fits = hn_arguments_read(&f->arguments, sys, c->p) == HN_OK;
  // what follows from numbers alone is computed once a member, not once a step
  if (fits) f->code.prepare(c->p, c->one);
  for (int k = 0; fits && k < s->table; k++) c->table[k * c->room + i] = c->one[k];
  for (int k = 0; fits && k < s->nq; k++) c->start[k * c->room + i] = sys->q0[k];
  for (int k = 0; fits && k < s->nv; k++) c->start[(s->nq + k) * c->room + i] = sys->v0[k];
  for (int k = 0; fits && k < s->turns; k++) {
    c->start[(s->nq + s->nv + k) * c->room + i] = sys->turn0[k];
    // turns as they were counted at the start, then the rest: none
    c->start[(s->nq + s->nv + s->turns + k) * c->room + i] = 0;
  }
  double *sides = c->start + (s->nq + s->nv + 2 * s->turns) * c->room;
  if (fits && s->sides) fits = place_sides(c, i, sys, sides);
  if (lent) return_columns(sys);
  hn_system_destroy(sys);
  return fits;
}

bool hn_crowd_run(hn_crowd *c, long count) {
  hn_kinship *f = c->family;
  const hn_members_sizes *s = &f->text.sizes;
  char message[HN_MESSAGE];
  // places that nobody has are filled with the first
  for (long i = count; i < c->room; i++) {
    for (int k = 0; k < s->table; k++) c->table[k * c->room + i] = c->table[k * c->room];
    for (int k = 0; k < s->start; k++) c->start[k * c->room + i] = c->start[k * c->room];
  }
  if (!f->on_device) {
    // on the thread that asks: several crowds run beside each other
    f->code.run(c->room, c->table, c->start, 0, f->h, f->steps, f->every, c->rows, c->end);
    return true;
  }
  return hn_device_run(c->queue, c->room, c->table, c->start, 0, f->h, f->steps, f->every, c->rows,
                       c->end, message, sizeof message) == HN_OK;
}

// A firmness that falls to a thousandth of that of the first step is a singular place. A counted
// angle that is 1.5 rad from where its rate says may be off by a turn.
bool hn_kinship_holds(const hn_kinship *f, const double end[HN_END_COUNT]) {
  for (int k = 0; k < HN_END_COUNT; k++)
    if (!isfinite(end[k])) return false;
  // firmness: the smallest pivot of the constraints as part of the largest, the least of the run
  // and that of the first step; a switch below zero was passed, which the code does not follow
  return end[HN_END_FIRMNESS] > 1e-3 * fmin(1, end[HN_END_FIRM]) && end[HN_END_FIRM] > 1e-6 &&
         end[HN_END_POSITION] <= f->position && end[HN_END_VELOCITY] <= f->velocity &&
         end[HN_END_BALANCE] <= f->energy * end[HN_END_TURNOVER] && end[HN_END_DOUBT] < 1.5 &&
         end[HN_END_SWITCH] >= 0;
}

bool hn_crowd_holds(const hn_crowd *c, long i) {
  const hn_members_sizes *s = &c->family->text.sizes;
  double end[HN_END_COUNT];
  for (int k = 0; k < HN_END_COUNT; k++) end[k] = c->end[(s->nq + s->nv + k) * c->room + i];
  for (int k = 0; k < s->end; k++)
    // a member that ran away may have numbers in one column only
    if (!isfinite(c->end[k * c->room + i])) return false;
  return hn_kinship_holds(c->family, end);
}

double hn_crowd_value(const hn_crowd *c, long i, long row, int k) {
  return c->rows[(row * c->family->columns + k) * c->room + i];
}
