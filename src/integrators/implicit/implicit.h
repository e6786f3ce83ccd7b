// implicit.h: one-step implicit methods whose unknowns are found by Newton's iteration.
//
// All share the closure of the generalized-alpha method, on the group for bodies that turn in
// space: with the acceleration-like a, which belongs to t + (alpha_m - alpha_f) h,
//
//   d  = h v_n + h^2 ((1/2 - beta) a_n + beta a) + e,       q = q_n (+) d
//   v  = v_n + h ((1 - gamma) a_n + gamma a) + g
//   v' = ((1 - alpha_m) a + alpha_m a_n - alpha_f v'_n) / (1 - alpha_f)
//
// States of first order follow the same closure with their rate-like b,
//
//   x  = x_n + h ((1 - gamma) b_n + gamma b),   x' = ((1 - alpha_m) b + alpha_m b_n - alpha_f x'_n)
//                                                    / (1 - alpha_f),
//
// which makes them functions of the motion at the end of the step (system/state.c).
//
// They differ in what is asked of q, v, v' and lambda at the end of the step (the formulation),
// and in whether there are corrections e of the positions and g of the velocities. Everything is
// solved for in units of position: rows of the dynamics times beta h^2, multipliers likewise,
// velocities times beta h / gamma (C. L. Bottasso, D. Dopico, L. Trainelli, On the optimal scaling
// of index three DAEs in multibody dynamics, 2008). So the iteration matrix stays regular as h goes
// to zero.
#ifndef HN_IMPLICIT_H
#define HN_IMPLICIT_H

#include "integrators/integrators.h"
#include "system/newton.h"

typedef struct hn_closure {
  double am, af, beta, gamma;
} hn_closure;

// a belongs so many steps later than the rest
static inline double hn_closure_shift(const hn_closure *c) {
  return c->am - c->af;
}
// what a step's positions lack of h^3 v''
static inline double hn_closure_lack(const hn_closure *c) {
  return 1.0 / 6 - c->beta - 0.5 * hn_closure_shift(c);
}

// the end of a step
typedef struct hn_knot {
  double t, h;  // h: size of the step that led here, 0 at a start
  double *q, *v, *vdot, *a, *lambda;
  double *shown_a, *shown_lambda;  // what is recorded
  double *x, *xdot, *b;            // states, their rates, and what is like these
  double power;
} hn_knot;

typedef struct hn_formulation hn_formulation;

typedef struct hn_implicit {
  const hn_formulation *form;
  hn_closure c;
  bool projects;  // velocities and accelerations onto the constraints
  hn_newton *newton;
  hn_knot memory[3], *before, *start, *end;  // ends of the last two steps and of the one under way
  int steps;                                 // since the start; 0: `before` means nothing
  bool set;                                  // the state was set from outside
  double wanted, wanted_before;              // size of the next step; of the last one
  bool glided;                               // the last step was one by Taylor's formula
  double slipped, slipped_before;            // time taken by these since the last other step

  double h;            // of the step under way
  double *v0, *a0;     // v_n and a_n, adapted to its size
  double *jerk;        // v'' at its start
  double *b0, *bend;   // of the states: b_n, and x'' at its start
  double *fastest;     // their largest rates so far
  double *constant;    // and what the step starts their values from
  hn_state_rule rule;  // by which they follow
  double *d, *e, *g;   // increment of the positions, its correction, that of the velocities
  double *eta, *zeta;  // multipliers of the corrections
  double *x;           // right-hand side and solution of the iteration
  double *turn;        // see hn_newton_turns
  double *J0;          // J at the start of the step
  double *rows, *V;    // rows as they enter the matrix, d(J v)/dq
  double *kept;        // 1 for rows solved for, 0 for those left out
  double *diagonal;    // of the rows left out, or softened
  double soft;         // compliance given to all rows where they are dependent for an instant
  double factored_h;   // step the factors belong to, 0: none
  double rate;         // of convergence with them
  double travel;       // how far the model has moved with them, in lengths and radians
  double noise;        // rounding of the positions [m]
  double *grain;       // what it makes in each coordinate
  long iterations;     // of Newton, over the run
  void *extra;         // the formulation's own
} hn_implicit;

struct hn_formulation {
  const char *parts;    // unknown vectors and cells of the iteration matrix, see newton.h
  const hn_cell *cell;  // the first part has v's length
  bool velocity_free;   // velocities meet the holonomic rows only through the positions
  bool keeps_J0;        // J at the start of the step is wanted
  // places s->extra; or NULL
  void (*layout)(hn_implicit *s, hn_arena *arena, const hn_system *sys);
  // a step begins, s->J0 and work belong to its start; or NULL
  void (*begin)(hn_sim *sim, hn_implicit *s);
  // formulations with dense matrices of their own, and no cells: factorise at the iterate last
  // evaluated (false: singular), and overwrite s->x by the solution; NULL for all others
  bool (*factor)(hn_sim *sim, hn_implicit *s);
  void (*solve)(const hn_implicit *s);
  // the rest works at the iterate last evaluated: fills the sparse matrix,
  void (*matrix)(hn_sim *sim, hn_implicit *s);
  // puts minus the residual into s->x,
  void (*residual)(hn_sim *sim, hn_implicit *s);
  // takes the solution s->x to the unknowns and leaves the change of d in its first part
  void (*update)(hn_sim *sim, hn_implicit *s);
};
extern const hn_formulation hn_form_index3, hn_form_ggl, hn_form_index1, hn_form_tangent_space,
    hn_form_partition, hn_form_coordinate_split, hn_form_maggi;

// what an integrator's `variant` points to
typedef struct hn_scheme {
  const hn_formulation *form;
  hn_closure (*closure)(double rho_inf);
} hn_scheme;

void hn_implicit_layout(hn_sim *sim, hn_arena *arena);
hn_status hn_implicit_create(hn_sim *sim);
void hn_implicit_release(hn_sim *sim);
void hn_implicit_outside(hn_sim *sim, hn_outside *o);
hn_status hn_implicit_start(hn_sim *sim);
hn_status hn_implicit_step(hn_sim *sim, double limit);
void hn_implicit_undo(hn_sim *sim);
void hn_implicit_reactions(hn_sim *sim);

// implicit_start.c: the first step, and one after an event, begins here
hn_status hn_implicit_begin(hn_sim *sim, hn_implicit *s, double limit);
// any step: v_n, a_n and b_n for its size
void hn_implicit_begin_step(hn_sim *sim, hn_implicit *s, double h);

// index1.c: W = 1, whatever stands in s->J0
extern const hn_cell hn_index1_cells[36];
void hn_index1_matrix_plain(hn_sim *sim, hn_implicit *s);
void hn_index1_residual_plain(hn_sim *sim, hn_implicit *s);
void hn_index1_update(hn_sim *sim, hn_implicit *s);
// the part of it without multipliers
void hn_index1_update_motion(hn_sim *sim, hn_implicit *s);

// implicit_partition.c: which coordinates depend on the others, chosen anew as the model moves
typedef struct hn_partition hn_partition;
hn_partition *hn_partition_layout(hn_arena *arena, const hn_system *sys);
// the largest of the changes d in velocity coordinates, in lengths of the model and radians
double hn_partition_moved(const hn_system *sys, const double *d);
// J0 are rows in the layout of work->J, as last evaluated: those of positions become unit vectors
// of dependent coordinates. moved: by how much the model has since the last call. true: chosen anew
bool hn_partition_rows(hn_sim *sim, hn_partition *p, double moved, double *J0);

// ---- for formulations ----------------------------------------------------------------------

// d, q, v and v' from a and e
void hn_implicit_follow(hn_sim *sim, hn_implicit *s);
// evaluates everything there, friction for s->end->lambda included
void hn_implicit_evaluate(hn_sim *sim, hn_implicit *s);
// which rows are left out, and the diagonal they get
void hn_implicit_rows(hn_sim *sim, hn_implicit *s);
// x = -beta h^2 (M v' - f - J^T lambda)
void hn_implicit_dynamics(const hn_sim *sim, const hn_implicit *s, double *x);

#endif
