// fmi3.c: the functions of FMI 3.0, co-simulation and model exchange, on top of fmu.h.
//
// Declarations are written after the standard's text. They exist in the binary of an FMU only.
//
// As fmi2.c, with what version 3 adds: early return, intermediate updates and event mode in
// co-simulation, adjoint derivatives. Types other than Float64 and clocks do not occur, and the
// functions for them must exist all the same.
#include "fmu/instance.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t reference;
typedef enum status3 { OK3, WARNING3, DISCARD3, ERROR3, FATAL3 } status3;
typedef void (*log_fn)(void *environment, status3 status, const char *category,
                       const char *message);

// fmi3IntermediateUpdateCallback.
typedef void (*update_fn)(void *environment, double time, bool set_requested, bool get_allowed,
                          bool step_finished, bool can_return, bool *asked, double *when);

// a saved state
typedef struct saved {
  void *bytes;
  size_t length;
} saved;

typedef struct instance {
  hn_fmu *fmu;
  // kept by the importer, who frees it by fmi3FreeFMUState
  log_fn log;
  void *environment;
  bool exchange, early;  // others integrate it; its steps end at events
  update_fn update;      // NULL, or told of what is between communication points
  bool leaves, inside;   // steps may end there; it is being told
} instance;

#ifdef HN_FMU
#define EXPORT __attribute__((visibility("default")))

static status3 answer(instance *o, unsigned status) {
  // reasons go to the logger; what an importer does about errors is his affair: the instance stays
  // usable
  if (!status) return OK3;
  if (o->log) o->log(o->environment, ERROR3, "logStatusError", hn_fmu_message(o->fmu));
  return ERROR3;
}

static status3 refuse(instance *o, const char *why) {
  return answer(o, hn_fmu_refuse(o->fmu, why));
}

#define IS_INSIDE "during an intermediate update only values are got"

// ---- life ----------------------------------------------------------------------------------

// versions and logging may be asked for before anything else: no instance is needed for the first
EXPORT const char *fmi3GetVersion(void) {
  return "3.0";
}

EXPORT status3 fmi3SetDebugLogging(instance *o, bool on, size_t count,
                                   const char *const category[]) {
  (void)o, (void)on, (void)count, (void)category;
  // there is one category of messages, and it is always told
  return OK3;
}

EXPORT void fmi3FreeInstance(instance *o) {
  if (!o) return;
  hn_fmu_destroy(o->fmu);
  free(o);
}

// NULL after a failure, which has been logged.
// every failure of making an instance ends here
static instance *instantiate(const char *token, const char *resources, bool exchange,
                             void *environment, log_fn log) {
  char message[HN_FMU_MESSAGE] = "out of memory";
  // the message is what hn_fmu_open leaves, or this
  instance *o = calloc(1, sizeof *o);
  if (o) {
    o->log = log, o->environment = environment, o->exchange = exchange;
    o->fmu = hn_fmu_open(resources, token, exchange, message);
  }
  if (o && o->fmu) return o;
  if (log) log(environment, ERROR3, "logStatusError", message);
  fmi3FreeInstance(o);
  return NULL;
}

EXPORT instance *fmi3InstantiateModelExchange(const char *name, const char *token,
                                              const char *resources, bool visible, bool logging,
                                              void *environment, log_fn log) {
  // names and windows are the importer's: nothing is shown
  (void)name, (void)visible, (void)logging;
  return instantiate(token, resources, true, environment, log);
}

EXPORT instance *fmi3InstantiateCoSimulation(const char *name, const char *token,
                                             const char *resources, bool visible, bool logging,
                                             bool event_mode, bool early_return,
                                             const reference intermediate[], size_t count,
                                             void *environment, log_fn log, update_fn update) {
  (void)name, (void)visible, (void)logging, (void)intermediate, (void)count;
  // values that are wanted between communication points need no list: all may be asked for
  instance *o = instantiate(token, resources, false, environment, log);
  // whoever does not go back to the instant of an event is not told of it
  if (o) o->early = event_mode && early_return, o->leaves = early_return, o->update = update;
  return o;
}

EXPORT instance *fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                                   const char *resources, bool visible,
                                                   bool logging, void *environment, log_fn log,
                                                   update_fn update, void (*lock)(void),
                                                   void (*unlock)(void)) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update;
  (void)lock, (void)unlock;
  if (log) log(environment, ERROR3, "logStatusError", "there is no scheduled execution");
  return NULL;
}

EXPORT status3 fmi3EnterInitializationMode(instance *o, bool tolerance_defined, double tolerance,
                                           double start, bool stop_defined, double stop) {
  // tolerances are the model's: an importer's are meant for his own integrator
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  return answer(o, hn_fmu_begin(o->fmu, start));
}

EXPORT status3 fmi3ExitInitializationMode(instance *o) {
  // parameters that were set act from here on, if nothing was asked before
  return answer(o, hn_fmu_settle(o->fmu));
}

// Nothing to do: what happens at the instant happens in fmi3UpdateDiscreteStates.
EXPORT status3 fmi3EnterEventMode(instance *o) {
  (void)o;
  return OK3;
}

EXPORT status3 fmi3Terminate(instance *o) {
  // the instance may still be asked, reset or freed
  (void)o;
  return OK3;
}

EXPORT status3 fmi3Reset(instance *o) {
  // the run is in the middle of a step, which would have nowhere to go back to
  if (o->inside) return refuse(o, IS_INSIDE);
  return answer(o, hn_fmu_reset(o->fmu));
}

EXPORT status3 fmi3EnterConfigurationMode(instance *o) {
  // parameters are set before initialisation; there are no structural ones to configure
  (void)o;
  return OK3;
}

EXPORT status3 fmi3ExitConfigurationMode(instance *o) {
  (void)o;
  return OK3;
}

// ---- values --------------------------------------------------------------------------------

EXPORT status3 fmi3GetFloat64(instance *o, const reference vr[], size_t count, double value[],
                              size_t values) {
  unsigned status = hn_fmu_settle(o->fmu);
  // all variables are scalars: as many values as references
  if (values < count) return refuse(o, "there is no room for the values");
  for (size_t i = 0; i < count && !status; i++) status = hn_fmu_get(o->fmu, vr[i], &value[i]);
  return answer(o, status);
}

EXPORT status3 fmi3SetFloat64(instance *o, const reference vr[], size_t count, const double value[],
                              size_t values) {
  unsigned status = 0;
  if (o->inside) return refuse(o, IS_INSIDE);
  // the first reference that cannot be set ends it: those before it are set
  if (values < count) return refuse(o, "there are too few values");
  for (size_t i = 0; i < count && !status; i++) status = hn_fmu_set(o->fmu, vr[i], value[i]);
  return answer(o, status);
}

// there are no other types than Float64; importers look all functions up when they load a binary,
// also those for types that do not occur
#define NO_TYPE(name, type)                                                                        \
  EXPORT status3 fmi3Get##name(instance *o, const reference vr[], size_t count, type value[],      \
                               size_t values) {                                                    \
    (void)vr, (void)value, (void)values;                                                           \
    return count ? refuse(o, "there are no variables of this type") : OK3;                         \
  }                                                                                                \
  EXPORT status3 fmi3Set##name(instance *o, const reference vr[], size_t count,                    \
                               const type value[], size_t values) {                                \
    (void)vr, (void)value, (void)values;                                                           \
    return count ? refuse(o, "there are no variables of this type") : OK3;                         \
  }
// a type for the macro, which puts const before it
typedef const char *string3;
NO_TYPE(Float32, float)
NO_TYPE(Int8, int8_t)
NO_TYPE(UInt8, uint8_t)
NO_TYPE(Int16, int16_t)
NO_TYPE(UInt16, uint16_t)
NO_TYPE(Int32, int32_t)
NO_TYPE(UInt32, uint32_t)
NO_TYPE(Int64, int64_t)
NO_TYPE(UInt64, uint64_t)
NO_TYPE(Boolean, bool)
NO_TYPE(String, string3)

EXPORT status3 fmi3GetBinary(instance *o, const reference vr[], size_t count, size_t sizes[],
                             const unsigned char *value[], size_t values) {
  (void)vr, (void)sizes, (void)value, (void)values;
  return count ? refuse(o, "there are no variables of this type") : OK3;
}

EXPORT status3 fmi3SetBinary(instance *o, const reference vr[], size_t count, const size_t sizes[],
                             const unsigned char *const value[], size_t values) {
  (void)vr, (void)sizes, (void)value, (void)values;
  return count ? refuse(o, "there are no variables of this type") : OK3;
}

EXPORT status3 fmi3GetClock(instance *o, const reference vr[], size_t count, bool value[]) {
  (void)vr, (void)value;
  return count ? refuse(o, "there are no clocks") : OK3;
}

EXPORT status3 fmi3SetClock(instance *o, const reference vr[], size_t count, const bool value[]) {
  (void)vr, (void)value;
  return count ? refuse(o, "there are no clocks") : OK3;
}

EXPORT status3 fmi3GetNumberOfVariableDependencies(instance *o, reference vr, size_t *count) {
  (void)vr, (void)count;
  // dependencies are not in the description either: everything may depend on everything
  return refuse(o, "dependencies are not told");
}

EXPORT status3 fmi3GetVariableDependencies(instance *o, reference dependent, size_t element[],
                                           reference independent[], size_t other[], int kind[],
                                           size_t count) {
  (void)dependent, (void)element, (void)independent, (void)other, (void)kind, (void)count;
  return refuse(o, "dependencies are not told");
}

// ---- clocks, of which there are none -------------------------------------------------------

// the same for functions on clocks, whose other arguments differ
#define NO_CLOCK(name, ...)                                                                        \
  EXPORT status3 fmi3##name(instance *o, const reference vr[], size_t count, __VA_ARGS__) {        \
    (void)vr;                                                                                      \
    return count ? refuse(o, "there are no clocks") : OK3;                                         \
  }
#ifdef __GNUC__
// arguments by macro cannot be told to be unused one by one
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NO_CLOCK(GetIntervalDecimal, double interval[], int qualifier[])
NO_CLOCK(GetIntervalFraction, uint64_t counter[], uint64_t resolution[], int qualifier[])
NO_CLOCK(GetShiftDecimal, double shift[])
NO_CLOCK(GetShiftFraction, uint64_t counter[], uint64_t resolution[])
NO_CLOCK(SetIntervalDecimal, const double interval[])
NO_CLOCK(SetIntervalFraction, const uint64_t counter[], const uint64_t resolution[])
NO_CLOCK(SetShiftDecimal, const double shift[])
NO_CLOCK(SetShiftFraction, const uint64_t counter[], const uint64_t resolution[])

EXPORT status3 fmi3ActivateModelPartition(instance *o, reference clock, double time) {
  (void)clock, (void)time;
  return refuse(o, "there are no clocks");
}

// ---- states --------------------------------------------------------------------------------

// the standard wants NULL to be allowed
EXPORT status3 fmi3FreeFMUState(instance *o, saved **state) {
  (void)o;
  if (!*state) return OK3;
  free((*state)->bytes);
  free(*state);
  *state = NULL;
  return OK3;
}

EXPORT status3 fmi3GetFMUState(instance *o, saved **state) {
  // a state that is handed in is used again, as the standard allows
  saved *s = *state ? *state : calloc(1, sizeof *s);
  if (!s) return refuse(o, "out of memory");
  free(s->bytes);
  *s = (saved){0};
  // what is saved must be of the parameters as they were set
  unsigned status = hn_fmu_settle(o->fmu);
  if (!status) status = hn_fmu_save(o->fmu, &s->bytes, &s->length);
  *state = s;
  // *state is NULL after a failure
  if (status) fmi3FreeFMUState(o, state);
  return answer(o, status);
}

EXPORT status3 fmi3SetFMUState(instance *o, saved *state) {
  if (o->inside) return refuse(o, IS_INSIDE);
  return answer(o, hn_fmu_load(o->fmu, state->bytes, state->length));
}

EXPORT status3 fmi3SerializedFMUStateSize(instance *o, saved *state, size_t *size) {
  (void)o;
  // the bytes are the serialised form: nothing is converted
  *size = state->length;
  return OK3;
}

EXPORT status3 fmi3SerializeFMUState(instance *o, saved *state, unsigned char bytes[],
                                     size_t size) {
  if (size < state->length) return refuse(o, "there is no room for the state");
  memcpy(bytes, state->bytes, state->length);
  return OK3;
}

EXPORT status3 fmi3DeserializeFMUState(instance *o, const unsigned char bytes[], size_t size,
                                       saved **state) {
  // the importer checks nothing: hn_fmu_load looks whether the bytes are a state
  saved *s = calloc(1, sizeof *s);
  // malloc(0) may be NULL without a failure
  if (s) s->bytes = malloc(size ? size : 1);
  if (!s || !s->bytes) {
    free(s);
    return refuse(o, "out of memory");
  }
  memcpy(s->bytes, bytes, size);
  s->length = size;
  *state = s;
  return OK3;
}

EXPORT status3 fmi3GetDirectionalDerivative(instance *o, const reference unknown[], size_t m,
                                            const reference known[], size_t n, const double seed[],
                                            size_t seeds, double sensitivity[], size_t count) {
  // parameters first, since derivatives are those of the model with them
  unsigned status = hn_fmu_settle(o->fmu);
  if (seeds < n || count < m) return refuse(o, "there are too few seeds or places");
  if (!status) status = hn_fmu_directional(o->fmu, unknown, m, known, n, seed, sensitivity);
  return answer(o, status);
}

EXPORT status3 fmi3GetAdjointDerivative(instance *o, const reference unknown[], size_t m,
                                        const reference known[], size_t n, const double seed[],
                                        size_t seeds, double sensitivity[], size_t count) {
  // one seed for each unknown, one answer for each known
  unsigned status = hn_fmu_settle(o->fmu);
  if (seeds < m || count < n) return refuse(o, "there are too few seeds or places");
  if (!status) status = hn_fmu_adjoint(o->fmu, unknown, m, known, n, seed, sensitivity);
  return answer(o, status);
}

EXPORT status3 fmi3GetOutputDerivatives(instance *o, const reference vr[], size_t count,
                                        const int32_t order[], double value[], size_t values) {
  // outputs are columns, whose time derivatives nobody computes
  (void)vr, (void)order, (void)value, (void)values;
  return count ? refuse(o, "derivatives of outputs are not provided") : OK3;
}

// ---- co-simulation -------------------------------------------------------------------------

EXPORT status3 fmi3EnterStepMode(instance *o) {
  (void)o;
  return OK3;
}

// outputs may be asked for, and the step be left
// While it runs only getting values is allowed (`inside`); the importer may call back from there.
static double tell(void *who, double end) {
  instance *o = who;
  double now = hn_fmu_time(o->fmu), when = now;
  // not asked to return, unless the importer says so
  bool asked = false;
  o->inside = true;
  o->update(o->environment, now, false, true, true, o->leaves, &asked, &when);
  o->inside = false;
  if (!asked || !o->leaves) return end;
  // before now there is nothing to return to; after the end the step ends as it was asked to
  return when > now ? (when < end ? when : end) : now;
}

// `early` where the step ended before its end for another reason than the end of the run; rounding
// of time + step must not look like that.
EXPORT status3 fmi3DoStep(instance *o, double time, double step, bool no_back, bool *event,
                          bool *terminate, bool *early, double *last) {
  (void)no_back;
  if (o->inside) return refuse(o, IS_INSIDE);
  unsigned status = hn_fmu_settle(o->fmu);
  double end = time + step;
  hn_fmu_listener listener = {tell, o};
  // whatever happens: importers read them also after an error
  *event = *terminate = *early = false;
  if (!status)
    status = hn_fmu_advance(o->fmu, end, o->early ? event : NULL, o->update ? &listener : NULL);
  // where it came to, also after an error
  *last = hn_fmu_time(o->fmu);
  *terminate = !status && hn_fmu_ended(o->fmu);
  // relative: times of days have their last digits elsewhere
  *early = !status && !*terminate && *last < end - 1e-12 * (end > 0 ? end : -end);
  return answer(o, status);
}

// ---- model exchange ------------------------------------------------------------------------

// there are no clocks whose states would be evaluated
EXPORT status3 fmi3EvaluateDiscreteStates(instance *o) {
  (void)o;
  return OK3;
}

// In co-simulation the library has located the event; in model exchange the importer has.
EXPORT status3 fmi3UpdateDiscreteStates(instance *o, bool *needed, bool *terminate,
                                        bool *nominals_changed, bool *values_changed,
                                        bool *next_event_defined, double *next_event) {
  *needed = *terminate = *nominals_changed = *values_changed = *next_event_defined = false;
  // one pass settles an instant, and times of events are not known beforehand
  *next_event = 0;
  return answer(o, o->exchange ? hn_fmu_event(o->fmu, values_changed)
                               : hn_fmu_happen(o->fmu, values_changed));
}

EXPORT status3 fmi3EnterContinuousTimeMode(instance *o) {
  (void)o;
  return OK3;
}

EXPORT status3 fmi3CompletedIntegratorStep(instance *o, bool no_back, bool *event,
                                           bool *terminate) {
  (void)no_back;
  // the importer looks for zeros of the indicators himself
  *terminate = false;
  // states that left the constraints are brought back in event mode
  *event = hn_fmu_complete(o->fmu);
  return OK3;
}

EXPORT status3 fmi3SetTime(instance *o, double time) {
  // states stay where they are: states and time are set one after the other
  return answer(o, hn_fmu_set_time(o->fmu, time));
}

EXPORT status3 fmi3SetContinuousStates(instance *o, const double x[], size_t count) {
  if (count != (size_t)hn_fmu_state_count(o->fmu)) return refuse(o, "wrong number of states");
  return answer(o, hn_fmu_set_states(o->fmu, x));
}

EXPORT status3 fmi3GetContinuousStates(instance *o, double x[], size_t count) {
  if (count != (size_t)hn_fmu_state_count(o->fmu)) return refuse(o, "wrong number of states");
  hn_fmu_get_states(o->fmu, x);
  return OK3;
}

EXPORT status3 fmi3GetContinuousStateDerivatives(instance *o, double rate[], size_t count) {
  if (count != (size_t)hn_fmu_state_count(o->fmu)) return refuse(o, "wrong number of states");
  return answer(o, hn_fmu_rates(o->fmu, rate));
}

EXPORT status3 fmi3GetEventIndicators(instance *o, double value[], size_t count) {
  if (count != (size_t)hn_fmu_indicator_count(o->fmu))
    return refuse(o, "wrong number of event indicators");
  return answer(o, hn_fmu_indicate(o->fmu, value));
}

EXPORT status3 fmi3GetNominalsOfContinuousStates(instance *o, double x[], size_t count) {
  // one each, as fmi2.c has them
  (void)o;
  for (size_t i = 0; i < count; i++) x[i] = 1;
  return OK3;
}

EXPORT status3 fmi3GetNumberOfEventIndicators(instance *o, size_t *count) {
  *count = (size_t)hn_fmu_indicator_count(o->fmu);
  return OK3;
}

EXPORT status3 fmi3GetNumberOfContinuousStates(instance *o, size_t *count) {
  *count = (size_t)hn_fmu_state_count(o->fmu);
  return OK3;
}

#endif
