// table.c: all joint types, in the order in which they are listed to the user.
#include "joints/joint.h"

#include "model/extension.h"

#include <string.h>

// one line per type
// The order is that of `holon joints` and of the schema. A type that is missing here does not exist
// for anybody; tests loop over the table.
#define TYPES(X)                                                                                   \
  X(revolute)                                                                                      \
  X(prismatic)                                                                                     \
  X(cylindrical)                                                                                   \
  X(spherical)                                                                                     \
  X(universal)                                                                                     \
  X(planar)                                                                                        \
  X(fixed)                                                                                         \
  X(generic)                                                                                       \
  X(screw)                                                                                         \
  X(constant_velocity)                                                                             \
  X(distance)                                                                                      \
  X(universal_spherical)                                                                           \
  X(revolute_spherical)                                                                            \
  X(revolute_prismatic)                                                                            \
  X(point_on_line)                                                                                 \
  X(point_on_plane)                                                                                \
  X(parallel)                                                                                      \
  X(perpendicular)                                                                                 \
  X(gear)                                                                                          \
  X(gear_flank)                                                                                    \
  X(rack_pinion)                                                                                   \
  X(held_coordinate)                                                                               \
  X(driver)                                                                                        \
  X(rolling_disc)                                                                                  \
  X(rolling_sphere)                                                                                \
  X(knife_edge)                                                                                    \
  X(wheel)                                                                                         \
  X(lock)                                                                                          \
  X(limit)                                                                                         \
  X(rope)                                                                                          \
  X(apart)                                                                                         \
  X(stop)                                                                                          \
  X(hold)                                                                                          \
  X(contact)                                                                                       \
  X(clearance_revolute)                                                                            \
  X(clearance_spherical)                                                                           \
  X(clearance_prismatic)                                                                           \
  X(clearance_cylindrical)

// one extern for each: their files need no header of their own
#define DECLARE(name) extern const hn_joint_type hn_joint_##name;
#define ENTRY(name)   &hn_joint_##name,
TYPES(DECLARE)

// the table proper; pointers to constants, so that threads may share it
static const hn_joint_type *const types[] = {TYPES(ENTRY)};
enum { COUNT = sizeof types / sizeof *types };

// those from outside (holon/extend.h), behind the library's own. The list has no lock: they are
// registered before threads are started
static const hn_joint_type *outside[HN_EXTENSIONS];
static int outsiders;

// NULL behind the last one, which ends all loops over types
static const hn_joint_type *type_at(int index) {
  if (index < 0 || index >= COUNT + outsiders) return NULL;
  return index < COUNT ? types[index] : outside[index - COUNT];
}

// linear: asked once for a joint of a model, and there are few types
const hn_joint_type *hn_joint_type_find(const char *name) {
  const hn_joint_type *type;
  for (int i = 0; (type = type_at(i)); i++)
    if (!strcmp(name, type->info.name)) return type;
  return NULL;
}

// without the functions: what readers, schema and help have to know
const hn_type_info *hn_joint_type_at(int index) {
  const hn_joint_type *type = type_at(index);
  return type ? &type->info : NULL;
}

// a point mass must not be joined by such a type; models are told where they are read, not when
// they are compiled
static bool needs_rotation(const char *name) {
  const hn_joint_type *type = hn_joint_type_find(name);
  return type && type->needs_rotation;
}

// How the reader of models knows joints: it stands on a lower floor (ARCHITECTURE.md) and is handed
// this. `common` are the keys that all of them have.
const hn_family hn_joint_family = {
    .word = "joint",
    .fields = hn_joint_fields,
    .type_at = hn_joint_type_at,
    .needs_rotation = needs_rotation,
    .common = "type stiffness preload constraint_stiffness omega mu remove soft "
              "active catches releases breaks breaks_torque components "
              "color description",
};

// a key of a new type must be known to the reader: there are no new fields at run time
static bool is_key(const char *word) {
  return hn_fields_have(hn_joint_fields, word);
}

// refuses names that are taken, keys that nobody reads and another version of the struct
hn_status hn_extend_joint_for(const hn_joint_type *type, int version, char *message, size_t size) {
  hn_extension e = {"joint type", hn_joint_type_at, is_key, outsiders};
  hn_status status = hn_check_extension(&e, &type->info, version, message, size);
  if (!status) outside[outsiders++] = type;
  return status;
}
