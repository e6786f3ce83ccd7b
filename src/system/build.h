// build.h: what joint and force types use to add themselves to a system under construction, beside
// what extend.h offers to all.
//
// hn_build_* calls remember the first failure; a build function may go on and simply return
// hn_build_status() at its end.
#ifndef HN_BUILD_H
#define HN_BUILD_H

#include "system/system.h"

const hn_system *hn_build_system(const hn_builder *builder);

// ---- joints --------------------------------------------------------------------------------

// which ends are frames with an orientation of their own
void hn_build_oriented(const hn_builder *builder, bool *a_is, bool *b_is);
// an axis of a's frame in world axes, described configuration; left alone when it has none
void hn_build_frame_axis(const hn_builder *builder, int axis, double world[3]);

// the frame in which the user describes the body (ground: the world)
hn_mount hn_build_body_frame(const hn_builder *builder, int body);
// a mount whose axes are those of another, in a cycle: z becomes its axis k
hn_mount hn_mount_cycled(const hn_mount *mount, int k);
// the axis lies in the plane: turns the mount about it so that x is its normal in the plane;
// fails and returns false when the axis leaves the plane
bool hn_build_axis_in_plane(hn_builder *builder, hn_mount *mount);
// does the body have an orientation (it is no point mass)?
bool hn_build_rotates(const hn_builder *builder, int body);

// roll, pitch, yaw (0, 1, 2) of b in the axes of a, sequence z-y-x
int hn_build_euler(hn_builder *builder, const hn_mount *ma, const hn_mount *mb, int which);
// distance of the point of b from a surface with the axes of a; size: its numbers, kept by whoever
// keeps the system (hn_build_keep). Of a wheel about z of b that of its rim; 0: it is none
int hn_build_surface(hn_builder *builder, const hn_mount *ma, const hn_surface *surface,
                     const double *size, const hn_mount *mb, double rim);
// a rate alone: how fast b turns against a about an axis of a. Rows of it are nonholonomic
int hn_build_spin(hn_builder *builder, const hn_mount *ma, int axis_a, const hn_mount *mb);
// convex solids (polytope.h), kept by the system; NULL after a failure. A box by half its edges, a
// hull among the shapes of a body, and the one box or hull that a body has as its shape: the latter
// two about its centre of mass, in the axes of its frame
const double *hn_build_box(hn_builder *builder, int body, const double half[3]);
const double *hn_build_hull(hn_builder *builder, int body, const hn_shape_def *shape);
const double *hn_build_solid(hn_builder *builder, int body);
// edges that cross, of a solid on a and another one on b
int hn_build_edges(hn_builder *b, const hn_mount *ma, const double *solid, const hn_mount *mb,
                   const double *other);
// the row built last is of a tip before a solid: its gap is this measure; spokes: see hn_tip, in
// axes of the mount. Or of edges that cross: other, the solid on b
void hn_build_tip(hn_builder *b, int measure, const double *solid, const hn_mount *mount,
                  const double *spokes, int spoke_count, const double *other);
// a rate alone: how fast b slips along the surface that `gap` is measured from (a plane's, point's
// or other), by one of its tangents: 0, 1; 2: the only one of a plane machine
int hn_build_slip(hn_builder *builder, int gap, int way);
// how far off its point b rubs: see hn_measure
void hn_build_arm(hn_builder *builder, int measure, double arm);
// moves the zero of a measure
void hn_build_shift(hn_builder *builder, int measure, double offset);

// coefficient * measure - constant >= 0: a row that comes and goes
void hn_build_unilateral(hn_builder *builder, const char *label, int measure, double coefficient,
                         double constant, double restitution, double pitch);
// the same over a sum of measures
void hn_build_unilateral_sum(hn_builder *builder, const char *label, int count, const int *measure,
                             const double *coefficient, double constant, double restitution);
// a row whose rate, a sum of those of measures, friction can hold at zero; then which friction does
// so with all such rows of a joint, or with its part of them: that of the joint that presses, or of
// one of its gaps. Returns its number
void hn_build_hold_row(hn_builder *builder, const char *label, int count, const int *measure,
                       const double *coefficient);
// how many frictions a joint that presses has: one for each of its gaps
int hn_build_holds(const hn_builder *builder, int presses);
int hn_build_hold(hn_builder *builder, int rows_of, int presses, int which, const hn_force_def *def,
                  double sticking);
// the rows that come next bring axes together: says how, see hn_alignment. Of b, z and the axis
// `across` change places
void hn_build_alignment(hn_builder *builder, hn_alignment_kind kind, const hn_mount *ma,
                        const hn_mount *mb, int across);
// names a joint coordinate that is read as it is
void hn_build_plain_coordinate(hn_builder *builder, const char *name, bool angular, int measure);
// coordinate of another joint (NULL name: its first); -1 and a failure when there is none
int hn_build_joint_coordinate(hn_builder *builder, const char *joint, const char *coordinate,
                              bool *angular);

// ---- forces --------------------------------------------------------------------------------

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
// the joint being built acts where another one is, and its row is recorded as an effort too
void hn_build_as_joint(hn_builder *builder, const char *joint);
// the force being built acts between the bodies of a joint
void hn_build_acts_at(hn_builder *builder, int joint);
// numbers for what the element being built remembers (hn_force_ops.remember); returns the first
int hn_build_memories(hn_builder *builder, int count);
// mass between two bodies: kinetic energy beyond theirs (spread.c)
void hn_build_spread(hn_builder *builder, int body_a, int body_b, const double G[64]);
// the element being built reads the reaction of a joint: its number in work->load
int hn_build_load(hn_builder *builder, int joint);

#endif
