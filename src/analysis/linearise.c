// linearise.c: small motions about a state, on the constraint manifold.
//
// A displacement d (velocity coordinates, q <- q0 (+) d) and a change of velocity dv obey
//   J_h d = 0,   J dv + B d = 0 with B = d(J v)/dq,
//   M da = (F_q + d(J^T lambda)/dq) d + F_v dv + J^T dlambda,
//   d' = dv - W d,   dv' = da - S dv.
// In one instant S = 0 and W d = w x d / 2 for rotations: d counts in axes that turn. Seen from
// axes that are carried along (carrier.h) W d = b x d, and S = T' for both lengths and turns.
// With bases Z of ker J_h and U of ker J, Z^T M Z = U^T M U = 1, and the chart d = Z z,
// u = U^T M dv, the part of dv outside ker J is -N B d, N the mass-weighted inverse of J. It and
// J^T dlambda drop out under U^T, so no derivative of gamma is needed:
//   z' = Z^T M U u - Z^T M (N B + W) Z z
//   u' = U^T (F_q + d(J^T lambda)/dq - (F_v - M S) N B) Z z + U^T (F_v - M S) U u = -K z - C u.
// At rest B = W = S = 0. All derivatives are analytic.
//
// States of first order x, inputs and signals: forces add U^T F_x x to u', and a formula of
// measured quantities s, states and inputs changes by g_s ds + g_x x + g_i i, where ds = grad(s) d
// for values, grad(s) dv + d(rate)/dq d for rates, with d and dv as above.
#include "analysis/linear.h"

#include "analysis/sides.h"
#include "system/measure.h"
#include "system/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the public struct and its memory
typedef struct owned {
  hn_linear linear;
  hn_arena arena;
} owned;

// the public struct is the first member of the owned one
void hn_linear_destroy(hn_linear *linear) {
  if (!linear) return;
  free(((owned *)linear)->arena.base);
  free(linear);
}

hn_linear *hn_linear_create(const hn_system *sys, int n, int m, int states) {
  owned *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  // once to count, once to hand out; members are const for readers, and filled through casts below
  size_t N = (size_t)n, K = (size_t)m, size_z = (size_t)sys->nv * N, size_u = (size_t)sys->nv * K;
  size_t size_k = K * N, size_c = K * K, size = N + K + (size_t)states;
  size_t in = (size_t)sys->inputs, signals = (size_t)sys->named;
  for (int pass = 0; pass < 2; pass++) {
    o->linear.Z = HN_TAKE(&o->arena, double, size_z);
    o->linear.U = HN_TAKE(&o->arena, double, size_u);
    o->linear.A = HN_TAKE(&o->arena, double, size *size);
    o->linear.B = HN_TAKE(&o->arena, double, size *in);
    o->linear.Y = HN_TAKE(&o->arena, double, signals *size);
    o->linear.D = HN_TAKE(&o->arena, double, signals *in);
    o->linear.K = HN_TAKE(&o->arena, double, size_k);
    o->linear.C = HN_TAKE(&o->arena, double, size_c);
    o->linear.axes = HN_TAKE(&o->arena, double, 3 * sys->bodies);
    if (pass == 0 && !hn_arena_allocate(&o->arena)) {
      free(o);
      return NULL;
    }
  }
  o->linear.nv = sys->nv, o->linear.n = n, o->linear.m = m, o->linear.states = states;
  o->linear.inputs = sys->inputs, o->linear.outputs = sys->named;
  return &o->linear;
}

// ---- work space ----------------------------------------------------------------------------

// dense: a linearisation costs as the cube of the velocities
static void layout(hn_linear_work *s, hn_arena *arena) {
  const hn_system *sys = s->m->sys;
  size_t nv = (size_t)sys->nv, square = nv * nv;
  s->F = HN_TAKE(arena, double, square);
  s->C = HN_TAKE(arena, double, square);
  s->Z = HN_TAKE(arena, double, square);
  s->U = HN_TAKE(arena, double, square);
  s->N = HN_TAKE(arena, double, square);
  s->V = HN_TAKE(arena, double, sys->j_size);
  s->slip = HN_TAKE(arena, double, sys->rows);
  s->a = HN_TAKE(arena, double, nv);
  s->by_state = HN_TAKE(arena, double, nv *(size_t)sys->states);
  s->by_input = HN_TAKE(arena, double, nv *(size_t)sys->inputs);
  s->gradient = HN_TAKE(arena, double, nv);
  s->turning = HN_TAKE(arena, double, nv);
}

hn_status hn_linear_work_create(hn_linear_work *s, hn_manifold *m) {
  memset(s, 0, sizeof *s);
  s->m = m;
  layout(s, &s->arena);
  if (!hn_arena_allocate(&s->arena)) return hn_sim_fail(m->sim, HN_ERR_MEMORY, "out of memory");
  layout(s, &s->arena);
  return HN_OK;
}

void hn_linear_work_release(hn_linear_work *s) {
  free(s->arena.base);
}

// s->F gets F_q + d(J^T lambda)/dq + d(M a)/dq with its sign, s->C gets F_v. The multipliers are
// those of the accelerations just found: reactions that load the joints are part of the stiffness
// (geometric stiffness), without which a hanging pendulum would have none.
hn_status hn_linear_evaluate(hn_linear_work *s, double t, const double *q, const double *v,
                             bool still) {
  hn_sim *sim = s->m->sim;
  const hn_system *sys = s->m->sys;
  size_t nv = (size_t)sys->nv;
  hn_status status = hn_manifold_accelerate(s->m, t, q, v, still);
  if (status) return status;
  memcpy(s->a, sim->stage.a, nv * sizeof(double));
  s->most = s->force = 0;
  for (int i = 0; i < sys->nv; i++) {
    // angular ones count by what they do at the model's length
    double length = sys->angular_v[i] ? sys->length : 1;
    s->most = fmax(s->most, fabs(s->a[i]) * length);
    s->force = fmax(s->force, fabs(sim->stage.work.r[i]) / sys->mass[i] * length);
  }
  hn_tangent tangent = {
      .n = sys->nv, .K = s->F, .C = s->C, .by_state = s->by_state, .by_input = s->by_input};
  memset(s->by_state, 0, nv * (size_t)sys->states * sizeof(double));
  memset(s->by_input, 0, nv * (size_t)sys->inputs * sizeof(double));
  memset(s->F, 0, nv * nv * sizeof(double));
  memset(s->C, 0, nv * nv * sizeof(double));
  hn_force_tangent(&sim->stage.work, &tangent);
  hn_constraint_tangent(&sim->stage.work, sim->stage.work.lambda, &tangent);
  hn_mass_tangent(&sim->stage.work, s->a, &tangent);
  return HN_OK;
}

// rows that roll restrict velocities only: Z is larger than U there
void hn_linear_bases(hn_linear_work *s) {
  hn_manifold *m = s->m;
  size_t nv = (size_t)m->sys->nv;
  hn_manifold_factor(m, true);
  s->n = m->free;
  memcpy(s->Z, m->Z, (size_t)s->n * nv * sizeof(double));
  hn_manifold_factor(m, false);
  // the same basis where there are only positions
  s->k = m->free;
  memcpy(s->U, m->Z, (size_t)s->k * nv * sizeof(double));
}

// ---- the matrices --------------------------------------------------------------------------

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// y = M x
static void mass_times(const hn_manifold *m, const double *x, double *y) {
  if (m->general)
    hn_mass_mul(&m->sim->stage.work, x, y);
  else
    for (int i = 0; i < m->sys->nv; i++) y[i] = m->sys->mass[i] * x[i];
}

// takes the free part out of x: U^T M x = 0. Where masses are a diagonal nothing of it is there
// Where masses are a matrix, hn_manifold_pull() measured by its diagonal only
static void leave_out(hn_linear_work *s, double *x) {
  hn_manifold *m = s->m;
  int nv = m->sys->nv;
  for (int k = 0; k < s->k; k++) {
    const double *u = s->U + (size_t)k * (size_t)nv;
    mass_times(m, x, m->y);
    double part = dot(nv, u, m->y);
    for (int i = 0; i < nv; i++) x[i] -= part * u[i];
  }
}

// s->N = -N B Z, vector after vector; the rows are decomposed as they were last evaluated
// the Jacobian product routines read work.J: a copy of the work space whose J is d(J v)/dq gives B
// d
static void moving_part(hn_linear_work *s) {
  hn_manifold *m = s->m;
  const hn_system *sys = m->sys;
  hn_work turned = m->sim->stage.work;
  turned.J = s->V;
  hn_velocity_tangent(&m->sim->stage.work, s->V);
  for (int k = 0; k < s->n; k++) {
    hn_jacobian_mul(&turned, s->Z + (size_t)k * (size_t)sys->nv, s->slip);
    for (int i = 0; i < sys->rows; i++) s->slip[i] = -s->slip[i];
    hn_manifold_pull(m, s->slip, s->N + (size_t)k * (size_t)sys->nv);
    if (m->general) leave_out(s, s->N + (size_t)k * (size_t)sys->nv);
  }
}

// y = A x, A n x n row by row
static void multiply(int n, const double *A, const double *x, double *y) {
  for (int r = 0; r < n; r++) {
    const double *row = A + (size_t)r * (size_t)n;
    double sum = 0;
    for (int c = 0; c < n; c++) sum += row[c] * x[c];
    y[r] = sum;
  }
}

// W d
// W d of the equations above; in one instant half of w x d, since d is a rotation vector whose rate
// differs from the change of the spin by just that (to first order)
static void turned(const hn_system *sys, const hn_carrier *carrier, const double *v,
                   const double *d, double *out) {
  if (carrier) {
    hn_carrier_turn(carrier, d, out);
    return;
  }
  memset(out, 0, (size_t)sys->nv * sizeof(double));
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind != HN_SPATIAL) continue;
    v3_cross(out + b->v0 + 3, v + b->v0 + 3, d + b->v0 + 3);
    v3_scale(out + b->v0 + 3, 0.5, out + b->v0 + 3);
  }
}

// m->x += (F_v - M S) dv
static void add_velocity_part(hn_linear_work *s, const hn_carrier *carrier, const double *dv) {
  hn_manifold *m = s->m;
  const hn_system *sys = m->sys;
  multiply(sys->nv, s->C, dv, m->y);
  for (int i = 0; i < sys->nv; i++) m->x[i] += m->y[i];
  if (!carrier) return;
  hn_carrier_rate(carrier, dv, m->y);
  mass_times(m, m->y, s->turning);
  for (int i = 0; i < sys->nv; i++) m->x[i] -= s->turning[i];
}

// vectors one after another become columns of a matrix stored row by row
static void columns(double *out, const double *vectors, int nv, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < nv; i++)
      out[(size_t)i * (size_t)n + (size_t)k] = vectors[(size_t)k * (size_t)nv + (size_t)i];
}

// What rounding may leave of X in U^T X Z: the bases are orthonormal in the mass, so that the sums
// are of the size of S X S, S = M^-1/2, however much of it cancels. Stiff parts that the joints
// keep from moving, and loads that balance, are in X and not in what is left
static double left_by_rounding(const hn_manifold *m, const double *X) {
  static const double spacing = 2.220446049250313e-16;
  size_t nv = (size_t)m->sys->nv;
  double squares = 0;
  for (size_t i = 0; i < nv; i++)
    for (size_t k = 0; k < nv; k++) {
      double x = X[i * nv + k] / (m->root[i] * m->root[k]);
      squares += x * x;
    }
  return 8 * spacing * sqrt(squares);
}

// `rates`: what rounding may leave in C
static bool is_conservative(const hn_linear *l, double rates) {
  if (l->n != l->m || !l->rest || l->states) return false;
  size_t n = (size_t)l->n;
  double most = 0, skew = 0, damping = 0;
  for (size_t i = 0; i < n * n; i++) {
    most = fmax(most, fabs(l->K[i]));
    skew = fmax(skew, fabs(l->K[i] - l->K[i % n * n + i / n]));
    damping = fmax(damping, fabs(l->C[i]));
  }
  return skew <= fmax(1e-10 * most, l->round_off) && damping <= fmax(1e-12 * sqrt(most), rates);
}

// ---- states, inputs, signals -----------------------------------------------------------------

// U^T times the columns of a matrix with a row for every velocity
// Inputs and states act on bodies by forces only: U^T takes what the joints carry away.
static void project(const hn_linear_work *s, const hn_linear *l, const double *matrix, int columns,
                    double *to, int stride) {
  for (int i = 0; i < l->m; i++)
    for (int k = 0; k < columns; k++) {
      double sum = 0;
      for (int r = 0; r < l->nv; r++)
        sum += s->U[(size_t)i * (size_t)l->nv + (size_t)r] *
               matrix[(size_t)r * (size_t)columns + (size_t)k];
      to[(size_t)i * (size_t)stride + (size_t)k] = sum;
    }
}

// their places in A and B: rows of u, which stand behind those of z
static void forces_from_outside(const hn_linear_work *s, const hn_linear *l) {
  // A is stored row by row: rows of u begin behind the n of z
  size_t n = (size_t)l->n, size = (size_t)hn_linear_size(l);
  if (l->states)
    project(s, l, s->by_state, l->states, (double *)l->A + n * size + n + (size_t)l->m, (int)size);
  project(s, l, s->by_input, l->inputs, (double *)l->B + n * (size_t)l->inputs, l->inputs);
}

// 12 numbers on the twists of a measure's bodies as one per velocity
static void spread(const hn_system *sys, const hn_measure *m, const double g[12], double *out) {
  memset(out, 0, (size_t)sys->nv * sizeof(double));
  for (int side = 0; side < 2; side++) {
    const hn_sys_body *b = &sys->body[side ? m->b : m->a];
    if (b->nv) hn_add_row(out + b->v0, b->kind, 1, g + 6 * side);
  }
}

// adds what a measured quantity contributes to a row over z and u
// A value changes by its gradient along z alone. A rate changes with the velocity (u, and the drift
// -N B Z z that keeps it on the constraints) and with the position at the velocity held.
static void add_measured(hn_linear_work *s, const hn_linear *l, const hn_signal *signal, double g,
                         double *row) {
  const hn_system *sys = s->m->sys;
  const hn_work *work = &s->m->sim->stage.work;
  const hn_measure *m = &sys->measure[signal->measure];
  hn_direction along = hn_direction_measure(sys, work, signal->measure);
  bool rate = signal->kind == HN_SIGNAL_RATE;
  double turning[12] = {0};
  size_t nv = (size_t)l->nv;
  if (rate) hn_rate_gradient(sys, work, signal->measure, turning);
  spread(sys, m, along.j, s->gradient);
  spread(sys, m, turning, s->turning);
  for (int j = 0; j < l->n; j++) {
    const double *z = s->Z + (size_t)j * nv, *drift = s->N + (size_t)j * nv;
    row[j] += g * (rate ? dot(l->nv, s->turning, z) + dot(l->nv, s->gradient, drift)
                        : dot(l->nv, s->gradient, z));
  }
  for (int j = 0; j < l->m && rate; j++)
    row[l->n + j] += g * dot(l->nv, s->gradient, s->U + (size_t)j * nv);
}

// a formula by z, u and x, and by the inputs
// gradient[0] is the one by time, which a linearisation holds; 1 + k is that by signal k
static void formula(hn_linear_work *s, const hn_linear *l, int expression, double *row,
                    double *in) {
  const hn_system *sys = s->m->sys;
  const hn_expression *e = &sys->expression[expression];
  const double *gradient;
  hn_run_expression(sys, &s->m->sim->stage.work, expression, &gradient);
  for (int k = 0; k < e->signals; k++) {
    const hn_signal *signal = &sys->signal[e->first_signal + k];
    double g = gradient[1 + k];
    // where states follow from the motion they are none of the unknowns, and their part is in K
    if (signal->kind == HN_SIGNAL_STATE && l->states) row[l->n + l->m + signal->index] += g;
    if (signal->kind == HN_SIGNAL_INPUT && signal->index < l->inputs) in[signal->index] += g;
    if (hn_is_measured(signal)) add_measured(s, l, signal, g, row);
  }
}

// rates of states in A and B, signals in Y and D
static void formulas(hn_linear_work *s, hn_linear *l) {
  const hn_system *sys = s->m->sys;
  size_t size = (size_t)hn_linear_size(l), in = (size_t)l->inputs;
  double *A = (double *)l->A, *B = (double *)l->B, *Y = (double *)l->Y, *D = (double *)l->D;
  for (size_t i = 0; i < (size_t)l->states; i++) {
    size_t at = (size_t)(l->n + l->m) + i;
    formula(s, l, sys->state[i].expression, A + at * size, B + at * in);
  }
  for (size_t i = 0; i < (size_t)l->outputs; i++)
    formula(s, l, sys->named_signal[i].expression, Y + i * size, D + i * in);
}

// ---- all of them -----------------------------------------------------------------------------

// column by column of the equations at the top; the names of its blocks are those there
void hn_linear_fill(hn_linear_work *s, const hn_carrier *carrier, const double *v, hn_linear *l) {
  hn_manifold *m = s->m;
  const hn_system *sys = m->sys;
  int n = l->n, k = l->m, nv = sys->nv, size = hn_linear_size(l);
  double *A = (double *)l->A, *K = (double *)l->K, *C = (double *)l->C;
  columns((double *)l->Z, s->Z, nv, n);
  columns((double *)l->U, s->U, nv, k);
  memset(s->N, 0, (size_t)nv * (size_t)nv * sizeof(double));
  // at rest B = 0
  if (!l->rest) moving_part(s);
  for (int j = 0; j < n; j++) {
    const double *z = s->Z + (size_t)j * (size_t)nv, *drift = s->N + (size_t)j * (size_t)nv;
    multiply(nv, s->F, z, m->x);
    if (!l->rest) add_velocity_part(s, carrier, drift);
    for (int i = 0; i < k; i++) {
      double f = dot(nv, s->U + (size_t)i * (size_t)nv, m->x);
      // A has the forces themselves, K what stands against them
      K[i * n + j] = -f;
      A[(size_t)(n + i) * (size_t)size + (size_t)j] = f;
    }
    turned(sys, carrier, v, z, m->y);
    for (int i = 0; i < nv; i++) m->y[i] = drift[i] - m->y[i];
    mass_times(m, m->y, m->x);
    for (int i = 0; i < n; i++)
      A[(size_t)i * (size_t)size + (size_t)j] = dot(nv, s->Z + (size_t)i * (size_t)nv, m->x);
  }
  for (int j = 0; j < k; j++) {
    const double *u = s->U + (size_t)j * (size_t)nv;
    memset(m->x, 0, (size_t)nv * sizeof(double));
    add_velocity_part(s, carrier, u);
    for (int i = 0; i < k; i++) {
      double f = dot(nv, s->U + (size_t)i * (size_t)nv, m->x);
      C[i * k + j] = -f;
      A[(size_t)(n + i) * (size_t)size + (size_t)(n + j)] = f;
    }
    mass_times(m, u, m->x);
    for (int i = 0; i < n; i++)
      A[(size_t)i * (size_t)size + (size_t)(n + j)] = dot(nv, s->Z + (size_t)i * (size_t)nv, m->x);
  }
  forces_from_outside(s, l);
  formulas(s, l);
  l->round_off = left_by_rounding(m, s->F);
  l->conservative = is_conservative(l, left_by_rounding(m, s->C));
}

// ---- at a state ----------------------------------------------------------------------------

// speeds of round-off do not count
// 1e-13 of the model's length a second: statics and hn_set_state leave exact zeros, a run that has
// settled leaves more, and is a motion
static bool is_at_rest(const hn_system *sys, const double *v) {
  double speed = 0;
  for (int i = 0; i < sys->nv; i++)
    speed = fmax(speed, fabs(v[i]) * (sys->angular_v[i] ? sys->length : 1));
  return speed <= 1e-13 * sys->length;
}

// at rest such friction holds nothing and pushes nothing: only motion has it
static hn_status refuse_motion(hn_sim *sim, const double *v) {
  if (is_at_rest(sim->sys, v)) return HN_OK;
  if (!sim->sys->reactive) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "Coulomb friction in motion cannot be linearised: it follows reactions");
}

// no state changes by more than a change of all of them by 1e-8 would make it
static bool states_rest(const hn_sim *sim, const hn_linear *l) {
  const hn_work *work = &sim->stage.work;
  size_t size = (size_t)hn_linear_size(l), first = size - (size_t)l->states;
  for (int i = 0; i < l->states; i++) {
    const double *row = l->A + (first + (size_t)i) * size;
    double rate = hn_run_expression(sim->sys, work, sim->sys->state[i].expression, NULL), most = 0;
    for (int k = 0; k < l->states; k++)
      most = fmax(most, fabs(row[first + (size_t)k]) *
                            fmax(fabs(work->state[k]), hn_state_floor(sim->sys, k)));
    for (size_t k = 0; k < first; k++) most = fmax(most, fabs(row[k]) * sim->sys->length);
    if (!(fabs(rate) <= 1e-8 * most)) return false;
  }
  return true;
}

hn_status hn_linearise_at(hn_manifold *m, double t, const double *q, const double *v, bool still,
                          hn_linear **out) {
  hn_linear_work s;
  *out = NULL;
  hn_status status = refuse_motion(m->sim, v);
  if (!status) status = hn_linear_work_create(&s, m);
  if (status) return status;
  status = hn_linear_evaluate(&s, t, q, v, still);
  if (!status) {
    hn_linear_bases(&s);
    // where states follow from the motion they are no unknowns
    *out = hn_linear_create(m->sys, s.n, s.k, m->sim->stage.work.rule ? 0 : m->sys->states);
    if (!*out) status = hn_sim_fail(m->sim, HN_ERR_MEMORY, "out of memory");
  }
  if (!status) {
    hn_linear *l = *out;
    l->rest = is_at_rest(m->sys, v);
    hn_linear_fill(&s, NULL, v, l);
    // what is left would be balanced within a displacement of 1e-8 of the model
    double f = s.force;
    for (int i = 0; i < l->m * l->n; i++) f = fmax(f, fabs(l->K[i]) * m->sys->length);
    l->equilibrium = l->rest && s.most <= 1e-8 * f && states_rest(m->sim, l);
  }
  hn_linear_work_release(&s);
  return status;
}

// a state at rest is one of statics: drivers stand still
// exact zeros: somebody put it to rest
static bool stands_still(const hn_sim *sim) {
  const double *v = sim->state.y + sim->sys->nq;
  bool still = true;
  for (int i = 0; i < sim->sys->nv; i++) still = still && v[i] == 0;
  return still;
}

hn_status hn_linearise_frozen(hn_sim *sim, hn_linear **out) {
  hn_manifold *m;
  *out = NULL;
  hn_status status = hn_refuse_programs(sim, "a linearisation");
  if (!status) status = hn_manifold_create_general(&m, sim);
  if (status) return status;
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
  status = hn_linearise_at(m, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq,
                           stands_still(sim), out);
  hn_manifold_destroy(m);
  return status;
}

// the body that begins to move at once
// for messages, from the accelerations last evaluated
static const char *pushed(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  int worst = 1;
  double most = -1;
  for (int i = 1; i < sys->bodies; i++)
    for (int k = 0; k < sys->body[i].nv; k++) {
      int c = sys->body[i].v0 + k;
      double a = fabs(sim->stage.a[c]) * (sys->angular_v[c] ? sys->length : 1);
      if (a > most) most = a, worst = i;
    }
  return sys->body[worst].info->name;
}

// ---- kinks and singular places ---------------------------------------------------------------

// largest difference of two state matrices, rates against the fastest, stiffness its square; states
// of first order are left out
double hn_linear_difference(const hn_linear *a, const hn_linear *b, double rate) {
  int n = a->n, size = a->n + a->m, stride = hn_linear_size(a);
  double fast = rate, apart = 0;
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      double x = fabs(a->A[(size_t)i * (size_t)stride + (size_t)k]);
      if (i >= n && k < n) x = sqrt(x);
      if (i >= n || k < n) fast = fmax(fast, x);
    }
  for (int i = 0; i < size && fast > 0; i++)
    for (int k = 0; k < size; k++) {
      size_t at = (size_t)i * (size_t)stride + (size_t)k;
      double unit = i >= n && k < n ? fast * fast : i < n && k >= n ? 1 : fast;
      apart = fmax(apart, fabs(a->A[at] - b->A[at]) / unit);
    }
  return apart;
}

// with forces held on one side
// forces look up work.side while it is there; nobody else may see it
static hn_status on_side(hn_manifold *m, const hn_sides *sides, int side, hn_linear **out) {
  hn_sim *sim = m->sim;
  const double *v = sim->state.y + sim->sys->nq;
  // held on that side as in a step of a run
  sim->stage.work.side = sides->pattern + (size_t)side * (size_t)sim->sys->switches;
  hn_status status = hn_linearise_at(m, sim->state.t, sim->state.y, v, stands_still(sim), out);
  sim->stage.work.side = NULL;
  if (!status) (*out)->sides = sides->count;
  return status;
}

// *out is replaced by what one of the sides says, where they differ at all
// Sides that only touch (abs(x)^3 at 0) have one linearisation: then the smooth one stays, and
// (*out)->sides with it.
static hn_status choose_side(hn_manifold *m, const hn_sides *sides, int side, hn_linear **out) {
  bool differ = false;
  hn_linear *chosen = NULL;
  hn_status status = HN_OK;
  for (int k = 0; k < sides->count && !status; k++) {
    hn_linear *l = NULL;
    status = on_side(m, sides, k, &l);
    if (status) break;
    differ |= hn_linear_difference(*out, l, 0) > 1e-9 || !l->equilibrium;
    if (k == side)
      chosen = l;
    else
      hn_linear_destroy(l);
  }
  if (!status && differ && chosen) {
    hn_linear_destroy(*out);
    *out = chosen;
    chosen = NULL;
  }
  hn_linear_destroy(chosen);
  return status;
}

// at an equilibrium; `why` says when nothing can be told
// three questions in order of cost: is it an equilibrium, does a force switch here, do joints lose
// rows here
static hn_status at_rest(hn_manifold *m, int side, hn_linear **out, char *why, size_t size) {
  hn_sim *sim = m->sim;
  const double *v = sim->state.y + sim->sys->nq;
  hn_sides sides;
  hn_status status = hn_linearise_at(m, sim->state.t, sim->state.y, v, stands_still(sim), out);
  if (status) return status;
  int lost = 0;
  if (!(*out)->equilibrium) {
    snprintf(why, size, "the forces do not balance at rest, body '%s' begins to move", pushed(sim));
  } else if (!hn_sides_find(&sides, m, sim->state.t, sim->state.y, v, m->Z, m->free, true)) {
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  } else {
    (*out)->sides = 1;
    if (sides.count > 1) status = choose_side(m, &sides, side, out);
    hn_sides_release(&sides);
    if (!status) lost = hn_rows_lost(m, sim->state.t, sim->state.y);
    if (lost)
      snprintf(why, size,
               "a singular place, joints lose rows in it that they have nearby, so that not all "
               "free directions are motions");
  }
  if (status || *why) {
    hn_linear_destroy(*out);
    *out = NULL;
  }
  return status;
}

hn_status hn_linearise(hn_sim *sim, hn_linear **out) {
  return hn_linearise_side(sim, 0, out);
}

hn_status hn_linearise_side(hn_sim *sim, int side, hn_linear **out) {
  const double *v = sim->state.y + sim->sys->nq;
  char why[256] = "";
  hn_manifold *m;
  *out = NULL;
  hn_status status = hn_refuse_programs(sim, "a linearisation");
  if (!status) status = refuse_motion(sim, v);
  if (!status) status = hn_manifold_create_general(&m, sim);
  if (status) return status;
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
  if (is_at_rest(sim->sys, v))
    status = at_rest(m, side, out, why, sizeof why);
  else if (sim->sys->states)
    snprintf(why, sizeof why, "with states of first order only an equilibrium can be told");
  else
    status = hn_linearise_steady(m, sim->state.t, sim->state.y, v, out, why, sizeof why);
  hn_manifold_destroy(m);
  if (status || *out) return status;
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "t=%.6g: neither an equilibrium nor a steady motion: %s. Eigenvalues of this "
                     "instant would not say how motions grow (use --frozen, hn_linearise_frozen to "
                     "see them; where a run led here, stiff parts want a smaller rtol)",
                     sim->state.t, why);
}
