// model_elements.c: joints, forces, blocks and couplings of a model file.
#include "base/vec.h"
#include "io/model_reader.h"

#include <string.h>

// what the file calls the ground, which in a part is where the part is put; `a` is it when it is
// not given
static bool is_ground(const hn_yaml *map, const char *key) {
  const hn_yaml *name = hn_yaml_get(map, key);
  return name ? name->text && strcmp(name->text, "ground") == 0 : strcmp(key, "a") == 0;
}

static void origin(const hn_reader *reader, const hn_yaml *map, const char *key, hn_end end,
                   double at[3]) {
  hn_refill_touch_bodies(reader);
  v3_copy(at,
          is_ground(map, key) ? reader->scope->p : reader->model->body[end.body.id].def.position);
}

// an end that is given no place is at the origin of its body; a joint or force with one place
// only, at that of b (of a, when b is the ground)
// The described configuration says where things are: a joint without place and frames is put there.
static void complete_places(const hn_reader *reader, const hn_type_info *type, const hn_yaml *map,
                            hn_end a, hn_end b, double at[3], double at_b[3]) {
  if (!hn_word_in("at", type->keys)) return;
  bool two = hn_word_in("at_b", type->keys), at_given = hn_yaml_get(map, "at");
  if (two) {
    if (!at_given && !a.frame.id) origin(reader, map, "a", a, at);
    if (!hn_yaml_get(map, "at_b") && !b.frame.id) origin(reader, map, "b", b, at_b);
  } else if (!at_given && !a.frame.id && !b.frame.id) {
    bool at_a = is_ground(map, "b");
    origin(reader, map, at_a ? "a" : "b", at_a ? a : b, at);
  }
}

hn_status hn_read_joint_place(hn_reader *reader, const hn_yaml *e, hn_joint_def *def) {
  const hn_type_info *type = hn_family_type(reader->model->joints, def->type);
  hn_status status = hn_scope_place_joint(reader, e, type, def);
  if (!status) complete_places(reader, type, e, def->a, def->b, def->at, def->at_b);
  return status;
}

hn_status hn_read_force_place(hn_reader *reader, const hn_yaml *e, hn_force_def *def) {
  const hn_type_info *type = hn_family_type(reader->model->forces, def->type);
  hn_status status = hn_scope_place_force(reader, e, type, def);
  if (!status) complete_places(reader, type, e, def->a, def->b, def->at, def->at_b);
  return status;
}

// Type first, because it decides which keys there are; then keys, then where the part is put.
static hn_status read_joint(hn_reader *reader, const hn_yaml *e) {
  hn_joint_def def = {0}, keys;
  const hn_type_info *type = NULL;
  int index = reader->model->joint_count;
  hn_refill_begin(reader);
  hn_section_entry(reader, "joint", e);
  hn_status status = hn_read_type(reader, reader->model->joints, e, &type);
  if (!status) status = hn_section_name(reader, e, &def.name);
  if (!status)
    status = hn_read_fields(reader, e, reader->model->joints, hn_joint_fields, type, "type", &def);
  if (!status) status = hn_check_present(reader, reader->model->joints, type, e);
  if (status) return status;
  def.type = type->name;
  keys = def;
  status = hn_read_joint_place(reader, e, &def);
  if (!status && hn_add_joint(reader->model, &def).id < 0) status = reader->model->failure;
  if (!status) hn_refill_keep(reader, HN_REFILL_JOINT, index, e, &keys, sizeof keys);
  return status;
}

// A spring whose numbers read signals becomes one with a law (model_law.c).
static hn_status read_force(hn_reader *reader, const hn_yaml *e) {
  hn_force_def def = {0}, keys;
  const hn_type_info *type = NULL;
  int index = reader->model->force_count, signals = reader->model->signal_count;
  hn_refill_begin(reader);
  hn_section_entry(reader, "force", e);
  hn_status status = hn_read_type(reader, reader->model->forces, e, &type);
  if (!status) status = hn_section_name(reader, e, &def.name);
  const char *skip = "type", *law = NULL;
  if (!status && strcmp(type->name, "spring") == 0)
    status = hn_read_spring_law(reader, e, "length", &law);
  if (!status && strcmp(type->name, "torsion-spring") == 0)
    status = hn_read_spring_law(reader, e, "angle", &law);
  if (law) skip = "type stiffness damping preload free";
  if (!status)
    status = hn_read_fields(reader, e, reader->model->forces, hn_force_fields, type, skip, &def);
  if (law) def.law = law;
  if (!status) status = hn_check_present(reader, reader->model->forces, type, e);
  if (status) return status;
  def.type = type->name;
  keys = def;
  status = hn_read_force_place(reader, e, &def);
  if (!status && hn_add_force(reader->model, &def).id < 0) status = reader->model->failure;
  // numbers have become a law's text, or those of states
  bool alone = !law && reader->model->signal_count == signals;
  if (!status && alone) hn_refill_keep(reader, HN_REFILL_FORCE, index, e, &keys, sizeof keys);
  return status;
}

hn_status hn_read_blocks(hn_reader *reader) {
  return hn_section_each(reader, "blocks", "block", hn_read_block);
}

hn_status hn_read_couplings(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "couplings", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next) {
    hn_coupling_def def = {0};
    hn_section_entry(reader, "coupling", e);
    status = hn_need_map(reader, e);
    if (!status) status = hn_section_name(reader, e, &def.name);
    if (!status) status = hn_read_fields(reader, e, NULL, hn_coupling_fields, NULL, "", &def);
    if (!status) status = hn_add_coupling(reader->model, &def);
  }
  return status;
}

hn_status hn_read_joints(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "joints", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next)
    status = read_joint(reader, e);
  return status;
}

hn_status hn_read_forces(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "forces", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next)
    status = read_force(reader, e);
  return status;
}

// joints may be named before they are described, so names are looked up when all are there
// In the order in which they were added, counted through all scopes.
hn_status hn_check_joints(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "joints", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next) {
    hn_section_entry(reader, "joint", e);
    status = hn_model_check_joint(reader->model, reader->checked++);
  }
  return status;
}

hn_status hn_check_forces(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "forces", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next) {
    hn_section_entry(reader, "force", e);
    status = hn_model_check_force(reader->model, reader->first_force + reader->checked++);
  }
  return status;
}
