// fmu.c: one instance of a model that is run from outside.
//
// A model is compiled anew whenever a parameter was changed, since only the reader of the model
// knows what follows from it; inputs keep their values, and the run begins again at its start.
// Between two changes the instance is a sim like any other. Variables are listed once, when it is
// made: their number and order may not change afterwards, and a model that would change them is
// refused.
#include "fmu/fmu.h"

#include "base/file.h"
#include "record/columns.h"
#include "sim/outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- variables -----------------------------------------------------------------------------

// what an unpatterned model tells: coordinates of joints and blocks, signals; of a model that has
// none of these the motion of its bodies
// Patterns are `outputs` of the model: whoever asks for columns gets them all.
static bool told(const hn_column *c, bool coded, bool patterns, bool bodies) {
  switch (c->kind) {
  case HN_COL_TIME:
  // the audit keeps these, which has no part here
  case HN_COL_JOINT_POWER:
  case HN_COL_JOINT_WORK: return false;
  case HN_COL_SCALAR:
  case HN_COL_SCALAR_RATE:
  case HN_COL_COORDINATE:
  case HN_COL_RATE:
  case HN_COL_SIGNAL:
  case HN_COL_COMPUTED: return true;
  case HN_COL_QUATERNION:
    if (coded) return false;  // it is among the states
    return patterns || bodies;
  case HN_COL_POSITION:
  case HN_COL_ANGLE:
  case HN_COL_VELOCITY:
  case HN_COL_SPIN: return patterns || bodies;
  // energies, reactions and the like
  default: return patterns;
  }
}

// Inputs are signals too, and are listed as inputs.
static bool any_coordinate(const hn_system *sys) {
  for (int i = 0; i < sys->columns; i++)
    // as told() sees it without patterns and without bodies
    if (told(&sys->column[i], false, false, false) && hn_input_find(sys, sys->column[i].name) < 0)
      return true;
  return false;
}

// Names are cut to what fits, which paths of 63 characters and a quantity do.
static hn_fmu_variable *add(hn_fmu *fmu, hn_fmu_role role, int index, const char *name,
                            const char *unit) {
  // room was counted by list_variables
  hn_fmu_variable *v = &fmu->variable[fmu->count++];
  *v = (hn_fmu_variable){.role = role, .index = index, .unit = unit};
  // names are those of the description: copied, since models come and go
  snprintf(v->name, sizeof v->name, "%s", name);
  return v;
}

// All states, then all their rates, in the same order: rate i stands `states` places behind state
// i.
// y and variable[] must have their room; starts are those of the state at hand
static void add_states(hn_fmu *fmu) {
  const hn_system *sys = fmu->sys;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < fmu->states; i++) {
      char name[96];
      if (i < sys->nq)
        // the standard counts components from 1
        snprintf(name, sizeof name, "state.q[%d]", i + 1);
      else if (i < sys->nq + sys->nv)
        snprintf(name, sizeof name, "state.v[%d]", i - sys->nq + 1);
      else
        snprintf(name, sizeof name, "state.%.60s", sys->state[i - sys->nq - sys->nv].name);
      char whole[128];
      snprintf(whole, sizeof whole, part ? "der(%s)" : "%s", name);
      add(fmu, part ? HN_FMU_RATE : HN_FMU_STATE, i, whole, "")->start = fmu->y[i];
    }
}

static const char *unit_of_signal(const hn_fmu *fmu, const char *name) {
  for (int i = 0; i < fmu->model->signal_count; i++)
    if (strcmp(fmu->model->signal[i].def.name, name) == 0) return fmu->model->signal[i].def.unit;
  return "";
}

// In the order time, parameters, inputs, outputs, indicators; states and rates are added when the
// start is known. Code has its parameters put in later (tune).
static hn_status list_variables(hn_fmu *fmu) {
  const hn_system *sys = fmu->sys;
  int inputs = hn_input_count(sys);
  // parameters of the library are all there are in the model
  fmu->parameters = fmu->coded ? 0 : hn_model_parameter_count(fmu->model);
  fmu->states = sys->nq + sys->nv + sys->states;
  // code has no events
  fmu->indicators = fmu->coded ? 0 : hn_outside_indicators(fmu->sim);
  size_t many = (size_t)fmu->indicators + 1;
  // one for time, twice the states: they and their rates
  size_t room = (size_t)(1 + fmu->parameters + inputs + sys->columns + 2 * fmu->states) + many;
  fmu->variable = calloc(room, sizeof *fmu->variable);
  fmu->parameter = calloc((size_t)fmu->parameters + 1, sizeof(double));
  fmu->row = calloc((size_t)sys->columns + 1, sizeof(double));
  fmu->y = calloc((size_t)fmu->states + 1, sizeof(double));
  fmu->given = calloc((size_t)fmu->states + 1, sizeof(double));
  fmu->indicator = calloc(many, sizeof(double));
  fmu->side = calloc(many, sizeof(bool)), fmu->was = calloc(many, sizeof(bool));
  // whoever calls destroys the whole, whatever is there of it
  if (!fmu->indicator || !fmu->side || !fmu->was) return HN_ERR_MEMORY;
  if (!fmu->variable || !fmu->parameter || !fmu->row || !fmu->y || !fmu->given)
    return HN_ERR_MEMORY;
  add(fmu, HN_FMU_TIME, 0, "time", "s");
  for (int i = 0; i < fmu->parameters; i++) {
    const char *name = hn_model_parameter_name(fmu->model, i);
    hn_model_parameter(fmu->model, name, &fmu->parameter[i]);
    add(fmu, HN_FMU_PARAMETER, i, name, "")->start = fmu->parameter[i];
  }
  for (int i = 0; i < inputs; i++)
    add(fmu, HN_FMU_INPUT, i, hn_input_name(sys, i), unit_of_signal(fmu, hn_input_name(sys, i)))
        ->start = hn_input_value(fmu->sim, i);
  bool patterns = fmu->model->output_count > 0, bodies = !any_coordinate(sys);
  // whether bodies are told depends on all columns: it is asked once
  for (int i = 0; i < sys->columns; i++) {
    const hn_column *c = &sys->column[i];
    if (told(c, fmu->coded, patterns, bodies) && hn_input_find(sys, c->name) < 0)
      add(fmu, HN_FMU_OUTPUT, i, c->name, c->unit ? c->unit : "");
  }
  for (int i = 0; i < fmu->indicators; i++) {
    char name[40];
    snprintf(name, sizeof name, "indicator[%d]", i + 1);
    add(fmu, HN_FMU_INDICATOR, i, name, "");
  }
  return HN_OK;
}

// ---- instances -----------------------------------------------------------------------------

// y is what the importer sees: positions, velocities, then the model's own states, which lie
// further back in the sim's vector, behind its integrals.
static void take_state(hn_fmu *fmu) {
  const hn_sim *sim = fmu->sim;
  size_t motion = (size_t)(sim->sys->nq + sim->sys->nv);
  memcpy(fmu->y, sim->state.y, motion * sizeof(double));
  memcpy(fmu->y + motion, sim->state.y + sim->state.x, (size_t)sim->sys->states * sizeof(double));
  // columns are of another state now
  fmu->row_stamp = 0;
}

static void forget_given(hn_fmu *fmu) {
  for (int i = 0; i < fmu->states; i++) fmu->given[i] = NAN;
}

static hn_status say(hn_fmu *fmu, hn_status status, const char *why) {
  // the message may be the one that is handed in
  if (status && why != fmu->message) snprintf(fmu->message, sizeof fmu->message, "%s", why);
  return status;
}

// Values of states, outputs and indicators have room for as many as were listed, and importers have
// arrays of these sizes: parameters may not change them. The first model of an instance has nothing
// to be compared with.
static hn_status check_sizes(hn_fmu *fmu, const hn_system *sys, const hn_sim *sim) {
  const hn_system *old = fmu->sys;
  if (!old || (old->nq == sys->nq && old->nv == sys->nv && old->states == sys->states &&
               old->columns == sys->columns && old->inputs == sys->inputs &&
               (fmu->coded || hn_outside_indicators(sim) == fmu->indicators)))
    return HN_OK;
  return say(fmu, HN_ERR_UNSUPPORTED, "with these parameters the model has other coordinates");
}

// The new model is compiled before the old one goes: where the parameters are impossible the
// instance stays what it was, and can be asked, set and reset. On failure fmu->message says why.
hn_status hn_fmu_compile(hn_fmu *fmu) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  // what was there before stays: nothing has been touched
  if (!model) return say(fmu, HN_ERR_MEMORY, "out of memory");
  hn_status status = HN_OK;
  for (int i = 0; i < fmu->parameters && !status; i++) {
    // in the order of the description: variable 0 is the time
    char text[HN_NUMBER_SIZE];
    hn_number_text(text, fmu->parameter[i]);
    status = hn_model_override(model, fmu->variable[1 + i].name, text);
  }
  if (!status) status = hn_model_parse(model, fmu->text, fmu->length, fmu->file);
  // coordinates are chosen for the code
  if (!status && fmu->coded)
    snprintf(hn_model_options(model)->code, sizeof model->options.code, "written");
  if (!status) status = hn_compile(&sys, model);
  if (status) say(fmu, status, hn_model_error(model));
  if (!status)
    status = hn_sim_create(&sim, sys, hn_model_options(model), fmu->message, sizeof fmu->message);
  if (!status) status = check_sizes(fmu, sys, sim);
  // of the two the one that is not kept goes
  hn_sim_destroy(status ? sim : fmu->sim);
  hn_system_destroy(status ? sys : fmu->sys);
  hn_model_destroy(status ? model : fmu->model);
  if (status) return status;
  fmu->model = model, fmu->sys = sys, fmu->sim = sim;
  fmu->changed = false;
  return HN_OK;
}

// parameters that code keeps come behind the time
// Makes room behind the time and moves what follows by as many places.
static hn_status tune(hn_fmu *fmu) {
  hn_status status = hn_tuning_find(&fmu->tuning, fmu);
  int n = fmu->tuning.count;
  // what will be added: n parameters, and the states and rates that follow
  size_t room = (size_t)(fmu->count + n + 2 * fmu->states) + 1;
  hn_fmu_variable *list = status ? NULL : realloc(fmu->variable, room * sizeof *list);
  double *value = status ? NULL : realloc(fmu->parameter, ((size_t)n + 1) * sizeof *value);
  if (list) fmu->variable = list;
  if (value) fmu->parameter = value;
  if (!list || !value) return HN_ERR_MEMORY;
  // time stays where it is
  memmove(list + 1 + n, list + 1, (size_t)(fmu->count - 1) * sizeof *list);
  for (int i = 0; i < n; i++) {
    int number = fmu->tuning.number[i];
    // values of the model file, in the order of the code's parameters
    value[i] = fmu->tuning.all[number];
    list[1 + i] =
        (hn_fmu_variable){.role = HN_FMU_PARAMETER, .index = i, .unit = "", .start = value[i]};
    snprintf(list[1 + i].name, sizeof list->name, "%s", fmu->tuning.name[number]);
  }
  fmu->count += n, fmu->parameters = n;
  return HN_OK;
}

hn_status hn_fmu_create(hn_fmu **out, const char *text, size_t length, const char *file,
                        bool coded) {
  // *out is there also after a failure, with the reason in it
  hn_fmu *fmu = *out = calloc(1, sizeof *fmu);
  if (!fmu) return HN_ERR_MEMORY;
  fmu->coded = coded;
  fmu->text = malloc(length + 1);
  fmu->file = hn_strdup(file);
  if (!fmu->text || !fmu->file) return say(fmu, HN_ERR_MEMORY, "out of memory");
  memcpy(fmu->text, text, length);
  fmu->length = length;
  hn_status status = hn_fmu_compile(fmu);
  if (!status) status = say(fmu, list_variables(fmu), "out of memory");
  // before the states are listed: they come behind everything else
  if (!status && coded) status = say(fmu, tune(fmu), "out of memory");
  if (status) return status;
  take_state(fmu);
  forget_given(fmu);
  add_states(fmu);
  if (fmu->indicators) hn_outside_begin(fmu->sim, fmu->indicator, fmu->side);
  return HN_OK;
}

void hn_fmu_destroy(hn_fmu *fmu) {
  // NULL is nothing to free
  if (!fmu) return;
  hn_sim_destroy(fmu->sim);
  hn_system_destroy(fmu->sys);
  // model, system and sim in the opposite order of their making
  hn_model_destroy(fmu->model);
  free(fmu->text), free(fmu->file), free(fmu->variable), free(fmu->parameter);
  hn_tuning_clear(&fmu->tuning);
  free(fmu->row), free(fmu->y), free(fmu->given), free(fmu->indicator), free(fmu->side),
      free(fmu->was);
  free(fmu);
}

const char *hn_fmu_message(const hn_fmu *fmu) {
  return fmu->message;
}

unsigned hn_fmu_refuse(hn_fmu *fmu, const char *why) {
  return say(fmu, HN_ERR_UNSUPPORTED, why);
}

static hn_status put_states(hn_fmu *fmu, double time);

static hn_status put_given(hn_fmu *fmu) {
  bool any = false;
  for (int i = 0; i < fmu->states; i++)
    if (!isnan(fmu->given[i])) fmu->y[i] = fmu->given[i], any = true;
  return any ? put_states(fmu, hn_time(fmu->sim)) : HN_OK;
}

// the model anew with the parameters as they are, at its start; inputs keep what they were set to
// Values of inputs go over to the new sim, and so do states that were set before it moved: the
// model does not know of them.
static hn_status restart(hn_fmu *fmu) {
  double time = fmu->start;
  int inputs = hn_input_count(fmu->sys);
  if (fmu->moved) forget_given(fmu);
  double *input = calloc((size_t)inputs + 1, sizeof(double));
  if (!input) return say(fmu, HN_ERR_MEMORY, "out of memory");
  // by number: inputs of a model do not depend on its parameters
  for (int i = 0; i < inputs; i++) input[i] = hn_input_value(fmu->sim, i);
  hn_status status = hn_fmu_compile(fmu);
  for (int i = 0; i < inputs && !status; i++) status = hn_input_set(fmu->sim, i, input[i]);
  free(input);
  if (status) return status;
  // hn_sim_create has put the run at time zero
  if (time != 0) status = hn_set_state(fmu->sim, time, fmu->sys->q0, fmu->sys->v0);
  if (status) return say(fmu, status, hn_sim_error(fmu->sim));
  take_state(fmu);
  fmu->moved = false;
  status = put_given(fmu);
  if (fmu->indicators && !status) hn_outside_begin(fmu->sim, fmu->indicator, fmu->side);
  return status;
}

// Nothing is compiled where nothing has changed: importers call this in any case.
unsigned hn_fmu_begin(hn_fmu *fmu, double start) {
  fmu->start = start;
  return fmu->changed || start != hn_time(fmu->sim) ? restart(fmu) : HN_OK;
}

unsigned hn_fmu_settle(hn_fmu *fmu) {
  return fmu->changed ? restart(fmu) : HN_OK;
}

// As the description has it: start values of parameters and inputs, time zero.
unsigned hn_fmu_reset(hn_fmu *fmu) {
  for (int i = 0; i < fmu->count; i++)
    // parameters first: inputs are set once, on the model that stays
    if (fmu->variable[i].role == HN_FMU_PARAMETER)
      fmu->parameter[fmu->variable[i].index] = fmu->variable[i].start;
  fmu->start = 0;
  forget_given(fmu);
  unsigned status = restart(fmu);
  for (int i = 0; i < fmu->count && !status; i++)
    if (fmu->variable[i].role == HN_FMU_INPUT)
      status = hn_fmu_set(fmu, (unsigned)i, fmu->variable[i].start);
  return status;
}

// ---- values --------------------------------------------------------------------------------

// All columns at once, for outputs are asked for one after the other.
static hn_status read_row(hn_fmu *fmu) {
  if (fmu->row_stamp) return HN_OK;
  // of the state at hand: dense output is not asked
  hn_status status = hn_sim_row(fmu->sim, fmu->row);
  if (status) return say(fmu, status, hn_sim_error(fmu->sim));
  fmu->row_stamp = 1;
  return HN_OK;
}

double hn_fmu_time(const hn_fmu *fmu) {
  return hn_time(fmu->sim);
}

// A rate needs the right-hand side, which costs an evaluation for each call.
unsigned hn_fmu_get(hn_fmu *fmu, unsigned reference, double *value) {
  // references come from outside
  if (reference >= (unsigned)fmu->count)
    return say(fmu, HN_ERR_ARGUMENT, "there is no variable with such a value reference");
  const hn_fmu_variable *v = &fmu->variable[reference];
  unsigned status = HN_OK;
  switch (v->role) {
  case HN_FMU_TIME: *value = hn_time(fmu->sim); break;
  case HN_FMU_PARAMETER: *value = fmu->parameter[v->index]; break;
  case HN_FMU_INPUT: *value = hn_input_value(fmu->sim, v->index); break;
  case HN_FMU_STATE: *value = fmu->y[v->index]; break;
  case HN_FMU_OUTPUT:
    status = read_row(fmu);
    if (!status) *value = fmu->row[v->index];
    break;
  case HN_FMU_INDICATOR:
    status = hn_fmu_indicate(fmu, fmu->indicator);
    *value = fmu->indicator[v->index];
    break;
  case HN_FMU_RATE: {
    // rates are asked for seldom one by one: no room is kept for them
    double *rate = malloc(((size_t)fmu->states + 1) * sizeof(double));
    status = rate ? hn_fmu_rates(fmu, rate) : HN_ERR_MEMORY;
    if (!status) *value = rate[v->index];
    free(rate);
    break;
  }
  }
  return status;
}

// Inputs in FMI are set again and again with the same value; that must not end a step of a method
// that remembers earlier ones.
unsigned hn_fmu_set(hn_fmu *fmu, unsigned reference, double value) {
  if (reference >= (unsigned)fmu->count)
    return say(fmu, HN_ERR_ARGUMENT, "there is no variable with such a value reference");
  const hn_fmu_variable *v = &fmu->variable[reference];
  if (v->role == HN_FMU_PARAMETER) {
    // NAN - NAN and infinity - infinity are no zeros
    if (!(value - value == 0)) return say(fmu, HN_ERR_ARGUMENT, "a parameter must be finite");
    // what follows from it is found out when something is asked (hn_fmu_settle)
    fmu->changed = fmu->changed || fmu->parameter[v->index] != value;
    fmu->parameter[v->index] = value;
    return HN_OK;
  }
  if (v->role == HN_FMU_STATE) {
    // parameters first: the model they make begins anew
    unsigned status = hn_fmu_settle(fmu);
    if (status) return status;
    fmu->y[v->index] = fmu->given[v->index] = value;
    // the run begins anew from there, as it does when all states are set
    return put_states(fmu, hn_time(fmu->sim));
  }
  if (v->role != HN_FMU_INPUT)
    return say(fmu, HN_ERR_ARGUMENT, "only inputs and parameters are set");
  // a value that is there already leaves the run alone
  if (hn_input_value(fmu->sim, v->index) == value) return HN_OK;
  fmu->row_stamp = 0;
  hn_status status = hn_input_set(fmu->sim, v->index, value);
  return status ? say(fmu, status, hn_sim_error(fmu->sim)) : HN_OK;
}

typedef struct between {
  hn_fmu *fmu;
  const hn_fmu_listener *listener;
} between;

static double tell(void *who, double end) {
  const between *t = who;
  // the listener reads variables: they must be those of the instant
  take_state(t->fmu);
  return t->listener->tell(t->listener->who, end);
}

// fmu->y is the state reached, also after a failure: the last good one.
unsigned hn_fmu_advance(hn_fmu *fmu, double time, bool *event, const hn_fmu_listener *listener) {
  between who = {fmu, listener};
  hn_listener own = {tell, &who};
  fmu->moved = true;
  hn_status status = hn_outside_advance(fmu->sim, time, event, listener ? &own : NULL);
  // also after a failure: the state is the last good one
  take_state(fmu);
  return status ? say(fmu, status, hn_sim_error(fmu->sim)) : HN_OK;
}

unsigned hn_fmu_happen(hn_fmu *fmu, bool *changed) {
  hn_status status = hn_events_happen(fmu->sim, changed);
  take_state(fmu);
  return status ? say(fmu, status, hn_sim_error(fmu->sim)) : HN_OK;
}

bool hn_fmu_ended(const hn_fmu *fmu) {
  return hn_sim_ended(fmu->sim) != NULL;
}

// ---- integration from outside --------------------------------------------------------------

// where something switches nothing is decided before its event
// With switches, states are set without deciding them: an importer tries states beyond an event.
static bool is_light(const hn_fmu *fmu) {
  return fmu->exchange && fmu->indicators > 0;
}

// hn_start_from begins a run there, with consistent accelerations; hn_outside_set only sets.
static hn_status put_states(hn_fmu *fmu, double time) {
  const hn_system *sys = fmu->sys;
  const double *v = fmu->y + sys->nq, *x = v + sys->nv;
  fmu->row_stamp = 0;
  // a run that is started decides on which side everything is, and may refuse
  if (is_light(fmu)) {
    hn_outside_set(fmu->sim, time, fmu->y, v, x);
    return HN_OK;
  }
  hn_status status = hn_start_from(fmu->sim, time, fmu->y, v, x);
  return status ? say(fmu, status, hn_sim_error(fmu->sim)) : HN_OK;
}

int hn_fmu_state_count(const hn_fmu *fmu) {
  return fmu->states;
}

void hn_fmu_get_states(const hn_fmu *fmu, double *y) {
  // what was set or reached last
  memcpy(y, fmu->y, (size_t)fmu->states * sizeof(double));
}

unsigned hn_fmu_set_states(hn_fmu *fmu, const double *y) {
  // it may be fmu->y itself
  memmove(fmu->y, y, (size_t)fmu->states * sizeof(double));
  fmu->moved = true;
  return put_states(fmu, hn_time(fmu->sim));
}

unsigned hn_fmu_set_time(hn_fmu *fmu, double time) {
  return put_states(fmu, time);
}

// the start of a run is where its rates are known
unsigned hn_fmu_rates(hn_fmu *fmu, double *rate) {
  hn_sim *sim = fmu->sim;
  // a state that is set has its derivative with it
  hn_status status = put_states(fmu, sim->state.t);
  if (!status && is_light(fmu)) status = hn_outside_rates(sim, sim->stage.ydot);
  if (status) return say(fmu, status, hn_sim_error(sim));
  size_t motion = (size_t)(sim->sys->nq + sim->sys->nv);
  memcpy(rate, sim->stage.ydot, motion * sizeof(double));
  memcpy(rate + motion, sim->stage.ydot + sim->state.x, (size_t)sim->sys->states * sizeof(double));
  return HN_OK;
}

// violation of the constraints beyond which an integration from outside is brought back
// As of coded.c.
static const double drift = 1e-9;

static bool is_off(hn_fmu *fmu) {
  hn_residuals r;
  // residuals that cannot be computed are off as well
  return hn_sim_residuals(fmu->sim, &r) || !(fmax(r.position, r.velocity) <= drift);
}

static hn_status project(hn_fmu *fmu) {
  hn_status status = hn_project_state(fmu->sim, fmu->sim->state.t, fmu->y, fmu->y + fmu->sys->nq);
  // y is on the constraints now; the run has to begin from there
  if (status) return say(fmu, status, hn_sim_error(fmu->sim));
  return put_states(fmu, fmu->sim->state.t);
}

// ---- events --------------------------------------------------------------------------------

bool hn_fmu_exchanges(const hn_fmu *fmu) {
  return fmu->sys->controllers == 0;
}

int hn_fmu_indicator_count(const hn_fmu *fmu) {
  return fmu->indicators;
}

unsigned hn_fmu_indicate(hn_fmu *fmu, double *value) {
  if (fmu->indicators) hn_outside_indicate(fmu->sim, value);
  return HN_OK;
}

bool hn_fmu_complete(hn_fmu *fmu) {
  // memory of contacts and backlash follows accepted steps alone
  if (is_light(fmu)) hn_outside_accept(fmu->sim);
  return is_off(fmu);
}

// First back onto the constraints, then what switched: impacts need velocities that fit the joints.
unsigned hn_fmu_event(hn_fmu *fmu, bool *changed) {
  bool off = is_off(fmu), moved = false;
  hn_status status = off ? project(fmu) : HN_OK;
  if (!status && is_light(fmu)) {
    status = hn_outside_event(fmu->sim, fmu->indicator, fmu->side, fmu->was, &moved);
    take_state(fmu);
    if (status) say(fmu, status, hn_sim_error(fmu->sim));
  }
  *changed = off || moved;
  return status;
}

// ---- derivatives ---------------------------------------------------------------------------

// changed by h times the seed from the values at hand
// States together, inputs one by one: setting an input may end a step.
static unsigned move(hn_fmu *fmu, const unsigned *known, size_t knowns, const double *seed,
                     double h, const double *at) {
  unsigned status = HN_OK;
  for (size_t i = 0; i < knowns && !status; i++) {
    const hn_fmu_variable *v = &fmu->variable[known[i]];
    // `at`: what inputs and states were
    double x = at[i] + h * seed[i];
    if (v->role == HN_FMU_INPUT)
      status = hn_fmu_set(fmu, known[i], x);
    else
      fmu->y[v->index] = x;
  }
  return status ? status : put_states(fmu, hn_time(fmu->sim));
}

static unsigned check_known(hn_fmu *fmu, const unsigned *known, size_t knowns) {
  for (size_t i = 0; i < knowns; i++) {
    bool there = known[i] < (unsigned)fmu->count;
    hn_fmu_role role = there ? fmu->variable[known[i]].role : HN_FMU_TIME;
    if (role != HN_FMU_INPUT && role != HN_FMU_STATE)
      return say(fmu, HN_ERR_ARGUMENT, "derivatives are by states and inputs");
  }
  return HN_OK;
}

// differences of eighth order: what they leave out is smaller than round-off where nothing switches
// Weights of the central difference of order eight. Steps of 5e-4, relative where numbers are
// larger than one: errors of the formula go with h^8 (1e-26), rounding with 1e-16 / h.
static unsigned differences(hn_fmu *fmu, const unsigned *unknown, size_t unknowns,
                            const unsigned *known, size_t knowns, const double *seed,
                            const double *at, double *out) {
  static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double most = 0, x = 0;
  unsigned status = HN_OK;
  // the direction's length in units of what it moves
  for (size_t i = 0; i < knowns; i++) most = fmax(most, fabs(seed[i]) / fmax(1, fabs(at[i])));
  double h = most > 0 ? 5e-4 / most : 1;
  // nothing moves: all derivatives are zero
  for (int k = -4; k <= 4 && !status && most > 0; k++) {
    if (k == 0) continue;
    status = move(fmu, known, knowns, seed, k * h, at);
    for (size_t i = 0; i < unknowns && !status; i++) {
      status = hn_fmu_get(fmu, unknown[i], &x);
      // odd: the weights of the two sides differ in sign alone
      out[i] += (k < 0 ? -1 : 1) * weight[abs(k) - 1] * x / h;
    }
  }
  return status;
}

// the run goes on as if nobody had asked
// Saving and loading the run around the differences is what keeps it unchanged, to the last bit.
unsigned hn_fmu_directional(hn_fmu *fmu, const unsigned *unknown, size_t unknowns,
                            const unsigned *known, size_t knowns, const double *seed, double *out) {
  void *bytes = NULL;
  size_t length = 0;
  double *at = calloc(knowns + 1, sizeof *at);
  unsigned status = at ? check_known(fmu, known, knowns) : say(fmu, HN_ERR_MEMORY, "out of memory");
  if (!status) status = hn_fmu_save(fmu, &bytes, &length);
  // values at the point, which move() needs again and again
  for (size_t i = 0; i < knowns && !status; i++) status = hn_fmu_get(fmu, known[i], &at[i]);
  for (size_t i = 0; i < unknowns; i++) out[i] = 0;
  if (!status) status = differences(fmu, unknown, unknowns, known, knowns, seed, at, out);
  if (bytes) {
    // loading clears or overwrites the message of the failure
    char why[HN_MESSAGE];
    snprintf(why, sizeof why, "%s", fmu->message);
    unsigned back = hn_fmu_load(fmu, bytes, length);
    if (status)
      say(fmu, (hn_status)status, why);
    else
      status = back;
  }
  free(bytes), free(at);
  return status;
}

// ---- bytes ---------------------------------------------------------------------------------

// parameters, then the run
unsigned hn_fmu_save(hn_fmu *fmu, void **bytes, size_t *length) {
  void *run = NULL;
  size_t size = 0, head = (size_t)fmu->parameters * sizeof(double);
  hn_status status = hn_sim_save(fmu->sim, &run, &size, fmu->message, sizeof fmu->message);
  char *all = status ? NULL : malloc(head + size);
  if (!status && !all) status = say(fmu, HN_ERR_MEMORY, "out of memory");
  if (!status) {
    memcpy(all, fmu->parameter, head);
    memcpy(all + head, run, size);
    *bytes = all, *length = head + size;
  }
  hn_free(run);
  return status;
}

// Parameters first: the bytes of a run fit only the system they were saved from.
unsigned hn_fmu_load(hn_fmu *fmu, const void *bytes, size_t length) {
  size_t head = (size_t)fmu->parameters * sizeof(double);
  if (length < head) return say(fmu, HN_ERR_FILE, "the bytes are not those of a state");
  hn_status status = HN_OK;
  if (fmu->changed || memcmp(fmu->parameter, bytes, head) != 0) {
    memcpy(fmu->parameter, bytes, head);
    status = hn_fmu_compile(fmu);
  }
  hn_sim *restored = NULL;
  if (!status)
    status = hn_sim_restore(&restored, fmu->sys, (const char *)bytes + head, length - head,
                            fmu->message, sizeof fmu->message);
  if (status) return status;
  hn_sim_destroy(fmu->sim);
  fmu->sim = restored;
  fmu->moved = true;
  take_state(fmu);
  if (fmu->indicators) hn_outside_indicate(fmu->sim, fmu->indicator);
  for (int i = 0; i < fmu->sys->switches && fmu->indicators; i++)
    fmu->side[i] = fmu->indicator[i] > 0;
  return HN_OK;
}
