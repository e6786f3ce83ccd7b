// tuning.c: which parameters of a model stay parameters in code of its own.
//
// Code is written for one model, and what its parameters do to its numbers is known to the reader
// of the model alone. But many numbers are linear in them (stiffnesses, masses, places along a
// line): the model is compiled with other values, numbers that differ become arguments of the
// formulas, and where these, and the start, follow a straight line through all values tried, the
// parameter is one of the code. The others are constants.
//
// Every trial compiles the whole model, twice for each parameter and set of parameters tried:
// seconds for large models, once per FMU. The test is sharp (1e-12) and made at values that are no
// round numbers: what is linear by accident at three of them does not occur.
#include "fmu/fmu.h"

#include "record/column_formulas.h"

#include <stdlib.h>
#include <string.h>

// the model with values of its own for some of its parameters
typedef struct member {
  hn_fmu unit;
  hn_fmu_variable *variable;  // time, parameters
} member;

// values that make no number a one or a zero by accident, which formulas leave out
static const double near = 1.2371, far[2] = {0.8093, 1.4517};

// A parameter that is zero is moved from it by the same part of one.
static double *scale_of(double *value, double by) {
  *value = *value != 0 ? *value * by : by - 1;
  return value;
}

// `count` parameters of the list have other values than in the file
// Borrows text and name of the model; forget_member() in any case.
static hn_status compile_member(member *m, const hn_fmu *fmu, const hn_tuning *t, const int *number,
                                int count, double *value) {
  // only what hn_fmu_compile reads of it
  *m = (member){.unit = {.text = fmu->text,
                         .file = fmu->file,
                         .length = fmu->length,
                         .coded = true,
                         .parameters = count,
                         .parameter = value}};
  m->variable = m->unit.variable = calloc((size_t)count + 1, sizeof *m->variable);
  if (!m->variable) return HN_ERR_MEMORY;
  for (int i = 0; i < count; i++)
    snprintf(m->variable[1 + i].name, sizeof m->variable->name, "%s", t->name[number[i]]);
  return hn_fmu_compile(&m->unit);
}

static void forget_member(member *m) {
  hn_sim_destroy(m->unit.sim);
  hn_system_destroy(m->unit.sys);
  hn_model_destroy(m->unit.model);
  free(m->variable);
}

// arguments, and the start. HN_ERR_UNSUPPORTED: something else is different
// Where coordinates, states or inputs differ the parameter changes more than numbers.
static hn_status read_numbers(const hn_arguments *a, const hn_fmu *fmu, const hn_fmu *of,
                              double *out) {
  const hn_system *sys = of->sys;
  // the code has one layout for all values of its parameters
  if (sys->nq != fmu->sys->nq || sys->nv != fmu->sys->nv || sys->states != fmu->sys->states ||
      sys->turns != fmu->sys->turns || sys->inputs != fmu->sys->inputs)
    return HN_ERR_UNSUPPORTED;
  // start values of inputs are numbers of the code, and no arguments
  if (memcmp(of->sim->stage.work.input, fmu->sim->stage.work.input,
             (size_t)sys->inputs * sizeof(double)) != 0)
    return HN_ERR_UNSUPPORTED;
  hn_status status = hn_arguments_read(a, sys, out);
  out += a->count;
  memcpy(out, sys->q0, (size_t)sys->nq * sizeof *out), out += sys->nq;
  memcpy(out, sys->v0, (size_t)sys->nv * sizeof *out), out += sys->nv;
  memcpy(out, of->sim->state.y + of->sim->state.x, (size_t)sys->states * sizeof *out);
  if (sys->turns) memcpy(out + sys->states, sys->turn0, (size_t)sys->turns * sizeof *out);
  return status;
}

static int number_count(const hn_arguments *a, const hn_system *sys) {
  return a->count + sys->nq + sys->nv + sys->states + sys->turns;
}

// numbers with other values of some parameters; arguments are widened to hold them, if wanted
// `out` NULL: only the arguments are widened.
static hn_status try_values(const hn_fmu *fmu, const hn_tuning *t, hn_arguments *a, bool widen,
                            const int *number, int count, double *value, double *out) {
  member m;
  hn_status status = compile_member(&m, fmu, t, number, count, value);
  if (!status && widen) status = hn_arguments_widen(a, m.unit.sys);
  if (!status && out) status = read_numbers(a, fmu, &m.unit, out);
  forget_member(&m);
  return status;
}

// base, slopes and whether all further values tried lie on the line. HN_ERR_UNSUPPORTED: they do
// not
// slope is n x count, by columns of parameters. First all numbers that change become arguments,
// then the line is laid through the model and one further value, then two more values of all
// parameters at once must lie on it: that excludes products of two of them.
static hn_status fit(hn_tuning *t, const hn_fmu *fmu, const int *number, int count) {
  char message[HN_MESSAGE];
  hn_arguments_clear(&t->arguments);
  hn_status status =
      hn_arguments_begin(&t->arguments, fmu->sys, &t->columns, message, sizeof message);
  double *value = calloc((size_t)count + 1, sizeof *value);
  if (!status && !value) status = HN_ERR_MEMORY;
  for (int j = 0; j < count && !status; j++) {
    double x = t->all[number[j]];
    status = try_values(fmu, t, &t->arguments, true, &number[j], 1, scale_of(&x, near), NULL);
  }
  int n = t->numbers = number_count(&t->arguments, fmu->sys);
  // sizes are known only now: every argument that moves has been found
  double *got = calloc((size_t)n + 1, sizeof *got);
  free(t->base), free(t->slope);
  t->base = calloc((size_t)n + 1, sizeof *t->base);
  t->slope = calloc((size_t)n * (size_t)count + 1, sizeof *t->slope);
  if (!status && (!got || !t->base || !t->slope)) status = HN_ERR_MEMORY;
  if (!status) status = read_numbers(&t->arguments, fmu, fmu, t->base);
  for (int j = 0; j < count && !status; j++) {
    double x = t->all[number[j]];
    status = try_values(fmu, t, &t->arguments, false, &number[j], 1, scale_of(&x, near), got);
    for (int i = 0; i < n && !status; i++)
      // the line through the model itself and one value beside it
      t->slope[i * count + j] = (got[i] - t->base[i]) / (x - t->all[number[j]]);
  }
  // all at once, each further and differently
  for (int k = 0; k < 2 && !status; k++) {
    for (int j = 0; j < count; j++) {
      value[j] = t->all[number[j]];
      // each parameter a little differently: a product of two would be off the line
      scale_of(&value[j], far[k] + 0.03 * j * (k ? -1 : 1) / count);
    }
    status = try_values(fmu, t, &t->arguments, false, number, count, value, got);
    for (int i = 0; i < n && !status; i++) {
      // relative to the number: 1e-12 is what evaluating formulas differently leaves
      double line = t->base[i], size = fmax(fabs(got[i]), fabs(line));
      for (int j = 0; j < count; j++)
        line += t->slope[i * count + j] * (value[j] - t->all[number[j]]);
      if (!(fabs(line - got[i]) <= 1e-12 * size)) status = HN_ERR_UNSUPPORTED;
    }
  }
  free(got), free(value);
  return status;
}

static bool changes_something(const hn_tuning *t) {
  // a parameter that nothing depends on would be a knob without effect
  bool any = false;
  for (int i = 0; i < t->numbers; i++) any = any || t->slope[i] != 0;
  return any;
}

// one by one those that are linear by themselves, then together with those before
// Quadratic in the parameters that are kept, in compiled models.
static hn_status choose(hn_tuning *t, const hn_fmu *fmu, int all) {
  for (int i = 0; i < all; i++) {
    hn_status status = fit(t, fmu, &i, 1);
    if (!status && changes_something(t)) {
      t->number[t->count] = i;
      status = fit(t, fmu, t->number, t->count + 1);
      if (!status) t->count++;
    }
    if (status == HN_ERR_MEMORY) return status;
  }
  // what was tried last may have failed: lines of those that are kept are laid again
  return fit(t, fmu, t->number, t->count);
}

static hn_node formula(void *user, hn_formulas *f, int k) {
  const hn_fmu *fmu = user;
  int first = 1 + fmu->parameters + hn_input_count(fmu->sys);
  return hn_column_formula(f, &f->sys->column[fmu->variable[first + k].index]);
}

hn_columns_wanted hn_fmu_outputs(hn_fmu *fmu) {
  int count = 0;
  for (int i = 0; i < fmu->count; i++) count += fmu->variable[i].role == HN_FMU_OUTPUT;
  // open: columns that have no formula are told by the one who writes the code
  return (hn_columns_wanted){.count = count, .formula = formula, .user = fmu, .open = true};
}

// `t` holds those found; a model whose code cannot be written has none, and says why elsewhere.
hn_status hn_tuning_find(hn_tuning *t, hn_fmu *fmu) {
  int all = hn_model_parameter_count(fmu->model);
  *t = (hn_tuning){.columns = hn_fmu_outputs(fmu)};
  t->number = calloc((size_t)all + 1, sizeof *t->number);
  t->all = calloc((size_t)all + 1, sizeof *t->all);
  t->name = calloc((size_t)all + 1, sizeof *t->name);
  if (!t->number || !t->all || !t->name) return HN_ERR_MEMORY;
  for (int i = 0; i < all; i++) {
    t->name[i] = hn_model_parameter_name(fmu->model, i);
    hn_model_parameter(fmu->model, t->name[i], &t->all[i]);
  }
  // where nothing can be written at all somebody else says why
  hn_status status = fit(t, fmu, t->number, 0);
  if (!status) status = choose(t, fmu, all);
  return status == HN_ERR_UNSUPPORTED ? HN_OK : status;
}

void hn_tuning_clear(hn_tuning *t) {
  hn_arguments_clear(&t->arguments);
  free(t->number), free(t->all), free((void *)t->name), free(t->base), free(t->slope);
  *t = (hn_tuning){0};
}
