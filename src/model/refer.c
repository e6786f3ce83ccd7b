// refer.c: joints and forces that are named by other elements: are they there?
#include "model/check.h"
#include "model/fields.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

// When all joints are known, since files may name them before they describe them.
static hn_status check_reference(hn_model *model, const char *key, const char *name) {
  if (!name || hn_model_find_joint(model, name) >= 0) return HN_OK;
  if (hn_model_find_block(model, name) >= 0) return HN_OK;  // its coordinates serve as well
  const char *near = NULL;
  const char **names = malloc(((size_t)model->joint_count + 1) * sizeof *names);
  if (names) {
    for (int i = 0; i < model->joint_count; i++) names[i] = model->joint[i].def.name;
    names[model->joint_count] = NULL;
    near = hn_nearest(name, names);
    free((void *)names);
  }
  if (near)
    return hn_element_fail(model, key, "no joint named '%.60s' (did you mean '%s'?)", name, near);
  return hn_element_fail(model, key, "no joint named '%.60s'", name);
}

// the force that acts for a driver must have one effort
// Inverse dynamics finds one effort for each driver, so that no two may share a force.
static hn_status check_actuator(hn_model *model, const hn_joint_def *def) {
  if (!def->by) return HN_OK;
  int index = hn_model_find_force(model, def->by);
  if (index < 0) return hn_element_fail(model, "by", "no force is named '%s'", def->by);
  const char *type = model->force[index].def.type;
  if (!hn_word_in(type, "motor spring torsion-spring"))
    return hn_element_fail(model, "by", "'%s' is a %s (only motor, spring and torsion-spring act)",
                           def->by, type);
  for (int i = 0; i < model->joint_count; i++) {
    const hn_joint_def *other = &model->joint[i].def;
    if (other != def && other->by && strcmp(other->by, def->by) == 0)
      return hn_element_fail(model, "by", "'%s' acts for driver '%s' too", def->by, other->name);
  }
  return HN_OK;
}

hn_status hn_model_check_joint(hn_model *model, int index) {
  const hn_joint_def *def = &model->joint[index].def;
  model->now = model->joint[index].place;
  hn_model_subject(model, "joint", def->name, NULL);
  hn_status status = check_reference(model, "joint_a", def->joint_a);
  if (!status) status = check_reference(model, "joint_b", def->joint_b);
  return status ? status : check_actuator(model, def);
}

hn_status hn_model_check_force(hn_model *model, int index) {
  const hn_force_def *def = &model->force[index].def;
  model->now = model->force[index].place;
  hn_model_subject(model, "force", def->name, NULL);
  return check_reference(model, "joint", def->joint);
}
