// energy.h: what the energy-momentum family shares: the equations of a step and their tangent.
//
//   q1 - q0 = h v0 + kappa w,   kappa = h / 2,   w = v1 - v0
//   r   = kappa (M w) - h kappa (f + DPhi^T lambda) = 0
//   Phi(q1, t1) = 0
//
// with the discrete derivatives DPhi and f = -DV of discrete.h, which keeps the energy. Unknowns
// are w, which is free of cancellation, and l = h kappa lambda; Newton's method solves
//
//   [ A  -DPhi^T ] [ dq ]   [ -r + DPhi^T l ]
//   [ J1    0    ] [ l  ] = [ -Phi          ],   dq = kappa dw,
//
//   A = M - h kappa df/dq1 - sum_k l_k d(DPhi_k)/dq1
//
// Forces along a measure (springs, torsion springs, stops) and bushings have discrete derivatives
// of their potentials, and dampers that act along the same with the rate of the step. Tyres, whose
// energy the road decides, press along their measure with its mean. All others act at the midpoint
// on recovered poses, with the rate (q1 - q0) / h. There are states of first order, too: x = x0 +
// h/2 x'(x, motion), and x1 = 2 x - x0.
#ifndef HN_ENERGY_H
#define HN_ENERGY_H

#include "forces/law.h"
#include "integrators/energy/discrete.h"
#include "linalg/sparse.h"
#include "sim/sim.h"

// a force along a measure
typedef struct hn_energy_force {
  const hn_force_ops *ops;
  const void *data;
  hn_line line;
  int function;
} hn_energy_force;

// a force between two bodies with a discrete derivative of its own
typedef struct hn_energy_pair {
  const hn_force_ops *ops;
  const void *data;
  int body[2];
  hn_between step;
} hn_energy_pair;

// where a function's gradient has entries, and its outer product in A; heap
typedef struct hn_energy_outer {
  int function, count;
  int *column;  // count
  int *place;   // count x count, places in the sparse matrix
} hn_energy_outer;

// how a body depends on the coordinates, for forces that look at whole bodies; heap
typedef struct hn_energy_map {
  int count;
  int *column;          // count
  double *twist;        // 6 x count: linear velocity in world axes, angular in body axes
  double *frame;        // 12 x count: centre of mass and axes
  double constant[12];  // of these, where q = 0
} hn_energy_map;

// its tension over the step, and how that depends on the measure's value at the end, and on the
// rate
typedef struct hn_energy_pull {
  double force, slope, by_rate;
} hn_energy_pull;

// how forces look at a step from q0 to q1; hn_energy_whole for steps that are all of the motion
typedef struct hn_energy_view {
  // from 0, tensions keep the energy, to 1, they are those at the end where that takes energy away
  double end_part;
  double place;        // where on the way forces on poses act
  const double *rate;  // and their velocities; NULL: (q1 - q0) / h
  // rate of a measure, for dampers: (whole times its change + before) / h; slope: the derivative
  // by the measure at the end, times h
  double whole, slope;
  const double *before;            // per function; NULL: nothing
  const double (*pair_before)[6];  // the same of forces between two bodies
} hn_energy_view;
extern const hn_energy_view hn_energy_whole;

typedef struct hn_energy_step {
  const hn_system *sys;
  hn_energy_view view;
  int forms, products;  // how many of them the step needs
  int forces;           // along measures
  hn_energy_force *force;
  hn_energy_pull *pull;
  int pairs;  // forces between two bodies
  hn_energy_pair *pair;
  bool posed;       // angles, measures or poses are asked for
  bool others;      // some force acts on poses
  double *gravity;  // nv: generalized forces when nothing else acts
  // nv: what rounding has left out of positions, of the start and of the end of the step, and the
  // positions that it belongs to. Far away from the origin energy and momenta would drift without
  double *carry, *carry_left, *q_left;
  double *u0, *u1, *um;     // forms at q0, q1 and between, 3 each
  double *pi0, *pi1;        // products
  double *value0;           // functions at the start, turns counted
  hn_discrete *discrete;    // functions over the step
  double *motion0;          // prescribed motions at the start
  double h, kappa, factor;  // factor: of the forces in A, h kappa
  const double *q0, *v0;
  double *q1, *v1, *w, *l;  // the step
  double *a, *lambda;       // w / h and l / (h kappa): the last step's, and the next guess
  double *mid, *rate;       // midpoint
  double *f, *r, *phi;      // force; r without constraint forces; rows
  double *D, *J1;           // discrete derivative, and derivative at q1, pattern of J
  double done;              // work of forces without potential over the step
  hn_state_rule rule;       // by which states of first order follow
  double *middle;           // where they are at the midpoint
  double *x, *ga, *gb;      // scratch: nv + rows, nv, nv
  // the Newton matrix, energy_matrix.c; on the heap
  hn_sparse *sparse;
  int *start, *row;  // its pattern, column by column
  int *mass_place, *j_place, *jt_place, *d_place;
  int *h_start, *h_place;  // per product: second derivatives
  double *h_value;
  int *outer_of;  // per function: which of the outer products, -1: none
  int outers;
  hn_energy_outer *outer;
  hn_energy_map *map;            // per body; NULL when no force looks at whole bodies
  double place_part, rate_part;  // of the tangents of forces on poses
} hn_energy_step;

void hn_energy_layout(hn_energy_step *s, hn_sim *sim, hn_arena *arena);
// refuses what the family cannot do; makes the matrix
hn_status hn_energy_create(hn_energy_step *s, hn_sim *sim);
void hn_energy_release(hn_energy_step *s);

// energy_pair.c: forces between two bodies: their number in a system; how frames depend on q, once
// the maps have their columns; the frames at the start; forces at q1, added to s->f; their tangents
int hn_energy_pairs(const hn_system *sys);
bool hn_energy_frames(hn_energy_step *s);
void hn_energy_pairs_begin(hn_energy_step *s, const double *q0);
void hn_energy_pairs_evaluate(hn_energy_step *s);
void hn_energy_pairs_tangent(hn_energy_step *s, bool rate);

// how far coordinate i goes in the step
static inline double hn_energy_way(const hn_energy_step *s, int i) {
  return s->carry[i] + s->h * s->v0[i] + s->kappa * s->w[i];
}

// the start of a step of size h, with a first guess of w and l from the last one
void hn_energy_begin(hn_energy_step *s, hn_sim *sim, double h);
// everything at q1 = q0 + h v0 + kappa w: r without constraint forces, phi, D, J1
void hn_energy_evaluate(hn_energy_step *s, hn_sim *sim);
// the parts of these two: the start of a step at q0, where measures have these values (NULL: those
// of the poses there, turns counted; away from the constraints that is something else); what
// changes on the way to s->q1; forces, rows and their derivatives there
void hn_energy_from(hn_energy_step *s, hn_sim *sim, const double *q0, const double *value0);
void hn_energy_changes(hn_energy_step *s);
void hn_energy_to(hn_energy_step *s, hn_sim *sim);
// the Newton matrix there, with the multipliers l, in the values of the sparse matrix
void hn_energy_matrix(hn_energy_step *s, const hn_sim *sim);
// its part that comes from forces and multipliers, added to the values of the sparse matrix; the
// same of forces by the rates alone, these being displacements over h of another state whose
// functions have the derivatives `g` and forms `u`
void hn_energy_tangent(hn_energy_step *s, const hn_sim *sim);
void hn_energy_rate_tangent(hn_energy_step *s, const hn_sim *sim, const double (*g)[2],
                            const double *u);
// states of first order: follow from the motion in a step h, until it is settled, and then are in y
void hn_energy_states(hn_energy_step *s, hn_sim *sim, double h);
void hn_energy_states_settled(const hn_energy_step *s, hn_sim *sim, double *y);
// work of forces without potential and of drivers over the step, from lambda
double hn_energy_work(const hn_energy_step *s, const hn_sim *sim);

#endif
