// build_joint.c: joints of a system under construction, and their coordinates.
//
// A coordinate is a measure with a name. Its zero is where the definition says: with `at` and
// `axis` the described configuration has the value `value`, by a shift of the measure; two frames
// say by themselves where zero is.
#include "system/builder.h"

#include "model/check.h"

#include <stdio.h>
#include <string.h>

// The measure as built is zero where its mounts coincide; the shift makes it `value` (or zero) as
// described.
void hn_build_coordinate(hn_builder *b, const char *name, bool angular, int measure,
                         const hn_joint_def *def) {
  hn_sys_joint *j = &b->sys->joint[b->sys->joints - 1];
  if (b->status || measure < 0 || j->coordinates == HN_MAX_COORDINATES) return;
  // one coordinate has a value in the definition, the one it names or the first; others are zero
  bool named = def && (def->coordinate ? strcmp(def->coordinate, name) == 0 : j->coordinates == 0);
  if (angular ? b->shift_angle : b->shift_length)
    hn_build_shift(b, measure, (named ? def->value : 0) - hn_build_value(b, measure));
  else if (named && def->value != 0 && !def->hold)
    hn_build_fail(b, HN_ERR_MODEL,
                  "value has no effect: two frames say where zero is (with `hold: true` assembly "
                  "brings the joint there)");
  hn_build_plain_coordinate(b, name, angular, measure);
}

void hn_build_plain_coordinate(hn_builder *b, const char *name, bool angular, int measure) {
  hn_sys_joint *j = &b->sys->joint[b->sys->joints - 1];
  if (b->status || measure < 0 || j->coordinates == HN_MAX_COORDINATES) return;
  hn_coordinate *c = &j->coordinate[j->coordinates++];
  hn_copy_text(c->name, sizeof c->name, name);
  c->angular = angular;
  c->measure = measure;
}

// coordinates of blocks serve where those of joints do
static int block_coordinate(hn_builder *b, int index, const char *name, bool *angular) {
  const hn_sys_block *block = &b->sys->block[index];
  for (int k = 0; k < block->n; k++)
    if (!name || strcmp(block->label[k], name) == 0) {
      if (angular) *angular = b->sys->body[block->body + k].angular;
      b->acts[0] = 0, b->acts[1] = block->body + k;
      return block->measure[k];
    }
  hn_build_fail(b, HN_ERR_MODEL, "block '%s' has no coordinate '%s' (it has '%s')", block->name,
                name, block->label[0]);
  return -1;
}

// the measure of a coordinate by names, for gears, drivers and joint forces; -1 and a sentence:
// none
int hn_build_joint_coordinate(hn_builder *b, const char *joint, const char *coordinate,
                              bool *angular) {
  const hn_system *sys = b->sys;
  int block = hn_model_find_block(b->model, joint);
  if (block >= 0) return block_coordinate(b, block, coordinate, angular);
  for (int i = 0; i < sys->joints; i++) {
    const hn_sys_joint *j = &sys->joint[i];
    if (strcmp(j->name, joint) != 0) continue;
    for (int k = 0; k < j->coordinates; k++)
      if (!coordinate || strcmp(j->coordinate[k].name, coordinate) == 0) {
        if (angular) *angular = j->coordinate[k].angular;
        if (b->group < 0) sys->measure[j->coordinate[k].measure].used_by_force = true;
        b->acts[0] = j->a.body, b->acts[1] = j->b.body;
        return j->coordinate[k].measure;
      }
    if (coordinate && j->coordinates)
      hn_build_fail(b, HN_ERR_MODEL, "joint '%s' has no coordinate '%s' (it has '%s')", joint,
                    coordinate, j->coordinate[0].name);
    else
      hn_build_fail(b, HN_ERR_MODEL, "joint '%s' (%s) has no coordinate", joint, j->type);
    return -1;
  }
  const char *near = NULL;
  int best = -1;
  for (int i = 0; i < sys->joints && !near; i++) {
    const char *one[2] = {sys->joint[i].name, NULL};
    near = hn_nearest(joint, one);
    best = i;
  }
  if (near && best >= 0)
    hn_build_fail(b, HN_ERR_MODEL, "no joint named '%s' (did you mean '%s'?)", joint, near);
  else
    hn_build_fail(b, HN_ERR_MODEL, "no joint named '%s'", joint);
  return -1;
}

// what is built from here on belongs to it, until hn_builder_end_joint.
// Bodies of a group lie behind those of the group before: a group is built to its end before the
// next one begins. Joints of a spanning tree are inside a joint (group 0 stands for "some"), but
// no_rows keeps everybody from writing there.
void hn_builder_begin_joint(hn_builder *b, const char *name, const char *type) {
  hn_system *sys = b->sys;
  b->element = name;
  hn_sys_joint *j =
      hn_builder_room(b, (void **)&sys->joint, &b->joint_capacity, sys->joints, sizeof *j);
  if (!j) return;
  j->name = hn_pool_text(&sys->names, name, strlen(name));
  j->type = type;
  j->stiffness = 1;
  j->a = b->a;
  j->b = b->b;
  j->group = b->no_rows ? -1 : sys->groups;
  sys->joints++;
  if (b->no_rows) {
    if (!j->name) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    b->group = 0;  // inside a joint, but rows go nowhere
    return;
  }
  hn_group *g =
      hn_builder_room(b, (void **)&sys->group, &b->group_capacity, sys->groups, sizeof *g);
  if (!g || !j->name) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  *g = (hn_group){.joint = sys->joints - 1, .row0 = sys->rows};
  g->first =
      sys->groups ? sys->group[sys->groups - 1].first + sys->group[sys->groups - 1].bodies : 0;
  b->group = sys->groups++;
}

// Rows between the ground and itself would be rows of zeros, which no method can solve.
void hn_builder_end_joint(hn_builder *b) {
  hn_system *sys = b->sys;
  if (b->no_rows) b->group = -1;
  if (b->status || b->no_rows) return;
  hn_group *g = &sys->group[b->group];
  if (g->rows && g->bodies == 0) hn_build_fail(b, HN_ERR_MODEL, "connects nothing that can move");
  b->group = -1;
}
