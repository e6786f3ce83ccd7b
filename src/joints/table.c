// table.c: all joint types, in the order in which they are listed to the user.
#include "joints/joint.h"

#include "model/extension.h"

#include <string.h>

// one line per type
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

#define DECLARE(name) extern const hn_joint_type hn_joint_##name;
#define ENTRY(name)   &hn_joint_##name,
TYPES(DECLARE)

static const hn_joint_type *const types[] = {TYPES(ENTRY)};
enum { COUNT = sizeof types / sizeof *types };

// those from outside
static const hn_joint_type *outside[HN_EXTENSIONS];
static int outsiders;

static const hn_joint_type *type_at(int index) {
  if (index < 0 || index >= COUNT + outsiders) return NULL;
  return index < COUNT ? types[index] : outside[index - COUNT];
}

const hn_joint_type *hn_joint_type_find(const char *name) {
  const hn_joint_type *type;
  for (int i = 0; (type = type_at(i)); i++)
    if (!strcmp(name, type->info.name)) return type;
  return NULL;
}

const hn_type_info *hn_joint_type_at(int index) {
  const hn_joint_type *type = type_at(index);
  return type ? &type->info : NULL;
}

static bool needs_rotation(const char *name) {
  const hn_joint_type *type = hn_joint_type_find(name);
  return type && type->needs_rotation;
}

const hn_family hn_joint_family = {
    .word = "joint",
    .fields = hn_joint_fields,
    .type_at = hn_joint_type_at,
    .needs_rotation = needs_rotation,
    .common = "type stiffness preload constraint_stiffness omega mu remove soft "
              "active catches releases breaks breaks_torque components "
              "color description",
};

static bool is_key(const char *word) {
  return hn_fields_have(hn_joint_fields, word);
}

hn_status hn_extend_joint_for(const hn_joint_type *type, int version, char *message, size_t size) {
  hn_extension e = {"joint type", hn_joint_type_at, is_key, outsiders};
  hn_status status = hn_check_extension(&e, &type->info, version, message, size);
  if (!status) outside[outsiders++] = type;
  return status;
}
