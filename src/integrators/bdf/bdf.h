// bdf.h: variable-order, variable-step BDF by SUNDIALS (CVODE and IDA).
//
// The integrator of SUNDIALS runs ahead by its own steps; steps of the run are pieces of these,
// read from its interpolating polynomial, so limits and events cost no order. Newton's iteration
// uses the matrix of iteration_matrix.h through a linear solver of our own.
#ifndef HN_BDF_H
#define HN_BDF_H

#include "integrators/implicit/iteration_matrix.h"
#include "integrators/integrators.h"

#ifdef HN_HAVE_SUNDIALS

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

enum { HN_BDF_COPIES = 64 };

typedef struct hn_bdf {
  SUNContext context;
  bool started;        // the integrator knows the current state
  void *memory;        // of CVODE or IDA
  N_Vector y, yp, id;  // yp and id: IDA only
  N_Vector spare;      // what a copy is when there is no memory for one
  bool short_of_memory;
  N_Vector copies[HN_BDF_COPIES];  // made while it was created
  int copy_count;
  SUNMatrix shell;  // stands for the matrix below
  SUNLinearSolver solver;
  int n;             // length of y
  double *values;    // y
  double *rates;     // y'
  double *kinds;     // which entries are differential
  double *dense;     // y between steps
  N_Vector between;  // wraps dense
  double t;          // where the integrator is
  long failed;       // steps it had to repeat, at the last count
  long reselected;   // sim->rows.reselected when it was started
  hn_iteration matrix;
  double finest;      // least tolerance of a step that round-off lets Newton's iteration meet
  double c;           // gamma (CVODE) or 1/cj (IDA) of the matrix
  bool singular;      // the matrix was
  double *state;      // scratch: a state of the run, n of sim
  double *p;          // configuration the matrix belongs to, nq
  double *x, *g, *u;  // scratch, nv
  double *l, *m;      // scratch, rows
  double *lambda;     // scratch, rows
  // index 2 and 3: weighted positions for mu, compliance of the rows that do not take part,
  // d(J v)/dq, change of the configuration
  hn_kkt kkt;
  double factored;  // time the matrix belongs to
  double *loose, *V, *theta;
  // IDA, index 3: work of drivers over the last step [from, t]: at its beginning, and powers inside
  double from, work, power[3];
  double *inside;  // scratch: a state and its rates
  // states of first order, which are unknowns of the integrator: how forces depend on them (nv x
  // states), and they on the motion (system/state.c) while the matrix is made
  double *by_state;
  hn_state_rule rule;
  double *alone;     // their part of a solution that does not come from the motion
  void *extra;       // IDA: the form's own
  hn_status status;  // why an evaluation failed
  // solves with the matrix: b is the right-hand side, then the solution
  void (*solve)(hn_sim *sim, double *b);
} hn_bdf;

// equations for IDA, what the `variant` of an integrator points to. Unknowns are [q, v, w, x] and
// so many vectors of multipliers, as long as the rows, which start as zero (or, when `ready` is
// NULL, the first as lambda)
typedef struct hn_ida_form {
  int multipliers;
  bool differences;  // velocities and multipliers are differences of positions: index 3
  void (*layout)(hn_bdf *s, hn_arena *arena, const hn_system *sys);
  bool (*create)(hn_sim *sim, hn_bdf *s);  // false: out of memory
  void (*release)(hn_bdf *s);
  void (*ready)(hn_sim *sim, hn_bdf *s);  // a step of IDA's begins at sim->state.y; or NULL
  int (*residual)(realtype t, N_Vector y, N_Vector yp, N_Vector out, void *user);
  int (*linearise)(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix A,
                   void *user, N_Vector a, N_Vector b, N_Vector c);
  void (*solve)(hn_sim *sim, double *b);
} hn_ida_form;
extern const hn_ida_form hn_ida_index2, hn_ida_index3, hn_ida_tangent_space, hn_ida_partition;

// bdf_chart.c: B, in the layout of work->J
const double *hn_ida_chart(const hn_sim *sim);
// is the work of drivers integrated beside the steps?
bool hn_ida_work_beside(const hn_sim *sim);

void hn_bdf_layout(hn_bdf *s, hn_arena *arena, const hn_sim *sim, int n);
// vectors, and the shells of matrix and solver; false when out of memory
bool hn_bdf_create(hn_sim *sim, hn_bdf *s);
// after the last call that may copy vectors: `ok`, and there was memory for all of them. If not,
// s->memory must have been given back before
bool hn_bdf_created(hn_bdf *s, bool ok);
void hn_bdf_release(hn_bdf *s);
// configuration rates to velocity coordinates, at configuration q: the inverse of hn_qdot
void hn_bdf_tangent(const hn_system *sys, const double *q, const double *rate, double *x);
// and back, with what the rates had across the unit quaternions
void hn_bdf_lift(const hn_system *sys, const double *q, const double *x, const double *across,
                 double s, double *rate);
// how many times stricter than the tolerance a step h is held, so that errors do not add up beyond
// it; h = 0: the first
double hn_bdf_strictness(const hn_sim *sim, const hn_bdf *s, double h);
// weights of the errors in a step h: components of q, v and w; others have no say
int hn_bdf_weights(const hn_sim *sim, const hn_bdf *s, double h, double *weight);
// around hn_iteration_factor, at the state last evaluated: makes states follow the motion by x' =
// x / c, so that the matrix is the one without them; false: their own matrix is singular
bool hn_bdf_states_follow(hn_sim *sim, hn_bdf *s, double c);
// their right-hand side b goes to the forces, r += scale df/dx (1 - c dx'/dx)^-1 b; then, with the
// changes of configuration and velocities, b becomes their solution
void hn_bdf_states_leave(hn_sim *sim, hn_bdf *s, const double *b, double scale, double *r);
void hn_bdf_states_return(hn_sim *sim, hn_bdf *s, const double *dq, const double *dv, double *b);
// the state was set from outside: the integrator has to begin anew
hn_status hn_bdf_start(hn_sim *sim);
// a state of the run from the integrator's values at time t
void hn_bdf_between(hn_sim *sim, double t, const double *values, double *y);
// makes the piece of the integrator's step within `limit` the next step of the run
hn_status hn_bdf_piece(hn_sim *sim, hn_bdf *s, double limit, double size);
// keeps the library quiet
void hn_bdf_quiet(int code, const char *module, const char *function, char *words, void *user);
// a step failed with CVODE's or IDA's flag, at a step size h: says so in our words, unless an
// evaluation has said why already
hn_status hn_bdf_fail(hn_sim *sim, const hn_bdf *s, int flag, double h);

#endif
#endif
