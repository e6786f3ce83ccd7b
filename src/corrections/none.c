// none.c: no correction; what the integrator leaves is what there is.
#include "corrections/corrections.h"

static hn_status apply(hn_sim *sim, double t, double *q, double *v, double *moved) {
  (void)sim, (void)t, (void)q, (void)v;
  if (moved) *moved = 0;
  return HN_OK;
}

const hn_correction_type hn_correction_none = {
    .info = {.name = "none", .help = "no correction: violations show", .keys = "", .required = ""},
    .can = HN_CAN_UNILATERAL | HN_CAN_REDUNDANT | HN_CAN_SINGULAR_MASS | HN_CAN_NONHOLONOMIC |
           HN_CAN_RELATIVE | HN_CAN_NATURAL,
    .apply = apply,
};
