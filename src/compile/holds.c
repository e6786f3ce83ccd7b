// holds.c: coordinates that must stay as described, as rows of the system that is assembled.
//
// Coordinates of a body's origin and of joints are rows; orientations, velocities and coordinates
// of blocks are simply not changed (hn_closer.fixed).
#include "compile/assemble.h"

#include "system/builder.h"

#include <stdlib.h>
#include <string.h>

bool hn_holds_wanted(const hn_model *model) {
  for (int i = 1; i < model->body_count; i++)
    if (model->body[i].def.hold & (HN_HOLD_X | HN_HOLD_Y | HN_HOLD_Z)) return true;
  for (int i = 0; i < model->joint_count; i++)
    if (model->joint[i].def.hold || model->joint[i].def.rate_given) return true;
  return model->start_count > 0;
}

// The k-th of these rows is row sys->rows + k of the extended system: both lists grow together.
static void add_hold(hn_builder *b, hn_holds *h, hn_hold_row row, int measure) {
  // the row is of the group begun last
  hn_build_row(b, "held", measure, row.value);
  if (!hn_grow((void **)&h->row, &h->capacity, h->count, sizeof row)) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  h->row[h->count++] = row;
}

// Rows on the world coordinates of the body's own origin, in a pseudo joint of the ground and the
// body.
static void hold_body(hn_builder *b, hn_holds *h, int i) {
  const hn_body_def *d = &b->model->body[i].def;
  const hn_sys_body *body = &b->sys->body[i];
  double s[3], back[3];
  // from the inner frame to the user's origin: axes^T (-com)
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

// `index` is the joint's place in the system.
// A row of the joint's own measure, which its value shifts already: it holds where the row is
// `value`.
static void hold_joint(hn_builder *b, hn_holds *h, int i, int index) {
  const hn_joint_def *d = &b->model->joint[i].def;
  const hn_sys_joint *j = &b->sys->joint[index];
  // the first coordinate where none is named
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
  // both may be asked for: a place in assembly, a rate afterwards
  hn_hold_row row = {.position = d->hold,
                     .velocity = d->rate_given,
                     .value = d->value,
                     .rate = d->rate,
                     .body = -1,
                     .joint = i,
                     .group = j->group};
  // mounts of the joint itself, so that messages speak of its bodies
  int measure = j->coordinate[k].measure;
  b->a = j->a, b->b = j->b;
  hn_builder_begin_joint(b, d->name, "hold");
  if (!b->status) add_hold(b, h, row, measure);
  hn_builder_end_joint(b);
}

// ---- conditions of the start -----------------------------------------------------------------

enum { MOST_MEASURES = 16 };

// measures that the formula of a condition reads; input 1 + k of its graph is number k
typedef struct reading {
  hn_builder *b;
  int count, measure[MOST_MEASURES];
} reading;

static hn_node nothing_own(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user, (void)graph, (void)name, (void)length;
  return -1;
}

static hn_node note_measure(void *user, hn_graph *graph, hn_signal_kind kind, int measure) {
  reading *r = user;
  // velocities are no part of positions, and rates have a key of their own
  if (kind != HN_SIGNAL_VALUE) {
    hn_build_fail(r->b, HN_ERR_MODEL,
                  "reads a velocity (give the quantity itself, and its `rate`)");
    return -1;
  }
  int k = 0;
  // each measure once, however often it is read
  while (k < r->count && r->measure[k] != measure) k++;
  if (k == MOST_MEASURES) {
    hn_build_fail(r->b, HN_ERR_UNSUPPORTED, "reads more than %d quantities", MOST_MEASURES);
    return -1;
  }
  if (k == r->count) r->measure[r->count++] = measure;
  return hn_graph_input(graph, 1 + k);
}

// the formula as constant + sum of factor * measure; false after a failure.
// Rows are sums of measures: anything but constant slopes is refused, and t too. The constant is
// the value where all measures are zero.
static bool linear_form(hn_builder *b, const char *text, reading *r, double *factor,
                        double *constant) {
  hn_name_space names = {nothing_own, note_measure, r};
  hn_node f = hn_builder_parse(b, "quantity", text, strlen(text), 0, &names);
  if (f < 0) return false;
  double in[1 + MOST_MEASURES] = {0}, out[1];
  for (int k = -1; k < r->count; k++) {
    // k = -1: by t
    hn_node d = hn_graph_derivative(b->graph, f, 1 + k);
    bool flat = hn_graph_is_constant(b->graph, d, k < 0 ? constant : &factor[k]);
    if (!flat || (k < 0 && *constant != 0)) {
      hn_build_fail(b, HN_ERR_UNSUPPORTED,
                    k < 0 ? "depends on time" : "is no sum of positions with constant factors");
      return false;
    }
  }
  // all measures zero: what is left is the constant
  hn_program *p = hn_program_compile(b->graph, &f, 1);
  double *registers = p ? malloc(((size_t)hn_program_registers(p) + 1) * sizeof(double)) : NULL;
  if (registers) hn_program_run(p, in, registers, out), *constant = out[0];
  if (!registers) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  hn_program_destroy(p);
  free(registers);
  return !b->status;
}

// The joint is of the ground and itself: what a formula reads may be of many bodies.
static void hold_start(hn_builder *b, hn_holds *h, int i) {
  const hn_start_def *d = &b->model->start[i].def;
  reading r = {.b = b};
  double factor[MOST_MEASURES], constant = 0;
  b->place = b->model->start[i].place;
  b->what = "start";
  b->element = d->quantity;
  if (!linear_form(b, d->quantity, &r, factor, &constant)) return;
  if (r.count == 0) {
    hn_build_fail(b, HN_ERR_MODEL, "reads no position of the model");
    return;
  }
  b->a = b->b = (hn_mount){.body = 0};
  // between the ground and itself: a formula belongs to no pair of bodies
  hn_builder_begin_joint(b, d->quantity, "hold");
  hn_build_combination(b, "start", r.count, r.measure, factor, d->value - constant, NULL);
  hn_hold_row row = {.position = d->value_given,
                     .velocity = d->rate_given,
                     .value = d->value,
                     .rate = d->rate,
                     .body = -1,
                     .joint = -1,
                     .start = i + 1};
  // the row was made first: lists agree also after a failure
  if (hn_grow((void **)&h->row, &h->capacity, h->count, sizeof row))
    h->row[h->count++] = row;
  else
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  hn_builder_end_joint(b);
}

// one pseudo joint per held body or joint. Joints stand in the system in the order of the model,
// first those that couple no others, which alone can be held.
// `index` counts as build_elements does.
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
  for (int i = 0; i < model->start_count && !b->status; i++) hold_start(b, user, i);
}
