// linearise.c: small motions about a state, on the constraint manifold.
//
// A displacement d (velocity coordinates, q <- q0 (+) d) and a change of velocity dv obey
//   J_h d = 0,   J dv + B d = 0 with B = d(J v)/dq,
//   M da = (F_q + d(J^T lambda)/dq) d + F_v dv + J^T dlambda,
//   d' = dv - W d / 2,   W d = w x d for rotations: d counts in axes that turn.
// With bases Z of ker J_h and U of ker J, Z^T M Z = U^T M U = 1, and the chart d = Z z,
// u = U^T M dv, the part of dv outside ker J is -N B d, N the mass-weighted inverse of J. It and
// J^T dlambda drop out under U^T, so no derivative of gamma is needed:
//   z' = Z^T M U u - Z^T M (N B + W/2) Z z
//   u' = U^T (F_q + d(J^T lambda)/dq - F_v N B) Z z + U^T F_v U u = -K z - C u.
// At rest B = W = 0. All derivatives are analytic.
#include "analysis/linear.h"

#include "analysis/manifold.h"

#include <stdlib.h>
#include <string.h>

// the public struct and its memory
typedef struct owned {
  hn_linear linear;
  hn_arena arena;
} owned;

void hn_linear_destroy(hn_linear *linear) {
  if (!linear) return;
  free(((owned *)linear)->arena.base);
  free(linear);
}

// work space of one linearisation
typedef struct scratch {
  double *F, *C;      // nv x nv: derivatives of all forces by q and v
  double *V, *slip;   // B in the layout of J, rows
  double *Z, *U, *N;  // vectors after each other: bases, and -N B Z
} scratch;

static void scratch_layout(scratch *s, hn_arena *arena, const hn_system *sys) {
  size_t nv = (size_t)sys->nv, square = nv * nv;
  s->F = HN_TAKE(arena, double, square);
  s->C = HN_TAKE(arena, double, square);
  s->Z = HN_TAKE(arena, double, square);
  s->U = HN_TAKE(arena, double, square);
  s->N = HN_TAKE(arena, double, square);
  s->V = HN_TAKE(arena, double, sys->j_size);
  s->slip = HN_TAKE(arena, double, sys->rows);
}

// s->N = -N B Z, vector after vector
static void moving_part(hn_manifold *m, scratch *s, int n) {
  const hn_system *sys = m->sys;
  hn_work turned = m->sim->work;
  turned.J = s->V;
  hn_velocity_tangent(&m->sim->work, s->V);
  for (int k = 0; k < n; k++) {
    hn_jacobian_mul(&turned, s->Z + (size_t)k * (size_t)sys->nv, s->slip);
    for (int i = 0; i < sys->rows; i++) s->slip[i] = -s->slip[i];
    hn_manifold_pull(m, s->slip, s->N + (size_t)k * (size_t)sys->nv);
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

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// x^T M y
static double mass_dot(const hn_system *sys, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < sys->nv; i++) sum += sys->mass[i] * x[i] * y[i];
  return sum;
}

// W d / 2: rotations of spatial bodies count in turning axes
static void half_turn(const hn_system *sys, const double *v, const double *d, double *out) {
  memset(out, 0, (size_t)sys->nv * sizeof(double));
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind != HN_SPATIAL) continue;
    v3_cross(out + b->v0 + 3, v + b->v0 + 3, d + b->v0 + 3);
    v3_scale(out + b->v0 + 3, 0.5, out + b->v0 + 3);
  }
}

static void columns(double *out, const double *vectors, int nv, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < nv; i++)
      out[(size_t)i * (size_t)n + (size_t)k] = vectors[(size_t)k * (size_t)nv + (size_t)i];
}

static bool is_conservative(const hn_linear *l) {
  if (l->n != l->m || !l->rest) return false;
  size_t n = (size_t)l->n;
  double most = 0, skew = 0, damping = 0;
  for (size_t i = 0; i < n * n; i++) {
    most = fmax(most, fabs(l->K[i]));
    skew = fmax(skew, fabs(l->K[i] - l->K[i % n * n + i / n]));
    damping = fmax(damping, fabs(l->C[i]));
  }
  return skew <= 1e-10 * most && damping <= 1e-12 * sqrt(most);
}

static void fill(hn_manifold *m, scratch *s, hn_linear *l, const double *v) {
  const hn_system *sys = m->sys;
  int n = l->n, k = l->m, nv = sys->nv, size = n + k;
  double *A = (double *)l->A, *K = (double *)l->K, *C = (double *)l->C;
  columns((double *)l->Z, s->Z, nv, n);
  columns((double *)l->U, s->U, nv, k);
  memset(s->N, 0, (size_t)nv * (size_t)nv * sizeof(double));
  if (!l->rest) moving_part(m, s, n);
  for (int j = 0; j < n; j++) {
    const double *z = s->Z + (size_t)j * (size_t)nv, *drift = s->N + (size_t)j * (size_t)nv;
    // forces: F z + C drift
    multiply(nv, s->F, z, m->x);
    multiply(nv, s->C, drift, m->y);
    for (int i = 0; i < nv; i++) m->x[i] += m->y[i];
    for (int i = 0; i < k; i++) {
      double f = dot(nv, s->U + (size_t)i * (size_t)nv, m->x);
      K[i * n + j] = -f;
      A[(size_t)(n + i) * (size_t)size + (size_t)j] = f;
    }
    half_turn(sys, v, z, m->y);
    for (int i = 0; i < nv; i++) m->y[i] = drift[i] - m->y[i];
    for (int i = 0; i < n; i++)
      A[(size_t)i * (size_t)size + (size_t)j] = mass_dot(sys, s->Z + (size_t)i * (size_t)nv, m->y);
  }
  for (int j = 0; j < k; j++) {
    const double *u = s->U + (size_t)j * (size_t)nv;
    multiply(nv, s->C, u, m->x);
    for (int i = 0; i < k; i++) {
      double f = dot(nv, s->U + (size_t)i * (size_t)nv, m->x);
      C[i * k + j] = -f;
      A[(size_t)(n + i) * (size_t)size + (size_t)(n + j)] = f;
    }
    for (int i = 0; i < n; i++)
      A[(size_t)i * (size_t)size + (size_t)(n + j)] =
          mass_dot(sys, s->Z + (size_t)i * (size_t)nv, u);
  }
  l->conservative = is_conservative(l);
}

static owned *create(int nv, int n, int m) {
  owned *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  size_t N = (size_t)n, K = (size_t)m, size_z = (size_t)nv * N, size_u = (size_t)nv * K;
  size_t size_k = K * N, size_c = K * K;
  for (int pass = 0; pass < 2; pass++) {
    o->linear.Z = HN_TAKE(&o->arena, double, size_z);
    o->linear.U = HN_TAKE(&o->arena, double, size_u);
    o->linear.A = HN_TAKE(&o->arena, double, (N + K) * (N + K));
    o->linear.K = HN_TAKE(&o->arena, double, size_k);
    o->linear.C = HN_TAKE(&o->arena, double, size_c);
    if (pass == 0 && !hn_arena_allocate(&o->arena)) {
      free(o);
      return NULL;
    }
  }
  o->linear.nv = nv, o->linear.n = n, o->linear.m = m;
  return o;
}

hn_status hn_linearise_at(hn_manifold *m, double t, const double *q, const double *v, bool still,
                          hn_linear **out) {
  hn_sim *sim = m->sim;
  const hn_system *sys = m->sys;
  *out = NULL;
  double speed = 0;
  for (int i = 0; i < sys->nv; i++)
    speed = fmax(speed, fabs(v[i]) * (sys->angular_v[i] ? sys->length : 1));
  // speeds of round-off do not count
  bool rest = speed <= 1e-13 * sys->length;
  if (!rest && sys->reactive)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "Coulomb friction in motion cannot be linearised: it follows reactions");
  hn_status status = hn_manifold_accelerate(m, t, q, v, still);
  if (status) return status;
  double a = 0, f = 0;
  for (int i = 0; i < sys->nv; i++) {
    double length = sys->angular_v[i] ? sys->length : 1;
    a = fmax(a, fabs(sim->a[i]) * length);
    f = fmax(f, fabs(sim->work.r[i]) / sys->mass[i] * length);
  }
  scratch s = {0};
  hn_arena arena = {0};
  scratch_layout(&s, &arena, sys);
  if (!hn_arena_allocate(&arena)) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  scratch_layout(&s, &arena, sys);
  hn_tangent tangent = {.n = sys->nv, .K = s.F, .C = s.C};
  hn_force_tangent(&sim->work, &tangent);
  hn_constraint_tangent(&sim->work, sim->work.lambda, &tangent);
  size_t nv = (size_t)sys->nv;
  hn_manifold_factor(m, true);
  int n = m->free;
  memcpy(s.Z, m->Z, (size_t)n * nv * sizeof(double));
  hn_manifold_factor(m, false);
  // the same basis where there are only positions
  memcpy(s.U, m->Z, (size_t)m->free * nv * sizeof(double));
  owned *o = create(sys->nv, n, m->free);
  if (o) {
    o->linear.rest = rest;
    fill(m, &s, &o->linear, v);
    // what is left would be balanced within a displacement of 1e-8 of the model
    for (int i = 0; i < o->linear.m * n; i++) f = fmax(f, fabs(o->linear.K[i]) * sys->length);
    o->linear.equilibrium = rest && a <= 1e-8 * f;
    *out = &o->linear;
  }
  free(arena.base);
  return o ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

hn_status hn_linearise(hn_sim *sim, hn_linear **out) {
  hn_manifold *m;
  *out = NULL;
  hn_status status = hn_refuse_programs(sim, "a linearisation");
  if (!status) status = hn_manifold_create(&m, sim);
  if (status) return status;
  // a state at rest is one of statics: drivers stand still
  const double *v = sim->y + sim->sys->nq;
  bool still = true;
  for (int i = 0; i < sim->sys->nv; i++) still = still && v[i] == 0;
  status = hn_linearise_at(m, sim->t, sim->y, v, still, out);
  hn_manifold_destroy(m);
  return status;
}
