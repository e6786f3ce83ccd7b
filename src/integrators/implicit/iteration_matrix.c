// iteration_matrix.c: assembles and solves the system of iteration_matrix.h.
#include "integrators/implicit/iteration_matrix.h"

#include "base/elementary.h"
#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

// the unknowns of these bodies are velocities in body axes
static bool turns(const hn_system *sys, int body) {
  return !sys->coordinates->flat && sys->body[body].kind == HN_SPATIAL;
}

// mass matrices that are no diagonal have entries between bodies that no force or row joins
static bool is_dense(const hn_system *sys) {
  return sys->mass_entries;
}

void hn_iteration_layout(hn_iteration *it, hn_arena *arena, const hn_system *sys) {
  size_t n = (size_t)sys->nv + (size_t)sys->rows, nv = (size_t)sys->nv;
  it->n = (int)n;
  it->b = HN_TAKE(arena, double, n);
  it->turn = HN_TAKE(arena, double, 9 * sys->bodies);
  it->D = HN_TAKE(arena, double, hn_newton_row_numbers(sys));
  it->J = HN_TAKE(arena, double, sys->j_size);
  it->keep = HN_TAKE(arena, double, sys->rows);
  if (!is_dense(sys)) return;
  it->A = HN_TAKE(arena, double, n *n);
  it->swap = HN_TAKE(arena, int, n);
  it->tangent.n = sys->nv;
  it->tangent.K = HN_TAKE(arena, double, nv *nv);
  it->tangent.C = HN_TAKE(arena, double, nv *nv);
  it->row = HN_TAKE(arena, int, sys->numbers);
  it->column = HN_TAKE(arena, int, sys->numbers);
  if (arena->base) sys->coordinates->pattern(sys, it->row, it->column);
}

// ---- sparse ----------------------------------------------------------------------------------

// hands a block on to the matrix and keeps it when it belongs to K. How many blocks come depends on
// the state (a force that is off has fewer); which pairs of bodies they belong to does not
static void tap(hn_tangent *tangent, const hn_system *sys, int which, int i, int j, double s,
                const double block[36]) {
  hn_iteration *it = tangent->user;
  if (which == HN_TANGENT_K) {
    // several forces may act between a pair: blocks add up
    hn_iteration_block *to = &it->block[hn_newton_pair(it->newton, i, j)];
    to->i = i, to->j = j;
    for (int k = 0; k < 36; k++) to->value[k] += s * block[k];
  }
  hn_tangent *on = &it->target.tangent;
  on->add(on, sys, which, i, j, s, block);
}

static void tangents(hn_iteration *it, hn_work *work, const double *lambda) {
  // K is kept for products (hn_iteration_stiffness): the sparse matrix holds K and C together
  hn_tangent tangent = {.add = tap, .user = it};
  memset(it->block, 0, (size_t)it->blocks * sizeof *it->block);
  hn_force_tangent(work, &tangent);
  hn_constraint_tangent(work, lambda, &tangent);
}

// D without the rows that are left out, which have 1 on the diagonal
static void put_rows(hn_iteration *it, const hn_system *sys) {
  double *D = it->D + sys->rows;
  for (int i = 0; i < sys->rows; i++)
    if (!(it->keep[i] > 0)) it->D[i] = 1;
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    for (int x = 0; x < c->rows * c->rows; x++, D++)
      // a coupling with a row that is left out is none
      *D *= it->keep[c->row[x / c->rows]] * it->keep[c->row[x % c->rows]];
  }
  hn_newton_rows(it->newton, 1, 1, it->D);
}

static bool factor_sparse(hn_iteration *it, hn_work *work, const double *lambda, double c, double k,
                          hn_iteration_rows rows) {
  const hn_system *sys = work->sys;
  const double *J = work->J;
  if (rows == HN_ROWS_POSITION) {
    hn_newton_turn_rows(sys, work->J, it->turn, it->J);
    J = it->J;
  }
  hn_newton_clear(it->newton);
  hn_newton_diagonal(it->newton, 0, 0, sys->mass, 1);
  hn_newton_tangent(it->newton, 0, 0, -k, -c, it->turn, &it->target);
  tangents(it, work, lambda);
  hn_newton_jacobian(it->newton, 0, 1, work->J, -1, it->keep);
  hn_newton_jacobian(it->newton, 1, 0, J, 1, it->keep);
  put_rows(it, sys);
  return hn_sparse_factor(hn_newton_matrix(it->newton));
}

bool hn_iteration_create(hn_iteration *it, hn_sim *sim) {
  static const hn_cell cells[] = {HN_CELL_BODIES, HN_CELL_JT, HN_CELL_J, HN_CELL_ROWS};
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  if (is_dense(sys)) return true;
  hn_eval_all(work, 0, sys->q0, sys->v0);
  it->newton = hn_newton_create(work, "vr", cells);
  if (!it->newton) return false;
  it->blocks = hn_newton_pairs(it->newton);
  it->block = calloc((size_t)it->blocks + 1, sizeof *it->block);
  if (!it->block) return false;
  // pivots are chosen here, where memory may be taken
  for (int i = 0; i < sys->bodies; i++) m3_identity(it->turn + 9 * i);
  for (int i = 0; i < sys->rows; i++) it->keep[i] = sim->rows.D && sim->rows.D[i] > 0 ? 0 : 1;
  (void)factor_sparse(it, work, it->keep, 0, 0, HN_ROWS_POSITION);
  return true;
}

void hn_iteration_outside(hn_iteration *it, hn_outside *o) {
  if (!it->newton) return;
  o->sparse(o, hn_newton_matrix(it->newton));
  o->bytes(o, it->block, (size_t)it->blocks * sizeof *it->block);
}

void hn_iteration_release(hn_iteration *it) {
  hn_newton_destroy(it->newton);
  free(it->block);
  it->newton = NULL;
  it->block = NULL;
}

// y += s K x
static void multiply(const hn_iteration *it, const hn_system *sys, const double *x, double s,
                     double *y) {
  for (int n = 0; n < it->blocks; n++) {
    const hn_iteration_block *block = &it->block[n];
    const hn_sys_body *a = &sys->body[block->i], *b = &sys->body[block->j];
    const int *row = hn_twist_columns(a->kind), *column = hn_twist_columns(b->kind);
    for (int r = 0; r < a->nv; r++)
      for (int c = 0; c < b->nv; c++)
        y[a->v0 + r] += s * block->value[6 * row[r] + column[c]] * x[b->v0 + c];
  }
}

// ---- how unknowns turn bodies ------------------------------------------------------------------

// the derivative of exp(d) in body axes:
// 1 - (1 - cos a)/a^2 [d] + (a - sin a)/a^3 [d]^2, a = |d|
void hn_iteration_increments(hn_iteration *it, const hn_system *sys, const double *d) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (!turns(sys, i)) continue;
    const double *u = d + b->v0 + 3;
    double a2 = v3_dot(u, u), a = sqrt(a2), *T = it->turn + 9 * i, X[9], XX[9];
    // series where differences would lose their digits
    double s = a > 1e-3 ? (1 - hn_cos(a)) / a2 : 0.5 - a2 / 24;
    double c = a > 1e-2 ? (a - hn_sin(a)) / (a2 * a) : 1.0 / 6 - a2 / 120;
    m3_skew(X, u);
    m3_mul(XX, X, X);
    m3_identity(T);
    for (int k = 0; k < 9; k++) T[k] += c * XX[k] - s * X[k];
  }
}

// (1 + [u])^-1 = (1 + u u^T - [u]) / (1 + u^2)
void hn_iteration_rates(hn_iteration *it, const hn_system *sys, const double *v, double s) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (!turns(sys, i)) continue;
    double u[3], X[9], *T = it->turn + 9 * i;
    v3_scale(u, s, v + b->v0 + 3);
    m3_skew(X, u);
    double part = 1 / (1 + v3_dot(u, u));
    m3_identity(T);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) T[3 * r + c] = part * (T[3 * r + c] + u[r] * u[c] - X[3 * r + c]);
  }
}

void hn_iteration_turn(const hn_iteration *it, const hn_system *sys, double *x) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (!turns(sys, i)) continue;
    double y[3], *at = x + b->v0 + 3;
    m3_mulv(y, it->turn + 9 * i, at);
    v3_copy(at, y);
  }
}

void hn_iteration_stiffness(const hn_iteration *it, const hn_system *sys, const double *x, double s,
                            double *y) {
  size_t nv = (size_t)sys->nv;
  if (it->newton) {
    memcpy(it->b, x, nv * sizeof(double));
    hn_iteration_turn(it, sys, it->b);
    multiply(it, sys, it->b, s, y);
    return;
  }
  for (size_t i = 0; i < nv; i++) {
    const double *K = it->tangent.K + i * nv;  // T is in it already
    for (size_t j = 0; j < nv; j++) y[i] += s * K[j] * x[j];
  }
}

void hn_iteration_diagonal(hn_iteration *it, const hn_system *sys, const double *D) {
  int count = hn_newton_row_numbers(sys);
  // couplings have no compliance here
  for (int i = 0; i < count; i++) it->D[i] = D && i < sys->rows ? D[i] : 0;
}

// ---- dense -------------------------------------------------------------------------------------

// the three columns of row[] that turn a body are multiplied by its T
static void turn_columns(const hn_iteration *it, const hn_system *sys, double *row) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (!turns(sys, i)) continue;
    double x[3], *at = row + b->v0 + 3;
    // a row times T is T^T times the row
    m3_tmulv(x, it->turn + 9 * i, at);
    v3_copy(at, x);
  }
}

// constant, or as last evaluated where it depends on the state
static void put_mass(hn_iteration *it, const hn_work *work) {
  const hn_system *sys = work->sys;
  const hn_mass_entries *m = sys->mass_entries;
  size_t n = (size_t)it->n;
  for (size_t i = 0; !m && i < (size_t)sys->nv; i++) it->A[i * n + i] += sys->mass[i];
  for (int i = 0; m && i < m->count; i++)
    it->A[(size_t)m->row[i] * n + (size_t)m->col[i]] += work->mass_values[i];
}

static void put_dynamics(hn_iteration *it, const hn_work *work, double c, double k) {
  const hn_system *sys = work->sys;
  int nv = sys->nv, n = it->n;
  for (int i = 0; i < nv; i++) {
    double *row = it->A + (size_t)i * (size_t)n, *K = it->tangent.K + (size_t)i * (size_t)nv;
    const double *C = it->tangent.C + (size_t)i * (size_t)nv;
    turn_columns(it, sys, K);
    for (int j = 0; j < nv; j++) row[j] = -c * C[j] - k * K[j];
  }
  put_mass(it, work);
}

// the Jacobian in both places
static void put_jacobian(hn_iteration *it, const hn_work *work, hn_iteration_rows kind,
                         const double *out) {
  const hn_system *sys = work->sys;
  size_t n = (size_t)it->n, nv = (size_t)sys->nv;
  for (int k = 0; k < sys->numbers; k++) {
    if (out && out[it->row[k]] > 0) continue;
    size_t row = nv + (size_t)it->row[k], column = (size_t)it->column[k];
    it->A[row * n + column] = work->numbers[k];
    it->A[column * n + row] = -work->numbers[k];
  }
  // rows of velocities are not turned: they meet the unknown as it is
  for (int i = 0; kind == HN_ROWS_POSITION && i < sys->rows; i++)
    turn_columns(it, sys, it->A + (nv + (size_t)i) * n);
}

static void put_compliance(hn_iteration *it, const hn_system *sys) {
  size_t n = (size_t)it->n, nv = (size_t)sys->nv;
  const double *D = it->D + sys->rows;
  for (size_t i = 0; i < (size_t)sys->rows; i++)
    it->A[(nv + i) * n + nv + i] = it->keep[i] > 0 ? it->D[i] : 1;
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    for (int x = 0; x < c->rows * c->rows; x++, D++) {
      size_t r = (size_t)c->row[x / c->rows], s = (size_t)c->row[x % c->rows];
      // the diagonal was written above
      if (r != s) it->A[(nv + r) * n + nv + s] = it->keep[r] * it->keep[s] * *D;
    }
  }
}

bool hn_iteration_factor(hn_iteration *it, hn_work *work, const double *lambda, double c, double k,
                         hn_iteration_rows rows, const double *out) {
  const hn_system *sys = work->sys;
  size_t n = (size_t)it->n, nv = (size_t)sys->nv;
  for (int i = 0; i < sys->rows; i++) it->keep[i] = out && out[i] > 0 ? 0 : 1;
  if (it->newton) return factor_sparse(it, work, lambda, c, k, rows);
  memset(it->A, 0, n * n * sizeof(double));
  if (sys->coordinates->tangent) {
    sys->coordinates->tangent(work, lambda, it->tangent.K, it->tangent.C);
  } else {
    memset(it->tangent.K, 0, nv * nv * sizeof(double));
    memset(it->tangent.C, 0, nv * nv * sizeof(double));
    hn_force_tangent(work, &it->tangent);
    hn_constraint_tangent(work, lambda, &it->tangent);
  }
  put_dynamics(it, work, c, k);
  put_jacobian(it, work, rows, out);
  put_compliance(it, sys);
  return hn_dense_lu(it->n, it->A, it->swap);
}

void hn_iteration_solve(const hn_iteration *it, const hn_system *sys, double *x, double *l) {
  size_t nv = (size_t)sys->nv, rows = (size_t)sys->rows;
  memcpy(it->b, x, nv * sizeof(double));
  memcpy(it->b + nv, l, rows * sizeof(double));
  if (it->newton)
    hn_sparse_solve(hn_newton_matrix(it->newton), it->b);
  else
    hn_dense_lu_solve(it->n, it->A, it->swap, it->b);
  memcpy(x, it->b, nv * sizeof(double));
  memcpy(l, it->b + nv, rows * sizeof(double));
}
