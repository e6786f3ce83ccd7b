// split.c: see split.h.
#include "integrators/implicit/split.h"

#include "linalg/dense.h"

#include <string.h>

static const double rank_tolerance = 1e-9;

// ---- the projector ---------------------------------------------------------------------------

void hn_split_layout(hn_split *p, hn_arena *arena, const hn_system *sys) {
  size_t m = (size_t)(sys->rows < sys->nv ? sys->rows : sys->nv);
  p->n = sys->nv;
  p->row = HN_TAKE(arena, int, sys->rows);
  p->coordinate = HN_TAKE(arena, int, sys->nv);
  p->S = HN_TAKE(arena, double, m *m);
  p->swap = HN_TAKE(arena, int, m);
  p->lambda = HN_TAKE(arena, double, m);
  p->P = HN_TAKE(arena, double, (size_t)sys->nv *(size_t)sys->nv);
  hn_lu_layout(&p->choice, arena, sys->rows, sys->nv);
}

void hn_split_choose(hn_split *p, const hn_system *sys, const double *J, const double *keep) {
  int kept = 0;
  for (int i = 0; i < sys->rows; i++) {
    double *a = p->choice.a + (size_t)i * (size_t)p->n;
    const double *row = J + (size_t)i * (size_t)p->n;
    kept += keep[i] > 0;
    // lengths and radians in proportion to the model
    for (int j = 0; j < p->n; j++)
      a[j] = keep[i] > 0 ? row[j] * (sys->angular_v[j] ? 1 : sys->length) : 0;
  }
  // of rows that depend on each other only independent ones get a pivot
  hn_lu_factor(&p->choice, rank_tolerance, kept);
  p->m = p->choice.rank;
  memcpy(p->row, p->choice.row, (size_t)sys->rows * sizeof(int));
  memcpy(p->coordinate, p->choice.col, (size_t)p->n * sizeof(int));
}

bool hn_split_at(hn_split *p, const double *J) {
  int m = p->m;
  p->J = J;
  for (int i = 0; i < m; i++) {
    const double *row = J + (size_t)p->row[i] * (size_t)p->n;
    for (int j = 0; j < m; j++) p->S[(size_t)j * (size_t)m + (size_t)i] = row[p->coordinate[j]];
  }
  return hn_dense_lu(m, p->S, p->swap);
}

void hn_split_project(hn_split *p, const double *r, double *out) {
  int m = p->m, n = p->n;
  bool any = false;
  for (int j = 0; j < m; j++) {
    p->lambda[j] = r[p->coordinate[j]];
    any |= p->lambda[j] != 0;
  }
  for (int j = m; j < n; j++) out[j - m] = r[p->coordinate[j]];
  // nothing acts on Y: no multipliers
  if (!any) return;
  hn_dense_lu_solve(m, p->S, p->swap, p->lambda);
  for (int i = 0; i < m; i++) {
    const double *row = p->J + (size_t)p->row[i] * (size_t)n;
    for (int j = m; j < n; j++) out[j - m] -= row[p->coordinate[j]] * p->lambda[i];
  }
}

void hn_split_write_out(hn_split *p) {
  int m = p->m, n = p->n, free = n - m;
  memset(p->P, 0, (size_t)n * (size_t)free * sizeof(double));
  // column x of P: one for its own coordinate, and what Y answers to it
  for (int x = 0; x < free; x++) {
    int column = p->coordinate[m + x];
    p->P[column * free + x] = 1;
    for (int i = 0; i < m; i++) p->lambda[i] = p->J[p->row[i] * n + column];
    hn_dense_lu_solve_transposed(m, p->S, p->swap, p->lambda);
    for (int i = 0; i < m; i++) p->P[p->coordinate[i] * free + x] = -p->lambda[i];
  }
}

void hn_split_project_matrix(const hn_split *p, const double *A, double s, double *B, int width) {
  int n = p->n, free = n - p->m;
  for (int x = 0; x < free; x++)
    memset(B + (size_t)x * (size_t)width, 0, (size_t)n * sizeof(double));
  // A is mostly zeros
  for (int i = 0; i < n; i++, A += n)
    for (int c = 0; c < n; c++)
      for (int x = 0; x < free && A[c] != 0; x++)
        B[(size_t)x * (size_t)width + (size_t)c] += s * p->P[i * free + x] * A[c];
}

// ---- what the steppers share -----------------------------------------------------------------

void hn_split_stepper_layout(hn_split_stepper *o, hn_arena *arena, const hn_system *sys) {
  size_t square = (size_t)sys->nv * (size_t)sys->nv, wide = (size_t)sys->rows * (size_t)sys->nv;
  hn_split_layout(&o->all, arena, sys);
  hn_split_layout(&o->positions, arena, sys);
  double **const of_rows[] = {&o->J, &o->JT, &o->V, &o->VT};
  for (int i = 0; i < 4; i++) *of_rows[i] = HN_TAKE(arena, double, wide);
  double **const of_v[] = {&o->M, &o->C, &o->K, &o->W};
  for (int i = 0; i < 4; i++) *of_v[i] = HN_TAKE(arena, double, square);
  o->r = HN_TAKE(arena, double, sys->nv);
  o->z = HN_TAKE(arena, double, sys->nv);
  if (!arena->base) return;
  // corrections are weighed by the constant diagonal of M, also where M itself varies
  for (int i = 0; i < sys->nv; i++) o->W[(size_t)i * (size_t)sys->nv + (size_t)i] = sys->mass[i];
}

// rows in the layout of work->J
static void dense_rows(hn_work *work, double *rows, double *out) {
  double *J = work->J;
  work->J = rows;
  hn_jacobian_dense(work, out);
  work->J = J;
}

// the columns of K that turn a body are multiplied by its T
static void turn_columns(const hn_system *sys, const double *turn, double *K) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind != HN_SPATIAL) continue;
    for (int r = 0; r < sys->nv; r++) {
      double x[3], *at = K + (size_t)r * (size_t)sys->nv + b->v0 + 3;
      // a row times T is T^T times the row
      m3_tmulv(x, turn + 9 * i, at);
      v3_copy(at, x);
    }
  }
}

static void mass_matrix(const hn_work *work, double *M) {
  const hn_system *sys = work->sys;
  const hn_mass_entries *e = sys->mass_entries;
  size_t n = (size_t)sys->nv;
  memset(M, 0, n * n * sizeof(double));
  for (size_t i = 0; !e && i < n; i++) M[i * n + i] = sys->mass[i];
  for (int i = 0; e && i < e->count; i++)
    M[(size_t)e->row[i] * n + (size_t)e->col[i]] += work->mass_values[i];
}

static void tangents(hn_sim *sim, hn_implicit *s, hn_split_stepper *o) {
  const hn_system *sys = sim->sys;
  const hn_closure *c = &s->c;
  size_t square = (size_t)sys->nv * (size_t)sys->nv;
  double h = s->h, k = (1 - c->am) / (1 - c->af);
  hn_tangent tangent = {.n = sys->nv, .K = o->K, .C = o->C};
  memset(o->K, 0, square * sizeof(double));
  memset(o->C, 0, square * sizeof(double));
  hn_force_tangent(&sim->stage.work, &tangent);
  // the motion of P with the positions
  if (sim->opt.split_iteration[0] == 'f')
    hn_constraint_tangent(&sim->stage.work, s->end->lambda, &tangent);
  hn_mass_tangent(&sim->stage.work, s->end->vdot, &tangent);
  turn_columns(sys, s->turn, o->K);
  mass_matrix(&sim->stage.work, o->M);
  for (size_t i = 0; i < square; i++) {
    o->K[i] *= -c->beta * h * h;
    o->C[i] = k * o->M[i] - c->gamma * h * o->C[i];
  }
}

// multipliers at the iterate last evaluated
static void multipliers(hn_sim *sim, hn_implicit *s, hn_split_stepper *o) {
  hn_mass_mul(&sim->stage.work, s->end->vdot, o->r);
  for (int i = 0; i < sim->sys->nv; i++) o->r[i] -= sim->stage.work.r[i];
  hn_split_project(&o->all, o->r, o->z);
  memset(s->end->lambda, 0, (size_t)sim->sys->rows * sizeof(double));
  for (int i = 0; i < o->all.m; i++) s->end->lambda[o->all.row[i]] = o->all.lambda[i];
}

bool hn_split_linearise(hn_sim *sim, hn_implicit *s, hn_split_stepper *o) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  double *keep = sim->room.r2;
  hn_jacobian_dense(work, o->J);
  o->holonomic = &o->all;
  for (int i = 0; i < sys->rows; i++) {
    keep[i] = sys->holonomic[i] ? s->kept[i] : 0;
    if (!sys->holonomic[i]) o->holonomic = &o->positions;
  }
  hn_split_choose(&o->all, sys, o->J, s->kept);
  if (!hn_split_at(&o->all, o->J)) return false;
  if (o->holonomic != &o->all) {
    hn_split_choose(o->holonomic, sys, o->J, keep);
    if (!hn_split_at(o->holonomic, o->J)) return false;
    hn_split_write_out(o->holonomic);
  }
  hn_split_write_out(&o->all);
  multipliers(sim, s, o);
  hn_newton_turns(sys, s->d, s->turn);
  tangents(sim, s, o);
  hn_velocity_tangent(work, s->V);
  dense_rows(work, s->V, o->V);
  hn_newton_turn_rows(sys, s->V, s->turn, s->rows);
  dense_rows(work, s->rows, o->VT);
  hn_newton_turn_rows(sys, work->J, s->turn, s->rows);
  dense_rows(work, s->rows, o->JT);
  return true;
}

void hn_split_dynamics(hn_sim *sim, hn_implicit *s, hn_split_stepper *o, double *x) {
  double scale = -s->c.beta * s->h * s->h;
  hn_jacobian_dense(&sim->stage.work, o->J);
  // a split that fails here leaves numbers that are not finite, and the iteration starts anew
  (void)hn_split_at(&o->all, o->J);
  if (o->holonomic != &o->all) (void)hn_split_at(o->holonomic, o->J);
  multipliers(sim, s, o);
  for (int i = 0; i < o->all.n - o->all.m; i++) x[i] = scale * o->z[i];
}

void hn_split_weigh(hn_split_stepper *o, hn_split *p, double s, const double *y, double *x) {
  size_t n = (size_t)p->n;
  for (size_t i = 0; i < n; i++) o->r[i] = -s * o->W[i * n + i] * y[i];
  hn_split_project(p, o->r, x);
}

double hn_split_rcond(int n, const double *LU) {
  double least = INFINITY, most = 0;
  for (int i = 0; i < n; i++) {
    double pivot = fabs(LU[(size_t)i * (size_t)n + (size_t)i]);
    if (!(pivot >= least)) least = pivot;
    most = fmax(most, pivot);
  }
  return most > 0 ? least / most : 0;
}
