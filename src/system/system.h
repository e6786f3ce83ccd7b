// system.h: the compiled equations.
//
// Everything is evaluated at body level first: each body has a pose and a twist, each constraint
// row has one Jacobian block per body it touches, each force adds a generalized force to the
// bodies it acts on. A body's velocity coordinates are a selection of its twist
//   (v: linear velocity of the centre of mass, world axes; w: angular velocity, body axes),
// namely spatial: all 6, planar: vx vy wz, point: vx vy vz, planar point: vx vy. The body frame
// used inside sits at the centre of mass along the principal axes, so the mass matrix is a
// constant diagonal. Every coordinate of a block (a part given by its equations) is a body of its
// own, whose only velocity stands in the place of vx; their inertia is in mass_entries.
#ifndef HN_SYSTEM_H
#define HN_SYSTEM_H

#include <holon/extend.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"
#include "base/vec.h"
#include "expr/expr.h"
#include "linalg/dense_step.h"
#include "linalg/saddle.h"
#include "model/reduced.h"
#include "model/series.h"
#include "system/surface.h"

// ---- bodies --------------------------------------------------------------------------------

// sys->rank_tolerance unless joints are out of line
#define HN_RANK_TOLERANCE 1e-8
// what joints out of line by a gap that can be shared may make of a row, as a part of its size
#define HN_OUT_OF_LINE 3e-6

// the same of a planar body, for the planar primitives
typedef struct hn_kin2 {
  double x, y, c, s, vx, vy, w;
  double angle;  // of which c and s are cosine and sine, where angles are coordinates
} hn_kin2;

// what only questions from outside need
typedef struct hn_body_info {
  char *name;
  double com[3], axes[9];  // user frame to inner frame: R_user = R axes^T, origin = p - R_user com
} hn_body_info;

// what evaluations read, in one line of the cache; the rest hangs on it
typedef struct hn_sys_body {
  hn_body_kind kind;
  int nq, nv, q0, v0;       // sizes and offsets in the state; all 0 for the ground
  bool needs_kin;           // some 3-D primitive looks at it
  bool angular, hold;       // coordinate of a block: it is no length; assembly keeps it
  bool shared;              // its mass is that of a flexible body, and none of its own
  double mass, inertia[3];  // principal values (planar: [2])
  hn_body_info *info;
} hn_sys_body;

// how many of a body's velocities (and coordinates) are lengths; they come first
static inline int hn_body_linear(const hn_sys_body *b) {
  if (b->kind == HN_SCALAR) return b->angular ? 0 : 1;
  return b->kind == HN_SPATIAL || b->kind == HN_POINT ? 3 : 2;
}

// ---- measures: scalar functions of two bodies ----------------------------------------------

typedef enum hn_measure_type {
  HN_M_DOT1,          // u_a . w_b
  HN_M_DOT2,          // u_a . (P_b - P_a)
  HN_M_DISTANCE,      // |P_b - P_a|
  HN_M_ANGLE,         // atan2(u2_a . w2_b, u_a . w_b), continuous over turns
  HN_M_ASIN,          // asin(u_a . w_b)
  HN_M_PLANAR_ANGLE,  // angle_b - angle_a of planar bodies
  HN_M_COORDINATE,    // coordinate b of a block
  HN_M_SURFACE,       // s(P_b), a surface on a
  HN_M_SPIN,          // a rate alone: how fast b turns against a about u_a. Its value is zero
  HN_M_SLIP,          // the same: how fast b slips along a surface on a
  HN_M_EDGES,         // how far two edges of solids that cross are apart (edges.h)
} hn_measure_type;

typedef struct hn_measure {
  hn_measure_type type;
  int a, b;
  double ua[3], wb[3];        // directions in the bodies' inner frames
  double u2a[3], w2b[3];      // second pair (HN_M_ANGLE)
  double sa[3], sb[3];        // points in the bodies' inner frames
  double offset;              // added to the value
  int turn;                   // HN_M_ANGLE: index of its turn memory, otherwise -1
  bool used_by_force;         // evaluated with the forces
  const hn_surface *surface;  // HN_M_SURFACE: about sa, x and y of its axes being ua and u2a
  const double *size;         // its numbers
  double rim;                 // radius of a wheel about wb, whose rim it is measured from; 0: sb
  double arm;                 // where b rubs, from there against the gradient
  int way;                    // HN_M_SLIP: which tangent, see slip.c
  bool below;                 // the same: it is used on the underside of a surface
  const double *other;  // HN_M_EDGES and slips along it: the solid on b, axes wb and w2b about sb
  int pair;             // the same: which edges, -1: none
  int tip;  // counted from one: of a tip, see hn_tip, whose face may be held; 0: of none
} hn_measure;

// value, rate and gradient on the two twists; bias is the part of the second time derivative
// that does not come from accelerations (J_dot v)
typedef struct hn_mval {
  double value, rate, bias;
  double ja[6], jb[6];
} hn_mval;

// ---- constraints ---------------------------------------------------------------------------

// all rows of one joint; one node of the elimination graph
typedef struct hn_group {
  int joint;  // index into hn_system.joint
  int row0, rows;
  int first, bodies;  // range in group_body / block_offset
  bool grounded;      // several bodies and the ground: it changes when all bodies move together
} hn_group;

// rows whose stiffness is not diagonal: of one joint, or of several on one support
typedef struct hn_coupling {
  int rows, *row;
  double *K, *inverse;  // rows x rows, symmetric, positive definite
  double *root;         // K = L L^T
  double *preload;      // multipliers of these rows without load, NULL: zero
} hn_coupling;

// P_b - P_a = 0 between planar bodies: two rows
typedef struct hn_point2 {
  int row, a, b;
  double sa[2], sb[2];
  int ja, jb;             // offsets of the first row's block in J, -1 for the ground
  bool turns_a, turns_b;  // bodies with an angle
} hn_point2;

// the same in space: three rows
typedef struct hn_point3 {
  int row, a, b;
  double sa[3], sb[3];
  int ja, jb;
} hn_point3;

// an angle that counts turns
typedef struct hn_turn {
  int measure;  // -1: it belongs to coordinates
  bool used;    // by rows or forces
  bool known;   // follows from the state or from time, however far a step goes
} hn_turn;
// the angle that is left over in a row whose other terms are known angles
typedef struct hn_follower {
  int turn, row, term;
} hn_follower;

// one row: sum of coefficient * measure - motion(t) = 0
typedef struct hn_row {
  int row;
  int first_term, terms;
  double constant;  // subtracted as well
  int motion;       // index into hn_system.motion, -1 when there is none
} hn_row;
typedef struct hn_term {
  int measure;
  double coefficient;
  int ja, jb;  // offsets of the row in J
} hn_term;

// the most common row by itself: scale u_a . w_b - constant = 0 (HN_M_DOT1)
typedef struct hn_dot_row {
  int row, a, b;
  int ja, jb;            // offsets of the columns in J for the turns of the bodies,
  int turns_a, turns_b;  // and how many there are: 3, 1 in the plane, 0 when a body has none
  double scale, constant;
  double ua[3], wb[3];
} hn_dot_row;

// teeth that meet: what a transmission is as a force between two wheels (system/transmission.h)
typedef struct hn_mesh {
  int joint;              // the transmission, which has one row
  int carrier, wheel[2];  // bodies
  int bearing[2];         // joints of the wheels on the carrier
  double point[3];        // where, inner frame of the carrier
  double force[3];        // on wheel[1] per multiplier, same axes; the opposite on wheel[0]
  double apart[3];        // the same per size of the multiplier: what flanks push apart
  double roll[2];  // how fast the wheels turn against each other per rate of either coordinate
} hn_mesh;
// rows with a formula of their own; gradients of so many have room where they are evaluated
enum { HN_CUSTOM_ROWS = 6 };
typedef struct hn_custom {
  const hn_custom_type *type;
  int row, a, b;
  int ja, jb;
  size_t data;  // offset in hn_system.custom_data
} hn_custom;

// ground with a border that a point of b must not come beyond: what lies there is not known
typedef struct hn_ground {
  const char *name;  // of the joint or force
  int a, b;
  double sa[3], Ma[9], sb[3];  // where it lies in a; the point of b
  const double *size;          // see terrain.h
} hn_ground;

// a row that comes and goes: its value is a gap g >= 0, and its multiplier, while the row is there,
// must not pull. Rows that are off are zero throughout: value, Jacobian, right-hand side
typedef struct hn_unilateral {
  int row;
  double restitution;  // rate after an impact over the rate before it, 0 to 1
  double pitch;        // ratchet: the gap begins anew whenever it has grown by this; 0: never
  int hold;            // 0: a gap; otherwise it holds what friction `hold - 1` rubs on
  int gate;            // 0: none; otherwise a row of joint `gate - 1` among those that are switched
} hn_unilateral;

// What a solid with faces touches by: a tip before it, a point or a corner of another solid, or two
// edges that cross. The distance of a tip has no gradient that holds on over an edge: while it
// touches one face counts (sim/tips.c). Which edges cross is found (sim/edges.c)
typedef struct hn_tip {
  int measure, gap;      // the distance, and its row among the unilateral ones
  const double *solid;   // polytope.h, in the axes of the surface
  const double *spokes;  // directions of the edges at the corner, in b; NULL: a point
  int spoke_count;
  const double *other;  // the solid on b, of edges; NULL: it is a tip
} hn_tip;

// two solids whose edges may cross: as many rows, among the tips, as may touch at once
typedef struct hn_meeting {
  int first, count;  // tips
  int pairs;         // where its pairs begin among those of all meetings
} hn_meeting;

// a joint that is switched on and off, or breaks. Its rows lie next to each other among the
// unilateral ones; while they are there they hold both ways
typedef struct hn_gate {
  int joint, first, rows;
  int active, catches, releases;  // numbers of expressions, -1: none
  double force, torque;           // beyond these it breaks; 0: it does not
  int load;                       // number of its reaction in work->load, -1: it does not break
  bool anywhere;                  // it holds where it was switched on, not where it was described
} hn_gate;

// a reaction that forces read: of a joint, or (row, -1: none) the multiplier of one of its rows
// alone
typedef struct hn_load {
  int joint, row;
} hn_load;

// Coulomb friction that holds: rows, next to each other among the unilateral ones, whose rates are
// the slip. While it sticks they are there, and together their multipliers stay below
// sticking N; while it slips sliding N acts against the slip. N is the size of a joint's reaction,
// or a constant
enum { HN_HOLD_ROWS = 3 };
typedef struct hn_hold {
  int first, rows;           // among the unilateral rows
  int joint;                 // of the rows
  int spin;                  // a ball joint: first of its measures, counted from one; 0: it is none
  int anchor;                // a point on a surface, or what rolls in the plane: the same
  int load;                  // number of the reaction in work->load
  int normal;                // unilateral row that presses, -1: a joint that always holds
  double per_row;            // normal force per multiplier of that row; 1 unless it is of teeth
  bool line;                 // the reaction has one direction, and may turn round
  double by_torque;          // [1/m] N per torque of the reaction, 0: N is its force
  double sticking, sliding;  // coefficients
  double press;              // N, 0: the reaction
  double radius;             // of a ball joint
} hn_hold;
// of each of them during a step
typedef struct hn_hold_state {
  double facing[3];  // where the reaction points, world; matters when it has one direction
  double slow;       // slip that has no direction of its own, as it is slower; INFINITY: any
  double rest[9];  // a ball joint: orientation of b in the axes of a where it came to rest; a point
                   // on a surface: its place in the surface's axes, and the angle of what rolls;
                   // edges: of the point in a and in b
  // It holds together with another one, whose row is solved for: a unit of its force is worth z of
  // that row's. -1: it does not
  int bearer;
  double worth;
} hn_hold_state;

// a gap this much below zero, in units of the model, is no round-off
#define HN_STOP_VIOLATED 1e-9

// rows that bring directions of two mounts together. They are products of directions, which vanish
// the wrong way round as well; assembly takes the angles instead (compile/align.c)
typedef enum hn_alignment_kind {
  HN_ALIGN_ALL,    // three rows: all axes meet
  HN_ALIGN_Z,      // two rows: the z axes meet
  HN_ALIGN_ACROSS  // one row: z of a is perpendicular to an axis of b
} hn_alignment_kind;
typedef struct hn_alignment {
  hn_alignment_kind kind;
  int row;  // the first
  int a, b;
  double Ra[9], Rb[9];  // axes of the mounts, inner frames; the axis of b is its z
} hn_alignment;

typedef struct hn_coordinate {
  char name[16];  // "angle", "translation", "x" ...
  bool angular;   // radians, otherwise metres
  int measure;
} hn_coordinate;

enum { HN_MAX_COORDINATES = 6 };
typedef struct hn_sys_joint {
  char *name;
  int handle;  // of the model's joint
  const char *type;
  hn_mount a, b;
  int group;  // -1 when it brings no rows
  // numbers, counted from one (0: none), of its primitive with a formula of its own, of the row of
  // a transmission, and of its mesh
  int custom, coupler, mesh;
  bool first_is_a;  // the first term of that row is of joint_a
  int coordinates;
  hn_coordinate coordinate[HN_MAX_COORDINATES];
  bool components;
  char *by;  // driver: force that brings its motion about; NULL: it acts itself
  double stiffness;
  const double *preload;        // multipliers of its rows without load, NULL: zero
  const double *own_stiffness;  // of its rows, when the model gives it; NULL: `stiffness`
  double omega, mu;             // of penalty methods; 0: the options'
  const double *removed;        // of its rows: 1 where the solver removal leaves it out; NULL: none
  hn_soft soft;                 // of velocity-level steppers; a stiffness of 0: the options'
} hn_sys_joint;

// ---- expressions ---------------------------------------------------------------------------

// a quantity an expression can read: a measure or its rate, a number given from outside, a state
typedef enum hn_signal_kind {
  HN_SIGNAL_VALUE,
  HN_SIGNAL_RATE,
  HN_SIGNAL_INPUT,
  HN_SIGNAL_TABLE,
  HN_SIGNAL_STATE
} hn_signal_kind;
typedef struct hn_signal {
  hn_signal_kind kind;
  int measure;  // -1: it is none of a measure
  int index;    // of the input, the table or the state
  int seen;     // number in sys->state_sees, counted from one; 0: no state depends on it
} hn_signal;
static inline bool hn_is_measured(const hn_signal *signal) {
  return signal->measure >= 0;
}

// signals of the model: what is recorded, and what is set from outside
typedef struct hn_sys_signal {
  char *name, *unit;
  int expression;
} hn_sys_signal;
typedef struct hn_sys_input {
  char *name;
  double value;  // at the start
} hn_sys_input;

// a controller: numbers of expressions that follow each other, and where its values are held among
// the inputs: the output, then its memory
typedef struct hn_controller {
  char *name;
  double period, offset, delay, quantum, noise, seed;  // period 0: a machine of modes
  int output, inputs, memories, transitions;
  int input, memory, guard;  // first expressions
  int expression;            // of the output; -1: a function of the caller, or a machine
  int *from, *to;            // modes of the transitions
  bool event, stop;          // its second mode is noted, and ends the run
  char *library, *function;  // where its function is; NULL: the caller sets it
} hn_controller;

// a state of first order: its rate is an expression. It is integrated with the motion
typedef struct hn_sys_state {
  char *name;
  int expression;
  double start;
  bool steady;  // or it starts where its rate is zero
  double size;  // by which errors are judged; 0: not given
} hn_sys_state;

// program inputs: input 0 is t, input 1 + k is signal[first_signal + k];
// outputs: f, then df/d(input) for input 0, 1, ...
typedef struct hn_expression {
  hn_program *program;
  int first_signal, signals;
  // formulas with decisions: the same with the sides of its switching functions as further inputs,
  // and the functions; NULL when there are none
  hn_program *held, *functions;
  int first_switch, switches;
  bool recorded;  // nothing but a column depends on it
  // it reads states, and everything measured that these depend on is among its signals: where
  // states follow from the motion (work->rule) its gradient is the whole one
  bool follows;
} hn_expression;

// prescribed motion: f, f', f'' of t. Input 0 of the program is t; value and two derivatives of
// table signal[first_signal + k] are the inputs from 1 + 3 k on
typedef struct hn_motion {
  hn_program *program;
  int first_signal, signals;
} hn_motion;

// ---- blocks --------------------------------------------------------------------------------

// a part given by its equations. Its formulas are programs over the inputs
//   t, q (n), v (n), then value and rate of every measure it reads of others.
// x below is (q, values), x' is (v, rates), w their number; all of them are measures
typedef struct hn_sys_block {
  char *name;
  int handle;  // of the model's block
  int n;
  int body;      // of its first coordinate; the others follow
  char **label;  // names and units of the coordinates
  char **unit, **rate_unit;
  int group;               // its constraints, -1: none
  int rows, holonomic;     // rows; those come first
  int measures, *measure;  // w, the first n are the coordinates
  int *ja, *jb;            // where the first row of J lies on their bodies, -1: the ground
  int mass_first;          // its n x n entries in mass_entries

  hn_program *position;  // Phi of the holonomic rows
  hn_program *jacobian;  // per row: dPhi/dx or dpsi/dx' (w), then dPhi/dt or psi
  hn_program *bias;      // per row: second (first) time derivative without accelerations
  hn_program *mass;      // n x n
  hn_program *force;     // F along x (w), V, power of what has no potential
  hn_program *rest;      // kinetic energy, to be run with v = 0; NULL: it has no such part
  hn_program *slope;     // dF/dx, dF/dx' (w x 2w)
  hn_program *drift;     // per row: dpsi/dx (w)
  hn_program *curve;     // per row: d(gradient)/dx (w x w)
  hn_program *inertia;   // d(M a)/dq (n x n), a being n further inputs
  hn_block_fn function;  // in place of the programs
  void *user;
} hn_sys_block;

// ---- flexible bodies -----------------------------------------------------------------------

// bodies at the interfaces, and the block of the modes, as one body of finite elements
typedef struct hn_sys_flexible {
  int first, modes;  // body of the first interface, and of the first mode; the others follow
  double damping;    // [s] of the stiffness between the interfaces
  hn_reduced *reduced;
  int *place;  // n x n: numbers of sys->mass_entries; -1 among modes, which are their block's
} hn_sys_flexible;

// ---- mass between bodies -------------------------------------------------------------------

// kinetic energy beyond that of two bodies, see spread.c
typedef struct hn_sys_spread {
  int a, b;
  double G[64];    // symmetric, over centre of mass and axes of a, then of b
  int place[144];  // over both twists: numbers of sys->mass_entries; -1: always zero
} hn_sys_spread;

// ---- forces --------------------------------------------------------------------------------

typedef struct hn_coordinates hn_coordinates;  // coordinates/coordinates.h
typedef struct hn_native hn_native;            // code/native.h

typedef struct hn_batch {
  const hn_force_ops *ops;
  int count;
  unsigned char *data;
  char **name;  // element names
  // per element: two bodies it acts on, and whether it may do work without a power to be seen all
  // the time (formulas, forces that switch)
  struct hn_batch_ends {
    int a, b;
    bool works;
  } * ends;
} hn_batch;

// ---- the system ----------------------------------------------------------------------------

// nonzeros of a mass matrix that is no constant, regular diagonal; both triangles. Every place
// occurs once
typedef struct hn_mass_entries {
  int count;
  int *row, *col;
  double *value;  // what every work space starts with; what depends on the state is written anew
} hn_mass_entries;

// a frame of a body as it was described, and a column computed from others
typedef struct hn_sys_frame {
  double position[3], orientation[4];
} hn_sys_frame;
typedef struct hn_sys_computed {
  hn_program *program;
  char *unit;
  bool integral;  // the column is the integral of the program's value over the run
  bool adds_up;   // or reads such a column
} hn_sys_computed;

// what was found when explicit steps were tried while compiling (sim/auto.c)
typedef enum hn_trial { HN_NOT_TRIED, HN_NOT_STIFF, HN_STIFF } hn_trial;

struct hn_system {
  char *name;
  double gravity[3];
  hn_options options;
  hn_trial trial;    // with these options
  int nq, nv;        // generalized coordinates and velocities
  int bq, bv;        // the same of all bodies; equal to nq, nv in reference coordinates
  int rows, j_size;  // j_size: doubles in the block Jacobian
  const hn_coordinates *coordinates;  // which they are: coordinates/coordinates.h
  void *own;                          // what these keep of their own
  int own_turns;                      // turn memories that are coordinates, and set with them
  hn_turn *turn;                      // NULL before the system is complete
  int followers;                      // angles that follow from time, in the order in which they do
  hn_follower *follower;
  int numbers;                  // of the Jacobian, as the coordinates have it
  hn_system *reference;         // others than reference coordinates with rows: the same model in
                                // these, for questions about all rows
  hn_system *halved;            // with beam_check: the same with every element of beams as two
  double *body_q0;              // others: initial body coordinates
  bool *angular_q, *angular_v;  // which coordinates are angles (or quaternions)

  int bodies;  // body 0 is the ground
  hn_sys_body *body;
  hn_body_info *body_info;
  bool any_spatial, any_flat;  // some body turns in space, some lives in the plane

  int blocks;
  hn_sys_block *block;
  int block_inputs, block_outputs;  // scratch the largest block needs

  int flexibles;
  hn_sys_flexible *flexible;
  int flexible_room;  // scratch the largest of them needs

  int spreads;
  hn_sys_spread *spread;

  int joints;
  hn_sys_joint *joint;
  int groups;
  hn_group *group;
  int *group_start;   // groups + 1
  int *group_body;    // bodies of the groups, ground left out
  int *block_offset;  // their blocks in J

  int measures, turns;
  hn_measure *measure;
  // which measures constraints and forces look at; the rest is only recorded
  int constraint_measures, force_measures;
  int *constraint_measure, *force_measure;
  int points2, points3, rowcount, terms, customs;
  hn_point2 *point2;
  hn_point3 *point3;
  hn_row *row;
  hn_term *term;
  // how rows are evaluated: those that are direction products, and the numbers of all others
  int dot_rows, other_rows;
  hn_dot_row *dot_row;
  int *other_row;
  hn_custom *custom;
  int meshes;
  hn_mesh *mesh;
  unsigned char *custom_data;
  int grounds;
  hn_ground *ground;
  int alignments;
  hn_alignment *alignment;
  bool *holonomic;    // per row
  int velocity_rows;  // how many are not
  bool *angular_row;  // per row: it measures an angle, and its multiplier is a moment
  double *stiffness;  // per row [N/m, N m/rad]: by this dependent rows share reactions; where rows
                      // are coupled the diagonal
  bool *stiffness_given;  // per row: by the model, not made up by rule
  int couplings;          // no row is in two of them
  hn_coupling *coupling;
  bool *coupled;       // per row: it is in one
  bool rigid_coupled;  // some of them keeps a body rigid (natural coordinates)
  bool weighted;       // the model gives stiffnesses
  bool preloaded;      // the model gives preloads
  int unilaterals;     // rows that come and go; compiling counts them as redundant
  hn_unilateral *unilateral;
  int holds;  // frictions that hold
  hn_hold *hold;
  int tips;  // before solids with faces
  hn_tip *tip;
  int meetings, edge_pairs;  // of solids, in space; pairs of edges of all of them
  hn_meeting *meeting;
  int gates;  // joints that are switched
  hn_gate *gate;
  hn_pool names;    // of bodies, joints and rows
  char **row_name;  // "hinge.x"
  int *row_joint;   // per row
  bool rheonomic;   // some row depends on t, or has a part without rates: it can do work
  bool programmed;  // some motion is brought about by forces named for it (analysis/servo.h)

  int batches;
  hn_batch *batch;
  hn_mount *force_mount;  // ends a and b of every force, in the model's order (for pictures)
  bool reactive;          // some force needs reactions
  int loads;              // reactions that some force reads
  hn_load *load;
  int switches;  // switching functions of all forces and expressions
  bool steep;    // some of these formulas may have no slope where they switch
  int memories;  // numbers that forces remember
  int expressions, signals, motions;
  hn_expression *expression;
  hn_signal *signal;
  hn_motion *motion;
  int named;  // signals of the model
  hn_sys_signal *named_signal;
  int inputs;
  hn_sys_input *input;
  int held;            // values that controllers write, behind the inputs
  double *held_start;  // at the start
  int controllers;
  hn_controller *controller;
  int events;  // controllers that are events
  int *event;
  int tables;
  hn_series **table;
  int states;
  hn_sys_state *state;
  int seen;  // measured quantities that rates of states depend on
  hn_signal *state_sees;
  int registers;  // scratch the largest program needs
  int kept_count, kept_capacity;
  double **kept;  // arrays of force elements

  double *mass;  // of the bodies: diagonal, bv; with mass_entries only its size, for scaling, > 0
  hn_mass_entries *mass_entries;  // general mass matrix, of the coordinates; NULL: diagonal
  bool singular_mass;             // it is singular at the initial state
  double *constant_force;         // gravity, bv
  bool *active;           // per row: false when it repeats others and is left out of the solution
  int redundant;          // number of rows left out, unilateral ones among them
  double rank_tolerance;  // part of a row's natural size that counts as nothing
  double length;          // characteristic length of the model [m]
  double gap;             // by which joints that repeat others miss them: rad, or part of length
  int parts;              // connected groups of bodies; the ground connects nothing
  int *part;              // per body; -1 for the ground

  hn_saddle_plan *plan;
  bool plan_lent;           // it is a workshop's
  hn_native *native;        // machine code written for this system; NULL: the library's own
  const char *code_choice;  // with code: auto, what was chosen and why

  double *q0, *v0;  // assembled initial state
  double *turn0;    // turn memory at the initial state
  hn_check check;

  int columns;
  struct hn_column *column;   // recorded quantities, see record/columns.c
  bool column_accelerations;  // some are accelerations of bodies
  int column_frames;          // frames whose motion is recorded
  struct hn_sys_frame *column_frame;
  int computeds;  // the last columns are formulas of those before them
  struct hn_sys_computed *computed;
};

// ---- workspace: everything evaluated at one state ------------------------------------------

// How states follow from the motion while an implicit step, or an equilibrium, is looked for:
// keep x = constant + rate x'(x, motion). `begin`: only states that start steadily do
typedef struct hn_state_rule {
  double keep, rate;
  const double *constant;
  bool begin;
} hn_state_rule;

// a function of the caller that pushes a body; kept by the caller of the evaluation
typedef struct hn_pusher {
  hn_wrench_fn function;
  void *user;
  hn_wrench_tangent_fn tangent;  // NULL: not known
} hn_pusher;

struct hn_work {
  const hn_system *sys;
  double *wrench_set;       // per body: force and torque of the caller, world axes
  bool pushed;              // some of them are not zero, or there are functions
  const hn_pusher *pusher;  // per body; NULL: there are no functions
  unsigned long stamp;  // counts evaluations: what was made of one of them knows it by this number
  double t;
  const double *q, *v;    // body coordinates and velocities last evaluated
  const double *gq, *gv;  // generalized ones; the same in reference coordinates
  hn_kin *kin;            // per body, only where needs_kin
  hn_kin2 *kin2;          // per body
  hn_mval *mval;          // per measure
  // angles that count turns, see turns.c
  double *turn, *turn_rate;  // at the last accepted state; rates 0 where they are not known
  double turn_t;             // when that was
  double *near;              // where they are expected at the state last evaluated
  double *turn_before, *rate_before, t_before;  // turn, turn_rate, turn_t at the state before
  int turn_doubt;  // one of which it is not known how often it went round since; -1: none
  double *phi, *phi_t, *psi, *gamma;  // per row
  double *J;                          // blocks, see block_offset
  double *numbers;                    // of the Jacobian by coordinates; J in reference coordinates
  double *f;                          // forces on the body velocities, bv
  double *r;            // generalized forces, nv; the same array in reference coordinates
  double *mass_values;  // of sys->mass_entries at the state last evaluated
  double *lambda;       // multipliers of the last acceleration solve
  double *load;         // reactions that forces read: force and torque at the joint, world axes
  double power;         // of forces without potential
  double potential;
  double *input;  // values of the inputs, then what controllers hold
  int *cell;      // cells of the tables: in use where they are held, else those last met
  double *state;  // values of the states
  const hn_state_rule *rule;  // by which they follow from the motion; NULL: they are given
  double *gain;               // with a rule: their derivatives by sys->state_sees, states x seen
  double *state_room;         // scratch, four times the states
  hn_lu state_matrix;
  bool cells_held;   // tables go by the formula of the cell, whatever the time is
  double *memory;    // what forces remember of their last switching; 0: nothing yet
  const bool *side;  // sides on which the switching functions are held; NULL: they are free
  // formulas that slide along a switching point: weight of the sides `across` per expression, NAN
  // where it does not; NULL: none does
  const double *between;
  const bool *across;
  const bool *on;       // unilateral rows that are there; NULL: none
  const double *shift;  // taken from their values; NULL: nothing
  const int *face;      // of tips: the one face that counts, -1: all; of edges: the pair, -1: none.
                        // NULL: of each none
  // of rows that hold: what friction there is along them per normal force, 0 while they do; then
  // per friction; NULL: none
  const double *slip;
  const hn_hold_state *held;
  double *carried;                       // forces of those that hold together with others
  double *registers, *inputs, *outputs;  // expression scratch
  double *mixed;                         // outputs of one side
  double *block_in, *block_out;          // the same of blocks
  double *flexible;                      // and of flexible bodies
  double *motion;                        // f, f', f'' per motion
  // others than reference coordinates
  double *body_q, *body_v, *body_x;
  // relative coordinates, per mobilizer: from the parent's centre of mass (ground: origin) to the
  // body's (3), acceleration of the body when all joint accelerations are zero (tree->d), motion
  // axes (see system/coordinates/tree.h), scratch (6); then scratch per slot (6)
  double *lever, *bias, *axes, *push, *sums;
  double *wrench;  // of their joints, see hn_tree_reactions (6)
  double *noise;   // how far round-off may put these off, along axes that turn and slide (2)
  void *own;       // of other coordinates
};

void hn_work_layout(hn_work *work, hn_arena *arena, const hn_system *sys);

// evaluation, cheapest first; each level includes what it needs of the ones before
void hn_eval_motion(hn_work *work, double t, const double *q, const double *v);  // poses; v: twists
void hn_eval_position(hn_work *work, double t, const double *q);                 // kin, Phi
void hn_eval_jacobian(hn_work *work, double t, const double *q, const double *v);  // + J, psi
void hn_eval_all(hn_work *work, double t, const double *q, const double *v);       // + gamma, f
// what the caller pushes bodies with, added to the forces; hn_eval_all has it (push.c)
void hn_eval_pushes(hn_work *work);

// all switching functions at a state (sys->switches numbers)
void hn_eval_switches(hn_work *work, double t, const double *q, const double *v, double *value);
// switching functions have changed sides at the state last evaluated: forces that remember how keep
// that in work->memory. was NULL: nothing is known of before
void hn_remember(hn_work *work, const bool *was, const bool *is);

// unilateral.c: rows that are not there become zero, at the level just evaluated
void hn_clear_absent(hn_work *work, int level);
bool hn_comes_and_goes(const hn_system *sys, int row);
// normal force of a friction that holds, as work->load has it
double hn_hold_press(const hn_work *work, int hold);
// what of the reaction presses, world, and the size of N that it makes
const double *hn_hold_reaction(const hn_work *work, const hn_hold *hold, double *N);
// orientation of b in the axes of a, of a ball joint
void hn_hold_turn(const hn_work *work, const hn_hold *hold, double R[9]);
void hn_hold_place(const hn_work *work, const hn_hold *hold, double rest[6]);
// frictions that hold together have equal parts of their limits: work->carried from work->lambda
// and work->load; returns by how much it changed, relative to the largest limit
double hn_share_holds(hn_work *work, bool set);
// how many rows are always there
static inline int hn_lasting_rows(const hn_system *sys) {
  return sys->rows - sys->unilaterals;
}

// what questions need beside the state last evaluated: quaternions of all bodies in work->q; for
// reactions, given accelerations and work->lambda, blocks in work->J and wrenches
void hn_eval_poses(hn_work *work);
void hn_eval_reactions(hn_work *work, const double *a);
// body forces changed after hn_eval_all: make work->r follow
void hn_reduce_forces(hn_work *work);
// what formulas look at: poses, twists, and the measures of forces
void hn_eval_signals(hn_work *work, double t, const double *q, const double *v);
// all measures, also those that are only recorded, at the state last evaluated
void hn_eval_measures(hn_work *work);

// Nothing is small or large by itself: lengths are judged by the model's, angles by a radian, and
// where both kinds are compared angles count as what they are over the model's length.
static inline double hn_row_arm(const hn_system *sys, int row) {
  return sys->angular_row[row] ? sys->length : 1;
}
static inline double hn_velocity_arm(const hn_system *sys, int k) {
  return sys->angular_v[k] ? sys->length : 1;
}
// the largest of all rows, of all velocities or accelerations, so compared; NaN where there is one
static inline double hn_largest_of(const bool *angular, double length, const double *x, int count) {
  double most = 0, sum = 0;
  // no branches, as in hn_largest
  for (int i = 0; i < count; i++) {
    double size = fabs(x[i]) * (angular[i] ? length : 1);
    most = hn_greater(most, size);
    sum += size;
  }
  return isnan(sum) ? sum : most;
}
static inline double hn_largest_row(const hn_system *sys, const double *x) {
  return hn_largest_of(sys->angular_row, sys->length, x, sys->rows);
}
static inline double hn_largest_velocity(const hn_system *sys, const double *x) {
  return hn_largest_of(sys->angular_v, sys->length, x, sys->nv);
}

// operators on the last evaluated Jacobian
void hn_jacobian_mul(const hn_work *work, const double *x, double *y);  // y = J x
void hn_jacobian_tmul_add(const hn_work *work, const double *l, double s,
                          double *y);                    // y += s J^T l
void hn_jacobian_dense(const hn_work *work, double *J);  // rows x nv, row by row
void hn_qdot(const hn_system *sys, const double *q, const double *v, double *qdot);
// q <- q (+) d, d in velocity coordinates
void hn_retract(const hn_system *sys, double *q, const double *d);
void hn_normalise(const hn_system *sys, double *q);
// the two products with the body-level Jacobian: y += s J x, x += s J^T l
void hn_jacobian_body_mul(const hn_work *work, const double *x, double s, double *y);
void hn_jacobian_body_tmul(const hn_work *work, const double *l, double s, double *x);
// multipliers that the model says the rows have without load
void hn_preload(const hn_system *sys, double *lambda);
// Natural size of every row, by which it is judged wherever rows are said to depend on each other.
// A row that repeats others may come out as nothing but round-off once it is reduced to joint
// velocities: its own length says nothing. With the mass matrix as weight: J_i M^-1 J_i^T over the
// bodies, as if these were free
void hn_row_sizes(const hn_work *work, double *size);
// J, rows x nv, with every row in units of its natural size: the length it has before anything
// cancels on the way from the bodies to the velocities. That is left in size (rows), 1 for rows
// that are zero; a row that is less than sys->rank_tolerance of it becomes zero. Velocities are
// taken as they are, with lengths in units of the model's (so that neither units nor masses
// decide), or in units that make masses one (reference coordinates; plain in others). The last is
// for choosing rows that make good pivots: what a gap may have made is nothing there
typedef enum hn_metric { HN_METRIC_PLAIN, HN_METRIC_LENGTHS, HN_METRIC_MASS } hn_metric;
void hn_jacobian_scaled(const hn_work *work, hn_metric metric, double *J, double *size);
// mass.c: room for the nonzeros of a mass matrix; NULL when out of memory
hn_mass_entries *hn_mass_entries_create(int count);
// room for `more` behind those there are, or behind the diagonal of the bodies
bool hn_mass_entries_extend(hn_system *sys, int more);
void hn_mass_entries_destroy(hn_mass_entries *entries);
// y = M x
void hn_mass_mul(const hn_work *work, const double *x, double *y);
// dense mass matrix, nv x nv, at the state last evaluated; scratch: nv numbers
void hn_mass_dense(const hn_work *work, double *M, double *scratch);
// kinetic energy at the last evaluated state
double hn_kinetic_energy(const hn_work *work);
// potential energy at the last evaluated state (forces and gravity)
double hn_potential_energy(hn_work *work);

// ---- turns.c -------------------------------------------------------------------------------

// the system is complete: finds out what is known of its angles
hn_status hn_plan_turns(hn_system *sys);
// remember the angles of the last evaluated state as the ones to continue from; moving: with their
// rates, as velocities were evaluated too
void hn_accept_turns(hn_work *work, bool moving);
// what hn_accept_turns does with each of them
void hn_count_turn(hn_work *work, int turn, double value, double rate, bool moving);
// back to what was remembered before
void hn_take_back_turns(hn_work *work);
// where angles are expected at time t: by their rates, then by what moves them. Every evaluation
// does both; before code for the model reads work->near, the whole of it
void hn_expect_turns(hn_work *work, double t);
void hn_follow_turns(hn_work *work, double t);
void hn_expect_turns_at(hn_work *work, double t, const double *q);
// as another work space of the same system knows them
void hn_copy_turns(hn_work *work, const hn_work *from);
// some turn memory has to be told of accepted states so: it is no coordinate
static inline bool hn_turns_lag(const hn_system *sys) {
  return sys->turns > sys->own_turns;
}

// stiffness of a row as methods that make springs of constraints count it: its joint's times what
// constraint_stiffness says of the row, or the diagonal of its coupling
static inline double hn_row_weight(const hn_system *sys, int row) {
  return sys->stiffness_given[row] ? sys->stiffness[row]
                                   : sys->joint[sys->row_joint[row]].stiffness;
}

// parts.c: finds the parts of a system; then energies of every part at the state last evaluated,
// and whether forces without potential work in it. `forces` is scratch (bv). Forces that depend on
// multipliers count as working
hn_status hn_find_parts(hn_system *sys);
void hn_part_energies(hn_work *work, double *forces, double *kinetic, double *potential,
                      bool *works);

// ---- blocks, block.c -----------------------------------------------------------------------

// phi, then J, psi and the masses (level 1), then gamma (level 2); measures are up to date
void hn_block_constraints(hn_work *work, int level);
void hn_block_forces(hn_work *work);  // adds to f, potential and power
void hn_block_force(hn_work *work, int block);
void hn_block_tangent(hn_work *work, hn_tangent *tangent);
void hn_block_constraint_tangent(hn_work *work, const double *lambda, hn_tangent *tangent);
void hn_block_velocity_tangent(hn_work *work, double *V);
void hn_block_destroy(hn_sys_block *block);

// ---- flexible bodies, flexible.c -----------------------------------------------------------

void hn_flexible_masses(hn_work *work);  // of sys->mass_entries, at the poses last evaluated
void hn_flexible_force(hn_work *work, int flexible);  // adds to f, potential and power
void hn_flexible_tangent(hn_work *work, hn_tangent *tangent);
// K -= d(M a)/dq
void hn_flexible_mass_tangent(hn_work *work, const double *a, hn_tangent *tangent);
// of its own entries of the mass matrix: the modes have theirs in their block
double hn_flexible_kinetic(const hn_work *work, int flexible);
int hn_flexible_room(const hn_reduced *reduced);  // scratch it needs
// the i-th of its n velocities: which body it belongs to, and where among sys->nv it is
int hn_flexible_body(const hn_sys_flexible *x, int i);
int hn_flexible_velocity(const hn_system *sys, const hn_sys_flexible *x, int i);

// ---- mass between bodies, spread.c ---------------------------------------------------------

void hn_spread_masses(hn_work *work);  // of sys->mass_entries, at the poses last evaluated
void hn_spread_force(hn_work *work, int spread);  // adds to f and potential
void hn_spread_tangent(hn_work *work, hn_tangent *tangent);
// K -= d(M a)/dq
void hn_spread_mass_tangent(hn_work *work, const double *a, hn_tangent *tangent);
double hn_spread_kinetic(const hn_work *work, int spread);

// does the mass matrix depend on the state?
static inline bool hn_mass_varies(const hn_system *sys) {
  return sys->blocks || sys->flexibles || sys->spreads;
}

// ---- for force elements --------------------------------------------------------------------

// the side of a switching function: where it is held, otherwise where it is
static inline bool hn_side(const hn_work *work, int number, bool positive) {
  return work->side ? work->side[number] : positive;
}
// run an expression; returns its value, *gradient points to df/d(input)
double hn_run_expression(const hn_system *sys, const hn_work *work, int expression,
                         const double **gradient);
// a prescribed motion at time t: f, f', f''
void hn_run_motion(const hn_work *work, int motion, double t, double out[3]);
// a table at time t: value and two derivatives
void hn_read_table(const hn_work *work, int table, double t, double out[3]);
// value of a signal at the state last evaluated, and how fast it changes (NAN: not known)
double hn_read_signal(const hn_work *work, const hn_signal *signal, double *rate);

// ---- states, state.c -----------------------------------------------------------------------

// the least size by which a state is judged
double hn_state_floor(const hn_system *sys, int state);
// the states that later evaluations are about
void hn_give_states(hn_work *work, const double *x);
// their rates at the state last evaluated
void hn_state_rates(const hn_work *work, double *rate);
// makes them follow from the motion last evaluated by work->rule, with their gain; false: they do
// not settle, and are not numbers
bool hn_follow_states(hn_work *work);
// steppers that keep states among their unknowns: the gain by work->rule at the states as they are
// (false: singular), x = (keep - rate dx'/dx)^-1 b, and x += gain dm for changes dq and dv of the
// motion, in the coordinates of bodies
bool hn_state_gains(hn_work *work);
void hn_state_solve(const hn_work *work, const double *b, double *x);
void hn_state_follow_change(const hn_work *work, const double *dq, const double *dv, double *x);

// ---- tangents ------------------------------------------------------------------------------

// receives K = d(f)/dq or d(J^T lambda)/dq and C = df/dv as blocks over body pairs: two dense
// matrices, or whatever `add` makes of the blocks (see newton.h). Which pairs get blocks never
// depends on the state.
struct hn_tangent {
  int n;
  double *K, *C;  // n x n, row by row; either may be NULL
  void (*add)(hn_tangent *tangent, const hn_system *sys, int which, int i, int j, double s,
              const double block[36]);  // NULL: dense
  void *user;
  // dense: also df/d(states) and df/d(inputs), n x states and n x inputs; NULL: not wanted
  double *by_state, *by_input;
};
// columns of the twist that are velocity coordinates of a kind of body
const int *hn_twist_columns(hn_body_kind kind);
// Hessian blocks of a measure: d(ja)/dq_a, d(ja)/dq_b, d(jb)/dq_a, d(jb)/dq_b
enum { HN_AA, HN_AB, HN_BA, HN_BB };
void hn_measure_hessian(const hn_system *sys, const hn_work *work, int measure,
                        double block[4][36]);
// K += d(J^T lambda)/dq at the last evaluated state; of rows with a formula of their own, and of
// all
void hn_custom_tangent(const hn_work *work, const double *lambda, hn_tangent *tangent);
void hn_constraint_tangent(hn_work *work, const double *lambda, hn_tangent *tangent);
// dJ/dt along v at the last evaluated state, in the layout of work->J. Rows of blocks, whose J may
// also depend on t, are left out
void hn_jacobian_rate(const hn_work *work, double *rate);
// d(J v)/dq at the last evaluated state, in the layout of work->J
void hn_velocity_tangent(const hn_work *work, double *V);
// K -= d(M a)/dq: what inertia that depends on the state adds; nothing for bodies
void hn_mass_tangent(hn_work *work, const double *a, hn_tangent *tangent);
// what the caller's functions add to K and C, as far as they say so (push.c)
void hn_push_tangent(const hn_work *work, hn_tangent *tangent);
// K += df/dq, C += df/dv at the last evaluated state (gyroscopic terms included)
void hn_force_tangent(hn_work *work, hn_tangent *tangent);

#endif
