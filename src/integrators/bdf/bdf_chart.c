// bdf_chart.c: the constrained equations of motion as ordinary ones in local parameters, by BDF.
//
//   M a = f + J^T lambda,   J a = gamma,   J v + Phi_t = 0,   Phi(q, t) = 0
//   q' = N (v + B^T mu),    v' = a + B^T zeta
//
// The rows of B are fixed for many steps. With V' V = 1, B V = 0, parameters x = V' q and their
// rates V' v obey x' = V' v and (V' v)' = V' a, and BDF is applied to these alone: q and v follow
// from them by the constraints. mu and zeta are nothing but what BDF would need to say the same of
// the other directions; they vanish with the error of the formula.
//
//   tangent-space-bdf       B = J at a base point: V spans the tangent space there
//                           (Potra & Yen 1991)
//   implicit-partition-bdf  rows of B are unit vectors of dependent coordinates (Haug & Yen 1992)
//
// The history of BDF holds q and v in full, so that a new B costs neither order nor a new start.
// Accelerations and multipliers are eliminated in every residual by the saddle system, as exactly
// as Newton's iteration over all levels would find them.
//
// With c = 1/cj of the formula, T = (1 + c w x)^-1, w = c^2 da, u = c dv, T d the change of the
// configuration, Newton's equations are in units of position
//
//   [ M   -c C    -c^2 K T  -J^T   0    0   ] w             0
//   [ -1   1       0          0   -B^T  0   ] u             c^2 b_v
//   [ 0   -1       1          0    0   -B^T ] d           = c b_q
//   [ J    2 c V   0          0    0    0   ] c^2 dlambda   0
//   [ 0    J       c V T      0    0    0   ] c^2 dzeta     c b_psi
//   [ 0    0       J T        0    0    0   ] c dmu         b_phi
//
// where V stands for d(J v)/dq; the change of J a - gamma with q is left out, as in index1.c.
// States of first order are put into the equations of the motion (bdf.c).
//
// J. Yen, Constrained equations of motion in multibody dynamics as ODEs on manifolds, SIAM Journal
// on Numerical Analysis 30 (1993): with a linear multistep method of order k errors are O(h^k).
#include "integrators/bdf/bdf.h"

#ifdef HN_HAVE_SUNDIALS

#include "integrators/implicit/implicit.h"

#include <ida/ida.h>
#include <string.h>

// lengths of the model, or radians, from the base point after which the tangent space is taken anew
static const double far = 0.2;

typedef struct chart {
  hn_partition *partition;  // NULL: tangent space
  bool known;
  long reselected;
  double *base;                // configuration the travelled way is counted from
  double *B;                   // in the layout of work->J
  double *V, *turned;          // d(J v)/dq; rows times T
  double *kept, *positions;    // per row: 1 when it constrains velocities, positions, otherwise 0
  double *loose, *loose_here;  // 1 - kept, 1 - positions
  double *x;                   // right-hand side and solution
  hn_newton *newton;
} chart;

static void layout(hn_bdf *s, hn_arena *arena, const hn_system *sys) {
  chart *own = HN_TAKE(arena, chart, 1), plan = {0};
  double **const of_J[] = {&plan.B, &plan.V, &plan.turned};
  for (int i = 0; i < 3; i++) *of_J[i] = HN_TAKE(arena, double, sys->j_size);
  double **const of_rows[] = {&plan.kept, &plan.positions, &plan.loose, &plan.loose_here};
  for (int i = 0; i < 4; i++) *of_rows[i] = HN_TAKE(arena, double, sys->rows);
  plan.base = HN_TAKE(arena, double, sys->nq);
  plan.x = HN_TAKE(arena, double, 3 * (sys->nv + sys->rows));
  if (!arena->base) return;
  *own = plan;
  s->extra = own;
}

static void layout_partition(hn_bdf *s, hn_arena *arena, const hn_system *sys) {
  layout(s, arena, sys);
  hn_partition *partition = hn_partition_layout(arena, sys);
  if (arena->base) ((chart *)s->extra)->partition = partition;
}

// ---- the chart -----------------------------------------------------------------------------

static double way(const hn_system *sys, const double *from, const double *to) {
  double moved = 0;
  for (int i = 0; i < sys->nq; i++)
    moved = fmax(moved, fabs(to[i] - from[i]) / (sys->angular_q[i] ? 1 : sys->length));
  return moved;
}

// B for the steps that follow, at the state of the run
static void ready(hn_sim *sim, hn_bdf *s) {
  const hn_system *sys = sim->sys;
  chart *own = s->extra;
  const double *q = sim->state.y;
  // other rows are solved for since: B is over them
  double moved = own->known ? way(sys, own->base, q) : 0;
  bool anew = !own->known || moved > far || own->reselected != sim->rows.reselected;
  if (!own->partition && !anew) return;
  hn_eval_jacobian(&sim->stage.work, sim->state.t, q, q + sys->nq);
  memcpy(own->B, sim->stage.work.J, (size_t)sys->j_size * sizeof(double));
  if (own->partition)
    (void)hn_partition_rows(sim, own->partition, moved, own->B);
  else
    sim->count.switches++;
  memcpy(own->base, q, (size_t)sys->nq * sizeof(double));
  own->reselected = sim->rows.reselected;
  own->known = true;
}

const double *hn_ida_chart(const hn_sim *sim) {
  const hn_bdf *s = sim->method.integrator_data;
  return ((const chart *)s->extra)->B;
}

// x += B^T l
// products take J from the work space: B stands in for it meanwhile
static void pull(hn_sim *sim, const chart *own, const double *l, double *x) {
  double *J = sim->stage.work.J;
  sim->stage.work.J = own->B;
  hn_jacobian_tmul_add(&sim->stage.work, l, 1, x);
  sim->stage.work.J = J;
}

// ---- residual ------------------------------------------------------------------------------

static void sort_rows(const hn_sim *sim, chart *own) {
  for (int i = 0; i < sim->sys->rows; i++) {
    own->kept[i] = sim->rows.D && sim->rows.D[i] > 0 ? 0 : 1;
    own->positions[i] = sim->sys->holonomic[i] ? own->kept[i] : 0;
    own->loose[i] = 1 - own->kept[i];
    own->loose_here[i] = 1 - own->positions[i];
  }
}

// everything at (t, y), accelerations and multipliers included
static hn_status evaluate(hn_sim *sim, double t, const double *y) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  memcpy(s->state, y, (size_t)sim->state.n * sizeof(double));
  hn_normalise(sys, s->state);
  hn_give_states(&sim->stage.work, s->state + sim->state.x);
  hn_eval_all(&sim->stage.work, t, s->state, s->state + sys->nq);
  sim->count.evaluations++;
  sort_rows(sim, s->extra);
  return hn_solve_saddle(sim, sim->stage.work.gamma);
}

static int residual(realtype t, N_Vector vy, N_Vector vyp, N_Vector out, void *user) {
  hn_sim *sim = user;
  const hn_system *sys = sim->sys;
  const hn_work *work = &sim->stage.work;
  hn_bdf *s = sim->method.integrator_data;
  const chart *own = s->extra;
  const double *y = N_VGetArrayPointer(vy), *yp = N_VGetArrayPointer(vyp);
  const double *zeta = y + sim->state.n, *mu = zeta + sys->rows;
  double *r = N_VGetArrayPointer(out), *rv = r + sys->nq;
  double *psi = r + sim->state.n, *phi = psi + sys->rows, power;
  // positive: IDA tries a shorter step; what went wrong is kept in case none helps
  if ((s->status = evaluate(sim, t, y))) return 1;
  memcpy(s->x, y + sys->nq, (size_t)sys->nv * sizeof(double));
  pull(sim, own, mu, s->x);
  hn_qdot(sys, y, s->x, r);
  for (int i = 0; i < sys->nq; i++) r[i] = yp[i] - r[i];
  memcpy(s->x, sim->stage.a, (size_t)sys->nv * sizeof(double));
  pull(sim, own, zeta, s->x);
  for (int i = 0; i < sys->nv; i++) rv[i] = yp[sys->nq + i] - s->x[i];
  power = work->power;
  for (int i = 0; sys->rheonomic && i < sys->rows; i++) power -= work->lambda[i] * work->phi_t[i];
  r[sim->state.w] = yp[sim->state.w] - power;
  double *rx = r + sim->state.x;
  hn_state_rates(work, rx);
  for (int i = 0; i < sys->states; i++) rx[i] = yp[sim->state.x + i] - rx[i];
  // rows that are left out are the unknown itself, which stays zero
  for (int i = 0; i < sys->rows; i++) {
    psi[i] = own->kept[i] > 0 ? work->psi[i] : zeta[i];
    phi[i] = own->positions[i] > 0 ? work->phi[i] : mu[i];
  }
  return 0;
}

// ---- Newton's matrix -----------------------------------------------------------------------

// clang-format off
static const hn_cell cells[] = {
    HN_CELL_MASS,     HN_CELL_BODIES,   HN_CELL_BODIES,   HN_CELL_JT,       HN_CELL_EMPTY,    HN_CELL_EMPTY,
    HN_CELL_DIAGONAL, HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_JT,       HN_CELL_EMPTY,
    HN_CELL_EMPTY,    HN_CELL_DIAGONAL, HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_JT,
    HN_CELL_J,        HN_CELL_J,        HN_CELL_EMPTY,    HN_CELL_DIAGONAL, HN_CELL_EMPTY,    HN_CELL_EMPTY,
    HN_CELL_EMPTY,    HN_CELL_J,        HN_CELL_J,        HN_CELL_EMPTY,    HN_CELL_DIAGONAL, HN_CELL_EMPTY,
    HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_J,        HN_CELL_EMPTY,    HN_CELL_EMPTY,    HN_CELL_DIAGONAL,
};
// clang-format on

// at the state last evaluated, with the T of s->matrix
static bool fill(hn_sim *sim, hn_bdf *s, double c) {
  chart *own = s->extra;
  hn_work *work = &sim->stage.work;
  hn_newton *n = own->newton;
  const double *turn = s->matrix.turn;
  hn_newton_target by_v, by_q;
  hn_newton_clear(n);
  hn_newton_tangent(n, 0, 1, 0, -c, NULL, &by_v);
  hn_newton_tangent(n, 0, 2, -c * c, 0, turn, &by_q);
  hn_force_tangent(work, &by_v.tangent);
  hn_force_tangent(work, &by_q.tangent);
  hn_constraint_tangent(work, work->lambda, &by_q.tangent);
  hn_mass_tangent(work, sim->stage.a, &by_q.tangent);
  hn_newton_mass(n, 0, 0, work, 1);
  hn_newton_jacobian(n, 0, 3, work->J, -1, own->kept);
  for (int part = 1; part < 3; part++) {
    hn_newton_diagonal(n, part, part - 1, NULL, -1);
    hn_newton_diagonal(n, part, part, NULL, 1);
  }
  hn_newton_jacobian(n, 1, 4, own->B, -1, own->kept);
  hn_newton_jacobian(n, 2, 5, own->B, -1, own->positions);
  hn_velocity_tangent(work, own->V);
  hn_newton_jacobian(n, 3, 0, work->J, 1, own->kept);
  hn_newton_jacobian(n, 3, 1, own->V, 2 * c, own->kept);
  hn_newton_jacobian(n, 4, 1, work->J, 1, own->kept);
  hn_newton_turn_rows(sim->sys, own->V, turn, own->turned);
  hn_newton_jacobian(n, 4, 2, own->turned, c, own->kept);
  hn_newton_turn_rows(sim->sys, work->J, turn, own->turned);
  hn_newton_jacobian(n, 5, 2, own->turned, 1, own->positions);
  hn_newton_diagonal(n, 3, 3, own->loose, 1);
  hn_newton_diagonal(n, 4, 4, own->loose, 1);
  hn_newton_diagonal(n, 5, 5, own->loose_here, 1);
  // what is singular to rounding is singular: IDA takes a shorter step
  sim->count.factorisations++;
  return hn_sparse_factor(hn_newton_matrix(n)) && hn_sparse_rcond(hn_newton_matrix(n)) > 1e-15;
}

// at the state last evaluated
static void factor(hn_sim *sim, hn_bdf *s, double c) {
  s->c = c;
  s->factored = sim->stage.work.t;
  memcpy(s->p, s->state, (size_t)sim->sys->nq * sizeof(double));
  hn_iteration_rates(&s->matrix, sim->sys, s->state + sim->sys->nq, c);
  s->singular = !hn_bdf_states_follow(sim, s, c) || !fill(sim, s, c);
  sim->stage.work.rule = NULL;
}

static int linearise(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix A,
                     void *user, N_Vector a, N_Vector b, N_Vector d) {
  hn_sim *sim = user;
  hn_bdf *s = sim->method.integrator_data;
  (void)yp, (void)r, (void)A, (void)a, (void)b, (void)d;
  if ((s->status = evaluate(sim, t, N_VGetArrayPointer(y)))) return 1;
  factor(sim, s, 1 / cj);
  return 0;
}

static void solve(hn_sim *sim, double *b) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  chart *own = s->extra;
  int nv = sys->nv, rows = sys->rows;
  double cj = 1 / s->c;
  IDAGetCurrentCj(s->memory, &cj);
  // with a matrix of another step the iteration would hardly get to where parameters obey the
  // formula so precisely: three times the evaluations, and steps refused
  if (s->factored != sim->stage.work.t) factor(sim, s, 1 / cj);
  double c = s->c, *v = b + sys->nq, *zeta = b + sim->state.n, *mu = zeta + rows;
  double *u = own->x + nv, *d = u + nv, *l = d + nv, *z = l + rows, *m = z + rows;
  memset(own->x, 0, (size_t)nv * sizeof(double));
  memset(l, 0, (size_t)rows * sizeof(double));
  for (int i = 0; i < sys->states; i++) b[sim->state.x + i] *= c;
  hn_bdf_states_leave(sim, s, b + sim->state.x, c * c, own->x);
  hn_bdf_tangent(sys, s->p, b, d);
  for (int i = 0; i < nv; i++) u[i] = c * c * v[i], d[i] *= c;
  // of rows that are left out the unknown has units of its own
  for (int i = 0; i < rows; i++) {
    z[i] = c * zeta[i] * (own->kept[i] > 0 ? 1 : c);
    m[i] = mu[i] * (own->positions[i] > 0 ? 1 : c);
  }
  hn_sparse_solve(hn_newton_matrix(own->newton), own->x);
  hn_iteration_turn(&s->matrix, sys, d);
  hn_bdf_lift(sys, s->p, d, b, c, b);
  for (int i = 0; i < nv; i++) v[i] = u[i] / c;
  hn_bdf_states_return(sim, s, d, v, b + sim->state.x);
  for (int i = 0; i < rows; i++) zeta[i] = z[i] / (c * c), mu[i] = m[i] / c;
  b[sim->state.w] *= c;
}

static bool create(hn_sim *sim, hn_bdf *s) {
  const hn_system *sys = sim->sys;
  chart *own = s->extra;
  hn_work *work = &sim->stage.work;
  hn_eval_all(work, 0, sys->q0, sys->v0);
  own->newton = hn_newton_create(work, "vvvrrr", cells);
  if (!own->newton) return false;
  // factors of the initial state bring the memory the later ones will need
  memcpy(own->B, work->J, (size_t)sys->j_size * sizeof(double));
  for (int i = 0; i < sys->bodies; i++) m3_identity(s->matrix.turn + 9 * i);
  memset(work->lambda, 0, (size_t)sys->rows * sizeof(double));
  if (own->partition) (void)hn_partition_rows(sim, own->partition, 0, own->B);
  sort_rows(sim, own);
  (void)fill(sim, s, 1e-3);
  return true;
}

static void release(hn_bdf *s) {
  chart *own = s->extra;
  if (own) hn_newton_destroy(own->newton);
}

const hn_ida_form hn_ida_tangent_space = {
    .multipliers = 2,
    .layout = layout,
    .create = create,
    .release = release,
    .ready = ready,
    .residual = residual,
    .linearise = linearise,
    .solve = solve,
};

const hn_ida_form hn_ida_partition = {
    .multipliers = 2,
    .layout = layout_partition,
    .create = create,
    .release = release,
    .ready = ready,
    .residual = residual,
    .linearise = linearise,
    .solve = solve,
};

#endif
