// system.h: compiling a model to its equations, and what is known of them before a run.
#ifndef HOLON_SYSTEM_H
#define HOLON_SYSTEM_H

#include <holon/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// The equations of a model, M(q) a = f(q, v, t) + J^T lambda with constraints Phi(q, t) = 0 and
// J v + Phi_t = 0, in coordinates q and velocities v. A system never changes: any number of threads
// may run it at the same time, each with a run of its own (sim.h). It has to outlive these.
//
// q may be longer than v: orientations in space are quaternions in q, and angular velocities in v.
// Which coordinates they are the option `coordinates` says, and hn_system_address what stands
// where.
typedef struct hn_system hn_system;

// checks the model, assembles its initial state and plans the linear algebra.
// the system keeps no reference to the model. on failure hn_model_error() explains.
HN_API hn_status hn_compile(hn_system **out, hn_model *model);
HN_API void hn_system_destroy(hn_system *system);  // after all its runs; NULL is allowed
// the equations of motion as C source with no other dependency than libm: rates, accelerations and
// multipliers, and the projection onto the constraints; hn_free() it. Not all models can be written
// so: on failure `message` (size bytes) says what stands against it
HN_API hn_status hn_code_write(const hn_system *system, char **text, char *message, size_t size);

HN_API int hn_system_nq(const hn_system *system);                         // configuration variables
HN_API int hn_system_nv(const hn_system *system);                         // velocity variables
HN_API int hn_system_rows(const hn_system *system);                       // constraint rows
HN_API const char *hn_system_row_name(const hn_system *system, int row);  // "hinge.x"

// Names and handles, also of models that were read from a file. A handle that stands for nothing
// has the id -1, a name that stands for nothing is NULL.
HN_API int hn_system_body_count(const hn_system *system);  // ids run from 0, the ground
// by the name in the model; nodes of beams and interfaces of flexible bodies are bodies, too
HN_API hn_body hn_find_body(const hn_system *system, const char *name);
HN_API const char *hn_body_name(const hn_system *system, hn_body body);
HN_API int hn_system_joint_count(const hn_system *system);  // ids run from 1
HN_API hn_joint hn_find_joint(const hn_system *system, const char *name);
HN_API const char *hn_joint_name(const hn_system *system, hn_joint joint);
// whether its rows come and go while a model runs
HN_API bool hn_joint_comes_and_goes(const hn_system *system, hn_joint joint);
// k-th coordinate of a joint: "angle"
HN_API const char *hn_joint_coordinate_name(const hn_system *system, hn_joint joint, int k);

// where numbers stand in q, v and lambda
typedef struct hn_address {
  const char *kind, *name;  // "body" or "joint", and which
  int q, nq;                // its coordinates are q[q] ... q[q + nq - 1]
  int v, nv;                // its velocities likewise
} hn_address;
// the k-th part of q and v, in their order; false past the last. Natural coordinates are shared by
// bodies and have no such parts
HN_API bool hn_system_address(const hn_system *system, int k, hn_address *address);
// rows of a joint: how many, and the first of them; 0 for joints whose coordinates are those of the
// system
HN_API int hn_joint_rows(const hn_system *system, hn_joint joint, int *first);

// rows of one joint that impose what rows of other joints impose already
typedef struct hn_dependency {
  int group;        // dependencies of different groups have no row in common
  char *joint;      // whose rows repeat
  int row_count;    // how many rows repeat
  char **row;       // "hinge_C.rot_x"
  int other_count;  // how many joints
  char **other;     // joints that impose the same; none when the rows impose nothing at all
  char *text;       // all of it in words
} hn_dependency;

// bits of a joint's force and torque components; planar joints have FX, FY and TZ
enum { HN_FX = 1, HN_FY = 2, HN_FZ = 4, HN_TX = 8, HN_TY = 16, HN_TZ = 32 };

// which of a joint's reactions follow from the motion alone
typedef struct hn_open_joint {
  char *name;            // of the joint
  int rows;              // rows whose multiplier does not
  unsigned world, axes;  // components that do not, HN_FX ...: world axes, joint axes (z: its axis)
} hn_open_joint;

// what the rows of a system repeat at one state
typedef struct hn_redundancy {
  double time;             // [s] of the state
  int rows, rank, dof;     // constraint rows, independent ones, velocities - rank
  double tolerance;        // singular values below this times the largest count as zero; not below
                           // what the violation of the constraints can feign
  double smallest_kept;    // smallest singular value counted, relative to the largest
  double largest_dropped;  // largest one not counted, relative
  int redundant_count;     // rows - rank
  char **redundant;        // rows that repeat rows before them, "hinge.x"
  int group_count;         // independent groups of dependencies
  int dependency_count;    // how many are told
  hn_dependency *dependency;  // joint by joint
  int joint_count;            // how many
  hn_open_joint *joint;       // all joints, in the order of the model
  int undetermined_count;     // how many columns
  char **undetermined;        // result columns whose value is a matter of choice, "hinge.fx"
  bool complete;              // false: too many dependencies to follow each; only rows are listed
} hn_redundancy;

// degrees of freedom, redundancy and the consistency of the initial state
typedef struct hn_check_joint {
  const char *name, *type;  // as in the model
  int rows;                 // rows it brings
  int redundant;            // of these, repeated by joints before it
  int undetermined;         // of these, whose reaction does not follow from the motion alone
  double gap;               // [m] by which it is open in the described configuration,
  double gap_angle;         // [rad] and by which its axes are off
} hn_check_joint;
// what assembly changed about a body (or a coordinate of a block)
typedef struct hn_check_body {
  const char *name;        // as in the model
  double moved;            // [m] displacement of its origin
  double turned;           // [rad] angle of its rotation
  double velocity_change;  // [m/s] of its origin, against what was given
  double spin_change;      // [rad/s]
  bool velocity_given;     // the model says how it moves
} hn_check_body;
// what is known of a system before it runs; `holon check` prints it
typedef struct hn_check {
  int bodies, joints, forces, blocks;  // how many, the ground not counted
  int velocities, rows;                // counted
  int rank;                            // of the constraint Jacobian at the assembled state
  int dof_counted;                     // velocities - rows
  int dof;                             // velocities - rank
  double rank_tolerance;               // singular values below this times the largest count as zero
  double smallest_kept;                // smallest singular value counted, relative to the largest
  double largest_dropped;              // largest one not counted, relative
  int joint_count;                     // entries of `joint`
  const hn_check_joint *joint;         // in the order of the model
  int redundant_count;                 // rows - rank
  const char *const *redundant;        // their names, "hinge.x"
  const hn_redundancy *redundancy;     // what depends on what, at the assembled state
  char reactions[160];                 // by what rule reactions are found
  char preload[160];                   // what became of the preload; "" when there is none
  double position_before, position_after;  // [m] largest gap before and after assembly
  double rotation_before, rotation_after;  // [rad] the same of angles
  double velocity_before, velocity_after;  // [m/s, rad/s] of the assembled mechanism
  double moved, turned;                    // [m], [rad] largest change assembly made to a body
  int body_count;                          // what it changed, body by body
  const hn_check_body *body;               // one for each
  int note_count;           // sentences about the start that must be known: what was moved, what
  const char *const *note;  // given velocities were changed, what has no effect
  const char *coordinates;  // chosen coordinates and why
  int singular_rows;  // rows that depend on others at the start alone: it is a singular place.
                      // Ranks and dependencies above are then those a little beside
  char start[240];    // the same in words; "" when the start is no singular place
  double gap;         // [m, rad] by which joints that repeat others miss them; 0: they do not
  char gaps[240];     // the same in words; "" when there is none
} hn_check;
// filled by hn_compile; owned by the system
HN_API const hn_check *hn_system_check(const hn_system *system);

#ifdef __cplusplus
}
#endif
#endif
