// maggi_iteration.c: Maggi's equations with perturbation iteration (Tseng, Ma and Hulbert).
//
// The motion obeys Maggi's equations and its constraints on all three levels at the end of the
// step, multipliers being eliminated by the split of the coordinates (split.h):
//
//   P^T (M v' - f) = 0,   J v' = gamma,   J v + Phi_t = 0,   Phi(q, t) = 0
//   P^T W g = 0,   P^T W e = 0
//
// where e and g correct the positions and velocities of the closure (implicit.h) and W is the
// diagonal of M. An iteration solves for the accelerations first, positions and velocities
// following by the closure alone, and then perturbs the positions and the velocities back to the
// constraints, each by itself. In units of position, w = beta h^2 da,
//
//   [ P^T (k M - gamma h C - beta h^2 K T) ]       [ -beta h^2 P^T (M v' - f)   ]
//   [ J + 2 gamma h V / k                  ] w   = [ beta h^2 (gamma - J v') / k ]
//
//   [ P^T W ]        [ -P^T W e        ]           [ P^T W ]        [ -s P^T W g                ]
//   [ J T   ] dd   = [ -Phi - J T w    ],          [ J     ] du   = [ -s psi - J w - s V T d     ]
//
// with d = w + dd, u = w + du the changes of positions and of s times the velocities. What the
// perturbations do to the accelerations,
//
//   [ -beta h^2 P^T K T dd - gamma h P^T C du ]
//   [ 2 gamma h V / k du                      ],
//
// is small, of relative order h^2 and h. It is taken to the right-hand side, and the three are
// solved again a fixed number of times. Three matrices of the size of v take the place of one three
// times as large.
//
// F. C. Tseng, Z. D. Ma, G. M. Hulbert, Efficient numerical solution of constrained multibody
// dynamics systems (2003).
#include "integrators/implicit/split.h"
#include "linalg/dense.h"

#include <string.h>

enum { ACCELERATION, VELOCITY, POSITION, LEVELS };
enum { SWEEPS = 5 };

typedef struct data {
  hn_split_stepper o;
  double *A[LEVELS];  // nv x nv
  int *swap[LEVELS];
  double *by_d, *by_u;  // what perturbations do to the accelerations, nv x nv
  double *J;            // all rows, at the factors
  double speed;         // s
  double *b;            // right-hand side, 3 nv
} data;

static void layout(hn_implicit *s, hn_arena *arena, const hn_system *sys) {
  size_t n = (size_t)sys->nv;
  data *own = HN_TAKE(arena, data, 1), plan = {0};
  hn_split_stepper_layout(&plan.o, arena, sys);
  for (int i = 0; i < LEVELS; i++) {
    plan.A[i] = HN_TAKE(arena, double, n *n);
    plan.swap[i] = HN_TAKE(arena, int, n);
  }
  plan.by_d = HN_TAKE(arena, double, n *n);
  plan.by_u = HN_TAKE(arena, double, n *n);
  plan.b = HN_TAKE(arena, double, 3 * n);
  plan.J = HN_TAKE(arena, double, (size_t)sys->rows *n);
  if (!arena->base) return;
  *own = plan;
  s->extra = own;
}

// [P^T A; chosen rows of R, or zeros]
static void stack(hn_split *p, const double *A, const double *R, double *out) {
  size_t n = (size_t)p->n;
  hn_split_project_matrix(p, A, 1, out, p->n);
  out += (n - (size_t)p->m) * n;
  for (int i = 0; i < p->m; i++, out += n)
    if (R)
      memcpy(out, R + (size_t)p->row[i] * n, n * sizeof(double));
    else
      memset(out, 0, n * sizeof(double));
}

static bool factor(hn_sim *sim, hn_implicit *s) {
  data *own = s->extra;
  hn_split_stepper *o = &own->o;
  const hn_closure *c = &s->c;
  size_t n = (size_t)sim->sys->nv, wide = (size_t)sim->sys->rows * n;
  double k = (1 - c->am) / (1 - c->af);
  if (!hn_split_linearise(sim, s, o)) return false;
  own->speed = c->beta * s->h / c->gamma;
  memcpy(own->J, o->J, wide * sizeof(double));
  for (size_t i = 0; i < n * n; i++) o->C[i] -= k * o->M[i];
  for (size_t i = 0; i < wide; i++) o->V[i] *= 2 * c->gamma * s->h / k;
  stack(&o->all, o->K, NULL, own->by_d);
  stack(&o->all, o->C, o->V, own->by_u);
  for (size_t i = 0; i < n * n; i++) o->M[i] *= k;
  stack(&o->all, o->M, o->J, own->A[ACCELERATION]);
  for (size_t i = 0; i < n * n; i++) own->A[ACCELERATION][i] += own->by_d[i] + own->by_u[i];
  stack(&o->all, o->W, o->J, own->A[VELOCITY]);
  stack(o->holonomic, o->W, o->JT, own->A[POSITION]);
  for (int i = 0; i < LEVELS; i++)
    if (!hn_dense_lu((int)n, own->A[i], own->swap[i]) ||
        !(hn_split_rcond((int)n, own->A[i]) > 1e-15))
      return false;
  return true;
}

static void residual(hn_sim *sim, hn_implicit *s) {
  data *own = s->extra;
  hn_split_stepper *o = &own->o;
  const hn_closure *c = &s->c;
  int nv = sim->sys->nv, m = o->all.m, held = o->holonomic->m;
  double speed = c->beta * s->h / c->gamma;
  double acceleration = c->beta * s->h * s->h * (1 - c->af) / (1 - c->am);
  double *g = s->x + nv, *e = g + nv, *gamma = g - m, *psi = e - m, *phi = e + nv - held;
  hn_split_dynamics(sim, s, o, s->x);
  hn_split_weigh(o, &o->all, speed, s->g, g);
  hn_split_weigh(o, o->holonomic, 1, s->e, e);
  hn_jacobian_mul(&sim->stage.work, s->end->vdot, sim->room.r);
  for (int i = 0; i < m; i++) {
    int row = o->all.row[i];
    gamma[i] = acceleration * (sim->stage.work.gamma[row] - sim->room.r[row]);
    psi[i] = -speed * sim->stage.work.psi[row];
  }
  for (int i = 0; i < held; i++) phi[i] = -sim->stage.work.phi[o->holonomic->row[i]];
}

// x -= s R y for the rows chosen
static void subtract(const hn_split *p, const double *R, double s, const double *y, double *x) {
  for (int i = 0; i < p->m; i++) {
    const double *row = R + (size_t)p->row[i] * (size_t)p->n;
    double sum = 0;
    for (int j = 0; j < p->n; j++) sum += row[j] * y[j];
    x[i] -= s * sum;
  }
}

// x -= A (y - w)
static void take_perturbation(int n, const double *A, const double *y, const double *w, double *x) {
  for (int i = 0; i < n; i++, A += n) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[j] * (y[j] - w[j]);
    x[i] -= sum;
  }
}

static void solve(const hn_implicit *s) {
  const data *own = s->extra;
  const hn_split_stepper *o = &own->o;
  int nv = o->all.n;
  size_t bytes = (size_t)nv * sizeof(double);
  double *w = s->x, *u = w + nv, *d = u + nv, *next = o->z;
  memcpy(own->b, s->x, 3 * bytes);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    memcpy(next, own->b, bytes);
    if (sweep) {
      take_perturbation(nv, own->by_d, d, w, next);
      take_perturbation(nv, own->by_u, u, w, next);
    }
    memcpy(w, next, bytes);
    hn_dense_lu_solve(nv, own->A[ACCELERATION], own->swap[ACCELERATION], w);
    memcpy(d, own->b + 2 * nv, bytes);
    subtract(o->holonomic, o->JT, 1, w, d + nv - o->holonomic->m);
    hn_dense_lu_solve(nv, own->A[POSITION], own->swap[POSITION], d);
    for (int i = 0; i < nv; i++) d[i] += w[i];
    memcpy(u, own->b + nv, bytes);
    subtract(&o->all, own->J, 1, w, u + nv - o->all.m);
    subtract(&o->all, o->VT, own->speed, d, u + nv - o->all.m);
    hn_dense_lu_solve(nv, own->A[VELOCITY], own->swap[VELOCITY], u);
    for (int i = 0; i < nv; i++) u[i] += w[i];
  }
}

const hn_formulation hn_form_maggi = {
    .parts = "vvv",
    .layout = layout,
    .factor = factor,
    .solve = solve,
    .residual = residual,
    .update = hn_index1_update_motion,
};
