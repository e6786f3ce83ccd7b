// fmi2.c: the functions of FMI 2.0, co-simulation and model exchange, on top of fmu.h.
//
// Declarations are written after the standard's text. They exist in the binary of an FMU only.
//
// Each function checks what it can, asks the instance (instance.h) and turns its answer into a
// status; reasons go to the importer's logger. Pointers that the standard says are valid are not
// checked. Instances share nothing: they may run in threads of their own.
#include "fmu/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int reference;
// fmi2Boolean is an int, fmi2ValueReference unsigned
typedef int boolean;
typedef enum status2 { OK2, WARNING2, DISCARD2, ERROR2, FATAL2, PENDING2 } status2;

// fmi2CallbackFunctions, member by member; memory is our own (canNotUseMemoryManagementFunctions).
typedef struct callbacks {
  void (*logger)(void *environment, const char *instance, status2 status, const char *category,
                 const char *message, ...);
  // never called: their members must be there for the struct to have its form
  void *(*allocate)(size_t count, size_t size);
  void (*release)(void *memory);
  void (*step_finished)(void *environment, status2 status);
  void *environment;
} callbacks;

// fmi2EventInfo, member by member
typedef struct event_info {
  boolean new_states_needed, terminate, nominals_changed, values_changed, next_event_defined;
  double next_event;
} event_info;

// a saved state
typedef struct saved {
  void *bytes;
  size_t length;
} saved;

// What the importer calls a component: the instance, whom to tell, and its name for that.
typedef struct component {
  hn_fmu *fmu;
  callbacks call;
  char *name;
} component;

#ifdef HN_FMU
#define EXPORT __attribute__((visibility("default")))

// Errors are recoverable as far as FMI goes: the importer may reset the instance.
static status2 answer(component *c, unsigned status) {
  if (!status) return OK2;
  // the format is ours: a message with % in it must not become one
  if (c->call.logger)
    c->call.logger(c->call.environment, c->name, ERROR2, "logStatusError", "%s",
                   hn_fmu_message(c->fmu));
  return ERROR2;
}

static status2 refuse(component *c, const char *why) {
  return answer(c, hn_fmu_refuse(c->fmu, why));
}

// ---- life ----------------------------------------------------------------------------------

// types of 32 and 64 bits as fmi2TypesPlatform.h has them
EXPORT const char *fmi2GetTypesPlatform(void) {
  return "default";
}

EXPORT const char *fmi2GetVersion(void) {
  return "2.0";
}

// there is one category of messages, and it is always told
EXPORT status2 fmi2SetDebugLogging(component *c, boolean on, size_t count,
                                   const char *const category[]) {
  (void)c, (void)on, (void)count, (void)category;
  return OK2;
}

// NULL is allowed
EXPORT void fmi2FreeInstance(component *c) {
  if (!c) return;
  hn_fmu_destroy(c->fmu);
  free(c->name);
  free(c);
}

// type 0 is model exchange, 1 co-simulation. `resources` is an address (file://) of the unpacked
// folder.
EXPORT component *fmi2Instantiate(const char *name, int type, const char *guid,
                                  const char *resources, const callbacks *call, boolean visible,
                                  boolean logging) {
  char message[HN_FMU_MESSAGE] = "out of memory";
  component *c = calloc(1, sizeof *c);
  (void)visible, (void)logging;
  // messages of a component without a name have an empty one
  if (!name) name = "";
  if (c) {
    // a copy: the struct may live on the importer's stack
    if (call) c->call = *call;
    c->name = calloc(1, strlen(name) + 1);
    if (c->name) strcpy(c->name, name);
    c->fmu = hn_fmu_open(resources, guid, type == 0, message);
  }
  if (c && c->name && c->fmu) return c;
  // name and not c->name, which may be what is missing
  if (call && call->logger)
    call->logger(call->environment, name, ERROR2, "logStatusError", "%s", message);
  fmi2FreeInstance(c);
  return NULL;
}

// Tolerances are the model's own: an importer's would apply to another integrator.
EXPORT status2 fmi2SetupExperiment(component *c, boolean tolerance_defined, double tolerance,
                                   double start, boolean stop_defined, double stop) {
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  return answer(c, hn_fmu_begin(c->fmu, start));
}

EXPORT status2 fmi2EnterInitializationMode(component *c) {
  // time has been given by fmi2SetupExperiment
  (void)c;
  return OK2;
}

EXPORT status2 fmi2ExitInitializationMode(component *c) {
  // parameters that were set act here at the latest
  return answer(c, hn_fmu_settle(c->fmu));
}

EXPORT status2 fmi2Terminate(component *c) {
  // the component may still be asked, reset or freed
  (void)c;
  return OK2;
}

EXPORT status2 fmi2Reset(component *c) {
  return answer(c, hn_fmu_reset(c->fmu));
}

// ---- values --------------------------------------------------------------------------------

// Parameters set before act here at last: their model is compiled when something is asked of it.
EXPORT status2 fmi2GetReal(component *c, const reference vr[], size_t count, double value[]) {
  unsigned status = hn_fmu_settle(c->fmu);
  for (size_t i = 0; i < count && !status; i++) status = hn_fmu_get(c->fmu, vr[i], &value[i]);
  return answer(c, status);
}

EXPORT status2 fmi2SetReal(component *c, const reference vr[], size_t count, const double value[]) {
  unsigned status = 0;
  // as far as the first that cannot be set
  for (size_t i = 0; i < count && !status; i++) status = hn_fmu_set(c->fmu, vr[i], value[i]);
  return answer(c, status);
}

// there are no other types than real; importers look all functions up when they load a binary, also
// those for types that do not occur
#define NO_TYPE(name, type)                                                                        \
  EXPORT status2 fmi2Get##name(component *c, const reference vr[], size_t count, type value[]) {   \
    (void)vr, (void)value;                                                                         \
    return count ? refuse(c, "there are no variables of this type") : OK2;                         \
  }                                                                                                \
  EXPORT status2 fmi2Set##name(component *c, const reference vr[], size_t count,                   \
                               const type value[]) {                                               \
    (void)vr, (void)value;                                                                         \
    return count ? refuse(c, "there are no variables of this type") : OK2;                         \
  }
// a type for the macro, which puts const before it
typedef const char *string2;
NO_TYPE(Integer, int)
NO_TYPE(Boolean, boolean)
NO_TYPE(String, string2)

// ---- states --------------------------------------------------------------------------------

EXPORT status2 fmi2FreeFMUstate(component *c, saved **state) {
  // the standard wants NULL to be allowed
  (void)c;
  if (!*state) return OK2;
  free((*state)->bytes);
  free(*state);
  *state = NULL;
  return OK2;
}

// A state that is handed in is used again, as the standard allows.
EXPORT status2 fmi2GetFMUstate(component *c, saved **state) {
  saved *s = *state ? *state : calloc(1, sizeof *s);
  if (!s) return refuse(c, "out of memory");
  free(s->bytes);
  *s = (saved){0};
  // what is saved must be of the parameters as they were set
  unsigned status = hn_fmu_settle(c->fmu);
  if (!status) status = hn_fmu_save(c->fmu, &s->bytes, &s->length);
  *state = s;
  if (status) fmi2FreeFMUstate(c, state);
  return answer(c, status);
}

EXPORT status2 fmi2SetFMUstate(component *c, saved *state) {
  return answer(c, hn_fmu_load(c->fmu, state->bytes, state->length));
}

EXPORT status2 fmi2SerializedFMUstateSize(component *c, saved *state, size_t *size) {
  (void)c;
  // bytes are what they are: serialised as they stand
  *size = state->length;
  return OK2;
}

EXPORT status2 fmi2SerializeFMUstate(component *c, saved *state, char bytes[], size_t size) {
  if (size < state->length) return refuse(c, "there is no room for the state");
  memcpy(bytes, state->bytes, state->length);
  return OK2;
}

EXPORT status2 fmi2DeSerializeFMUstate(component *c, const char bytes[], size_t size,
                                       saved **state) {
  saved *s = calloc(1, sizeof *s);
  // malloc(0) may be NULL without a failure
  if (s) s->bytes = malloc(size ? size : 1);
  if (!s || !s->bytes) {
    free(s);
    return refuse(c, "out of memory");
  }
  memcpy(s->bytes, bytes, size);
  s->length = size;
  *state = s;
  return OK2;
}

EXPORT status2 fmi2GetDirectionalDerivative(component *c, const reference unknown[], size_t m,
                                            const reference known[], size_t n, const double seed[],
                                            double sensitivity[]) {
  // of the model with the parameters that were set
  unsigned status = hn_fmu_settle(c->fmu);
  if (!status) status = hn_fmu_directional(c->fmu, unknown, m, known, n, seed, sensitivity);
  return answer(c, status);
}

// ---- co-simulation -------------------------------------------------------------------------

// `time` is where the importer thinks the instance is; the step ends at time + step in any case.
EXPORT status2 fmi2DoStep(component *c, double time, double step, boolean no_back) {
  (void)no_back;
  unsigned status = hn_fmu_settle(c->fmu);
  // no event is reported on the way: this version has no words for it
  if (!status) status = hn_fmu_advance(c->fmu, time + step, NULL, NULL);
  // an event of the model ended the run: fmi2GetBooleanStatus says so
  return !status && hn_fmu_ended(c->fmu) ? DISCARD2 : answer(c, status);
}

EXPORT status2 fmi2CancelStep(component *c) {
  return refuse(c, "steps are not asynchronous");
}

EXPORT status2 fmi2SetRealInputDerivatives(component *c, const reference vr[], size_t count,
                                           const int order[], const double value[]) {
  (void)vr, (void)order, (void)value;
  return count ? refuse(c, "inputs are not interpolated") : OK2;
}

EXPORT status2 fmi2GetRealOutputDerivatives(component *c, const reference vr[], size_t count,
                                            const int order[], double value[]) {
  (void)vr, (void)order, (void)value;
  return count ? refuse(c, "derivatives of outputs are not provided") : OK2;
}

// steps are done when they return: there is nothing to ask about
EXPORT status2 fmi2GetStatus(component *c, int kind, status2 *value) {
  (void)c, (void)kind, (void)value;
  return DISCARD2;
}

EXPORT status2 fmi2GetRealStatus(component *c, int kind, double *value) {
  // 2: the time up to which the last step came
  // fmi2LastSuccessfulTime
  if (kind != 2) return DISCARD2;
  *value = hn_fmu_time(c->fmu);
  return OK2;
}

EXPORT status2 fmi2GetIntegerStatus(component *c, int kind, int *value) {
  (void)c, (void)kind, (void)value;
  return DISCARD2;
}

EXPORT status2 fmi2GetBooleanStatus(component *c, int kind, boolean *value) {
  // 3: whether the run wants to end
  // fmi2Terminated
  if (kind != 3) return DISCARD2;
  *value = hn_fmu_ended(c->fmu);
  return OK2;
}

EXPORT status2 fmi2GetStringStatus(component *c, int kind, string2 *value) {
  (void)c, (void)kind, (void)value;
  return DISCARD2;
}

// ---- model exchange ------------------------------------------------------------------------

EXPORT status2 fmi2EnterEventMode(component *c) {
  // nothing to do: what happens at the instant happens in fmi2NewDiscreteStates
  (void)c;
  return OK2;
}

// One pass settles everything that happens at an instant: there is never a second iteration.
EXPORT status2 fmi2NewDiscreteStates(component *c, event_info *info) {
  bool changed = false;
  unsigned status = hn_fmu_event(c->fmu, &changed);
  // states are the same ones, and no event is known beforehand
  *info = (event_info){.values_changed = changed};
  return answer(c, status);
}

EXPORT status2 fmi2EnterContinuousTimeMode(component *c) {
  (void)c;
  return OK2;
}

EXPORT status2 fmi2CompletedIntegratorStep(component *c, boolean no_back, boolean *event,
                                           boolean *terminate) {
  (void)no_back;
  // the model ends co-simulation alone; here the importer decides
  *terminate = 0;
  // states that left the constraints are brought back in event mode
  *event = hn_fmu_complete(c->fmu);
  return OK2;
}

EXPORT status2 fmi2SetTime(component *c, double time) {
  // states stay where they are
  return answer(c, hn_fmu_set_time(c->fmu, time));
}

EXPORT status2 fmi2SetContinuousStates(component *c, const double x[], size_t count) {
  if (count != (size_t)hn_fmu_state_count(c->fmu)) return refuse(c, "wrong number of states");
  return answer(c, hn_fmu_set_states(c->fmu, x));
}

EXPORT status2 fmi2GetContinuousStates(component *c, double x[], size_t count) {
  if (count != (size_t)hn_fmu_state_count(c->fmu)) return refuse(c, "wrong number of states");
  // as they were set or came about: nothing is computed
  hn_fmu_get_states(c->fmu, x);
  return OK2;
}

EXPORT status2 fmi2GetDerivatives(component *c, double rate[], size_t count) {
  if (count != (size_t)hn_fmu_state_count(c->fmu)) return refuse(c, "wrong number of states");
  return answer(c, hn_fmu_rates(c->fmu, rate));
}

EXPORT status2 fmi2GetEventIndicators(component *c, double value[], size_t count) {
  if (count != (size_t)hn_fmu_indicator_count(c->fmu))
    return refuse(c, "wrong number of event indicators");
  return answer(c, hn_fmu_indicate(c->fmu, value));
}

// One each: importers fall back on their own, and models are in SI units.
EXPORT status2 fmi2GetNominalsOfContinuousStates(component *c, double x[], size_t count) {
  (void)c;
  for (size_t i = 0; i < count; i++) x[i] = 1;
  return OK2;
}

#endif
