// formulas.h: the equations of a system as formulas of its state. Numbers that the model fixes are
// constants there, so that what is written from them (write.c) is straight-line code for this one
// mechanism.
//
//   bodies.c     poses and twists of all bodies
//   recursion.c  relative coordinates: the same along the tree, articulated-body accelerations
//   rows.c       measures, constraint rows
//   surfaces.c   distances from surfaces
//   eliminate.c  multipliers and projections
//   formulas.c   all of it together
//
// A force says its formulas beside its numbers (hn_force_ops.formulas).
#ifndef HN_FORMULAS_H
#define HN_FORMULAS_H

#include "code/nodes.h"
#include "system/coordinates/coordinates.h"

// a body: position and velocity of the centre of mass in world axes, rotation from body to world,
// angular velocity in body axes; accelerations that come without any generalized acceleration
typedef struct hn_body_formulas {
  hn_node p[3], R[9], v[3], w[3];
  hn_node angle;           // of a planar body
  hn_node a[3], alpha[3];  // bias: world axes, body axes
} hn_body_formulas;

// a quantity with its first and second time derivative, the latter without accelerations
typedef struct hn_jet {
  hn_node value, rate, bias;
} hn_jet;
typedef struct hn_jet3 {
  hn_node value[3], rate[3], bias[3];
} hn_jet3;

// All functions of this header build nodes and return at once; -1 is a node that could not be made,
// and what is made of it is -1 as well, so that memory is looked after once, at the end (complete()
// in formulas.c).
// what formulas of a family of coordinates look like
typedef struct hn_formula_family {
  const hn_coordinates *of;
  const char *words;               // what its coordinates are
  void (*bodies)(hn_formulas *f);  // how bodies move, and qdot
  // NULL where the mass matrix is the bodies' own. Otherwise: M, for models with rows;
  // accelerations of those without
  void (*mass)(hn_formulas *f);
  void (*accelerations)(hn_formulas *f);
} hn_formula_family;

// what formulas may read beside the motion: nothing; inputs and states of first order; these, what
// sampled controllers hold, and tables over time
typedef enum hn_openness { HN_CLOSED, HN_OPEN, HN_WIDE_OPEN } hn_openness;

// made by hn_formulas_build, read by writers; one thread
struct hn_formulas {
  const hn_system *sys;
  const hn_formula_family *family;
  hn_graph *g;
  char missing[160];  // what has no formulas; empty: nothing is missing
  // first inputs; v comes first, since derivatives are taken with respect to it
  int in_v, in_q, in_t, in_turn, in_side, in_m, in_u, in_x, in_w, in_p;
  hn_openness open;  // inputs u, states x, tables w: value and two derivatives of each
  hn_arena arena;
  hn_node zero;
  hn_body_formulas *body;
  hn_jet *measure;                         // value -1: not asked for yet
  hn_node *phi, *phi_t, *psi, *gamma, *J;  // rows; J is rows x nv
  hn_jet *gap;                             // of rows that come and go; value -1: no formula
  hn_node *switching;                      // switching functions
  hn_node *remembered;                     // what forces remember where function `begins` becomes
  int *begins;                             // positive
  hn_node *motion;                         // f, f', f'' of each
  hn_node *force;                          // generalized, nv
  hn_node *M;                              // relative with loops: mass matrix, nv x nv; else NULL
  double *size;                            // there: J M^-1 J^T of free bodies at the start, rows
  void *links;                             // relative: see recursion.c
  hn_node power;                           // of forces without potential
  hn_node potential, kinetic;              // energies
  hn_node *qdot, *a, *lambda;              // the answer
  hn_node *xdot;                           // of states, where they may be read; else NULL
  hn_node firmness;                        // pivot ratio, see saddle.h
  hn_node *d, *x;                          // projections of position and velocity, nv
};

// all formulas of a system, wide open; hn_formulas_clear in any case. Not all models have them:
// HN_ERR_ UNSUPPORTED, and `missing` says why
hn_status hn_formulas_build(hn_formulas *f, const hn_system *sys);
// the same with a tape: numbers of the model that are inputs (arguments.c). With tape->only there
// are no formulas to be had
hn_status hn_formulas_build_on(hn_formulas *f, const hn_system *sys, hn_tape *tape,
                               hn_openness open);
void hn_formulas_clear(hn_formulas *f);
// operations that accelerations take; -1: there are no formulas, -2: out of memory
long hn_formulas_cost(const hn_system *sys);
// write.c: C source of what code/native.h says; free() it, NULL when out of memory
char *hn_formulas_write(const hn_formulas *f);

// the first thing that has no formulas is kept
void hn_formulas_miss(hn_formulas *f, const char *what, const char *name);
// there are more operations than code is written for: no use in going on
bool hn_formulas_full(hn_formulas *f);

static inline hn_node hn_input_q(const hn_formulas *f, int k) {
  return hn_graph_input(f->g, f->in_q + k);
}
static inline hn_node hn_input_v(const hn_formulas *f, int k) {
  return hn_graph_input(f->g, f->in_v + k);
}

// ---- bodies, motion ------------------------------------------------------------------------

void hn_formulas_bodies(hn_formulas *f);         // reference coordinates; fills qdot as well
void hn_formulas_tree(hn_formulas *f);           // relative coordinates
void hn_formulas_mass(hn_formulas *f);           // relative coordinates with rows: fills M
void hn_formulas_accelerations(hn_formulas *f);  // relative coordinates without rows: fills a
// rotation of a quaternion; its rate for the angular velocity w in body axes
void hn_quaternion_matrix(hn_graph *g, hn_node R[9], const hn_node q[4]);
void hn_quaternion_rate(hn_graph *g, hn_node o[4], const hn_node q[4], const hn_node w[3]);

// ---- quantities, rows ----------------------------------------------------------------------

// a point fixed in a body; what is nothing against the model's size becomes zero
void hn_point_constant(const hn_formulas *f, hn_node o[3], const double s[3]);
// point and direction fixed in a body (inner frame), as they move in the world
hn_jet3 hn_point_jet(hn_formulas *f, int body, const double s[3]);
hn_jet3 hn_direction_jet(hn_formulas *f, int body, const double u[3]);
hn_jet hn_measure_jet(hn_formulas *f, int measure);
// the point sb of b, seen from the point sa of a along the axes of the columns of M, which are
// fixed in a
void hn_place_jets(hn_formulas *f, int a, int b, const double sa[3], const double sb[3],
                   const double M[9], hn_jet out[3]);
// distance of a place, in the axes of the surface, from it (system/surface.h); its gradient there
typedef struct hn_surface_jet {
  hn_jet distance;
  hn_node gradient[3];
} hn_surface_jet;
hn_surface_jet hn_surface_formulas(hn_formulas *f, const hn_surface *surface, const double *size,
                                   const hn_jet x[3]);
// where a body touches another, at a place that moves over both (value and rate are read): velocity
// of the point of b there relative to that of a, and the rate of it without accelerations
typedef struct hn_slip {
  hn_node velocity[3], bias[3];
} hn_slip;
hn_slip hn_slip_jet(hn_formulas *f, int a, int b, const hn_jet3 *place);
// a row direction . velocity = 0: its rate and right-hand side
void hn_slip_row(hn_formulas *f, int row, const hn_jet3 *direction, const hn_slip *slip);
// an expression (hn_run_expression): output 0 is its value, 1 its derivative with t, 2 + k that
// with its signal k
hn_node hn_expression_node(hn_formulas *f, int expression, int output);
// 1 on the positive side of a switching function, 0 on the other
hn_node hn_side_node(const hn_formulas *f, int number);
// says what that function is, to those who look where steps end
void hn_formulas_switch(hn_formulas *f, int number, hn_node function);
// says what is to be remembered where function `begins` becomes positive
void hn_formulas_remember(hn_formulas *f, int memory, int begins, hn_node what);
// what a force remembers of its last switching (hn_work.memory)
hn_node hn_memory_node(const hn_formulas *f, int number);
// switching functions of all expressions
void hn_formulas_decisions(hn_formulas *f);
void hn_formulas_rows(hn_formulas *f);

// ---- forces --------------------------------------------------------------------------------

// the generalized force F acts along a quantity with this rate
void hn_formulas_apply(hn_formulas *f, hn_node F, hn_node rate);
// power of a force without potential
void hn_formulas_power(hn_formulas *f, hn_node power);
// potential energy of one that has it
void hn_formulas_potential(hn_formulas *f, hn_node potential);

// ---- solution ------------------------------------------------------------------------------

// a, lambda from force and gamma; d, x from phi and psi
void hn_formulas_eliminate(hn_formulas *f);

#endif
