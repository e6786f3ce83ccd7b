// discrete_null.h: the null space of the discrete constraints by structure, and equations in it.
//
// The coordinates of a rigid body are points g and unit vectors u; whatever state they are in, its
// rigidity rows leave the motions
//
//   g' = v + w x (g - o),   u' = w x u
//
// of a twist t = (v, w) about a point o, six numbers (in the plane three, for point masses v
// alone). Bodies are put in the order of a tree. The rows R between a body and its parent, and the
// generators both have, are linear in the two twists,  C t + C_p t_p = 0,  so that
//
//   t = T t_p + Z y,   T = -C^+ C_p,   C Z = 0
//
// with matrices of at most 6 x 6. Products of these along the tree are the null-space matrix P,
// which is never written down: P y and P^T r cost one pass over the bodies, and P^T A P' is
// eliminated body by body from the leaves to the root (as in the articulated-body method), its
// 6 x 6 blocks following the tree and the forces. Rows that close loops are few; they are taken
// into account by a dense matrix of their own size, which also tells which of them are dependent.
//
// Newton's method needs P at the midpoint for the equations (DPhi P = 0) and its like at the end of
// the step for the unknowns (J1 P1 = 0); what the rows lack there is met body by body as well.
//
// P. Betsch, S. Leyendecker, The discrete null space method for the energy consistent integration
// of constrained mechanical systems. Part II: multibody dynamics, Int. J. Numer. Meth. Engng 67
// (2006).
#ifndef HN_DISCRETE_NULL_H
#define HN_DISCRETE_NULL_H

#include "integrators/energy/energy.h"
#include "linalg/dense_step.h"

// how a body follows its parent
typedef struct hn_null_joint {
  int free;             // columns of Z
  double o[3];          // point the twist refers to
  double T[36], Z[36];  // rows of 6 numbers
} hn_null_joint;

typedef struct hn_null_node {
  int body, parent;    // parent: a node, -1 ground
  int size;            // of the twist
  int owns, *own;      // coordinates that follow this twist
  int rigids, *rigid;  // rigidity rows it meets by itself
  int rows, *row;      // those between it and its parent
  int links, *link;    // its generators that the parent has too, or the ground
  int alls, *all;      // rows whose multipliers are found here
  hn_null_joint mid, end;
  double *E, *E1;  // owns x size: velocities of the coordinates by the twist
  double lack[6];  // part of the twist that meets the rows at the end
  // elimination: nodes before this one it is coupled with, and the blocks, 36 numbers each
  int nears, near_room, *near;
  double *left, *up, *H;
  double diagonal[36];
  double *load, *twist, *h;  // size x columns
} hn_null_node;

// rows that close a loop: of the system, or a generator that the tree does not hold together
typedef struct hn_null_loop {
  int row;          // of the system; -1: coordinate `component` of generator `link`
  int node, owner;  // of the generator; owner -1: fixed in the ground
  int link, component;
  int nodes, *at;     // nodes it touches
  double *mid, *end;  // 6 numbers for each
  double lack, size;  // what it lacks at the end; weight in the elimination
} hn_null_loop;

typedef struct hn_null_space {
  const hn_system *sys;
  int nodes, loops, columns;  // columns: 1 + loops
  hn_null_node *node;
  hn_null_loop *loop;
  int *of_body;        // node, -1: none
  int *owner, *first;  // per coordinate: its node, first coordinate of its generator
  bool *vector;        // it is part of a unit vector
  bool hidden;         // some loop is none of the system's rows
  double *q;           // midpoint
  double *c, *x, *g;   // nv: correction that meets rigidity, solution, forces left over
  double *mu;          // multipliers of the loops
  hn_arena arena;      // of the factorisations below
  hn_cod joint, body, closing;
  double *rhs, *out;
} hn_null_space;

// J: the Jacobian at the initial state, in the pattern of the rows
bool hn_null_create(hn_null_space *s, const hn_energy_step *step, const double *J);
void hn_null_release(hn_null_space *s);
// P, and P1 and what the rows lack, at the iterate last evaluated
void hn_null_update(hn_null_space *s, const hn_energy_step *step, const double *q0);
// the change of q1, in s->x, and multipliers step->l for the residual step->r and the Newton matrix
// last computed; false: singular
bool hn_null_solve(hn_null_space *s, hn_energy_step *step);

// velocity of coordinate j by a twist of `size` numbers about the joint's point, at q
void hn_null_row(const hn_null_space *s, const hn_null_joint *joint, int size, int j,
                 const double *q, double E[6]);
void hn_null_origin(const hn_null_space *s, const hn_null_node *node, const double *q, double o[3]);
// discrete_null_tree.c: nodes, parents, rows and loops
bool hn_null_tree(hn_null_space *s, const double *J);
// discrete_null_solve.c: pattern of the elimination; twists for the loads in all columns, with the
// joints of the midpoint in the equations and those of the end in the unknowns
bool hn_null_plan(hn_null_space *s, const hn_energy_step *step);
bool hn_null_eliminate(hn_null_space *s);
// the block between two nodes, rows of 6 numbers
double *hn_null_block(hn_null_space *s, int row, int column);

#endif
