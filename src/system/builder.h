// builder.h: a system under construction; private to src/system.
#ifndef HN_BUILDER_H
#define HN_BUILDER_H

#include "joints/joint.h"
#include "model/model.h"
#include "system/build.h"

struct hn_builder {
  hn_model *model;
  hn_system *sys;
  hn_status status;     // first failure; the text is in model->message
  hn_place place;       // of the element being built
  const char *what;     // "joint" or "force"
  const char *element;  // its name

  hn_work described;  // poses of all bodies in the described configuration
  double *described_q;

  // the joint or force being built
  hn_mount a, b;
  bool shift_angle, shift_length;  // coordinates take their value in the described configuration
  int group;                       // -1 outside joints
  bool no_rows;                    // the joint being built is a tree joint: coordinates only
  const bool *tree_joint;

  hn_graph *graph;  // all expressions
  // capacities of the system's growing arrays
  int measure_capacity, point2_capacity, point3_capacity, row_capacity, term_capacity;
  int custom_capacity, group_capacity, group_body_capacity, joint_capacity, batch_capacity;
  int expression_capacity, signal_capacity, motion_capacity;
  int row_name_capacity, holonomic_capacity, row_joint_capacity;
  size_t custom_data_size;
  int *batch_room;  // per batch: elements there is room for
  int batch_room_capacity;
};

// mounts of an element located by its ends, points and axes
typedef struct hn_location {
  hn_end a, b;
  const double *at, *at_b, *axis, *axis_b;
  bool two_points, two_axes;  // at_b and axis_b apply
} hn_location;
void hn_builder_locate(hn_builder *builder, const hn_location *location);

// starts a joint (its group of rows is empty) and ends it
void hn_builder_begin_joint(hn_builder *builder, const char *name, const char *type);
void hn_builder_end_joint(hn_builder *builder);
// a measure of a body-fixed point's world coordinate, for expressions and holds
int hn_builder_point_coordinate(hn_builder *builder, int body, const double inner[3], int axis);

// ends the construction: Jacobian layout, measure lists, elimination plan
hn_status hn_builder_finish(hn_builder *builder);
// weights.c: stiffness of every row; sys->length must be known
hn_status hn_weigh_rows(hn_system *sys);

#endif
