// friction_rig.h: the methods by which friction that holds is tried.
#ifndef HN_FRICTION_RIG_H
#define HN_FRICTION_RIG_H

#include "contact_rig.h"

static const how rub_ways[] = {{NULL, "reference", 0, 1e-11, NULL},
                               {NULL, "relative", 0, 1e-11, NULL},
                               {"integrator rk4", "relative", 2e-3, 0, NULL},
                               {"integrator rk4", "reference", 2e-3, 0, NULL},
                               {"integrator index3-alpha", "reference", 1e-3, 0, NULL},
                               {"integrator index2-alpha", "reference", 1e-3, 0, NULL},
                               {"baumgarte", "reference", 1e-3, 0, NULL}};
enum { RUB_WAYS = sizeof rub_ways / sizeof *rub_ways };

static inline bool second_order(const how *w) {
  return w->method && strstr(w->method, "alpha");
}

// orders of methods while something slides: at least this, from this step on
static const struct {
  const char *method;
  double least, step;
} slide_orders[] = {{"integrator heun", 1.9, 4e-3},
                    {"integrator rk4", 3.8, 2e-2},
                    {"integrator index3-alpha", 1.9, 4e-3},
                    {"integrator index2-alpha", 1.9, 4e-3}};
enum { SLIDE_ORDERS = sizeof slide_orders / sizeof *slide_orders };

#endif
