// table.c: all force types, in the order in which they are listed to the user.
//
// Gravity is no type: it is constant for every body, so compilation puts it into
// hn_system.constant_force and hn_potential_energy adds its potential.
#include "forces/force.h"

#include "model/extension.h"

#include <string.h>

// the order is that of `holon forces` and of the schema; tests loop over the table
// one line per type
#define TYPES(X)                                                                                   \
  X(spring)                                                                                        \
  X(torsion_spring)                                                                                \
  X(series)                                                                                        \
  X(motor)                                                                                         \
  X(dc_motor)                                                                                      \
  X(hydraulic_cylinder)                                                                            \
  X(force)                                                                                         \
  X(torque)                                                                                        \
  X(drag)                                                                                          \
  X(bushing)                                                                                       \
  X(beam_element)                                                                                  \
  X(bump_stop)                                                                                     \
  X(tyre)                                                                                          \
  X(contact)                                                                                       \
  X(clearance_revolute)                                                                            \
  X(clearance_spherical)                                                                           \
  X(clearance_prismatic)                                                                           \
  X(clearance_cylindrical)                                                                         \
  X(oil_film)                                                                                      \
  X(friction)                                                                                      \
  X(pile)

#define DECLARE(name) extern const hn_force_type hn_force_##name;
#define ENTRY(name)   &hn_force_##name,
TYPES(DECLARE)

static const hn_force_type *const types[] = {TYPES(ENTRY)};
enum { COUNT = sizeof types / sizeof *types };

// Types of users (holon/extend.h) stand behind the library's own, in the order in which they came.
// The list has no lock: they are registered before threads are started.
// those from outside
static const hn_force_type *outside[HN_EXTENSIONS];
static int outsiders;

static const hn_force_type *type_at(int index) {
  if (index < 0 || index >= COUNT + outsiders) return NULL;
  return index < COUNT ? types[index] : outside[index - COUNT];
}

const hn_force_type *hn_force_type_find(const char *name) {
  const hn_force_type *type;
  for (int i = 0; (type = type_at(i)); i++)
    if (!strcmp(name, type->info.name)) return type;
  return NULL;
}

const hn_type_info *hn_force_type_at(int index) {
  const hn_force_type *type = type_at(index);
  return type ? &type->info : NULL;
}

// Types with memory of their own (currents, pressures, bristles) write it as signals and states of
// the model, before that is compiled: everything that knows states then knows these, too
static hn_status add_states(hn_model *model, const hn_force_def *def) {
  const hn_force_type *type = hn_force_type_find(def->type);
  return type && type->states ? type->states(model, def) : HN_OK;
}

const hn_family hn_force_family = {
    .word = "force",
    .fields = hn_force_fields,
    .type_at = hn_force_type_at,
    .common = "type color description",
    .states = add_states,
};

static bool is_key(const char *word) {
  return hn_fields_have(hn_force_fields, word);
}

hn_status hn_extend_force_for(const hn_force_type *type, int version, char *message, size_t size) {
  hn_extension e = {"force type", hn_force_type_at, is_key, outsiders};
  hn_status status = hn_check_extension(&e, &type->info, version, message, size);
  if (!status) outside[outsiders++] = type;
  return status;
}
