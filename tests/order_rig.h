// order_rig.h: the order of a method on any model, measured against the default method.
//
// Poses and velocities of all bodies at the end of a run with steps h, h/2 and h/4 are compared
// with those of an explicit method of order eight with a tolerance far below the errors looked at.
#ifndef HN_TESTS_ORDER_RIG_H
#define HN_TESTS_ORDER_RIG_H

#include "solver_rig.h"

enum { ORDER_NUMBERS = 600 };

// "name=value name=value"
static inline bool order_set(hn_options *o, const char *settings) {
  char copy[256], message[256];
  snprintf(copy, sizeof copy, "%s", settings);
  for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    if (!CHECK(value != NULL)) return false;
    *value++ = 0;
    if (!CHECK(hn_options_set(o, word, value, message, sizeof message) == HN_OK)) {
      printf("  %s\n", message);
      return false;
    }
  }
  return true;
}

// numbers that describe the state of all bodies
static inline int order_state(hn_sim *sim, double x[ORDER_NUMBERS]) {
  int count = 0;
  for (int b = 1; b < sim->sys->bodies && count + 9 <= ORDER_NUMBERS; b++) {
    hn_pose pose;
    if (hn_body_pose(sim, (hn_body){b}, &pose)) break;
    for (int k = 0; k < 3; k++) {
      x[count++] = pose.position[k];
      x[count++] = pose.velocity[k];
      x[count++] = pose.angular_velocity[k];
    }
  }
  if (count) return count;
  // blocks have no poses
  for (int i = 0; i < sim->state.w && count < ORDER_NUMBERS; i++) x[count++] = sim->state.y[i];
  return count;
}

// the state at time t; 0 numbers when that fails
static inline int order_run(const rig *r, const char *settings, double step, double t,
                            double x[ORDER_NUMBERS]) {
  char message[512];
  hn_sim *sim = NULL;
  hn_options o = r->options;
  if (!order_set(&o, settings)) return 0;
  o.step = step;
  hn_status status = hn_sim_create(&sim, r->sys, &o, message, sizeof message);
  if (!status) status = hn_advance(sim, t);
  if (!CHECK(status == HN_OK))
    printf("  %s, %s, step %g: %s\n", hn_model_name(r->model), settings, step,
           sim ? hn_sim_error(sim) : message);
  int count = status ? 0 : order_state(sim, x);
  hn_sim_destroy(sim);
  return count;
}

typedef struct order_case {
  const char *model, *coordinates;
  double t, step;
} order_case;

// the slope over the last halving; *error: at the smallest step
static inline double order_measure(const order_case *c, const char *settings, double *error) {
  static double exact[ORDER_NUMBERS], x[ORDER_NUMBERS];
  rig r;
  rig_case model = {c->model, NULL};
  double e[3] = {NAN, NAN, NAN}, size = 0;
  if (!rig_load(&r, &model, c->coordinates)) return NAN;
  int count = order_run(&r, "method=explicit integrator=dop853 rtol=1e-13 projection_tol=1e-13", 0,
                        c->t, exact);
  for (int i = 0; i < 3 && count; i++) {
    if (order_run(&r, settings, c->step / (1 << i), c->t, x) != count) break;
    e[i] = rig_difference(x, exact, count, &size);
  }
  rig_free(&r);
  *error = e[2];
  printf("%-26s %-10s %-40s %.1e %.1e %.1e order %.2f\n", c->model, c->coordinates, settings, e[0],
         e[1], e[2], log2(e[1] / e[2]));
  return log2(e[1] / e[2]);
}

#endif
