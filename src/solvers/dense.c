// dense.c: what solvers that work on whole matrices share.
#include "solvers/solvers.h"

int hn_independent_rows(const hn_system *sys) {
  return sys->rows - sys->redundant;
}
