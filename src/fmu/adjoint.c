// adjoint.c: derivatives the other way round, from those along directions.
//
// FMI 3 asks for v^T J, what fmu.c and coded.c have is J v: one directional derivative for each
// known variable gives a column of J, of which the product with the seed is one number of the
// answer. The cost is that of as many directional derivatives as there are known variables. Both
// kinds of instance share it, and it goes into FMUs with sources.
#include "fmu/instance.h"

#include <stdlib.h>

unsigned hn_fmu_adjoint(hn_fmu *fmu, const unsigned *unknown, size_t unknowns,
                        const unsigned *known, size_t knowns, const double *seed, double *out) {
  double *change = calloc(unknowns + 1, sizeof *change), one = 1;
  unsigned status = change ? 0 : hn_fmu_refuse(fmu, "out of memory");
  for (size_t i = 0; i < knowns && !status; i++) {
    status = hn_fmu_directional(fmu, unknown, unknowns, &known[i], 1, &one, change);
    out[i] = 0;
    for (size_t k = 0; k < unknowns; k++) out[i] += seed[k] * change[k];
  }
  free(change);
  return status;
}
