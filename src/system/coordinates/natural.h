// natural.h: natural coordinates: points and unit vectors, no angles.
//
// Every body owns, or shares with its neighbours, just enough points and unit vectors (its
// generators) that every other point and direction of it is a constant linear combination of them:
//
//   space   4 generators g_k, x(s) = sum c_k(s) g_k with c = B^-1 (s, 1), B = columns (s_k, 1) of
//           points and (u_k, 0) of vectors
//   plane   2 generators, the same with complex numbers: x(s) = sum c_k(s) g_k
//   point masses: their position
//
// So the velocity of every point is linear in the rates with constant coefficients, and the mass
// matrix M = integral of c c^T dm is constant; there are no inertia forces beside M a. That the
// generators move as a rigid body is imposed by rows: constant distances, norms and products.
//
// A joint may share generators between its bodies instead of bringing rows (revolute, spherical).
// Points fixed in the ground are constants.
//
// All rows are sums of functions of one or two products of affine vector functions of q ("forms"):
//
//   pi = U(q) . W(q),   Phi = sum coefficient g(pi_1, pi_2) - constant - motion(t)
//
// g being pi itself for most joints and all rigidity rows (which are quadratic then), sqrt for
// distances in sums, atan2 and asin for angles. Applied forces act on recovered poses.
//
// J. Garcia de Jalon, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems (1994).
#ifndef HN_NATURAL_H
#define HN_NATURAL_H

#include "system/coordinates/coordinates.h"

#include <complex.h>

// a point or unit vector of a body
typedef struct hn_generator {
  bool vector;
  int index;     // of its first coordinate in q, -1: fixed in the ground
  double s[3];   // inner frame of the body
  double at[3];  // world, assembled state (its value where fixed)
} hn_generator;

enum { HN_GENERATORS = 4 };
typedef struct hn_natural_body {
  int count;
  hn_generator g[HN_GENERATORS];
  int position, axis[3];  // forms of the centre of mass and of the axes (plane: axis[0])
  int turn;               // planar bodies: where the angle's turn is remembered, otherwise -1
  double inverse[16];     // space: B^-1
} hn_natural_body;

// affine vector function of q: constant + sum of coefficient * q[index] per component
typedef struct hn_form {
  double constant[3];
  int first, count;
} hn_form;
typedef struct hn_form_entry {
  int index, component;
  double coefficient;
} hn_form_entry;

// one of the vectors that mass between bodies is given over (spread.c)
typedef struct hn_natural_part {
  int form, count;
  bool turned;
} hn_natural_part;

typedef struct hn_product {
  int u, w;  // forms
} hn_product;

typedef enum hn_function_type { HN_F_VALUE, HN_F_ROOT, HN_F_ASIN, HN_F_ANGLE } hn_function_type;
typedef struct hn_function {
  hn_function_type type;
  int product[2];  // HN_F_ANGLE: cosine, sine; otherwise the second is -1
  int measure;     // whose offset and turns it follows, -1: none
} hn_function;

typedef struct hn_natural_term {
  int function;
  double coefficient;
} hn_natural_term;
typedef struct hn_natural_row {
  int first, terms;
  double constant;
  int motion;  // of the system, -1: none
  int body;    // whose rigidity it is; 0: a joint's row
} hn_natural_row;

typedef struct hn_natural {
  bool shared;            // some joint shares generators
  hn_natural_body *body;  // per body of the system
  int forms, entries, products, functions, terms;
  hn_form *form;
  hn_form_entry *entry;
  hn_product *product;
  hn_function *function;
  hn_natural_term *term;
  hn_natural_row *row;  // sys->rows
  int *of_measure;      // function of every measure
  // how many of each the rows need; the rest is for forces
  int row_forms, row_products, row_functions;
  int *start, *column;  // pattern of J, row by row
  double *size;         // diagonal of M, kept above zero
  double rcond;         // of the saddle-point matrix at the initial state
} hn_natural;

// twist of a body from rates of q: T, in the body's columns
typedef struct hn_natural_map {
  int count, column[3 * HN_GENERATORS];
  double twist[6][3 * HN_GENERATORS];
} hn_natural_map;

// value of a function with what the rows need of it
typedef struct hn_function_value {
  double value, rate, bias;
  double g[2];  // derivatives by its products
} hn_function_value;

// everything evaluated at one state
typedef struct hn_natural_work {
  double *u, *du;        // values and rates of the forms, 3 each
  double *pi, *dpi;      // of the products
  hn_function_value *f;  // of the functions
  double *J;             // natural->start, column
  double *scratch;       // nv, zero between uses
  hn_natural_map *map;   // per body, for tangents
  double *room;          // 2 nv, for tangents
} hn_natural_work;

// of a system in natural coordinates, of its work spaces, and for all, NULL of others
static inline hn_natural *hn_natural_own(const hn_system *sys) {
  return sys->own;
}
static inline hn_natural *hn_natural_of(const hn_system *sys) {
  return sys->coordinates == &hn_natural_coordinates ? sys->own : NULL;
}
static inline hn_natural_work *hn_natural_at(const hn_work *work) {
  return work->own;
}

// ---- compiling -----------------------------------------------------------------------------

// which joints of a reference system share their generators: clears share[] where they cannot
hn_status hn_natural_choose(const hn_system *reference, bool *share);
static inline bool hn_natural_is_point(const hn_sys_body *b) {
  return b->nv && (b->kind == HN_POINT || b->kind == HN_PLANAR_POINT);
}
// natural_forms.c: c_k(s) = alpha_k + beta_k s of a body in the plane
void hn_natural_planar_weights(const hn_natural_body *b, double complex alpha[2],
                               double complex beta[2]);
// forms of a point or direction of a body, in its inner frame; of P_b - P_a; -1: out of memory
int hn_natural_point(hn_system *sys, int body, const double s[3]);
int hn_natural_direction(hn_system *sys, int body, const double u[3]);
int hn_natural_between(hn_system *sys, int a, const double sa[3], int b, const double sb[3]);
// rows of all joints and of rigidity, functions of all measures, pattern of J
hn_status hn_natural_rows(hn_system *sys);

// ---- structure, natural_walk.c --------------------------------------------------------------

// bodies in order from the ground outwards; per coordinate j the bodies that have it,
// body[body_start[j]] ... body[body_start[j + 1] - 1], and the rows that touch it; heap
typedef struct hn_natural_walk {
  int count, *order;
  int *body_start, *body, *row_start, *row;
} hn_natural_walk;
bool hn_natural_walk_create(hn_natural_walk *walk, const hn_system *sys);
void hn_natural_walk_release(hn_natural_walk *walk);
// numbers a generator of the body has
int hn_natural_width(const hn_system *sys, int body);
// an order of elimination for matrices over coordinates (0 ... nv - 1) and rows behind them
bool hn_natural_order(const hn_system *sys, int *order);

// ---- evaluation: operations of the table -------------------------------------------------------

void hn_natural_layout(hn_work *work, hn_arena *arena);
void hn_natural_move(hn_work *work, const double *q, const double *v, int level);
void hn_natural_constraints(hn_work *work, int level);
void hn_natural_reduce_forces(hn_work *work);
void hn_natural_blocks(hn_work *work);
void hn_natural_accelerations(const hn_work *work, const double *a, double *body);
void hn_natural_inertia(const hn_work *work, const double *a, double *force);
void hn_natural_accept_turns(hn_work *work, bool moving);
void hn_natural_jacobian_mul(const hn_work *work, const double *x, double *y);
void hn_natural_jacobian_tmul_add(const hn_work *work, const double *l, double s, double *y);
void hn_natural_jacobian_dense(const hn_work *work, double *J);
// J_i diag(M)^-1 J_i^T of every row
void hn_natural_row_sizes(const hn_work *work, double *size);
void hn_natural_tangent(hn_work *work, const double *lambda, double *K, double *C);

// y += the generalized force of a wrench about a body's centre of mass, world axes
void hn_natural_add_wrench(const hn_work *work, int body, const double F[3], const double T[3],
                           double *y);

// U(q) for one form
void hn_form_value(const hn_natural *natural, int form, const double *q, double u[3]);
// the same without the constant: its rate for q = v
void hn_form_rate(const hn_natural *natural, int form, const double *v, double u[3]);
// y += s (grad pi): W into the places of U, U into those of W
void hn_product_gradient(const hn_natural *natural, int product, const double *u, const double *w,
                         double s, double *y);

// mass between bodies: its vectors, entries of their forms, and the weight it has, added to f
hn_natural_part hn_natural_part_of(const hn_system *sys, const hn_sys_spread *spread, int i);
hn_form_entry hn_natural_entry(const hn_natural *n, const hn_natural_part *part, int k);
void hn_natural_spread_weights(const hn_system *sys, double *f);

#endif
