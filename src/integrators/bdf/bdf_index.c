// bdf_index.c: the differential-algebraic equations themselves, for BDF by IDA (bdf_ida.c).
//
//   index2-bdf   q' = N (v + W^-1 J^T mu),  M v' = f + J^T lambda,  psi = 0,  Phi = 0
//                (Gear, Gupta & Leimkuhler 1985; mu vanishes, W = M)
//   index3-bdf   q' = N v,                  M v' = f + J^T lambda,            Phi = 0
//
// Unknowns are [q, v, w, x, lambda, mu], x states of first order; nonholonomic rows are psi = 0 in
// both. Multipliers do not take part in the error test, nor do the velocities of index 3, whose
// local errors do not fall with the step as the test expects (Lotstedt & Petzold 1986). Newton's
// equations come down to
//
//   [ M - c C - c^2 K T   -J^T ] [ x_v        ]   [ c b_v + c^2 K T (g + u) ]
//   [ J or J T             0   ] [ c x_lambda ] = [ rows                    ]
//
// with c = 1/cj, g = b_q in velocity coordinates, T = (1 + c w x)^-1, and for index 2
// W u = J^T x_mu, J u = what is left of the position rows (see iteration_matrix.h). Left out are
// derivatives of J v by the configuration and of J^T mu.
//
// Multipliers of index 3 are second differences of positions: after every change of the step they
// are off by O(1), and their round-off is eps/h^2. Work that is done through them (by drivers)
// would carry that into the error test and Newton's test. It is integrated beside the steps
// instead, from powers that belong to the positions and velocities reached.
#include "integrators/bdf/bdf.h"

#ifdef HN_HAVE_SUNDIALS

#include <ida/ida.h>
#include <string.h>

static bool has_mu(const hn_sim *sim) {
  return sim->method.integrator->variant == &hn_ida_index2;
}

static void layout(hn_bdf *s, hn_arena *arena, const hn_system *sys) {
  hn_kkt_layout(&s->kkt, arena, sys);
  s->V = HN_TAKE(arena, double, sys->j_size);
  s->loose = HN_TAKE(arena, double, sys->rows);
  s->theta = HN_TAKE(arena, double, sys->nv);
}

static bool create(hn_sim *sim, hn_bdf *s) {
  return hn_kkt_create(&s->kkt, sim->sys);
}

static void release(hn_bdf *s) {
  hn_kkt_release(&s->kkt);
}

static bool left_out(const hn_sim *sim, int row) {
  return sim->rows.D && sim->rows.D[row] > 0;
}

// does the row constrain positions?
static bool position_row(const hn_sim *sim, int row) {
  return sim->sys->holonomic[row] && !left_out(sim, row);
}

// ---- residual ------------------------------------------------------------------------------

// x = v + W^-1 J^T mu
static void moving(const hn_sim *sim, const double *v, const double *mu, double *x) {
  const hn_system *sys = sim->sys;
  memset(x, 0, (size_t)sys->nv * sizeof(double));
  if (mu) hn_jacobian_tmul_add(&sim->stage.work, mu, 1, x);
  // W = 1 where masses are no diagonal: mu vanishes with any regular W
  for (int i = 0; i < sys->nv; i++) x[i] = v[i] + (sys->mass_entries ? x[i] : x[i] / sys->mass[i]);
}

// everything at (t, y), multipliers of y included
static void evaluate(hn_sim *sim, double t, const double *y) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  // forces see unit quaternions; those of IDA are off by its error
  memcpy(s->state, y, (size_t)sim->state.n * sizeof(double));
  hn_normalise(sys, s->state);
  hn_give_states(&sim->stage.work, s->state + sim->state.x);
  hn_eval_all(&sim->stage.work, t, s->state, s->state + sys->nq);
  sim->count.evaluations++;
  memcpy(sim->stage.work.lambda, y + sim->state.n, (size_t)sys->rows * sizeof(double));
  if (sys->reactive) hn_add_reactive(sim);
}

static int residual(realtype t, N_Vector vy, N_Vector vyp, N_Vector out, void *user) {
  hn_sim *sim = user;
  const hn_system *sys = sim->sys;
  const hn_work *work = &sim->stage.work;
  hn_bdf *s = sim->method.integrator_data;
  const double *y = N_VGetArrayPointer(vy), *yp = N_VGetArrayPointer(vyp);
  const double *lambda = y + sim->state.n, *mu = has_mu(sim) ? lambda + sys->rows : NULL;
  double *r = N_VGetArrayPointer(out), *rv = r + sys->nq, *rl = r + sim->state.n, power;
  evaluate(sim, t, y);
  moving(sim, y + sys->nq, mu, s->x);
  hn_qdot(sys, y, s->x, r);
  for (int i = 0; i < sys->nq; i++) r[i] = yp[i] - r[i];
  hn_mass_mul(work, yp + sys->nq, rv);
  for (int i = 0; i < sys->nv; i++) rv[i] -= work->r[i];
  hn_jacobian_tmul_add(work, lambda, -1, rv);
  power = work->power;
  for (int i = 0; sys->rheonomic && i < sys->rows; i++) power -= lambda[i] * work->phi_t[i];
  r[sim->state.w] = yp[sim->state.w] - (hn_ida_work_beside(sim) ? 0 : power);
  double *rx = r + sim->state.x;
  hn_state_rates(work, rx);
  for (int i = 0; i < sys->states; i++) rx[i] = yp[sim->state.x + i] - rx[i];
  for (int i = 0; i < sys->rows; i++) {
    bool out_of_it = left_out(sim, i), position = !mu && sys->holonomic[i];
    // of rows that are left out the multiplier itself, which stays zero
    rl[i] = out_of_it ? lambda[i] : position ? work->phi[i] : work->psi[i];
    if (mu) rl[sys->rows + i] = position_row(sim, i) ? work->phi[i] : mu[i];
  }
  return 0;
}

// ---- Newton's matrix -----------------------------------------------------------------------

// at the state and multipliers last evaluated
static void factor(hn_sim *sim, double c) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  s->c = c;
  s->factored = sim->stage.work.t;
  memcpy(s->p, s->state, (size_t)sys->nq * sizeof(double));
  hn_iteration_rates(&s->matrix, sys, s->state + sys->nq, c);
  hn_iteration_diagonal(&s->matrix, sys, NULL);
  sim->count.factorisations++;
  s->singular =
      !hn_bdf_states_follow(sim, s, c) ||
      !hn_iteration_factor(&s->matrix, &sim->stage.work, sim->stage.work.lambda, c, c * c,
                           has_mu(sim) ? HN_ROWS_VELOCITY : HN_ROWS_POSITION, sim->rows.D);
  sim->stage.work.rule = NULL;
  if (!has_mu(sim)) return;
  // without positions to meet a row has no mu
  for (int i = 0; i < sys->rows; i++) s->loose[i] = position_row(sim, i) ? 0 : 1e30;
  hn_weight weight = sys->mass_entries ? HN_WEIGHT_ONE : HN_WEIGHT_MASS;
  hn_kkt_factor(&s->kkt, &sim->stage.work, weight, s->loose);
  hn_velocity_tangent(&sim->stage.work, s->V);
  sim->count.factorisations++;
}

static int linearise(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix A,
                     void *user, N_Vector a, N_Vector b, N_Vector c) {
  (void)yp, (void)r, (void)A, (void)a, (void)b, (void)c;
  evaluate(user, t, N_VGetArrayPointer(y));
  factor(user, 1 / cj);
  return 0;
}

// l = V x
static void velocity_rows(const hn_sim *sim, const double *V, const double *x, double *l) {
  const hn_system *sys = sim->sys;
  memset(l, 0, (size_t)sys->rows * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *at = V + sys->block_offset[k];
      for (int r = 0; r < group->rows; r++, at += b->nv)
        for (int c = 0; c < b->nv; c++) l[group->row0 + r] += at[c] * x[b->v0 + c];
    }
  }
}

// J T x into s->l
static void turned_rows(hn_sim *sim, const double *x) {
  hn_bdf *s = sim->method.integrator_data;
  memcpy(s->u, x, (size_t)sim->sys->nv * sizeof(double));
  hn_iteration_turn(&s->matrix, sim->sys, s->u);
  hn_jacobian_mul(&sim->stage.work, s->u, s->l);
}

// index 2: s->u and x_mu (s->m) from the position rows b, velocity rows being met with s->l
static void solve_positions(hn_sim *sim, const double *b) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  memcpy(s->m, s->l, (size_t)sys->rows * sizeof(double));
  // J T g: what the configuration changes by without mu
  turned_rows(sim, s->g);
  for (int i = 0; i < sys->rows; i++)
    s->m[i] = position_row(sim, i) ? b[i] / s->c - s->l[i] - s->m[i] : 0;
  memset(s->u, 0, (size_t)sys->nv * sizeof(double));
  hn_kkt_solve(&s->kkt, &sim->stage.work, s->u, s->m);
}

// s->x = x_v and s->l = c x_lambda for right-hand sides b_v and, in s->l, those of the rows;
// s->theta = T (g + x_v) c
static void solve_velocities(hn_sim *sim, const double *b) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  for (int i = 0; i < sys->nv; i++) s->x[i] = s->c * b[i];
  hn_iteration_stiffness(&s->matrix, sys, s->theta, s->c * s->c, s->x);
  hn_iteration_solve(&s->matrix, sys, s->x, s->l);
  for (int i = 0; i < sys->nv; i++) s->theta[i] = s->c * (s->theta[i] + s->x[i]);
  hn_iteration_turn(&s->matrix, sys, s->theta);
}

static void solve_index2(hn_sim *sim, const double *b) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  const double *rows = b + sim->state.n;
  memset(s->theta, 0, (size_t)sys->nv * sizeof(double));
  // twice: the change of the configuration moves the velocity rows as well
  for (int pass = 0; pass < 2; pass++) {
    velocity_rows(sim, s->V, s->theta, s->l);
    for (int i = 0; i < sys->rows; i++)
      s->l[i] = left_out(sim, i) ? s->c * rows[i] : rows[i] - s->l[i];
    memcpy(s->lambda, s->l, (size_t)sys->rows * sizeof(double));
    solve_positions(sim, rows + sys->rows);
    memcpy(s->l, s->lambda, (size_t)sys->rows * sizeof(double));
    for (int i = 0; i < sys->nv; i++) s->theta[i] = s->g[i] + s->u[i];
    solve_velocities(sim, b + sys->nq);
  }
}

static void solve_index3(hn_sim *sim, const double *b) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  const double *rows = b + sim->state.n;
  turned_rows(sim, s->g);
  for (int i = 0; i < sys->rows; i++) {
    if (left_out(sim, i))
      s->l[i] = s->c * rows[i];
    else
      s->l[i] = sys->holonomic[i] ? rows[i] / s->c - s->l[i] : rows[i];
  }
  memcpy(s->theta, s->g, (size_t)sys->nv * sizeof(double));
  solve_velocities(sim, b + sys->nq);
}

static void solve(hn_sim *sim, double *b) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
  double *lambda = b + sim->state.n, *mu = lambda + sys->rows, cj = 1 / s->c;
  IDAGetCurrentCj(s->memory, &cj);
  // IDA may have changed its step and kept the matrix
  s->c = 1 / cj;
  // multipliers are extrapolated, which amplifies their errors from step to step: only a matrix of
  // this step takes these away in one iteration
  if (s->factored != sim->stage.work.t) factor(sim, s->c);
  hn_bdf_tangent(sys, s->p, b, s->g);
  for (int i = 0; i < sys->states; i++) b[sim->state.x + i] *= s->c;
  hn_bdf_states_leave(sim, s, b + sim->state.x, 1, b + sys->nq);
  if (has_mu(sim))
    solve_index2(sim, b);
  else
    solve_index3(sim, b);
  for (int i = 0; i < sys->rows; i++) {
    lambda[i] = s->l[i] / s->c;
    if (has_mu(sim) && position_row(sim, i)) mu[i] = s->m[i];
  }
  memcpy(b + sys->nq, s->x, (size_t)sys->nv * sizeof(double));
  hn_bdf_states_return(sim, s, s->theta, s->x, b + sim->state.x);
  hn_bdf_lift(sys, s->p, s->theta, b, s->c, b);
  b[sim->state.w] *= s->c;
}

const hn_ida_form hn_ida_index2 = {
    .multipliers = 2,
    .layout = layout,
    .create = create,
    .release = release,
    .residual = residual,
    .linearise = linearise,
    .solve = solve,
};

const hn_ida_form hn_ida_index3 = {
    .multipliers = 1,
    .differences = true,
    .layout = layout,
    .create = create,
    .release = release,
    .residual = residual,
    .linearise = linearise,
    .solve = solve,
};

#endif
