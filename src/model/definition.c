// definition.c: definitions of programs that were compiled for another version of the library.
//
// Structs grow at their end and zero means "default", so that a shorter one is complete with zeros
// and a longer one is understood as long as nothing is said in the part that is not known here. A
// member that is added must not lie where the struct was padded before: what programs have there is
// anything.
#include "model/model.h"

#include <string.h>

hn_status hn_take_definition(hn_model *model, void *to, size_t known, const void *from,
                             size_t size) {
  if (!from) return hn_model_fail(model, model->now, HN_ERR_ARGUMENT, "a definition is missing");
  const unsigned char *bytes = from;
  for (size_t i = known; i < size; i++)
    if (bytes[i] != 0)
      return hn_model_fail(model, model->now, HN_ERR_UNSUPPORTED,
                           "the definition says something that holon %s does not know: the program "
                           "was compiled for a later version",
                           hn_version());
  memset(to, 0, known);
  memcpy(to, from, size < known ? size : known);
  return HN_OK;
}

// ---- what programs call that were compiled before sizes travelled ----------------------------

// size of a definition that ended with this member
#define UP_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

hn_body(hn_add_body)(hn_model *model, const hn_body_def *def) {
  return hn_add_body_sized(model, def, UP_TO(hn_body_def, hold));
}

hn_frame(hn_add_frame)(hn_model *model, const hn_frame_def *def) {
  return hn_add_frame_sized(model, def, UP_TO(hn_frame_def, orientation));
}

hn_joint(hn_add_joint)(hn_model *model, const hn_joint_def *def) {
  return hn_add_joint_sized(model, def, UP_TO(hn_joint_def, mu));
}

hn_force(hn_add_force)(hn_model *model, const hn_force_def *def) {
  return hn_add_force_sized(model, def, UP_TO(hn_force_def, speed));
}

hn_block(hn_add_block)(hn_model *model, const hn_block_def *def) {
  return hn_add_block_sized(model, def, UP_TO(hn_block_def, user));
}

hn_beam(hn_add_beam)(hn_model *model, const hn_beam_def *def) {
  return hn_add_beam_sized(model, def, UP_TO(hn_beam_def, place_count));
}

hn_status(hn_add_coupling)(hn_model *model, const hn_coupling_def *def) {
  return hn_add_coupling_sized(model, def, UP_TO(hn_coupling_def, compliance_count));
}

hn_status(hn_add_signal)(hn_model *model, const hn_signal_def *def) {
  return hn_add_signal_sized(model, def, UP_TO(hn_signal_def, interpolation));
}

hn_status(hn_add_controller)(hn_model *model, const hn_controller_def *def) {
  return hn_add_controller_sized(model, def, UP_TO(hn_controller_def, transition_count));
}

hn_status(hn_add_process)(hn_model *model, const hn_process_def *def) {
  return hn_add_process_sized(model, def, UP_TO(hn_process_def, size));
}
