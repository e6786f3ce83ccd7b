// dense.c: what solvers that work on whole matrices share.
#include "solvers/solvers.h"

int hn_independent_rows(const hn_sim *sim) {
  const double *D = sim->rows.D;
  int count = 0;
  for (int i = 0; i < sim->sys->rows; i++) count += !(D && D[i] > 0);
  return count;
}
