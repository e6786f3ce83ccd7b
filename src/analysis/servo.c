// servo.c: program constraints that are not enforced along themselves.
//
// Drivers prescribe c(q) = p(t), but what acts are other forces B tau (W. Blajer, K. Kolodziejczyk,
// A geometric approach to solving problems of control constraints, Multibody Syst. Dyn. 11, 2004):
//   M v' = f + J^T lambda + B tau,   Phi(q, t) = 0,   c(q) = p(t),   B not the gradient of c.
// When a force cannot accelerate what it must move (a trolley above a load on a rope) the motion of
// the rest is determined through higher derivatives of p, up to the fourth: a
// differential-algebraic system of index 5. It is solved as it stands by backward differences of
// order 4 with constant step,
//   v = (sum_j b_j q_(n-j)) / h,   a = (sum_j b_j v_(n-j)) / h,
// Newton's method on (q, lambda, tau) with analytic tangents. The motion starts from rest, where
// the past is constant and exact; the state of rest itself is found by the same equations with v =
// a = 0. Rotations are differenced as rotation vectors x about the last orientation, w = dexp(-x)
// x'.
#include "analysis/servo.h"

#include "analysis/follow.h"
#include "base/elementary.h"
#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

void hn_servo_destroy(hn_servo *servo) {
  if (!servo) return;
  free(servo->row), free(servo->actuator), free(servo->skip), free(servo);
}

// rows with `by`, and the forces that act for them
hn_status hn_servo_create(hn_servo **out, hn_sim *sim) {
  const hn_system *sys = sim->sys;
  *out = NULL;
  hn_servo *s = calloc(1, sizeof *s);
  if (s) {
    s->row = calloc((size_t)sys->rows + 1, sizeof *s->row);
    s->actuator = calloc((size_t)sys->rows + 1, sizeof *s->actuator);
    s->skip = calloc((size_t)sys->rows + 1, sizeof *s->skip);
  }
  hn_status status = s && s->row && s->actuator && s->skip ? HN_OK : HN_ERR_MEMORY;
  if (status) hn_sim_fail(sim, status, "out of memory");
  for (int i = 0; i < sys->rows && !status; i++) {
    const char *by = sys->joint[sys->row_joint[i]].by;
    if (!by) continue;
    status = hn_actuator_find(sim, by, &s->actuator[s->count]);
    s->skip[i] = true;
    s->row[s->count++] = i;
  }
  if (status)
    hn_servo_destroy(s);
  else
    *out = s;
  return status;
}

// ---- one step ------------------------------------------------------------------------------

enum { ORDER = 4 };
// of the new value first, then of those before it
static const double bdf[ORDER + 1] = {25.0 / 12, -4, 3, -4.0 / 3, 1.0 / 4};
// the cubic through the last four points, one step on
static const double ahead[ORDER] = {4, -6, 4, -1};  // extrapolation of the past

// dense, as the problems are small: an actuated machine has a few bodies
typedef struct stepper {
  hn_manifold *m;
  hn_sim *sim;
  const hn_system *sys;
  const hn_servo *servo;
  double h;  // step; 0: at rest
  double t;
  int n;              // unknowns: displacement, then multipliers and efforts
  double *q, *v, *a;  // iterate
  double *old_q[ORDER], *old_v[ORDER];
  double *past_x, *past_v;  // parts of the differences that are known
  double *lambda, *effort;  // multipliers (0 in the servo's rows), efforts beyond the laws
  double *K, *C, *J;        // nv x nv, nv x nv, rows x nv
  double *A, *R, *X;        // Newton's system
  double energy;            // of the state at the start [J]
  double *turn;             // 9 numbers for each body: d(w)/d(turn), in units of bdf[0] / h
} stepper;

static void layout(stepper *s, hn_arena *arena) {
  const hn_system *sys = s->sys;
  size_t nv = (size_t)sys->nv, nq = (size_t)sys->nq, n = (size_t)s->n;
  size_t square = nv * nv, wide = (size_t)sys->rows * nv, all = n * n;
  s->q = HN_TAKE(arena, double, nq);
  s->v = HN_TAKE(arena, double, nv);
  s->a = HN_TAKE(arena, double, nv);
  for (int i = 0; i < ORDER; i++) {
    s->old_q[i] = HN_TAKE(arena, double, nq);
    s->old_v[i] = HN_TAKE(arena, double, nv);
  }
  s->past_x = HN_TAKE(arena, double, nv);
  s->past_v = HN_TAKE(arena, double, nv);
  s->lambda = HN_TAKE(arena, double, sys->rows);
  s->effort = HN_TAKE(arena, double, s->servo->count);
  s->K = HN_TAKE(arena, double, square);
  s->C = HN_TAKE(arena, double, square);
  s->J = HN_TAKE(arena, double, wide);
  s->A = HN_TAKE(arena, double, all);
  s->R = HN_TAKE(arena, double, n);
  s->X = HN_TAKE(arena, double, n);
  s->turn = HN_TAKE(arena, double, 9 * sys->bodies);
}

// rotation vector from orientation a to b, in axes of a
// the shorter way: steps turn bodies by less than half a turn
static void rotation_between(double x[3], const double a[4], const double b[4]) {
  const double back[4] = {a[0], -a[1], -a[2], -a[3]};
  double d[4];
  q_mul(d, back, b);
  double sign = d[0] < 0 ? -1 : 1, sine = v3_norm(d + 1), angle = 2 * hn_atan2(sine, sign * d[0]);
  double scale = sine > 1e-8 ? angle / sine : 2;
  v3_scale(x, sign * scale, d + 1);
}

// w = dexp(-x) x'
// c1 and c2 are those of Rodrigues' formula, by their series where the quotients would lose digits
static void spin_of(double w[3], const double x[3], const double rate[3]) {
  double angle = v3_norm(x), c1, c2, u[3], uu[3];
  if (angle > 1e-3) {
    c1 = (1 - hn_cos(angle)) / (angle * angle);
    c2 = (angle - hn_sin(angle)) / (angle * angle * angle);
  } else {
    c1 = 0.5 - angle * angle / 24;
    c2 = 1.0 / 6 - angle * angle / 120;
  }
  v3_cross(u, x, rate);
  v3_cross(uu, x, u);
  for (int k = 0; k < 3; k++) w[k] = rate[k] - c1 * u[k] + c2 * uu[k];
}

// positions `at` of a body in displacement coordinates, relative to the last step
static void coordinates(const stepper *s, const hn_sys_body *b, const double *at, double *x) {
  int linear = b->kind == HN_SPATIAL ? 3 : b->nv;
  for (int k = 0; k < linear; k++) x[k] = at[k] - s->old_q[0][b->q0 + k];
  if (b->kind == HN_SPATIAL) rotation_between(x + 3, s->old_q[0] + b->q0 + 3, at + 3);
}

// velocity of a body at positions `at`
static void body_velocity(const stepper *s, const hn_sys_body *b, const double *at, double *v) {
  double x[6], rate[6];
  coordinates(s, b, at, x);
  // differences of the displacement: only the newest point is unknown
  for (int k = 0; k < b->nv; k++) rate[k] = (bdf[0] * x[k] + s->past_x[b->v0 + k]) / s->h;
  memcpy(v, rate, (size_t)b->nv * sizeof(double));
  if (b->kind == HN_SPATIAL) spin_of(v + 3, x + 3, rate + 3);
}

// how the spin answers a small turn of the body, by central differences
// It only directs Newton's method: 1e-10 of error in it costs nothing but a part of an iteration
static void turn_matrix(const stepper *s, int body) {
  const hn_sys_body *b = &s->sys->body[body];
  double *T = s->turn + 9 * body, q[7], plus[6] = {0}, minus[6] = {0};
  const double eps = 1e-5;
  m3_identity(T);
  if (b->kind != HN_SPATIAL || !(s->h > 0)) return;
  for (int c = 0; c < 3; c++) {
    for (int side = 0; side < 2; side++) {
      double d[3] = {0, 0, 0};
      d[c] = side ? -eps : eps;
      memcpy(q, s->q + b->q0, sizeof q);
      q_turn(q + 3, d);
      body_velocity(s, b, q, side ? minus : plus);
    }
    for (int r = 0; r < 3; r++)
      T[3 * r + c] = (plus[3 + r] - minus[3 + r]) / (2 * eps) * s->h / bdf[0];
  }
}

// velocities and accelerations that belong to the iterate
static void differences(stepper *s) {
  const hn_system *sys = s->sys;
  if (!(s->h > 0)) {
    memset(s->v, 0, (size_t)sys->nv * sizeof(double));
    memset(s->a, 0, (size_t)sys->nv * sizeof(double));
    return;
  }
  for (int i = 1; i < sys->bodies; i++)
    body_velocity(s, &sys->body[i], s->q + sys->body[i].q0, s->v + sys->body[i].v0);
  for (int i = 0; i < sys->nv; i++) s->a[i] = (bdf[0] * s->v[i] + s->past_v[i]) / s->h;
}

// the rows of J^T with the servo's replaced by what its actuators do
// servo rows prescribe (J below), their columns are what acts (here): the matrix is not symmetric
static void directions(stepper *s) {
  const hn_system *sys = s->sys;
  hn_jacobian_dense(&s->sim->stage.work, s->J);
  for (int k = 0; k < s->servo->count; k++)
    hn_actuator_direction(&s->servo->actuator[k], &s->sim->stage.work,
                          s->J + (size_t)s->servo->row[k] * (size_t)sys->nv);
}

// the iteration matrix A and the right-hand side R, equations of motion in units of mass
// equations of motion are multiplied by h^2 / b_0^2, so that M stands without a factor and
// multipliers come out in these units
static void assemble(stepper *s) {
  const hn_system *sys = s->sys;
  hn_work *w = &s->sim->stage.work;
  size_t nv = (size_t)sys->nv, rows = (size_t)sys->rows, n = (size_t)s->n;
  double unit = s->h > 0 ? s->h * s->h / (bdf[0] * bdf[0]) : 1, rate = s->h > 0 ? bdf[0] / s->h : 0;
  hn_tangent tangent = {.n = sys->nv, .K = s->K, .C = s->C};
  memset(s->K, 0, nv * nv * sizeof(double));
  memset(s->C, 0, nv * nv * sizeof(double));
  memset(s->A, 0, n * n * sizeof(double));
  hn_eval_all(w, s->t, s->q, s->v);
  hn_force_tangent(w, &tangent);
  hn_constraint_tangent(w, s->lambda, &tangent);
  for (int k = 0; k < s->servo->count; k++) {
    const hn_along *e = s->servo->actuator[k].along;
    hn_tangent_measure(sys, w, e->measure, e->sign * s->effort[k], 0, 0, &tangent);
  }
  // J below first, then its transpose with the actuators in it
  hn_jacobian_dense(w, s->J);
  for (size_t i = 0; i < rows; i++) memcpy(s->A + (nv + i) * n, s->J + i * nv, nv * sizeof(double));
  directions(s);
  for (size_t i = 0; i < nv; i++) {
    double *row = s->A + i * n;
    for (size_t k = 0; k < nv; k++) row[k] = -unit * s->K[i * nv + k];
    for (size_t k = 0; k < rows; k++) row[nv + k] = -s->J[k * nv + i];
    s->R[i] = -unit * (hn_own_mass(sys, (int)i) * s->a[i] - w->r[i]);
  }
  // velocities answer displacements by rate * turn (1 for all but spins)
  for (int b = 1; b < sys->bodies; b++) {
    const hn_sys_body *body = &sys->body[b];
    turn_matrix(s, b);
    for (int c = 0; c < body->nv; c++)
      for (int k = 0; k < body->nv; k++) {
        bool spin = body->kind == HN_SPATIAL && c > 2 && k > 2;
        double T = spin ? s->turn[9 * b + 3 * (k - 3) + c - 3] : k == c;
        if (T == 0) continue;
        size_t column = (size_t)(body->v0 + c), from = (size_t)(body->v0 + k);
        for (size_t i = 0; i < nv; i++)
          s->A[i * n + column] -= unit * rate * s->C[i * nv + from] * T;
        if (s->h > 0) s->A[from * n + column] += hn_own_mass(sys, (int)from) * T;
      }
  }
  // what multipliers and efforts do now
  for (size_t k = 0; k < rows; k++)
    for (size_t i = 0; i < nv; i++) s->R[i] += unit * s->J[k * nv + i] * s->lambda[k];
  for (int k = 0; k < s->servo->count; k++)
    for (size_t i = 0; i < nv; i++)
      s->R[i] += unit * s->J[(size_t)s->servo->row[k] * nv + i] * s->effort[k];
  for (size_t i = 0; i < rows; i++) s->R[nv + i] = -w->phi[i];
}

static hn_status no_way(stepper *s, const char *why) {
  return hn_sim_fail(s->sim, HN_ERR_SINGULAR, "t=%.6g: %s", s->t, why);
}

// at rest: what multipliers and efforts leave of the forces
// a least-squares step may settle where forces do not balance: that is no start
static bool is_balanced(stepper *s) {
  double left = 0, most = 0;
  assemble(s);
  for (int i = 0; i < s->sys->nv; i++) {
    left = fmax(left, fabs(s->R[i]) / s->sys->mass[i]);
    most = fmax(most, fabs(s->sim->stage.work.r[i]) / s->sys->mass[i]);
  }
  return left <= 1e-9 * fmax(most, 1e-3);
}

// Newton's method on the iterate
// The system is solved by least squares, since redundant rows make it singular. At rest the first
// iterations have no multipliers yet, and with them no geometric stiffness.
static hn_status solve(stepper *s) {
  const hn_system *sys = s->sys;
  size_t nv = (size_t)sys->nv;
  double unit = s->h > 0 ? s->h * s->h / (bdf[0] * bdf[0]) : 1, last = 1e300;
  for (int iteration = 0; iteration < 40; iteration++) {
    int rank;
    differences(s);
    assemble(s);
    if (!hn_dense_lstsq(s->n, s->n, s->A, s->R, 1e-14, s->X, &rank))
      return hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
    // at rest directions may be indifferent, and a first guess without forces knows no stiffness
    // full rank but for rows that repeat others: else some effort moves nothing that is prescribed
    if (s->h > 0 && rank < s->n - sys->redundant)
      return no_way(s, "the actuators cannot bring about what the drivers prescribe");
    double size = hn_displacement_size(sys, s->X);
    if (!(size < 1e6)) break;
    // turns of more than a third of a radian are no small change
    double factor = size > 0.3 ? 0.3 / size : 1;
    for (size_t i = 0; i < (size_t)s->n; i++) s->X[i] *= factor;
    hn_retract(sys, s->q, s->X);
    for (int i = 0; i < sys->rows; i++) {
      double change = s->X[nv + (size_t)i] / unit;
      if (!s->servo->skip[i]) s->lambda[i] += change;
    }
    for (int k = 0; k < s->servo->count; k++)
      s->effort[k] += s->X[nv + (size_t)s->servo->row[k]] / unit;
    // to round-off: quadratic until it does not shrink any more. From rest the first steps may find
    // forces only
    bool settled = s->h > 0 || iteration > 2;
    if (settled && size < 1e-9 && (size < 1e-15 || size > 0.5 * last)) {
      differences(s);
      if (s->h > 0 || is_balanced(s)) return HN_OK;
      break;
    }
    last = size;
  }
  return no_way(s, "the motion that is left free runs away, or the drivers ask for the impossible");
}

// ---- the motion ------------------------------------------------------------------------------

// constant past from the iterate
// rest since ever: backward differences of all orders are exact
static void begin(stepper *s) {
  const hn_system *sys = s->sys;
  for (int j = 0; j < ORDER; j++) {
    memcpy(s->old_q[j], s->q, (size_t)sys->nq * sizeof(double));
    memset(s->old_v[j], 0, (size_t)sys->nv * sizeof(double));
  }
}

// past_x and past_v collect what the differences have of the known points, in coordinates about the
// last one
static hn_status advance(stepper *s, double t) {
  const hn_system *sys = s->sys;
  double x[6];
  s->t = t;
  memset(s->past_x, 0, (size_t)sys->nv * sizeof(double));
  memset(s->past_v, 0, (size_t)sys->nv * sizeof(double));
  memset(s->X, 0, (size_t)sys->nv * sizeof(double));
  for (int j = 0; j < ORDER; j++) {
    for (int i = 0; i < sys->nv; i++) s->past_v[i] += bdf[j + 1] * s->old_v[j][i];
    for (int b = 1; b < sys->bodies; b++) {
      const hn_sys_body *body = &sys->body[b];
      coordinates(s, body, s->old_q[j] + body->q0, x);
      for (int k = 0; k < body->nv; k++) {
        s->past_x[body->v0 + k] += bdf[j + 1] * x[k];
        s->X[body->v0 + k] += ahead[j] * x[k];
      }
    }
  }
  memcpy(s->q, s->old_q[0], (size_t)sys->nq * sizeof(double));
  // extrapolated: Newton's method begins within h^4 of the solution
  hn_retract(sys, s->q, s->X);
  hn_status status = solve(s);
  if (status) return status;
  double *q = s->old_q[ORDER - 1], *v = s->old_v[ORDER - 1];
  // pointers go round: the oldest point makes room for the newest
  for (int j = ORDER - 1; j > 0; j--) s->old_q[j] = s->old_q[j - 1], s->old_v[j] = s->old_v[j - 1];
  s->old_q[0] = q, s->old_v[0] = v;
  hn_normalise(sys, s->q);
  memcpy(q, s->q, (size_t)sys->nq * sizeof(double));
  memcpy(v, s->v, (size_t)sys->nv * sizeof(double));
  hn_eval_motion(&s->sim->stage.work, t, s->q, s->v);
  hn_accept_turns(&s->sim->stage.work, true);
  return HN_OK;
}

// the state reached; where it is at rest the energy is counted from there
static hn_status report(stepper *s, hn_servo_visit visit, void *user) {
  hn_sim *sim = s->sim;
  const hn_system *sys = s->sys;
  double *y = sim->record.y;
  memcpy(y, s->q, (size_t)sys->nq * sizeof(double));
  memcpy(y + sys->nq, s->v, (size_t)sys->nv * sizeof(double));
  for (int i = sim->state.w; i < sim->state.n; i++) y[i] = 0;
  hn_eval_all(&sim->stage.work, s->t, y, y + sys->nq);
  memcpy(sim->stage.a, s->a, (size_t)sys->nv * sizeof(double));
  memcpy(sim->stage.work.lambda, s->lambda, (size_t)sys->rows * sizeof(double));
  // what actuators and lossy forces did is what the energy grew by
  double energy = hn_kinetic_energy(&sim->stage.work) + hn_potential_energy(&sim->stage.work);
  if (!(s->h > 0)) s->energy = energy;
  y[sim->state.w] = energy - s->energy;
  return visit(sim, user, s->t, y, s->effort);
}

// the program must begin at rest: then the past is known exactly
// limits in m/s or rad/s, and m/s^2 or rad/s^2: what a smooth program has of tanh's tail
static hn_status check_start(stepper *s) {
  const hn_system *sys = s->sys;
  const hn_work *w = &s->sim->stage.work;
  if (sys->reactive)
    return hn_sim_fail(s->sim, HN_ERR_UNSUPPORTED,
                       "Coulomb friction is not possible where actuators bring about a motion that "
                       "geometry does not determine");
  for (int i = 0; i < sys->rows; i++)
    if (!sys->holonomic[i])
      return hn_sim_fail(
          s->sim, HN_ERR_UNSUPPORTED,
          "rolling joints are not possible where actuators bring about a motion that "
          "geometry does not determine");
  hn_eval_position(&s->sim->stage.work, s->sim->state.t, s->sim->state.y);
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *row = &sys->row[i];
    const double *f = row->motion >= 0 ? w->motion + 3 * row->motion : NULL;
    if (f && (fabs(f[1]) > 1e-11 || fabs(f[2]) > 1e-9))
      return hn_sim_fail(s->sim, HN_ERR_MODEL,
                         "driver '%s' does not start from rest (rate %.3g, acceleration %.3g), "
                         "which is needed where geometry does not determine the motion",
                         sys->joint[sys->row_joint[row->row]].name, f[1], f[2]);
  }
  return HN_OK;
}

static hn_status run(stepper *s, int parts, hn_servo_visit visit, void *user) {
  hn_sim *sim = s->sim;
  int rows;
  double interval = hn_output_interval(&sim->opt, &rows), t0 = sim->state.t;
  // steps have one length, so that the last row is that of the last whole interval
  interval = fmin(interval, sim->opt.duration);
  rows = (int)floor(sim->opt.duration / interval + 1e-9);
  hn_status status = check_start(s);
  if (status) return status;
  s->t = t0;
  memcpy(s->q, sim->state.y, (size_t)s->sys->nq * sizeof(double));
  status = solve(s);
  if (status)
    return hn_sim_fail(sim, status,
                       "the actuators cannot hold the start at rest: no equilibrium was found near "
                       "the described state");
  begin(s);
  status = report(s, visit, user);
  s->h = interval / parts;
  for (int i = 1; i <= rows && !status; i++) {
    for (int k = 1; k <= parts && !status; k++)
      status = advance(s, t0 + (i - 1) * interval + k * s->h);
    if (!status) status = report(s, visit, user);
  }
  return status;
}

hn_status hn_servo_run(hn_manifold *m, const hn_servo *servo, int parts, hn_servo_visit visit,
                       void *user) {
  hn_sim *sim = m->sim;
  stepper s = {.m = m, .sim = sim, .sys = m->sys, .servo = servo};
  hn_arena arena = {0};
  s.n = s.sys->nv + s.sys->rows;
  layout(&s, &arena);
  if (!hn_arena_allocate(&arena)) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  layout(&s, &arena);
  hn_status status = run(&s, parts, visit, user);
  free(arena.base);
  return status;
}
