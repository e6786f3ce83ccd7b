// beam_rig.h: what the tests of moving beams share.
#ifndef BEAM_RIG_H
#define BEAM_RIG_H

#include "analysis_rig.h"

// a model from a format, in the coordinates its method likes
__attribute__((format(printf, 4, 5))) static inline bool
open(rig *r, const char *method, double step, const char *format, ...) {
  char text[4000], message[512] = "";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memset(r, 0, sizeof *r);
  r->model = hn_model_create();
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test");
  hn_options *o = hn_model_options(r->model);
  snprintf(o->method, sizeof o->method, "%s", method);
  snprintf(o->verify, sizeof o->verify, "off");
  if (step > 0) o->step = step;
  if (!status) status = hn_compile(&r->system, r->model);
  if (!status) status = hn_sim_create(&r->sim, r->system, o, message, sizeof message);
  if (!CHECK(!status)) {
    printf("  %s %s\n", hn_model_error(r->model), message);
    rig_close(r);
  }
  return !status;
}

static inline bool advance(rig *r, double t) {
  hn_status status = hn_advance(r->sim, t);
  if (!CHECK(!status)) printf("  %s\n", hn_sim_error(r->sim));
  return !status;
}

static inline void position(const rig *r, const char *body, double x[3]) {
  hn_pose pose;
  memset(&pose, 0, sizeof pose);
  CHECK(!hn_body_pose(r->sim, hn_find_body(r->system, body), &pose));
  v3_copy(x, pose.position);
}

static inline double total_energy(const rig *r) {
  hn_energy e;
  memset(&e, 0, sizeof e);
  CHECK(!hn_sim_energy(r->sim, &e));
  return e.kinetic + e.potential;
}

static inline double distance(const double a[3], const double b[3]) {
  double d[3];
  v3_sub(d, a, b);
  return v3_norm(d);
}

#endif
