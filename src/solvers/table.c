// table.c: the acceleration solvers that exist.
#include "solvers/solvers.h"

#include <string.h>

static const hn_solver_type *const table[] = {
    &hn_solver_lagrange,
    &hn_solver_baumgarte,
    &hn_solver_baumgarte_step,
    &hn_solver_baumgarte_adaptive,
    &hn_solver_baumgarte_integral,
    &hn_solver_baumgarte_energy,
    &hn_solver_baumgarte_sliding,
    &hn_solver_baumgarte_rule,
    &hn_solver_baumgarte_hamiltonian,
    &hn_solver_penalty,
    &hn_solver_augmented_lagrangian,
    &hn_solver_udwadia_kalaba,
    &hn_solver_null_space,
    &hn_solver_pseudoinverse,
    &hn_solver_removal,
    &hn_solver_hamiltonian,
    &hn_solver_embedded,
    &hn_solver_partition,
};
enum { COUNT = sizeof table / sizeof table[0] };

const hn_type_info *hn_solver_at(int index) {
  return index >= 0 && index < COUNT ? &table[index]->info : NULL;
}

const hn_solver_type *hn_solver_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(table[i]->info.name, name) == 0) return table[i];
  return NULL;
}
