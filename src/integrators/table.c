// table.c: the integrators that exist, by name. New ones are a row here and a file with their
// struct; families that share their functions are arrays (hn_integrator_alpha,
// hn_integrator_adams).
#include "integrators/integrators.h"
#include "model/extension.h"
#include "model/options.h"

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
    &hn_integrator_moreau,
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
    &hn_integrator_tangent_space_bdf,
    &hn_integrator_partition_bdf,
    &hn_integrator_uk_newmark,
    &hn_integrator_augmented_displacement,
    &hn_integrator_augmented_acceleration,
    &hn_integrator_alpha[13],
    &hn_integrator_adams[0],
    &hn_integrator_adams[1],
    &hn_integrator_adams[2],
    &hn_integrator_adams[3],
    &hn_integrator_adams[4],
    &hn_integrator_adams[5],
};
enum { COUNT = sizeof table / sizeof table[0] };

// those from outside
// set while nothing runs, read by every thread after that
static const hn_integrator_type *outside[HN_EXTENSIONS];
static int outsiders;

static const hn_integrator_type *type_at(int index) {
  if (index < 0 || index >= COUNT + outsiders) return NULL;
  return index < COUNT ? table[index] : outside[index - COUNT];
}

const hn_type_info *hn_integrator_at(int index) {
  const hn_integrator_type *type = type_at(index);
  return type ? &type->info : NULL;
}

const hn_integrator_type *hn_integrator_find(const char *name) {
  const hn_integrator_type *type;
  for (int i = 0; (type = type_at(i)); i++)
    if (strcmp(type->info.name, name) == 0) return type;
  return NULL;
}

static bool is_option(const char *word) {
  return hn_option_find(word) != NULL;
}

// before threads are started: the list has no lock
hn_status hn_extend_integrator_for(const hn_integrator_type *type, int version, char *message,
                                   size_t size) {
  hn_extension e = {"integrator", hn_integrator_at, is_option, outsiders};
  hn_status status = hn_check_extension(&e, &type->info, version, message, size);
  if (!status) outside[outsiders++] = type;
  return status;
}

// ---- what they see of a run --------------------------------------------------------------------

int hn_stepper_size(const hn_sim *sim) {
  return sim->state.n;
}

const double *hn_stepper_state(const hn_sim *sim) {
  return sim->state.y;
}

double *hn_stepper_next(hn_sim *sim) {
  return sim->step.y_new;
}

double *hn_stepper_stage(hn_sim *sim) {
  return sim->step.y_stage;
}

double hn_stepper_step(const hn_sim *sim) {
  return sim->opt.step;
}

double *hn_stepper_slope(hn_sim *sim, int k) {
  return sim->step.k[k];
}
