// bdf_missing.c: the steppers by SUNDIALS in a build without it. They are there by name, and say
// so.
#include "integrators/integrators.h"

#ifndef HN_HAVE_SUNDIALS

static void layout(hn_sim *sim, hn_arena *arena) {
  (void)sim, (void)arena;
}

static hn_status create(hn_sim *sim) {
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "integrator '%s' needs SUNDIALS, which this build of holon does not have",
                     sim->method.integrator->info.name);
}

// never called: there is no run
static hn_status step(hn_sim *sim, double limit) {
  (void)limit;
  return create(sim);
}

static void dense(hn_sim *sim, double t, double *y) {
  (void)sim, (void)t, (void)y;
}

#define MISSING(stepper)                                                                           \
  {                                                                                                \
    .info = {.name = stepper,                                                                      \
             .help = "BDF of variable order and step; needs SUNDIALS, which this build lacks",     \
             .keys = "rtol atol step bdf_order",                                                   \
             .required = ""},                                                                      \
    .order = 5, .adaptive = true, .layout = layout, .step = step, .dense = dense,                  \
    .stands_alone = true,                                                                          \
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_STIFF | HN_CAN_STATES, .create = create \
  }

const hn_integrator_type hn_integrator_index1_bdf = MISSING("index1-bdf");
const hn_integrator_type hn_integrator_index2_bdf = MISSING("index2-bdf");
const hn_integrator_type hn_integrator_index3_bdf = MISSING("index3-bdf");
const hn_integrator_type hn_integrator_tangent_space_bdf = MISSING("tangent-space-bdf");
const hn_integrator_type hn_integrator_partition_bdf = MISSING("implicit-partition-bdf");

#endif
