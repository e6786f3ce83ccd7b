// analysis_rig.h: what the tests of analyses share: a sim from the text of a model.
#ifndef ANALYSIS_RIG_H
#define ANALYSIS_RIG_H

#include "sim/sim.h"
#include "test.h"

#include <stdarg.h>
#include <stdlib.h>

typedef struct rig {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
} rig;

static inline void rig_close(rig *r) {
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
  memset(r, 0, sizeof *r);
}

// compiled in reference coordinates; complains itself
static inline bool rig_open(rig *r, const char *text) {
  char message[512];
  memset(r, 0, sizeof *r);
  r->model = hn_model_create();
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test");
  if (!status)
    status = hn_options_set(hn_model_options(r->model), "coordinates", "reference", message,
                            sizeof message);
  if (!status) status = hn_compile(&r->system, r->model);
  if (status) {
    printf("%s\n", hn_model_error(r->model));
  } else {
    status = hn_sim_create(&r->sim, r->system, hn_model_options(r->model), message, sizeof message);
    if (status) printf("%s\n", message);
  }
  if (!CHECK(!status)) rig_close(r);
  return !status;
}

// the same from a format
__attribute__((format(printf, 2, 3))) static inline bool rig_open_format(rig *r, const char *format,
                                                                         ...) {
  char text[4000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return rig_open(r, text);
}

static inline double rig_parameter(const rig *r, const char *name) {
  double x = NAN;
  CHECK(!hn_model_parameter(r->model, name, &x));
  return x;
}

// value of a column in a row of a result, NaN when there is none
static inline double rig_value(const hn_result *result, int row, const char *name) {
  int c = hn_result_find(result, name);
  if (c < 0) printf("no column '%s'\n", name);
  const double *x = hn_result_row(result, row);
  return c < 0 || !x ? NAN : x[c];
}

// a bar of 1.3 kg and 0.21 kg m^2, its centre 0.7 m from the hinge; hanging at angle 0
#define PENDULUM(angle)                                                                            \
  "gravity: [0, -9.81]\n"                                                                          \
  "bodies:\n"                                                                                      \
  "  bar: {type: planar, mass: 1.3, inertia: 0.21, com: [0, -0.7], angle: " angle "}\n"            \
  "joints: {hinge: {type: revolute, a: ground, b: bar, value: " angle "}}\n"

static const char pendulum_model[] = PENDULUM("1"), pendulum_upright[] = PENDULUM("pi");

#endif
