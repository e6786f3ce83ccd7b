// dense.c: the factorisations of dense.h for step loops.
#include "linalg/dense.h"

#include "linalg/kernels.h"

#include <math.h>
#include <stddef.h>

// a . b, even and odd places summed apart.
// One fixed order of summation, whatever the compiler makes of it: results must not depend on the
// machine.
static double dot(const double *a, const double *b, int n) {
  // two partial sums, and the odd one at the end
  hn_pair sum = {0, 0};
  for (int k = 0; k + 1 < n; k += 2) sum += hn_pair_load(a + k) * hn_pair_load(b + k);
  return n % 2 ? sum[0] + sum[1] + a[n - 1] * b[n - 1] : sum[0] + sum[1];
}

// row j of L is complete; element j of four rows from `rows` on, which share the loads of row j.
// Four independent sums at a time keep the processor busy while each waits for its last addition.
static void cholesky_four(const double *Lj, double *rows, int j, int n, double inverse) {
  double *L[4];
  hn_pair sum[4];
  for (int i = 0; i < 4; i++) {
    L[i] = rows + (size_t)i * (size_t)n;
    sum[i] = (hn_pair){0, 0};
  }
  for (int k = 0; k + 1 < j; k += 2) {
    hn_pair a = hn_pair_load(Lj + k);
    for (int i = 0; i < 4; i++) sum[i] += a * hn_pair_load(L[i] + k);
  }
  for (int i = 0; i < 4; i++) {
    double total = sum[i][0] + sum[i][1];
    // the number left over of an odd count
    if (j % 2) total += Lj[j - 1] * L[i][j - 1];
    L[i][j] = (L[i][j] - total) * inverse;
  }
}

// Column by column (left-looking): a column is final when those before it have been taken away.
bool hn_dense_cholesky(int n, double *A) {
  for (int j = 0; j < n; j++) {
    double *Lj = A + (size_t)j * (size_t)n, square = Lj[j] - dot(Lj, Lj, j);
    // NaN is not positive either
    if (!(square > 0)) return false;
    Lj[j] = sqrt(square);
    double inverse = 1 / Lj[j];
    int i = j + 1;
    // four rows at a time, then what is left
    for (; i + 3 < n; i += 4) cholesky_four(Lj, A + (size_t)i * (size_t)n, j, n, inverse);
    for (; i < n; i++) {
      double *Li = A + (size_t)i * (size_t)n;
      Li[j] = (Li[j] - dot(Lj, Li, j)) * inverse;
    }
  }
  return true;
}

void hn_dense_cholesky_solve(int n, const double *L, double *b) {
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)i * (size_t)n;
    // L y = b
    b[i] = (b[i] - dot(row, b, i)) / row[i];
  }
  // L^T x = y, by rows of L
  for (int i = n - 1; i >= 0; i--) {
    const double *row = L + (size_t)i * (size_t)n;
    b[i] /= row[i];
    for (int k = 0; k < i; k++) b[k] -= row[k] * b[i];
  }
}

static void exchange(double *a, double *b, int n) {
  for (int k = 0; k < n; k++) {
    double t = a[k];
    a[k] = b[k];
    b[k] = t;
  }
}

// Partial pivoting; a column of zeros is passed over, and its zero pivot makes solutions infinite.
bool hn_dense_lu(int n, double *A, int *swap) {
  bool regular = true;
  // row by row: U above, multipliers below
  for (int k = 0; k < n; k++) {
    double *row = A + (size_t)k * (size_t)n, largest = fabs(row[k]);
    swap[k] = k;
    for (int i = k + 1; i < n; i++) {
      double value = fabs(A[(size_t)i * (size_t)n + (size_t)k]);
      if (value > largest) largest = value, swap[k] = i;
    }
    // an empty column: nothing to eliminate, and no solution
    if (!(largest > 0)) {
      regular = false;
      continue;
    }
    if (swap[k] != k) exchange(row, A + (size_t)swap[k] * (size_t)n, n);
    // multipliers by the inverse: one division a column
    double inverse = 1 / row[k];
    for (int i = k + 1; i < n; i++) {
      double *other = A + (size_t)i * (size_t)n, factor = other[k] *= inverse;
      if (factor == 0) continue;  // matrices of mechanisms are mostly zeros
      for (int j = k + 1; j < n; j++) other[j] -= factor * row[j];
    }
  }
  return regular;
}

// Leading zeros of b, common where unit vectors are solved for, cost nothing.
void hn_dense_lu_solve(int n, const double *LU, const int *swap, double *b) {
  for (int k = 0; k < n; k++) {
    double t = b[k];
    b[k] = b[swap[k]];
    // exchanges of rows in the order in which they were made
    b[swap[k]] = t;
  }
  int first = 0;
  while (first < n && b[first] == 0) first++;
  for (int i = first + 1; i < n; i++)
    b[i] -= dot(LU + (size_t)i * (size_t)n + first, b + first, i - first);
  for (int i = n - 1; i >= 0; i--) {
    const double *row = LU + (size_t)i * (size_t)n;
    double rest = i + 1 < n ? dot(row + i + 1, b + i + 1, n - 1 - i) : 0;
    b[i] = (b[i] - rest) / row[i];
  }
}

// A = P^T L U: U^T first, from the rows of U, then L^T, then the exchanges backwards
void hn_dense_lu_solve_transposed(int n, const double *LU, const int *swap, double *b) {
  for (int i = 0; i < n; i++) {
    const double *row = LU + (size_t)i * (size_t)n;
    b[i] /= row[i];
    for (int j = i + 1; j < n && b[i] != 0; j++) b[j] -= row[j] * b[i];
  }
  for (int i = n - 1; i > 0; i--) {
    const double *row = LU + (size_t)i * (size_t)n;
    for (int j = 0; j < i && b[i] != 0; j++) b[j] -= row[j] * b[i];
  }
  for (int k = n - 1; k >= 0; k--) {
    double t = b[k];
    b[k] = b[swap[k]];
    b[swap[k]] = t;
  }
}
