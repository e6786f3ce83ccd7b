// coded.c: an instance of an FMU by code written for its model (unit.h, unit.c beside this file).
//
// Value references are those of the description: time, parameters, inputs, outputs, states, rates.
//
// `unit` and all names that begin so come from the generated header: sizes are constants there, so
// that an instance is one struct without further memory. Nothing switches in such code, hence no
// events, no indicators and nothing to settle; functions that the interface (instance.h) has all
// the same say so.
#include "fmu/instance.h"

#ifdef HN_FMU
#include "fmu/token.h"
#include "fmu/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rates and outputs are kept until something changes: importers ask for variables one by one.
struct hn_fmu {
  unit m;
  double start;
  bool moves;  // it has left its start, which parameters and states set
  // states that were set there: the start that follows from parameters does not know of them
  bool is_given[unit_states + 1];
  double given[unit_states + 1];
  double rate[unit_states + 1], out[unit_outputs + 1];
  bool known_rate, known_out;
  char message[HN_FMU_MESSAGE];
};

// A value reference is a number in the order of the description: time 0, then these groups.
enum {
  PARAMETER = 1,
  INPUT = PARAMETER + unit_parameters,
  OUTPUT = INPUT + unit_inputs,
  // the groups end where the next one begins
  STATE = OUTPUT + unit_outputs
};
enum { RATE = STATE + unit_states, VARIABLES = RATE + unit_states };

// violation of the constraints beyond which an integration from outside is brought back
// Ten times what a correction leaves on a mechanism of the size of a metre.
static const double drift = 1e-9;

unsigned hn_fmu_refuse(hn_fmu *fmu, const char *why) {
  snprintf(fmu->message, sizeof fmu->message, "%s", why);
  // any number but 0
  return 1;
}

const char *hn_fmu_message(const hn_fmu *fmu) {
  return fmu->message;
}

static void forget(hn_fmu *fmu) {
  // states, inputs or parameters are others now
  fmu->known_rate = fmu->known_out = false;
}

// The token ties the binary to its description: another model's has other references.
hn_fmu *hn_fmu_open(const char *resources, const char *token, bool exchange,
                    char message[HN_FMU_MESSAGE]) {
  hn_fmu *fmu = NULL;
  (void)resources, (void)exchange;
  // before any memory is taken
  if (!token || strcmp(token, HN_FMU_TOKEN) != 0)
    snprintf(message, HN_FMU_MESSAGE, "the token is not that of this model");
  else if (!(fmu = calloc(1, sizeof *fmu)))
    snprintf(message, HN_FMU_MESSAGE, "out of memory");
  else
    unit_init(&fmu->m);
  return fmu;
}

void hn_fmu_destroy(hn_fmu *fmu) {
  free(fmu);
}

// unit_init sets parameters, inputs and states as the model file has them.
unsigned hn_fmu_reset(hn_fmu *fmu) {
  forget(fmu);
  fmu->moves = false, fmu->start = 0;
  memset(fmu->is_given, 0, sizeof fmu->is_given);
  unit_init(&fmu->m);
  return 0;
}

// The start follows from the parameters, but for what was set; then the run begins at its time.
static void begin_anew(hn_fmu *fmu) {
  forget(fmu);
  unit_start(&fmu->m);
  for (int i = 0; i < unit_states; i++)
    if (fmu->is_given[i]) fmu->m.y[i] = fmu->given[i];
  unit_restart(&fmu->m, fmu->start);
}

// inputs, parameters and states keep what they were set to
unsigned hn_fmu_begin(hn_fmu *fmu, double start) {
  if (fmu->moves) memset(fmu->is_given, 0, sizeof fmu->is_given);
  fmu->moves = false, fmu->start = start;
  begin_anew(fmu);
  return 0;
}

unsigned hn_fmu_settle(hn_fmu *fmu) {
  // parameters act when they are set
  (void)fmu;
  return 0;
}

// ---- values --------------------------------------------------------------------------------

double hn_fmu_time(const hn_fmu *fmu) {
  return fmu->m.t;
}

unsigned hn_fmu_rates(hn_fmu *fmu, double *rate) {
  if (!fmu->known_rate) unit_rates(&fmu->m, fmu->rate);
  fmu->known_rate = true;
  // rate may be fmu->rate itself (hn_fmu_get)
  memmove(rate, fmu->rate, unit_states * sizeof *rate);
  return 0;
}

unsigned hn_fmu_get(hn_fmu *fmu, unsigned reference, double *value) {
  // unsigned: references are never negative
  if (reference >= VARIABLES)
    return hn_fmu_refuse(fmu, "there is no variable with such a value reference");
  if (reference >= RATE) {
    // from the last group to the first
    hn_fmu_rates(fmu, fmu->rate);
    *value = fmu->rate[reference - RATE];
  } else if (reference >= STATE) {
    *value = fmu->m.y[reference - STATE];
  } else if (reference >= OUTPUT) {
    if (!fmu->known_out) unit_get_outputs(&fmu->m, fmu->out);
    fmu->known_out = true;
    *value = fmu->out[reference - OUTPUT];
  } else if (reference >= INPUT) {
    *value = fmu->m.input[reference - INPUT];
  } else {
    *value = reference >= PARAMETER ? fmu->m.parameter[reference - PARAMETER] : fmu->m.t;
  }
  return 0;
}

// Before the first step parameters change the start as well; later they act from the state at hand,
// as the description calls them tunable.
static void tune(hn_fmu *fmu, unsigned parameter, double value) {
  double x[unit_parameters + 1];
  // all parameters are set together: numbers of the code depend on several of them
  memcpy(x, fmu->m.parameter, sizeof x);
  x[parameter] = value;
  unit_set_parameters(&fmu->m, x);
  // a run that goes on keeps its state
  if (!fmu->moves) begin_anew(fmu);
}

// states set one by one: the run begins anew from them
static void set_state(hn_fmu *fmu, int state, double value) {
  fmu->m.y[state] = value;
  if (!fmu->moves) fmu->is_given[state] = true, fmu->given[state] = value;
  unit_restart(&fmu->m, fmu->m.t);
}

// NaN and infinity make value - value something else than zero.
unsigned hn_fmu_set(hn_fmu *fmu, unsigned reference, double value) {
  bool input = reference >= INPUT && reference < OUTPUT;
  bool parameter = reference >= PARAMETER && reference < INPUT;
  if (!input && !parameter && (reference < STATE || reference >= RATE))
    return hn_fmu_refuse(fmu, "only parameters, inputs and states are set");
  if (!(value - value == 0)) return hn_fmu_refuse(fmu, "a value must be finite");
  if (input)
    fmu->m.input[reference - INPUT] = value;
  else if (parameter)
    tune(fmu, reference - PARAMETER, value);
  else
    set_state(fmu, (int)(reference - STATE), value);
  forget(fmu);
  return 0;
}

// as unit_advance goes, step by step
// Steps of equal length, the last one exactly at the end: the same as unit_advance makes them, with
// somebody told after each, who may ask for an earlier end.
static int advance_and_tell(hn_fmu *fmu, double end, const hn_fmu_listener *listener) {
  double start = fmu->m.t, n = fmax(1, ceil((end - start) / unit_longest - 1e-9)), stop = end;
  // no time to go is no failure; time that goes back is one
  if (!(end > start)) return end < start;
  for (double k = 1; k <= n && fmu->m.t < stop; k++) {
    double next = k < n ? start + k * ((end - start) / n) : end;
    // the listener wants to stop within a step: that one is made by unit_advance, to the instant
    if (next > stop) return unit_advance(&fmu->m, stop);
    if (unit_step(&fmu->m, (end - start) / n)) return 1;
    // not t + h: the end is met exactly
    fmu->m.t = next;
    forget(fmu);
    stop = fmin(stop, listener->tell(listener->who, stop));
  }
  return 0;
}

// nothing switches in code
unsigned hn_fmu_advance(hn_fmu *fmu, double time, bool *event, const hn_fmu_listener *listener) {
  forget(fmu);
  // from here on parameters act on the state at hand
  fmu->moves = true;
  if (event) *event = false;
  int bad = listener ? advance_and_tell(fmu, time, listener) : unit_advance(&fmu->m, time);
  forget(fmu);
  if (!bad) return 0;
  return hn_fmu_refuse(fmu, "the constraints are (nearly) singular here, or time goes back");
}

unsigned hn_fmu_happen(hn_fmu *fmu, bool *changed) {
  (void)fmu;
  *changed = false;
  return 0;
}

bool hn_fmu_ended(const hn_fmu *fmu) {
  (void)fmu;
  return false;
}

// ---- integration from outside --------------------------------------------------------------

int hn_fmu_state_count(const hn_fmu *fmu) {
  (void)fmu;
  return unit_states;
}

void hn_fmu_get_states(const hn_fmu *fmu, double *y) {
  // contiguous: positions, velocities, the model's states
  memcpy(y, fmu->m.y, unit_states * sizeof *y);
}

unsigned hn_fmu_set_states(hn_fmu *fmu, const double *y) {
  memcpy(fmu->m.y, y, unit_states * sizeof *y);
  fmu->moves = true;
  // the state is another, at the same time
  return hn_fmu_set_time(fmu, fmu->m.t);
}

unsigned hn_fmu_set_time(hn_fmu *fmu, double time) {
  unit_restart(&fmu->m, time);
  forget(fmu);
  return 0;
}

int hn_fmu_indicator_count(const hn_fmu *fmu) {
  (void)fmu;
  return 0;
}

unsigned hn_fmu_indicate(hn_fmu *fmu, double *value) {
  (void)fmu, (void)value;
  return 0;
}

bool hn_fmu_complete(hn_fmu *fmu) {
  // not a number is off as well
  return !(unit_violation(&fmu->m) <= drift);
}

unsigned hn_fmu_event(hn_fmu *fmu, bool *changed) {
  *changed = hn_fmu_complete(fmu);
  if (!*changed) return 0;
  forget(fmu);
  return unit_project(&fmu->m) ? hn_fmu_refuse(fmu, "no way back onto the constraints") : 0;
}

// ---- derivatives ---------------------------------------------------------------------------

// Along one direction in states and inputs; exact, by the derivative code of the unit.
unsigned hn_fmu_directional(hn_fmu *fmu, const unsigned *unknown, size_t unknowns,
                            const unsigned *known, size_t knowns, const double *seed, double *out) {
  // zeros: known variables that are not named do not change
  double z[unit_states + unit_inputs + 1] = {0}, rate[unit_states + 1], change[unit_outputs + 1];
  for (size_t i = 0; i < knowns; i++) {
    unsigned k = known[i];
    if (k >= STATE && k < RATE)
      // one that is named twice moves by both
      z[k - STATE] += seed[i];
    else if (k >= INPUT && k < OUTPUT)
      z[unit_states + k - INPUT] += seed[i];
    else
      return hn_fmu_refuse(fmu, "derivatives are by states and inputs");
  }
  unit_derivative(&fmu->m, z, rate, change);
  for (size_t i = 0; i < unknowns; i++) {
    unsigned k = unknown[i];
    if (k >= RATE && k < VARIABLES)
      out[i] = rate[k - RATE];
    else if (k >= OUTPUT && k < STATE)
      out[i] = change[k - OUTPUT];
    else
      // time, parameters and states themselves have none
      return hn_fmu_refuse(fmu, "derivatives are of outputs and rates");
  }
  return 0;
}

// ---- bytes ---------------------------------------------------------------------------------

// The unit is plain memory without pointers: its bytes are its state.
unsigned hn_fmu_save(hn_fmu *fmu, void **bytes, size_t *length) {
  *bytes = malloc(sizeof fmu->m);
  if (!*bytes) return hn_fmu_refuse(fmu, "out of memory");
  memcpy(*bytes, &fmu->m, sizeof fmu->m);
  *length = sizeof fmu->m;
  return 0;
}

unsigned hn_fmu_load(hn_fmu *fmu, const void *bytes, size_t length) {
  // the importer may bring anything
  if (length != sizeof fmu->m) return hn_fmu_refuse(fmu, "the bytes are not those of a state");
  memcpy(&fmu->m, bytes, length);
  fmu->moves = true;
  forget(fmu);
  return 0;
}

#endif
