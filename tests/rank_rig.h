// rank_rig.h: random mechanisms run by a method in some coordinates, and what came out.
#ifndef HN_TESTS_RANK_RIG_H
#define HN_TESTS_RANK_RIG_H

#include "random_mechanisms.h"

#include <holon/holon.h>

typedef struct way {
  const char *method, *coordinates, *code;
  double step;  // of methods of fixed step
} way;

typedef struct outcome {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
  hn_result *result;
  hn_status status;
  bool audit;
  char message[512];
} outcome;

static inline void go(outcome *o, const mechanism *m, const way *w, double duration) {
  char *message = o->message;
  size_t size = sizeof o->message;
  *o = (outcome){.model = hn_model_create()};
  o->status = hn_model_parse(o->model, m->text, m->used, "random");
  hn_options *options = hn_model_options(o->model);
  const char *keys[] = {"method", "coordinates", "code"};
  const char *values[] = {w->method, w->coordinates, w->code};
  for (int i = 0; i < 3 && !o->status; i++)
    o->status = hn_options_set(options, keys[i], values[i], message, size);
  options->duration = duration;
  options->output_step = duration;
  options->rtol = 1e-10;
  options->step = w->step;
  if (!o->status) o->status = hn_compile(&o->sys, o->model);
  if (o->status) snprintf(message, size, "%s", hn_model_error(o->model));
  if (!o->status) o->status = hn_sim_create(&o->sim, o->sys, options, message, size);
  if (!o->status && (o->status = hn_run(o->sim, &o->result, NULL, NULL)))
    snprintf(message, size, "%s", hn_sim_error(o->sim));
  if (!o->sim) return;
  hn_summary s;
  hn_sim_summary(o->sim, &s);
  o->audit = s.audit_pass;
}

static inline void end(outcome *o) {
  hn_result_destroy(o->result);
  hn_sim_destroy(o->sim);
  hn_system_destroy(o->sys);
  hn_model_destroy(o->model);
}

// largest difference of positions and velocities of bodies at the end
static inline double difference(const hn_result *a, const hn_result *b) {
  double worst = 0;
  const double *x = hn_result_row(a, hn_result_rows(a) - 1);
  const double *y = hn_result_row(b, hn_result_rows(b) - 1);
  static const char *const ends[] = {".x", ".y", ".z", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
  for (int c = 1; c < hn_result_columns(a); c++) {
    const char *name = hn_result_name(a, c), *dot = strrchr(name, '.');
    bool wanted = false;
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
      wanted |= strcmp(dot, ends[i]) == 0;
    int other = wanted ? hn_result_find(b, name) : -1;
    if (other >= 0) worst = fmax(worst, fabs(x[c] - y[other]));
  }
  return worst;
}

// what stands in a column at the end
static inline double last(const hn_result *r, const char *name) {
  return hn_result_row(r, hn_result_rows(r) - 1)[hn_result_find(r, name)];
}

#endif
