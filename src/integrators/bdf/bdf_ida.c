// bdf_ida.c: variable-order BDF on differential-algebraic equations, by IDA. Which equations is
// told by a form (bdf.h): those of index 2 and 3 are in bdf_index.c, those in local parameters in
// bdf_chart.c. Unknowns are [q, v, w, x] and the multipliers of the form, which do not take part in
// the error test.
#include "integrators/bdf/bdf.h"

#ifdef HN_HAVE_SUNDIALS

#include <ida/ida.h>
#include <string.h>

static const hn_ida_form *form_of(const hn_sim *sim) {
  return sim->method.integrator->variant;
}

bool hn_ida_work_beside(const hn_sim *sim) {
  return form_of(sim)->differences && sim->sys->rheonomic;
}

static void layout(hn_sim *sim, hn_arena *arena) {
  const hn_ida_form *form = form_of(sim);
  hn_bdf *s = HN_TAKE(arena, hn_bdf, 1), place = {0};
  hn_stage_layout(sim, arena, 1);
  hn_bdf_layout(&place, arena, sim, sim->state.n + form->multipliers * sim->sys->rows);
  place.inside = HN_TAKE(arena, double, 2 * sim->state.n);
  form->layout(&place, arena, sim->sys);
  if (!arena->base) return;
  *s = place;
  sim->method.integrator_data = s;
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
  if (!form_of(sim)->differences) return 0;
  // velocities are differences of positions and no better than these allow
  double share = w[sys->nq] * sim->step.scale_y[sys->nq];
  for (int i = 0; i < sys->nv; i++)
    w[sys->nq + i] = fmin(w[sys->nq + i], share * s->c / sim->step.scale_d[i]);
  return 0;
}

// noise of mu would become error of q, and parameters are to obey the formula to far less than its
// error; but nothing converges beyond round-off, which short steps come close to
static void set_convergence(const hn_sim *sim, const hn_bdf *s) {
  const double shortest = 1e-300, least = form_of(sim)->ready ? 1e-4 : 0.03;
  double tolerance = sim->opt.rtol / hn_bdf_strictness(sim, s, shortest);
  IDASetNonlinConvCoef(s->memory, fmin(0.33, fmax(least, 0.3 * s->finest / tolerance)));
}

static hn_status create(hn_sim *sim) {
  hn_bdf *s = sim->method.integrator_data;
  const hn_system *sys = sim->sys;
  const hn_ida_form *form = form_of(sim);
  s->solve = form->solve;
  // algebraic unknowns have no say in the error test
  for (int i = 0; i < s->n; i++) {
    bool velocity = i >= sys->nq && i < sim->state.w;
    s->kinds[i] = i < sim->state.n && (!form->differences || !velocity) ? 1 : 0;
  }
  bool ok = form->create(sim, s) && hn_bdf_create(sim, s) && (s->memory = IDACreate(s->context)) &&
            !IDAInit(s->memory, form->residual, 0, s->y, s->yp);
  if (ok) {
    IDASetErrHandlerFn(s->memory, hn_bdf_quiet, sim);
    IDASetUserData(s->memory, sim);
    ok = !IDAWFtolerances(s->memory, weights) &&
         !IDASetLinearSolver(s->memory, s->solver, s->shell) &&
         !IDASetJacFn(s->memory, form->linearise) && !IDASetId(s->memory, s->id);
    IDASetSuppressAlg(s->memory, SUNTRUE);
    IDASetLinearSolutionScaling(s->memory, SUNFALSE);  // solve() knows the current cj
    IDASetMaxOrd(s->memory, (int)sim->opt.bdf_order);
    IDASetMaxNonlinIters(s->memory, 6);
    IDASetMaxStep(s->memory, sim->opt.step);  // 0: no bound
  }
  if (s->memory && (!ok || s->short_of_memory)) IDAFree(&s->memory);
  ok = hn_bdf_created(s, ok);
  return ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

static void release(hn_sim *sim) {
  hn_bdf *s = sim->method.integrator_data;
  if (s->memory) IDAFree(&s->memory);
  form_of(sim)->release(s);
  hn_bdf_release(s);
}

static hn_status start(hn_sim *sim) {
  // every start is tried as strictly as round-off may allow; ahead() yields
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
  if (!form_of(sim)->ready)
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
  // velocities of index 3 are differences: by shorter ones they get worse
  IDASetInitStep(s->memory, s->c = (form_of(sim)->differences ? 0.18 : 0.1) * first);
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
    // Lagrange's polynomial of power k, integrated from the start of the step
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
  // a new chart, if one is due: only here, as all iterations of a step must see the same
  if (form_of(sim)->ready) form_of(sim)->ready(sim, s);
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
  // while s->t is still the start of the step just made
  if (hn_ida_work_beside(sim)) {
    hn_status status = find_powers(sim, s, s->t, reached);
    if (status) return status;
  }
  s->t = reached;
  if (hn_ida_work_beside(sim)) s->values[sim->state.w] = work_at(s, reached);
  IDAGetNumErrTestFails(s->memory, &errors);
  IDAGetNumNonlinSolvConvFails(s->memory, &iterations);
  sim->count.rejected += errors + iterations - s->failed;
  s->failed = errors + iterations;
  return HN_OK;
}

static hn_status step(hn_sim *sim, double limit) {
  hn_bdf *s = sim->method.integrator_data;
  hn_status status = sim->watch.events ? hn_first_stage(sim) : HN_OK;
  // other rows are solved for: IDA's history has multipliers of those before
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
  // outside of IDA's last step there is no polynomial: the values at its end
  bool ok = !IDAGetDky(s->memory, t, 0, s->between);
  if (ok && hn_ida_work_beside(sim)) s->dense[sim->state.w] = work_at(s, t);
  hn_bdf_between(sim, t, ok ? s->dense : s->values, y);
}

#define MEMBER(name_, help_, form)                                                                 \
  {                                                                                                \
    .info = {.name = name_,                                                                        \
             .help = "BDF of variable order and step (IDA): " help_,                               \
             .keys = "rtol atol step bdf_order",                                                   \
             .required = ""},                                                                      \
    .order = 5, .adaptive = true, .layout = layout, .step = step, .dense = dense,                  \
    .undo = hn_undo_step, .stands_alone = true,                                                    \
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_STIFF | HN_CAN_STATES,                  \
    .create = create, .release = release, .start = start, .variant = &form,                        \
  }

const hn_integrator_type hn_integrator_index2_bdf =
    MEMBER("index2-bdf", "positions and velocities constrained", hn_ida_index2);
const hn_integrator_type hn_integrator_index3_bdf =
    MEMBER("index3-bdf", "positions constrained", hn_ida_index3);
const hn_integrator_type hn_integrator_tangent_space_bdf =
    MEMBER("tangent-space-bdf", "along a tangent space of the constraints", hn_ida_tangent_space);
const hn_integrator_type hn_integrator_partition_bdf =
    MEMBER("implicit-partition-bdf", "on independent coordinates", hn_ida_partition);

#endif
