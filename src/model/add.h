// add.h: what adding an element does beside finding it a place, for those who give one that is
// there other numbers.
#ifndef HN_ADD_H
#define HN_ADD_H

#include "model/model.h"

// everything that is checked but the name, and what follows from the rest (mass, inertia, flags).
// What the definition points to stays the caller's, but for shapes: those are copies then
hn_status hn_body_prepare(hn_model *model, hn_body_def *def);
hn_status hn_frame_prepare(hn_model *model, hn_frame_def *def);
hn_status hn_joint_prepare(hn_model *model, hn_joint_def *def, const hn_type_info *type);
hn_status hn_force_prepare(hn_model *model, hn_force_def *def, const hn_type_info *type);
hn_status hn_start_prepare(hn_model *model, hn_start_def *def);

// replace.c: element `index` with other numbers, as if it had been added so: its name and type are
// those it has. On failure it is what it was
hn_status hn_replace_body(hn_model *model, int index, const hn_body_def *def);
hn_status hn_replace_frame(hn_model *model, int index, const hn_frame_def *def);
hn_status hn_replace_joint(hn_model *model, int index, const hn_joint_def *def);
hn_status hn_replace_force(hn_model *model, int index, const hn_force_def *def);
hn_status hn_replace_start(hn_model *model, int index, const hn_start_def *def);

#endif
