// tree.h: relative (joint) coordinates over a spanning tree of the mechanism.
//
// Every body hangs on one mobilizer: a joint to its parent that needs no constraint rows because
// its coordinates are the unknowns. Joints that would close a loop stay constraint rows. Bodies
// without a usable joint hang on the ground by a free mobilizer.
//
// Twists are taken at the bodies' centres of mass in world axes, so moving them along the tree is
// a pure shift by the lever between two centres; no 6x6 matrix is ever rotated. Dimension d is 6
// in space (v, w) and 3 in the plane (vx, vy, w). With S the motion axes of a mobilizer,
//   twist_k = shift_k twist_parent + S_k u_k,   acceleration_k likewise + bias_k,
// the mass matrix is factorised by the articulated-body recursion into M = T^-T T^-1 (T: "forward"
// below). In the variables nu = T^-1 u the mass matrix is the identity, so loops are closed by the
// same saddle-point factorisation as in reference coordinates, with weights 1 and J T.
#ifndef HN_TREE_H
#define HN_TREE_H

#include "system/kkt.h"

#define HN_TREE_INLINE static inline __attribute__((always_inline))

typedef enum hn_mobilizer_type {
  HN_MOB_REVOLUTE,     // about z of mount a
  HN_MOB_PRISMATIC,    // along z of mount a
  HN_MOB_CYLINDRICAL,  // along and about z
  HN_MOB_UNIVERSAL,    // about z of mount a, then about z of mount b, which is perpendicular
  HN_MOB_PLANAR,       // along x and y of mount a, about z
  HN_MOB_SCREW,        // about z of mount a, along it in proportion
  HN_MOB_SPHERICAL,    // quaternion; velocity in the axes of mount b
  HN_MOB_FIXED,
  HN_MOB_FREE,  // the body's own reference coordinates
} hn_mobilizer_type;

// Fixed once the system is compiled. Walks do not look here, but at the packed records below,
// unless a joint is a rare one.
typedef struct hn_mobilizer {
  hn_mobilizer_type type;
  int body, parent;  // bodies
  int up;            // parent's mobilizer, -1 when it is the ground
  int joint;         // compiled joint, -1 for a free body
  int nq, nv, q0, v0;
  int s0;               // offset of its motion axes (d x nv, column by column)
  int l0;               // offset of its small factor, see hn_tree_factor
  hn_mount a, b;        // on the parent, on the body
  double offset[2];     // coordinate value when the mounts coincide
  double pitch, start;  // screw: advance per radian, and at zero
  double plane_angle;   // plane: angle of the body against its parent when they do
  int coordinate[2];    // compiled measures of its coordinates, -1 when it has none
  int memory;           // turn memory of the measure of its angle, -1 when it has none
  int angle;            // which coordinate that angle is,
  double sign;          // and how it counts there
} hn_mobilizer;

// what the walks along the tree look at, one record after the other
typedef struct hn_link {
  int v0, q0, s0, l0;    // as in its mobilizer
  int body, parent;      // bodies
  int body_q0, body_v0;  // where the body's own numbers are
  int parent_q0;         // plane: the parent's coordinates, -1 for the ground
  int up;                // parent's mobilizer, -1 when it is the ground
  int slot, up_slot;     // where sums are kept for the body and for its parent, see hn_tree
  int memory;            // as in its mobilizer
  signed char angle, sign;
  signed char nv, type;
  signed char shape;  // hn_link_shape
  bool last;          // last child of its parent: walking inwards it arrives there first
  bool leaf;          // nothing hangs on it
  bool turns;         // the body has an orientation
  bool shown;         // plane: something looks at it in space
} hn_link;

// what is special about a revolute mobilizer in space
typedef enum hn_link_shape {
  HN_LINK_ANY,   // nothing: everything is in its mobilizer
  HN_LINK_TURN,  // revolute
  HN_LINK_AXIS,  // revolute about a coordinate axis of both bodies
} hn_link_shape;

// constants of a revolute mobilizer in space, whose angle is sign q + angle
typedef struct hn_hinge {
  double angle, sign;
  double sa[3], sb[3];   // the joint on the parent and on the body
  int axis;              // HN_LINK_AXIS: which
  int along_a, along_b;  // the only coordinate of sa, sb that is not zero, -1: there are several
  int turn;              // HN_LINK_TURN: offset in hn_tree.turn of the axis on the parent (3), then
                         // of 27 numbers: the rotation from body to parent is the sum of the first
                         // 9, cos times the next and sin times the last
} hn_hinge;

// constants of a mobilizer in the plane; the body's angle is its parent's + angle, + q if it turns
typedef struct hn_pin {
  double angle;
  double sa[2], sb[2];
} hn_pin;

// Mobilizers are numbered depth first with the heaviest branch last. A walk inwards (from the
// highest number down) or outwards then needs the sums of few bodies at a time: those of a body and
// of its last child may share one place, the other children have theirs one further. The places in
// use stay in the fastest cache.
typedef struct hn_tree {
  int d;      // 6 in space, 3 in the plane
  int count;  // mobilizers, parents before children
  int slots;  // places for sums
  hn_mobilizer *mob;
  hn_link *link;    // per mobilizer
  hn_hinge *hinge;  // per mobilizer in space, of revolute ones
  hn_pin *pin;      // per mobilizer in the plane
  double *inertia;  // per mobilizer: mass, then principal moments (zero where nothing turns)
  double *inverse;  // of these, zero for bodies that are nothing against the others: a body between
                    // two joints that has a mass only so that there is one
  double *turn;
  void *packed;  // holds the arrays from link to inverse
  bool plain;    // the rate of every coordinate is its velocity
  int *of_body;  // mobilizer of each body, -1 for the ground
  int s_size, l_size;
  // loops: the mobilizers between the bodies of each group and the ground, outermost first
  int *path_start;          // groups + 1
  int *path;                // mobilizers
  int *path_up;             // position of the parent within the group's path, -1 at its end
  int *path_block;          // offset of the rows x nv block in the transformed Jacobian
  int block_size, longest;  // doubles of that Jacobian; longest path
  hn_saddle_plan *plan;
} hn_tree;

// tree_loops.c: paths, and the plan of the saddle-point factorisation
hn_status hn_tree_plan_loops(hn_system *sys);

// tree_choose.c: the mobilizer a joint type becomes, -1 when it stays a constraint
int hn_mobilizer_of(const char *type);
// all bodies live in space, or all in the plane: one dimension for all twists
bool hn_tree_possible(const hn_system *reference);
// chooses tree joints among the compiled ones of a reference system; tree[j] is set for each.
// False: out of memory
bool hn_tree_choose(const hn_system *reference, bool *tree);
// of a system in relative coordinates, and for all, NULL of others
static inline hn_tree *hn_tree_own(const hn_system *sys) {
  return sys->own;
}
static inline hn_tree *hn_tree_of(const hn_system *sys) {
  return sys->coordinates == &hn_relative_coordinates ? sys->own : NULL;
}
// estimated nanoseconds of one evaluation of the system that would come of these tree joints; -1:
// out of memory
double hn_tree_cost(const hn_system *reference, const bool *tree);
double hn_tree_cost_of(const hn_system *sys);  // when it is there

// ---- operations of the table ----

void hn_tree_know_turns(hn_system *sys);
void hn_tree_read_turns(hn_work *work, const double *q);
void hn_tree_layout(hn_work *work, hn_arena *arena);
// poses (level 0), also twists (level 1), also bias accelerations, weight and gyroscopic moments in
// work->f (level 2); one walk outwards
void hn_tree_move(hn_work *work, const double *q, const double *v, int level);
void hn_tree_move_space(hn_work *work, const double *q, const double *v, int level);
void hn_tree_move_plane(hn_work *work, const double *q, const double *v, int level);
// work->r = generalized forces of work->f less the inertia forces of the bias; and work->gamma less
// what the bias accelerations already do
void hn_tree_reduce_forces(hn_work *work);
void hn_tree_reduce(hn_work *work);
void hn_tree_qdot(const hn_system *sys, const double *q, const double *v, double *qdot);
void hn_tree_retract(const hn_system *sys, double *q, const double *d);
void hn_tree_normalise(const hn_system *sys, double *q);
// body twists (sys->bv numbers, inner coordinates) caused by u, without bias
void hn_tree_expand(const hn_work *work, const double *u, double *body);
// y += s K^T f: generalized force of body forces
void hn_tree_gather(const hn_work *work, const double *body_force, double s, double *y);

// o += shift^T x, or o = shift^T x when it is the first: a wrench on the child seen at the parent's
// centre of mass. Dimension d is a constant wherever this is used
HN_TREE_INLINE void hn_tree_pass_up(int d, double *o, const double *x, const double r[3],
                                    bool first) {
  double y[6];
  for (int i = 0; i < d; i++) y[i] = x[i];
  if (d == 3) {
    y[2] += r[0] * x[1] - r[1] * x[0];
  } else {
    y[3] += r[1] * x[2] - r[2] * x[1];
    y[4] += r[2] * x[0] - r[0] * x[2];
    y[5] += r[0] * x[1] - r[1] * x[0];
  }
  for (int i = 0; i < d; i++) o[i] = first ? y[i] : o[i] + y[i];
}

// the articulated-body factor, part of hn_kkt
typedef struct hn_tree_factor {
  struct hn_inertia *IA6;  // articulated inertias in space, one per slot
  double *IA3;             // the same in the plane: 3 x 3
  double *G;               // d x nv per mobilizer, at s0
  double *L;               // Cholesky factors of S^T IA S, at l0: one number, or rows of 6
  double *p;               // d per slot
  double *JT;              // loop Jacobian in nu
  double *push;            // scratch of the longest path
  double *size;            // per loop row: its natural size, that on the free bodies,
  double *lost;            // and what is lost of it in nu. A row that vanishes altogether is
                           // dependent although no other is subtracted from it
  bool identity;           // weights 1 on u instead of the mass matrix
} hn_tree_factor;
void hn_tree_factor_layout(hn_tree_factor *factor, hn_arena *arena, const hn_system *sys);
// Factors belong to the state last evaluated with `work`, whose axes and levers the passes below
// read again.
void hn_tree_factorise(hn_tree_factor *factor, const hn_work *work, bool identity);
// with the mass matrix, and hn_tree_back on the way
void hn_tree_factorise_back(hn_tree_factor *factor, const hn_work *work, double *r);
void hn_tree_loops(hn_tree_factor *factor, const hn_work *work);
// squares of the lengths that the loop rows would have in the joints' velocities (lengths: those in
// units of the model's) if nothing cancelled on the way from their bodies to the joints
void hn_tree_row_lengths(const hn_work *work, bool lengths, double *size);
void hn_tree_back(const hn_tree_factor *factor, const hn_work *work, double *r);      // r -> nu
void hn_tree_forward(const hn_tree_factor *factor, const hn_work *work, double *nu);  // nu -> u
// forces of all joints on the bodies (sys->bv numbers, inner coordinates): M a - f
void hn_tree_accelerations(const hn_work *work, const double *a, double *body);
void hn_tree_body_forces(const hn_work *work, const double *a, double *force);
// work->wrench: what (world axes, about the body's centre of mass) each mobilizer's joint puts on
// its body, given accelerations and work->lambda; 6 per mobilizer
void hn_tree_reactions(hn_work *work, const double *a);
void hn_tree_wrench(const hn_work *work, int joint, bool *on_a, double F[3], double T[3]);
double hn_tree_idle(const hn_work *work, int joint);
void hn_tree_jacobian_mul(const hn_work *work, const double *x, double *y);
void hn_tree_jacobian_tmul_add(const hn_work *work, const double *l, double s, double *y);
void hn_tree_jacobian_dense(const hn_work *work, double *J);
void hn_tree_mass_mul(const hn_work *work, const double *x, double *y);

#endif
