// reproduce_matrix.c: matrices of a model as a paper looks at them. Dense, plain and in extended
// precision: they are small, and what is measured are conditions up to 1e30.
#include "reproduce_matrix.h"

#include <holon/holon.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

typedef long double real;

// ---- dense algebra -------------------------------------------------------------------------

// A (n x n) becomes its inverse; false: singular
// by Gauss and Jordan with row pivots
static bool invert(int n, real *A) {
  real *B = calloc((size_t)n * (size_t)n, sizeof *B);
  bool good = B != NULL;
  for (int i = 0; good && i < n; i++) B[i * n + i] = 1;
  for (int k = 0; good && k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A[i * n + k]) > fabsl(A[pivot * n + k])) pivot = i;
    // exactly zero: nothing else is singular where conditions up to 1e30 are asked for
    good = fabsl(A[pivot * n + k]) > 0;
    for (int j = 0; good && j < n; j++) {
      real a = A[k * n + j], b = B[k * n + j];
      A[k * n + j] = A[pivot * n + j], A[pivot * n + j] = a;
      B[k * n + j] = B[pivot * n + j], B[pivot * n + j] = b;
    }
    real scale = good ? 1 / A[k * n + k] : 0;
    for (int j = 0; good && j < n; j++) A[k * n + j] *= scale, B[k * n + j] *= scale;
    for (int i = 0; good && i < n; i++) {
      real factor = A[i * n + k];
      if (i == k || factor == 0) continue;
      for (int j = 0; j < n; j++) {
        A[i * n + j] -= factor * A[k * n + j];
        B[i * n + j] -= factor * B[k * n + j];
      }
    }
  }
  if (good) memcpy(A, B, (size_t)n * (size_t)n * sizeof *A);
  free(B);
  return good;
}

static real frobenius(int count, const real *A) {
  real sum = 0;
  for (int i = 0; i < count; i++) sum += A[i] * A[i];
  return sqrtl(sum);
}

// C (m x n) = A (m x k) B (k x n)
static void multiply(int m, int k, int n, const real *A, const real *B, real *C) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      C[i * n + j] = 0;
      for (int l = 0; l < k; l++) C[i * n + j] += A[i * k + l] * B[l * n + j];
    }
}

static void transpose(int m, int n, const real *A, real *T) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) T[j * m + i] = A[i * n + j];
}

// spectral radius by squaring: |A^(2^k)|^(1/2^k)
// 3 x 3 at most
static double radius(int n, const double *A) {
  real P[9], Q[9], log_norm = 0, weight = 1;
  for (int i = 0; i < n * n; i++) P[i] = A[i];
  // 40 squarings: powers up to 2^40, the root of which is exact to rounding
  for (int k = 0; k < 40; k++) {
    real norm = frobenius(n * n, P);
    if (!(norm > 0)) return 0;
    // the norm is taken out each time, or powers would overflow
    for (int i = 0; i < n * n; i++) P[i] /= norm;
    log_norm += weight * logl(norm);
    multiply(n, n, n, P, P, Q);
    memcpy(P, Q, sizeof P);
    weight /= 2;
  }
  return (double)expl(log_norm);
}

// ---- matrices of a model -------------------------------------------------------------------

typedef struct equations {
  int nv, rows;
  double *M, *J, *K, *C;  // owned, in one block
} equations;

static bool evaluate(hn_sim *sim, const hn_system *system, equations *e, bool tangents) {
  int nv = hn_system_nv(system), rows = hn_system_rows(system);
  size_t square = (size_t)nv * (size_t)nv, all = 3 * square + (size_t)rows * (size_t)(nv + 1);
  double *block = calloc(all + 1, sizeof *block);
  if (!block) return false;
  // M, K, C, then J, then lambda
  *e = (equations){nv, rows, block, block + 3 * square, block + square, block + 2 * square};
  double *q = calloc((size_t)hn_system_nq(system) + 1, sizeof *q),
         *v = calloc((size_t)nv + 1, sizeof *v), *a = calloc((size_t)nv + 1, sizeof *a),
         *lambda = block + 3 * square + (size_t)rows * (size_t)nv;
  hn_status status = q && v && a ? HN_OK : HN_ERR_MEMORY;
  if (!status) {
    memcpy(q, hn_positions(sim), (size_t)hn_system_nq(system) * sizeof *q);
    memcpy(v, hn_velocities(sim), (size_t)nv * sizeof *v);
    // at the state the model begins with
    status = hn_evaluate(sim, 0, q, v, &(hn_equations){.mass = e->M, .jacobian = e->J});
  }
  // tangents need the multipliers there
  if (!status && tangents) status = hn_forward(sim, 0, q, v, a, lambda);
  if (!status && tangents) status = hn_tangents(sim, 0, q, v, lambda, e->K, e->C);
  free(q), free(v), free(a);
  return status == HN_OK;
}

// in reference coordinates; false: it cannot be had
static bool take_equations(const char *name, equations *e, bool tangents) {
  char message[256];
  const char *text = paper_model(name);
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  *e = (equations){0};
  bool good = model && text && !hn_model_parse(model, text, strlen(text), name) &&
              !hn_options_set(hn_model_options(model), "coordinates", "reference", message,
                              sizeof message) &&
              !hn_compile(&system, model) &&
              !hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message) &&
              evaluate(sim, system, e, tangents);
  hn_sim_destroy(sim), hn_system_destroy(system), hn_model_destroy(model);
  if (!good) free(e->M), e->M = NULL;
  return good;
}

// ---- conditioning --------------------------------------------------------------------------

// [ kappa M - beta h^2 K - gamma h C   -J^T ]   dynamics times beta h^2, unknown beta h^2 lambda
// [ J                                    0  ]
static void fill_iteration(const equations *e, real h, real row, real column, real *A) {
  const real rho = 0.8L, am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1),
             gamma = 0.5L + af - am, beta = (gamma + 0.5L) * (gamma + 0.5L) / 4,
             kappa = (1 - am) / (1 - af);
  int n = e->nv + e->rows;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  for (int i = 0; i < e->nv; i++)
    for (int j = 0; j < e->nv; j++) {
      int k = i * e->nv + j;
      A[i * n + j] = row * (kappa * e->M[k] - beta * h * h * e->K[k] - gamma * h * e->C[k]);
    }
  for (int i = 0; i < e->rows; i++)
    for (int j = 0; j < e->nv; j++) {
      A[(e->nv + i) * n + j] = e->J[i * e->nv + j];
      A[j * n + e->nv + i] = -row * column * e->J[i * e->nv + j];
    }
}

bool iteration_conditions(const char *model, const char *scaling, int count, const double *step,
                          double *condition) {
  equations e;
  if (!take_equations(model, &e, true)) return false;
  int n = e.nv + e.rows;
  real *A = calloc((size_t)n * (size_t)n + 1, sizeof *A);
  bool good = A != NULL;
  for (int i = 0; i < count && good; i++) {
    real h = step[i], square = h * h;
    bool full = scaling[0] == 'f', none = scaling[0] == 'n';
    // without any scaling the dynamics are as they are: divided by h^2 for unknown positions
    fill_iteration(&e, h, none ? 1 / square : 1, full ? 1 : square, A);
    real norm = frobenius(n * n, A);
    good = invert(n, A);
    condition[i] = (double)(norm * frobenius(n * n, A));
  }
  free(A), free(e.M);
  return good;
}

// ---- spectra -------------------------------------------------------------------------------

double recurrence_radius(int terms, int count, const double *values) {
  real N[9] = {0}, b[3] = {0}, c[3] = {0};
  double companion[9] = {0};
  // least squares over all windows, each in units of its largest value: fast decay hides nothing
  for (int i = 0; i + terms < count; i++) {
    real size = 0;
    for (int k = 0; k <= terms; k++) size = fmaxl(size, fabsl((real)values[i + k]));
    if (!(size > 1e-9L * fabsl((real)values[0]))) break;  // nothing but round-off from here on
    for (int j = 0; j < terms; j++) {
      for (int k = 0; k < terms; k++)
        N[j * terms + k] += (real)values[i + j] * (real)values[i + k] / (size * size);
      b[j] += (real)values[i + j] * (real)values[i + terms] / (size * size);
    }
  }
  if (!invert(terms, N)) return NAN;
  multiply(terms, terms, 1, N, b, c);
  for (int k = 0; k < terms; k++) companion[(terms - 1) * terms + k] = (double)c[k];
  for (int k = 0; k + 1 < terms; k++) companion[k * terms + k + 1] = 1;
  return radius(terms, companion);
}

// u, h v, h^2 a after a step from the k-th unit vector, for the generalized-alpha family
static void alpha_step(const char *method, double rho, double w2, int k, double out[3]) {
  double am = 0, af = 0, gamma = 0.5, in[3] = {k == 0, k == 1, k == 2};
  if (strcmp(method, "index3-newmark") == 0) gamma = (3 - rho) / (2 * (1 + rho));
  if (strcmp(method, "index3-hht") == 0)
    af = fmin((1 - rho) / (1 + rho), 1.0 / 3), gamma = 0.5 + af;
  if (strcmp(method, "index3-alpha") == 0)
    am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;
  double beta = (gamma + 0.5) * (gamma + 0.5) / 4;
  double guess = in[0] + in[1] + (0.5 - beta) * in[2];
  double a = (-am * in[2] - w2 * ((1 - af) * guess + af * in[0])) / (1 - am + w2 * (1 - af) * beta);
  out[0] = guess + beta * a, out[1] = in[1] + (1 - gamma) * in[2] + gamma * a, out[2] = a;
}

// u, h v after a step from the k-th unit vector, for the scheme of two stages f and j:
//   V_f = V_i - w^2 (u_f + u_j)/2,  V_j = V_i + w^2 (u_f - u_j)/6,
//   u_f = u_i + (V_f + V_j)/2,      u_j = u_i - (V_f - V_j)/6
static void decaying_step(double w2, int k, double out[2]) {
  real A[16] = {1,     0,     w2 / 2.0L, w2 / 2.0L, 0,        1,         -w2 / 6.0L, w2 / 6.0L,
                -0.5L, -0.5L, 1,         0,         1.0L / 6, -1.0L / 6, 0,          1};
  double u = k == 0, v = k == 1;
  const real b[4] = {v, v, u, u};
  real x[4];
  if (!invert(4, A)) return;
  multiply(4, 4, 1, A, b, x);
  out[0] = (double)x[2], out[1] = (double)x[0];
}

double scheme_radius(const char *method, double rho, double w) {
  double A[9] = {0}, out[3];
  int n = strcmp(method, "energy-decaying") == 0 ? 2 : 3;
  for (int k = 0; k < n; k++) {
    if (n == 2)
      decaying_step(w * w, k, out);
    else
      alpha_step(method, rho, w * w, k, out);
    for (int i = 0; i < n; i++) A[i * n + k] = out[i];
  }
  return radius(n, A);
}

// ---- sparsity ------------------------------------------------------------------------------

static double filled(int rows, int columns, const real *A) {
  int count = 0;
  for (int i = 0; i < rows * columns; i++) count += fabsl(A[i]) > 1e-12L;
  return (double)count / ((double)rows * (double)columns);
}

// columns of R span the null space of J (m x n, of full rank): J is eliminated with full pivoting
static bool null_basis(int m, int n, real *J, real *R) {
  int *column = calloc((size_t)n, sizeof *column);
  if (!column) return false;
  for (int j = 0; j < n; j++) column[j] = j;
  for (int k = 0; k < m; k++) {
    int pi = k, pj = k;
    for (int i = k; i < m; i++)
      for (int j = k; j < n; j++)
        if (fabsl(J[i * n + j]) > fabsl(J[pi * n + pj])) pi = i, pj = j;
    for (int j = 0; j < n; j++) {
      real x = J[k * n + j];
      J[k * n + j] = J[pi * n + j], J[pi * n + j] = x;
    }
    for (int i = 0; i < m; i++) {
      real x = J[i * n + k];
      J[i * n + k] = J[i * n + pj], J[i * n + pj] = x;
    }
    int c = column[k];
    column[k] = column[pj], column[pj] = c;
    real pivot = J[k * n + k];
    for (int j = 0; j < n; j++) J[k * n + j] /= pivot;
    for (int i = 0; i < m; i++) {
      real factor = i == k ? 0 : J[i * n + k];
      for (int j = k; j < n && factor != 0; j++) J[i * n + j] -= factor * J[k * n + j];
    }
  }
  int free_columns = n - m;
  for (int j = 0; j < free_columns; j++) {
    for (int i = 0; i < m; i++) R[column[i] * free_columns + j] = -J[i * n + m + j];
    R[column[m + j] * free_columns + j] = 1;
  }
  free(column);
  return true;
}

static double saddle_fill(const equations *e) {
  int mass = 0, rows = 0, n = e->nv + e->rows;
  for (int i = 0; i < e->nv * e->nv; i++) mass += e->M[i] != 0;
  for (int i = 0; i < e->rows * e->nv; i++) rows += fabs(e->J[i]) > 1e-12;
  return (mass + 2.0 * rows) / ((double)n * n);
}

bool matrix_fills(const char *model, fills *out) {
  equations e;
  if (!take_equations(model, &e, false)) return false;
  int n = e.nv, m = e.rows, d = n - m, most = n > m ? n : m;
  size_t size = (size_t)most * (size_t)most;
  real *block = calloc(6 * size, sizeof *block);
  bool good = block && d > 0;
  if (good) {
    real *J = block, *T = block + size, *W = block + 2 * size, *S = block + 3 * size,
         *R = block + 4 * size, *M = block + 5 * size;
    *out = (fills){.velocities = n, .rows = m, .saddle = saddle_fill(&e)};
    for (int i = 0; i < m * n; i++) J[i] = e.J[i];
    for (int i = 0; i < n * n; i++) M[i] = e.M[i];
    // J M^-1 J^T: the mass matrix is a diagonal
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) W[i * n + j] = J[i * n + j] / M[j * n + j];
    transpose(m, n, J, T);
    multiply(m, n, m, W, T, S);
    out->schur = filled(m, m, S);
    // J^T (J J^T)^-1
    multiply(m, n, m, J, T, S);
    good = invert(m, S);
    multiply(n, m, m, T, S, W);
    out->inverse = filled(n, m, W);
    good = good && null_basis(m, n, J, R);
    out->basis = filled(n, d, R);
    multiply(n, n, d, M, R, W);
    transpose(n, d, R, T);
    multiply(d, n, d, T, W, S);
    out->reduced = filled(d, d, S);
  }
  free(block), free(e.M);
  return good;
}
