// robot_rig.h: runs of robot files and of model files, for tests that compare them.
#ifndef HN_ROBOT_RIG_H
#define HN_ROBOT_RIG_H

#include "test.h"

#include "robots/import.h"

#include <holon/holon.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
} run;

// what its model holds
static inline bool start_loaded(run *r) {
  char message[HN_MESSAGE] = "";
  hn_options *o = hn_model_options(r->model);
  o->rtol = 1e-11;
  bool good = hn_compile(&r->sys, r->model) == HN_OK &&
              hn_sim_create(&r->sim, r->sys, o, message, sizeof message) == HN_OK;
  if (!CHECK(good)) printf("  %s%s\n", hn_model_error(r->model), message);
  return good;
}

// a model file
static inline bool start_model(run *r, const char *text) {
  *r = (run){.model = hn_model_create()};
  bool good = CHECK(hn_model_parse(r->model, text, strlen(text), "m.yaml") == HN_OK);
  if (!good) printf("  %s\n%s", hn_model_error(r->model), text);
  return good && start_loaded(r);
}

// a robot file, which is told by the name it is given
static inline bool start(run *r, const char *text, const char *file) {
  char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
  *r = (run){0};
  if (!CHECK(hn_import_text(text, strlen(text), file, false, &model, &report, message) == HN_OK)) {
    printf("  %s\n", message);
    return false;
  }
  bool good = start_model(r, model);
  free(model), free(report);
  return good;
}

static inline void stop(run *r) {
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

#endif
