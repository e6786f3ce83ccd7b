// holds.c: coordinates that must stay as described, as rows of the system that is assembled.
//
// Coordinates of a body's origin and of joints are rows; orientations, velocities and coordinates
// of blocks are simply not changed (hn_closer.fixed).
#include "compile/assemble.h"

#include "system/builder.h"

#include <string.h>

bool hn_holds_wanted(const hn_model *model) {
  for (int i = 1; i < model->body_count; i++)
    if (model->body[i].def.hold & (HN_HOLD_X | HN_HOLD_Y | HN_HOLD_Z)) return true;
  for (int i = 0; i < model->joint_count; i++)
    if (model->joint[i].def.hold || model->joint[i].def.rate_given) return true;
  return false;
}

static void add_hold(hn_builder *b, hn_holds *h, hn_hold_row row, int measure) {
  hn_build_row(b, "held", measure, row.value);
  if (!hn_grow((void **)&h->row, &h->capacity, h->count, sizeof row)) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  h->row[h->count++] = row;
}

static void hold_body(hn_builder *b, hn_holds *h, int i) {
  const hn_body_def *d = &b->model->body[i].def;
  const hn_sys_body *body = &b->sys->body[i];
  double s[3], back[3];
  v3_scale(back, -1, body->info->com);
  m3_tmulv(s, body->info->axes, back);
  b->a = (hn_mount){.body = 0}, b->b = (hn_mount){.body = i};
  hn_builder_begin_joint(b, d->name, "hold");
  int axes = body->kind == HN_PLANAR || body->kind == HN_PLANAR_POINT ? 2 : 3;
  for (int k = 0; k < axes; k++)
    if (d->hold & (unsigned)(HN_HOLD_X << k))
      add_hold(b, h,
               (hn_hold_row){
                   .position = true, .value = d->position[k], .body = i, .axis = k, .joint = -1},
               hn_builder_point_coordinate(b, i, s, k));
  hn_builder_end_joint(b);
}

// `index` is the joint's place in the system
static void hold_joint(hn_builder *b, hn_holds *h, int i, int index) {
  const hn_joint_def *d = &b->model->joint[i].def;
  const hn_sys_joint *j = &b->sys->joint[index];
  int k = 0;
  while (d->coordinate && k < j->coordinates && strcmp(d->coordinate, j->coordinate[k].name)) k++;
  b->place = b->model->joint[i].place;
  b->what = "joint";
  b->element = d->name;
  if (k >= j->coordinates) {
    hn_build_fail(b, HN_ERR_MODEL, "has no coordinate '%s' to hold or to give a rate",
                  d->coordinate ? d->coordinate : "");
    return;
  }
  hn_hold_row row = {.position = d->hold,
                     .velocity = d->rate_given,
                     .value = d->value,
                     .rate = d->rate,
                     .body = -1,
                     .joint = i,
                     .group = j->group};
  int measure = j->coordinate[k].measure;
  b->a = j->a, b->b = j->b;
  hn_builder_begin_joint(b, d->name, "hold");
  if (!b->status) add_hold(b, h, row, measure);
  hn_builder_end_joint(b);
}

// one pseudo joint per held body or joint. Joints stand in the system in the order of the model,
// first those that couple no others, which alone can be held
void hn_hold_rows(hn_builder *b, void *user) {
  const hn_model *model = b->model;
  int index = 0;
  for (int i = 1; i < model->body_count; i++)
    if (model->body[i].def.hold & (HN_HOLD_X | HN_HOLD_Y | HN_HOLD_Z)) hold_body(b, user, i);
  for (int i = 0; i < model->joint_count && !b->status; i++) {
    const hn_joint_def *d = &model->joint[i].def;
    if (d->joint_a) continue;
    if (d->hold || d->rate_given) hold_joint(b, user, i, index);
    index++;
  }
}
