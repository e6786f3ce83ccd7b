// instance.h: one instance of an FMU as the functions of FMI need it (fmi2.c, fmi3.c). There are
// two kinds: the library with a model file (fmu.c, resource.c), and code written for one model
// (coded.c). This header and those functions go into FMUs with sources as they are, and so need
// nothing but the C library.
//
// Functions that can fail return 0 or an error; hn_fmu_message says why.
#ifndef HN_INSTANCE_H
#define HN_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hn_fmu hn_fmu;
enum { HN_FMU_MESSAGE = 512 };

// from the folder of the resources, a path or a file address; the token must be the model's own.
// exchange: others integrate it. NULL, and a message, on failure
hn_fmu *hn_fmu_open(const char *resources, const char *token, bool exchange,
                    char message[HN_FMU_MESSAGE]);
void hn_fmu_destroy(hn_fmu *fmu);
const char *hn_fmu_message(const hn_fmu *fmu);
unsigned hn_fmu_refuse(hn_fmu *fmu, const char *why);  // an error

unsigned hn_fmu_reset(hn_fmu *fmu);                // as it was when it was made
unsigned hn_fmu_begin(hn_fmu *fmu, double start);  // at its start, at that time
unsigned hn_fmu_settle(hn_fmu *fmu);               // parameters that were set act from here

double hn_fmu_time(const hn_fmu *fmu);
unsigned hn_fmu_get(hn_fmu *fmu, unsigned reference, double *value);
unsigned hn_fmu_set(hn_fmu *fmu, unsigned reference, double value);
// who is told after every step of the method on the way to `end`, and answers where to stop
typedef struct hn_fmu_listener {
  double (*tell)(void *who, double end);
  void *who;
} hn_fmu_listener;
// event: NULL, or where the step ends at the first instant at which something switches; it says
// whether there was one. listener: NULL, or told on the way
unsigned hn_fmu_advance(hn_fmu *fmu, double time, bool *event, const hn_fmu_listener *listener);
// what happens there: an impact, a lock; whether states changed
unsigned hn_fmu_happen(hn_fmu *fmu, bool *changed);
bool hn_fmu_ended(const hn_fmu *fmu);  // by an event of the model, before the time asked for

// integration from outside: y is positions, velocities and the model's states
int hn_fmu_state_count(const hn_fmu *fmu);
void hn_fmu_get_states(const hn_fmu *fmu, double *y);
unsigned hn_fmu_set_states(hn_fmu *fmu, const double *y);
unsigned hn_fmu_set_time(hn_fmu *fmu, double time);
unsigned hn_fmu_rates(hn_fmu *fmu, double *rate);
// functions that change their sign where something switches
int hn_fmu_indicator_count(const hn_fmu *fmu);
unsigned hn_fmu_indicate(hn_fmu *fmu, double *value);
// the states stand: whether the integrator has left the constraints, and there must be an event
bool hn_fmu_complete(hn_fmu *fmu);
// back onto the constraints, and what follows where something switched; whether states changed
unsigned hn_fmu_event(hn_fmu *fmu, bool *changed);

// changes of the unknown variables (outputs, rates) when the known ones (states, inputs) change by
// seed; and the other way round: what the known ones are worth when the unknown ones are worth seed
unsigned hn_fmu_directional(hn_fmu *fmu, const unsigned *unknown, size_t unknowns,
                            const unsigned *known, size_t knowns, const double *seed, double *out);
unsigned hn_fmu_adjoint(hn_fmu *fmu, const unsigned *unknown, size_t unknowns,
                        const unsigned *known, size_t knowns, const double *seed, double *out);

// all of it as bytes, free() them; and back
unsigned hn_fmu_save(hn_fmu *fmu, void **bytes, size_t *length);
unsigned hn_fmu_load(hn_fmu *fmu, const void *bytes, size_t length);

#endif
