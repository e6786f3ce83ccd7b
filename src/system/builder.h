// builder.h: a system under construction; private to src/system.
#ifndef HN_BUILDER_H
#define HN_BUILDER_H

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
  int acts[2];                     // bodies the force being built acts on
  int expressions;                 // of the system, before it
  bool shift_angle, shift_length;  // coordinates take their value in the described configuration
  bool oriented_a, oriented_b;     // the ends are frames with an orientation
  double frame_a[9];               // that of a, world axes
  int group;                       // -1 outside joints
  bool no_rows;                    // the joint being built is a tree joint: coordinates only
  const bool *tree_joint;

  hn_graph *graph;  // all expressions
  // per signal of the model: what it is in the system, and its node in the formula being parsed
  struct hn_met_signal {
    int index;  // of the input, the table or the state
    int formula;
    hn_node node;
  } * met;
  bool *sees;          // states x sys->seen: the state depends on it
  int *force_length;   // per force of the model: the measure of its length + 1; NULL: none yet
  int formula;         // number of the formula being parsed
  int chain, link[8];  // formulas of signals being written out into each other, the first of them
  // capacities of the system's growing arrays
  int measure_capacity, point2_capacity, point3_capacity, row_capacity, term_capacity;
  int alignment_capacity;
  int custom_capacity, group_capacity, group_body_capacity, joint_capacity, batch_capacity;
  int load_capacity, mesh_capacity, unilateral_capacity, hold_capacity, gate_capacity;
  int tip_capacity, meeting_capacity;
  int ground_capacity;
  int expression_capacity, signal_capacity, motion_capacity;
  int named_capacity, input_capacity, table_capacity, state_capacity;
  int held_capacity, controller_capacity;
  int coupling_capacity, spread_capacity;
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
// both bodies move in the plane, or are the ground
bool hn_builder_flat(const hn_builder *builder, int body_a, int body_b);
// a measure of a body-fixed point's world coordinate, for expressions and holds
int hn_builder_point_coordinate(hn_builder *builder, int body, const double inner[3], int axis);

// names of an expression that is not one of the system's own: `own` is asked first, and `use` gives
// the node of a measure's value or rate
typedef struct hn_name_space {
  hn_resolve_fn own;
  hn_node (*use)(void *user, hn_graph *graph, hn_signal_kind kind, int measure);
  void *user;
} hn_name_space;
// the node of a formula, -1 after a failure; columns in messages are counted from `from`
hn_node hn_builder_parse(hn_builder *builder, const char *what, const char *text, size_t length,
                         int from, const hn_name_space *names);
// room for one more element of a growing array of the system, zeroed; NULL after a failure
void *hn_builder_room(hn_builder *builder, void **array, int *capacity, int count, size_t size);
// one row of the current joint, and a body its rows touch (the ground only with `always`)
int hn_builder_row(hn_builder *builder, const char *label, bool holonomic);
void hn_builder_touch(hn_builder *builder, int body, bool always);
// a program of several nodes that the system can run; NULL when a node is missing, out of memory
hn_program *hn_builder_program(hn_builder *builder, const hn_node *out, int count);

// build_expression.c: a prescribed motion of t, its number or -1 after a failure
int hn_builder_motion(hn_builder *builder, const char *text);
// signals of the model: inputs, tables and states before anything reads them, formulas when all
// names have a meaning
void hn_builder_declare_signals(hn_builder *builder);
// where the value of a signal that a controller writes is held
int hn_builder_held(const hn_builder *builder, int signal);
// a formula that nothing but controllers look at; located: steps end where it switches
int hn_builder_expression(hn_builder *builder, const char *what, const char *text, bool located);
void hn_builder_controllers(hn_builder *builder);  // build_controller.c
void hn_controllers_destroy(hn_system *sys);
void hn_builder_states(hn_builder *builder);  // rates of the states, before any force reads them
void hn_builder_signals(hn_builder *builder);

// a measure of a block's coordinate
int hn_builder_scalar(hn_builder *builder, int body);

// build_block.c: bodies of the blocks' coordinates, their measures, then the equations of one
hn_status hn_builder_block_bodies(hn_system *sys, const hn_model *model);
void hn_builder_block_measures(hn_builder *builder);
void hn_builder_block(hn_builder *builder, int index);
// the measure that a name "block.coordinate", "block.coordinate_rate" or "block.coordinate.rate"
// means; -1 when it means none
int hn_builder_block_measure(hn_builder *builder, const char *name, hn_signal_kind *kind);
// sizes of the blocks' masses at the state q0, for scaling
hn_status hn_block_masses(hn_system *sys);
// is the mass matrix at the assembled state at least semidefinite? sets sys->singular_mass
hn_status hn_check_masses(hn_system *sys, hn_model *model);

// build_flexible.c: which bodies belong to flexible ones, and sizes of their masses; then, when the
// blocks are built, the flexible bodies themselves
void hn_builder_flexible_bodies(hn_system *sys, const hn_model *model);
void hn_builder_flexibles(hn_builder *builder);

void hn_builder_spreads(hn_builder *builder);  // build_spread.c, when all forces are built

// coupling.c: what the definition says about the stiffness of the joint's rows; then the couplings
// between joints, when all are built
void hn_build_joint_stiffness(hn_builder *builder, hn_sys_joint *joint, const hn_joint_def *def);
void hn_build_couplings(hn_builder *builder);

// build_gate.c: the joint just built comes and goes, if its definition says so; later, when all
// names are known, what its conditions say
void hn_builder_gate(hn_builder *builder, int joint, const hn_joint_def *def);
void hn_builder_gates(hn_builder *builder);
void hn_couplings_destroy(hn_system *sys);
// the couplings that have rows of rigidity among theirs, once these rows are there
hn_status hn_couple_rigid_rows(hn_system *sys, hn_model *model);

// ends the construction: Jacobian layout, measure lists, elimination plan
hn_status hn_builder_finish(hn_builder *builder);
// weights.c: stiffness of every row; sys->length must be known
hn_status hn_weigh_rows(hn_system *sys);
void hn_weigh_coupling(hn_system *sys, const hn_coupling *coupling);

#endif
