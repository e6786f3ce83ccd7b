// coordinates.h: what a family of generalized coordinates can do.
//
// Elements are evaluated on poses and twists of bodies; a family says how these follow from its
// own coordinates q, v, and how forces and rows come back. Each family is one table: reference.c
// (the bodies' own coordinates), tree.c (relative), natural.c. Everything else asks the table, once
// per phase and never per body; what only one family has is in its own header.
#ifndef HN_COORDINATES_H
#define HN_COORDINATES_H

#include "system/system.h"

typedef struct hn_kkt_ops hn_kkt_ops;  // system/kkt.h

// bits a method must have to cope with a family; reference coordinates need none
enum { HN_IN_RELATIVE = HN_CAN_RELATIVE, HN_IN_NATURAL = HN_CAN_NATURAL };

// coordinates that belong together
typedef struct hn_coordinate_part {
  const char *what, *name;  // "body", "joint"
  int q0, nq, v0, nv;
} hn_coordinate_part;

struct hn_coordinates {
  const char *name;       // as the option `coordinates` has it
  unsigned ability;       // one of the bits above
  bool of_bodies;         // q, v are those of the bodies, and the mass matrix is sys->mass
  bool flat;              // q' = v, and q may be added to
  bool adds_rows;         // rows of its own stand behind those of the joints
  const hn_kkt_ops *kkt;  // the saddle-point system with the bodies' masses; NULL: the general one

  // ---- compiling ----
  // equips a system that was compiled without the rows of the joints that are `taken`; it starts at
  // the assembled state of the same model in reference coordinates
  hn_status (*create)(hn_system *sys, const hn_system *reference, const bool *taken);
  void (*destroy)(hn_system *sys);
  // sys->active is known; NULL: nothing to do
  hn_status (*settle)(hn_system *sys);
  // which coordinates are angles, quaternions or parts of directions
  void (*mark_angles)(const hn_system *sys, bool *q, bool *v);
  // the k-th of the parts that q and v consist of, in their order; false past the last. NULL: they
  // are nobody's alone
  bool (*part)(const hn_system *sys, int k, hn_coordinate_part *out);
  // some joint has no reaction, since its bodies share coordinates; NULL: none is so
  bool (*hides_reactions)(const hn_system *sys);

  // ---- evaluation: NULL where the bodies' own will do ----
  // where coordinates are not the bodies': work->body_q and what else it needs; work->q is body_q
  void (*layout)(hn_work *work, hn_arena *arena);
  // poses; level 1: and twists; 2: and what accelerations need, with the forces bodies bring
  // themselves in work->f. work->gq and gv are q and v, work->q and v what the bodies have
  void (*move)(hn_work *work, const double *q, const double *v, int level);
  // Phi; level 1: and J, psi; 2: and gamma. NULL: rows on the bodies
  void (*constraints)(hn_work *work, int level);
  // all forces are in work->f: gamma and work->r follow
  void (*reduce)(hn_work *work);
  void (*reduce_forces)(hn_work *work);  // work->r only
  void (*quaternions)(hn_work *work);    // of all bodies in work->q, continuous with those before
  // turn memories beside those of measures: hn_count_turn for each
  void (*accept_turns)(hn_work *work, bool moving);
  // angles that are coordinates (sys->own_turns): marks them as known, and reads them into
  // work->near, which `move` does as well
  void (*know_turns)(hn_system *sys);
  void (*read_turns)(hn_work *work, const double *q);

  // ---- motion on the configuration space ----
  void (*qdot)(const hn_system *sys, const double *q, const double *v, double *qdot);
  void (*retract)(const hn_system *sys, double *q, const double *d);
  void (*normalise)(const hn_system *sys, double *q);

  // ---- products ----
  void (*jacobian_mul)(const hn_work *work, const double *x, double *y);
  void (*jacobian_tmul_add)(const hn_work *work, const double *l, double s, double *y);
  void (*jacobian_dense)(const hn_work *work, double *J);
  void (*row_sizes)(const hn_work *work, double *size);
  // squares of the lengths that rows would have in v (lengths: those in units of the model's) if
  // nothing cancelled on the way from the bodies; NULL: nothing does
  void (*row_lengths)(const hn_work *work, bool lengths, double *size);
  void (*mass_mul)(const hn_work *work, const double *x, double *y);  // without mass_entries

  // ---- what the general saddle-point system asks: NULL, unless there may be mass_entries ----
  // row and column of every number in work->numbers, sys->numbers of them
  void (*pattern)(const hn_system *sys, int *row, int *column);
  const double *(*mass_sizes)(const hn_system *sys);  // diagonal of M for scaling, above zero
  // an order of elimination for coordinates and the rows behind them, false: out of memory. NULL:
  // none is known
  bool (*order)(const hn_system *sys, int *order);
  double (*firmness)(const hn_system *sys);  // pivot ratio at the start; NULL: 1

  // ---- tangents: K = d(r + J^T lambda)/dq, C = dr/dv, nv x nv; NULL: by blocks of bodies ----
  void (*tangent)(hn_work *work, const double *lambda, double *K, double *C);

  // ---- reactions ----
  // before any is asked for, given accelerations and work->lambda: work->J has blocks of the joints
  // on their bodies. NULL: nothing to prepare
  void (*reactions)(hn_work *work, const double *a);
  // wrench on the body (b, or a: *on_a) of a joint without rows, about its centre of mass, world
  // axes; NULL: such joints have no reaction
  void (*wrench)(const hn_work *work, int joint, bool *on_a, double F[3], double T[3]);
  // what the joint without rows puts along its free motion, which should be nothing: largest of its
  // axes, N (moments over the model's length); goes with `wrench`
  double (*idle)(const hn_work *work, int joint);
  // rates of the bodies' own velocities, given accelerations of the coordinates; NULL: the same
  void (*accelerations)(const hn_work *work, const double *a, double *body);
  // M a of the bodies with gyroscopic moments, where work->f does not have them; NULL: it does, and
  // a is of the bodies or body_forces tells
  void (*inertia)(const hn_work *work, const double *a, double *force);
  // forces of all joints on the bodies, M a - f; NULL: the rows tell them
  void (*body_forces)(const hn_work *work, const double *a, double *force);
};

extern const hn_coordinates hn_reference_coordinates, hn_relative_coordinates,
    hn_natural_coordinates;

// ---- what families share: operators on the bodies' own coordinates --------------------------

void hn_bodies_row_sizes(const hn_work *work, double *size);
// the same with other weights than the masses, nv of them
void hn_bodies_weighted_sizes(const hn_work *work, const double *weight, double *size);
// rows on the bodies
void hn_bodies_rows(hn_work *work, int level);
// quaternions of work->body_q from the rotations of the bodies
void hn_bodies_quaternions(hn_work *work);

#endif
