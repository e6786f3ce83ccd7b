// build.h: what joint and force types use to add themselves to a system under construction.
//
// hn_build_* calls remember the first failure; a build function may go on and simply return
// hn_build_status() at its end.
#ifndef HN_BUILD_H
#define HN_BUILD_H

#include "system/system.h"

typedef struct hn_builder hn_builder;

__attribute__((format(printf, 3, 4))) hn_status hn_build_fail(hn_builder *builder, hn_status status,
                                                              const char *format, ...);
hn_status hn_build_status(const hn_builder *builder);
const hn_system *hn_build_system(const hn_builder *builder);

// ---- joints --------------------------------------------------------------------------------

// the joint's frames: z along the axis; a from `at`, `axis` (or frame a), b from `at_b`, `axis_b`
// where the type uses them, otherwise the same place and axes as a (or frame b)
const hn_mount *hn_mount_a(const hn_builder *builder);
const hn_mount *hn_mount_b(const hn_builder *builder);
// both bodies are planar (or one is the ground): planar primitives apply
bool hn_build_planar(const hn_builder *builder);

// which ends are frames with an orientation of their own
void hn_build_oriented(const hn_builder *builder, bool *a_is, bool *b_is);
// an axis of a's frame in world axes, described configuration; left alone when it has none
void hn_build_frame_axis(const hn_builder *builder, int axis, double world[3]);

enum { HN_AXIS_X, HN_AXIS_Y, HN_AXIS_Z };

// measures; each returns an index, or -1 after a failure
int hn_build_dot1(hn_builder *builder, const hn_mount *ma, int axis_a, const hn_mount *mb,
                  int axis_b);
int hn_build_dot2(hn_builder *builder, const hn_mount *ma, int axis_a, const hn_mount *mb);
int hn_build_distance(hn_builder *builder, const hn_mount *ma, const hn_mount *mb);
// rotation of b about the z axis of a (planar bodies: difference of angles)
int hn_build_angle(hn_builder *builder, const hn_mount *ma, const hn_mount *mb);
// roll, pitch, yaw (0, 1, 2) of b in the axes of a, sequence z-y-x
int hn_build_euler(hn_builder *builder, const hn_mount *ma, const hn_mount *mb, int which);
// value of a measure in the described configuration, and its offset
double hn_build_value(const hn_builder *builder, int measure);
void hn_build_shift(hn_builder *builder, int measure, double offset);

// rows; labels name the row in messages and columns: "<joint>.<label>"
void hn_build_point(hn_builder *builder, const hn_mount *ma, const hn_mount *mb);  // x, y, (z)
void hn_build_row(hn_builder *builder, const char *label, int measure, double value);
// sum coefficient_k measure_k = constant + motion(t); motion is an expression of t, or NULL
void hn_build_combination(hn_builder *builder, const char *label, int count, const int *measure,
                          const double *coefficient, double constant, const char *motion);
// the rows that come next bring axes together: says how, see hn_alignment. Of b, z and the axis
// `across` change places
void hn_build_alignment(hn_builder *builder, hn_alignment_kind kind, const hn_mount *ma,
                        const hn_mount *mb, int across);
void hn_build_custom(hn_builder *builder, const hn_custom_type *type, const void *data,
                     const hn_mount *ma, const hn_mount *mb, const char *const *labels);
// names a joint coordinate; its zero is moved so that it has the value the definition asks for in
// the described configuration, unless two frames say where zero is
void hn_build_coordinate(hn_builder *builder, const char *name, bool angular, int measure,
                         const hn_joint_def *def);
// coordinate of another joint (NULL name: its first); -1 and a failure when there is none
int hn_build_joint_coordinate(hn_builder *builder, const char *joint, const char *coordinate,
                              bool *angular);

// ---- forces --------------------------------------------------------------------------------

// mounts of a force's ends: hn_mount_a, hn_mount_b as for joints.
// adds one element; data is copied (ops->data_size bytes) and aligned for doubles
void hn_build_force(hn_builder *builder, const hn_force_ops *ops, const void *data);
// compile an expression of t and measured quantities; extra names (e.g. "length", "rate") may be
// bound to a measure's value and rate
typedef struct hn_local_name {
  const char *name;
  hn_signal_kind kind;
  int measure;
  const char *plus;  // expression of t added to it, NULL: nothing
} hn_local_name;
int hn_build_expression(hn_builder *builder, const char *what, const char *text,
                        const hn_local_name *local, int locals);
// is this formula the number zero?
bool hn_build_vanishes(hn_builder *builder, const char *text);
// the derivative of the same expression with respect to the first local name
int hn_build_slope(hn_builder *builder, const char *what, const char *text,
                   const hn_local_name *local, int locals);
// numbers for the switching functions of the element being built; returns the first
int hn_build_switches(hn_builder *builder, int count);
// the joint being built acts where another one is, and its row is recorded as an effort too
void hn_build_as_joint(hn_builder *builder, const char *joint);
// the element being built reads the reaction of a joint: its number in work->load
int hn_build_load(hn_builder *builder, int joint);
// keep an array for the life of the system (tables, polynomial coefficients)
const double *hn_build_keep(hn_builder *builder, const double *values, int count);
// a direction given in world axes (described configuration), in the inner frame of a body
void hn_build_direction(const hn_builder *builder, int body, const double world[3],
                        double inner[3]);
// pose of a mount in the world, described configuration
void hn_build_pose(const hn_builder *builder, const hn_mount *mount, double p[3], double R[9]);
// this body's 3-D state is needed by an element
void hn_build_need_kin(hn_builder *builder, int body);

#endif
