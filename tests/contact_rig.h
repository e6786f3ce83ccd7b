// contact_rig.h: models with stops, given as text, and what happened to them.
#ifndef HN_CONTACT_RIG_H
#define HN_CONTACT_RIG_H

#include "test.h"

#include <holon/holon.h>

typedef struct rig {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_options options;
  hn_status status;
  char message[400];
} rig;

// method: a preset, or "integrator NAME"; coordinates and step as the options have them
typedef struct how {
  const char *method, *coordinates;
  double step, rtol;
  const char *law;
} how;

static inline rig rig_open(const char *text, how w) {
  rig r = {.model = hn_model_create()};
  r.status = hn_model_parse(r.model, text, strlen(text), "test");
  hn_options *o = hn_model_options(r.model);
  if (w.method && strncmp(w.method, "integrator ", 11) == 0)
    snprintf(o->integrator, sizeof o->integrator, "%s", w.method + 11);
  else if (w.method)
    snprintf(o->method, sizeof o->method, "%s", w.method);
  if (w.coordinates) snprintf(o->coordinates, sizeof o->coordinates, "%s", w.coordinates);
  if (w.law) snprintf(o->impact_law, sizeof o->impact_law, "%s", w.law);
  if (w.step > 0) o->step = w.step;
  if (w.rtol > 0) o->rtol = w.rtol;
  snprintf(o->verify, sizeof o->verify, "off");
  r.options = *o;
  if (!r.status) r.status = hn_compile(&r.system, r.model);
  if (r.status) snprintf(r.message, sizeof r.message, "%s", hn_model_error(r.model));
  if (!r.status)
    r.status = hn_sim_create(&r.sim, r.system, &r.options, r.message, sizeof r.message);
  return r;
}

// the same from a file
static inline rig rig_open_file(const char *path, how w) {
  static char text[1 << 15];
  FILE *file = fopen(path, "rb");
  size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[n] = 0;
  CHECK(n > 0);
  return rig_open(text, w);
}

static inline bool rig_ready(const rig *r) {
  if (CHECK(r->status == HN_OK)) return true;
  printf("  %s\n", r->message);
  return false;
}

static inline bool rig_go(rig *r, double t) {
  if (CHECK(hn_advance(r->sim, t) == HN_OK)) return true;
  printf("  %s\n", hn_sim_error(r->sim));
  return false;
}

static inline void rig_close(rig *r) {
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
}

// what is left of the energy ledger, relative to what was turned over
static inline double rig_imbalance(rig *r) {
  hn_energy e;
  if (hn_sim_energy(r->sim, &e)) return INFINITY;
  return fabs(e.balance) / e.scale;
}

static inline double rig_value(rig *r, const char *joint, double *rate) {
  double value = NAN;
  hn_joint j = hn_find_joint(r->system, joint);
  if (hn_joint_coordinate(r->sim, j, NULL, &value, rate)) printf("  %s\n", hn_sim_error(r->sim));
  return value;
}

// the joint's coordinate after some time; NAN: it did not get there
static inline double rig_end_of(const char *text, const char *joint, const char *method,
                                double step, double rtol, double until) {
  rig r = rig_open(text, (how){method, "reference", step, rtol, NULL});
  double x = NAN;
  if (rig_ready(&r) && rig_go(&r, until)) x = rig_value(&r, joint, NULL);
  rig_close(&r);
  return x;
}

// order of a method by three steps, each half of the one before; e: the errors
static inline double rig_order(const char *text, const char *joint, const char *method, double step,
                               double until, double exact, double e[3]) {
  for (int k = 0; k < 3; k++)
    e[k] = fabs(rig_end_of(text, joint, method, step * pow(0.5, k), 0, until) - exact);
  double order = log2(e[0] / e[2]) / 2;
  printf("  %-6s %-24s %.1e %.1e %.1e order %.2f\n", joint, method, e[0], e[1], e[2], order);
  return order;
}

#endif
