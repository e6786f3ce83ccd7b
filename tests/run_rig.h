// run_rig.h: a model run by a method in some coordinates, and its recorded columns.
#ifndef HN_TESTS_RUN_RIG_H
#define HN_TESTS_RUN_RIG_H

#include "test.h"

#include <holon/holon.h>

typedef struct run {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_result *result;
  char message[512];
} run;

static inline void run_free(run *r) {
  hn_result_destroy(r->result);
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
}

// compiles and runs what was loaded into r->model
static inline hn_status run_model(run *r, const char *method, const char *coordinates,
                                  double step) {
  hn_options *o = hn_model_options(r->model);
  snprintf(o->method, sizeof o->method, "%s", method);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  if (step > 0) o->step = step;
  snprintf(o->verify, sizeof o->verify, "off");  // what is tested is known by other means
  hn_status status = hn_compile(&r->system, r->model);
  if (status) {
    snprintf(r->message, sizeof r->message, "%s", hn_model_error(r->model));
    return status;
  }
  status = hn_sim_create(&r->sim, r->system, o, r->message, sizeof r->message);
  if (status) return status;
  status = hn_run(r->sim, &r->result, NULL, NULL);
  if (status) snprintf(r->message, sizeof r->message, "%s", hn_sim_error(r->sim));
  return status;
}

// a run of the model that the text describes, ready to step; 0 and NULL: what the model says
typedef struct run_by {
  const char *integrator, *coordinates;
  double step, rtol, newton_tol, duration;
  const char *correction;
} run_by;

// some let violations decay by rules of their own, which a correction would upset
static inline const char *run_correction(const char *integrator) {
  static const char *const alone[] = {"velocity-soft", "augmented-displacement",
                                      "augmented-acceleration"};
  for (int i = 0; i < 3; i++)
    if (strcmp(integrator, alone[i]) == 0) return "none";
  return NULL;
}

static inline bool run_start(run *r, const char *text, run_by by) {
  *r = (run){.model = hn_model_create()};
  hn_options *o = hn_model_options(r->model);
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  if (by.integrator) snprintf(o->integrator, sizeof o->integrator, "%s", by.integrator);
  if (by.correction) snprintf(o->correction, sizeof o->correction, "%s", by.correction);
  if (by.coordinates) snprintf(o->coordinates, sizeof o->coordinates, "%s", by.coordinates);
  snprintf(o->verify, sizeof o->verify, "off");
  if (by.step > 0) o->step = by.step;
  if (by.rtol > 0) o->rtol = by.rtol;
  if (by.newton_tol > 0) o->newton_tol = fmin(o->newton_tol, by.newton_tol);
  if (by.duration > 0) o->duration = by.duration;
  if (!status) status = hn_compile(&r->system, r->model);
  if (status) snprintf(r->message, sizeof r->message, "%s", hn_model_error(r->model));
  if (!status) status = hn_sim_create(&r->sim, r->system, o, r->message, sizeof r->message);
  if (status) printf("  %s\n", r->message);
  return status == HN_OK;
}

// what the reader or the compiler says of a description that cannot be right
typedef struct refusal {
  const char *text, *says;
} refusal;

// each of them after the text `before` is refused with its words
static inline void run_refused(const char *before, const refusal *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    run r = {.model = hn_model_create()};
    char text[3000];
    snprintf(text, sizeof text, "%s%s", before, cases[i].text);
    hn_status status = hn_model_parse(r.model, text, strlen(text), "test.yaml");
    if (!status) status = hn_compile(&r.system, r.model);
    if (!CHECK(status != HN_OK) || !CHECK(strstr(hn_model_error(r.model), cases[i].says) != NULL))
      printf("  %zu: %s\n", i, hn_model_error(r.model));
    run_free(&r);
  }
}

static inline int column(const hn_result *result, const char *name) {
  for (int i = 0; i < hn_result_columns(result); i++)
    if (strcmp(hn_result_name(result, i), name) == 0) return i;
  printf("no column %s\n", name);
  exit(1);
}

static inline const double *last_row(const hn_result *result) {
  return hn_result_row(result, hn_result_rows(result) - 1);
}

#endif
