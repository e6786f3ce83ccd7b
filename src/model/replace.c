// replace.c: elements of a model that is there get other numbers.
//
// The same checks and completions as where they are added (add.c); what stays is the name, which
// others have found the element by.
#include "model/add.h"
#include "model/shape.h"

#include <stdlib.h>

static hn_status out_of_memory(hn_model *model) {
  return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
}

hn_status hn_replace_body(hn_model *model, int index, const hn_body_def *given) {
  hn_body_def def = *given, *old = &model->body[index].def;
  hn_status status = hn_body_prepare(model, &def);
  if (status) return status;
  hn_shapes_free(old->shapes, old->shape_count);
  def.name = old->name;
  *old = def;
  return HN_OK;
}

hn_status hn_replace_frame(hn_model *model, int index, const hn_frame_def *given) {
  hn_frame_def def = *given, *old = &model->frame[index].def;
  hn_status status = hn_frame_prepare(model, &def);
  def.name = old->name;
  if (!status) *old = def;
  return status;
}

hn_status hn_replace_joint(hn_model *model, int index, const hn_joint_def *given) {
  hn_joint_def def = *given, *old = &model->joint[index].def;
  const hn_type_info *type = hn_family_type(model->joints, old->type);
  def.name = old->name, def.type = old->type;
  hn_status status = hn_joint_prepare(model, &def, type);
  if (status) return status;
  if (!hn_fields_copy(model->joints, hn_joint_fields, type, &def)) return out_of_memory(model);
  hn_fields_free(model->joints, hn_joint_fields, type, old);
  *old = def;
  return HN_OK;
}

hn_status hn_replace_force(hn_model *model, int index, const hn_force_def *given) {
  hn_force_def def = *given, *old = &model->force[index].def;
  const hn_type_info *type = hn_family_type(model->forces, old->type);
  def.name = old->name, def.type = old->type;
  hn_status status = hn_force_prepare(model, &def, type);
  if (status) return status;
  if (!hn_fields_copy(model->forces, hn_force_fields, type, &def)) return out_of_memory(model);
  hn_fields_free(model->forces, hn_force_fields, type, old);
  *old = def;
  return HN_OK;
}

hn_status hn_replace_start(hn_model *model, int index, const hn_start_def *given) {
  hn_start_def def = *given, *old = &model->start[index].def;
  hn_status status = hn_start_prepare(model, &def);
  def.quantity = old->quantity;
  if (!status) *old = def;
  return status;
}
