// bdf_ida.c: variable-order BDF on the differential-algebraic equations themselves, by IDA.
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
  return strcmp(sim->method.integrator->info.name, "index2-bdf") == 0;
}

// is the work integrated beside the steps?
static bool work_beside(const hn_sim *sim) {
  return !has_mu(sim) && sim->sys->rheonomic;
}

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = HN_TAKE(arena, hn_bdf, 1), place = {0};
  hn_stage_layout(sim, arena, 1);
  hn_bdf_layout(&place, arena, sim, sim->state.n + sys->rows * (has_mu(sim) ? 2 : 1));
  hn_kkt_layout(&place.kkt, arena, sys);
  place.V = HN_TAKE(arena, double, sys->j_size);
  place.loose = HN_TAKE(arena, double, sys->rows);
  place.theta = HN_TAKE(arena, double, sys->nv);
  place.inside = HN_TAKE(arena, double, 2 * sim->state.n);
  if (!arena->base) return;
  *s = place;
  sim->method.integrator_data = s;
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
  for (int i = 0; i < sys->nv; i++) x[i] = v[i] + (sys->mass_entries ? x[i] : x[i] / sys->mass[i]);
}

// everything at (t, y), multipliers of y included
static void evaluate(hn_sim *sim, double t, const double *y) {
  const hn_system *sys = sim->sys;
  hn_bdf *s = sim->method.integrator_data;
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
  r[sim->state.w] = yp[sim->state.w] - (work_beside(sim) ? 0 : power);
  double *rx = r + sim->state.x;
  hn_state_rates(work, rx);
  for (int i = 0; i < sys->states; i++) rx[i] = yp[sim->state.x + i] - rx[i];
  for (int i = 0; i < sys->rows; i++) {
    bool out_of_it = left_out(sim, i), position = !mu && sys->holonomic[i];
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

// ---- the stepper ---------------------------------------------------------------------------

static int weights(N_Vector y, N_Vector weight, void *user) {
  hn_sim *sim = user;
  const hn_bdf *s = sim->method.integrator_data;
  const hn_system *sys = sim->sys;
  double *w = N_VGetArrayPointer(weight), h = 0;
  (void)y;
  IDAGetCurrentStep(s->memory, &h);
  hn_bdf_weights(sim, s, h, w);
  if (has_mu(sim)) return 0;
  // index 3: velocities are differences of positions and no better than these allow
  double share = w[sys->nq] * sim->step.scale_y[sys->nq];
  for (int i = 0; i < sys->nv; i++)
    w[sys->nq + i] = fmin(w[sys->nq + i], share * s->c / sim->step.scale_d[i]);
  return 0;
}

// noise of mu would become error of q; but nothing converges beyond round-off, which short steps
// come close to
static void set_convergence(const hn_sim *sim, const hn_bdf *s) {
  const double shortest = 1e-300;
  double tolerance = sim->opt.rtol / hn_bdf_strictness(sim, s, shortest);
  IDASetNonlinConvCoef(s->memory, fmin(0.33, fmax(0.03, 0.3 * s->finest / tolerance)));
}

static hn_status create(hn_sim *sim) {
  hn_bdf *s = sim->method.integrator_data;
  const hn_system *sys = sim->sys;
  s->solve = solve;
  for (int i = 0; i < s->n; i++) {
    bool velocity = i >= sys->nq && i < sim->state.w;
    s->kinds[i] = i < sim->state.n && (has_mu(sim) || !velocity) ? 1 : 0;
  }
  bool ok = hn_kkt_create(&s->kkt, sys) && hn_bdf_create(sim, s) &&
            (s->memory = IDACreate(s->context)) && !IDAInit(s->memory, residual, 0, s->y, s->yp);
  if (ok) {
    IDASetErrHandlerFn(s->memory, hn_bdf_quiet, sim);
    IDASetUserData(s->memory, sim);
    ok = !IDAWFtolerances(s->memory, weights) &&
         !IDASetLinearSolver(s->memory, s->solver, s->shell) &&
         !IDASetJacFn(s->memory, linearise) && !IDASetId(s->memory, s->id);
    IDASetSuppressAlg(s->memory, SUNTRUE);
    IDASetLinearSolutionScaling(s->memory, SUNFALSE);  // solve() knows the current cj
    IDASetMaxNonlinIters(s->memory, 6);
    IDASetMaxStep(s->memory, sim->opt.step);
  }
  if (s->memory && (!ok || s->short_of_memory)) IDAFree(&s->memory);
  ok = hn_bdf_created(s, ok);
  return ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

static void release(hn_sim *sim) {
  hn_bdf *s = sim->method.integrator_data;
  if (s->memory) IDAFree(&s->memory);
  hn_kkt_release(&s->kkt);
  hn_bdf_release(s);
}

static hn_status start(hn_sim *sim) {
  ((hn_bdf *)sim->method.integrator_data)->finest = 1e-13;
  return hn_bdf_start(sim);
}

// consistent values at the current state
static hn_status begin(hn_sim *sim, hn_bdf *s) {
  const hn_system *sys = sim->sys;
  hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
  if (status) return status;
  hn_rate_found(sim);
  memset(s->values, 0, (size_t)s->n * sizeof(double));
  memset(s->rates, 0, (size_t)s->n * sizeof(double));
  memcpy(s->values, sim->state.y, (size_t)sim->state.n * sizeof(double));
  memcpy(s->values + sim->state.n, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
  memcpy(s->rates, sim->stage.ydot, (size_t)sim->state.n * sizeof(double));
  s->t = sim->state.t;
  s->failed = 0;
  s->started = true;
  s->reselected = sim->rows.reselected;
  double first = 0;
  status = hn_first_step(sim, 2, 1e9, &first);
  if (status) return status;
  set_convergence(sim, s);
  IDASetInitStep(s->memory, s->c = 0.1 * first);
  return IDAReInit(s->memory, s->t, s->y, s->yp) ? HN_ERR_STEP : HN_OK;
}

// powers at Gauss' three points of the step [from, reached], order 6
static const double gauss[3] = {0.1127016653792583115, 0.5, 0.8872983346207416885};

static hn_status find_powers(hn_sim *sim, hn_bdf *s, double from, double reached) {
  double *y = s->inside, *rate = y + sim->state.n;
  s->from = from;
  s->work = sim->state.y[sim->state.w];
  for (int k = 0; k < 3; k++) {
    double t = from + gauss[k] * (reached - from);
    if (IDAGetDky(s->memory, t, 0, s->between)) return HN_ERR_STEP;
    memcpy(y, s->dense, (size_t)sim->state.n * sizeof(double));
    hn_normalise(sim->sys, y);
    hn_status status = hn_derivative(sim, t, y, rate);
    if (status) return status;
    s->power[k] = rate[sim->state.w];
  }
  return HN_OK;
}

// the work at time t of the step: the parabola through the powers, integrated
static double work_at(const hn_bdf *s, double t) {
  double h = s->t - s->from, x = h > 0 ? (t - s->from) / h : 0, sum = 0;
  for (int k = 0; k < 3; k++) {
    double a = gauss[(k + 1) % 3], b = gauss[(k + 2) % 3];
    double below = (gauss[k] - a) * (gauss[k] - b);
    sum += s->power[k] * x * (x * x / 3 - (a + b) * x / 2 + a * b) / below;
  }
  return s->work + h * sum;
}

static hn_status ahead(hn_sim *sim, hn_bdf *s) {
  long errors = 0, iterations = 0;
  double reached = s->t;
  s->status = HN_OK;
  sim->message[0] = 0;
  int flag;
  while ((flag = IDASolve(s->memory, s->t + 1e9, &reached, s->y, s->yp, IDA_ONE_STEP)) < 0) {
    // how fine round-off allows depends on the model: stiff forces make noise of small increments.
    // Once more from here, held less strictly
    double h = 0;
    IDAGetCurrentStep(s->memory, &h);
    if (s->finest >= sim->opt.rtol || s->status) return hn_bdf_fail(sim, s, flag, h);
    s->finest *= 10;
    hn_status status = begin(sim, s);
    if (status) return status;
    sim->message[0] = 0;
  }
  if (work_beside(sim)) {
    hn_status status = find_powers(sim, s, s->t, reached);
    if (status) return status;
  }
  s->t = reached;
  if (work_beside(sim)) s->values[sim->state.w] = work_at(s, reached);
  IDAGetNumErrTestFails(s->memory, &errors);
  IDAGetNumNonlinSolvConvFails(s->memory, &iterations);
  sim->count.rejected += errors + iterations - s->failed;
  s->failed = errors + iterations;
  return HN_OK;
}

static hn_status step(hn_sim *sim, double limit) {
  hn_bdf *s = sim->method.integrator_data;
  hn_status status = sim->watch.events ? hn_first_stage(sim) : HN_OK;
  if (!status && (!s->started || !(sim->step.h > 0) || s->reselected != sim->rows.reselected))
    status = begin(sim, s);
  if (!status && !(s->t > sim->state.t)) status = ahead(sim, s);
  if (status) return status;
  double next = 0;
  IDAGetCurrentStep(s->memory, &next);
  return hn_bdf_piece(sim, s, limit, next);
}

static void dense(hn_sim *sim, double t, double *y) {
  hn_bdf *s = sim->method.integrator_data;
  bool ok = !IDAGetDky(s->memory, t, 0, s->between);
  if (ok && work_beside(sim)) s->dense[sim->state.w] = work_at(s, t);
  hn_bdf_between(sim, t, ok ? s->dense : s->values, y);
}

const hn_integrator_type hn_integrator_index2_bdf = {
    .info = {.name = "index2-bdf",
             .help = "BDF of variable order and step (IDA): positions and velocities constrained",
             .keys = "rtol atol step",
             .required = ""},
    .order = 5,
    .adaptive = true,
    .layout = layout,
    .step = step,
    .dense = dense,
    .undo = hn_undo_step,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_STIFF | HN_CAN_STATES,
    .create = create,
    .release = release,
    .start = start,
};

const hn_integrator_type hn_integrator_index3_bdf = {
    .info = {.name = "index3-bdf",
             .help = "BDF of variable order and step (IDA): positions constrained",
             .keys = "rtol atol step",
             .required = ""},
    .order = 5,
    .adaptive = true,
    .layout = layout,
    .step = step,
    .dense = dense,
    .undo = hn_undo_step,
    .stands_alone = true,
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_STIFF | HN_CAN_STATES,
    .create = create,
    .release = release,
    .start = start,
};

#endif
