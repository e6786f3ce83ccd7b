// build_gate.c: joints that are switched on and off, or break.
#include "system/builder.h"

#include <string.h>

static bool add_row(hn_builder *b, int row) {
  hn_system *sys = b->sys;
  hn_unilateral *u = hn_builder_room(b, (void **)&sys->unilateral, &b->unilateral_capacity,
                                     sys->unilaterals, sizeof *u);
  if (!u) return false;
  *u = (hn_unilateral){.row = row, .gate = sys->gates + 1};
  sys->unilaterals++;
  return true;
}

// All rows of the joint become rows that come and go, next to each other. Where it breaks, its
// reaction must be known at every instant: it is among the loads.
void hn_builder_gate(hn_builder *b, int joint, const hn_joint_def *def) {
  hn_system *sys = b->sys;
  const hn_group *group = &sys->group[sys->joint[joint].group];
  bool breaks = def->breaks > 0 || def->breaks_torque > 0;
  if (b->status || !(def->active || def->catches || breaks)) return;
  hn_gate gate = {.joint = joint,
                  .first = sys->unilaterals,
                  .rows = group->rows,
                  .active = -1,
                  .catches = -1,
                  .releases = -1,
                  .force = def->breaks,
                  .torque = def->breaks_torque,
                  .load = breaks ? hn_build_load(b, joint) : -1,
                  // relations of joint coordinates have the same gradients wherever they hold
                  .anywhere = def->joint_a && strcmp(def->type, "driver") != 0};
  for (int i = 0; i < group->rows; i++)
    if (!add_row(b, group->row0 + i)) return;
  hn_gate *slot =
      hn_builder_room(b, (void **)&sys->gate, &b->gate_capacity, sys->gates, sizeof *slot);
  if (!slot) return;
  *slot = gate;
  sys->gates++;
}

static int condition(hn_builder *b, const char *key, const char *text) {
  return text && !b->status ? hn_build_expression(b, key, text, NULL, 0) : -1;
}

// Conditions read what is built after the joints: forces' lengths, states, signals.
void hn_builder_gates(hn_builder *b) {
  for (int i = 0; i < b->sys->gates && !b->status; i++) {
    hn_gate *gate = &b->sys->gate[i];
    const hn_model_joint *joint = &b->model->joint[b->sys->joint[gate->joint].handle - 1];
    b->place = joint->place;
    b->what = "joint";
    b->element = joint->def.name;
    gate->active = condition(b, "active", joint->def.active);
    gate->catches = condition(b, "catches", joint->def.catches);
    gate->releases = condition(b, "releases", joint->def.releases);
  }
}
