// table.c: the integrators that exist.
#include "integrators/integrators.h"

#include <string.h>

static const hn_integrator_type *const table[] = {
    &hn_integrator_euler,
    &hn_integrator_symplectic_euler,
    &hn_integrator_heun,
    &hn_integrator_rk4,
    &hn_integrator_dopri5,
    &hn_integrator_dop853,
    &hn_integrator_abm,
    &hn_integrator_staggered,
    &hn_integrator_velocity_hard,
    &hn_integrator_velocity_baumgarte,
    &hn_integrator_velocity_augmented,
    &hn_integrator_velocity_soft,
    &hn_integrator_energy_momentum,
    &hn_integrator_energy_momentum_index2,
    &hn_integrator_energy_decaying,
    &hn_integrator_discrete_null_space,
    &hn_integrator_augmented_index3,
    &hn_integrator_augmented_combined,
    &hn_integrator_alpha[0],
    &hn_integrator_alpha[1],
    &hn_integrator_alpha[2],
    &hn_integrator_alpha[3],
    &hn_integrator_alpha[4],
    &hn_integrator_alpha[5],
    &hn_integrator_alpha[6],
    &hn_integrator_alpha[7],
    &hn_integrator_alpha[8],
    &hn_integrator_alpha[9],
    &hn_integrator_alpha[10],
    &hn_integrator_alpha[11],
    &hn_integrator_alpha[12],
    &hn_integrator_index1_bdf,
    &hn_integrator_index2_bdf,
    &hn_integrator_index3_bdf,
    &hn_integrator_uk_newmark,
};
enum { COUNT = sizeof table / sizeof table[0] };

const hn_type_info *hn_integrator_at(int index) {
  return index >= 0 && index < COUNT ? &table[index]->info : NULL;
}

const hn_integrator_type *hn_integrator_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(table[i]->info.name, name) == 0) return table[i];
  return NULL;
}
