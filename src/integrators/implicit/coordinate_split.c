// coordinate_split.c: the coordinate-split alpha-method of Yen, Petzold and Raha: constraints on
// positions and velocities as in ggl.c, with both sets of multipliers eliminated by the split of
// the coordinates (split.h) at the end of the step,
//
//   P^T (M v' - f) = 0,   J v + Phi_t = 0,   P^T W e = 0,   Phi(q, t) = 0
//
// where e is the correction of the positions (implicit.h), W the diagonal of M, and the P of the
// third equation belongs to the holonomic rows. Unknowns, in units of position: w = beta h^2 da and
// the change of d. With the letters of ggl.c, and l for the multipliers that the split finds, the
// iteration matrix is dense,
//
//   [ P^T (k M - gamma h C)   -beta h^2 P^T K T ]   K = d(f + J^T l)/dq
//   [ J                        s V T            ]
//   [ -P^T W                   P^T W            ]
//   [ 0                        J T              ]
//
// The first line is exact: P moves with the positions, which the multipliers in K account for. In
// the third line P is held: e is of order h^3.
#include "integrators/implicit/split.h"
#include "linalg/dense.h"

#include <string.h>

typedef struct data {
  hn_split_stepper o;
  double *A;  // 2 nv x 2 nv
  int *swap;
} data;

static void layout(hn_implicit *s, hn_arena *arena, const hn_system *sys) {
  size_t n = 2 * (size_t)sys->nv;
  data *own = HN_TAKE(arena, data, 1), plan = {0};
  hn_split_stepper_layout(&plan.o, arena, sys);
  plan.A = HN_TAKE(arena, double, n *n);
  plan.swap = HN_TAKE(arena, int, n);
  if (!arena->base) return;
  *own = plan;
  s->extra = own;
}

static bool factor(hn_sim *sim, hn_implicit *s) {
  data *own = s->extra;
  hn_split_stepper *o = &own->o;
  int nv = sim->sys->nv, n = 2 * nv;
  size_t width = (size_t)n, half = (size_t)nv;
  double speed = s->c.beta * s->h / s->c.gamma, *A = own->A;
  if (!hn_split_linearise(sim, s, o)) return false;
  memset(A, 0, width * width * sizeof(double));
  hn_split_project_matrix(&o->all, o->C, 1, A, n);
  hn_split_project_matrix(&o->all, o->K, 1, A + nv, n);
  A += (half - (size_t)o->all.m) * width;
  for (int i = 0; i < o->all.m; i++, A += n) {
    const double *VT = o->VT + (size_t)o->all.row[i] * half;
    memcpy(A, o->J + (size_t)o->all.row[i] * half, half * sizeof(double));
    for (int j = 0; j < nv; j++) A[nv + j] = speed * VT[j];
  }
  hn_split_project_matrix(o->holonomic, o->W, 1, A + nv, n);
  for (int i = o->holonomic->m; i < nv; i++, A += n)
    for (int j = 0; j < nv; j++) A[j] = -A[nv + j];
  for (int i = 0; i < o->holonomic->m; i++, A += n)
    memcpy(A + nv, o->JT + (size_t)o->holonomic->row[i] * half, half * sizeof(double));
  return hn_dense_lu(n, own->A, own->swap) && hn_split_rcond(n, own->A) > 1e-15;
}

static void residual(hn_sim *sim, hn_implicit *s) {
  data *own = s->extra;
  hn_split_stepper *o = &own->o;
  int nv = sim->sys->nv;
  double speed = s->c.beta * s->h / s->c.gamma;
  double *psi = s->x + nv - o->all.m, *e = s->x + nv, *phi = e + nv - o->holonomic->m;
  hn_split_dynamics(sim, s, o, s->x);
  for (int i = 0; i < o->all.m; i++) psi[i] = -speed * sim->stage.work.psi[o->all.row[i]];
  hn_split_weigh(o, o->holonomic, 1, s->e, e);
  for (int i = 0; i < o->holonomic->m; i++) phi[i] = -sim->stage.work.phi[o->holonomic->row[i]];
}

static void solve(const hn_implicit *s) {
  const data *own = s->extra;
  hn_dense_lu_solve(2 * own->o.all.n, own->A, own->swap, s->x);
}

static void update(hn_sim *sim, hn_implicit *s) {
  int nv = sim->sys->nv;
  double scale = 1 / (s->c.beta * s->h * s->h), *w = s->x, *d = w + nv;
  for (int i = 0; i < nv; i++) {
    s->end->a[i] += scale * w[i];
    s->e[i] += d[i] - w[i];
    // both count when convergence is judged
    if (fabs(d[i]) > fabs(w[i])) w[i] = d[i];
  }
}

const hn_formulation hn_form_coordinate_split = {
    .parts = "vv",
    .layout = layout,
    .factor = factor,
    .solve = solve,
    .residual = residual,
    .update = update,
};
